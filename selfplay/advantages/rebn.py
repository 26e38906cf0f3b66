"""ReBN: return batch normalisation (GEM, arXiv 2510.01051).

    G_k(i) = γ^(decisions of the seat still to come) · R(i)
    A_k(i) = (G_k(i) − mean G) / (std G + 1e-4)        once, over all decisions of the batch

All games, roles and seats are one population. Zeros where all returns are equal.

Weakness: an unequal game credits the seat, and a game with large returns drowns those with small ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfplay.advantages.base import MatchResult
from selfplay.advantages.scaling import Population, check_gamma, turn_returns


class ReturnBatchNormalisation:
    """ReBN.

    Args:
        gamma: discount per decision of the seat, in (0, 1].

    Raises:
        ValueError: gamma out of range.
    """

    name = "rebn"

    def __init__(self, *, gamma: float = 1.0) -> None:
        check_gamma(gamma)
        self.gamma = gamma
        self._told: dict[str, float] = {}

    def advantages(self, batch: Sequence[MatchResult]) -> list[tuple[tuple[float, ...], ...]]:
        """One number per decision of every seat."""
        returns = [
            tuple(turn_returns(value, turns, self.gamma) for value, turns in zip(r.returns, r.turns, strict=True))
            for r in batch
        ]
        every = [
            value
            for result, seats in zip(batch, returns, strict=True)
            for seat, turns in enumerate(seats)
            if result.counts(seat)
            for value in turns
        ]
        population = Population(every) if every else None
        self._told = {} if population is None else {"return_mean": population.mean, "return_std": population.deviation}
        return [
            tuple(
                tuple(population.standardised(v) if population and result.counts(seat) else 0.0 for v in turns)
                for seat, turns in enumerate(seats)
            )
            for result, seats in zip(batch, returns, strict=True)
        ]

    def telemetry(self) -> dict[str, float]:
        """Mean and standard deviation of all returns of the batch."""
        return dict(self._told)

    def state_dict(self) -> dict[str, Any]:
        """Nothing lasts beyond a batch."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Nothing."""
