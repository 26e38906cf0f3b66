"""DEPT against worked values, and what must hold of it whatever the batch."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selfplay_helpers import result

from selfplay.advantages import MatchResult, make_estimator
from selfplay.advantages.dept import DualScaleTraining

RETURNS = {"p0": (1.0, -1.0), "p1": (-1.0, 1.0), "draw": (0.0, 0.0)}
LETTERS = {"0": "p0", "1": "p1", "=": "draw"}


def batch(outcomes: str, classes: tuple[str, ...] = ("p0", "p1")) -> list[MatchResult]:
    """`0`, `1` and `=` are wins of the seats and draws, in canonical order."""
    return [
        result(RETURNS[LETTERS[letter]], outcome=LETTERS[letter], outcomes=classes, index=index)
        for index, letter in enumerate(outcomes)
    ]


@dataclass(frozen=True, kw_only=True)
class Case:
    """Batches in order, each so many times, and what must be read after the last one; one number serves both roles.

    The values were worked out from the formulas in `selfplay/advantages/dept.py` with default options, to 4 decimals.
    """

    name: str
    draws: bool
    batches: tuple[tuple[str, int], ...]
    entropy: float
    dominant: str | None
    fast: tuple[float, float]
    slow: tuple[float, float]
    sigma: float
    lam: float
    bound: float
    advantages: dict[str, tuple[float, float]]


CASES = (
    Case(
        name="first step, seven wins and a loss",
        draws=False,
        batches=(("00000001", 1),),
        entropy=0.5436,
        dominant="p0",
        fast=(0.375, -0.375),
        slow=(0.0375, -0.0375),
        sigma=0.6748,
        lam=0.4559,
        bound=0.9922,
        advantages={"p0": (0.5477, -1.4523), "p1": (-0.5477, 1.4523)},
    ),
    Case(
        name="the first seat dominates for 50 steps",
        draws=False,
        batches=(("0" * 19 + "1", 50),),
        entropy=0.2864,
        dominant="p0",
        fast=(0.9, -0.9),
        slow=(0.8307, -0.8307),
        sigma=0.9309,
        lam=0.7863,
        bound=1.0,
        advantages={"p0": (0.0369, -1.6096), "p1": (-0.3904, 1.9631)},
    ),
    Case(
        name="a fair game without draws raises no alarm",
        draws=False,
        batches=(("01010101", 1),),
        entropy=1.0,
        dominant=None,
        fast=(0.0, 0.0),
        slow=(0.0, 0.0),
        sigma=1.0,
        lam=0.0,
        bound=0.5,
        advantages={"p0": (1.0, -1.0), "p1": (-1.0, 1.0)},
    ),
    Case(
        name="nothing but draws from the start",
        draws=True,
        batches=(("=" * 8, 50),),
        entropy=0.0,
        dominant="draw",
        fast=(0.0, 0.0),
        slow=(0.0, 0.0),
        sigma=1.0,
        lam=1.0,
        bound=0.0,
        advantages={"draw": (0.0, 0.0)},
    ),
    Case(
        name="a symmetric impasse of draws",
        draws=True,
        batches=(("=========0=========1", 50),),
        entropy=0.359,
        dominant="draw",
        fast=(0.0, 0.0),
        slow=(0.0, 0.0),
        sigma=1.0,
        lam=0.8006,
        bound=0.5,
        advantages={"draw": (-0.4003, -0.4003), "p0": (1.4003, -0.5997), "p1": (-0.5997, 1.4003)},
    ),
    Case(
        name="the first seat ahead, then draws",
        draws=True,
        batches=(("000001==", 10), ("=======0", 40)),
        entropy=0.343,
        dominant="draw",
        fast=(0.125, -0.125),
        slow=(0.1347, -0.1347),
        sigma=0.9903,
        lam=0.8027,
        bound=0.9688,
        advantages={"draw": (-0.8043, -0.7509), "p0": (1.7509, -0.1957)},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_worked_values(case: Case) -> None:
    dept = make_estimator("dept", {})
    classes = ("p0", "draw", "p1") if case.draws else ("p0", "p1")
    given: Any = []
    played: list[MatchResult] = []
    for outcomes, times in case.batches:
        for _ in range(times):
            played = batch(outcomes, classes)
            given = dept.advantages(played)
    told = dept.telemetry()
    assert told["outcome_entropy/g"] == pytest.approx(case.entropy, abs=1e-4)
    assert told["dominant/g"] == case.dominant
    for seat, role in enumerate(("first", "second")):
        assert told[f"fast/g/{role}"] == pytest.approx(case.fast[seat], abs=1e-4)
        assert told[f"slow/g/{role}"] == pytest.approx(case.slow[seat], abs=1e-4)
        assert told[f"sigma/g/{role}"] == pytest.approx(case.sigma, abs=1e-4)
        assert told[f"lambda/g/{role}"] == pytest.approx(case.lam, abs=1e-4)
        assert told[f"v_max/g/{role}"] == pytest.approx(case.bound, abs=1e-4)
        assert told[f"v_min/g/{role}"] == pytest.approx(-case.bound, abs=1e-4)
    assert {match.outcome for match in played} == set(case.advantages)
    for match, seats in zip(played, given, strict=True):
        assert seats == pytest.approx(case.advantages[match.outcome], abs=1e-4)


BATCHES = st.lists(st.text("01=", min_size=1, max_size=12), min_size=1, max_size=6)
DRAWS = ("p0", "draw", "p1")


@settings(deadline=None)
@given(BATCHES)
def test_lambda_zero_is_rae_with_one_baseline_step_a_batch(batches: list[str]) -> None:
    dept = make_estimator("dept", {"strength": 0.0})
    idle = make_estimator("dept", {"only_at_impasse": True})
    rae = make_estimator("rae", {"unit": "batch"})
    for outcomes in batches:
        played = batch(outcomes, DRAWS)
        expected = rae.advantages(played)
        assert dept.advantages(played) == expected
        assert idle.advantages(played) == expected


@settings(deadline=None)
@given(BATCHES, st.randoms())
def test_batch_quantities_do_not_depend_on_the_order_of_matches(batches: list[str], rng: random.Random) -> None:
    plain, mixed = make_estimator("dept", {}), make_estimator("dept", {})
    for outcomes in batches:
        played = batch(outcomes, DRAWS)
        plain.advantages(played)
        shuffled = [replace(match, index=index) for index, match in enumerate(rng.sample(played, len(played)))]
        mixed.advantages(shuffled)
        one, two = plain.telemetry(), mixed.telemetry()
        for name in one:
            if name.split("/")[0] in ("fast", "slow", "sigma", "lambda", "outcome_entropy", "dominant", "baseline"):
                assert two[name] == one[name]


@settings(deadline=None)
@given(BATCHES, st.randoms())
def test_the_canonical_order_is_that_of_the_index(batches: list[str], rng: random.Random) -> None:
    plain, mixed = make_estimator("dept", {}), make_estimator("dept", {})
    for outcomes in batches:
        played = batch(outcomes, DRAWS)
        expected = plain.advantages(played)
        order = rng.sample(range(len(played)), len(played))
        given = mixed.advantages([played[i] for i in order])
        assert [expected[i] for i in order] == list(given)
    assert plain.telemetry() == mixed.telemetry()


def test_a_forfeit_is_judged_by_the_slow_average_and_moves_neither_bounds_nor_outcomes() -> None:
    dept, other = make_estimator("dept", {}), make_estimator("dept", {})
    dept.advantages([*batch("0000000"), result((-2.0, 2.0), fault=0, index=7)])
    other.advantages(batch("0000000"))
    told, without = dept.telemetry(), other.telemetry()
    assert told["outcome_entropy/g"] == 0.0
    assert told["share_p0/g"] == 1.0
    assert told["slow/g/second"] == without["slow/g/second"]  # the opponent did nothing
    assert told["fast/g/first"] == pytest.approx(0.5 * (7 - 2) / 8)  # the offender's role took the penalty
    assert (told["v_min/g/first"], told["v_max/g/first"]) == (without["v_min/g/first"], without["v_max/g/first"])
    slow = told["slow/g/first"]
    assert isinstance(slow, float)
    (penalty,) = dept.advantages([result((-2.0, 2.0), fault=0)])
    assert penalty == pytest.approx((-2.0 - slow, 0.0))
    assert dept.telemetry()["dominant/g"] is None  # no match of this batch ended by the rules


def test_three_roles_and_roles_that_several_seats_share() -> None:
    dept = make_estimator("dept", {})
    classes = ("p0", "p1", "p2")
    roles = ("seer", "villager", "villager")
    given = dept.advantages(
        [result((2.0, -1.0, -3.0), roles=roles, outcome="p0", outcomes=classes, index=i) for i in range(4)]
    )
    told = dept.telemetry()
    assert told["fast/g/seer"] == pytest.approx(1.0)
    assert told["fast/g/villager"] == pytest.approx(-1.0)  # the mean of its two seats, once
    assert told["v_max/g/seer"] == pytest.approx(2 * (1 - 0.5**4))
    assert told["v_min/g/villager"] == pytest.approx(-2 * (1 - 0.5**4))
    assert len(given[0]) == 3
    assert given[0][1] - given[0][2] == pytest.approx(2.0)  # one baseline for the role


def test_frozen_opponents_enter_no_average() -> None:
    dept = make_estimator("dept", {})
    (given,) = dept.advantages([result((1.0, -1.0), learner=(True, False))])
    assert given[1] == 0.0
    assert "fast/g/second" not in dept.telemetry()


def test_bounds_may_belong_to_a_role_or_come_from_batches() -> None:
    shared, own = make_estimator("dept", {}), make_estimator("dept", {"bounds": "role"})
    for dept in (shared, own):
        dept.advantages(batch("000"))
    assert shared.telemetry()["v_min/g/first"] == -0.875
    assert own.telemetry()["v_min/g/first"] == 0.0
    assert own.telemetry()["v_max/g/first"] == 0.875
    coarse = make_estimator("dept", {"bounds_from": "batch"})
    coarse.advantages(batch("0001"))
    assert coarse.telemetry()["v_max/g/first"] == 0.25  # half the batch's mean of 0.5


def test_a_window_forgets_old_bounds_and_a_least_span_keeps_them_apart() -> None:
    dept = make_estimator("dept", {"window": 2})
    for outcomes in ("0000", "====", "===="):
        dept.advantages(batch(outcomes, DRAWS))
    assert dept.telemetry()["v_max/g/first"] == pytest.approx(0.9375 / 2)  # what the average was after the first draw
    span = make_estimator("dept", {"min_span": 1.0})
    (given,) = span.advantages(batch("=", DRAWS))
    assert given == (-0.5, -0.5)  # λ = 1: a draw pays less than the upper bound, 0.5


def test_the_slow_average_may_be_read_after_the_batch() -> None:
    pre, post = (
        make_estimator("dept", {"strength": 0.0}),
        make_estimator("dept", {"strength": 0.0, "slow_read": "post"}),
    )
    assert pre.advantages(batch("00")) == [(1.0, -1.0)] * 2
    assert post.advantages(batch("00")) == [pytest.approx((0.95, -0.95))] * 2


def test_averages_may_be_stepped_match_by_match() -> None:
    dept = make_estimator("dept", {"ema_from": "match"})
    dept.advantages(batch("00"))
    assert dept.telemetry()["fast/g/first"] == 0.75


def test_entropy_may_be_normalised_by_the_classes_seen() -> None:
    dept = make_estimator("dept", {"classes": "seen"})
    dept.advantages(batch("0011", DRAWS))
    assert dept.telemetry()["outcome_entropy/g"] == 1.0
    rules = make_estimator("dept", {})
    rules.advantages(batch("0011", DRAWS))
    assert rules.telemetry()["outcome_entropy/g"] == pytest.approx(0.6309, abs=1e-4)


def test_a_game_that_can_only_end_one_way_is_never_stuck() -> None:
    dept = make_estimator("dept", {})
    assert dept.advantages([result((3.0, 3.0), outcome="end", outcomes=("end",))]) == [(3.0, 3.0)]
    assert dept.telemetry()["lambda/g/first"] == 0.0


def test_reshaping_waits_for_an_impasse_when_told_to() -> None:
    dept = make_estimator("dept", {"only_at_impasse": True})
    assert isinstance(dept, DualScaleTraining)
    dept.advantages(batch("00000001"))
    assert dept.telemetry()["lambda/g/first"] == 0.0
    dept.reshape(True)
    dept.advantages(batch("00000001"))
    assert dept.telemetry()["lambda/g/first"] > 0.3  # type: ignore[operator]  # a number
    copy = make_estimator("dept", {"only_at_impasse": True})
    copy.load_state_dict(json.loads(json.dumps(dept.state_dict())))
    assert copy.advantages(batch("00000001")) == dept.advantages(batch("00000001"))


def test_spreads_tell_what_reshaping_did() -> None:
    dept = make_estimator("dept", {})
    given = dept.advantages(batch("00000001"))
    told = dept.telemetry()
    before, after = told["spread_before/g/first"], told["spread_after/g/first"]
    mean = sum(seats[0] for seats in given) / 8  # type: ignore[misc]  # one number a seat
    assert after == pytest.approx((sum((seats[0] - mean) ** 2 for seats in given) / 8) ** 0.5)  # type: ignore[operator]
    assert before == pytest.approx((1 - 0.75**2) ** 0.5)
