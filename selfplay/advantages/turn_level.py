"""Turn level: every decision has its own return, compared with those of its role (MARSHAL, arXiv 2510.15414).

    G_k(i) = γ^(decisions of the seat still to come) · R(i)        returns come at the end only
    A_k(i) = (G_k(i) − mean G(role)) / (std G(role) + 1e-4)        over all decisions of that role in the batch

The mean is over decisions, so a match with many of them weighs more than a short one. With γ = 1 all decisions of a
seat in a match share one advantage. Zeros where a role's returns are all equal.

Weakness: without rewards along the way a decision's return is the match's, and γ < 1 only says that late decisions
matter more; the mean of a small batch is noisy, and there is no memory of earlier ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfplay.advantages.base import MatchResult
from selfplay.advantages.scaling import Population, check_gamma, turn_returns


class TurnLevel:
    """MARSHAL's advantage.

    Args:
        gamma: discount per decision of the seat, in (0, 1].
        scale: divide by the role's standard deviation.

    Raises:
        ValueError: gamma out of range.
    """

    name = "turn_level"

    def __init__(self, *, gamma: float = 1.0, scale: bool = True) -> None:
        check_gamma(gamma)
        self.gamma = gamma
        self.scale = scale
        self._means: dict[str, float] = {}

    def advantages(self, batch: Sequence[MatchResult]) -> list[tuple[tuple[float, ...], ...]]:
        """One number per decision of every seat."""
        by_role: dict[str, list[float]] = {}
        for result in batch:
            for seat, role in enumerate(result.roles):
                if result.counts(seat):
                    by_role.setdefault(f"{result.game}/{role}", []).extend(self._returns(result, seat))
        roles = {key: Population(values) for key, values in by_role.items() if values}
        self._means = {key: role.mean for key, role in roles.items()}
        return [tuple(self._seat(result, seat, roles) for seat in range(len(result.roles))) for result in batch]

    def _returns(self, result: MatchResult, seat: int) -> tuple[float, ...]:
        return turn_returns(result.returns[seat], result.turns[seat], self.gamma)

    def _seat(self, result: MatchResult, seat: int, roles: Mapping[str, Population]) -> tuple[float, ...]:
        if not result.counts(seat):
            return (0.0,) * result.turns[seat]
        key = f"{result.game}/{result.roles[seat]}"
        return tuple(roles[key].standardised(value, scale=self.scale) for value in self._returns(result, seat))

    def telemetry(self) -> dict[str, float]:
        """Mean return of a decision, as `baseline/game/role`."""
        return {f"baseline/{key}": value for key, value in sorted(self._means.items())}

    def state_dict(self) -> dict[str, Any]:
        """Nothing lasts beyond a batch."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Nothing."""
