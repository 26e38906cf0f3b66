"""Battleship: what shots tell, what stays unseen, and returns as OpenSpiel counts them."""

from __future__ import annotations

import random
from itertools import pairwise

import pyspiel
import pytest
from games_helpers import play, say

from games import Issue, get_game
from games.battleship_state import BattleshipState
from games.conformance import check_game
from games.errors import ParameterError
from games.types import Utility

GAME = get_game("battleship")
SMALL = {"board_height": 3, "board_width": 4, "ship_sizes": "1,2", "ship_values": "1,2.5", "num_shots": 5}
SETTINGS = [
    {},
    {"allow_repeated_shots": True},
    {"loss_multiplier": 2.0},
    {"loss_multiplier": 0.0, "num_shots": 4},
    {**SMALL, "allow_repeated_shots": True, "num_shots": 30},
]


def after(moves: str, **params: int | str | float | bool) -> BattleshipState:
    state = get_game("battleship", {**SMALL, **params}).new_state(0)
    say(state, *(f"[{move}]" for move in moves.split(", ")))
    assert isinstance(state, BattleshipState)
    return state


PLACED = "a1 right, d3 right, b2 right, a1 down"


def told(state: BattleshipState) -> list[str]:
    assert state.observe(0).events == state.observe(1).events
    return [event.text for event in state.observe(0).events]


def test_placing():
    state = after("a1 right")
    assert state.board(0).endswith("Next to place: your ship B of size 2.")
    assert state.board(1).endswith("Next to place: your ship A of size 1.")
    assert state.board(0).startswith("Your sea\n   a b c d\n 1 A . . .\n 2 . . . .\n 3 . . . .\nNext")
    assert "A" not in state.board(1).split("Next")[0]
    say(state, "[d3 right]")
    assert told(state) == ["Player 0 placed a ship of size 1.", "Player 1 placed a ship of size 1."]
    assert state.parse(0, "[a1 down]").issue is Issue.ILLEGAL  # on its own ship
    assert state.parse(0, "[d1 right]").issue is Issue.ILLEGAL  # off the sea
    assert state.parse(0, "[b2]").issue is Issue.ILLEGAL  # that would be a shot
    assert state.parse(0, "[b2 left]").issue is Issue.MALFORMED
    assert state.parse(0, "[B2 Horizontal]").move.answer == "b2 right"
    assert state.parse(0, "[b2 v]").move.answer == "b2 down"
    say(state, "[b2 down]")
    assert state.board(0).endswith("\nYour ships are placed; the other is still placing.")


def test_shots_are_told_to_both_and_sinking_names_no_ship():
    state = after(f"{PLACED}, a1, b1, d2, b2, a2, c2")
    assert told(state)[4:] == [
        "Player 0 shot a1: hit.",
        "Player 1 shot b1: water.",
        "Player 0 shot d2: water.",
        "Player 1 shot b2: hit.",
        "Player 0 shot a2: sunk.",
        "Player 1 shot c2: sunk.",
    ]
    assert state.board(0) == (
        "Your sea\n   a b c d\n 1 A o . .\n 2 . b b .\n 3 . . . .\n"
        "Their sea\n   a b c d\n 1 x . . .\n 2 # . . o\n 3 . . . .\n"
        "Shots left: you 2, they 2. Sunk of 2: yours 1, theirs 1."
    )
    assert state.parse(0, "[a1]").issue is Issue.ILLEGAL
    assert "a1" not in (state.observe(0).legal or ())


def test_the_game_ends_at_once_when_a_fleet_is_sunk():
    state = after(f"{PLACED}, a1, a3, a2, b3, d3")
    assert (state.returns(), state.outcome()) == ((3.5, -3.5), "p0")
    assert state.measures() == {"sunk/0": 2.0, "sunk/1": 0.0}
    state = after(f"{PLACED}, a1, a3, a2, b3, d3", loss_multiplier=2.0)
    assert state.returns() == (3.5, -7.0)


def test_shots_run_out():
    state = after(f"{PLACED}, a1, a1, a2, d1", num_shots=2)
    assert state.returns() == (1.5, -1.5)  # a ship of 2.5 against one of 1


def test_a_shot_at_the_same_cell_tells_what_is_true_now():
    state = after(f"{PLACED}, a1, c1, a1, c1, a2, c1, a1", allow_repeated_shots=True)
    assert [text for text in told(state)[4:] if text.startswith("Player 0")] == [
        "Player 0 shot a1: hit.",
        "Player 0 shot a1: hit.",
        "Player 0 shot a2: sunk.",
        "Player 0 shot a1: sunk.",
    ]
    assert state.board(0).split("Their sea\n")[1].startswith("   a b c d\n 1 # . . .\n 2 # . . .")


