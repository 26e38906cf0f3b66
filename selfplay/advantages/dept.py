"""DEPT: dual-scale evolutionary policy training (arXiv 2605.08721).

RAE whose baseline leans to an extreme when play is stuck. After every batch, over the finished matches of game g, for
each role p that played:

    fast, slow  ← moving averages of p's mean return in the batch, decays 0.5 and 0.95, from 0
    σ_p         = 1 − tanh |fast − slow|                      stagnation: 1 when nothing moves
    H           = entropy of the batch's outcome classes / log K, K = the classes that the rules allow
    λ_p         = σ_p · √(1 − H)                              0 where no class is the most common one
    V_max, V_min: highest and lowest value so far, 0 included, of averages taken match by match (decay 0.5)
    V(i)        = V_max where match i ended in the most common class, else V_min
    A_p(i)      = R_p(i) − [(1 − λ_p) · slow + λ_p · V(i)]    slow as it was before this batch

So λ = 0 is RAE with one baseline step a batch, and at λ = 1 what everybody does pays less than nothing while
anything else pays more than it did.

Formulas 1 to 4, 6 and 7 of the paper are known from a secondary account. The unit of the averages, the normaliser of
H, the scope of the bounds and the order of reading are reconstructed, and are options.

A forfeit is no game result: it is no outcome class and (unless bounds come from batches) moves no bound. The
offender's penalty enters its role's averages, as in RAE, and is judged against the slow one alone: reshaping must not
make an unusable reply a way out of an impasse. The other seats get zero. A match that ended outside the rules'
outcome classes is judged so as well.

Known limits. All draws from the first match on leave nothing to contrast: every bound and every advantage is 0, and
only other opponents (or `min_span`) help. A batch with one single outcome gets a uniform push. In a game of luck the
outcomes stay mixed while the policy collapses: watch token entropy and exploitability too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfplay.advantages.base import MatchResult
from selfplay.advantages.dept_options import Options
from selfplay.advantages.dept_state import GameState, Reading

__all__ = ["DualScaleTraining"]


class DualScaleTraining:
    """DEPT.

    Args:
        alpha_fast, alpha_slow: decays of the moving averages, in [0, 1).
        ema_from: `batch` steps the two averages once a batch, with its mean; `match` once a match.
        bounds: `game` shares V_max and V_min among the roles of a game; `role` gives each its own.
        bounds_from: `match` takes the extremes of an average stepped match by match; `batch` those of `fast`.
        window: extremes of the last so many batches; 0 remembers all.
        min_span: V_max and V_min are kept at least this far apart, around their middle.
        slow_read: `pre` subtracts the slow average of before this batch, `post` that of after it.
        classes: `game` normalises H by the classes that the rules allow, `seen` by those that have occurred.
        strength: multiplies λ, in [0, 1].
        only_at_impasse: reshape only while the run has declared an impasse (`[impasse] answers = ["reshape"]`);
            λ is 0 otherwise.

    Raises:
        ValueError: an option out of range.
    """

    name = "dept"

    def __init__(
        self,
        *,
        alpha_fast: float = 0.5,
        alpha_slow: float = 0.95,
        ema_from: str = "batch",
        bounds: str = "game",
        bounds_from: str = "match",
        window: int = 0,
        min_span: float = 0.0,
        slow_read: str = "pre",
        classes: str = "game",
        strength: float = 1.0,
        only_at_impasse: bool = False,
    ) -> None:
        self.options = Options(
            alpha_fast=alpha_fast,
            alpha_slow=alpha_slow,
            ema_from=ema_from,
            bounds=bounds,
            bounds_from=bounds_from,
            window=window,
            min_span=min_span,
            slow_read=slow_read,
            classes=classes,
            strength=strength,
        )
        self.only_at_impasse = only_at_impasse
        self.reshaping = not only_at_impasse
        self._games: dict[str, GameState] = {}
        self._readings: dict[str, Reading] = {}

    def reshape(self, on: bool) -> None:
        """Follow the run's word on whether there is an impasse, if asked to (`only_at_impasse`)."""
        self.reshaping = on or not self.only_at_impasse

    def advantages(self, batch: Sequence[MatchResult]) -> list[tuple[float, ...]]:
        """Game by game: fold the batch in, then subtract the mixed baseline."""
        self._readings = {}
        for game in sorted({result.game for result in batch}):
            mine = sorted((result for result in batch if result.game == game), key=lambda result: result.index)
            state = self._games.setdefault(game, GameState())
            self._readings[game] = state.fold(mine, self.options, reshaping=self.reshaping)
        return [self._match(result, self._readings[result.game]) for result in batch]

    def _match(self, result: MatchResult, reading: Reading) -> tuple[float, ...]:
        return tuple(
            value - reading.baseline(role, result) if result.counts(seat) else 0.0
            for seat, (role, value) in enumerate(zip(result.roles, result.returns, strict=True))
        )

    def telemetry(self) -> dict[str, float | str | None]:
        """Of the last batch: outcome shares P, entropy H, dominant class; by role averages, σ, λ, bounds, spreads."""
        told: dict[str, float | str | None] = {}
        for game, reading in self._readings.items():
            told |= {f"{what}/{game}": value for what, value in reading.of_game().items()}
            for role in reading.roles:
                told |= {f"{what}/{game}/{role}": value for what, value in reading.of_role(role).items()}
        return told

    def state_dict(self) -> dict[str, Any]:
        """Averages, bounds and classes by game, and whether it reshapes now."""
        return {
            "games": {game: state.to_json() for game, state in sorted(self._games.items())},
            "reshaping": self.reshaping,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what `state_dict` saved."""
        self._games = {str(game): GameState.from_json(saved) for game, saved in state["games"].items()}
        self.reshaping = bool(state["reshaping"])
