"""Games by name: found, checked, cached by content, and refused with what exists."""

from __future__ import annotations

import subprocess
import sys

import pytest

from games import ParameterError, UnknownGameError, get_game, list_games
from games.registry import resolve_params
from games.shelf import VARIANTS, WRITTEN
from games.types import Param


def test_written_games_are_listed_with_their_defaults():
    specs = {spec.id: spec for spec in list_games()}
    assert set(specs) == {*WRITTEN, *VARIANTS}
    assert specs["kuhn_poker"].params == {"players": 2}
    assert specs["simple_negotiation"].params["turns"] == 6


def test_equal_parameters_in_force_are_the_same_game():
    assert get_game("kuhn_poker") is get_game("kuhn_poker", {"players": 2})
    assert get_game("kuhn_poker") is not get_game("kuhn_poker", {"players": 3})
    one = get_game("simple_negotiation", {"turns": 4, "value_low": 2})
    assert one is get_game("simple_negotiation", {"value_low": 2, "turns": 4})


@pytest.mark.parametrize(
    ("given", "guess"),
    [
        ("tictactoe", "tic_tac_toe"),
        ("kuhn", "kuhn_poker"),
        ("TIC_TAC_TOE", "tic_tac_toe"),
        ("conect_four", "connect_four"),
        ("openspiel/conect_four", "openspiel/connect_four"),
    ],
)
def test_an_unknown_game_is_refused_with_the_nearest(given: str, guess: str):
    with pytest.raises(UnknownGameError) as caught:
        get_game(given)
    assert f"Unknown game '{given}'. Did you mean '{guess}'?" in str(caught.value)


@pytest.mark.parametrize(
    ("game", "params", "message"),
    [
        (
            "kuhn_poker",
            {"player": 2},
            "kuhn_poker: Unknown parameter 'player'. Did you mean 'players'? Known: players.",
        ),
        ("kuhn_poker", {"players": 4}, "kuhn_poker: players=4 is outside 2 … 3."),
        ("kuhn_poker", {"players": "2"}, "kuhn_poker: players='2' must be of type int."),
        ("kuhn_poker", {"players": True}, "kuhn_poker: players=True must be of type int."),
        ("kuhn_poker", {"players": [2]}, "kuhn_poker: players=[2] must be a number, a text, true or false."),
        ("tic_tac_toe", {"size": 3}, "tic_tac_toe: Unknown parameter 'size'. Known: none."),
        (
            "simple_negotiation",
            {"stock_low": 9},
            "simple_negotiation: stock_low=9, stock_high=5; stock_low must not exceed stock_high.",
        ),
    ],
)
def test_a_wrong_parameter_is_refused_with_what_is_allowed(game: str, params: dict, message: str):
    with pytest.raises(ParameterError) as caught:
        get_game(game, params)
    assert str(caught.value) == message


def test_choices_floats_and_not_a_number():
    declared = {"pot": Param(default=1.0, low=0, high=2), "kind": Param(default="a", choices=("a", "b"))}
    assert resolve_params("g", declared, {"pot": 2, "kind": "b"}) == {"pot": 2.0, "kind": "b"}
    with pytest.raises(ParameterError, match=r"g: kind='c' is not one of 'a', 'b'\."):
        resolve_params("g", declared, {"kind": "c"})
    with pytest.raises(ParameterError, match="outside 0 … 2"):
        resolve_params("g", declared, {"pot": float("nan")})


def _imported(statement: str, names: tuple[str, ...]) -> str:
    code = f"import sys, games; {statement}; print([name for name in {names} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_games_import_no_model_library_and_no_engine_before_it_is_needed():
    models = ("torch", "transformers", "peft", "arena")
    assert _imported("games.get_game", (*models, "pyspiel", "numpy")) == "[]"
    assert _imported("games.get_game('kuhn_poker'); games.list_games()", models) == "[]"
