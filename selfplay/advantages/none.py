"""No baseline: the advantage is the return (REINFORCE; Williams 1992).

Weakness: whatever luck or the seat gives is taken for skill, so the variance is the largest of all estimators here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfplay.advantages.base import MatchResult


class NoBaseline:
    """A = R."""

    name = "none"

    def advantages(self, batch: Sequence[MatchResult]) -> list[tuple[float, ...]]:
        """Returns as they are."""
        return [
            tuple(value if result.counts(seat) else 0.0 for seat, value in enumerate(result.returns))
            for result in batch
        ]

    def telemetry(self) -> dict[str, float]:
        """Nothing."""
        return {}

    def state_dict(self) -> dict[str, Any]:
        """Nothing lasts."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Nothing."""
