"""Model players in real matches: rows only grow, earlier turns are reused, and everything is forgotten at the end."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence

import pytest
from inference_helpers import plain_logprobs

from arena.inference.engine import LocalEngine
from arena.players.model import ModelPlayer
from arena.runner import run_matches
from arena.types import Ended, MatchRecord, MatchSpec, Sampling

PLAYERS = ("base", "run@000001", "run@000002")


def play(engine: LocalEngine, specs: Sequence[MatchSpec], concurrency: int) -> list[MatchRecord]:
    adapters = dict(zip(PLAYERS, (None, "one", "two"), strict=True))
    players = {name: ModelPlayer(name, engine, adapter) for name, adapter in adapters.items()}

    async def collect() -> list[MatchRecord]:
        return [record async for record in run_matches(specs, players.__getitem__, concurrency=concurrency)]

    return asyncio.run(collect())


def specs(count: int) -> list[MatchSpec]:
    games = ("kuhn_poker", "simple_negotiation")
    return [
        MatchSpec(
            game=games[i % 2],
            seed=i,
            players=(PLAYERS[i % 3], PLAYERS[(i + 1) % 3]),
            retries=2,
            sampling=Sampling(max_tokens=6),
        )
        for i in range(count)
    ]


@pytest.fixture
def records(engine: LocalEngine) -> list[MatchRecord]:
    return play(engine, specs(6), concurrency=6)


def completions(record: MatchRecord, seat: int) -> list:
    return [a.completion for turn in record.turns if turn.seat == seat for a in turn.attempts]


def test_prompts_extend_the_last_prompt_and_its_reply(records: list[MatchRecord], engine: LocalEngine):
    assert all(record.ended is not Ended.VOID for record in records), [record.error for record in records]
    follow_ups = 0
    for record in records:
        for seat in range(2):
            replies = completions(record, seat)
            for before, after in itertools.pairwise(replies):
                start = before.prompt_ids + before.ids
                assert after.prompt_ids[: len(start)] == start
                assert after.cached_tokens == len(start) - 1
                follow_ups += 1
    assert follow_ups >= 6  # untrained models need their retries
    assert len(engine._conversations) == 0


def test_completions_say_what_was_sampled_by_whom(records: list[MatchRecord], engine: LocalEngine, reference):
    models = {name: reference(a) for name, a in zip(PLAYERS, (None, "one", "two"), strict=True)}
    for record in records[:3]:
        for seat in range(2):
            for reply in completions(record, seat):
                assert reply.snapshot == record.spec.players[seat]
                assert reply.text == engine.chat.decode(reply.ids)
                expected = plain_logprobs(models[reply.snapshot], reply.prompt_ids, reply.ids)
                assert reply.logprobs == pytest.approx(expected, abs=1e-4)


def test_matches_are_the_same_alone_and_together(records: list[MatchRecord], engine: LocalEngine):
    alone = play(engine, specs(6), concurrency=1)
    for one, other in zip(records, alone, strict=True):
        assert [(t.seat, [a.completion.ids for a in t.attempts]) for t in one.turns] == [
            (t.seat, [a.completion.ids for a in t.attempts]) for t in other.turns
        ]
        assert one.returns == other.returns


def test_prompt_and_answer_ids_are_those_of_a_match(records: list[MatchRecord], engine: LocalEngine):
    player = ModelPlayer("base", engine)
    record = records[0]
    first = record.turns[0].attempts[0]
    assert player.prompt_ids(record.systems[record.turns[0].seat], first.user) == first.completion.prompt_ids
    assert player.answer_ids("[bet]")[-1] == engine.chat.end_id
    assert engine.chat.decode(player.answer_ids("[bet]")) == "[bet]"
