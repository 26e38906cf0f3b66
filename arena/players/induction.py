"""Backward induction: exact values of small two-player games in which nothing is hidden (chance averaged)."""

from __future__ import annotations

from typing import Any

MAX_POSITIONS = 100_000
"""Positions beyond which a game counts as too large."""

TOO_LARGE = "is too large to solve here"
"""How every refusal by size begins."""


class NotSolvableError(Exception):
    """The walk through a game found why it cannot be solved here; the text continues "<game> …"."""


def position_key(node: Any) -> Any:
    """Identity of a position; legal actions and mover stand beside the text, which may leave them out."""
    return node.current_player(), str(node), tuple(node.legal_actions())


def position_values(root: Any) -> dict[Any, float]:
    """Value of every position to the first seat under best play.

    Raises:
        NotSolvableError: more than MAX_POSITIONS positions, or positions that repeat within a match.
    """
    values: dict[Any, float] = {}
    above: set[Any] = set()

    def value(node: Any) -> float:
        result: float
        if node.is_terminal():
            return float(node.returns()[0])
        key = position_key(node)
        if key in values:
            return values[key]
        if key in above:
            raise NotSolvableError("has positions that repeat, which backward induction cannot order")
        if len(values) + len(above) >= MAX_POSITIONS:
            raise NotSolvableError(f"{TOO_LARGE} (limit {MAX_POSITIONS:,} positions)")
        above.add(key)
        if node.is_chance_node():
            result = sum((p * value(node.child(action)) for action, p in node.chance_outcomes()), 0.0)
        else:
            best = max if node.current_player() == 0 else min
            result = best(value(node.child(action)) for action in node.legal_actions())
        above.remove(key)
        values[key] = result
        return result

    value(root)
    return values


def position_value(values: dict[Any, float], node: Any) -> float:
    """Value of one position to the first seat."""
    return float(node.returns()[0]) if node.is_terminal() else values[position_key(node)]
