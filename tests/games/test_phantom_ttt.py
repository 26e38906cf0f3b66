"""Phantom tic-tac-toe: a failed try is told to the one who tried, and to nobody else."""

from __future__ import annotations

import itertools
import random

import pyspiel
import pytest
from games_helpers import play, say

from games import Issue, get_game
from games.conformance import check_game
from games.phantom_ttt import PhantomTicTacToeState

VERSIONS = ("classical", "abrupt")
REVEALS = ("reveal-nothing", "reveal-numturns")
GAME = get_game("phantom_ttt")


def after(squares: str, version: str = "classical", reveal: str = "reveal-nothing") -> PhantomTicTacToeState:
    state = get_game("phantom_ttt", {"gameversion": version, "obstype": reveal}).new_state(0)
    say(state, *(f"[{square}]" for square in squares))
    assert isinstance(state, PhantomTicTacToeState)
    return state


def told(state: PhantomTicTacToeState, seat: int) -> list[str]:
    return [event.text for event in state.observe(seat).events]


def test_a_failed_try_in_the_classical_version():
    state = after("44")
    assert state.to_move() == (1,)
    assert told(state, 0) == ["You took 4."]
    assert told(state, 1) == ["4 is held by the other; try another."]
    assert state.board(0) == "0 1 2\n3 X 5\n6 7 8" == state.board(1)
    assert state.parse(1, "[4]").issue is Issue.ILLEGAL
    say(state, "[0]")
    assert state.to_move() == (0,)
    assert told(state, 0) == ["You took 4."]
    assert state.board(0) == "0 1 2\n3 X 5\n6 7 8"
    assert state.board(1) == "O 1 2\n3 X 5\n6 7 8"
    assert state.render(None) == (
        "Board\nO 1 2\n3 X 5\n6 7 8\nKnown to player 0\n0 1 2\n3 X 5\n6 7 8\nKnown to player 1\nO 1 2\n3 X 5\n6 7 8"
    )


def test_a_failed_try_in_the_abrupt_version():
    state = after("44", "abrupt")
    assert state.to_move() == (0,)
    assert told(state, 1) == ["4 is held by the other; your turn is lost."]


def test_what_is_heard_of_the_others_tries():
    state = after("440", reveal="reveal-numturns")
    assert told(state, 0) == ["You took 4.", "Player 1 made a try.", "Player 1 made a try."]
    assert told(state, 1) == ["Player 0 made a try.", "4 is held by the other; try another.", "You took 0."]
    assert told(after("440"), 0) == ["You took 4."]
    assert after("440").observe(0) == after("4" + "8").observe(0)


def test_an_unseen_line_wins():
    state = after("04182")
    assert (state.returns(), state.outcome()) == ((1.0, -1.0), "p0")
    assert "Player" not in "".join(told(state, 1))


def test_the_longest_match_is_seventeen_tries():
    state = after("0" + "04" + "42" + "21" + "17" + "75" + "53" + "36" + "6")
    assert (state.to_move(), state.board(0)) == ((0,), "X O X\nX O O\nO X 8")
    say(state, "[8]")  # every square of the other's was tried in vain first
    assert state.outcome() == "draw"
    assert len(state.to_json()["history"]) == GAME.spec.max_turns == 17


@pytest.mark.parametrize(("version", "reveal"), itertools.product(VERSIONS, REVEALS))
def test_parity_with_openspiel_on_random_trajectories(version: str, reveal: str):
    """Legal moves and returns; and views are equal exactly where OpenSpiel's information states are."""
    params = {"gameversion": version, "obstype": reveal}
    game = get_game("phantom_ttt", params)
    views: dict[tuple[int, str], set[object]] = {}
    keys: dict[tuple[int, object], set[str]] = {}
    for seed in range(250):
        state = game.new_state(seed)
        reference = pyspiel.load_game("phantom_ttt", params).new_initial_state()
        rng = random.Random(f"parity/{seed}")
        while not reference.is_terminal():
            seat = reference.current_player()
            assert [move.action for move in state.legal(seat)] == reference.legal_actions()
            seen = state.observe(seat)
            key = reference.information_state_string(seat)
            views.setdefault((seat, key), set()).add(seen)
            keys.setdefault((seat, (seen.board, seen.events)), set()).add(key)
            move = rng.choice(state.legal(seat))
            state.apply({seat: move})
            reference.apply_action(move.action)
        assert list(state.returns()) == reference.returns()
    assert all(len(same) == 1 for same in views.values())
    assert all(len(same) == 1 for same in keys.values())


@pytest.mark.parametrize(("version", "reveal"), itertools.product(VERSIONS, REVEALS))
def test_variants_look_the_same_and_differ(version: str, reveal: str):
    game = get_game("phantom_ttt", {"gameversion": version, "obstype": reveal})
    found = 0
    for seed in range(30):
        state, rng = game.new_state(seed), random.Random(seed)
        while seats := state.to_move():
            for seat in (0, 1):
                for other in game.variants(state, seat, rng):
                    found += 1
                    assert other.to_json()["history"] != state.to_json()["history"]
                    assert other.observe(seat) == state.observe(seat)
                    assert other.render(seat) == state.render(seat)
            state.apply({seats[0]: rng.choice(state.legal(seats[0]))})
    assert found > 100


def test_greedy_uses_what_it_knows():
    greedy = GAME.bots()["greedy"]
    rng = random.Random(0)
    assert greedy(after(""), 0, rng) == "[4]"
    assert greedy(after("0415"), 0, rng) == "[2]"  # completes 0 1 2 without knowing of 4 and 5
    state = after("0" + "0" + "4" + "1" + "1")  # O has found 0 and 1
    assert greedy(state, 1, rng) == "[2]"
    returns = [play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(100)]
    assert sum(returns) > 50
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, rng)


def test_rules_name_the_version():
    texts = {
        get_game("phantom_ttt", {"gameversion": version, "obstype": reveal}).rules(1)
        for version, reveal in itertools.product(VERSIONS, REVEALS)
    }
    assert len(texts) == 4
    assert all(len(text.split()) < 150 for text in texts)


@pytest.mark.parametrize(("version", "reveal"), itertools.product(VERSIONS, REVEALS))
def test_conformance(version: str, reveal: str):
    assert check_game(get_game("phantom_ttt", {"gameversion": version, "obstype": reveal}), matches=30) == []
