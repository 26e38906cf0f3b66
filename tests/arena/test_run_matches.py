"""Many matches at once: order, bounds, stopping, and independence of concurrency."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from arena_helpers import Log, Says

from arena.pairing import round_robin
from arena.players.factory import PlayerFactory
from arena.records import record_to_json
from arena.runner import run_matches
from arena.types import ActRequest, Completion, Ended, MatchRecord, MatchSpec
from games import get_game

GAMES = ("tic_tac_toe", "kuhn_poker", "simple_negotiation")


def specs(number: int, **rest: Any) -> list[MatchSpec]:
    return [MatchSpec(game="kuhn_poker", seed=seed, players=("a", "b"), **rest) for seed in range(number)]


def run(*args: Any, **kwargs: Any) -> list[MatchRecord]:
    async def collect() -> list[MatchRecord]:
        return [record async for record in run_matches(*args, **kwargs)]

    return asyncio.run(collect())


class Timed(Says):
    """Takes longer in matches with an even seed; counts how many it is asked at once."""

    def __init__(self) -> None:
        super().__init__("")
        self.now = 0
        self.most = 0

    async def act(self, request: ActRequest) -> Completion:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.004 if request.seed % 2 == 0 else 0.001)
        self.now -= 1
        return Completion(text="[fold]" if "fold" in request.user else "[check]")


@pytest.mark.parametrize("concurrency", [1, 3, 64])
def test_records_come_in_the_order_of_specs_and_at_most_n_are_in_flight(concurrency: int) -> None:
    player = Timed()
    wanted = specs(20)
    records = run(wanted, lambda name: player, concurrency=concurrency)
    assert [record.spec for record in records] == wanted
    assert player.most == min(concurrency, 20)


def test_specs_are_taken_lazily_even_when_one_match_is_slow() -> None:
    taken = []

    def source() -> Iterator[MatchSpec]:
        for spec in specs(1000):
            taken.append(spec.seed)
            yield spec

    class FirstIsSlow(Says):
        async def act(self, request: ActRequest) -> Completion:
            if request.seed == 0:
                await asyncio.sleep(0.05)
            return Completion(text="[fold]" if "fold" in request.user else "[check]")

    player = FirstIsSlow("")

    async def main() -> None:
        async for record in run_matches(source(), lambda name: player, concurrency=4):
            assert record.spec.seed == 0
            break

    asyncio.run(main())
    assert len(taken) <= 2 * 4 + 1


def test_a_match_that_breaks_is_void_and_the_others_go_on() -> None:
    class Breaks(Says):
        async def act(self, request: ActRequest) -> Completion:
            if request.seed == 2:
                raise OSError("gone")
            return Completion(text="[fold]" if "fold" in request.user else "[check]")

    player = Breaks("")
    records = run(specs(5), lambda name: player)
    assert [record.ended for record in records] == [
        Ended.TERMINAL,
        Ended.TERMINAL,
        Ended.VOID,
        Ended.TERMINAL,
        Ended.TERMINAL,
    ]
    assert records[2].error == "OSError: gone"


def test_stopping_yields_what_has_finished_and_cancels_the_rest() -> None:
    log = Log()
    stopping: list[bool] = []

    class Sleeps(Says):
        async def act(self, request: ActRequest) -> Completion:
            await asyncio.sleep(60 if request.seed in (1, 2) else 0)
            return Completion(text="[fold]" if "fold" in request.user else "[check]")

    player = Sleeps("")

    async def main() -> list[int]:
        seeds = []
        async for record in run_matches(
            specs(100), lambda name: player, concurrency=8, observer=log, stop=lambda: bool(stopping)
        ):
            seeds.append(record.spec.seed)
            await asyncio.sleep(0.02)
            stopping.append(True)
        return seeds

    seeds = asyncio.run(main())
    assert seeds[0] == 0
    assert set(seeds) & {1, 2} == set()
    assert len(seeds) >= 6
    assert sorted(r.spec.seed for r in log.ended if r.ended is Ended.VOID) == [1, 2]


def test_an_observer_that_raises_is_dropped_for_all_matches(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Log):
        def match_started(self, spec: MatchSpec) -> None:
            raise KeyError("display")

    player = Says("[bet]")
    assert len(run(specs(10), lambda name: player, observer=Broken())) == 10
    assert len([r for r in caplog.records if "observer" in r.message]) == 1


def test_concurrency_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="concurrency is 0; it must be at least 1"):
        run(specs(1), lambda name: Says("[bet]"), concurrency=0)


def test_an_unknown_player_is_an_error_and_not_a_void_match() -> None:
    with pytest.raises(KeyError, match="'a'"):
        run(specs(1), {}.__getitem__)


def timeless(obj: Any) -> Any:
    """Without the fields that may differ between equal runs."""
    if isinstance(obj, dict):
        return {key: timeless(value) for key, value in obj.items() if not key.endswith("_s")}
    return [timeless(item) for item in obj] if isinstance(obj, list) else obj


@pytest.mark.parametrize("game", GAMES)
def test_scripted_matches_are_byte_for_byte_the_same_alone_and_with_64_in_flight(game: str) -> None:
    loaded = get_game(game)
    factory = PlayerFactory()
    names = [n for n in ("random", "greedy", "solver", "mcts:8") if factory.refusal(n, loaded) is None]
    lines = []
    for concurrency in (1, 64):
        made = round_robin(names, [loaded], pairs=6, seed=11)
        records = run(made, factory, concurrency=concurrency)
        lines.append("\n".join(json.dumps(timeless(record_to_json(record))) for record in records).encode())
    assert lines[0] == lines[1]
    assert lines[0].count(b"\n") + 1 == 6 * len(names) * (len(names) - 1)


def test_seeds_change_matches() -> None:
    game = get_game("tic_tac_toe")
    factory = PlayerFactory()

    def played(seed: int) -> list[list[str]]:
        records = run(round_robin(["random", "greedy"], [game], pairs=5, seed=seed), factory)
        return [[turn.move.answer for turn in record.turns if turn.move] for record in records]

    assert played(1) == played(1)
    assert played(1) != played(2)
