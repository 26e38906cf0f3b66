"""What a match deals: roles that stay, forfeits that pay nobody for failing, measures that are numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from games.conformance.endings import return_faults
from games.conformance.probe import Fault, Probe, positions
from games.errors import GameOverError
from games.types import State

_CLOSE = 1e-9


def roles_and_forfeits(probe: Probe) -> Iterator[Fault]:
    """Roles are one per seat and never change; a forfeit keeps to the declared facts and never pays its own seat."""
    dealt: dict[int, tuple[str, ...]] = {}
    for seed, state in positions(probe):
        roles = state.roles()
        if len(roles) != len(probe.seats) or not all(roles):
            yield seed, f"roles {roles} are not one for each of {len(probe.seats)} seats"
        if dealt.setdefault(seed, roles) != roles:
            yield seed, f"the roles changed within a match: {dealt[seed]} became {roles}"
        for seat in state.to_move():
            returns = state.forfeit_returns(seat)
            yield from (
                (seed, f"forfeit of player {seat}: {fault}") for fault in return_faults(probe.game.spec, returns)
            )
            if returns[seat] > min(returns) + _CLOSE:
                yield seed, f"player {seat} forfeits and is paid {returns[seat]}, more than another seat in {returns}"


def measures(probe: Probe) -> Iterator[Fault]:
    """Measures are finite numbers, payoffs are those of seats, and nothing is measured before the end."""
    for seed, state in positions(probe):
        found = _measured(state)
        if state.to_move() and found:
            yield seed, f"measures() answers {found} while the game is not over"
        for name, value in found.items():
            if not isinstance(value, int | float) or not math.isfinite(value):
                yield seed, f"measure {name} is {value!r}, which is no number"
            of = name.removeprefix("payoff/")
            if of != name and not (of.isdecimal() and int(of) in probe.seats):
                yield seed, f"measure {name} belongs to no seat"
        payoffs = sum(name.startswith("payoff/") for name in found)
        if payoffs not in (0, len(probe.seats)):
            yield seed, f"there are {payoffs} payoffs for {len(probe.seats)} seats"


def _measured(state: State) -> dict[str, float]:
    try:
        return dict(state.measures())
    except GameOverError:
        return {}
