"""Dots and boxes: a closed box gives another turn, boxes are counted, and known values hold."""

from __future__ import annotations

import random
from functools import cache

import pyspiel
import pytest
from games_helpers import play, say
from parity import beside_openspiel

from games import Issue, get_game
from games.conformance import check_game
from games.dots_and_boxes_bot import given_away

GAME = get_game("dots_and_boxes")


def after(moves: str, **params: int | bool):
    state = get_game("dots_and_boxes", params).new_state(0)
    say(state, *(f"[{move}]" for move in moves.split()))
    return state


def test_the_board_and_what_is_told():
    state = after("a1-b1 b1-b2 a2-b2")
    assert (
        state.board(0)
        == state.board(1)
        == ("  a   b   c\n1 +---+   +\n      |\n2 +---+   +\n\n3 +   +   +\nBoxes: player 0 has 0, player 1 has 0.")
    )
    assert state.to_move() == (1,)
    say(state, "[a1-a2]")
    assert state.board(0) == (
        "  a   b   c\n1 +---+   +\n  | 1 |\n2 +---+   +\n\n3 +   +   +\nBoxes: player 0 has 0, player 1 has 1."
    )
    assert [event.text for event in state.observe(0).events[-2:]] == [
        "Player 0 drew a2-b2.",
        "Player 1 drew a1-a2 and closed a box: again its turn.",
    ]
    assert state.to_move() == (1,)
    assert state.parse(1, "[a1-a2]").issue is Issue.ILLEGAL


def test_one_line_can_close_two_boxes_and_the_last_one_gives_no_turn():
    state = after("a1-b1 b1-c1 a2-b2 b2-c2 a1-a2 c1-c2", num_rows=1)
    assert state.to_move() == (0,)
    say(state, "[b1-b2]")
    assert state.observe(1).events[-1].text == "Player 0 drew b1-b2 and closed 2 boxes."
    assert state.to_move() == ()
    assert state.outcome() == "p0"
    assert state.board(1).endswith("Boxes: player 0 has 2, player 1 has 0.")


def test_spellings():
    state = GAME.new_state(0)
    for text in ("[a1-b1]", "[A1-B1]", "[b1-a1]", "[a1 b1]", "[b1 a1]", "[a1b1]", "[b1a1]", "\\boxed{a1-b1}"):
        assert state.parse(0, text).move.answer == "a1-b1", text
    say(state, "[a1-b1]")
    for text in ("[a1-b1]", "[b1-a1]", "[a1 b1]", "[b1a1]"):
        assert state.parse(1, text).issue is Issue.ILLEGAL, text
    for text in ("[a1]", "[a1-c1]", "[a1-b2]", "[a1-a1]", "[a4-a5]", "[a1-b1, b1-c1]", "[a1-b1-c1]"):
        assert state.parse(1, text).issue is Issue.MALFORMED, text


@pytest.mark.parametrize(
    "params",
    [
        {"num_rows": 2, "num_cols": 2, "utility_margin": False},
        {"num_rows": 3, "num_cols": 3, "utility_margin": True},
        {"num_rows": 1, "num_cols": 4, "utility_margin": False},
        {"num_rows": 6, "num_cols": 6, "utility_margin": True},
    ],
)
def test_parity_with_openspiel_and_with_boxes_counted_by_hand(params: dict[str, int]):
    """Boxes by the dots around them, which is not how the game counts."""
    rows, columns = params["num_rows"], params["num_cols"]
    boxes: dict[tuple[int, int], int] = {}
    drawn: set[str] = set()
    mover = 0
    for state, reference in beside_openspiel("dots_and_boxes", params, 60 if rows < 6 else 4):
        history = state.to_json()["history"]
        if not history:
            boxes, drawn, closed = {}, set(), 0
        else:
            answer = state.observe(0).events[-1].text.split(" drew ")[1].removesuffix(".").split(" ")[0]
            drawn.add(answer)
            closed = 0
            for row in range(rows):
                for column in range(columns):
                    a, b, c, d = (f"{'abcdefg'[column + x]}{row + y + 1}" for y in (0, 1) for x in (0, 1))
                    sides = {f"{a}-{b}", f"{c}-{d}", f"{a}-{c}", f"{b}-{d}"}
                    if sides <= drawn and (row, column) not in boxes:
                        boxes[row, column] = mover
                        closed += 1
            assert answer == state.game.moves[history[-1]].answer
        assert state.owners() == {row * columns + column: seat for (row, column), seat in boxes.items()}
        counts = [list(boxes.values()).count(seat) for seat in (0, 1)]
        assert state.board(0).endswith(f"Boxes: player 0 has {counts[0]}, player 1 has {counts[1]}.")
        if reference.is_terminal():
            assert sum(counts) == rows * columns
            margin = counts[0] - counts[1]
            assert state.returns()[0] == (margin if params["utility_margin"] else (margin > 0) - (margin < 0))
            assert state.outcome() == ("draw" if margin == 0 else "p0" if margin > 0 else "p1")
        else:
            if history:
                assert state.to_move() == ((mover,) if closed else (1 - mover,))
            (mover,) = state.to_move()


