"""Means and standard deviations that several estimators share; exact sums, so the order of matches leaves no trace."""

from __future__ import annotations

import math
from collections.abc import Sequence

EPSILON = 1e-4
"""Added to a standard deviation before dividing by it (the value of GRPO)."""


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def deviation(values: Sequence[float]) -> float:
    """The sample standard deviation (divisor n − 1, as TRL takes it); 0 of fewer than two values."""
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


class Population:
    """Numbers that others are compared with.

    Args:
        values: at least one.
    """

    def __init__(self, values: Sequence[float]) -> None:
        self.mean = mean(values)
        self.deviation = deviation(values)
        self.flat = min(values) == max(values)

    def standardised(self, value: float, *, scale: bool = True) -> float:
        """(value − mean) / (standard deviation + ε), or without the division; exactly 0 where all are equal."""
        if self.flat:
            return 0.0
        return (value - self.mean) / (self.deviation + EPSILON if scale else 1.0)


def turn_returns(value: float, turns: int, gamma: float) -> tuple[float, ...]:
    """Return of each of a seat's decisions when only the end pays: γ^(decisions still to come) × R."""
    return tuple(value * gamma ** (turns - 1 - turn) for turn in range(turns))


def check_gamma(gamma: float) -> None:
    """Raises ValueError when a discount is no discount."""
    if not 0 < gamma <= 1:
        raise ValueError(f"gamma is {gamma}; it must lie in (0, 1].")
