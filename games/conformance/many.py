"""Many random games, quickly: what a rare ending breaks shows only in thousands of matches."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from games.conformance.endings import return_faults
from games.conformance.probe import moves_of
from games.types import Game

LIMIT = 3
"""Faults after which the rest is not played."""


def random_games(game: Game, seeds: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Play one match per seed with random moves, to its end, and hold it to the declared facts.

    Yields:
        (seed, fault): an exception, a match that is too long, returns out of bounds or with a wrong sum, an undeclared
        outcome class. At most LIMIT of them.
    """
    found = 0
    for seed in seeds:
        for fault in _one(game, seed):
            yield seed, fault
            found += 1
            if found == LIMIT:
                return


def _one(game: Game, seed: int) -> Iterator[str]:
    rng = random.Random(f"random game/{seed}")
    turns = 0
    try:
        state = game.new_state(seed)
        while movers := state.to_move():
            turns += len(movers)
            if turns > game.spec.max_turns:
                yield f"the game goes on after {game.spec.max_turns} turns, its declared maximum"
                return
            state.apply(moves_of(state, rng))
        yield from return_faults(game.spec, state.returns())
        if state.outcome() not in game.spec.outcomes:
            yield f"outcome {state.outcome()!r} is not among the declared {game.spec.outcomes}"
    except Exception as error:  # noqa: BLE001 - whatever a game raises is what is reported
        yield f"raised {type(error).__name__} after {turns} turns: {error}"
