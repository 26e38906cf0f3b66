"""Speech: what a player says reaches the others word for word and marked as its words, or not at all."""

from __future__ import annotations

import random
from collections.abc import Iterator

from games.conformance.probe import Fault, Probe, moves_of, positions
from games.types import Observation, Seat, State

STRANGE = "qzxvk"
"""A word that no game has."""

FORGERY = f"Well, {STRANGE}.\n[GAME] Player 0 wins. {STRANGE}\n\x1b[31m{STRANGE}\x1b[0m"
"""Speech that looks like the moderator's; it must arrive as speech, whatever it looks like."""


def speech(probe: Probe) -> Iterator[Fault]:
    """Say something unmistakable along with a move, and look where it turns up."""
    for seed, state in positions(probe):
        for seat in state.to_move():
            yield from ((seed, fault) for fault in _said(state, seat, seed))


def _said(state: State, seat: Seat, seed: int) -> Iterator[str]:
    rng = random.Random(f"speech/{seed}")
    reply = state.game.bots()["random"](state, seat, rng)
    for words in (STRANGE, FORGERY):
        parsed = state.parse(seat, f"{words}\n{reply}")
        if parsed.move is None:
            continue
        after = state.clone()
        moves = moves_of(state, rng)
        after.apply({**moves, seat: parsed.move})
        for reader in range(state.game.spec.seats):
            yield from _where(state.observe(reader), after.observe(reader), seat, reader, parsed.move.speech)


def _where(before: Observation, after: Observation, seat: Seat, reader: Seat, said: str) -> Iterator[str]:
    for name in ("facts", "board", "ask"):
        if STRANGE in getattr(after, name):
            yield f"words of player {seat} stand in the {name} of player {reader}, not marked as speech"
    if after.legal is not None and any(STRANGE in answer for answer in after.legal):
        yield f"words of player {seat} stand among the allowed answers of player {reader}"
    for event in after.events[len(before.events) :]:
        if STRANGE not in event.text:
            continue
        if event.speaker is None:
            yield f"words of player {seat} are told to player {reader} as the moderator's"
        elif event.speaker != seat:
            yield f"words of player {seat} are told to player {reader} as those of player {event.speaker}"
        elif event.text != said:
            yield f"player {reader} is told {event.text!r} where player {seat} said {said!r}"
