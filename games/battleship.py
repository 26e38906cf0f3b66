"""Battleship on OpenSpiel's rules: place a fleet unseen, then shoot in turn.

| fact | value |
|---|---|
| seats | 2: player 0 places and shoots first |
| information | imperfect: own ships; of the other's only what shots have told |
| returns | value of the ships sunk, less `loss_multiplier` × value of the ships lost |
| utility | zero-sum where `loss_multiplier` is 1, general-sum elsewhere |
| outcome classes | p0, p1, draw: who has the higher return |
| length | at most 2 × (ships + shots) moves; it ends at once when a fleet is sunk |

A shot is told to both as water, hit or sunk, never which ship; the owner sees that on its own sea.

Reference: OpenSpiel `battleship` (G. Farina et al., 2019).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.battleship_bot import greedy_bot
from games.battleship_fleet import Fleet, fleet_of
from games.battleship_state import BattleshipState
from games.bots import random_bot
from games.errors import ParameterError
from games.openspiel import SpielGame
from games.openspiel_catalog import spec_of
from games.types import Bot, Move, Param, ParamValue, RandomStream, Seat, State

DIRECTIONS = ("", " right", " down")
"""What is said after the cell, by OpenSpiel's numbers: shots first, then placements across, then down."""

_ATTEMPTS = 20


class Battleship(SpielGame):
    """Find and sink the other's ships before yours are found."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "board_height": Param(default=6, low=1, high=10, help="rows of each sea"),
            "board_width": Param(default=6, low=1, high=10, help="columns of each sea"),
            "ship_sizes": Param(default="2,3,3", help="cells of each ship, commas between"),
            "ship_values": Param(default="1,1,1", help="what each ship counts, commas between"),
            "num_shots": Param(default=20, low=1, high=200, help="shots of each player"),
            "allow_repeated_shots": Param(default=False, help="whether a cell may be shot at twice"),
            "loss_multiplier": Param(default=1.0, low=0.0, high=10.0, help="weight of lost ships; 1: zero-sum"),
        }
    )
    state_class = BattleshipState
    moves: tuple[Move, ...]

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.fleet: Fleet = fleet_of(params)
        settings = {
            **params,
            "ship_sizes": f"[{';'.join(map(str, self.fleet.sizes))}]",
            "ship_values": f"[{';'.join(map(str, self.fleet.values))}]",
        }
        try:
            loaded: Any = pyspiel.load_game("battleship", settings)
        except pyspiel.SpielError as error:
            raise ParameterError(
                f"battleship: ships of sizes {params['ship_sizes']} do not fit on "
                f"{self.fleet.height}×{self.fleet.width}; take fewer or smaller ones."
            ) from error
        spec = spec_of(
            "battleship",
            loaded,
            "Battleship",
            params=params,
            roles=("first", "second"),
            summary="Find and sink the other's ships before yours are found.",
        )
        cells = [self.fleet.name(cell) for cell in range(self.fleet.cells)]
        answers = [cell + direction for direction in DIRECTIONS for cell in cells]  # every shot, then every placement
        self.moves = tuple(Move(answer=answer, action=action) for action, answer in enumerate(answers))
        most = self.fleet.most_sunk()
        super().__init__(loaded, replace(spec, min_return=0.0 - self.fleet.loss_multiplier * most, max_return=most))

    def forfeit_returns(self, seat: Seat) -> tuple[float, ...]:
        """As if all that could be had been sunk of the one who forfeits, and nothing of the other's."""
        return tuple(self.spec.min_return if s == seat else self.spec.max_return for s in (0, 1))

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All cells, alone and with a direction."""
        return frozenset(move.answer for move in self.moves)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        p = self.spec.params
        repeat = "A cell may be shot at again." if p["allow_repeated_shots"] else "No cell may be shot at twice."
        return (
            f"Battleship. Each player has a sea of {p['board_height']} rows and {p['board_width']} columns, which the "
            f"other does not see. In turn, player 0 first, each places its ships A, B, … of sizes {p['ship_sizes']} on "
            "its own, straight and not overlapping; then in turn each shoots at a cell of the other's, "
            f"{p['num_shots']} shots each. {repeat} Every shot is told to both: water, hit, or sunk when it was the "
            "last cell of a ship. The game ends at once when all ships of a player are sunk. The ships count "
            f"{p['ship_values']}: you get what you have sunk, less {p['loss_multiplier']} times what you have lost. "
            "On your sea capitals are ships, small letters hit parts, o water shot at; on theirs o water, x hit, "
            "# sunk, . unknown. Answer in brackets: while placing, the ship's first cell and right or down, like "
            f"[a1 right]; then the cell to shoot at, like [a1].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` shoots where most ships could lie, and around its hits."""
        return {"random": random_bot, "greedy": greedy_bot}

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """Up to two matches in which the other placed its ships elsewhere, and all shots were told the same."""
        if not isinstance(state, BattleshipState) or not state.to_move():
            return ()
        key, found = state.information_key(seat), dict[str, State]()
        for _ in range(_ATTEMPTS):
            other = self._placed_anew(state, seat, rng)
            if other is not None and other.information_key(seat) == key and other.to_json() != state.to_json():
                found[str(other.to_json())] = other
            if len(found) == 2:
                break
        return tuple(found.values())

    def _placed_anew(self, state: BattleshipState, seat: Seat, rng: RandomStream) -> BattleshipState | None:
        """The same match with some of the other's ships elsewhere; None where that cannot have been told the same."""
        known = state.known(seat)
        water = {cell for cell, told in known.items() if told == "water"}
        other = self.new_state(state.seed)
        assert isinstance(other, BattleshipState)
        for number, action in enumerate(state.to_json()["history"]):
            if not other.to_move():
                return None
            if number % 2 == seat or action < self.fleet.cells:
                other.step(action)
                continue
            legal = other.pyspiel_state.legal_actions()
            size = self.fleet.sizes[number // 2]
            free = [place for place in legal if water.isdisjoint(self.fleet.covered(place, size))]
            keep = action in free and rng.random() < 0.5
            if not free:
                return None
            other.step(action if keep else rng.choice(free))
        return other if other.known(seat) == known and other.to_move() == state.to_move() else None
