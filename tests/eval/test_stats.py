"""Intervals: closed forms, edges, and coverage by simulation."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from eval.stats import paired_bootstrap, t_interval, wilson


def test_wilson_equals_the_closed_form() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)


@pytest.mark.parametrize(("successes", "n", "expected"), [(0, 10, (0.0, 0.2775)), (10, 10, (0.7225, 1.0))])
def test_wilson_at_the_edges_stays_inside_zero_and_one(successes: int, n: int, expected: tuple[float, float]) -> None:
    low, high = wilson(successes, n)
    assert (round(low, 4), round(high, 4)) == expected


def test_wilson_of_nothing_is_everything() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_refuses_impossible_counts() -> None:
    with pytest.raises(ValueError, match="11 successes of 10"):
        wilson(11, 10)


def test_wilson_covers_the_true_share() -> None:
    rng = random.Random("coverage")
    inside = 0
    for _ in range(2000):
        right = sum(rng.random() < 0.3 for _ in range(100))
        low, high = wilson(right, 100)
        inside += low <= 0.3 <= high
    assert 0.93 <= inside / 2000 <= 0.97


def test_paired_bootstrap_finds_a_difference_that_is_there() -> None:
    mean, low, high = paired_bootstrap([0.0] * 50 + [1.0] * 50, [1.0] * 30 + [0.0] * 20 + [1.0] * 50)
    assert mean == pytest.approx(0.3)
    assert 0 < low < 0.3 < high < 0.5


def test_paired_bootstrap_of_equal_scores_is_zero() -> None:
    assert paired_bootstrap([0.0, 1.0, 1.0], [0.0, 1.0, 1.0]) == (0.0, 0.0, 0.0)


def test_paired_bootstrap_refuses_unpaired_scores() -> None:
    with pytest.raises(ValueError, match="equal, positive lengths"):
        paired_bootstrap([1.0], [1.0, 0.0])


@pytest.mark.parametrize("n", [2, 3, 5, 12])
def test_t_interval_equals_scipys(n: int) -> None:
    rng = random.Random(f"t/{n}")
    values = [rng.gauss(0.3, 0.1) for _ in range(n)]
    expected = stats.t.interval(0.95, n - 1, loc=sum(values) / n, scale=stats.sem(values))
    assert t_interval(values) == pytest.approx((sum(values) / n, *expected), abs=1e-12)


def test_t_interval_of_equal_values_of_one_and_of_none() -> None:
    assert t_interval([0.5, 0.5, 0.5]) == (0.5, 0.5, 0.5)
    assert t_interval([0.5]) == (0.5, -math.inf, math.inf)
    with pytest.raises(ValueError, match="no values"):
        t_interval([])
