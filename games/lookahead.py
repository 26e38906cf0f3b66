"""One move ahead in games without chance or secrets, for simple bots on OpenSpiel's rules."""

from __future__ import annotations

from typing import Any

from games.types import Seat


def winning(position: Any, seat: Seat, actions: list[int] | None = None) -> list[int]:
    """Actions of the seat to move that end the game in its favour.

    Args:
        position: pyspiel state, `seat` to move; not changed.
        seat: whose return must be positive.
        actions: those to try; all legal ones unless given.
    """
    found = []
    for action in position.legal_actions() if actions is None else actions:
        child = position.child(action)
        if child.is_terminal() and child.returns()[seat] > 0:
            found.append(action)
    return found


def safe(position: Any, seat: Seat) -> list[int]:
    """Legal actions that do not lose at once, and after which no other seat can win at once."""
    found = []
    for action in position.legal_actions():
        child = position.child(action)
        mover = child.current_player()
        if child.is_terminal():
            found += [action] if child.returns()[seat] >= 0 else []
        elif mover == seat or not winning(child, mover):
            found.append(action)
    return found
