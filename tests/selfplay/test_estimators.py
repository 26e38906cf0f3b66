"""What every estimator owes, and worked values of those without memory."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selfplay_helpers import result

from selfplay.advantages import ESTIMATORS, MatchResult, SeatAdvantage, make_estimator

BY_BATCH = ("none", "batch_mean", "group", "turn_level", "rebn")
"""Estimators that give a match the same advantages wherever it stands in the batch."""


def flat(given: Sequence[tuple[SeatAdvantage, ...]]) -> list[float]:
    return [
        value
        for seats in given
        for seat in seats
        for value in (seat if isinstance(seat, tuple) else (seat,))
    ]  # fmt: skip


@st.composite
def results(draw: st.DrawFn) -> list[MatchResult]:
    """Matches of three roles with a few deals; some forfeited, some with frozen seats."""
    made = []
    for index in range(draw(st.integers(1, 10))):
        fault = draw(st.sampled_from([None, None, None, 0, 2]))
        made.append(
            result(
                draw(st.tuples(*[st.floats(-5, 5)] * 3)),
                game=draw(st.sampled_from("gh")),
                roles=("a", "b", "c"),
                fault=fault,
                learner=draw(st.sampled_from([(True,) * 3, (True, False, False), (False, False, True)])),
                outcome=draw(st.sampled_from(["p0", "p1"])),
                index=index,
                seed=draw(st.integers(0, 2)),
                turns=draw(st.tuples(*[st.integers(0, 3)] * 3)),
            )
        )
    return made


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_constant_returns_give_finite_zeros_and_an_empty_batch_is_fine(name: str) -> None:
    estimator = make_estimator(name, {})
    assert list(estimator.advantages([])) == []
    assert set(flat(estimator.advantages([result([0, 0])] * 50))) == {0.0}


@pytest.mark.parametrize("name", ["batch_mean", "group", "turn_level", "rebn"])
def test_equal_returns_other_than_zero_give_zeros_too(name: str) -> None:
    batch = [result([0.1, 0.1], index=i, seed=0) for i in range(7)]
    assert flat(make_estimator(name, {}).advantages(batch)) == pytest.approx([0.0] * 14, abs=1e-15)


@pytest.mark.parametrize("name", BY_BATCH)
@settings(deadline=None, max_examples=40)
@given(batch=results(), rng=st.randoms())
def test_the_order_of_matches_leaves_no_trace(name: str, batch: list[MatchResult], rng: random.Random) -> None:
    order = rng.sample(range(len(batch)), len(batch))
    plain = make_estimator(name, {}).advantages(batch)
    mixed = make_estimator(name, {}).advantages([batch[i] for i in order])
    for position, i in enumerate(order):
        assert flat([mixed[position]]) == pytest.approx(flat([plain[i]]), abs=1e-9)


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
@settings(deadline=None, max_examples=40)
@given(batch=results())
def test_seats_that_do_not_count_get_zero_and_change_nothing(name: str, batch: list[MatchResult]) -> None:
    """A frozen opponent's return, and what the others get for a forfeit, teach nothing and move nothing."""
    other = [
        replace(
            match,
            returns=tuple(
                value if match.counts(seat) else value + 100.0 for seat, value in enumerate(match.returns)
            ),
        )
        for match in batch
    ]  # fmt: skip
    one, two = make_estimator(name, {}), make_estimator(name, {})
    given = one.advantages(batch)
    assert flat(given) == flat(two.advantages(other))
    assert one.state_dict() == two.state_dict()
    assert one.telemetry() == two.telemetry()
    for match, seats in zip(batch, given, strict=True):
        for seat, value in enumerate(seats):
            if not match.counts(seat):
                assert set(flat([(value,)])) <= {0.0}
            if isinstance(value, tuple):
                assert len(value) == match.turns[seat]


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
@settings(deadline=None, max_examples=25)
@given(batches=st.lists(results(), min_size=1, max_size=3), later=results())
def test_the_state_survives_json(name: str, batches: list[list[MatchResult]], later: list[MatchResult]) -> None:
    estimator, copy = make_estimator(name, {}), make_estimator(name, {})
    for batch in batches:
        estimator.advantages(batch)
    copy.load_state_dict(json.loads(json.dumps(estimator.state_dict())))
    assert copy.advantages(later) == estimator.advantages(later)
    assert copy.telemetry() == estimator.telemetry()
    assert copy.state_dict() == estimator.state_dict()


