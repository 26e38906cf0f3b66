from __future__ import annotations

from collections.abc import Sequence

import pytest
from selfplay_helpers import LEARNER, record, reply

from arena.types import Ended
from selfplay.advantages import Estimator, MatchResult, make_estimator
from selfplay.advantages.none import NoBaseline
from selfplay.rollouts import make_rollout

PAST = "run@000001"


def test_rows_carry_their_seats_advantage_and_void_matches_leave_no_trace() -> None:
    records = [
        record([(0, [reply([1], [2, 9])]), (1, [reply([1], [3])])]),
        record([(0, [reply([1], [2])])], returns=(), outcome="void", ended=Ended.VOID),
        record([(0, [reply([1], [2], PAST)]), (1, [reply([1], [4])])], players=(PAST, LEARNER), returns=(-2.0, 2.0)),
    ]
    rae = make_estimator("rae", {})
    made = make_rollout(records, rae, LEARNER)
    assert (len(made.matches), made.voids, made.trajectories) == (2, {"kuhn_poker": 1}, 3)
    assert [row.completion_ids for row in made.rows] == [(2, 9), (3,), (4,)]
    assert made.advantages == ((1.0, 1.0), (-1.0,), (2.05,))
    assert made.matches[1].learner == (False, True)
    assert made.matches[1].advantages == pytest.approx((0.0, 2.05))
    assert rae.telemetry() == pytest.approx(
        {"baseline/kuhn_poker/first": 0.05, "baseline/kuhn_poker/second": -0.05 * 0.95 + 0.1}
    )


def test_an_estimator_may_give_every_decision_its_own_advantage() -> None:
    class PerDecision(NoBaseline):
        def advantages(self, batch: Sequence[MatchResult]) -> list[tuple[tuple[float, ...], ...]]:  # type: ignore[override]
            return [tuple(tuple(0.5 + i for i in range(turns)) for turns in result.turns) for result in batch]

    estimator: Estimator = PerDecision()  # type: ignore[assignment]  # its advantages are of the wider type
    played = record([(0, [reply([1], [2, 9])]), (1, [reply([1], [3])]), (0, [reply([1, 2, 9, 5, 6], [7, 9])])])
    made = make_rollout([played], estimator, LEARNER)
    assert made.advantages == ((0.5, 0.5, 0.0, 0.0, 1.5, 1.5), (0.5,))


def test_only_the_learner_of_now_and_known_snapshots_may_sit_down(tiny: str) -> None:
    from arena.inference.engine import LocalEngine
    from arena.models.registry import load_base
    from selfplay.rollouts import Players

    players = Players(LocalEngine(load_base(tiny, device="cpu")), "default")
    with pytest.raises(KeyError):
        players(PAST)
    players.learn_as("run@000000+live")
    assert players("run@000000+live").name == "run@000000+live"
    with pytest.raises(KeyError):
        players("run@000001+live")
