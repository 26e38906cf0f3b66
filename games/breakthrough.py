"""Breakthrough on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2: player 0 is Black, starts at the top, and moves first |
| information | perfect, no chance |
| returns | +1 / −1; there is no draw |
| outcome classes | p0, p1 |

Reference: D. Troyka (2000); OpenSpiel `breakthrough`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.grid import draw, square
from games.lookahead import winning
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, Param, ParamValue, RandomStream, Seat, State

COLOURS = ("Black", "White")
TWO_DEEP = 6
"""From how many rows on each side starts with two rows of pieces; on fewer it has one."""

_STEPS = ((1, -1), (1, 0), (1, 1), (-1, -1), (-1, 0), (-1, 1))  # rows from the top, as OpenSpiel numbers directions


class BreakthroughState(SpielState):
    """One match. Rows are numbered from the bottom, as in chess."""

    _game: Breakthrough

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """The same with a dash, an x or a space between the squares."""
        actions = self.pyspiel_state.legal_actions()
        return {text: action for action in actions for text in spellings(self._game.moves[action].answer)}

    def action_event(self, seat: Seat, action: int) -> Event:
        """The move, and whether it takes."""
        answer = self.answer(seat, action)
        return Event(text=f"{COLOURS[seat]}: {answer}{' takes' if action % 2 else ''}.")

    def board(self, seat: Seat) -> str:
        """Rows from the top with coordinates."""
        rows = int(self._game.spec.params["rows"])
        lines = self.pyspiel_state.observation_string(0).split("\n")[:rows]
        return draw([line[len(line) - int(self._game.spec.params["columns"]) :] for line in lines], range(rows, 0, -1))


def spellings(answer: str) -> tuple[str, ...]:
    """Other ways to write a step."""
    return tuple(f"{answer[:2]}{mark}{answer[2:]}" for mark in "-x ")


class Breakthrough(SpielGame):
    """Be the first to reach the other side."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "rows": Param(default=8, low=5, high=8, help="rows of the board"),
            "columns": Param(default=8, low=2, high=8, help="columns of the board"),
        }
    )
    state_class = BreakthroughState
    moves: dict[int, Move]

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("breakthrough", dict(params))
        self.moves = _moves(int(params["rows"]), int(params["columns"]))
        super().__init__(
            loaded,
            spec_of(
                "breakthrough",
                loaded,
                "Breakthrough",
                params=params,
                roles=COLOURS,
                outcomes=("p0", "p1"),
                summary="Be the first to bring a piece to the other side.",
                reference="D. Troyka (2000); OpenSpiel breakthrough",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Every step on the board, in every spelling."""
        answers = {move.answer for move in self.moves.values()}
        return frozenset(answers.union(*map(spellings, answers)))

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        rows, columns = (int(self.spec.params[name]) for name in ("rows", "columns"))
        deep = 2 if rows >= TWO_DEEP else 1
        filled = ("top row", "bottom row") if deep == 1 else ("two top rows", "two bottom rows")
        # A step that is legal on the seat's first turn, whatever the other does.
        example = f"a{rows - deep + 1}b{rows - deep}" if seat == 0 else f"a{deep}b{deep + 1}"
        return (
            f"Breakthrough on {rows} rows and {columns} columns. Player 0 is Black (b), fills the {filled[0]}, moves "
            f"down and first; player 1 is White (w), fills the {filled[1]} and moves up. A move is one step "
            "straight or diagonally forward to an empty square, or diagonally forward onto a piece of the other, which "
            "is taken; straight ahead nothing can be taken. Who first reaches the last row, or takes all pieces of the "
            f"other, wins. Answer in brackets with the squares from and to, like [{example}].\n"
            f"You are player {seat}, {COLOURS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` breaks through, takes, or moves its foremost pieces."""
        return {"random": random_bot, "greedy": greedy_bot}


def _moves(rows: int, columns: int) -> dict[int, Move]:
    """Every step on the board by OpenSpiel's number: square, direction, and whether it takes (odd)."""
    found: dict[int, Move] = {}
    for row in range(rows):
        for column in range(columns):
            for direction, (down, right) in enumerate(_STEPS):
                if 0 <= row + down < rows and 0 <= column + right < columns:
                    answer = square(rows - row, column) + square(rows - row - down, column + right)
                    first = 2 * ((row * columns + column) * len(_STEPS) + direction)
                    found |= {action: Move(answer=answer, action=action) for action in (first, first + 1)}
    return found


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Wins if it can; else takes the piece nearest to breaking through; else the more advanced of two random moves.

    A piece one step from its goal can be stopped only by taking it, so this lets the other win next only if it must.
    """
    if not isinstance(state, BreakthroughState):
        raise TypeError("this bot plays breakthrough only")

    def advance(move: Move) -> int:
        row = int(move.answer[3])
        return -row if seat == 0 else row

    position = state.pyspiel_state
    good = winning(position, seat) or position.legal_actions()
    moves = [move for move in state.legal(seat) if move.action in good]
    takes = [move for move in moves if move.action is not None and move.action % 2]
    if takes:
        return f"[{min(takes, key=advance).answer}]"  # the lowest advance is the piece nearest to one's own side
    return f"[{max((rng.choice(moves) for _ in range(2)), key=advance).answer}]"
