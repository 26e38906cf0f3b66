"""Hidden information: a seat's view depends on what it may know and on nothing else, and its bots look only there."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from games.conformance.probe import LOOKED_AT, Fault, Probe, playthrough, positions
from games.registry import OURS
from games.types import Information, Observation, Seat, State

_ADDRESS = re.compile(r"(?i)\b(?:you|player \d+)\b")
"""Who somebody is to the one who is told: `you took it` is `player 1 took it` to the other."""


def hidden_information(probe: Probe) -> Iterator[Fault]:
    """Two tests: vary what a seat must not know, and compare states that it cannot, or can, tell apart."""
    compared = False
    for seed, state in positions(probe):
        for seat in probe.seats if state.to_move() else ():  # the end may lay everything open
            for variant in probe.game.variants(state, seat, random.Random(f"variants/{seed}/{seat}")):
                compared = True
                yield from ((seed, fault) for fault in _compare(state, variant, seat))
    yield from _by_key(probe)
    spec, first = probe.game.spec, probe.game.new_state(probe.seeds[0])
    named = all(first.information_key(seat) is not None for seat in first.to_move())
    adapted = spec.id.startswith(OURS)  # some libraries have no name for what a seat knows
    if spec.information is Information.IMPERFECT and not compared and not named and not adapted:
        yield None, "something is hidden, and neither variants nor information_key let it be tested"


def open_information(probe: Probe) -> Iterator[Fault]:
    """Where nothing is hidden, everybody is told the same of what happened."""
    if probe.game.spec.information is not Information.PERFECT:
        return
    for seed, state in positions(probe):
        events = [[_ADDRESS.sub("…", event.text) for event in state.observe(seat).events] for seat in probe.seats]
        if any(told != events[0] for told in events):
            yield seed, "nothing is hidden, and the events of some seats differ"


def _compare(state: State, variant: State, seat: Seat) -> Iterator[str]:
    if variant.observe(seat) != state.observe(seat):
        yield f"the view of player {seat} depends on what it must not know"
    if variant.render(seat) != state.render(seat):
        yield f"the picture for player {seat} depends on what it must not know"
    if seat not in state.to_move():
        return
    for name, bot in state.game.bots().items():
        key = f"bot/{name}"
        if bot(variant, seat, random.Random(key)) != bot(state, seat, random.Random(key)):
            yield f"bot {name} as player {seat} looks at what it must not know"


def _told(seen: Observation) -> tuple[object, ...]:
    return (seen.facts, seen.events, seen.board)


def _by_key(probe: Probe) -> Iterator[Fault]:
    """Equal information keys: equal views. Different keys: different texts."""
    views: dict[tuple[Seat, str], Observation] = {}
    keys: dict[tuple[Seat, tuple[object, ...]], str] = {}
    for seed in range(probe.seeds[0], probe.seeds[0] + probe.matches):
        for ply, state in playthrough(probe.game, seed):
            for seat in state.to_move() if ply in LOOKED_AT else ():
                key = state.information_key(seat)
                if key is None:
                    return
                seen = state.observe(seat)
                if views.setdefault((seat, key), seen) != seen:
                    yield seed, f"player {seat} sees different things in the same information state {key!r}"
                if keys.setdefault((seat, _told(seen)), key) != key:
                    yield seed, f"player {seat} is told the same in different information states, such as {key!r}"
