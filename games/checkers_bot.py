"""A simple checkers player: the material after its move and the best single answer to it."""

from __future__ import annotations

from typing import Any

from games.checkers import CheckersState, rows_of
from games.types import RandomStream, Seat, State

_VALUES = {"w": (3, 0), "W": (5, 0), "b": (0, 3), "B": (0, 5), ".": (0, 0)}
_WON = 1000


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Wins if it can, else keeps the most material two plies deep; a jump that goes on counts what it takes next."""
    if not isinstance(state, CheckersState):
        raise TypeError("this bot plays checkers only")
    size = int(state.game.spec.params["size"])
    scores = {move.answer: _worst(state.pyspiel_state.child(move.action), seat, size) for move in state.legal(seat)}
    best = max(scores.values())
    return f"[{rng.choice([answer for answer, score in scores.items() if score == best])}]"


def _worst(position: Any, seat: Seat, size: int) -> int:
    """The seat's lead after the best next ply, by whomever it is made."""
    if position.is_terminal():
        return _lead(position, seat, size)
    leads = [_lead(position.child(action), seat, size) for action in position.legal_actions()]
    return max(leads) if position.current_player() == seat else min(leads)


def _lead(position: Any, seat: Seat, size: int) -> int:
    if position.is_terminal() and position.returns()[seat]:
        return _WON if position.returns()[seat] > 0 else -_WON
    values = [_VALUES[piece] for row in rows_of(position, size) for piece in row]
    return sum(value[seat] - value[1 - seat] for value in values)
