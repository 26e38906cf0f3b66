"""Intervals by resampling pairs: matches on the same deal with swapped seats are not independent of each other.

A pairing's pairs are resampled with replacement within the pairing. Pairs with equal results are interchangeable, so
how often each kind of pair is drawn is one multinomial sample, and no result depends on the order of matches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.pairing import derive_seed
from arena.ratings import Array

LEVEL = 0.95
"""Coverage of every interval."""

_Z = 1.959963984540054


class WDL(NamedTuple):
    """Wins, draws and losses."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def matches(self) -> int:
        """How many there are."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Share of points, a draw being half a point; NaN without matches."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else math.nan

    def plus(self, other: WDL) -> WDL:
        """Both together."""
        return WDL(*(a + b for a, b in zip(self, other, strict=True)))

    def swapped(self) -> WDL:
        """The same results, seen by the other side."""
        return WDL(self.losses, self.draws, self.wins)


class Interval(NamedTuple):
    """A 95 % interval."""

    low: float
    high: float

    def mirrored(self) -> Interval:
        """That of one minus the share this is an interval of."""
        return Interval(1 - self.high, 1 - self.low)


def resample(clusters: Mapping[WDL, int], replicates: int, *parts: object) -> Array:
    """Resampled totals of one pairing.

    Args:
        clusters: how often each result of a pair occurred.
        replicates: number of resamples.
        parts: seed and names that key the random stream of this pairing alone.

    Returns:
        (replicates, 3): wins, draws and losses.
    """
    kinds = sorted(clusters)
    counts = np.array([clusters[kind] for kind in kinds], dtype=np.int64)
    number = int(counts.sum())
    rng = np.random.Generator(np.random.PCG64(derive_seed("bootstrap", *parts)))
    drawn = rng.multinomial(number, counts / number, size=replicates)
    return np.asarray(drawn @ np.array(kinds, dtype=np.float64))


def percentiles(samples: NDArray[np.float64]) -> Interval:
    """The central 95 % of samples."""
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    return Interval(float(low), float(high))


def score_interval(score: float, resampled: Array, pairs: int) -> Interval:
    """Interval of a share of points.

    Args:
        score: the share observed.
        resampled: (replicates, 3), from `resample`, of one pairing or summed over several.
        pairs: number of pairs behind it.

    Where every pair came out the same (won all, or split every pair), resampling shows no spread, and the interval is
    Wilson's with one observation per pair, which is never narrower than the data can bear.
    """
    shares = (resampled[:, 0] + resampled[:, 1] / 2) / resampled.sum(axis=1)
    found = percentiles(shares)
    return wilson(score, pairs) if found.high - found.low < 1e-12 else found


class Sums(NamedTuple):
    """Number, sum and sum of squares of some observations: enough for their mean and its error."""

    n: int = 0
    total: float = 0.0
    squares: float = 0.0

    def plus(self, value: float) -> Sums:
        """One observation more."""
        return Sums(self.n + 1, self.total + value, self.squares + value * value)


def mean_interval(strata: Sequence[Sums]) -> Interval | None:
    """Student's 95 % interval of a mean over pairs, each pairing being a stratum; None with fewer than four pairs."""
    freedom = sum(one.n - 1 for one in strata)
    if freedom < 3:
        return None
    number = sum(one.n for one in strata)
    mean = sum(one.total for one in strata) / number
    spread = sum(max(0.0, one.squares - one.total**2 / one.n) for one in strata) / freedom
    half = student(freedom) * math.sqrt(spread / number)
    return Interval(mean - half, mean + half)


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: Cornish–Fisher expansion, within 1 % from 3 degrees of freedom on."""
    z = _Z
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


def wilson(share: float, n: float) -> Interval:
    """Wilson's 95 % interval for a share of `n` (E. B. Wilson, 1927)."""
    if n <= 0:
        return Interval(0.0, 1.0)
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))
