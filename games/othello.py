"""Othello on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2: player 0 is Black (x) and moves first |
| information | perfect, no chance |
| returns | +1 / −1, 0 for equal counts |
| outcome classes | p0, p1, draw |

Rows are numbered from the top, as is usual in Othello. Who cannot turn anything passes; when neither can, it is over.
Reference: World Othello Federation; OpenSpiel `othello`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import pyspiel

from games.bots import random_bot
from games.grid import draw, square
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, Observation, ParamValue, RandomStream, Seat, State

COLOURS = ("Black", "White")
MARKS = "xo"
SIZE = 8
PASS = SIZE * SIZE
_ANSWERS = (*(square(row + 1, column) for row in range(SIZE) for column in range(SIZE)), "pass")
_MOVES = tuple(Move(answer=answer, action=action) for action, answer in enumerate(_ANSWERS))
CORNERS = frozenset({0, SIZE - 1, PASS - SIZE, PASS - 1})


class OthelloState(SpielState):
    """One match."""

    def answer(self, seat: Seat, action: int) -> str:
        """The square, or `pass`."""
        return _ANSWERS[action]

    def cells(self) -> str:
        """64 cells from the top left: `x`, `o`, `.`."""
        return cells_of(self.pyspiel_state)

    def action_event(self, seat: Seat, action: int) -> Event:
        """The move and how many pieces it turns."""
        if action == PASS:
            return Event(text=f"{COLOURS[seat]} cannot move and passes.")
        turned = cells_of(self.pyspiel_state.child(action)).count(MARKS[seat]) - self.cells().count(MARKS[seat]) - 1
        return Event(text=f"{COLOURS[seat]}: {_ANSWERS[action]}, turning {turned}.")

    def board(self, seat: Seat) -> str:
        """Rows from the top with coordinates, and the count."""
        cells = self.cells()
        rows = [cells[start : start + SIZE] for start in range(0, PASS, SIZE)]
        return f"{draw(rows, range(1, SIZE + 1))}\nBlack {cells.count('x')}, White {cells.count('o')}."

    def observe(self, seat: Seat) -> Observation:
        """The view; who must pass is told so."""
        seen = super().observe(seat)
        return seen._replace(ask="You cannot turn anything: answer [pass].") if seen.legal == ("pass",) else seen


def cells_of(position: Any) -> str:
    """The cells of a pyspiel position: what stands between the row numbers, without the frame of letters."""
    rows = str(position.observation_string(0)).split("\n")[2 : 2 + SIZE]
    return "".join(row[2 : 2 + 2 * SIZE : 2] for row in rows).replace("-", ".")


class Othello(SpielGame):
    """Enclose the other's pieces to turn them; most pieces win."""

    state_class = OthelloState
    moves = _MOVES

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("othello")
        super().__init__(
            loaded,
            spec_of(
                "othello",
                loaded,
                "Othello",
                params=params,
                roles=COLOURS,
                summary="Enclose the other's pieces to turn them; most pieces win.",
                reference="World Othello Federation; OpenSpiel othello",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All squares, and `pass`."""
        return frozenset(_ANSWERS)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        example = "d3" if seat == 0 else "c3"
        return (
            "Othello on 8 rows, numbered from the top, and 8 columns. Player 0 is Black (x) and moves first, player 1 "
            "is White (o). Put a piece on an empty square so that pieces of the other stand in a straight or diagonal "
            "line between it and another of yours: all pieces enclosed so become yours. You must turn at least one; if "
            "you cannot, and only then, answer with the word pass. When neither can move, most pieces win. "
            f"Answer with the square in brackets, like [{example}].\n"
            f"You are player {seat}, {COLOURS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` takes corners, gives none away, and leaves the other few moves."""
        return {"random": random_bot, "greedy": greedy_bot}


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """A corner if there is one, no square beside an empty corner if it can; else what leaves the other fewest moves."""
    if not isinstance(state, OthelloState):
        raise TypeError("this bot plays othello only")
    position, cells = state.pyspiel_state, state.cells()
    actions = position.legal_actions()
    corners = [action for action in actions if action in CORNERS]
    good = corners or [action for action in actions if not _opens_corner(cells, action)] or actions
    left = {action: _replies(position.child(action), 1 - seat) for action in good}
    return f"[{_ANSWERS[rng.choice([action for action in good if left[action] == min(left.values())])]}]"


def _opens_corner(cells: str, action: int) -> bool:
    """Whether the square touches an empty corner."""
    row, column = divmod(action, SIZE)
    corner = (0 if row < SIZE // 2 else SIZE - 1) * SIZE + (0 if column < SIZE // 2 else SIZE - 1)
    near = max(abs(row - corner // SIZE), abs(column - corner % SIZE)) == 1
    return action != PASS and near and cells[corner] == "."


def _replies(position: Any, seat: Seat) -> int:
    """How many squares `seat` may take now; none when it is not to move."""
    return 0 if position.current_player() != seat else sum(action != PASS for action in position.legal_actions())