def test_group_compares_matches_of_the_same_deal_and_seat() -> None:
    batch = [
        result([1, -1], seed=7),
        result([3, -3], seed=7),
        result([5, -5], seed=8),  # alone: nothing to compare with
        result([2, 2], seed=9),
        result([2, 2], seed=9),  # no difference
        result([9, -9], seed=7, game="h"),  # another game
    ]
    estimator = make_estimator("group", {})
    given = estimator.advantages(batch)
    unit = 1 / (2**0.5 + 1e-4)  # the sample deviation of 1 and 3 is √2
    assert given[0] == pytest.approx((-unit, unit))
    assert given[1] == pytest.approx((unit, -unit))
    assert given[2:] == [(0.0, 0.0)] * 4
    assert estimator.telemetry() == pytest.approx(
        {"group_size/g": 5 / 3, "flat_groups/g": 2 / 3, "group_size/h": 1, "flat_groups/h": 1}
    )
    assert make_estimator("group", {"scale": False}).advantages(batch[:2]) == [(-1.0, 1.0), (1.0, -1.0)]


def test_a_forfeit_in_a_group_counts_for_the_offender_alone() -> None:
    batch = [result([1, -1], seed=1), result([-3, 3], seed=1, fault=0), result([1, -2], seed=1)]
    given: Any = make_estimator("group", {"scale": False}).advantages(batch)
    assert [seats[0] for seats in given] == pytest.approx([4 / 3, -8 / 3, 4 / 3])
    assert [seats[1] for seats in given] == [0.5, 0.0, -0.5]


def test_turn_level_is_standardised_over_the_decisions_of_a_role() -> None:
    batch = [result([1, -1], turns=(3, 1)), result([-1, 1], turns=(1, 2))]
    given = make_estimator("turn_level", {"scale": False}).advantages(batch)
    # first: returns 1, 1, 1, -1 with mean 1/2; second: -1, 1, 1 with mean 1/3
    assert given == [((0.5,) * 3, (pytest.approx(-4 / 3),)), ((-1.5,), (pytest.approx(2 / 3),) * 2)]
    estimator = make_estimator("turn_level", {})
    scaled: Any = estimator.advantages(batch)
    assert scaled[0][0][0] == pytest.approx(0.5 / (1.0 + 1e-4))  # the sample deviation of 1, 1, 1, -1 is 1
    assert estimator.telemetry() == pytest.approx({"baseline/g/first": 0.5, "baseline/g/second": 1 / 3})
    late: Any = make_estimator("turn_level", {"gamma": 0.5, "scale": False}).advantages([result([4, 0], turns=(2, 0))])
    assert late == [((-1.0, 1.0), ())]  # 2 and 4, with mean 3


def test_rebn_standardises_all_decisions_of_the_batch_at_once() -> None:
    batch = [result([1, -1], turns=(2, 1)), result([0, 2], game="h", turns=(1, 0))]
    estimator = make_estimator("rebn", {})
    given = estimator.advantages(batch)
    values = [1.0, 1.0, -1.0, 0.0]
    deviation = (sum((v - 0.25) ** 2 for v in values) / 3) ** 0.5
    unit = 1 / (deviation + 1e-4)
    assert given[0] == (pytest.approx((0.75 * unit,) * 2), pytest.approx((-1.25 * unit,)))
    assert given[1] == (pytest.approx((-0.25 * unit,)), ())
    assert estimator.telemetry() == pytest.approx({"return_mean": 0.25, "return_std": deviation})


def test_rae_stepped_by_batch_compares_a_whole_batch_with_the_baseline_of_before() -> None:
    rae = make_estimator("rae", {"unit": "batch", "alpha": 0.5})
    assert rae.advantages([result([1, -1]), result([3, -3])]) == [(1.0, -1.0), (3.0, -3.0)]
    assert rae.advantages([result([0, 0])]) == [(-1.0, 1.0)]  # half of the mean of 2
