"""How the checks play: random moves, the game's own bots, and the positions that are looked at."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from games.types import Game, Issue, Move, Seat, State

Fault: TypeAlias = tuple[int | None, str]
"""Seed of the match (None: no single match) and what was found."""

LOOKED_AT = frozenset({0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377})
"""Plies at which positions are examined closely: all early ones, ever fewer of a long game."""


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A game under examination."""

    game: Game
    seeds: tuple[int, ...]
    matches: int

    @property
    def seats(self) -> range:
        """All seats."""
        return range(self.game.spec.seats)


def moves_of(state: State, rng: random.Random, *, bots: tuple[str, ...] = ()) -> dict[Seat, Move]:
    """One move for every seat to move: a random legal one, or its bot's (`bots` by seat).

    Raises:
        ValueError: a seat is to move and has no move, or its bot's reply cannot be used.
    """
    moves = {}
    for seat in state.to_move():
        listed = state.legal(seat)
        if listed is not None and not listed:
            raise ValueError(f"player {seat} is to move and has no legal move")
        if listed is not None and not bots:
            moves[seat] = listed[rng.randrange(len(listed))]
            continue
        name = bots[seat] if bots else "random"
        reply = state.game.bots()[name](state, seat, rng)
        parsed = state.parse(seat, reply)
        if parsed.move is None:
            raise ValueError(f"bot {name} replied {reply!r} as player {seat}: {parsed.issue}, {parsed.hint}")
        moves[seat] = parsed.move
    return moves


def playthrough(game: Game, seed: int, *, bots: tuple[str, ...] = ()) -> Iterator[tuple[int, State]]:
    """(ply, live state) before every move and at the end; at most one ply more than the game declares."""
    rng = random.Random(f"conformance/{seed}/{bots}")
    state = game.new_state(seed)
    ply = 0
    yield ply, state
    while state.to_move() and ply <= game.spec.max_turns:
        state.apply(moves_of(state, rng, bots=bots))
        ply += 1
        yield ply, state


def positions(probe: Probe) -> Iterator[tuple[int, State]]:
    """(seed, live state) at the plies that are looked at, and at the end of each match."""
    for seed in probe.seeds:
        for ply, state in playthrough(probe.game, seed):
            if ply in LOOKED_AT or not state.to_move():
                yield seed, state


def advance(state: State, rng: random.Random, plies: int) -> None:
    """Play on at random for a few plies, or to the end."""
    for _ in range(plies):
        if not state.to_move():
            return
        state.apply(moves_of(state, rng))


def snapshot(state: State) -> tuple[object, ...]:
    """Everything that can be asked of a state, for comparing two."""
    seats = range(state.game.spec.seats)
    over = not state.to_move()
    return (
        json.dumps(state.to_json(), sort_keys=True),
        state.to_move(),
        tuple(state.observe(seat) for seat in seats),
        tuple(state.legal(seat) for seat in seats),
        tuple(state.render(seat) for seat in (None, *seats)),
        (state.returns(), state.outcome()) if over else None,
    )


def sample_moves(state: State, seat: Seat, rng: random.Random, limit: int = 24) -> tuple[Move, ...]:
    """Different usable moves of a seat to move: legal ones, or what the random bot says in free-form games."""
    listed = state.legal(seat)
    if listed is not None:
        return listed if len(listed) <= limit else tuple(rng.sample(listed, limit))
    said = {}
    for _ in range(limit // 3):
        parsed = state.parse(seat, state.game.bots()["random"](state, seat, rng))
        if parsed.issue is Issue.OK and parsed.move is not None:
            said[parsed.move.answer] = parsed.move
    return tuple(said.values())
