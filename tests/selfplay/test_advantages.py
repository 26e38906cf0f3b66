from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selfplay_helpers import LEARNER, record, reply, result

from arena.errors import ConfigError
from arena.types import Ended, Fault
from games import Issue, get_game
from selfplay.advantages import make_estimator, result_of


def test_rae_equals_a_sequence_computed_by_hand() -> None:
    rae = make_estimator("rae", {})
    first = rae.advantages([result([1, -1]), result([-1, 1]), result([2, -2])])
    # b_first: 0, 0.05, 0.95*0.05-0.05 = -0.0025, then 0.95*-0.0025+0.1 = 0.097625; second is its negative
    assert first[0] == pytest.approx((1.0, -1.0), abs=1e-6)
    assert first[1] == pytest.approx((-1.05, 1.05), abs=1e-6)
    assert first[2] == pytest.approx((2.0025, -2.0025), abs=1e-6)
    second = rae.advantages([result([1, -1]), result([0.25, 0.75], game="h", roles=("seller", "buyer"))])
    assert second[0] == pytest.approx((0.902375, -0.902375), abs=1e-6)
    assert second[1] == pytest.approx((0.25, 0.75), abs=1e-6)  # another game starts from its own zero
    assert rae.telemetry() == pytest.approx(
        {
            "baseline/g/first": 0.95 * 0.097625 + 0.05,
            "baseline/g/second": -(0.95 * 0.097625 + 0.05),
            "baseline/h/buyer": 0.0375,
            "baseline/h/seller": 0.0125,
        },
        abs=1e-9,
    )


def test_rae_keeps_a_forfeit_in_its_own_channel() -> None:
    rae = make_estimator("rae", {})
    rae.advantages([result([1, -1])])  # b = ±0.05
    given = rae.advantages([result([-2, 2], fault=0), result([1, -1])])
    assert given[0] == pytest.approx((-2.05, 0.0), abs=1e-6)
    # The offender's baseline took its penalty: 0.95*0.05 - 0.1 = -0.0525; the opponent's is still -0.05.
    assert given[1] == pytest.approx((1.0525, -0.95), abs=1e-6)


def test_a_frozen_opponent_moves_no_baseline() -> None:
    rae = make_estimator("rae", {})
    assert rae.advantages([result([1, -1], learner=(True, False))]) == [(1.0, 0.0)]
    assert rae.telemetry() == pytest.approx({"baseline/g/first": 0.05})
    # A forfeit by the frozen opponent teaches the learner nothing.
    assert rae.advantages([result([1, -1], learner=(True, False), fault=1)]) == [(0.0, 0.0)]
    assert rae.telemetry() == pytest.approx({"baseline/g/first": 0.05})


def test_rae_bias_correction_divides_by_what_is_missing() -> None:
    rae = make_estimator("rae", {"bias_correction": True})
    given = rae.advantages([result([1, -1]), result([1, -1]), result([0, 0])])
    assert given[0] == pytest.approx((1.0, -1.0))
    assert given[1] == pytest.approx((0.0, 0.0), abs=1e-9)  # 0.05 / (1 - 0.95) = 1
    assert given[2] == pytest.approx((-1.0, 1.0))


def test_rae_alpha_zero_remembers_the_last_return() -> None:
    rae = make_estimator("rae", {"alpha": 0})
    assert rae.advantages([result([1, -1]), result([3, -3])])[1] == (2.0, -2.0)


def test_roles_that_share_a_name_share_one_update() -> None:
    rae = make_estimator("rae", {})
    rae.advantages([result([3, 1], roles=("player", "player"))])
    assert rae.telemetry() == pytest.approx({"baseline/g/player": 0.1})  # 0.05 × the mean, once


def test_rae_state_survives_json() -> None:
    rae = make_estimator("rae", {"bias_correction": True})
    rae.advantages([result([1, -1]), result([2, -2])])
    copy = make_estimator("rae", {"bias_correction": True})
    copy.load_state_dict(json.loads(json.dumps(rae.state_dict())))
    batch = [result([1, -1]), result([-1, 1])]
    assert copy.advantages(batch) == rae.advantages(batch)


def test_none_gives_returns_and_batch_mean_subtracts_the_game_mean() -> None:
    batch = [result([3, 1]), result([0, 0]), result([5, 5], game="h"), result([-2, 7], fault=0)]
    assert make_estimator("none", {}).advantages(batch) == [(3, 1), (0, 0), (5, 5), (-2, 0.0)]
    mean = (3 + 1 + 0 + 0 - 2) / 5
    assert make_estimator("batch_mean", {}).advantages(batch) == [
        pytest.approx((3 - mean, 1 - mean)),
        pytest.approx((-mean, -mean)),
        (0.0, 0.0),
        pytest.approx((-2 - mean, 0.0)),
    ]


@settings(deadline=None)  # other processes may hold the machine
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=1, max_size=8), st.randoms())
def test_batch_mean_does_not_depend_on_the_order_of_matches(returns: list[tuple[float, float]], rng: object) -> None:
    order = list(range(len(returns)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    plain = make_estimator("batch_mean", {}).advantages([result(r) for r in returns])
    mixed = make_estimator("batch_mean", {}).advantages([result(returns[i]) for i in order])
    for position, i in enumerate(order):
        assert mixed[position] == pytest.approx(plain[i], abs=1e-9)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("rea", {}, "Did you mean 'rae'"),
        ("rae", {"alfa": 0.9}, "Did you mean 'alpha'"),
        ("rae", {"alpha": 1.0}, r"must lie in \[0, 1\)"),
        ("rae", {"alpha": "high"}, "must be of type float"),
        ("rae", {"unit": "update"}, "must be 'match' or 'batch'"),
        ("none", {"alpha": 0.5}, "Unknown option 'alpha'"),
        ("turn_level", {"gamma": 0}, r"must lie in \(0, 1\]"),
        ("rebn", {"gamma": 1.5}, r"must lie in \(0, 1\]"),
        ("dept", {"alpha_slow": 1.0}, r"alpha_slow is 1.0; it must lie in \[0, 1\)"),
        ("dept", {"bounds": "games"}, "must be 'game' or 'role'"),
        ("dept", {"slow_read": "now"}, "must be 'pre' or 'post'"),
        ("dept", {"window": -1}, "must not be negative"),
        ("dept", {"strength": 2.0}, r"must lie in \[0, 1\]"),
    ],
)
def test_unknown_names_and_options_are_refused(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_estimator(name, options)


def test_results_say_who_played_and_whose_fault_it_was() -> None:
    game = get_game("kuhn_poker")
    played = record(
        [(0, [reply([1], [2])]), (1, [reply([1], [2], "run@000001")])],
        players=(LEARNER, "run@000001"),
        returns=(-2.0, 2.0),
        outcome="forfeit",
        ended=Ended.FORFEIT,
        fault=Fault(seat=0, issue=Issue.ILLEGAL),
    )
    made = result_of(7, played, game, (LEARNER,))
    assert (made.index, made.roles, made.learner, made.fault_seat) == (7, ("first", "second"), (True, False), 0)
    assert (made.outcome, made.outcomes, made.turns) == ("forfeit", ("p0", "p1"), (1, 1))
    void = record([], returns=(), outcome="void", ended=Ended.VOID)
    with pytest.raises(ValueError, match="void"):
        result_of(0, void, game, (LEARNER,))
