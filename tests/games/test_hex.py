"""Hex: who joins which sides, the swap, the length, values of small boards, and OpenSpiel agrees."""

from __future__ import annotations

import random
from functools import cache

import pyspiel
import pytest
from games_helpers import play, say
from parity import beside_openspiel

from games import Issue, get_game
from games.conformance import check_game
from games.hex import MARKS, missing

GAME = get_game("hex")
AROUND = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


def after(moves: str, **params: int | bool):
    state = get_game("hex", params).new_state(0)
    say(state, *(f"[{move}]" for move in moves.split()))
    return state


def joined(cells: str, size: int, mark: str) -> bool:
    """Whether a chain joins the mark's sides, by flood fill."""
    chain = {i for i in range(size) if cells[i if mark == "x" else i * size] == mark}
    todo = chain = {i if mark == "x" else i * size for i in chain}
    while todo:
        todo = {
            (row + down) * size + column + right
            for row, column in (divmod(cell, size) for cell in todo)
            for down, right in AROUND
            if 0 <= row + down < size and 0 <= column + right < size
        } - chain
        todo = {cell for cell in todo if cells[cell] == mark}
        chain = chain | todo
    return any((cell // size if mark == "x" else cell % size) == size - 1 for cell in chain)


def test_the_board_and_what_is_told():
    state = after("b2 c1", board_size=3)
    assert state.board(0) == state.board(1) == "  a b c\n1 . . o\n 2 . x .\n  3 . . ."
    assert [event.text for event in state.observe(0).events] == ["Player 0 put x on b2.", "Player 1 put o on c1."]
    assert state.parse(0, "[c1]").issue is Issue.ILLEGAL
    assert state.parse(0, "[d1]").issue is Issue.MALFORMED
    assert state.parse(0, "[swap]").issue is Issue.MALFORMED
    assert state.parse(0, "[C3]").move.answer == "c3"


def test_two_digits_keep_the_columns_in_place():
    rows = get_game("hex", {"board_size": 11}).new_state(0).board(0).split("\n")
    assert rows[0] == "   a b c d e f g h i j k"
    assert rows[1] == " 1 . . . . . . . . . . ."
    assert rows[11] == f"{' ' * 10}11 . . . . . . . . . . ."


@pytest.mark.parametrize(
    ("moves", "winner"),
    [
        ("b1 a1 b2 a2 b3", "p0"),  # straight down
        ("c1 a1 b2 c2 a3", "p0"),  # c1, b2, a3 touch one another
        ("a1 a2 c1 b2 a3 c2", "p1"),  # level
        ("a1 a3 c3 b2 b1 c1", "p1"),
    ],
)
def test_touching_stones_between_ones_own_sides_win(moves: str, winner: str):
    state = after(moves, board_size=3)
    assert state.to_move() == ()
    assert state.outcome() == winner


def test_the_other_diagonal_does_not_touch():
    assert after("a1 c1 b2 c2 c3 a2", board_size=3).to_move() == (0,)


def test_the_neighbours_in_the_rules_are_those_of_the_game():
    """The rules name the cells around b2: exactly those make one chain with it."""
    assert "b2 touches b1, c1, a2, c2, a3 and b3." in GAME.rules(0)
    named = {"b1", "c1", "a2", "c2", "a3", "b3"}
    cells = [move.answer for move in GAME.moves]
    chain = {f"{'abcdefg'[1 + right]}{2 + down}" for down, right in AROUND}
    assert chain == named <= set(cells)


@pytest.mark.parametrize("params", [{"board_size": 3}, {"board_size": 5}, {"board_size": 11}, {"board_size": 19}])
def test_parity_with_openspiel_and_with_chains_found_by_hand(params: dict[str, int]):
    size = params["board_size"]
    cells: list[str] = []
    for state, reference in beside_openspiel("hex", params, 60 if size < 6 else 3):
        history = state.to_json()["history"]
        if history:
            cells[history[-1]] = MARKS[(len(history) - 1) % 2]
        else:
            cells = ["."] * size**2
        assert state.cells() == "".join(cells)
        if size > 6 and not reference.is_terminal():
            continue
        won = [seat for seat in (0, 1) if joined("".join(cells), size, MARKS[seat])]
        assert reference.is_terminal() == bool(won)
        if won:
            assert state.outcome() == f"p{won[0]}"
        else:
            assert [reference.action_to_string(move.action) for move in state.legal(len(history) % 2)] == [
                move.answer for move in state.legal(len(history) % 2)
            ]


def test_swap_is_offered_once_and_mirrors_the_stone():
    state = after("b1", board_size=3, swap=True)
    assert state.observe(1).legal == ("a1", "c1", "a2", "b2", "c2", "a3", "b3", "c3", "swap")
    assert state.parse(0, "[swap]").issue is Issue.ILLEGAL
    say(state, "[swap]")
    assert state.board(0) == "  a b c\n1 . . .\n 2 o . .\n  3 . . ."
    assert state.observe(0).events[-1].text == "Player 1 swapped: the stone on b1 is now o on a2."
    assert state.to_move() == (0,)
    assert state.parse(0, "[swap]").issue is Issue.ILLEGAL
    assert state.parse(0, "[b1]").issue is Issue.OK
    late = after("b1 a1 c3", board_size=3, swap=True)
    assert late.parse(1, "[swap]").issue is Issue.ILLEGAL
    for seed in range(30):
        for state, _ in beside_openspiel("hex", {"board_size": 4, "swap": True}, 1 + seed % 2):
            assert state.cells().count("x") - state.cells().count("o") in (-1, 0, 1)


def test_a_swapped_match_can_be_a_move_longer_than_openspiel_declares():
    assert pyspiel.load_game("hex", {"board_size": 3, "swap": True}).max_game_length() == 9
    assert get_game("hex", {"board_size": 3}).spec.max_turns == 9
    game = get_game("hex", {"board_size": 3, "swap": True})
    assert game.spec.max_turns == 10
    longest = 0
    for seed in range(3000):
        state, rng = game.new_state(seed), random.Random(seed)
        while seats := state.to_move():
            legal = state.legal(seats[0])
            state.apply({seats[0]: legal[-1] if legal[-1].answer == "swap" else rng.choice(legal)})
        longest = max(longest, len(state.to_json()["history"]))
    assert longest == 10


@pytest.mark.parametrize(("swap", "value"), [(False, 1.0), (True, -1.0)])
def test_the_value_of_three_by_three(swap: bool, value: float):
    """The first wins (Nash); with a swap, the second does."""

    @cache
    def best(cells: str, moves: int) -> float:
        state = positions[cells, moves]
        if state.is_terminal():
            return state.returns()[0]
        found = []
        for action in state.legal_actions():
            child = state.child(action)
            key = "".join(child.observation_string(0).split()), child.move_number() if swap and moves < 2 else 9
            positions.setdefault(key, child)
            found.append(best(*key))
        return max(found) if state.current_player() == 0 else min(found)

    root = pyspiel.load_game("hex", {"board_size": 3, "swap": swap}).new_initial_state()
    positions = {("", 0): root}
    assert best("", 0) == value


def test_rules_say_the_sides_and_whether_swap_applies():
    plain, swap = get_game("hex", {"board_size": 5}), get_game("hex", {"board_size": 5, "swap": True})
    assert plain.rules(0).startswith("Hex on 5 rows and 5 columns")
    for game in (plain, swap):
        assert "Player 0 is x, moves first and wants to join top and bottom; player 1 is o" in game.rules(1)
        assert "there is no draw" in game.rules(0)
    assert "there is no swap" in plain.rules(0)
    assert "player 1 may answer its first turn with the word swap" in swap.rules(0)


def test_missing_counts_the_stones_that_a_chain_still_needs():
    state = after("b2 c1", board_size=3)
    assert min(missing(state.cells(), 3, "x")) == 2
    assert min(missing(state.cells(), 3, "o")) == 2
    assert missing("x..x..x..", 3, "x")[0] == 0
    assert min(missing("xxx......", 3, "o")) == 3
    assert min(missing("x..x..x..", 3, "o")) >= 10_000  # cut off


def test_greedy_joins_at_once_where_it_can():
    """Also where a cell that both want looks better."""
    won = 0
    for state, reference in beside_openspiel("hex", {"board_size": 5}, 120):
        if reference.is_terminal():
            continue
        (seat,) = state.to_move()
        if any(reference.child(action).is_terminal() for action in reference.legal_actions()):
            won += 1
            child = state.clone()
            child.apply({seat: state.parse(seat, GAME.bots()["greedy"](state, seat, random.Random(0))).move})
            assert child.outcome() == f"p{seat}"
    assert won > 50


def test_greedy_joins_and_blocks():
    greedy = GAME.bots()["greedy"]
    for seed in range(20):
        rng = random.Random(seed)
        assert greedy(after("b1 a1 b2 a3", board_size=3), 0, rng) == "[b3]"
        assert greedy(after("b2 a1 c1", board_size=3), 1, rng) in ("[a3]", "[b3]", "[a2]", "[c2]")
        assert play(GAME, seed, ("greedy", "random")).outcome() == "p0"
        assert play(GAME, seed, ("random", "greedy")).outcome() == "p1"
    assert play(get_game("hex", {"swap": True}), 1, ("random", "greedy")).outcome() == "p1"
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, random.Random(0))


@pytest.mark.parametrize("params", [{}, {"board_size": 3, "swap": True}, {"board_size": 11, "swap": True}])
def test_conformance(params: dict[str, int]):
    assert check_game(get_game("hex", params), seeds=range(3), matches=12) == []
