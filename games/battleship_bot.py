"""A simple battleship player: shoots where most placements of the fleet would be hit."""

from __future__ import annotations

from games.battleship_fleet import Fleet
from games.battleship_state import BattleshipState
from games.bots import random_bot
from games.types import RandomStream, Seat, State


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Places at random; shoots where ships could lie most often, first of all in line with hits not yet sunk."""
    if not isinstance(state, BattleshipState):
        raise TypeError("this bot plays battleship only")
    if state.placing():
        return random_bot(state, seat, rng)
    weights = _weights(state.game.fleet, state.known(seat))
    best = max(weights.values(), default=0)
    if not best:
        return random_bot(state, seat, rng)
    return f"[{state.game.fleet.name(rng.choice([cell for cell, weight in weights.items() if weight == best]))}]"


def _weights(fleet: Fleet, known: dict[int, str]) -> dict[int, int]:
    """For each cell not shot at, in how many placements a ship covers it; more with hits in the same placement."""
    closed = _around_sunk(fleet, known) | {cell for cell, told in known.items() if told == "water"}
    weights: dict[int, int] = {}
    for size in fleet.sizes:
        for cells in fleet.placements[size]:
            if cells.isdisjoint(closed):
                unknown = cells - known.keys()
                weight = 1 + 50 * (size - len(unknown))
                for cell in sorted(unknown):
                    weights[cell] = weights.get(cell, 0) + weight
    return weights


def _around_sunk(fleet: Fleet, known: dict[int, str]) -> set[int]:
    """Cells of sunk ships, as far as one can tell: the shots that sank and the hits that hang together with them."""
    done = {cell for cell, told in known.items() if told == "sunk"}
    todo = list(done)
    while todo:
        cell = todo.pop()
        row, column = divmod(cell, fleet.width)
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        for beside in (r * fleet.width + c for r, c in around if 0 <= r < fleet.height and 0 <= c < fleet.width):
            if known.get(beside) == "hit" and beside not in done:
                done.add(beside)
                todo.append(beside)
    return done
