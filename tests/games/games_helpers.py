"""Playing games at random, for tests."""

from __future__ import annotations

import random

from games import Game, State


def play(game: Game, seed: int, bots: tuple[str, ...] = ("random", "random")) -> State:
    """A match between bots, played to its end."""
    state = game.new_state(seed)
    rng = random.Random(f"test/{seed}")
    while seats := state.to_move():
        moves = {}
        for seat in seats:
            parsed = state.parse(seat, game.bots()[bots[seat]](state, seat, rng))
            assert parsed.move is not None, parsed
            moves[seat] = parsed.move
        state.apply(moves)
    return state


def say(state: State, *replies: str) -> None:
    """Each reply by whoever is to move; all must be usable."""
    for reply in replies:
        (seat,) = state.to_move()
        parsed = state.parse(seat, reply)
        assert parsed.move is not None, parsed
        state.apply({seat: parsed.move})
