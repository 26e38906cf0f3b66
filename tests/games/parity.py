"""Our match beside OpenSpiel's own, move by move at random, for tests."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import pyspiel

from games import get_game
from games.openspiel import SpielState
from games.types import ParamValue


def beside_openspiel(name: str, params: Mapping[str, ParamValue], seeds: int) -> Iterator[tuple[SpielState, Any]]:
    """Every position of random matches, ours and OpenSpiel's; who moves, what is legal and who wins is compared here.

    Chance is drawn by ours and copied to the other.
    """
    game, theirs = get_game(name, params), pyspiel.load_game(name, dict(params))
    for seed in range(seeds):
        state, reference = game.new_state(seed), theirs.new_initial_state()
        assert isinstance(state, SpielState)
        rng = random.Random(f"parity/{seed}")
        while True:
            for action in state.to_json()["history"][len(reference.history()) :]:
                reference.apply_action(action)
            yield state, reference
            if reference.is_terminal():
                break
            (seat,) = state.to_move()
            assert seat == reference.current_player()
            moves = state.legal(seat)
            assert [move.action for move in moves] == reference.legal_actions()
            state.apply({seat: rng.choice(moves)})
        assert state.to_move() == ()
        assert list(state.returns()) == reference.returns()
