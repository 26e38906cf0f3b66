"""RAE: role-conditioned advantage estimation (SPIRAL, arXiv 2506.24119).

One exponential moving average b[g, p] of returns per (game, role), decay α = 0.95 from 0:

    A_p(i) = R_p(i) − b[g, p]                    b as it was before match i
    b[g, p] ← α b[g, p] + (1 − α) R_p(i)         once per finished match and role, in match order

With `unit = "batch"` a baseline is stepped once a batch, with the role's mean return in it, and all matches of the
batch are compared with the baseline of before: the order of matches then leaves no trace.

No division by a standard deviation, no length normalisation, γ = 1. Per role, because seats are unequal: one
baseline for all would turn the luck of the seat into credit.

A forfeit is no game result. The offender's penalty goes through its own role's baseline like any return; the other
seats' baselines stay, and their advantage is zero. A frozen opponent's return is not the learner's: it moves no
baseline either, so that b[g, p] is what the learner itself gets in role p.

Weakness: the average lags, so while play changes quickly the baseline is that of older play; and when all matches
end alike, all advantages go to zero (an impasse).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfplay.advantages.base import MatchResult
from selfplay.advantages.scaling import mean


class RoleConditionedAdvantage:
    """RAE.

    Args:
        alpha: decay of the moving averages, in [0, 1).
        bias_correction: divide a baseline by 1 − αⁿ after n steps (as Adam does); off in the paper.
        unit: a step of the averages is a `match` (the paper) or a `batch`.

    Raises:
        ValueError: alpha out of range, or an unknown unit.
    """

    name = "rae"

    def __init__(self, *, alpha: float = 0.95, bias_correction: bool = False, unit: str = "match") -> None:
        if not 0 <= alpha < 1:
            raise ValueError(f"alpha is {alpha}; it must lie in [0, 1).")
        if unit not in ("match", "batch"):
            raise ValueError(f"unit is {unit!r}; it must be 'match' or 'batch'.")
        self.alpha = alpha
        self.unit = unit
        self.bias_correction = bias_correction
        self._average: dict[str, float] = {}
        self._count: dict[str, int] = {}

    def baseline(self, game: str, role: str) -> float:
        """b[g, p] as it would be subtracted now."""
        return self._read(f"{game}/{role}")

    def _read(self, key: str) -> float:
        value = self._average.get(key, 0.0)
        count = self._count.get(key, 0)
        return value / (1 - self.alpha**count) if self.bias_correction and count else value

    def advantages(self, batch: Sequence[MatchResult]) -> list[tuple[float, ...]]:
        """Match by match, or for the whole batch: read, subtract, then fold in."""
        if self.unit == "match":
            return [self._fold([result])[0] for result in batch]
        return self._fold(batch)

    def _fold(self, batch: Sequence[MatchResult]) -> list[tuple[float, ...]]:
        """Compare with the baselines as they are; then step those of the roles that played, once."""
        made = [self._compare(result) for result in batch]
        means: dict[str, list[float]] = {}
        for result in batch:
            for key, values in self._counted(result).items():  # seats that share a role count once, with their mean
                means.setdefault(key, []).append(mean(values))
        for key, values in means.items():
            self._average[key] = self.alpha * self._average.get(key, 0.0) + (1 - self.alpha) * mean(values)
            self._count[key] = self._count.get(key, 0) + 1
        return made

    def _compare(self, result: MatchResult) -> tuple[float, ...]:
        return tuple(
            value - self._read(f"{result.game}/{role}") if result.counts(seat) else 0.0
            for seat, (role, value) in enumerate(zip(result.roles, result.returns, strict=True))
        )

    @staticmethod
    def _counted(result: MatchResult) -> dict[str, list[float]]:
        returns: dict[str, list[float]] = {}
        for seat, (role, value) in enumerate(zip(result.roles, result.returns, strict=True)):
            if result.counts(seat):
                returns.setdefault(f"{result.game}/{role}", []).append(value)
        return returns

    def telemetry(self) -> dict[str, float]:
        """Every baseline, as `baseline/game/role`."""
        return {f"baseline/{key}": self._read(key) for key in sorted(self._average)}

    def state_dict(self) -> dict[str, Any]:
        """Averages and counts by `game/role`."""
        return {"average": dict(self._average), "count": dict(self._count)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore averages and counts."""
        self._average = {str(key): float(value) for key, value in state["average"].items()}
        self._count = {str(key): int(value) for key, value in state["count"].items()}
