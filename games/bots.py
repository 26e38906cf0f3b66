"""Scripted bots that any game with listed moves can use. They answer in the words a model would."""

from __future__ import annotations

from games.types import RandomStream, Seat, State


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """A legal move, uniformly."""
    moves = state.legal(seat)
    if not moves:
        raise ValueError(f"{state.game.spec.id}: no listed moves for player {seat}.")
    return f"[{moves[rng.randrange(len(moves))].answer}]"


def first_legal_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """The first legal move: a fixed, weak anchor where nothing better is defined."""
    moves = state.legal(seat)
    if not moves:
        raise ValueError(f"{state.game.spec.id}: no listed moves for player {seat}.")
    return f"[{moves[0].answer}]"
