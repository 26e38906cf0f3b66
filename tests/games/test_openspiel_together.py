"""OpenSpiel games whose seats move at the same time: one choice each, made alone, replayed exactly."""

from __future__ import annotations

import json
import pickle
import random

import pyspiel
import pytest
from games_helpers import play

from games import Dynamics, GameOverError, IllegalMoveError, Information, Issue, Move, get_game
from games.conformance import check_game
from games.openspiel import SpielGame, SpielState

TOGETHER = ("goofspiel", "matching_pennies_3p", "matrix_pd", "oshi_zumo", "snake", "blotto", "markov_soccer")


def chosen(state, *answers: str):
    return {seat: state.parse(seat, f"[{answer}]").move for seat, answer in enumerate(answers)}


def test_all_seats_are_to_move_and_move_once():
    state = get_game("openspiel/matching_pennies_3p").new_state(0)
    assert state.to_move() == (0, 1, 2)
    for seat in range(3):
        assert [move.answer for move in state.legal(seat)] == ["Heads", "Tails"]
        assert state.observe(seat).ask
    state.apply(chosen(state, "Heads", "Heads", "Tails"))
    assert state.to_move() == ()
    assert state.returns() == (1.0, -1.0, 1.0)
    assert [event.text for event in state.observe(0).events] == [
        "Player 0: Heads.",
        "Player 1: Heads.",
        "Player 2: Tails.",
    ]
    with pytest.raises(GameOverError):
        state.apply({0: Move(answer="Heads")})


def test_moves_of_exactly_the_seats_to_move_are_taken():
    state = get_game("openspiel/matrix_pd").new_state(0)
    good = Move(answer="Defect")
    for moves in ({}, {0: good}, {0: good, 2: good}, {0: good, 1: good, 2: good}):
        with pytest.raises(IllegalMoveError, match="players 0, 1 are to move; moves came from"):
            state.apply(moves)
    with pytest.raises(IllegalMoveError, match="action 7 is not legal for player 1"):
        state.apply({0: good, 1: Move(answer="Defect", action=7)})
    assert state.to_json()["history"] == []
    with pytest.raises(IllegalMoveError, match="not legal for chance"):
        state.step(0)  # a flat number for both choices is no action of ours


def test_max_turns_counts_the_moves_of_all_seats():
    assert get_game("openspiel/goofspiel", {"num_cards": 4}).spec.max_turns == 8
    assert get_game("openspiel/matching_pennies_3p").spec.max_turns == 3
    spec = get_game("openspiel/matrix_pd").spec
    assert (spec.dynamics, spec.information) == (Dynamics.SIMULTANEOUS, Information.PERFECT)
    hidden = get_game("openspiel/goofspiel", {"num_cards": 4, "imp_info": True}).spec
    assert hidden.information is Information.IMPERFECT


def test_joint_moves_and_chance_are_restored_exactly():
    game = get_game("openspiel/goofspiel", {"num_cards": 5})
    for seed in range(20):
        state = game.new_state(seed)
        rng = random.Random(seed)
        while seats := state.to_move():
            copies = [
                pickle.loads(pickle.dumps(state)),
                game.state_from_json(json.loads(json.dumps(state.to_json()))),
                state.clone(),
            ]
            moves = {seat: rng.choice(state.legal(seat)) for seat in seats}
            for each in (state, *copies):
                each.apply(moves)
            for copy in copies:
                assert copy.to_json() == state.to_json()
                assert copy.observe(0) == state.observe(0)


def test_reading_one_reply_does_not_depend_on_the_others():
    state = get_game("openspiel/oshi_zumo", {"coins": 3}).new_state(0)
    alone = state.parse(1, "[Bid: 2]")
    state.parse(0, "[Bid: 3]")
    assert state.parse(1, "[Bid: 2]") == alone
    assert alone.move == Move(answer="Bid: 2", action=2)
    assert state.parse(1, "[Bid: 9]").issue is Issue.MALFORMED


def test_a_stored_history_that_is_cut_within_a_joint_move_is_refused():
    with pytest.raises(IllegalMoveError, match="1 actions for 2 seats"):
        get_game("openspiel/matrix_pd").state_from_json({"seed": 0, "history": [0]})


class Sleeper:
    """Three seats; only those that are awake choose. Stands in for games whose seats may have nothing to choose."""

    def __init__(self, rounds: list[set[int]]) -> None:
        self.rounds = rounds
        self.made: list[list[int]] = []

    def current_player(self) -> int:
        return -2 if len(self.made) < len(self.rounds) else -4

    def is_chance_node(self) -> bool:
        return False

    def legal_actions(self, seat: int) -> list[int]:
        return [4, 5] if seat in self.rounds[len(self.made)] else []

    def action_to_string(self, seat: int, action: int) -> str:
        return f"a{action}"

    def apply_actions(self, actions: list[int]) -> None:
        self.made.append(actions)


def test_seats_without_a_choice_are_not_asked():
    game = get_game("openspiel/matching_pennies_3p")
    node = Sleeper([{0, 2}, set(), {1}])
    state = SpielState.__new__(game.state_class)
    state.__init__(game, node, 0)
    assert state.to_move() == (0, 2)
    assert state.legal(1) == ()
    with pytest.raises(IllegalMoveError, match="players 0, 2 are to move"):
        state.apply({0: Move(answer="a4"), 1: Move(answer="a4"), 2: Move(answer="a4")})
    state.apply({0: Move(answer="a4"), 2: Move(answer="a5")})
    assert state.to_move() == (1,)  # the round in which nobody chooses has passed
    state.apply({1: Move(answer="a5")})
    assert node.made == [[4, -1, 5], [-1, -1, -1], [-1, 5, -1]]


def test_one_shot_games_tell_what_choices_pay():
    rules = get_game("openspiel/matrix_pd").rules(1)
    assert "All players choose at the same time." in rules
    assert "Cooperate / Defect: 0, 10\n" in rules
    assert "Payoffs" not in get_game("openspiel/blotto").rules(0)  # 4,356 joint choices
    assert get_game("openspiel/matrix_pd").new_state(0).observe(0).board == ""


@pytest.mark.parametrize("name", TOGETHER)
def test_parity_with_openspiel_on_random_trajectories(name: str):
    game = get_game(f"openspiel/{name}")
    assert isinstance(game, SpielGame)
    assert game.spec.dynamics is Dynamics.SIMULTANEOUS
    seats = game.spec.seats
    for seed in range(20):
        state = play(game, seed, ("random",) * seats)
        assert isinstance(state, SpielState)
        reference = game.pyspiel_game.new_initial_state()
        history = list(state.to_json()["history"])
        while not reference.is_terminal():
            if reference.current_player() == pyspiel.PlayerId.SIMULTANEOUS:
                joint, history = history[:seats], history[seats:]
                assert all(action in reference.legal_actions(seat) for seat, action in enumerate(joint) if action >= 0)
                reference.apply_actions(joint)
            else:
                reference.apply_action(history.pop(0))
        assert history == []
        assert list(state.returns()) == reference.returns()


def test_open_goofspiel_is_told_by_moves_and_position():
    """OpenSpiel's information states keep the order of past prizes and forget who bid what; neither is a secret."""
    game = get_game("openspiel/goofspiel", {"num_cards": 4})
    assert game.new_state(0).information_key(0) is None
    assert check_game(game, seeds=range(1), matches=200) == []


@pytest.mark.parametrize("name", TOGETHER)
def test_conformance(name: str):
    assert check_game(get_game(f"openspiel/{name}"), seeds=range(2), matches=6) == []
