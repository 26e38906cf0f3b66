"""Breakthrough: how pieces step and take, who has broken through, and OpenSpiel agrees."""

from __future__ import annotations

import random

import pytest
from games_helpers import play, say
from parity import beside_openspiel

from games import Issue, get_game
from games.conformance import check_game

GAME = get_game("breakthrough")
SMALL = {"rows": 6, "columns": 3}


def after(moves: str, **params: int):
    state = get_game("breakthrough", params).new_state(0)
    say(state, *(f"[{move}]" for move in moves.split()))
    return state


def test_the_start():
    state = GAME.new_state(0)
    assert (
        state.board(0)
        == state.board(1)
        == (
            "8 b b b b b b b b\n7 b b b b b b b b\n6 . . . . . . . .\n5 . . . . . . . .\n4 . . . . . . . .\n"
            "3 . . . . . . . .\n2 w w w w w w w w\n1 w w w w w w w w\n  a b c d e f g h"
        )
    )
    assert [move.answer for move in state.legal(0)][:5] == ["a7a6", "a7b6", "b7a6", "b7b6", "b7c6"]
    assert len(state.legal(0)) == 22


def test_straight_ahead_nothing_is_taken_and_diagonally_it_is():
    state = after("b5b4 b2b3", **SMALL)
    assert state.board(0) == "6 b b b\n5 b . b\n4 . b .\n3 . w .\n2 w . w\n1 w w w\n  a b c"
    assert state.parse(0, "[b4b3]").issue is Issue.ILLEGAL
    assert {move.answer for move in state.legal(0)} >= {"b4a3", "b4c3"}
    say(state, "[a5a4]", "[b3a4]")
    assert [event.text for event in state.observe(0).events[-2:]] == ["Black: a5a4.", "White: b3a4 takes."]
    assert state.board(0) == "6 b b b\n5 . . b\n4 w b .\n3 . . .\n2 w . w\n1 w w w\n  a b c"


RACE = "b5b4 c2c3 b4a3 c3c4 a3b2"


def test_the_last_row_wins():
    state = after(f"{RACE} c4b5 b2a1", **SMALL)
    assert state.to_move() == ()
    assert (state.outcome(), state.returns()) == ("p0", (1.0, -1.0))
    state = after(f"{RACE} c4b5 a5a4 b5a6", **SMALL)
    assert (state.outcome(), state.returns()) == ("p1", (-1.0, 1.0))


def test_taking_every_piece_wins():
    """On a narrow board it happens in random play."""
    found = set()
    for seed in range(300):
        state = play(get_game("breakthrough", {"rows": 6, "columns": 2}), seed)
        cells = [line[2:] for line in state.board(0).split("\n")[:-1]]
        through = "b" in cells[-1] or "w" in cells[0]
        left = {mark for mark in "bw" if any(mark in row for row in cells)}
        assert through or len(left) == 1
        if not through:
            assert state.outcome() == ("p0" if left == {"b"} else "p1")
            found.add(state.outcome())
    assert found == {"p0", "p1"}


@pytest.mark.parametrize(("rows", "deep"), [(5, 1), (6, 2), (7, 2), (8, 2)])
def test_how_many_rows_of_pieces_there_are_is_told(rows: int, deep: int):
    game = get_game("breakthrough", {"rows": rows, "columns": 4})
    board = game.new_state(0).board(0)
    assert (board.count("b b b b"), board.count("w w w w")) == (deep, deep)
    for text in ("top row", "bottom row") if deep == 1 else ("two top rows", "two bottom rows"):
        assert f"fills the {text}" in game.rules(0)


def test_spellings():
    state = GAME.new_state(0)
    for text in ("[a7b6]", "[A7B6]", "[a7-b6]", "[a7 b6]", "[a7xb6]", "\\boxed{a7b6}"):
        assert state.parse(0, text).move.answer == "a7b6", text
    for text in ("[a7]", "[a7b6c5]", "[b6]", "[a7 to]", "[a9a8]", "[a7a5]"):
        assert state.parse(0, text).issue is Issue.MALFORMED, text
    for text in ("[a2a3]", "[a2-a3]", "[a2 a3]", "[b2xa3]"):  # steps of the other
        assert state.parse(0, text).issue is Issue.ILLEGAL, text


