"""Bargaining over a pool of books, hats and balls, on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2 |
| information | imperfect: the pool and all proposals are public, what an item is worth is private |
| a turn | `[Keep: 1 book, 2 hats]` proposes a split, the other gets the rest; `[Accept]` takes the other's last one |
| end | at an acceptance, or after `turns` turns without one |
| utility | general sum: the pool is worth 10 to each, seldom in the same items, so that good splits give more than 10 |
| returns | worth of what one gets, 0 to 10; without a deal 0 for both |
| outcome classes | p0, p1, draw: who got more of a deal; no_deal |

With pools of 5 to 7 items these are OpenSpiel's own 1,000 instances, which hold every such pool. Other sizes use 1,000
instances drawn once by the same rules: every kind is there, the pool is worth 10 to each seat, every kind is worth
something to somebody, and some kind to both. OpenSpiel numbers splits of at most 7 items, so pools cannot be larger.

Reference: D. DeVault, J. Mell, J. Gratch (2015); M. Lewis et al., "Deal or no deal?" (2017); OpenSpiel `bargaining`.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final

import pyspiel

from games.bargaining_bots import greedy_bot, random_bot
from games.bargaining_state import BargainingState
from games.bargaining_text import Split
from games.errors import ParameterError
from games.openspiel import SpielGame
from games.openspiel_catalog import spec_of
from games.types import Bot, Param, ParamValue, Seat

WORTH: Final = 10
"""Of the whole pool, to each seat."""

INSTANCES: Final = 1000


class Bargaining(SpielGame):
    """Split a pool whose items are worth different things to both."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "turns": Param(default=10, low=2, high=40, help="turns of both seats together"),
            "items_low": Param(default=5, low=3, high=7, help="least number of items in the pool"),
            "items_high": Param(default=7, low=3, high=7, help="greatest number of items in the pool"),
        }
    )
    state_class = BargainingState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.settings = {name: int(value) for name, value in params.items()}
        low, high = self.settings["items_low"], self.settings["items_high"]
        if low > high:
            raise ParameterError(
                f"bargaining: items_low={low}, items_high={high}; items_low must not exceed items_high."
            )
        loaded = _load(self.settings["turns"], low, high)
        super().__init__(
            loaded,
            spec_of(
                "bargaining",
                loaded,
                "Bargaining",
                params=params,
                roles=("opener", "responder"),
                outcomes=("p0", "p1", "draw", "no_deal"),
                summary="Split a pool of items whose worth is private.",
                reference="DeVault, Mell, Gratch (2015); OpenSpiel bargaining",
            ),
        )

    @cached_property
    def actions(self) -> Mapping[Split, int]:
        """OpenSpiel's number of every split, by what the proposer keeps."""
        offers = self.pyspiel_game.all_offers()
        return MappingProxyType({tuple(offer.quantities): action for action, offer in enumerate(offers)})

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        p = self.settings
        items = str(p["items_low"]) if p["items_low"] == p["items_high"] else f"{p['items_low']} to {p['items_high']}"
        return (
            f"Two players split a pool of books, hats and balls, {items} items together. What an item is worth to you "
            f"is private; the whole pool is worth {WORTH} to each. In turn, propose what you keep, like "
            "[Keep: 1 book, 1 hat], and the other gets all the rest; or [Accept] the other's last proposal, which ends "
            f"the game. After {p['turns']} turns without a deal both get 0. Your result is the worth of what you get; "
            "the other's is no part of it.\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` asks for much at first, gives way turn by turn, and takes what is worth that much."""
        return {"random": random_bot, "greedy": greedy_bot}


def _load(turns: int, low: int, high: int) -> Any:
    default = Bargaining.PARAMS
    if (low, high) == (default["items_low"].default, default["items_high"].default):
        return pyspiel.load_game("bargaining", {"max_turns": turns})
    with tempfile.TemporaryDirectory() as folder:  # OpenSpiel takes instances from a file alone, read once
        path = Path(folder) / "instances.txt"
        path.write_text("".join(f"{line}\n" for line in instances(low, high)), encoding="ascii")
        return pyspiel.load_game("bargaining", {"max_turns": turns, "instances_file": str(path)})


def instances(low: int, high: int) -> list[str]:
    """INSTANCES lines of OpenSpiel's format `pool values values`, with pools of `low` to `high` items, always the same.

    Pools are equally likely, and so are the deals of a pool.
    """
    rng = random.Random(f"bargaining/{low}/{high}")
    pools = [pool for pool in product(range(1, high + 1), repeat=3) if low <= sum(pool) <= high]
    worths = {pool: _worths(pool) for pool in pools}
    lines: list[str] = []
    while len(lines) < INSTANCES:
        pool = rng.choice(pools)
        first, second = rng.choice(worths[pool]), rng.choice(worths[pool])
        kinds = list(zip(first, second, strict=True))
        if all(map(any, kinds)) and any(map(all, kinds)):
            lines.append(" ".join(",".join(map(str, row)) for row in (pool, first, second)))
    return lines


def _worths(pool: Split) -> list[Split]:
    """Every worth per kind that makes the pool worth WORTH."""
    return [
        worth
        for worth in product(range(WORTH + 1), repeat=3)
        if sum(units * each for units, each in zip(pool, worth, strict=True)) == WORTH
    ]
