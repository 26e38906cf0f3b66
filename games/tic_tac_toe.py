"""Tic-tac-toe on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2 (X moves first) |
| information | perfect, no chance |
| returns | +1 / −1, 0 for a draw |
| outcome classes | p0, p1, draw |
| value under perfect play | 0 |
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

import pyspiel

from games.bots import random_bot
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, ParamValue, RandomStream, Seat, State

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
MARKS = "XO"
_NUMBERS = "012345678"
_GRID = "%s %s %s\n%s %s %s\n%s %s %s"
_MOVES = tuple(Move(answer=number, action=square) for square, number in enumerate(_NUMBERS))
_TOLD = tuple(tuple(Event(text=f"Player {seat} took {number}.") for number in _NUMBERS) for seat in (0, 1))


class TicTacToeState(SpielState):
    """A grid whose empty squares show their numbers."""

    def squares(self) -> list[str]:
        """Nine cells: `X`, `O`, or the square's number."""
        return _squares(self.pyspiel_state.observation_string(0))

    def action_event(self, seat: Seat, action: int) -> Event:
        """The move, as everyone is told it."""
        return _TOLD[seat][action]

    def board(self, seat: Seat) -> str:
        """Three lines of three cells."""
        return _drawn(self.pyspiel_state.observation_string(0))


def _squares(observed: str) -> list[str]:
    cells = observed.replace("\n", "").upper()
    return [number if cell == "." else cell for number, cell in zip(_NUMBERS, cells, strict=True)]


@lru_cache(maxsize=8192)  # there are 5478 positions
def _drawn(observed: str) -> str:
    return _GRID % tuple(_squares(observed))


class TicTacToe(SpielGame):
    """Three in a row on a 3×3 grid."""

    state_class = TicTacToeState
    moves = _MOVES

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("tic_tac_toe")
        super().__init__(
            loaded,
            spec_of(
                "tic_tac_toe",
                loaded,
                "Tic-tac-toe",
                params=params,
                roles=("X", "O"),
                summary="Three in a row on a 3×3 grid.",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All nine squares."""
        return frozenset(map(str, range(9)))

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        return (
            "Tic-tac-toe on squares 0 to 8, three rows of three. Player 0 is X and moves first, player 1 is O. "
            "Three in a row, column or diagonal win; a full board without it is a draw. "
            "Answer with an empty square in brackets, like [4].\n"
            f"You are player {seat}, {MARKS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` completes a line, else blocks one, else plays at random."""
        return {"random": random_bot, "greedy": greedy_bot}


def _completing(cells: list[str], mark: str) -> list[int]:
    """Empty squares that would complete a line of `mark`."""
    found = set()
    for line in LINES:
        row = [cells[square] for square in line]
        if row.count(mark) == 2:
            found |= {square for square in line if cells[square] not in MARKS}
    return sorted(found)


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Win if possible, else block, else a random empty square. Looks one move ahead, so forks beat it."""
    if not isinstance(state, TicTacToeState):
        raise TypeError("this bot plays tic_tac_toe only")
    cells = state.squares()
    for mark in (MARKS[seat], MARKS[1 - seat]):
        squares = _completing(cells, mark)
        if squares:
            return f"[{rng.choice(squares)}]"
    return random_bot(state, seat, rng)
