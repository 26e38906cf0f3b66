"""One match at a time is told, all are counted."""

from __future__ import annotations

import asyncio
from typing import Any

from display_helpers import Clock

from arena.display.spectator import BOARD_S, HOLD_S, JOIN_S, WAIT_S, Spectator
from arena.engine import play_match
from arena.players.scripted import BotPlayer
from arena.types import ActRequest, Completion, Ended, MatchRecord, MatchSpec
from games import Game

RANDOM = BotPlayer("random")


class Says:
    """Always says the same."""

    scripted = False

    def __init__(self, text: str) -> None:
        self.name = "says"
        self.text = text

    async def act(self, request: ActRequest) -> Completion:
        if self.text == "crash":
            raise RuntimeError("boom")
        return Completion(text=self.text, thought="hm", ids=(1, 2), logprobs=(0.0, 0.0), latency_s=0.25)

    def forget(self, match_key: str, seat: int) -> None: ...

    def refusal(self, game: Game) -> str | None:
        return None


def spec(game: str = "tic_tac_toe", seed: int = 0) -> MatchSpec:
    return MatchSpec(game=game, seed=seed, players=("a", "b"))


def play(spectator: Spectator, match: MatchSpec, first: Any = RANDOM, second: Any = RANDOM) -> MatchRecord:
    return asyncio.run(play_match(match, [first, second], spectator))


def watching() -> tuple[Spectator, list[Any], Clock]:
    told: list[Any] = []
    clock = Clock()
    return Spectator(told.append, clock), told, clock


def test_a_match_is_told_from_start_to_end_with_its_final_board() -> None:
    spectator, told, _ = watching()
    record = play(spectator, spec())
    assert [event["t"] for event in told] == ["start", *["turn"] * len(record.turns), "end"]
    assert told[0]["roles"] == ["X", "O"]
    assert told[1]["move"] == record.turns[0].move.answer
    assert told[-1]["returns"] == list(record.returns)
    assert told[-1]["board"].count("\n") == 2
    assert spectator.counts()["matches"] == 1
    assert spectator.counts()["replies"] == len(record.turns)


def test_the_next_match_waits_until_the_last_was_seen() -> None:
    spectator, told, clock = watching()
    play(spectator, spec())
    told.clear()
    play(spectator, spec(seed=1))
    assert told == []
    clock.now += HOLD_S + 0.01
    play(spectator, spec(seed=2))
    assert told[0]["seed"] == 2
    assert spectator.counts()["matches"] == 3


def test_games_take_turns() -> None:
    spectator, told, clock = watching()
    play(spectator, spec("tic_tac_toe"))
    play(spectator, spec("kuhn_poker"))  # not followed: the first is still shown
    clock.now += HOLD_S + 0.01
    told.clear()
    play(spectator, spec("tic_tac_toe", 1))
    assert told == []  # kuhn_poker was shown less
    play(spectator, spec("kuhn_poker", 1))
    assert told[0]["game"] == "kuhn_poker"
    clock.now += HOLD_S + WAIT_S + 0.01
    told.clear()
    spectator._shown["kuhn_poker"] = 0
    play(spectator, spec("tic_tac_toe", 2))  # nobody waits for ever
    assert told[0]["game"] == "tic_tac_toe"


def test_a_match_in_play_is_joined_when_none_starts() -> None:
    spectator, told, clock = watching()

    class Slow(Says):
        async def act(self, request: ActRequest) -> Completion:
            clock.now += JOIN_S / 2
            return await RANDOM.act(request)

    slow = Slow("")
    slow.scripted = True
    play(spectator, spec())
    told.clear()
    play(spectator, spec(seed=5), slow, slow)
    assert told[0]["t"] == "start"
    assert told[0]["joined"] > 0
    assert told[1]["index"] == told[0]["joined"]


def test_boards_are_drawn_now_and_then_and_always_at_the_end() -> None:
    spectator, told, clock = watching()
    record = play(spectator, spec())
    assert [("board" in event) for event in told[1:-1]] == [True] + [False] * (len(record.turns) - 1)
    assert told[-1]["board"]
    assert BOARD_S < HOLD_S
    del clock


def test_faults_are_counted_by_kind() -> None:
    spectator, told, _ = watching()
    record = play(spectator, spec(), Says("[9]"))
    assert record.ended is Ended.FORFEIT
    counts = spectator.counts()
    assert (counts["forfeits"], counts["replies"], counts["issues"]) == (1, 2, {"malformed": 2})
    assert told[1]["tries"][0]["said"] == "[9]"
    assert told[1]["tries"][0]["thought"] == "hm"
    assert told[1]["tokens"] == 4
    assert told[1]["latency_s"] == 0.5
    assert told[-1]["fault"] == {"seat": 0, "issue": "malformed"}


def test_void_matches_are_counted_apart() -> None:
    spectator, told, _ = watching()
    play(spectator, spec(), Says("crash"))
    assert (spectator.counts()["matches"], spectator.counts()["void"]) == (0, 1)
    assert told[-1]["error"] == "RuntimeError: boom"
