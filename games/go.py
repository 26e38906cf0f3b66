"""Go on a small board, on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2: player 0 is Black and moves first |
| information | perfect |
| returns | +1 / −1 by area with komi; 0 for equal areas or a repeated position |
| outcome classes | p0, p1, draw |
| length | two passes in a row end it, and so does move 2 × size² |

Area is counted as it stands (Tromp–Taylor): stones on the board, and empty points that reach only one colour; nothing
is removed as dead. Suicide and retaking a ko at once are illegal; any other move that brings back an earlier position
ends the game as a draw. Komi 8.5 on 7×7 is half a point below what Black is believed to get there under best play.

Reference: J. Tromp, B. Taylor, "Logical rules of Go"; OpenSpiel `go`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, Param, ParamValue, Seat

COLOURS = ("Black", "White")
COLUMNS = "abcdefghj"
"""Go has no column i."""

EMPTY = "."


class GoState(SpielState):
    """One match. Points are numbered as OpenSpiel does: row by row from a1."""

    _game: Go

    @property
    def game(self) -> Go:
        """The game this is a state of."""
        return self._game

    # --- moves ---------------------------------------------------------------------------------------------------

    def action_event(self, seat: Seat, action: int) -> Event:
        """The move, and how many stones it takes."""
        answer = self.answer(seat, action)
        if answer == "pass":
            return Event(text=f"{COLOURS[seat]} passes.")
        theirs = COLOURS[1 - seat][0]
        taken = self.stones().count(theirs) - _stones(self.pyspiel_state.child(action)).count(theirs)
        captures = f", takes {taken} stone{'s' if taken > 1 else ''}" if taken else ""
        return Event(text=f"{COLOURS[seat]}: {answer}{captures}.")

    # --- position ------------------------------------------------------------------------------------------------

    def stones(self) -> str:
        """`B`, `W` or EMPTY for every point."""
        return _stones(self.pyspiel_state)

    def area(self) -> tuple[int, int]:
        """Points of each side as the board stands, without komi."""
        stones = self.stones()
        counts = {"B": stones.count("B"), "W": stones.count("W")}
        seen: set[int] = set()
        for start, stone in enumerate(stones):
            if stone != EMPTY or start in seen:
                continue
            region, borders = self.region(stones, start)
            seen |= region
            colours = {stones[point] for point in borders}
            if len(colours) == 1:
                counts[colours.pop()] += len(region)
        return counts["B"], counts["W"]

    def region(self, stones: str, start: int) -> tuple[set[int], set[int]]:
        """Points of one kind that hang together with `start`, and the points of other kinds around them."""
        region, borders, todo = {start}, set(), [start]
        while todo:
            for point in self._game.neighbours[todo.pop()]:
                if stones[point] != stones[start]:
                    borders.add(point)
                elif point not in region:
                    region.add(point)
                    todo.append(point)
        return region, borders

    def measures(self) -> Mapping[str, float]:
        """Area of each side, komi counted for White."""
        self._require_over()
        black, white = self.area()
        return {"area/0": float(black), "area/1": white + self._game.komi}

    # --- text ----------------------------------------------------------------------------------------------------

    def board(self, seat: Seat) -> str:
        """Rows from the top with coordinates, then whose move it is and what is forbidden."""
        size = self._game.size
        stones = self.stones()
        rows = [f"{row + 1} {' '.join(stones[row * size : (row + 1) * size])}" for row in reversed(range(size))]
        return "\n".join([*rows, f"  {' '.join(COLUMNS[:size])}", self._status(stones)])

    def _status(self, stones: str) -> str:
        seats = self.to_move()
        played = self.pyspiel_state.move_number()
        if not seats:
            return self._ending()
        parts = [f"{COLOURS[seats[0]]} to move, move {played + 1} of at most {self._game.spec.max_turns}."]
        legal = {move.action for move in self.legal(seats[0])}
        forbidden = [point for point, stone in enumerate(stones) if stone == EMPTY and point not in legal]
        if forbidden:
            parts.append(f"Not allowed now: {', '.join(self._game.moves[point].answer for point in forbidden)}.")
        if self._events and self._events[-1].text.endswith("passes."):
            parts.append("A pass now ends the game.")
        return " ".join(parts)

    def _ending(self) -> str:
        black, white = self.area()
        score = f"Area: Black {black}, White {white} + {self._game.komi}."
        result = self.pyspiel_state.returns()[0]
        if result:
            return f"{score} {COLOURS[0 if result > 0 else 1]} has won."
        return f"{score} Draw." if black == white + self._game.komi else "Draw: an earlier position has come back."


def _stones(position: Any) -> str:
    rows = str(position).split("\n\n", 1)[1].split("\n")
    cells = [row.split()[1] for row in rows if row.split() and row.split()[0].isdigit()]
    return "".join(reversed(cells)).translate({ord("+"): EMPTY, ord("X"): "B", ord("O"): "W"}) if cells else ""


class Go(SpielGame):
    """Surround more of the board than the other."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "board_size": Param(default=7, low=3, high=9, help="lines each way"),
            "komi": Param(default=8.5, low=0.0, high=80.5, help="points that White gets for moving second"),
        }
    )
    state_class = GoState
    moves: tuple[Move, ...]

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("go", dict(params))
        self.size = size = int(params["board_size"])
        self.komi = float(params["komi"])
        super().__init__(
            loaded,
            spec_of(
                "go",
                loaded,
                "Go",
                params=params,
                roles=COLOURS,
                summary="Surround more of a small board than the other.",
                reference="J. Tromp, B. Taylor, Logical rules of Go; OpenSpiel go",
            ),
        )
        answers = [f"{COLUMNS[column]}{row + 1}" for row in range(size) for column in range(size)]
        self.moves = tuple(Move(answer=answer, action=action) for action, answer in enumerate([*answers, "pass"]))
        self.neighbours = tuple(_neighbours(point, size) for point in range(size * size))

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All points and the pass."""
        return frozenset(move.answer for move in self.moves)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        return (
            f"Go on a {self.size}×{self.size} board. Player 0 is Black (B) and moves first, player 1 is White (W). In "
            "turn place a stone on an empty point or pass. Chains of a colour without an empty point beside them are "
            "taken off, the opponent's first; suicide is not allowed, nor retaking a ko at once. A move that brings "
            "back any earlier position ends the game as a draw. Two passes in a row, or "
            f"{self.spec.max_turns} moves, end the game. Then each side counts its stones on the board and the empty "
            "points that touch only its colour (take dead stones off by capturing them); White adds a komi of "
            f"{self.komi}. More points win. Answer in brackets with a point like [{'c3' if seat == 0 else 'b2'}], or "
            "with the word pass.\n"
            f"You are player {seat}, {COLOURS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` captures, saves its own stones, fills no eyes, passes when nothing is left."""
        from games.go_bot import greedy_bot

        return {"random": random_bot, "greedy": greedy_bot}


def _neighbours(point: int, size: int) -> tuple[int, ...]:
    row, column = divmod(point, size)
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return tuple(r * size + c for r, c in around if 0 <= r < size and 0 <= c < size)
