"""`arena play`, with and without a person."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Done

from arena.engine import play_match
from arena.players.human import HumanPlayer, LineReader, bracketed
from arena.players.scripted import BotPlayer
from arena.types import Ended, MatchRecord, MatchSpec
from games import get_game

Arena = Callable[..., Done]


def test_bots_play_and_the_match_is_written_down(arena: Arena) -> None:
    done = arena("play", "tic_tac_toe", "--seat0", "greedy", "--seat1", "random", "--seed", "3")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "tic_tac_toe  seed 3"
    assert lines[2:4] == ["P0 X: greedy", "P1 O: random"]
    assert "    0 1 2" in lines
    assert lines[-1].startswith("P0 wins   P0 +1  P1 −1  ")
    assert done.out == arena("play", "tic_tac_toe", "--seat0", "greedy", "--seat1", "random", "--seed", "3").out


def test_as_json(arena: Arena) -> None:
    done = arena("play", "kuhn_poker", "--seat0", "random", "--seat1", "solver", "--seed", "7", "--json")
    told = json.loads(done.out)
    assert told["schema"] == 1
    assert told["match"]["spec"]["players"] == ["random", "solver"]
    assert told["match"]["ended"] == "terminal"
    assert sum(told["match"]["returns"]) == 0


def test_seats_that_are_not_given_are_random(arena: Arena) -> None:
    words = ("play", "kuhn_poker", "-p", "players=3", "--seat0", "greedy", "--seed", "0", "--json")
    assert json.loads(arena(*words).out)["match"]["spec"]["players"] == ["greedy", "random", "random"]


def test_a_match_that_breaks_is_exit_code_1(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*values: Any) -> str:
        raise RuntimeError("boom")

    monkeypatch.setattr(BotPlayer, "reply", broken)
    done = arena("play", "kuhn_poker", "--seat0", "random")
    assert done.code == 1
    assert "The match is void: RuntimeError: boom" in done.err


# --- a person --------------------------------------------------------------------------------------------------------


def with_person(typed: str, game: str = "tic_tac_toe", other: str = "greedy") -> tuple[MatchRecord, str]:
    """A match of a person who types the given lines against a bot, and what the person saw."""
    read, write = os.pipe()
    os.write(write, typed.encode())
    os.close(write)
    shown: list[str] = []
    spec = MatchSpec(game=game, params=get_game(game).spec.params, seed=4, players=("human", other))
    person = HumanPlayer(LineReader(read), shown.append)
    assert person.refusal(get_game(game)) is None
    try:
        return asyncio.run(play_match(spec, [person, BotPlayer(other)])), "".join(shown)
    finally:
        os.close(read)


def test_a_person_plays_without_brackets_and_without_fear_of_slips() -> None:
    record, shown = with_person("bett\n\n/legal\n/rules\n/board\n/what\nbet\n", "kuhn_poker")
    assert record.ended is Ended.TERMINAL
    assert [attempt.completion.text for attempt in record.turns[0].attempts] == ["[bet]"]
    assert "You are player 0." in shown
    assert "Your card: Jack." in shown
    assert "That cannot be used. [bett] is not an answer here." in shown
    assert "[check] [bet]\n" in shown
    assert "P0:Jack P1:?" in shown  # the other's card stays hidden
    assert "/quit  leave the match" in shown


def test_talk_and_actions_of_a_negotiation() -> None:
    record, shown = with_person("/legal\nI need ore.\nOffer: 1 Wheat -> 1 Ore\naccept\nWell.\n", "simple_negotiation")
    assert [turn.attempts[0].completion.text for turn in record.turns if turn.seat == 0][:2] == [
        "I need ore.",
        "[Offer: 1 Wheat -> 1 Ore]",
    ]
    assert "Anything: talk, and the actions that the rules name." in shown


def test_brackets_are_added_only_where_they_are_meant() -> None:
    state = get_game("simple_negotiation").new_state(0)
    assert bracketed("let us trade", 0, state) == "let us trade"
    assert bracketed("deny", 0, state) == "[deny]"
    assert bracketed("fine [Deny]", 0, state) == "fine [Deny]"
    board = get_game("tic_tac_toe").new_state(0)
    assert bracketed("4", 0, board) == "[4]"
    assert bracketed("\\boxed{4}", 0, board) == "\\boxed{4}"


def test_the_end_of_the_input_voids_the_match() -> None:
    record, _ = with_person("4\n")
    assert record.ended is Ended.VOID
    assert record.error == "EOFError: human: the input ended before the match did."


def test_leaving_the_match() -> None:
    with pytest.raises(KeyboardInterrupt):
        with_person("/quit\n")


def test_the_command_line_with_a_person(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("check\nfold\n"))
    done = arena("play", "kuhn_poker", "--seat1", "greedy", "--seed", "4")
    assert done.code == 0
    assert "Kuhn poker, seed 4. Other seats: 1 greedy." in done.err
    assert "Allowed: [check] [bet]" in done.err
    assert "P0:Jack" in done.out
    assert "P1 wins" in done.out
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    void = arena("play", "kuhn_poker", "--seat1", "greedy", "--seed", "4")
    assert void.code == 1
    assert "the input ended before the match did" in void.err


def test_lines_come_from_files_and_pipes(tmp_path: Path) -> None:
    path = tmp_path / "typed"
    path.write_bytes(b"one\r\ntwo\n\xff half")

    async def read() -> list[str | None]:
        with path.open("rb") as file:
            reader = LineReader(file.fileno())
            return [await reader.line() for _ in range(4)]

    assert asyncio.run(read()) == ["one", "two", "\ufffd half", None]


def test_ctrl_c_while_thinking_is_130(process: Callable[..., subprocess.Popen[str]]) -> None:
    running = process("play", "tic_tac_toe", "--seed", "1", stdin=subprocess.PIPE)
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("Allowed"):
            break
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=10)
    assert running.returncode == 130
    assert "Interrupted." in err
    assert "Traceback" not in err
    assert out == ""


def test_a_seat_given_nothing_is_not_filled_by_chance(arena: Arena) -> None:
    done = arena("play", "tic_tac_toe", "--seat0", "", "--seat1", "random")
    assert (done.code, "Unknown player ''" in done.err) == (2, True)
