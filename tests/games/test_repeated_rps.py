"""Rock-paper-scissors, repeated: who beats whom, what is shown after each round, and the sum of rounds."""

from __future__ import annotations

import itertools
import json
import random

import pyspiel
import pytest
from games_helpers import play

from games import Dynamics, IllegalMoveError, Information, Issue, Move, get_game
from games.conformance import check_game
from games.repeated_rps import SIGNS, beats

GAME = get_game("repeated_rps")


def both(state, first: str, second: str) -> None:
    state.apply({seat: state.parse(seat, f"[{sign}]").move for seat, sign in enumerate((first, second))})


def test_who_beats_whom():
    wins = {(a, b) for a, b in itertools.product(range(3), repeat=2) if beats(a, b)}
    assert {(SIGNS[a], SIGNS[b]) for a, b in wins} == {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
    one = get_game("repeated_rps", {"rounds": 1})
    for first, second in itertools.product(range(3), repeat=2):
        state = one.new_state(0)
        both(state, SIGNS[first], SIGNS[second])
        value = beats(first, second) - beats(second, first)
        assert state.returns() == (value, -value)
        assert state.outcome() == ("draw" if value == 0 else "p0" if value > 0 else "p1")


def test_a_worked_match():
    state = get_game("repeated_rps", {"rounds": 3}).new_state(0)
    assert state.to_move() == (0, 1)
    assert state.observe(1).board == "Round 1 of 3. Rounds won: you: 0, player 0: 0."
    both(state, "rock", "scissors")
    both(state, "paper", "paper")
    assert [event.text for event in state.observe(1).events] == [
        "Round 1: player 0 rock, player 1 scissors; player 0 wins.",
        "Round 2: player 0 paper, player 1 paper; a tie.",
    ]
    assert state.observe(1).board == "Round 3 of 3. Rounds won: you: 0, player 0: 1."
    both(state, "rock", "paper")
    assert state.to_move() == ()
    assert state.returns() == (0.0, 0.0)
    assert state.outcome() == "draw"
    assert state.render(None).endswith("; player 1 wins.\nScore 1 to 1")


def test_one_choice_alone_is_no_move():
    state = GAME.new_state(0)
    with pytest.raises(IllegalMoveError, match="players 0, 1 are to move"):
        state.apply({0: Move(answer="rock")})
    assert state.parse(0, "[Scissor]").move.answer == "scissors"
    assert state.parse(0, "[P]").move.answer == "paper"
    assert state.parse(0, "[lizard]").issue is Issue.MALFORMED


def test_declared_facts():
    spec = GAME.spec
    assert (spec.dynamics, spec.information) == (Dynamics.SIMULTANEOUS, Information.PERFECT)
    assert (spec.min_return, spec.max_return, spec.max_turns) == (-5.0, 5.0, 10)
    assert spec.outcomes == ("p0", "p1", "draw")
    assert "1 round." in get_game("repeated_rps", {"rounds": 1}).rules(0)


def test_greedy_beats_the_most_frequent_choice():
    greedy = GAME.bots()["greedy"]
    state = GAME.new_state(0)
    assert {greedy(state, 0, random.Random(seed)) for seed in range(30)} == {"[rock]", "[paper]", "[scissors]"}
    both(state, "rock", "paper")
    both(state, "rock", "paper")
    both(state, "paper", "rock")
    assert greedy(state, 0, random.Random(0)) == "[scissors]"
    assert greedy(state, 1, random.Random(0)) == "[paper]"


def test_parity_with_openspiel_on_random_trajectories():
    for rounds in (1, 5, 40):
        game = get_game("repeated_rps", {"rounds": rounds})
        for seed in range(100):
            state = game.state_from_json(json.loads(json.dumps(play(game, seed).to_json())))
            total = [0.0, 0.0]
            for joint in state.rounds():  # the stage game, once a round
                stage = pyspiel.load_game("matrix_rps").new_initial_state()
                assert all(action in stage.legal_actions(seat) for seat, action in enumerate(joint))
                stage.apply_actions(list(joint))
                total = [a + b for a, b in zip(total, stage.returns(), strict=True)]
            assert list(state.returns()) == total
            assert total[0] == state.wins(0) - state.wins(1)


@pytest.mark.parametrize("rounds", [1, 5, 20])
def test_conformance(rounds: int):
    assert check_game(get_game("repeated_rps", {"rounds": rounds}), seeds=range(3), matches=20) == []
