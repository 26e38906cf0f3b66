"""The settings of a battleship game: sizes and values of the ships, and what follows from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from games.errors import ParameterError
from games.types import ParamValue

MAX_SHIPS = 8
"""Ships are lettered A to H, so that no letter is taken for a mark of a shot."""


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """What both seats have to place.

    Attributes:
        height, width: of each sea.
        sizes, values: of the ships, in the order of placement.
        shots: of each seat.
        loss_multiplier: how much a lost ship counts against a sunk one.
    """

    height: int
    width: int
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    shots: int
    loss_multiplier: float

    @property
    def cells(self) -> int:
        """Cells of one sea."""
        return self.height * self.width

    def name(self, cell: int) -> str:
        """A cell's name: column letter and row number from the top."""
        return f"{chr(ord('a') + cell % self.width)}{cell // self.width + 1}"

    def covered(self, action: int, size: int) -> tuple[int, ...]:
        """Cells under a ship, by OpenSpiel's number of its placement (after the shots: across, then down)."""
        kind, cell = divmod(action, self.cells)
        return tuple(cell + place * (1 if kind == 1 else self.width) for place in range(size))

    @cached_property
    def placements(self) -> Mapping[int, tuple[frozenset[int], ...]]:
        """By size, the cells of every placement of such a ship on an empty sea."""
        found = {}
        for size in set(self.sizes):
            across = [cell for cell in range(self.cells) if cell % self.width + size <= self.width]
            down = [cell for cell in range(self.cells) if cell // self.width + size <= self.height and size > 1]
            numbers = [*(self.cells + cell for cell in across), *(2 * self.cells + cell for cell in down)]
            found[size] = tuple(frozenset(self.covered(number, size)) for number in numbers)
        return found

    def most_sunk(self) -> float:
        """The most value that one seat can sink with its shots."""
        subsets = product((0, 1), repeat=len(self.sizes))
        return max(
            sum(value for value, taken in zip(self.values, subset, strict=True) if taken)
            for subset in subsets
            if sum(size for size, taken in zip(self.sizes, subset, strict=True) if taken) <= self.shots
        )


def fleet_of(params: Mapping[str, ParamValue]) -> Fleet:
    """The settings in force, checked.

    Raises:
        ParameterError: lists that cannot be read or do not match, or more shots than cells without repetition.
    """
    sizes = tuple(int(text) for text in _listed("ship_sizes", str(params["ship_sizes"]), r"[1-9][0-9]?"))
    values = tuple(
        float(text) for text in _listed("ship_values", str(params["ship_values"]), r"[0-9]{1,4}(?:\.[0-9]{1,4})?")
    )
    if len(sizes) != len(values):
        raise ParameterError(
            f"battleship: {len(sizes)} ship_sizes and {len(values)} ship_values; give one value a ship."
        )
    fleet = Fleet(
        height=int(params["board_height"]),
        width=int(params["board_width"]),
        sizes=sizes,
        values=values,
        shots=int(params["num_shots"]),
        loss_multiplier=float(params["loss_multiplier"]),
    )
    if not params["allow_repeated_shots"] and fleet.shots > fleet.cells:
        raise ParameterError(
            f"battleship: num_shots={fleet.shots} is more than the {fleet.cells} cells; lower it or set "
            "allow_repeated_shots."
        )
    if sum(sizes) > fleet.cells or max(sizes) > max(fleet.height, fleet.width):
        raise ParameterError(
            f"battleship: ships of sizes {params['ship_sizes']} do not fit on {fleet.height}×{fleet.width}."
        )
    return fleet


def _listed(name: str, text: str, item: str) -> list[str]:
    parts = text.split(",")
    if len(parts) > MAX_SHIPS or not all(re.fullmatch(item, part) for part in parts):
        raise ParameterError(
            f"battleship: {name}={text!r} must be 1 to {MAX_SHIPS} numbers with commas between and no spaces, "
            "like '2,3,3'."
        )
    return parts
