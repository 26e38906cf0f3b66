"""Bundles and offers of the negotiation games as text, and back. Whole numbers only, exact arithmetic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from games.errors import IllegalMoveError
from games.parsing import SHORT, final_answer, normalise, shown
from games.talk import words_around
from games.types import Issue, Move, Parsed

GOODS = ("Wheat", "Wood", "Sheep", "Brick", "Ore")
Bundle: TypeAlias = tuple[int, ...]
"""Units per good, in the order of GOODS."""

_NAMES = {form: i for i, good in enumerate(GOODS) for form in (good.casefold(), good.casefold() + "s")}
_ARROW = re.compile(r"\s*(?:->|=>|→|\bfor\b)\s*")
_JOIN = re.compile(r"(?:\s*(?:,|\+|&|\band\b)\s*)+")
_ITEM = re.compile(r"(\d{1,4})\s*x?\s*([a-z]+)", re.ASCII)
_OFFER = re.compile(r"offer\s*:?\s*(.*)", re.DOTALL)
FORM = "Write it like [Offer: 1 Wood -> 2 Ore], with whole numbers."


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A proposed trade, from the proposer's side."""

    give: Bundle
    want: Bundle


@lru_cache(maxsize=4096)
def bundle_text(bundle: Bundle, *, zeros: bool = False, value_first: bool = True) -> str:
    """`2 Wood, 1 Ore`, or `Wood 2, Ore 1`; `nothing` for an empty bundle."""
    items = [(n, good) for n, good in zip(bundle, GOODS, strict=True) if n or zeros]
    return ", ".join(f"{n} {good}" if value_first else f"{good} {n}" for n, good in items) or "nothing"


def offer_text(offer: Offer) -> str:
    """`2 Wood -> 3 Ore`."""
    return f"{bundle_text(offer.give)} -> {bundle_text(offer.want)}"


def offer_answer(offer: Offer) -> str:
    """The canonical answer that makes this offer."""
    return f"Offer: {offer_text(offer)}"


def _bundle(text: str) -> Bundle | str:
    """The bundle that `text` lists, or what is wrong with it."""
    counts = [0] * len(GOODS)
    for part in _JOIN.split(text.strip()):
        match = _ITEM.fullmatch(part)
        if match is None:
            return f"{shown(part)!r} is not an amount of a good. {FORM}"
        good = _NAMES.get(match.group(2))
        if good is None:
            return f"{shown(match.group(2))!r} is not a good; the goods are {', '.join(GOODS)}."
        counts[good] += int(match.group(1))
    if not any(counts):
        return f"Both sides of an offer must hold something. {FORM}"
    return tuple(counts)


def read_offer(text: str) -> Offer | str:
    """The offer in an answer (`Offer: 2 Wood -> 3 Ore`), or what is wrong with it."""
    return _read_short(text) if len(text) <= SHORT else _read(text)


def _read(text: str) -> Offer | str:
    match = _OFFER.fullmatch(normalise(text))
    if match is None:
        return f"[{shown(text)}] is not an action here. Use [Offer: …], [Accept] or [Deny]."
    sides = _ARROW.split(match.group(1))
    if len(sides) != 2:
        return f"An offer has two sides. {FORM}"
    give, want = _bundle(sides[0]), _bundle(sides[1])
    if isinstance(give, str):
        return give
    if isinstance(want, str):
        return want
    return Offer(give=give, want=want)


_read_short = lru_cache(maxsize=4096)(_read)  # an offer is read several times a turn


def parse_offer(answer: str) -> Offer:
    """The offer of a canonical answer. Raises IllegalMoveError when it is none."""
    offer = read_offer(answer)
    if isinstance(offer, str):
        raise IllegalMoveError(f"simple_negotiation: {offer}")
    return offer


def parse_action(text: str, *, truncated: bool) -> Parsed:
    """Talk plus at most one action; talk alone is a turn of its own, silence is not."""
    found = final_answer(text, truncated=truncated)
    if isinstance(found, Parsed):
        if found.issue is Issue.NO_ANSWER and text.strip():
            return Parsed(raw=text, issue=Issue.OK, move=Move(answer="", speech=text.strip()))
        if found.issue is Issue.NO_ANSWER:
            return Parsed(raw=text, issue=Issue.NO_ANSWER, hint="The reply is empty. Say something or act.")
        return found
    key = normalise(found.text)
    if key in ("accept", "deny"):
        answer = key.capitalize()
    else:
        offer = read_offer(found.text)
        if isinstance(offer, str):
            return Parsed(raw=text, issue=Issue.MALFORMED, hint=offer)
        answer = offer_answer(offer)
    return Parsed(text, Issue.OK, Move(answer, None, words_around(text, found)))