@pytest.mark.parametrize("params", [{"rows": 8, "columns": 8}, {"rows": 5, "columns": 2}, {"rows": 6, "columns": 7}])
def test_parity_with_openspiel_and_with_pieces_moved_by_hand(params: dict[str, int]):
    game = get_game("breakthrough", params)
    rows, columns = params["rows"], params["columns"]
    pieces: dict[str, str] = {}
    before = 0
    for state, reference in beside_openspiel("breakthrough", params, 30):
        history = state.to_json()["history"]
        if not history:
            pieces = {
                f"{'abcdefgh'[x]}{row}": mark
                for x in range(columns)
                for row, mark in ((rows, "b"), (rows - 1, "b"), (2, "w"), (1, "w"))
                if rows >= 6 or row in (1, rows)
            }
            before = len(pieces)
        else:
            event = state.observe(0).events[-1].text
            move = event.split(": ")[1][:4]
            seat = (len(history) - 1) % 2
            assert event.startswith(("Black", "White")[seat])
            assert pieces.pop(move[:2]) == "bw"[seat]
            assert (ord(move[0]) - ord(move[2])) in (-1, 0, 1)
            assert int(move[3]) - int(move[1]) == (-1, 1)[seat]
            pieces[move[2:]] = "bw"[seat]
            assert event.endswith(" takes.") == (len(pieces) < before)
            before = len(pieces)
        assert state.board(0).split("\n")[:-1] == [
            f"{row} {' '.join(pieces.get(f'{letter}{row}', '.') for letter in 'abcdefgh'[:columns])}"
            for row in range(rows, 0, -1)
        ]
        for move in [] if reference.is_terminal() else state.legal(state.to_move()[0]):
            assert reference.action_to_string(move.action).rstrip("*") == move.answer
            assert move.answer in game.known_answers


def test_rules_follow_the_parameters():
    game = get_game("breakthrough", {"rows": 5, "columns": 4})
    assert game.rules(0).startswith("Breakthrough on 5 rows and 4 columns.")
    assert "[a5b4]" in game.rules(0)
    assert "[a1b2]" in game.rules(1)
    for rows in range(5, 9):  # the example is legal, whatever was played before
        game = get_game("breakthrough", {"rows": rows, "columns": 2})
        for move in game.new_state(0).legal(0):
            state = game.new_state(0)
            state.apply({0: move})
            assert state.parse(1, game.rules(1)).issue is Issue.OK


def test_greedy_breaks_through_stops_and_takes():
    greedy = GAME.bots()["greedy"]
    for seed in range(20):
        rng = random.Random(seed)
        assert greedy(after(f"{RACE} c4b5", **SMALL), 0, rng) in ("[b2a1]", "[b2c1]")
        assert greedy(after(RACE, **SMALL), 1, rng) in ("[a1b2]", "[c1b2]")  # or it is through
        assert greedy(after("a7a6 b2b3 a6a5 b3b4"), 0, rng) == "[a5b4]"
    for seed in range(8):
        assert play(GAME, seed, ("greedy", "random")).outcome() == "p0"
        assert play(GAME, seed, ("random", "greedy")).outcome() == "p1"
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, random.Random(0))


def test_greedy_wins_at_once_and_lets_the_other_do_so_only_where_it_must():
    def wins(state, seat):
        children = []
        for move in state.legal(seat):
            child = state.clone()
            child.apply({seat: move})
            children.append(child)
        return any(not child.to_move() and child.returns()[seat] > 0 for child in children), children

    stopped = 0
    for state, reference in beside_openspiel("breakthrough", {"rows": 6, "columns": 4}, 25):
        if reference.is_terminal():
            continue
        (seat,) = state.to_move()
        won, children = wins(state, seat)
        after_it = state.clone()
        after_it.apply({seat: state.parse(seat, GAME.bots()["greedy"](state, seat, random.Random(0))).move})
        if won:
            assert after_it.outcome() == f"p{seat}"
            continue
        lost = [wins(child, 1 - seat)[0] for child in children]
        assert not wins(after_it, 1 - seat)[0] or all(lost)
        stopped += any(lost) and not all(lost)
    assert stopped > 10


@pytest.mark.parametrize("params", [{}, {"rows": 5, "columns": 2}, {"rows": 6, "columns": 8}])
def test_conformance(params: dict[str, int]):
    assert check_game(get_game("breakthrough", params), seeds=range(3), matches=15) == []
