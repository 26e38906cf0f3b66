"""Phantom tic-tac-toe on OpenSpiel's rules: tic-tac-toe in which the other's marks are found only by trying.

| fact | value |
|---|---|
| seats | 2 (X moves first) |
| information | imperfect: own marks, and the squares where an own try failed |
| returns | +1 / −1, 0 for a draw |
| outcome classes | p0, p1, draw |
| length | at most 17 tries: nine that take a square, and eight that fail |

Reference: D. Auger, "Multiple Tree for Partially Observable Monte-Carlo Tree Search" (2011); OpenSpiel `phantom_ttt`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.openspiel import SpielGame
from games.openspiel_catalog import spec_of
from games.phantom import REVEALED, PhantomState, other_histories
from games.tic_tac_toe import LINES
from games.types import Bot, Param, ParamValue, RandomStream, Seat, State

MARKS = "XO"
_AFTER_A_FAILED_TRY = {"classical": "you try again", "abrupt": "your turn is lost"}


class PhantomTicTacToeState(PhantomState):
    """A grid in which squares not tried show their numbers."""

    def answer(self, seat: Seat, action: int) -> str:
        """The square's number."""
        return str(action)

    def squares(self, seat: Seat) -> list[str]:
        """Nine cells as the seat knows them: `X`, `O`, or the square's number."""
        return _numbered(self.view(seat))

    def board(self, seat: Seat) -> str:
        """Three lines of three cells."""
        return _grid(self.squares(seat))

    def render(self, seat: Seat | None) -> str:
        """One view, or the true grid with both views."""
        if seat is not None:
            return self.board(seat)
        truth = _grid(_numbered(str(self.pyspiel_state).replace("\n", "")))
        return f"Board\n{truth}\n" + "\n".join(f"Known to player {s}\n{self.board(s)}" for s in (0, 1))


def _numbered(cells: str) -> list[str]:
    return [str(i) if cell == "." else cell.upper() for i, cell in enumerate(cells)]


def _grid(cells: list[str]) -> str:
    return "\n".join(" ".join(cells[row : row + 3]) for row in (0, 3, 6))


class PhantomTicTacToe(SpielGame):
    """Three in a row on a grid that nobody sees whole."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "gameversion": Param(
                default="classical", choices=tuple(_AFTER_A_FAILED_TRY), help="try again after a failed try, or not"
            ),
            "obstype": Param(
                default="reveal-nothing", choices=tuple(REVEALED), help="what is heard of the other's tries"
            ),
        }
    )
    state_class = PhantomTicTacToeState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("phantom_ttt", dict(params))
        super().__init__(
            loaded,
            spec_of(
                "phantom_ttt",
                loaded,
                "Phantom tic-tac-toe",
                params=params,
                roles=tuple(MARKS),
                summary="Three in a row, with the other's marks unseen.",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All nine squares."""
        return frozenset(map(str, range(9)))

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        version, revealed = str(self.spec.params["gameversion"]), str(self.spec.params["obstype"])
        return (
            "Phantom tic-tac-toe on squares 0 to 8, three rows of three. Player 0 is X and moves first, player 1 is O. "
            "Three in a row, column or diagonal win; a full board without it is a draw. You do not see the other's "
            "marks. If you try a square that the other holds, you are shown its mark there and "
            f"{_AFTER_A_FAILED_TRY[version]} ({version} version); the other is not told. {REVEALED[revealed]} "
            f"({revealed}). The grid shows what you know; numbers are squares that you have not tried. Answer with one "
            "of them in brackets, like [4].\n"
            f"You are player {seat}, {MARKS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` completes a line, else blocks one that it has found, else plays at random."""
        return {"random": random_bot, "greedy": greedy_bot}

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """Matches in which the other tried elsewhere, unseen by the seat."""
        return other_histories(state, seat, rng)


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Completes a line where it can, else blocks a line that it knows of, else the centre, else anywhere not tried."""
    if not isinstance(state, PhantomTicTacToeState):
        raise TypeError("this bot plays phantom_ttt only")
    cells = state.squares(seat)
    for mark in (MARKS[seat], MARKS[1 - seat]):
        wanted = {
            square
            for line in LINES
            for square in line
            if cells[square] not in MARKS and sum(cells[other] == mark for other in line) == 2
        }
        if wanted:
            return f"[{rng.choice(sorted(wanted))}]"
    return "[4]" if cells[4] == "4" else random_bot(state, seat, rng)
