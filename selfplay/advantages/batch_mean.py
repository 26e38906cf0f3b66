"""Batch mean: the return minus the mean return of this batch, per game (REINFORCE with a batch baseline).

Weakness: one mean for all seats, so an unequal game credits the seat; and the mean of a small batch is noisy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfplay.advantages.base import MatchResult


class BatchMean:
    """A = R − mean of the game's returns in the batch, over the (match, seat) that count."""

    name = "batch_mean"

    def __init__(self) -> None:
        self._means: dict[str, float] = {}

    def advantages(self, batch: Sequence[MatchResult]) -> list[tuple[float, ...]]:
        """Subtract the mean; a game that is alone with one return gets zeros."""
        counted: dict[str, list[float]] = {}
        for result in batch:
            for seat, value in enumerate(result.returns):
                if result.counts(seat):
                    counted.setdefault(result.game, []).append(value)
        self._means = {game: sum(values) / len(values) for game, values in counted.items()}
        return [
            tuple(
                value - self._means[result.game] if result.counts(seat) else 0.0
                for seat, value in enumerate(result.returns)
            )
            for result in batch
        ]

    def telemetry(self) -> dict[str, float]:
        """Mean return per game."""
        return {f"baseline/{game}": mean for game, mean in sorted(self._means.items())}

    def state_dict(self) -> dict[str, Any]:
        """Nothing lasts beyond a batch."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Nothing."""
