"""Declared facts, and matches played to their end: bounds, sums, outcome classes, length, nothing after the end."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from games.conformance.probe import Fault, Probe, moves_of, playthrough, snapshot
from games.errors import GameOverError
from games.types import GameSpec, Move, State, Utility

_CLOSE = 1e-9


def facts(probe: Probe) -> Iterator[Fault]:
    """The declared facts agree with one another, forfeits included."""
    spec = probe.game.spec
    if not spec.roles:
        yield None, "there are no roles"
    if not math.isfinite(spec.min_return) or not math.isfinite(spec.max_return) or spec.min_return > spec.max_return:
        yield None, f"return bounds {spec.min_return} … {spec.max_return} are no range"
    if not spec.outcomes or len(set(spec.outcomes)) < len(spec.outcomes):
        yield None, f"outcome classes {spec.outcomes} are empty or repeated"
    if spec.max_turns < 1:
        yield None, f"max_turns is {spec.max_turns}"
    if "random" not in probe.game.bots():
        yield None, "there is no bot named random"
    for seat in probe.seats:
        returns = probe.game.forfeit_returns(seat)
        yield from ((None, f"forfeit of player {seat}: {fault}") for fault in return_faults(spec, returns))
        if len(returns) == spec.seats and returns[seat] > spec.min_return + _CLOSE:
            yield None, f"player {seat} forfeits for {returns[seat]}, better than its worst return {spec.min_return}"


def endings(probe: Probe) -> Iterator[Fault]:
    """Matches at random and with all bots keep to the declared bounds, sums, classes and length."""
    names = sorted(probe.game.bots())
    lineups: list[tuple[str, ...]] = [()]
    lineups += [tuple(names[(first + seat) % len(names)] for seat in probe.seats) for first in range(len(names))]
    for match in range(probe.matches):
        seed = probe.seeds[0] + match
        yield from ((seed, fault) for fault in _one(probe, seed, lineups[match % len(lineups)]))


def _one(probe: Probe, seed: int, bots: tuple[str, ...]) -> Iterator[str]:
    spec = probe.game.spec
    turns = 0
    for ply, state in playthrough(probe.game, seed, bots=bots):
        turns += len(state.to_move())
        if state.to_move() and ply < 3:
            yield from _asked_too_early(state)
    if state.to_move():
        yield f"the game goes on after {spec.max_turns} turns, its declared maximum"
        return
    if turns > spec.max_turns:
        yield f"{turns} turns were taken; at most {spec.max_turns} are declared"
    returns, outcome = state.returns(), state.outcome()
    yield from return_faults(spec, returns)
    if outcome not in spec.outcomes:
        yield f"outcome {outcome!r} is not among the declared {spec.outcomes}"
    for seat in probe.seats:
        if state.legal(seat):
            yield f"player {seat} has legal moves after the end"
    last = _some_move(probe, seed)
    before = snapshot(state)
    for seat in probe.seats:
        try:
            state.apply({seat: last})
        except GameOverError:
            continue
        yield f"a move of player {seat} after the end is accepted"
    if snapshot(state) != before:
        yield "a move after the end changed the state"


def turns(probe: Probe) -> Iterator[Fault]:
    """A parameter `turns` is the number of turns, to the turn."""
    given = probe.game.spec.params.get("turns")
    if given is not None and given != probe.game.spec.max_turns:
        yield None, f"turns={given} is in force, and max_turns is {probe.game.spec.max_turns}"


def _some_move(probe: Probe, seed: int) -> Move:
    """A move that was legal at the start of the match."""
    moves = moves_of(probe.game.new_state(seed), random.Random(seed))
    return next(iter(moves.values()), Move(answer=""))


def _asked_too_early(state: State) -> Iterator[str]:
    for question in (state.returns, state.outcome):
        try:
            question()
        except GameOverError:
            continue
        yield f"{question.__name__}() answers while the game is not over"


def return_faults(spec: GameSpec, returns: tuple[float, ...]) -> Iterator[str]:
    """Ways in which returns break the declared number of seats, bounds or sum."""
    if len(returns) != spec.seats:
        yield f"{len(returns)} returns for {spec.seats} seats"
        return
    for value in returns:
        if not spec.min_return - _CLOSE <= value <= spec.max_return + _CLOSE:
            yield f"return {value} is outside {spec.min_return} … {spec.max_return}"
    total = 0.0 if spec.utility is Utility.ZERO_SUM else spec.return_sum
    if spec.utility in (Utility.ZERO_SUM, Utility.CONSTANT_SUM) and abs(sum(returns) - total) > _CLOSE:
        kind = spec.utility.value.replace("_", "-")
        yield f"returns {returns} of a {kind} game add up to {sum(returns)}, not {total:g}"
    if spec.utility is Utility.COOPERATIVE and max(returns) - min(returns) > _CLOSE:
        yield f"returns {returns} of a cooperative game differ"
