"""Scripted splitters. They see the pot, the proposals and their own role, and speak public syntax."""

from __future__ import annotations

from games.talk_bots import small_talk
from games.two_dollar_roles import CONCESSION_LIMIT, DEADLINE, MINIMUM
from games.two_dollar_state import TwoDollarState
from games.two_dollar_text import propose
from games.types import RandomStream, Seat, State


def _own(state: State) -> TwoDollarState:
    if not isinstance(state, TwoDollarState):
        raise TypeError("this bot plays two_dollar only")
    return state


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Any kind of legal action, whatever it is worth."""
    match = _own(state)
    answering = match.offered(seat) is not None
    kind = rng.choice(("propose", "accept", "reject") if answering else ("propose", "propose", "talk"))
    if kind == "talk":
        return small_talk(rng)
    if kind == "accept":
        return "[Accept]"
    if kind == "reject":
        return f"{small_talk(rng)} [Reject]" if rng.random() < 0.5 else "[Reject]"
    return f"[{propose(rng.randrange(match.pot + 1))}]"


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Asks for three quarters at first and half at last, evenly in between, as far as its role lets it."""
    match = _own(state)
    role = match.secret[seat]
    last = role.limit if role.kind == DEADLINE else match.game.spec.max_turns
    turn = match.turn + 1
    offered = match.offered(seat)
    least = role.limit if role.kind == MINIMUM else match.pot // 2
    most = max(least, match.pot * 3 // 4)
    wanted = most - (most - least) * (turn - 1) // max(1, last - 1)
    before = match.asked[seat]
    if role.kind == CONCESSION_LIMIT and before is not None:
        wanted = max(wanted, before - role.limit)
    enough = wanted if turn + 2 <= last else min(wanted, least)
    if offered is not None and offered >= enough and turn <= last:
        return "[Accept]"
    if role.kind == DEADLINE and turn >= last:  # what is proposed now could only be accepted too late
        return small_talk(rng) if offered is None else "[Reject]"
    return f"[{propose(wanted)}]"
