"""Intervals for shares and means, as small as they can be and stay right."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

Z95 = 1.959963984540054
"""Two-sided 95 % point of the standard normal distribution."""


def wilson(successes: float, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson score interval of a share (E. B. Wilson, 1927).

    centre = (p + z²/2n) / (1 + z²/n),  half = z √(p(1−p)/n + z²/4n²) / (1 + z²/n).

    Args:
        successes: how many of n; may be fractional where items give partial credit.
        n: how many; 0 gives (0, 1).
        z: normal quantile.

    Raises:
        ValueError: successes outside 0 … n.
    """
    if n < 0 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: must lie between 0 and n.")
    if n == 0:
        return 0.0, 1.0
    p = successes / n
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    return max(0.0, centre - half), min(1.0, centre + half)


def t_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean of independent values with Student's 95 % interval.

    Args:
        values: at least one; a single value tells nothing of its spread, and its interval is (−∞, ∞).

    Returns:
        (mean, low, high).

    Raises:
        ValueError: no values.
    """
    from scipy.special import stdtrit  # not at the top: it takes longer to load than all the rest

    n = len(values)
    if n == 0:
        raise ValueError("The mean of no values was asked for; give at least one.")
    mean = math.fsum(values) / n
    if n == 1:
        return mean, -math.inf, math.inf
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = float(stdtrit(n - 1, 0.975)) * spread / math.sqrt(n)
    return mean, mean - half, mean + half


def paired_bootstrap(
    first: Sequence[float], second: Sequence[float], *, seed: int = 0, resamples: int = 2000
) -> tuple[float, float, float]:
    """Mean of second − first over the same items, with its 95 % percentile interval.

    Args:
        first: one score per item.
        second: one score per item, same items in the same order.
        seed: of the resampling.
        resamples: bootstrap draws.

    Returns:
        (mean difference, low, high).

    Raises:
        ValueError: different lengths, or nothing to compare.
    """
    if len(first) != len(second) or not first:
        raise ValueError(f"Paired scores need equal, positive lengths; got {len(first)} and {len(second)}.")
    differences = [b - a for a, b in zip(first, second, strict=True)]
    n = len(differences)
    rng = random.Random(f"bootstrap/{seed}")
    means = sorted(sum(rng.choices(differences, k=n)) / n for _ in range(resamples))
    low, high = means[int(0.025 * resamples)], means[min(int(0.975 * resamples), resamples - 1)]
    return sum(differences) / n, low, high
