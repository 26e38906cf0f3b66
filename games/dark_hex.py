"""Dark hex on OpenSpiel's rules: hex in which the other's stones are found only by trying.

| fact | value |
|---|---|
| seats | 2: player 0 (x) connects top and bottom and moves first, player 1 (o) connects left and right |
| information | imperfect: own stones, and the cells where an own try failed |
| returns | +1 / −1; hex has no draws |
| outcome classes | p0, p1 |
| length | at most 2 × cells − 1 tries |

Reference: OpenSpiel `dark_hex`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.openspiel import SpielGame
from games.openspiel_catalog import spec_of
from games.phantom import MARKS, REVEALED, PhantomState, other_histories
from games.types import Bot, Param, ParamValue, RandomStream, Seat, State

_AFTER_A_FAILED_TRY = {"cdh": "you try again (cdh, classical)", "adh": "your turn is lost (adh, abrupt)"}


class DarkHexState(PhantomState):
    """Cells are named by column letter and row number, a1 at the top left."""

    _game: DarkHex

    @property
    def game(self) -> DarkHex:
        """The game this is a state of."""
        return self._game

    def answer(self, seat: Seat, action: int) -> str:
        """The cell's name."""
        return self._game.names[action]

    def board(self, seat: Seat) -> str:
        """What the seat knows, each row shifted half a cell to the right."""
        return self._drawn(self.view(seat))

    def render(self, seat: Seat | None) -> str:
        """One view, or the true board with both views."""
        if seat is not None:
            return self.board(seat)
        truth = "".join(
            first if first != "." else second for first, second in zip(self.view(0), self.view(1), strict=True)
        )
        return f"Board\n{self._drawn(truth)}\n" + "\n".join(f"Known to player {s}\n{self.board(s)}" for s in (0, 1))

    def _drawn(self, cells: str) -> str:
        columns = self._game.columns
        rows = [cells[start : start + columns] for start in range(0, len(cells), columns)]
        lines = [f"{' ' * i}{i + 1:>2} {' '.join(row)}" for i, row in enumerate(rows)]
        return "\n".join([f"   {' '.join(chr(ord('a') + column) for column in range(columns))}", *lines])


class DarkHex(SpielGame):
    """Connect your two sides without seeing the other's stones."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "num_rows": Param(default=3, low=2, high=11, help="rows of the board"),
            "num_cols": Param(default=3, low=2, high=11, help="columns of the board"),
            "gameversion": Param(
                default="cdh", choices=tuple(_AFTER_A_FAILED_TRY), help="try again after a failed try, or not"
            ),
            "obstype": Param(
                default="reveal-nothing", choices=tuple(REVEALED), help="what is heard of the other's tries"
            ),
        }
    )
    state_class = DarkHexState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("dark_hex", dict(params))
        self.rows, self.columns = int(params["num_rows"]), int(params["num_cols"])
        super().__init__(
            loaded,
            spec_of(
                "dark_hex",
                loaded,
                "Dark hex",
                params=params,
                roles=tuple(MARKS),
                outcomes=("p0", "p1"),
                summary="Connect your two sides of a hex board, with the other's stones unseen.",
            ),
        )
        self.names = tuple(f"{chr(ord('a') + c)}{r + 1}" for r in range(self.rows) for c in range(self.columns))

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All cells."""
        return frozenset(self.names)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        version, revealed = str(self.spec.params["gameversion"]), str(self.spec.params["obstype"])
        return (
            f"Dark hex on a board of {self.rows} rows and {self.columns} columns. Player 0 (x) moves first and wins by "
            "an unbroken chain from the top row to the bottom row, player 1 (o) by one from the left column to the "
            "right column. Each cell touches its neighbours in its row, the two cells above it in its own column and "
            "one to the right, and the two below it in its own column and one to the left. You do not see the other's "
            "stones. If you try a cell that the other holds, you are shown the stone there and "
            f"{_AFTER_A_FAILED_TRY[version]}; the other is not told. {REVEALED[revealed]} ({revealed}). The board "
            "shows what you know; dots are cells that you have not tried. Answer with one of them in brackets, column "
            "then row, like [b2].\n"
            f"You are player {seat}, {MARKS[seat]}."
        )

    def neighbours(self, cell: int) -> Iterator[int]:
        """Cells that touch a cell."""
        row, column = divmod(cell, self.columns)
        for down, right in ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1)):
            if 0 <= row + down < self.rows and 0 <= column + right < self.columns:
                yield (row + down) * self.columns + column + right

    def side(self, seat: Seat, cell: int) -> tuple[bool, bool]:
        """Whether a cell lies on the seat's first and on its second side."""
        row, column = divmod(cell, self.columns)
        return (row == 0, row == self.rows - 1) if seat == 0 else (column == 0, column == self.columns - 1)

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` tries cells on a shortest connection through what it has not found taken."""
        return {"random": random_bot, "greedy": greedy_bot}

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """Matches in which the other tried elsewhere, unseen by the seat."""
        return other_histories(state, seat, rng)


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """A cell on one of the shortest ways between its sides, counting cells that it does not hold yet."""
    if not isinstance(state, DarkHexState):
        raise TypeError("this bot plays dark_hex only")
    view = state.view(seat)
    ways = [_distances(state.game, seat, view, which) for which in (0, 1)]
    lengths = {
        cell: ways[0][cell] + ways[1][cell]
        for cell, mark in enumerate(view)
        if mark == "." and cell in ways[0] and cell in ways[1]
    }
    shortest = [cell for cell, length in lengths.items() if length == min(lengths.values())]
    return f"[{state.game.names[rng.choice(shortest)]}]" if shortest else random_bot(state, seat, rng)


def _distances(game: DarkHex, seat: Seat, view: str, which: int) -> dict[int, int]:
    """Fewest cells still to take on the way from a side to each cell, that cell included (Dijkstra)."""
    cost = {MARKS[seat]: 0, ".": 1}
    queue = [(cost[view[c]], c) for c in range(len(view)) if game.side(seat, c)[which] and view[c] in cost]
    heapq.heapify(queue)
    found: dict[int, int] = {}
    while queue:
        length, cell = heapq.heappop(queue)
        if cell in found:
            continue
        found[cell] = length
        for beside in game.neighbours(cell):
            if beside not in found and view[beside] in cost:
                heapq.heappush(queue, (length + cost[view[beside]], beside))
    return found
