"""Dark hex: the board is drawn and won as OpenSpiel has it, and stones stay unseen until tried."""

from __future__ import annotations

import itertools
import random

import pyspiel
import pytest
from games_helpers import play, say

from games import Issue, get_game
from games.conformance import check_game
from games.dark_hex import DarkHexState

VERSIONS = ("cdh", "adh")
REVEALS = ("reveal-nothing", "reveal-numturns")
GAME = get_game("dark_hex")


def after(cells: str, **params: int | str) -> DarkHexState:
    state = get_game("dark_hex", params).new_state(0)
    say(state, *(f"[{cell}]" for cell in cells.split()))
    assert isinstance(state, DarkHexState)
    return state


def told(state: DarkHexState, seat: int) -> list[str]:
    return [event.text for event in state.observe(seat).events]


def test_views():
    state = after("b2 b2 c1")
    assert state.to_move() == (0,)
    assert told(state, 0) == ["You took b2."]
    assert told(state, 1) == ["b2 is held by the other; try another.", "You took c1."]
    assert state.board(0) == "   a b c\n 1 . . .\n  2 . x .\n   3 . . ."
    assert state.board(1) == "   a b c\n 1 . . o\n  2 . x .\n   3 . . ."
    assert state.render(None) == (
        f"Board\n{state.board(1)}\nKnown to player 0\n{state.board(0)}\nKnown to player 1\n{state.board(1)}"
    )
    assert state.parse(0, "[B2]").issue is Issue.ILLEGAL
    assert state.parse(0, "[d1]").issue is Issue.MALFORMED
    assert told(after("b2 b2", gameversion="adh"), 1) == ["b2 is held by the other; your turn is lost."]
    assert told(after("b2 b2 c1", obstype="reveal-numturns"), 0)[1:] == ["Player 1 made a try."] * 2


def test_the_number_of_the_others_tries_is_not_told():
    """OpenSpiel's own string counts them even under reveal-nothing."""
    one, two = after("b2 c1"), after("b2 b2 c1")
    strings = [state.pyspiel_state.information_state_string(0) for state in (one, two)]
    assert strings[0] != strings[1]
    assert one.observe(0) == two.observe(0)
    assert one.information_key(0) == two.information_key(0)
    one, two = (after(cells, obstype="reveal-numturns") for cells in ("b2 c1", "b2 b2 c1"))
    assert one.observe(0) != two.observe(0)


@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        ("a1 b1 a2 b2 a3", "p0"),  # straight down
        ("c1 a1 b2 a2 a3", "p0"),  # down to the left, one shift a row
        ("a1 a2 b1 b2 c3 c2", "p1"),  # straight across
        ("a1 a3 b1 b2 c3 c1", "p1"),  # up to the right
    ],
)
def test_connections(cells: str, outcome: str):
    assert after(cells).outcome() == outcome


def test_down_to_the_right_does_not_connect():
    assert after("a1 c1 b2 b1 c3").to_move() == (1,)


def connected(state: DarkHexState, seat: int) -> bool:
    """Whether the true board holds the seat's chain, by the neighbours that the rules tell."""
    game, view = state.game, state.view(seat)
    reached = {cell for cell in range(len(view)) if view[cell] == "xo"[seat] and game.side(seat, cell)[0]}
    todo = list(reached)
    while todo:
        for cell in game.neighbours(todo.pop()):
            if view[cell] == "xo"[seat] and cell not in reached:
                reached.add(cell)
                todo.append(cell)
    return any(game.side(seat, cell)[1] for cell in reached)


@pytest.mark.parametrize(("version", "reveal"), itertools.product(VERSIONS, REVEALS))
def test_parity_with_openspiel_on_random_trajectories(version: str, reveal: str):
    for rows, columns in ((3, 3), (2, 4), (4, 3)):
        params = {"gameversion": version, "obstype": reveal, "num_rows": rows, "num_cols": columns}
        game = get_game("dark_hex", params)
        assert game.spec.max_turns == 2 * rows * columns - 1
        for seed in range(60):
            state = game.new_state(seed)
            reference = pyspiel.load_game("dark_hex", params).new_initial_state()
            rng = random.Random(f"parity/{seed}")
            while not reference.is_terminal():
                seat = reference.current_player()
                assert [move.action for move in state.legal(seat)] == reference.legal_actions()
                assert [move.answer for move in state.legal(seat)] == list(
                    map(reference.action_to_string, reference.legal_actions())
                )
                move = rng.choice(state.legal(seat))
                state.apply({seat: move})
                reference.apply_action(move.action)
            assert list(state.returns()) == reference.returns()
            assert isinstance(state, DarkHexState)
            assert state.outcome() == ("p0" if connected(state, 0) else "p1")
            assert connected(state, 0) != connected(state, 1)


@pytest.mark.parametrize(("version", "reveal"), itertools.product(VERSIONS, REVEALS))
def test_variants_look_the_same_and_differ(version: str, reveal: str):
    game = get_game("dark_hex", {"gameversion": version, "obstype": reveal})
    found = 0
    for seed in range(20):
        state, rng = game.new_state(seed), random.Random(seed)
        while seats := state.to_move():
            for seat in (0, 1):
                for other in game.variants(state, seat, rng):
                    found += 1
                    assert other.to_json()["history"] != state.to_json()["history"]
                    assert (other.observe(seat), other.render(seat)) == (state.observe(seat), state.render(seat))
            state.apply({seats[0]: rng.choice(state.legal(seats[0]))})
    assert found > 80


def test_greedy_goes_on_with_its_chain():
    greedy = GAME.bots()["greedy"]
    for seed in range(10):
        rng = random.Random(seed)
        assert greedy(after("b1 c3 b2 c2"), 0, rng) in ("[a3]", "[b3]")
        assert greedy(after("a1 b2 a2"), 1, rng) in ("[a2]", "[a3]", "[c1]", "[c2]")
    returns = [play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(100)]
    assert sum(returns) > 60
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, random.Random(0))


@pytest.mark.parametrize(("version", "reveal"), itertools.product(VERSIONS, REVEALS))
def test_conformance(version: str, reveal: str):
    params = {"gameversion": version, "obstype": reveal}
    assert check_game(get_game("dark_hex", params), matches=20) == []
    assert check_game(get_game("dark_hex", {**params, "num_rows": 4, "num_cols": 5}), seeds=range(2), matches=6) == []
