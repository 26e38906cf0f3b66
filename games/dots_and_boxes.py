"""Dots and boxes on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2 |
| information | perfect, no chance |
| returns | +1 / −1, 0 for equal boxes; with `utility_margin` the difference in boxes |
| outcome classes | p0, p1, and draw where boxes can be equal |
| length | exactly one move a line (OpenSpiel declares another number unless the board is square) |
| value under perfect play | 2 boxes for the first seat on 2×2 |

Dots have letters for columns and numbers for rows, the first row on top; a line is named by its two dots.
Reference: É. Lucas (1895); OpenSpiel `dots_and_boxes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.grid import square
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, Param, ParamValue, Seat


class DotsAndBoxesState(SpielState):
    """One match."""

    _game: DotsAndBoxes

    @property
    def game(self) -> DotsAndBoxes:
        """The game this is a state of."""
        return self._game

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """The dots the other way round, or with a space or nothing between them."""
        return self.game.spellings

    def owners(self) -> dict[int, Seat]:
        """Who has closed which box so far."""
        return owners(self.pyspiel_state.history(), self.game.boxes)

    def action_event(self, seat: Seat, action: int) -> Event:
        """The line, and how many boxes it closes."""
        drawn = {*self.pyspiel_state.history(), action}
        closed = sum(action in box and drawn.issuperset(box) for box in self.game.boxes)
        gain = ("", " and closed a box", " and closed 2 boxes")[closed]
        again = ": again its turn" if closed and len(drawn) < len(self.game.moves) else ""
        return Event(text=f"Player {seat} drew {self.answer(seat, action)}{gain}{again}.")

    def board(self, seat: Seat) -> str:
        """Dots, lines, boxes with the number of the player who closed them, and the score."""
        rows, columns = self.game.size
        drawn, owned = set(self.pyspiel_state.history()), self.owners()
        upright = (rows + 1) * columns
        lines = ["  " + "   ".join(chr(ord("a") + column) for column in range(columns + 1))]
        for row in range(rows + 1):
            level = ["---" if row * columns + column in drawn else "   " for column in range(columns)]
            lines.append(f"{row + 1} +" + "+".join([*level, ""]))
            if row < rows:
                marks = ["|" if upright + row * (columns + 1) + i in drawn else " " for i in range(columns + 1)]
                inside = [str(owned.get(row * columns + column, " ")) for column in range(columns)]
                cells = [f"{mark} {box} " for mark, box in zip(marks, [*inside, ""], strict=True)]
                lines.append(f"  {''.join(cells)}".rstrip())
        counts = [sum(owner == who for owner in owned.values()) for who in (0, 1)]
        return "\n".join([*lines, f"Boxes: player 0 has {counts[0]}, player 1 has {counts[1]}."])


def owners(history: Sequence[int], boxes: Sequence[frozenset[int]]) -> dict[int, Seat]:
    """Who closed which box: who closes one moves again."""
    drawn: set[int] = set()
    found: dict[int, Seat] = {}
    mover = 0
    for action in history:
        drawn.add(action)
        closed = [number for number, box in enumerate(boxes) if action in box and drawn >= box]
        found |= dict.fromkeys(closed, mover)
        mover = mover if closed else 1 - mover
    return found


class DotsAndBoxes(SpielGame):
    """Close more boxes than the other."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "num_rows": Param(default=2, low=1, high=6, help="rows of boxes"),
            "num_cols": Param(default=2, low=1, high=6, help="columns of boxes"),
            "utility_margin": Param(default=False, help="whether the difference in boxes is the result"),
        }
    )
    state_class = DotsAndBoxesState
    moves: tuple[Move, ...]

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        rows, columns = self.size = int(params["num_rows"]), int(params["num_cols"])
        level = [
            f"{square(row + 1, column)}-{square(row + 1, column + 1)}"
            for row in range(rows + 1)
            for column in range(columns)
        ]
        upright = [
            f"{square(row + 1, column)}-{square(row + 2, column)}"
            for row in range(rows)
            for column in range(columns + 1)
        ]
        self.moves = tuple(Move(answer=line, action=action) for action, line in enumerate([*level, *upright]))
        self.boxes = tuple(
            frozenset({row * columns + column, (row + 1) * columns + column, left, left + 1})
            for row in range(rows)
            for column in range(columns)
            for left in (len(level) + row * (columns + 1) + column,)
        )
        loaded: Any = pyspiel.load_game("dots_and_boxes", dict(params))
        draws = ("draw",) if rows * columns % 2 == 0 else ()
        spec = spec_of(
            "dots_and_boxes",
            loaded,
            "Dots and boxes",
            params=params,
            roles=("first", "second"),
            outcomes=("p0", "p1", *draws),
            summary="Draw lines between dots; who closes more boxes wins.",
            reference="É. Lucas (1895); OpenSpiel dots_and_boxes",
        )
        super().__init__(loaded, replace(spec, max_turns=len(self.moves)))

    @cached_property
    def spellings(self) -> Mapping[str, int]:
        """Every line as it may be written, by number."""
        found: dict[str, int] = {}
        for action, move in enumerate(self.moves):
            one, two = move.answer.split("-")
            found |= {f"{a}{between}{b}": action for a, b in ((one, two), (two, one)) for between in ("-", " ", "")}
        return found

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All lines, in every spelling."""
        return frozenset(self.spellings)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        rows, columns = self.size
        aim = "The difference in boxes is the result" if self.spec.params["utility_margin"] else "Who has more wins"
        return (
            f"Dots and boxes: {rows} rows and {columns} columns of boxes between dots. A dot is named by the letter of "
            "its column and the number of its row, the first row on top. Player 0 moves first. In turn draw a line "
            "between two dots beside or below each other. Who draws the fourth side of a box gets it and must move "
            f"again. It ends when all lines are drawn. {aim}. Answer in brackets with the two dots, like [a1-b1].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` closes boxes, and gives away as few as it can."""
        from games.dots_and_boxes_bot import greedy_bot

        return {"random": random_bot, "greedy": greedy_bot}
