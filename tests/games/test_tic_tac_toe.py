"""Tic-tac-toe: text, rules, bots, and the same game as OpenSpiel's."""

from __future__ import annotations

import random

import pyspiel
import pytest
from games_helpers import play, say

from games import GameOverError, IllegalMoveError, Issue, Move, get_game

GAME = get_game("tic_tac_toe")


def test_what_a_player_is_told():
    state = GAME.new_state(0)
    say(state, "[4]", "[0]")
    seen = state.observe(0)
    assert seen.board == "O 1 2\n3 X 5\n6 7 8"
    assert [event.text for event in seen.events] == ["Player 0 took 4.", "Player 1 took 0."]
    assert seen.ask == "Your move."
    assert seen.legal == ("1", "2", "3", "5", "6", "7", "8")
    assert state.observe(1).ask == ""
    assert state.observe(1).legal is None
    assert state.render(None) == state.render(0) == seen.board


def test_rules_are_short_and_name_the_seat():
    for seat, mark in enumerate("XO"):
        rules = GAME.rules(seat)
        assert rules.endswith(f"You are player {seat}, {mark}.")
        assert len(rules.split()) <= 60


@pytest.mark.parametrize(
    ("replies", "outcome", "returns"),
    [
        (("[0]", "[3]", "[1]", "[4]", "[2]"), "p0", (1.0, -1.0)),
        (("[0]", "[2]", "[1]", "[4]", "[8]", "[6]"), "p1", (-1.0, 1.0)),
        (("[4]", "[0]", "[2]", "[6]", "[3]", "[5]", "[1]", "[7]", "[8]"), "draw", (0.0, 0.0)),
    ],
)
def test_endings(replies: tuple[str, ...], outcome: str, returns: tuple[float, ...]):
    state = GAME.new_state(0)
    with pytest.raises(GameOverError, match="not over"):
        state.returns()
    say(state, *replies)
    assert (state.to_move(), state.outcome(), state.returns()) == ((), outcome, returns)
    before = state.to_json()
    for seat in (0, 1):  # a late move must not turn the result
        with pytest.raises(GameOverError):
            state.apply({seat: Move(answer="8", action=8)})
    assert (state.to_json(), state.returns()) == (before, returns)


def test_a_taken_square_is_illegal_and_nothing_moves():
    state = GAME.new_state(0)
    say(state, "[4]")
    parsed = state.parse(1, "[4]")
    assert parsed.issue is Issue.ILLEGAL
    assert parsed.hint == "[4] is not allowed now. Allowed: [0] [1] [2] [3] [5] [6] [7] [8]."
    assert state.parse(1, "[9]").issue is Issue.MALFORMED
    assert state.parse(1, "not [0], I play [8]").move == Move(answer="8", action=8)
    with pytest.raises(IllegalMoveError, match="action 4 is not legal for player 1"):
        state.apply({1: Move(answer="4", action=4)})
    with pytest.raises(IllegalMoveError, match="player 1 is to move; moves came from"):
        state.apply({0: Move(answer="5", action=5)})
    state.apply({1: Move(answer=" 8. ")})  # without a number, the words decide
    assert state.to_json()["history"] == [4, 8]


def test_parity_with_openspiel_on_random_trajectories():
    reference_game = pyspiel.load_game("tic_tac_toe")
    for seed in range(2000):
        rng = random.Random(f"parity/{seed}")
        state, reference = GAME.new_state(seed), reference_game.new_initial_state()
        while not reference.is_terminal():
            seat = reference.current_player()
            assert state.to_move() == (seat,)
            moves = state.legal(seat)
            assert [move.action for move in moves] == reference.legal_actions()
            move = rng.choice(moves)
            state.apply({seat: move})
            reference.apply_action(move.action)
        assert state.to_move() == ()
        assert list(state.returns()) == reference.returns()


def test_greedy_wins_when_it_can_and_blocks_when_it_must():
    greedy = GAME.bots()["greedy"]
    state = GAME.new_state(0)
    say(state, "[0]", "[3]", "[1]", "[4]")
    assert greedy(state, 0, random.Random(0)) == "[2]"
    say(state, "[8]")
    assert greedy(state, 1, random.Random(0)) == "[5]"
    state = GAME.new_state(0)
    say(state, "[0]", "[8]", "[1]")
    assert greedy(state, 1, random.Random(0)) == "[2]"


def test_greedy_beats_random():
    wins = sum(play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(200))
    assert wins > 100
