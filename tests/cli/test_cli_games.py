"""`arena games`."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from cli_helpers import Done

from arena.cli.games import params_json
from games import Information, Param, Utility, get_game
from games.conformance import CHECKS, Finding
from games.shelf import SOCIAL, VARIANTS, WRITTEN, ZERO_SUM

Arena = Callable[..., Done]


def test_list(arena: Arena) -> None:
    done = arena("games", "list")
    assert done.code == 0
    rows = [line.split()[:3] for line in done.out.splitlines()]
    assert rows[0] == ["game", "kind", "seats"]
    assert ["kuhn_poker", "zero-sum", "2"] in rows
    assert ["werewolf-changed_roles", "social", "8"] in rows
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert "openspiel/connect_four" in arena("games", "list", "--all").out


def test_list_as_json(arena: Arena) -> None:
    told = json.loads(arena("games", "list", "--json").out)
    assert told["schema"] == 1
    by_id = {game["id"]: game for game in [*told["games"], *told["variants"]]}
    assert set(by_id) == {*WRITTEN, *VARIANTS}
    assert by_id["tic_tac_toe"]["utility"] == Utility.ZERO_SUM.value
    assert by_id["tic_tac_toe"]["information"] == Information.PERFECT.value
    assert by_id["kuhn_poker"]["params"] == {"players": 2}
    assert by_id["werewolf-changed_roles"]["of"] == "werewolf"
    assert all(game["utility"] == "zero_sum" for game in told["games"] if game["kind"] == "zero-sum")
    kinds = [game["kind"] for game in told["games"]]
    counts = told["counts"]
    assert counts["zero_sum"] == kinds.count("zero-sum") == len(ZERO_SUM)
    assert counts["social"] == kinds.count("social") == len(SOCIAL)
    assert counts["variants"] == len(told["variants"]) >= 6
    assert counts["openspiel"] == len(told["openspiel"]) >= 60
    assert told["openspiel"][0] == {
        "id": "openspiel/2048",
        "title": "2048",
        "seats": [1, 1],
        "utility": "general_sum",
        "information": "perfect",
        "dynamics": "turns",
    }


def test_show(arena: Arena) -> None:
    out = arena("games", "show", "kuhn_poker", "--param", "players=3", "--seat", "1").out
    assert "0 first, 1 second, 2 third" in out
    assert "--param players=3   (2 to 3) number of seats" in out
    assert "You are player 1." in out
    assert "Allowed: [check] [bet]" in out
    told = json.loads(arena("games", "show", "kuhn_poker", "--json").out)
    assert told["rules"] == get_game("kuhn_poker").rules(0)
    assert told["bots"] == ["greedy", "random"]
    assert told["params"]["players"]["default"] == 2


def test_show_of_a_game_of_openspiel(arena: Arena) -> None:
    out = arena("games", "show", "openspiel/connect_four").out
    assert "openspiel/connect_four" in out
    assert "zero-sum, perfect information" in out


def test_parameters_say_what_they_allow() -> None:
    params = {"mode": Param(default="a", choices=("a", "b")), "size": Param(default=3, low=1)}
    spec = SimpleNamespace(params={"mode": "b", "size": 3, "inherited": 1})
    shown: Any = SimpleNamespace(PARAMS=params, spec=spec)
    told = params_json(shown)
    assert told["mode"]["allowed"] == "(one of a, b)"
    assert told["size"]["allowed"] == "(1 to any)"
    assert told["inherited"] == {"value": 1, "default": 1, "allowed": "", "help": ""}


@pytest.mark.parametrize("game", ["tic_tac_toe", "kuhn_poker"])
def test_check_of_games_that_keep_their_word(game: str, arena: Arena) -> None:
    done = arena("games", "check", game, "--matches", "5", "--seeds", "1")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{game}: keeps everything it declares ({len(CHECKS)} checks, 5 matches).\n"


def test_check_of_a_game_that_does_not(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Finding(check="endings", message="a move \x1b after the end", seed=3)]
    monkeypatch.setattr("games.conformance.check_game", lambda game, **settings: found)
    done = arena("games", "check", "tic_tac_toe", "--matches", "1")
    assert done.code == 1
    assert done.out == (
        f"  endings (seed 3): a move \\x1b after the end\ntic_tac_toe: 1 finding ({len(CHECKS)} checks, 1 match).\n"
    )
    told = json.loads(arena("games", "check", "tic_tac_toe", "--json").out)
    assert told["games"][0]["findings"] == [{"check": "endings", "message": "a move \x1b after the end", "seed": 3}]
    assert told["findings"] == 1


def test_check_of_several_games(arena: Arena) -> None:
    words = ("games", "check", "kuhn_poker", "tic_tac_toe", "--quick", "--processes", "2")
    done = arena(*words)
    assert (done.code, done.err.count("ok  (")) == (0, 2)
    rows = [line.split()[:5] for line in done.out.splitlines()[1:3]]
    assert rows == [[game, "-", "10", "20", "200"] for game in ("kuhn_poker", "tic_tac_toe")]
    assert done.out.endswith("20 matches, 40 random games, 400 hostile replies: all keep what they declare.\n")
    told = json.loads(arena(*words, "--json", "--quiet").out)
    assert [game["id"] for game in told["games"]] == ["kuhn_poker", "tic_tac_toe"]
    assert (told["findings"], told["hostile"], told["random_games"]) == (0, 400, 40)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Say what to check: ids of games, --written or --all."),
        (("chess", "--quick", "--nightly"), "--quick and --nightly exclude each other"),
        (("chess", "go", "--param", "x=1"), "--param needs exactly one game; 2 are to be checked."),
        (("chess", "kuhn"), "Unknown game 'kuhn'. Did you mean 'kuhn_poker'?"),
    ],
)
def test_a_wrong_check_is_refused(words: tuple[str, ...], message: str, arena: Arena) -> None:
    done = arena("games", "check", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_ctrl_c_ends_a_long_check(process: Callable[..., Any]) -> None:
    running = process("games", "check", "--all", "--nightly", "--processes", "2")
    assert running.stderr.readline().startswith("[1/")
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=30) == 130
    assert "Interrupted." in running.stderr.read()
