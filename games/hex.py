"""Hex on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2: player 0 is x, moves first, and joins top and bottom; player 1 is o and joins left and right |
| information | perfect, no chance |
| returns | +1 / −1; there is no draw |
| outcome classes | p0, p1 |
| value under perfect play | +1 for the first seat; with `swap`, +1 for the second |
| length | every cell, and one move more with `swap` (OpenSpiel declares one too few) |

The default board is 7×7, so that small models can read a whole match; 11×11 is usual among people.
Reference: P. Hein (1942), J. Nash (1952); OpenSpiel `hex`.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.grid import letters, square
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, Param, ParamValue, RandomStream, Seat, State

MARKS = "xo"
_NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
_FAR = 10_000


class HexState(SpielState):
    """One match."""

    _game: Hex

    @property
    def size(self) -> int:
        """Cells along a side."""
        return int(self._game.spec.params["board_size"])

    def cells(self) -> str:
        """All cells row by row: `x`, `o`, `.`."""
        return "".join(self.pyspiel_state.observation_string(0).split())

    def action_event(self, seat: Seat, action: int) -> Event:
        """The move, as everyone is told it."""
        if action == self.size**2:
            row, column = divmod(self.pyspiel_state.history()[0], self.size)
            cells = f"{square(row + 1, column)} is now {MARKS[seat]} on {square(column + 1, row)}"
            return Event(text=f"Player {seat} swapped: the stone on {cells}.")
        return Event(text=f"Player {seat} put {MARKS[seat]} on {self.answer(seat, action)}.")

    def board(self, seat: Seat) -> str:
        """Rows from the top, each half a cell further right, with coordinates."""
        size, cells = self.size, self.cells()
        width = len(str(size))
        rows = [
            f"{' ' * row}{row + 1:>{width}} {' '.join(cells[row * size : (row + 1) * size])}" for row in range(size)
        ]
        return "\n".join([f"{' ' * width} {letters(size)}", *rows])


class Hex(SpielGame):
    """Join your two sides."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "board_size": Param(default=7, low=3, high=19, help="cells along a side"),
            "swap": Param(default=False, help="whether player 1 may take over the first stone"),
        }
    )
    state_class = HexState
    moves: tuple[Move, ...]

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        size = int(params["board_size"])
        loaded: Any = pyspiel.load_game("hex", dict(params))
        cells = [square(row + 1, column) for row in range(size) for column in range(size)]
        swaps = ("swap",) if params["swap"] else ()
        self.moves = tuple(Move(answer=answer, action=action) for action, answer in enumerate([*cells, *swaps]))
        spec = spec_of(
            "hex",
            loaded,
            "Hex",
            params=params,
            roles=("x", "o"),
            outcomes=("p0", "p1"),
            summary="Join your two sides of the board by a chain of stones.",
            reference="P. Hein (1942), J. Nash (1952); OpenSpiel hex",
        )
        super().__init__(loaded, replace(spec, max_turns=len(self.moves)))

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All cells, and `swap` where it is offered."""
        return frozenset(move.answer for move in self.moves)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        size = self.spec.params["board_size"]
        swap = (
            "player 1 may answer its first turn with the word swap: the stone of player 0 is taken off, and an o put "
            "where row and column are exchanged"
            if self.spec.params["swap"]
            else "there is no swap"
        )
        return (
            f"Hex on {size} rows and {size} columns of hexagons; each row is drawn half a cell further right, so that "
            "b2 touches b1, c1, a2, c2, a3 and b3. Player 0 is x, moves first and wants to join top and bottom; player "
            "1 is o and wants to join left and right. In turn put a stone on an empty cell; stones never move, and "
            f"{swap}. A chain of touching stones between your two sides wins; there is no draw. "
            "Answer with the cell in brackets, like [b2].\n"
            f"You are player {seat}, {MARKS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` plays where both sides' shortest chains run."""
        return {"random": random_bot, "greedy": greedy_bot}


def missing(cells: str, size: int, mark: str) -> list[int]:
    """Per cell, how many stones `mark` still needs for a chain between its sides through that cell."""
    first, last = _spread(cells, size, mark, start=True), _spread(cells, size, mark, start=False)
    own = [0 if cell == mark else 1 for cell in cells]
    return [min(_FAR, one + two - cost) for one, two, cost in zip(first, last, own, strict=True)]


def _spread(cells: str, size: int, mark: str, *, start: bool) -> list[int]:
    """Stones needed from one side of `mark` to each cell, that cell included (Dijkstra)."""
    line = [(0 if start else size - 1, i) for i in range(size)]
    queue = [(0, row, column) if mark == "x" else (0, column, row) for row, column in line]
    queue = [(_cost(cells, size, mark, row, column), row, column) for _, row, column in queue]
    heapq.heapify(queue)
    found = [_FAR] * len(cells)
    while queue:
        cost, row, column = heapq.heappop(queue)
        if cost >= found[row * size + column]:
            continue
        found[row * size + column] = cost
        for down, right in _NEIGHBOURS:
            if 0 <= row + down < size and 0 <= column + right < size:
                step = _cost(cells, size, mark, row + down, column + right)
                heapq.heappush(queue, (cost + step, row + down, column + right))
    return found


def _cost(cells: Sequence[str], size: int, mark: str, row: int, column: int) -> int:
    cell = cells[row * size + column]
    return 0 if cell == mark else 1 if cell == "." else _FAR


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """The empty cell through which one's own and the other's shortest chains are shortest together.

    A cell that wins at once is such a cell: every chain of the other must run through it.
    """
    if not isinstance(state, HexState):
        raise TypeError("this bot plays hex only")
    cells = state.cells()
    mine, theirs = (missing(cells, state.size, MARKS[who]) for who in (seat, 1 - seat))
    actions = [action for action in state.pyspiel_state.legal_actions() if action < len(cells)]
    best = min(mine[action] + theirs[action] for action in actions)
    good = [action for action in actions if mine[action] + theirs[action] == best]
    return f"[{state.answer(seat, rng.choice(good))}]"
