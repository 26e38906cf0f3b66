"""States: equal seeds give equal matches, nothing leaks between them, and copies are whole and independent."""

from __future__ import annotations

import json
import pickle
import random
import sys
from collections.abc import Iterator

from games.conformance.probe import LOOKED_AT, Fault, Probe, advance, moves_of, playthrough, positions, snapshot
from games.types import Event, Game, State

_ON = 12  # plies played on from a copy


def determinism(probe: Probe) -> Iterator[Fault]:
    """The same seed and moves give the same match, also beside another match that is played at the same time."""
    for seed in probe.seeds:
        alone = _trace(probe.game, seed)
        if _trace(probe.game, seed) != alone:
            yield seed, "two matches with the same seed and moves differ"
        mixed = _interleaved(probe.game, seed, seed + 1)
        if mixed != (alone, _trace(probe.game, seed + 1)):
            yield seed, f"the match differs when one with seed {seed + 1} is played at the same time"


def _trace(game: Game, seed: int) -> list[tuple[object, ...]]:
    return [snapshot(state) for ply, state in playthrough(game, seed) if ply < 8 or not state.to_move()]


def _interleaved(game: Game, first: int, second: int) -> tuple[list[tuple[object, ...]], ...]:
    running = [playthrough(game, seed) for seed in (first, second)]
    traces: tuple[list[tuple[object, ...]], ...] = ([], [])
    live = [0, 1]
    while live:
        for which in tuple(live):
            step = next(running[which], None)
            if step is None:
                live.remove(which)
            elif step[0] < 8 or not step[1].to_move():
                traces[which].append(snapshot(step[1]))
    return traces


def global_random_numbers(probe: Probe) -> Iterator[Fault]:
    """Neither `random` nor numpy's global generator is drawn from or seeded."""
    before = _global_states()
    for seed in probe.seeds:
        for _ in playthrough(probe.game, seed):
            pass
        for name in probe.game.bots():
            for _ in playthrough(probe.game, seed, bots=(name,) * probe.game.spec.seats):
                pass
        for name, state in _global_states().items():
            if name in before and state != before[name]:
                yield seed, f"the global generator of {name} was used"
                return


def _global_states() -> dict[str, str]:
    states = {"random": repr(random.getstate())}
    if "numpy" in sys.modules:
        states["numpy"] = repr(sys.modules["numpy"].random.get_state(legacy=False))
    return states


def round_trip(probe: Probe) -> Iterator[Fault]:
    """JSON and pickle restore a state in the middle of a match, and it plays on like the original."""
    for seed, state in positions(probe):
        before = snapshot(state)
        copies: dict[str, State] = {
            "JSON": probe.game.state_from_json(json.loads(json.dumps(state.to_json()))),
            "pickle": pickle.loads(pickle.dumps(state)),  # noqa: S301 - pickled in this very line
        }
        original = state.clone()
        advance(original, random.Random(seed), _ON)
        for name, copy in copies.items():
            if snapshot(copy) != before:
                yield seed, f"a state restored from {name} differs: {_difference(before, snapshot(copy))}"
                continue
            advance(copy, random.Random(seed), _ON)
            if snapshot(copy) != snapshot(original):
                yield seed, f"a state restored from {name} plays on differently"
        if snapshot(state) != before:
            yield seed, "storing a state changed it"


def clones(probe: Probe) -> Iterator[Fault]:
    """A clone is equal, and neither it nor the original is changed by moves in the other."""
    for seed, state in positions(probe):
        before = snapshot(state)
        copy, other = state.clone(), state.clone()
        if snapshot(copy) != before:
            yield seed, f"a clone differs: {_difference(before, snapshot(copy))}"
        advance(copy, random.Random(seed), _ON)
        if snapshot(state) != before:
            yield seed, "moves in a clone changed the original"
        if state.to_move():
            moved = state.clone()
            moved.apply(moves_of(state, random.Random(seed)))
            if snapshot(other) != before:
                yield seed, "moves in one clone changed another"


def _difference(one: tuple[object, ...], other: tuple[object, ...]) -> str:
    names = ("json", "to_move", "observe", "legal", "render", "ending")
    return ", ".join(name for name, a, b in zip(names, one, other, strict=True) if a != b)


def events_grow(probe: Probe) -> Iterator[Fault]:
    """What a seat learnt is never taken back or rewritten."""
    for seed in probe.seeds:
        known: dict[int, tuple[Event, ...]] = dict.fromkeys(probe.seats, ())
        for ply, state in playthrough(probe.game, seed):
            for seat in probe.seats if ply in LOOKED_AT or not state.to_move() else ():
                events = state.observe(seat).events
                if events[: len(known[seat])] != known[seat]:
                    yield seed, f"events of player {seat} were changed: {known[seat]} became {events}"
                known[seat] = events
