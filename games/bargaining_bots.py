"""Scripted bargainers. They see their own worths and the proposals, and speak public syntax."""

from __future__ import annotations

from itertools import product

from games.bargaining_state import BargainingState
from games.bargaining_text import Split, keep_answer
from games.types import RandomStream, Seat, State

FLOOR = 4
"""What the greedy bot would rather take than leave, of 10."""


def _own(state: State) -> BargainingState:
    if not isinstance(state, BargainingState):
        raise TypeError("this bot plays bargaining only")
    return state


def splits(pool: Split) -> list[Split]:
    """Everything one could keep of a pool."""
    return list(product(*(range(units + 1) for units in pool)))


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Accepts one proposal in four, else proposes any split."""
    match = _own(state)
    if match.proposal() is not None and rng.random() < 0.25:
        return "[Accept]"
    return f"[{keep_answer(rng.choice(splits(match.pool())))}]"


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Wants all at first and FLOOR at last, evenly in between; of splits that give that, takes the fewest items."""
    match = _own(state)
    turns = match.game.spec.max_turns
    left = turns - match.turn()
    wanted = FLOOR + (match.worth(seat, match.pool()) - FLOOR) * (left - 1) / (turns - 1)
    offered = match.offered()
    if offered is not None and match.worth(seat, offered) >= (wanted if left > 1 else 1):
        return "[Accept]"
    enough = [split for split in splits(match.pool()) if match.worth(seat, split) >= wanted]
    fewest = min(map(sum, enough))
    return f"[{keep_answer(rng.choice([split for split in enough if sum(split) == fewest]))}]"
