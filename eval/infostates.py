"""Every information state of a small game, with the very conversation in which a player would meet it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.engine import Conversation
from arena.types import Completion, Exchange
from games import GameError, Seat
from games.openspiel import SpielGame, SpielState

MAX_HISTORIES = 200_000
"""Histories beyond which a game is too large to be walked through."""


class GameTooLargeError(GameError, ValueError):
    """Exact evaluation walks the whole game tree, and this one is too large."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One information state.

    Attributes:
        key: OpenSpiel's information state string. seat: who decides.
        state: a state in which the seat is to move and has exactly this information.
        system, user, history: what a player would be told there, its own earlier replies in canonical form.
        answers: canonical reply per legal action.
    """

    key: str
    seat: Seat
    state: SpielState
    system: str
    user: str
    history: tuple[Exchange, ...]
    answers: dict[int, str]


def decisions(game: SpielGame, *, show_legal: bool = True) -> list[Decision]:
    """All information states of a game, in tree order.

    Raises:
        GameTooLargeError: more than MAX_HISTORIES histories.
    """
    found: dict[tuple[Seat, str], Decision] = {}
    for history in _histories(game.pyspiel_game.new_initial_state()):
        node = game.state_from_json({"seed": 0, "history": history})
        seat = node.to_move()[0]
        key = node.pyspiel_state.information_state_string(seat)
        if (seat, key) not in found:
            found[seat, key] = _decision(game, node, seat, key, history, show_legal)
    return list(found.values())


def _histories(root: Any) -> Iterator[list[int]]:
    """Histories that end at a decision."""
    count = 0
    stack = [root]
    while stack:
        node = stack.pop()
        count += 1
        if count > MAX_HISTORIES:
            raise GameTooLargeError(
                f"The game has more than {MAX_HISTORIES:,} histories; exact play needs a smaller one."
            )
        if node.is_terminal():
            continue
        if not node.is_chance_node():
            yield list(node.history())
        stack.extend(node.child(action) for action in reversed(node.legal_actions()))


def _decision(
    game: SpielGame, node: SpielState, seat: Seat, key: str, history: list[int], show_legal: bool
) -> Decision:
    """Replay the history, asking the seat each time it moved."""
    talk = Conversation(game, seat)
    exchanges: list[Exchange] = []
    for length in range(len(history)):
        before = game.state_from_json({"seed": 0, "history": history[:length]})
        if before.to_move() == (seat,):
            user = talk.question(before, show_legal=show_legal)
            reply = f"[{before.answer(seat, history[length])}]"
            exchanges.append(Exchange(user=user, completion=Completion(text=reply)))
    answers = {move.action: f"[{move.answer}]" for move in node.legal(seat) if move.action is not None}
    return Decision(
        key=key,
        seat=seat,
        state=node,
        system=talk.system,
        user=talk.question(node, show_legal=show_legal),
        history=tuple(exchanges),
        answers=answers,
    )
