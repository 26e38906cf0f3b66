"""Go: captures, ko, area and passes, by hand and against OpenSpiel."""

from __future__ import annotations

import random

import pyspiel
import pytest
from games_helpers import play, say

from games import Issue, get_game
from games.conformance import check_game
from games.go import GoState

GAME = get_game("go")
FIVE = get_game("go", {"board_size": 5, "komi": 0.5})


def after(moves: str, game=FIVE) -> GoState:
    state = game.new_state(0)
    say(state, *(f"[{move}]" for move in moves.split()))
    assert isinstance(state, GoState)
    return state


def test_a_capture_is_told_and_taken_off():
    state = after("b1 a1 a2")
    assert state.observe(1).events[-1].text == "Black: a2, takes 1 stone."
    assert state.board(0) == (
        "5 . . . . .\n4 . . . . .\n3 . . . . .\n2 B . . . .\n1 . B . . .\n  a b c d e\n"
        "White to move, move 4 of at most 50. Not allowed now: a1."
    )
    assert state.parse(1, "[a1]").issue is Issue.ILLEGAL  # suicide
    assert state.parse(1, "[a2]").issue is Issue.ILLEGAL  # occupied
    assert state.parse(1, "[f1]").issue is Issue.MALFORMED  # not on this board
    assert state.parse(1, "[A 1]").issue is Issue.MALFORMED
    assert state.parse(1, "[PASS]").move.answer == "pass"


def test_ko_must_wait_a_move():
    state = after("c2 d2 b3 e3 c4 d4 d3 c3")
    assert state.observe(0).events[-1].text == "White: c3, takes 1 stone."
    assert state.board(0).endswith("Black to move, move 9 of at most 50. Not allowed now: d3.")
    assert state.parse(0, "[d3]").issue is Issue.ILLEGAL
    say(state, "[a1]", "[a5]", "[d3]")
    assert state.observe(0).events[-1].text == "Black: d3, takes 1 stone."


def test_a_position_that_comes_back_is_a_draw():
    game = get_game("go", {"board_size": 3, "komi": 0.5})
    draws = 0
    for seed in range(400):
        state = play(game, seed)
        if state.outcome() == "draw":
            draws += 1
            assert state.board(0).endswith("Draw: an earlier position has come back.")
            black, white = state.area()
            assert black != white + 0.5
    assert draws > 0


@pytest.mark.parametrize(
    ("moves", "komi", "area", "outcome"),
    [
        ("pass pass", 0.5, (0, 0), "p1"),
        ("c3 pass pass", 0.5, (25, 0), "p0"),
        ("c3 pass pass", 25.0, (25, 0), "draw"),
        ("c3 pass pass", 25.5, (25, 0), "p1"),
        ("c3 c4 pass pass", 0.0, (1, 1), "draw"),
        ("a2 c1 b2 c2 b1 c3 b3 c4 a4 c5 b4 d3 b5 pass pass", 0.5, (10, 15), "p1"),
    ],
)
def test_area_and_komi(moves: str, komi: float, area: tuple[int, int], outcome: str):
    state = after(moves, get_game("go", {"board_size": 5, "komi": komi}))
    assert state.area() == area
    assert state.measures() == {"area/0": float(area[0]), "area/1": area[1] + komi}
    assert state.outcome() == outcome
    assert state.board(0).split("\n")[-1].startswith(f"Area: Black {area[0]}, White {area[1]} + {komi}. ")


def test_passes_are_announced():
    state = after("c3 pass")
    assert state.observe(0).events[-1].text == "White passes."
    assert state.board(0).endswith("A pass now ends the game.")
    say(state, "[c4]")
    assert "A pass now" not in state.board(1)


@pytest.mark.parametrize("size", [3, 5, 7, 9])
def test_parity_with_openspiel_on_random_trajectories(size: int):
    """Legal moves, returns, and our own count of the area against OpenSpiel's winner."""
    game = get_game("go", {"board_size": size, "komi": 2.5})
    for seed in range(60):
        state = game.new_state(seed)
        reference = pyspiel.load_game("go", {"board_size": size, "komi": 2.5}).new_initial_state()
        rng = random.Random(f"parity/{seed}")
        while not reference.is_terminal():
            seat = reference.current_player()
            moves = state.legal(seat)
            assert [move.action for move in moves] == reference.legal_actions()
            for move in moves[:: size + 2]:  # the points' names are OpenSpiel's
                assert reference.action_to_string(move.action).lower() == f"{'bw'[seat]} {move.answer}"
            move = rng.choice(moves)
            state.apply({seat: move})
            reference.apply_action(move.action)
        assert list(state.returns()) == reference.returns()
        black, white = state.area()
        if state.outcome() != "draw":
            assert state.outcome() == ("p0" if black > white + 2.5 else "p1")


def test_the_length_is_bounded():
    """Twice as many moves as points, and then it is scored."""
    game = get_game("go", {"board_size": 3})
    assert game.spec.max_turns == 18
    lengths = [len(play(game, seed).observe(0).events) for seed in range(300)]
    assert max(lengths) == 18


def test_greedy_captures_saves_and_keeps_its_eyes():
    greedy = FIVE.bots()["greedy"]
    rng = random.Random(0)
    assert greedy(after("b1 a1"), 0, rng) == "[a2]"
    assert greedy(after("c3 c2 e5 b3 e1 d3"), 0, rng) == "[c4]"  # its only liberty
    assert greedy(after("c3 pass"), 0, rng) == "[pass]"  # ahead
    for seed in range(10):
        assert sum(play(FIVE, seed, ("greedy", "random")).returns()) == 0
    assert sum(play(GAME, seed, ("random", "greedy")).returns()[1] for seed in range(20)) >= 18
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, rng)


def test_conformance():
    assert check_game(GAME, seeds=range(3), matches=10) == []
    assert check_game(get_game("go", {"board_size": 3, "komi": 3.0}), seeds=range(2), matches=10) == []
    assert check_game(get_game("go", {"board_size": 9, "komi": 5.5}), seeds=range(2), matches=4) == []