def test_outcomes_and_bounds():
    assert GAME.spec.outcomes == ("p0", "p1", "draw")
    odd = get_game("dots_and_boxes", {"num_rows": 3, "num_cols": 3, "utility_margin": True})
    assert odd.spec.outcomes == ("p0", "p1")
    assert (odd.spec.min_return, odd.spec.max_return, odd.spec.max_turns) == (-9.0, 9.0, 24)
    assert "The difference in boxes is the result" in odd.rules(0)
    assert "Who has more wins" in GAME.rules(0)


@pytest.mark.parametrize(("rows", "columns", "value"), [(1, 1, -1), (1, 2, 0), (1, 3, -1), (2, 2, 2)])
def test_values_of_small_boards(rows: int, columns: int, value: int):
    """Boxes of the first seat less those of the second, by search over our lines and over OpenSpiel's own states.

    That the first seat wins on 2 by 2 is in Berlekamp, Conway and Guy, "Winning Ways".
    """
    params = {"num_rows": rows, "num_cols": columns, "utility_margin": True}
    game = get_game("dots_and_boxes", params)
    count = len(game.moves)

    @cache
    def gain(drawn: frozenset[int]) -> int:
        """For the seat to move, from here on."""
        found = []
        for line in range(count):
            if line not in drawn:
                now = drawn | {line}
                closed = sum(line in box and box <= now for box in game.boxes)
                found.append(closed + gain(now) if closed else -gain(now))
        return max(found, default=0)

    assert gain(frozenset()) == value

    known: dict[tuple[int, str], float] = {}

    def best(position) -> float:
        if position.is_terminal():
            return position.returns()[0]
        key = position.current_player(), position.observation_string(0)
        if key not in known:
            found = [best(position.child(action)) for action in position.legal_actions()]
            known[key] = max(found) if key[0] == 0 else min(found)
        return known[key]

    assert best(pyspiel.load_game("dots_and_boxes", params).new_initial_state()) == value


@pytest.mark.parametrize(("rows", "columns"), [(6, 1), (6, 2), (1, 6), (3, 5)])
def test_every_line_is_drawn_once(rows: int, columns: int):
    """OpenSpiel declares 14 moves for 6 by 1 and 28 for 6 by 2, fewer than there are lines."""
    game = get_game("dots_and_boxes", {"num_rows": rows, "num_cols": columns})
    lines = (rows + 1) * columns + rows * (columns + 1)
    assert game.spec.max_turns == lines == len(play(game, 0).observe(0).events)


def test_greedy_closes_and_gives_little_away():
    greedy = GAME.bots()["greedy"]
    for seed in range(20):
        rng = random.Random(seed)
        assert greedy(after("a1-b1 b1-b2 a2-b2"), 1, rng) == "[a1-a2]"
        assert greedy(after("a1-b1 b1-b2 b2-c2 c1-c2"), 0, rng) == "[b1-c1]"
        assert greedy(after("a1-b1 b1-b2"), 0, rng) not in ("[a1-a2]", "[a2-b2]")  # a third side
    assert given_away({0, 7}, GAME.boxes) == 0
    assert given_away({0, 7, 2}, GAME.boxes) == 1
    four = get_game("dots_and_boxes", {"num_rows": 4, "num_cols": 4})
    assert sum(play(four, seed, ("greedy", "random")).returns()[0] for seed in range(10)) >= 9
    assert sum(play(four, seed, ("random", "greedy")).returns()[1] for seed in range(10)) >= 9
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, random.Random(0))


@pytest.mark.parametrize(
    "params",
    [{}, {"num_rows": 1, "num_cols": 1}, {"num_rows": 3, "num_cols": 5, "utility_margin": True}, {"num_rows": 6}],
)
def test_conformance(params: dict[str, int]):
    assert check_game(get_game("dots_and_boxes", params), seeds=range(3), matches=15) == []
