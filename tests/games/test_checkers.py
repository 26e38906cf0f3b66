"""Checkers: single jumps are told as such, and the length has a true bound on every board."""

from __future__ import annotations

import random

import pyspiel
import pytest
from games_helpers import play, say

from games import Issue, get_game
from games.checkers import QUIET_LIMIT, CheckersState, between, split
from games.conformance import check_game

GAME = get_game("checkers")


def after(moves: str, game=GAME) -> CheckersState:
    state = game.new_state(0)
    say(state, *(f"[{move}]" for move in moves.split()))
    assert isinstance(state, CheckersState)
    return state


def test_the_seam_to_openspiels_picture():
    state = pyspiel.load_game("checkers").new_initial_state()
    assert str(state).startswith("8.+.+.+.+\n7+.+.+.+.\n6.+.+.+.+\n5........\n")
    assert state.action_to_string(322) == "a3b4"
    assert [state.action_to_string(action) for action in state.legal_actions()][-1] == "g3h4"


def test_captures_are_compulsory_and_told():
    state = after("c3d4 b6c5")
    assert state.board(0) == (
        "8 . b . b . b . b\n7 b . b . b . b .\n6 . . . b . b . b\n5 . . b . . . . .\n4 . . . w . . . .\n"
        "3 w . . . w . w .\n2 . w . w . w . w\n1 w . w . w . w .\n  a b c d e f g h\n"
        "White to move and must capture. Moves without capture: 2 of 40."
    )
    assert state.observe(0).legal == ("d4b6",)
    assert state.parse(0, "[e3f4]").issue is Issue.ILLEGAL
    say(state, "[d4xb6]")
    assert state.observe(1).events[-1].text == "White: d4b6 takes c5."
    assert state.board(1).endswith("Black to move and must capture. Moves without capture: 0 of 40.")
    assert state.observe(1).legal == ("a7c5", "c7a5")


def test_who_can_jump_on_must_and_with_the_same_piece():
    found = False
    for seed in range(40):
        state, rng = GAME.new_state(seed), random.Random(seed)
        last = ""
        while seats := state.to_move():
            (seat,) = seats
            if "must jump on" in state.board(seat):
                found = True
                here = split(last)[1]
                assert state.board(seat).endswith(f"must jump on with the piece on {here}.")
                assert state.observe(seat).events[-1].text.startswith(("White", "Black")[seat])
                assert {split(move.answer)[0] for move in state.legal(seat)} == {here}
                assert all(between(*split(move.answer)) for move in state.legal(seat))
                assert state.clone().board(seat) == state.board(seat)
            last = rng.choice(state.legal(seat)).answer
            say(state, f"[{last}]")
    assert found


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("c3-d4", Issue.OK),
        ("C3 D4", Issue.OK),
        ("c3d4", Issue.OK),
        ("c3e5", Issue.ILLEGAL),
        ("d4c3", Issue.ILLEGAL),
        ("b6c5", Issue.ILLEGAL),
        ("c3", Issue.MALFORMED),
        ("c3d5", Issue.MALFORMED),
        ("c3d4e5", Issue.MALFORMED),
        ("i3j4", Issue.MALFORMED),
        ("11-15", Issue.MALFORMED),
    ],
)
def test_answers(text: str, issue: Issue):
    assert GAME.new_state(0).parse(0, f"[{text}]").issue is issue


def test_rows_of_two_digits():
    state = get_game("checkers", {"size": 10}).new_state(0)
    assert state.board(0).split("\n")[:2] == ["10 . b . b . b . b . b", " 9 b . b . b . b . b ."]
    say(state, "[c3d4]", "[b8a7]")
    assert split("j10i9") == ("j10", "i9")
    assert split("a9b10") == ("a9", "b10")
    assert between("c10", "e8") == "d9"


def test_parity_with_openspiel_on_random_trajectories():
    for size in (8, 10):
        game = get_game("checkers", {"size": size})
        for seed in range(60):
            state = game.new_state(seed)
            reference = pyspiel.load_game("checkers", {"rows": size, "columns": size}).new_initial_state()
            rng = random.Random(f"parity/{seed}")
            while not reference.is_terminal():
                seat = reference.current_player()
                moves = state.legal(seat)
                assert [move.action for move in moves] == reference.legal_actions()
                move = rng.choice(moves)
                state.apply({seat: move})
                reference.apply_action(move.action)
            assert list(state.returns()) == reference.returns()
            pieces = "".join(state.rows())
            if state.outcome() == "draw":
                assert state.board(0).endswith(f"Draw: {QUIET_LIMIT} moves without capture.")
                assert not any(" takes " in event.text for event in state.observe(0).events[-QUIET_LIMIT:])
                assert " takes " in state.observe(0).events[-QUIET_LIMIT - 1].text
            elif "w" not in pieces.lower() or "b" not in pieces.lower():
                assert state.outcome() == ("p1" if "w" not in pieces.lower() else "p0")


def test_pieces_and_kings_follow_the_events():
    """The told captures and coronations account for every piece on the board."""
    for seed in range(40):
        state = play(GAME, seed)
        told = [event.text for event in state.observe(0).events]
        pieces = "".join(state.rows())
        assert pieces.lower().count("w") == 12 - sum("Black" in text and " takes " in text for text in told)
        assert pieces.lower().count("b") == 12 - sum("White" in text and " takes " in text for text in told)
        for mark, colour in (("W", "White"), ("B", "Black")):
            assert pieces.count(mark) <= sum(text.startswith(colour) and "king" in text for text in told)


def test_the_length_is_bounded():
    assert GAME.spec.max_turns == 40 * 23
    assert get_game("checkers", {"size": 12}).spec.max_turns == 40 * 35
    for seed in range(10):
        assert len(play(GAME, seed, ("greedy", "greedy")).observe(0).events) <= GAME.spec.max_turns


def test_greedy():
    greedy = GAME.bots()["greedy"]
    rng = random.Random(0)
    returns = [play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(12)]
    assert sum(returns) >= 9
    assert greedy(after("c3d4 b6c5"), 0, rng) == "[d4b6]"
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, rng)


def test_conformance():
    assert check_game(GAME, seeds=range(3), matches=10) == []
    assert check_game(get_game("checkers", {"size": 10}), seeds=range(1), matches=4) == []