@pytest.mark.parametrize("params", SETTINGS)
def test_parity_with_openspiel_on_random_trajectories(params: dict[str, int | str | float | bool]):
    """Legal moves, what each shot told, returns; views are equal exactly where information states are."""
    game = get_game("battleship", params)
    views: dict[tuple[int, str], set[object]] = {}
    keys: dict[tuple[int, object], set[str]] = {}
    for seed in range(40):
        state = game.new_state(seed)
        assert isinstance(state, BattleshipState)
        reference = game.pyspiel_game.new_initial_state()
        rng = random.Random(f"parity/{seed}")
        while not reference.is_terminal():
            seat = reference.current_player()
            assert [move.action for move in state.legal(seat)] == reference.legal_actions()
            for s in (0, 1):
                seen = state.observe(s)
                key = reference.information_state_string(s)
                views.setdefault((s, key), set()).add(seen)
                keys.setdefault((s, (seen.board, seen.events)), set()).add(key)
            move = rng.choice(state.legal(seat))
            state.apply({seat: move})
            reference.apply_action(move.action)
        assert list(state.returns()) == reference.returns()
        shots = [text.split(": ")[1][0].upper() for text in told(state) if text.startswith("Player 0 shot")]
        spiel = [part[-1] for part in reference.information_state_string(0).split("/") if part.startswith("shot_")]
        assert shots == [{"H": "H", "W": "W", "S": "S"}[letter] for letter in spiel]
    assert all(len(same) == 1 for same in views.values())
    assert all(len(same) == 1 for same in keys.values())


def test_facts_follow_the_settings():
    assert GAME.spec.utility is Utility.ZERO_SUM
    assert (GAME.spec.min_return, GAME.spec.max_return, GAME.spec.max_turns) == (-3.0, 3.0, 46)
    uneven = get_game("battleship", {"loss_multiplier": 2.0})
    assert uneven.spec.utility is Utility.GENERAL_SUM
    assert (uneven.spec.min_return, uneven.spec.max_return) == (-6.0, 3.0)
    assert uneven.forfeit_returns(1) == (3.0, -6.0)
    few = get_game("battleship", {"num_shots": 4})  # too few for more than one of the three ships
    assert (few.spec.min_return, few.spec.max_return) == (-1.0, 1.0)
    best = max(play(get_game("battleship", SMALL), seed, ("greedy", "random")).returns()[0] for seed in range(200))
    assert best == get_game("battleship", SMALL).spec.max_return == 3.5


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"ship_sizes": "2,3"}, "2 ship_sizes and 3 ship_values; give one value a ship."),
        ({"ship_sizes": "[2;3;3]"}, "must be 1 to 8 numbers with commas between"),
        ({"ship_sizes": "2, 3,3"}, "must be 1 to 8 numbers with commas between"),
        ({"ship_sizes": "0,3,3"}, "must be 1 to 8 numbers with commas between"),
        ({"ship_values": "1,-1,1"}, "must be 1 to 8 numbers with commas between"),
        ({"ship_sizes": "2,3,7"}, "do not fit on 6×6"),
        ({"board_height": 2, "board_width": 5, "ship_sizes": "3,3,3", "num_shots": 5}, "do not fit on 2×5"),
        ({"num_shots": 37}, "more than the 36 cells"),
        ({"board_width": 11}, "outside 1 … 10"),
    ],
)
def test_settings_that_cannot_be(params: dict[str, int | str], told: str):
    with pytest.raises(ParameterError, match="battleship: ") as caught:
        get_game("battleship", params)
    assert told in str(caught.value)


def test_variants_place_the_others_ships_elsewhere():
    found = late = 0
    for seed in range(3):
        state, rng = GAME.new_state(seed), random.Random(seed)
        while seats := state.to_move():
            for seat in (0, 1):
                for other in GAME.variants(state, seat, rng):
                    found += 1
                    late += len(state.to_json()["history"]) > 30
                    theirs = [game.to_json()["history"][1 - seat : 6 : 2] for game in (state, other)]
                    assert theirs[0] != theirs[1]
                    assert (other.observe(seat), other.render(seat)) == (state.observe(seat), state.render(seat))
            state.apply({seats[0]: rng.choice(state.legal(seats[0]))})
    assert found > 200
    assert late > 20


def test_greedy_follows_its_hits():
    greedy = GAME.bots()["greedy"]
    placed = "[a1 right] [f6 down] [a2 right] [c3 right] [a3 right] [a6 right]"
    state = GAME.new_state(0)
    say(
        state, *(f"[{move}]" for move in placed.replace("f6 down", "e5 right").strip("[]").split("] [")), "[c3]", "[f1]"
    )
    shots = {greedy(state, 0, random.Random(seed)) for seed in range(20)}
    assert shots <= {"[b3]", "[d3]", "[c2]", "[c4]"}
    say(state, "[d3]", "[f2]")
    assert {greedy(state, 0, random.Random(seed)) for seed in range(20)} <= {"[b3]", "[e3]"}
    returns = [play(GAME, seed, ("random", "greedy")).returns()[1] for seed in range(40)]
    assert sum(returns) > 30
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, random.Random(0))


def test_rows_of_two_digits():
    params = {
        "board_height": 10,
        "board_width": 10,
        "ship_sizes": "2,3,3,4,5",
        "ship_values": "1,1,1,1,1",
        "num_shots": 50,
    }
    game = get_game("battleship", params)
    state = play(game, 0, ("greedy", "greedy"))
    assert state.board(0).split("\n")[11].startswith("10 ")
    numbers = [int(text.split(" shot ")[1].split(":")[0][1:]) for text in told(state) if " shot " in text]
    assert set(numbers) == set(range(1, 11))
    assert all(first != second for first, second in pairwise(told(state)))
    assert pyspiel.load_game("battleship").max_game_length() == game.spec.max_turns == 110


@pytest.mark.parametrize("params", SETTINGS)
def test_conformance(params: dict[str, int | str | float | bool]):
    assert check_game(get_game("battleship", params), seeds=range(2), matches=6) == []
