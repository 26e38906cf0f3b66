from __future__ import annotations

import asyncio
import json

from selfplay_helpers import LEARNER, record, reply

from arena.records import record_from_json, record_to_json
from arena.types import MatchRecord
from games import Issue, get_game
from selfplay.trajectories import Row, rows, trajectories

KUHN = get_game("kuhn_poker")


def made(played: MatchRecord) -> list[Row]:
    return [row for trajectory in trajectories(played, KUHN, (LEARNER,)) for row in rows(trajectory)]


def test_prompts_that_extend_share_a_row_and_only_sampled_tokens_carry_loss() -> None:
    played = record(
        [
            (0, [reply([1, 2, 3], [10, 99])]),
            (1, [reply([1, 2, 4], [20, 99])]),
            (0, [reply([1, 2, 3, 10, 99, 5, 6], [11, 99])]),
        ]
    )
    first, second = made(played)
    assert (first.role, first.seat, first.game) == ("first", 0, "kuhn_poker")
    assert first.prompt_ids == (1, 2, 3)
    assert first.completion_ids == (10, 99, 5, 6, 11, 99)
    assert first.loss_mask == (1, 1, 0, 0, 1, 1)  # the end of a turn is learnt, what the moderator says is not
    assert first.decisions == (0, 0, 1, 1, 1, 1)
    assert first.logprobs == (-0.6, -1.49, 0.0, 0.0, -0.61, -1.49)
    assert (second.role, second.prompt_ids, second.completion_ids) == ("second", (1, 2, 4), (20, 99))


def test_a_prompt_that_rewrites_the_past_starts_a_new_row() -> None:
    played = record([(0, [reply([1, 2], [10, 99])]), (0, [reply([1, 2, 10, 98, 5], [11, 99])])])
    assert [(r.prompt_ids, r.completion_ids, r.decisions) for r in made(played)] == [
        ((1, 2), (10, 99), (0, 0)),
        ((1, 2, 10, 98, 5), (11, 99), (1, 1)),
    ]


def test_retries_belong_to_the_same_decision() -> None:
    played = record([(0, [reply([1], [7, 99], issue=Issue.ILLEGAL), reply([1, 7, 99, 3], [8, 99])])])
    (row,) = made(played)
    assert row.completion_ids == (7, 99, 3, 8, 99)
    assert row.decisions == (0, 0, 0, 0, 0)


def test_a_frozen_opponent_is_never_a_row() -> None:
    played = record([(0, [reply([1], [2], "run@000001")]), (1, [reply([1], [3])])], players=("run@000001", LEARNER))
    assert [(r.seat, r.completion_ids) for r in made(played)] == [(1, (3,))]
    earlier = record([(0, [reply([1], [2], "run@000002+live")])])
    assert made(earlier) == []  # the learner's own earlier weights are not the learner either


def test_rows_survive_the_disk() -> None:
    played = record(
        [
            (0, [reply([1, 2, 3], [10, 99])]),
            (1, [reply([1, 4], [20, 99])]),
            (0, [reply([1, 2, 3, 10, 99, 5], [11, 99], issue=Issue.MALFORMED), reply([9, 9], [12])]),
        ]
    )
    back = record_from_json(json.loads(json.dumps(record_to_json(played))))
    assert made(back) == made(played)


def test_rows_of_real_matches_equal_what_was_sampled(tiny: str) -> None:
    from arena.inference.engine import LocalEngine
    from arena.models.registry import load_base
    from arena.players.model import ModelPlayer
    from arena.runner import run_matches
    from arena.types import MatchSpec, Sampling

    player = ModelPlayer(LEARNER, LocalEngine(load_base(tiny, device="cpu")))
    specs = [
        MatchSpec(game="kuhn_poker", params=KUHN.spec.params, seed=seed, players=(LEARNER, LEARNER), retries=1,
                  show_legal=False, sampling=Sampling(max_tokens=3))
        for seed in range(20)
    ]  # fmt: skip

    async def play() -> list[MatchRecord]:
        return [r async for r in run_matches(specs, lambda name: player, concurrency=20)]

    several = 0
    for played in asyncio.run(play()):
        back = record_from_json(json.loads(json.dumps(record_to_json(played))))
        for seat in (0, 1):
            said = [a.completion for t in played.turns if t.seat == seat for a in t.attempts]
            mine = [row for row in made(back) if row.seat == seat]
            sampled = tuple(i for row in mine for i, own in zip(row.completion_ids, row.loss_mask, strict=True) if own)
            assert sampled == tuple(i for c in said for i in c.ids)
            if said:
                assert len(mine) == 1  # this template only ever extends
                assert mine[0].prompt_ids + mine[0].completion_ids == said[-1].prompt_ids + said[-1].ids
                several += len(said) > 1
    assert several >= 5
