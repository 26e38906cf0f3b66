"""Connect four: stones fall, lines of every direction win, and OpenSpiel agrees."""

from __future__ import annotations

import random

import pytest
from games_helpers import play, say
from parity import beside_openspiel

from games import Issue, get_game
from games.conformance import check_game
from games.connect_four import MARKS
from games.errors import ParameterError

GAME = get_game("connect_four")


def after(columns: str, **params: int):
    state = get_game("connect_four", params).new_state(0)
    say(state, *(f"[{column}]" for column in columns))
    return state


def cells_by_hand(state) -> list[list[str]]:
    """Columns of stones from the bottom, from the moves alone."""
    columns: list[list[str]] = [[] for _ in range(state.game.spec.params["columns"])]
    for ply, column in enumerate(state.to_json()["history"]):
        columns[column].append(MARKS[ply % 2])
    return columns


def has_line(columns: list[list[str]], mark: str, wanted: int) -> bool:
    stones = {(x, y) for x, column in enumerate(columns) for y, stone in enumerate(column) if stone == mark}
    return any(
        all((x + i * dx, y + i * dy) in stones for i in range(wanted))
        for x, y in stones
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


def test_a_stone_falls_to_the_lowest_empty_cell_and_is_told():
    state = after("334")
    assert (
        state.board(0)
        == state.board(1)
        == (". . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .\n. . o . . . .\n. . x x . . .\n1 2 3 4 5 6 7")
    )
    assert [event.text for event in state.observe(1).events] == [
        "Player 0 dropped x into column 3.",
        "Player 1 dropped o into column 3.",
        "Player 0 dropped x into column 4.",
    ]
    assert state.observe(0).events == state.observe(1).events


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ("1212121", "p0"),  # upright
        ("1122334", "p0"),  # level
        ("12233434474", "p0"),  # rising
        ("76655454414", "p0"),  # falling
        ("71212121", "p1"),
    ],
)
def test_four_in_a_row_win(columns: str, winner: str):
    state = after(columns)
    assert state.to_move() == ()
    assert state.outcome() == winner
    assert state.returns() == ((1.0, -1.0) if winner == "p0" else (-1.0, 1.0))


def test_three_in_a_row_go_on():
    assert after("121212").to_move() == (0,)


def test_a_full_column_is_illegal_and_a_missing_one_is_malformed():
    state = after("111111")
    assert [move.answer for move in state.legal(0)] == ["2", "3", "4", "5", "6", "7"]
    assert state.parse(0, "[1]").issue is Issue.ILLEGAL
    for text in ("[8]", "[0]", "[-1]", "[c]", "[3.0]", "[column 3 or 4]"):
        assert state.parse(0, text).issue is Issue.MALFORMED, text


def test_a_full_board_is_a_draw():
    draws = [
        state
        for state in (play(get_game("connect_four", {"rows": 4, "columns": 4}), seed) for seed in range(60))
        if state.outcome() == "draw"
    ]
    assert draws
    for state in draws:
        assert "." not in state.board(0)
        assert state.returns() == (0.0, 0.0)
        assert len(state.observe(0).events) == state.game.spec.max_turns == 16


@pytest.mark.parametrize(
    "params",
    [
        {"rows": 6, "columns": 7, "x_in_row": 4},
        {"rows": 4, "columns": 4, "x_in_row": 3},
        {"rows": 4, "columns": 9, "x_in_row": 5},
        {"rows": 9, "columns": 4, "x_in_row": 6},
    ],
)
def test_parity_with_openspiel_and_with_lines_counted_by_hand(params: dict[str, int]):
    for state, reference in beside_openspiel("connect_four", params, 60):
        columns = cells_by_hand(state)
        height, width, wanted = params["rows"], params["columns"], params["x_in_row"]
        lines = [
            " ".join(column[row] if row < len(column) else "." for column in columns) for row in reversed(range(height))
        ]
        assert state.board(0) == "\n".join([*lines, " ".join(map(str, range(1, width + 1)))])
        won = [seat for seat in (0, 1) if has_line(columns, MARKS[seat], wanted)]
        assert reference.is_terminal() == bool(won or all(len(column) == height for column in columns))
        if reference.is_terminal():
            assert state.outcome() == (f"p{won[0]}" if won else "draw")


def test_rules_follow_the_parameters():
    text = get_game("connect_four", {"rows": 5, "columns": 9, "x_in_row": 3}).rules(1)
    assert text.startswith("Connect four on 5 rows and 9 columns.")
    assert "3 in a row" in text
    assert text.endswith("You are player 1, o.")


def test_a_line_that_fits_nowhere_is_refused():
    with pytest.raises(ParameterError, match="x_in_row=6 fits neither rows=4 nor columns=5; give at most 5"):
        get_game("connect_four", {"rows": 4, "columns": 5, "x_in_row": 6})
    with pytest.raises(ParameterError, match=r"rows=3 is outside 4 … 9"):
        get_game("connect_four", {"rows": 3})


def test_greedy_wins_blocks_and_does_not_help_the_other():
    greedy = GAME.bots()["greedy"]
    for seed in range(20):
        rng = random.Random(seed)
        assert greedy(after("121212"), 0, rng) == "[1]"  # wins rather than blocks
        assert greedy(after("12121"), 1, rng) == "[1]"  # blocks
    assert sum(play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(30)) >= 26
    assert sum(play(GAME, seed, ("random", "greedy")).returns()[1] for seed in range(30)) >= 26
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, random.Random(0))


def test_greedy_lets_the_other_win_next_only_where_it_must():
    def wins(state, seat):
        children = []
        for move in state.legal(seat):
            child = state.clone()
            child.apply({seat: move})
            children.append(child)
        return [child for child in children if not child.to_move() and child.returns()[seat] > 0], children

    forced = 0
    for state, reference in beside_openspiel("connect_four", {"rows": 5, "columns": 5}, 12):
        if reference.is_terminal():
            continue
        (seat,) = state.to_move()
        won, children = wins(state, seat)
        after_it = state.clone()
        after_it.apply({seat: state.parse(seat, GAME.bots()["greedy"](state, seat, random.Random(0))).move})
        if won:
            assert after_it.outcome() == f"p{seat}"
        elif wins(after_it, 1 - seat)[0]:
            forced += 1
            assert all(wins(child, 1 - seat)[0] for child in children)
    assert forced > 0


@pytest.mark.parametrize("params", [{}, {"rows": 4, "columns": 9, "x_in_row": 9}, {"rows": 9, "columns": 5}])
def test_conformance(params: dict[str, int]):
    assert check_game(get_game("connect_four", params), seeds=range(3), matches=20) == []
