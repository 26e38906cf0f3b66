"""Scripted traders. They see only their own side of the table and speak public syntax."""

from __future__ import annotations

from games.negotiation_state import NegotiationState, View
from games.negotiation_text import GOODS, Bundle, Offer, offer_answer
from games.types import RandomStream, Seat, State

TALK = ("Hello.", "What do you need?", "Let us trade.", "I can wait.", "No.", "Make me an offer.")


def _view(state: State, seat: Seat) -> View:
    if not isinstance(state, NegotiationState):
        raise TypeError("this bot plays simple_negotiation only")
    return state.view(seat)


def _one(good: int, units: int) -> Bundle:
    return tuple(units if i == good else 0 for i in range(len(GOODS)))


def _can_accept(view: View) -> bool:
    return view.offer is not None and all(s >= w for s, w in zip(view.stock, view.offer.want, strict=True))


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Any kind of legal action, whatever it is worth."""
    view = _view(state, seat)
    kinds = ["offer", "offer", "talk"]
    if view.offer is not None:
        kinds += ["deny", "deny"] + (["accept", "accept"] if _can_accept(view) else [])
    kind = rng.choice(kinds)
    owned = [good for good, units in enumerate(view.stock) if units]
    if kind == "accept":
        return "[Accept]"
    if kind == "deny":
        return "[Deny]"
    if (kind == "talk" and rng.random() < 0.5) or not owned:
        return str(rng.choice(TALK))
    give = rng.choice(owned)
    want = rng.choice([good for good in range(len(GOODS)) if good != give])
    units = 1 + rng.randrange(min(view.stock[give], 3))
    return f"[{offer_answer(Offer(give=_one(give, units), want=_one(want, 1 + rng.randrange(3))))}]"


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Accept what gains by its own values; else offer one of its least valued good for its most valued."""
    view = _view(state, seat)
    if view.offer is not None and _can_accept(view):
        gain = sum(v * (g - w) for v, g, w in zip(view.values, view.offer.give, view.offer.want, strict=True))
        if gain > 0:
            return "[Accept]"
    owned = [good for good, units in enumerate(view.stock) if units]
    if not owned or (view.turns_left <= 1 and view.offer is not None):
        return "[Deny]" if view.offer is not None else str(rng.choice(TALK))
    give = min(owned, key=lambda good: view.values[good])
    want = max((good for good in range(len(GOODS)) if good != give), key=lambda good: view.values[good])
    return f"[{offer_answer(Offer(give=_one(give, 1), want=_one(want, 1 + rng.randrange(2))))}]"
