"""A simple player of dots and boxes: it counts what a line gives away, and does not sacrifice."""

from __future__ import annotations

from collections.abc import Sequence

from games.dots_and_boxes import DotsAndBoxesState
from games.types import RandomStream, Seat, State


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Closes what it can; else draws one of the lines after which the other can close fewest boxes in a row."""
    if not isinstance(state, DotsAndBoxesState):
        raise TypeError("this bot plays dots_and_boxes only")
    drawn, boxes = set(state.pyspiel_state.history()), state.game.boxes
    actions = state.pyspiel_state.legal_actions()
    closing = [action for action in actions if any(action in box and len(box - drawn) == 1 for box in boxes)]
    if closing:
        return f"[{state.answer(seat, rng.choice(closing))}]"
    costs = {action: given_away({*drawn, action}, boxes) for action in actions}
    least = min(costs.values())
    return f"[{state.answer(seat, rng.choice([action for action in actions if costs[action] == least]))}]"


def given_away(drawn: set[int], boxes: Sequence[frozenset[int]]) -> int:
    """How many boxes can be closed one after another from here."""
    drawn = set(drawn)
    opened = [box for box in boxes if not box <= drawn]
    before = len(opened)
    while ready := [box for box in opened if len(box - drawn) <= 1]:
        drawn.update(*ready)
        opened = [box for box in opened if not box <= drawn]
    return before - len(opened)
