"""The state of a battleship match: two seas, and what each seat may know of the other's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from games.openspiel import SpielState
from games.types import Event, Seat

if TYPE_CHECKING:
    from games.battleship import Battleship

_SPELLINGS = {1: ("across", "horizontal", "horizontally", "h"), 2: ("vertical", "vertically", "v")}


@dataclass(kw_only=True)
class Sea:
    """One seat's ships, each as cells, and the shots that fell there: `water`, `hit` or `sunk` by cell."""

    ships: list[tuple[int, ...]] = field(default_factory=list)
    shots: dict[int, str] = field(default_factory=dict)
    fallen: int = 0

    def result(self, cell: int) -> str:
        """What a shot at a cell is told to be."""
        for ship in self.ships:
            if cell in ship:
                return "sunk" if all(part == cell or part in self.shots for part in ship) else "hit"
        return "water"

    def sunk(self) -> list[int]:
        """Indices of ships that have been shot in every cell."""
        return [index for index, ship in enumerate(self.ships) if all(part in self.shots for part in ship)]


class BattleshipState(SpielState):
    """One match."""

    _game: Battleship
    _seas: tuple[Sea, Sea] | None = None

    @property
    def game(self) -> Battleship:
        """The game this is a state of."""
        return self._game

    def seas(self) -> tuple[Sea, Sea]:
        """Both seats' ships and what fell there; whole truth, for the rules only."""
        if self._seas is None:
            self._seas = (Sea(), Sea())
            for number, action in enumerate(self.pyspiel_state.history()):
                self._record(self._seas, number % 2, action)  # placing and shooting both go in strict turns
        return self._seas

    def _record(self, seas: tuple[Sea, Sea], seat: Seat, action: int) -> None:
        fleet = self._game.fleet
        if action >= fleet.cells:
            ships = seas[seat].ships
            ships.append(fleet.covered(action, fleet.sizes[len(ships)]))
        else:
            seas[1 - seat].shots[action] = seas[1 - seat].result(action)
            seas[1 - seat].fallen += 1

    def known(self, seat: Seat) -> dict[int, str]:
        """What the seat's own shots were told to be, by cell."""
        return dict(self.seas()[1 - seat].shots)

    def placing(self) -> bool:
        """Whether ships are still being placed."""
        return len(self.pyspiel_state.history()) < 2 * len(self._game.fleet.sizes)

    # --- moves ---------------------------------------------------------------------------------------------------

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """Other words for the directions."""
        found: dict[str, int] = {}
        for action in self.pyspiel_state.legal_actions() if self.placing() else ():
            kind, cell = divmod(action, self._game.fleet.cells)
            found |= {f"{self._game.fleet.name(cell)} {word}": action for word in _SPELLINGS[kind]}
        return found

    def action_event(self, seat: Seat, action: int) -> Event:
        """That a ship was placed, or where a shot fell and what it did."""
        if action >= self._game.fleet.cells:
            size = self._game.fleet.sizes[len(self.seas()[seat].ships)]
            return Event(text=f"Player {seat} placed a ship of size {size}.")
        return Event(text=f"Player {seat} shot {self.answer(seat, action)}: {self.seas()[1 - seat].result(action)}.")

    def step(self, action: int) -> None:
        """One placement or shot."""
        seas, seat = self.seas(), self.pyspiel_state.current_player()
        super().step(action)
        self._record(seas, seat, action)

    # --- text ----------------------------------------------------------------------------------------------------

    def board(self, seat: Seat) -> str:
        """Own sea with ships and shots, the other's as far as shots have told, then what is left to do."""
        theirs = "" if self.placing() else f"Their sea\n{self._other(seat)}\n"
        return f"Your sea\n{self._own(seat)}\n{theirs}{self._status(seat)}"

    def _own(self, seat: Seat) -> str:
        sea = self.seas()[seat]
        cells = ["o" if cell in sea.shots else "." for cell in range(self._game.fleet.cells)]
        for letter, ship in zip("ABCDEFGH", sea.ships, strict=False):
            for cell in ship:
                cells[cell] = letter.lower() if cell in sea.shots else letter
        return self._drawn(cells)

    def _other(self, seat: Seat) -> str:
        known = self.known(seat)
        marks = {"water": "o", "hit": "x", "sunk": "#"}
        return self._drawn([marks.get(known.get(c, ""), ".") for c in range(self._game.fleet.cells)])

    def _drawn(self, cells: list[str]) -> str:
        width = self._game.fleet.width
        columns = " ".join(chr(ord("a") + column) for column in range(width))
        rows = (cells[start : start + width] for start in range(0, len(cells), width))
        return "\n".join([f"   {columns}", *(f"{row:>2} {' '.join(line)}" for row, line in enumerate(rows, start=1))])

    def _status(self, seat: Seat) -> str:
        fleet, seas = self._game.fleet, self.seas()
        placed = len(seas[seat].ships)
        if placed < len(fleet.sizes):
            return f"Next to place: your ship {'ABCDEFGH'[placed]} of size {fleet.sizes[placed]}."
        if self.placing():
            return "Your ships are placed; the other is still placing."
        sunk = [len(sea.sunk()) for sea in seas]
        left = [fleet.shots - sea.fallen for sea in seas]
        return (
            f"Shots left: you {left[1 - seat]}, they {left[seat]}. "
            f"Sunk of {len(fleet.sizes)}: yours {sunk[seat]}, theirs {sunk[1 - seat]}."
        )

    def render(self, seat: Seat | None) -> str:
        """One view, or both seas as they are."""
        if seat is not None:
            return self.board(seat)
        return "\n".join(f"Sea of player {s}\n{self._own(s)}\n{self._status(s)}" for s in (0, 1))

    def measures(self) -> Mapping[str, float]:
        """How many ships each seat has sunk."""
        self._require_over()
        return {f"sunk/{seat}": float(len(self.seas()[1 - seat].sunk())) for seat in (0, 1)}
