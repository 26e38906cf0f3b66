"""Several seats: who may be asked when, and moves made together that do not depend on who answers first."""

from __future__ import annotations

import random
from collections.abc import Iterator

from games.conformance.probe import Fault, Probe, moves_of, positions, sample_moves, snapshot
from games.types import Dynamics, Seat, State


def movers(probe: Probe) -> Iterator[Fault]:
    """Seats to move exist, are named once and in order; the others have no moves; TURNS means one at a time."""
    for seed, state in positions(probe):
        seats = state.to_move()
        if list(seats) != sorted(set(seats) & set(probe.seats)):
            yield seed, f"to_move() is {seats}; different seats of {probe.game.spec.seats}, in order, are needed"
        if len(seats) > 1 and probe.game.spec.dynamics is Dynamics.TURNS:
            yield seed, f"players {seats} are to move together in a game of turns"
        for seat in probe.seats:
            if seat not in seats and state.legal(seat) != ():
                yield seed, f"player {seat} is not to move and has legal moves {state.legal(seat)}"


def joint_moves(probe: Probe) -> Iterator[Fault]:
    """Where seats move together, neither the order of the moves nor an answer that was only read matters."""
    for seed, state in positions(probe):
        if len(state.to_move()) < 2:
            continue
        moves = moves_of(state, random.Random(f"together/{seed}"))
        one, other = state.clone(), state.clone()
        one.apply(moves)
        other.apply(dict(reversed(moves.items())))
        if _told(one) != _told(other):
            yield seed, "the order in which moves made together are given decides what comes of them"
        yield from ((seed, fault) for fault in _pending(state))


def _told(state: State) -> tuple[object, ...]:
    return snapshot(state)[1:]  # what is stored may keep the order


def _pending(state: State) -> Iterator[str]:
    """Reading one seat's answer changes nothing for another that moves at the same time."""
    seats = state.to_move()
    for seat in seats:
        others = [other for other in seats if other != seat]
        before = [_heard(state, other) for other in others]
        for move in sample_moves(state, seat, random.Random(0), limit=3):
            state.parse(seat, f"{move.speech} [{move.answer}]")
            if [_heard(state, other) for other in others] != before:
                yield f"what others see or may say depends on the pending choice of player {seat}"
                return


def _heard(state: State, seat: Seat) -> tuple[object, ...]:
    reply = state.game.bots()["random"](state, seat, random.Random(1))
    return state.observe(seat), state.legal(seat), state.parse(seat, reply)
