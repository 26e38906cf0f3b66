"""Group: matches of the same deal are compared seat by seat (GRPO, arXiv 2402.03300).

    A_s(i) = (R_s(i) − mean R_s(group)) / (std R_s(group) + 1e-4)

The group of a seat: all matches of the batch with the same game, seed and seat, in which the seat counts. The same
deal must therefore be played several times in an update (`repeats`). A group whose returns are all equal, a single
match among them, gives zeros.

Weakness: the returns depend on the other seats' play as much as on one's own, which the group does not hold fixed;
dividing by the standard deviation gives the most weight to deals that are almost decided; the luck of the deal
cancels, but only with many matches a deal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfplay.advantages.base import MatchResult
from selfplay.advantages.scaling import Population, mean


class GroupRelative:
    """GRPO's advantage.

    Args:
        scale: divide by the group's standard deviation; without it this is Dr. GRPO's (arXiv 2503.20783).
    """

    name = "group"

    def __init__(self, *, scale: bool = True) -> None:
        self.scale = scale
        self._told: dict[str, float] = {}

    def advantages(self, batch: Sequence[MatchResult]) -> list[tuple[float, ...]]:
        """Compare every return that counts with its group's."""
        groups: dict[tuple[str, int, int], list[float]] = {}
        for result in batch:
            for seat, value in enumerate(result.returns):
                if result.counts(seat):
                    groups.setdefault((result.game, result.seed, seat), []).append(value)
        populations = {key: Population(values) for key, values in groups.items()}
        self._told = {}
        for game in sorted({key[0] for key in groups}):
            mine = [key for key in groups if key[0] == game]
            self._told[f"group_size/{game}"] = mean([float(len(groups[key])) for key in mine])
            self._told[f"flat_groups/{game}"] = mean([float(populations[key].flat) for key in mine])
        return [
            tuple(
                populations[result.game, result.seed, seat].standardised(value, scale=self.scale)
                if result.counts(seat)
                else 0.0
                for seat, value in enumerate(result.returns)
            )
            for result in batch
        ]

    def telemetry(self) -> dict[str, float]:
        """Mean size of a group and the share of groups without any difference, by game."""
        return dict(self._told)

    def state_dict(self) -> dict[str, Any]:
        """Nothing lasts beyond a batch."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Nothing."""
