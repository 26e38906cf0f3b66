"""Checkers (English draughts) on OpenSpiel's rules: every jump is a move of its own.

| fact | value |
|---|---|
| seats | 2: player 0 is White, starts at the bottom and moves first |
| information | perfect |
| returns | +1 / −1, 0 for a draw |
| outcome classes | p0, p1, draw |
| length | 40 moves of both together without capture are a draw, so at most 40 × (pieces − 1) moves |

Capturing is compulsory. OpenSpiel's moves are single jumps: who can jump on with the same piece is to move again and
must. A man that becomes a king stops there. `size` sets rows and columns alike, since OpenSpiel mixes them up on
boards that are not square; its own bound of 1000 moves holds on 8×8 only and is not enforced.

Reference: World Checkers Draughts Federation, English draughts; OpenSpiel `checkers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Param, ParamValue, Seat

COLOURS = ("White", "Black")
QUIET_LIMIT = 40
_PIECES = str.maketrans({"o": "w", "8": "W", "+": "b", "*": "B"})
_ROWS_OF_MEN = 3


class CheckersState(SpielState):
    """One match. Squares are named as in chess, a1 at White's left hand."""

    _jumping = ""
    _quiet = 0

    # --- moves ---------------------------------------------------------------------------------------------------

    def answer(self, seat: Seat, action: int) -> str:
        """Squares from and to, such as `c3d4`."""
        return str(self.pyspiel_state.action_to_string(seat, action))

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """The same with a dash, an x or a space between the squares."""
        found: dict[str, int] = {}
        for move in self.legal(seat):
            origin, target = split(move.answer)
            if move.action is not None:
                found |= {f"{origin}{mark}{target}": move.action for mark in "-x "}
        return found

    def action_event(self, seat: Seat, action: int) -> Event:
        """The move, what it takes, and whether it makes a king."""
        answer = self.answer(seat, action)
        origin, target = split(answer)
        taken = between(origin, target)
        takes = f" takes {taken}" if taken else ""
        last_row = str(self._game.spec.params["size"]) if seat == 0 else "1"
        crowned = self.cells()[origin].islower() and target[1:] == last_row
        return Event(text=f"{COLOURS[seat]}: {answer}{takes}{' and becomes a king' if crowned else ''}.")

    def step(self, action: int) -> None:
        """One move or one jump."""
        player = self.pyspiel_state.current_player()
        super().step(action)
        target = split(self.answer(player, action))[1]
        self._jumping = target if self.pyspiel_state.current_player() == player else ""
        self._quiet = 0 if " takes " in self._events[-1].text else self._quiet + 1

    def clone(self) -> CheckersState:
        """An independent copy."""
        copy = super().clone()
        assert isinstance(copy, CheckersState)
        copy._jumping, copy._quiet = self._jumping, self._quiet
        return copy

    # --- text ----------------------------------------------------------------------------------------------------

    def rows(self) -> list[str]:
        """The board from the top: `w`, `b` men, `W`, `B` kings, `.` empty."""
        return rows_of(self.pyspiel_state, int(self._game.spec.params["size"]))

    def cells(self) -> dict[str, str]:
        """What stands on each square."""
        rows = self.rows()
        return {
            f"{chr(ord('a') + column)}{len(rows) - row}": piece
            for row, line in enumerate(rows)
            for column, piece in enumerate(line)
        }

    def board(self, seat: Seat) -> str:
        """Rows from the top with coordinates, then whose move it is."""
        rows = self.rows()
        width = len(str(len(rows)))
        lines = [f"{len(rows) - row:>{width}} {' '.join(line)}" for row, line in enumerate(rows)]
        letters = " ".join(chr(ord("a") + column) for column in range(len(rows)))
        return "\n".join([*lines, f"{' ' * width} {letters}", self._status()])

    def _status(self) -> str:
        seats = self.to_move()
        if not seats:
            returns = self.pyspiel_state.returns()
            if not returns[0]:
                return f"Draw: {QUIET_LIMIT} moves without capture."
            loser = 0 if returns[0] < 0 else 1
            return f"{COLOURS[loser]} has no move left and has lost."
        colour = COLOURS[seats[0]]
        if self._jumping:
            return f"{colour} must jump on with the piece on {self._jumping}."
        captures = between(*split(self.legal(seats[0])[0].answer))
        must = " and must capture" if captures else ""
        return f"{colour} to move{must}. Moves without capture: {self._quiet} of {QUIET_LIMIT}."


def rows_of(position: Any, size: int) -> list[str]:
    """A pyspiel position's rows from the top, in our letters."""
    return [line[-size:].translate(_PIECES) for line in str(position).split("\n")[:size]]


def split(answer: str) -> tuple[str, str]:
    """`c3d4` as its two squares; rows can have two digits."""
    middle = next(place for place in range(2, len(answer)) if answer[place].isalpha())
    return answer[:middle], answer[middle:]


def between(origin: str, target: str) -> str:
    """The square that a jump passes over; empty for a step."""
    columns, rows = (ord(origin[0]), ord(target[0])), (int(origin[1:]), int(target[1:]))
    return f"{chr(sum(columns) // 2)}{sum(rows) // 2}" if abs(columns[0] - columns[1]) == 2 else ""


class Checkers(SpielGame):
    """Take or block all of the other's pieces."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {"size": Param(default=8, choices=(8, 10, 12), help="rows and columns of the board")}
    )
    state_class = CheckersState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        size = int(params["size"])
        loaded: Any = pyspiel.load_game("checkers", {"rows": size, "columns": size})
        spec = spec_of(
            "checkers",
            loaded,
            "Checkers",
            params=params,
            roles=COLOURS,
            summary="Take or block all of the other's pieces; every jump is a move of its own.",
            reference="World Checkers Draughts Federation, English draughts; OpenSpiel checkers",
        )
        # The capture before the last leaves one piece each; 40 moves without another then end it.
        super().__init__(loaded, replace(spec, max_turns=QUIET_LIMIT * (_ROWS_OF_MEN * size - 1)))

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Every step and jump on the board."""
        size = int(self.spec.params["size"])
        letters = [chr(ord("a") + column) for column in range(size)]
        return frozenset(
            f"{letters[column]}{row + 1}{letters[column + side]}{row + 1 + up}"
            for column in range(size)
            for row in range(size)
            for side in (-2, -1, 1, 2)
            for up in (-abs(side), abs(side))
            if 0 <= column + side < size and 0 <= row + up < size
        )

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        size = int(self.spec.params["size"])
        return (
            f"Checkers on a {size}×{size} board. Player 0 is White (men w, kings W), starts on rows 1 to "
            f"{_ROWS_OF_MEN}, moves up the board and first; player 1 is Black (men b, kings B), starts on rows "
            f"{size - _ROWS_OF_MEN + 1} to {size} and moves down. Men step one square diagonally forward, kings in all "
            "four diagonal directions. Jump over an adjacent opposing piece to the empty square behind it to take it; "
            "if you can take, you must. Give one jump at a time: if the same piece can jump on, it is your turn again "
            "and you must. A man on the last row becomes a king and stops. Who cannot move loses; "
            f"{QUIET_LIMIT} moves of both together without capture are a draw. "
            f"Answer in brackets with the squares from and to, like [{'c3d4' if seat == 0 else _black_step(size)}].\n"
            f"You are player {seat}, {COLOURS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` takes what it can keep, kings first."""
        from games.checkers_bot import greedy_bot

        return {"random": random_bot, "greedy": greedy_bot}


def _black_step(size: int) -> str:
    """A first move of Black's."""
    row = size - _ROWS_OF_MEN + 1
    return f"b{row}c{row - 1}"
