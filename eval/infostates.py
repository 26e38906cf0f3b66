"""Every information state of a small game, with the very conversation in which a player would meet it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from arena.engine import Conversation
from arena.types import Completion, Exchange
from games import GameError, Seat
from games.openspiel import SpielGame, SpielState

MAX_HISTORIES = 200_000
"""Histories beyond which a game is too large to be walked through."""

MAX_LENGTH = 200
"""Moves of the longest match; longer games are not walked through to find out that they are too large."""


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


def decisions(game: SpielGame, *, show_legal: bool = False) -> list[Decision]:
    """All information states of a game, in tree order.

    Raises:
        GameTooLargeError: as `require_small`.
        GameError: two seats have an information state of the same name.
    """
    require_small(game)
    found: dict[tuple[Seat, str], list[int]] = {}  # the first history with this information; all tell the seat the same
    for _, node in _walk(game.pyspiel_game.new_initial_state()):
        seat = node.current_player()
        if seat < 0:
            continue
        found.setdefault((seat, node.information_state_string(seat)), node.history())
    if shared := shared_keys(found):
        raise GameError(
            f"{game.spec.id}: seats share information states ({', '.join(shared[:3])}), which one table of a policy "
            "cannot tell apart; exact play needs another game."
        )
    return [_decision(game, seat, key, history, show_legal) for (seat, key), history in found.items()]


def require_small(game: SpielGame) -> None:
    """Refuse a game that cannot be walked through.

    Raises:
        GameTooLargeError: more than MAX_HISTORIES histories, or matches of more than MAX_LENGTH moves.
    """
    root = game.pyspiel_game.new_initial_state()
    if game.pyspiel_game.max_game_length() > MAX_LENGTH or any(count > MAX_HISTORIES for count, _ in _walk(root)):
        raise GameTooLargeError(
            f"{game.spec.id} is too large for exact play (limit {MAX_HISTORIES:,} histories, {MAX_LENGTH} moves). "
            "Take a smaller game, like kuhn_poker."
        )


def shared_keys(states: Iterable[tuple[Seat, str]]) -> list[str]:
    """Names that stand for information states of more than one seat. OpenSpiel's tables know no seats."""
    seats: dict[str, set[Seat]] = {}
    for seat, key in states:
        seats.setdefault(key, set()).add(seat)
    return sorted(key for key, of in seats.items() if len(of) > 1)


def _walk(root: Any) -> Iterator[tuple[int, Any]]:
    """OpenSpiel's states, depth first, each with its number; holds no more of them than the tree is deep."""
    count = 1
    yield count, root
    path = [(root, iter(root.legal_actions()))]
    while path:
        node, actions = path[-1]
        action = next(actions, None)
        if action is None:
            path.pop()
            continue
        count += 1
        child = node.child(action)
        yield count, child
        if not child.is_terminal():
            path.append((child, iter(child.legal_actions())))


def _decision(game: SpielGame, seat: Seat, key: str, history: list[int], show_legal: bool) -> Decision:
    """Replay the history, asking the seat each time it moved."""
    node = game.state_from_json({"seed": 0, "history": history})
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
