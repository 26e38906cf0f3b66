"""`arena games`."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Done

from arena.cli.games import params_json
from games import Information, Param, Utility, get_game
from games.conformance import CHECKS, Finding

Arena = Callable[..., Done]


def test_list(arena: Arena) -> None:
    done = arena("games", "list")
    assert done.code == 0
    assert done.out.splitlines()[1].split()[:3] == ["kuhn_poker", "2", "imperfect"]
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert "openspiel/connect_four" in arena("games", "list", "--all").out


def test_list_as_json(arena: Arena) -> None:
    told = json.loads(arena("games", "list", "--json").out)
    assert told["schema"] == 1
    by_id = {game["id"]: game for game in told["games"]}
    assert by_id["tic_tac_toe"]["utility"] == Utility.ZERO_SUM.value
    assert by_id["tic_tac_toe"]["information"] == Information.PERFECT.value
    assert by_id["kuhn_poker"]["params"] == {"players": 2}
    assert told["openspiel"] == []


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
    assert told["findings"] == [{"check": "endings", "message": "a move \x1b after the end", "seed": 3}]
