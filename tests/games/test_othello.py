"""Othello: what is turned, who must pass, the count, and the known numbers of positions."""

from __future__ import annotations

import random

import pytest
from games_helpers import play, say
from parity import beside_openspiel

from games import Issue, State, get_game
from games.conformance import check_game
from games.othello import CORNERS, MARKS

GAME = get_game("othello")
LINES = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


def after(moves: str):
    state = GAME.new_state(0)
    say(state, *(f"[{move}]" for move in moves.split()))
    return state


def turned(cells: list[str], action: int, mark: str) -> list[int]:
    """What a piece turns, worked out from the rules."""
    found = []
    for down, right in LINES:
        row, column, line = action // 8 + down, action % 8 + right, []
        while 0 <= row < 8 and 0 <= column < 8 and cells[row * 8 + column] not in (".", mark):
            line.append(row * 8 + column)
            row, column = row + down, column + right
        if 0 <= row < 8 and 0 <= column < 8 and cells[row * 8 + column] == mark:
            found += line
    return found


def test_a_move_turns_what_it_encloses():
    state = after("d3 c3")
    assert (
        state.board(0)
        == state.board(1)
        == (
            "1 . . . . . . . .\n2 . . . . . . . .\n3 . . o x . . . .\n4 . . . o x . . .\n5 . . . x o . . .\n"
            "6 . . . . . . . .\n7 . . . . . . . .\n8 . . . . . . . .\n  a b c d e f g h\nBlack 3, White 3."
        )
    )
    assert [event.text for event in state.observe(0).events] == ["Black: d3, turning 1.", "White: c3, turning 1."]
    assert state.parse(0, "[c3]").issue is Issue.ILLEGAL
    assert state.parse(0, "[pass]").issue is Issue.ILLEGAL
    assert state.parse(0, "[i3]").issue is Issue.MALFORMED
    assert state.parse(0, "[C4]").move.answer == "c4"


@pytest.mark.parametrize(("depth", "leaves"), [(1, 4), (2, 12), (3, 56), (4, 244), (5, 1396)])
def test_the_known_numbers_of_positions(depth: int, leaves: int):
    def count(state: State, left: int) -> int:
        if left == 0:
            return 1
        (seat,) = state.to_move()
        total = 0
        for move in state.legal(seat):
            child = state.clone()
            child.apply({seat: move})
            total += count(child, left - 1)
        return total

    assert count(GAME.new_state(0), depth) == leaves


def test_parity_with_openspiel_and_with_pieces_turned_by_hand():
    cells: list[str] = []
    passes = ends = 0
    mover = 0
    for state, reference in beside_openspiel("othello", {}, 60):
        history = state.to_json()["history"]
        if not history:
            cells = list("." * 27 + "ox" + "." * 6 + "xo" + "." * 27)
        elif history[-1] == 64:
            passes += 1
            assert state.observe(0).events[-1].text == f"{('Black', 'White')[mover]} cannot move and passes."
        else:
            flips = turned(cells, history[-1], MARKS[mover])
            assert state.observe(0).events[-1].text.endswith(f", turning {len(flips)}.")
            for square in (*flips, history[-1]):
                cells[square] = MARKS[mover]
        assert state.cells() == "".join(cells)
        can = [[a for a in range(64) if cells[a] == "." and turned(cells, a, mark)] for mark in MARKS]
        assert reference.is_terminal() == (can == [[], []])
        if reference.is_terminal():
            ends += 1
            black, white = cells.count("x"), cells.count("o")
            assert state.outcome() == ("p0" if black > white else "p1" if white > black else "draw")
            assert state.board(0).endswith(f"\nBlack {black}, White {white}.")
            continue
        (mover,) = state.to_move()
        assert [move.action for move in state.legal(mover)] == (can[mover] or [64])
    assert ends == 60
    assert passes > 20


def test_who_cannot_turn_anything_is_told_to_pass():
    seen = 0
    for state, reference in beside_openspiel("othello", {}, 40):
        if reference.is_terminal():
            continue
        (seat,) = state.to_move()
        asked = state.observe(seat)
        assert state.observe(1 - seat).ask == ""
        if asked.legal == ("pass",):
            seen += 1
            assert asked.ask == "You cannot turn anything: answer [pass]."
            assert state.parse(seat, "[pass]").issue is Issue.OK
            assert state.parse(seat, "[a1]").issue is Issue.ILLEGAL
        else:
            assert asked.ask == "Your move."
            assert state.parse(seat, "[pass]").issue is Issue.ILLEGAL
    assert seen > 10


def test_the_shortest_game_ends_without_a_white_piece():
    """Nine moves, known from the literature: Black has taken everything, so neither can move."""
    state = after("e6 f4 e3 f6 g5 d6 e7 f5 c5")
    assert state.to_move() == ()
    assert state.outcome() == "p0"
    assert state.board(0).endswith("\nBlack 13, White 0.")


def test_equal_counts_are_a_draw():
    draws = [state for state in (play(GAME, seed) for seed in range(150)) if state.outcome() == "draw"]
    assert draws
    assert all(state.returns() == (0.0, 0.0) for state in draws)
    assert all(state.cells().count("x") == state.cells().count("o") for state in draws)


def test_greedy_takes_corners_and_gives_none_away():
    greedy = GAME.bots()["greedy"]
    beside = {1, 8, 9, 6, 14, 15, 48, 49, 57, 54, 55, 62}
    taken = avoided = 0
    for state, reference in beside_openspiel("othello", {}, 25):
        if reference.is_terminal():
            continue
        (seat,) = state.to_move()
        actions = set(reference.legal_actions())
        chosen = state.parse(seat, greedy(state, seat, random.Random(0))).move.action
        if actions & CORNERS:
            taken += 1
            assert chosen in CORNERS
        elif all(state.cells()[corner] == "." for corner in CORNERS) and actions - beside and actions & beside:
            avoided += 1
            assert chosen not in beside
    assert taken > 20
    assert avoided > 20
    wins = [play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(15)]
    wins += [play(GAME, seed, ("random", "greedy")).returns()[1] for seed in range(15)]
    assert sum(wins) >= 20
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, random.Random(0))


def test_conformance():
    assert check_game(GAME, seeds=range(3), matches=20) == []
