"""Money and actions of two dollar as text, and back. Whole cents only, exact."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from games.parsing import SHORT, normalise, shown
from games.talk import Actions, Unreadable

FORM: Final = "Write what you would get yourself, like [Propose $1.20] or [Propose 120 cents]."
ACCEPT: Final = "Accept"
REJECT: Final = "Reject"

_AFTER = re.compile(
    r"""\s*:?\s*(?>(?:[-−]\s*)? (?:\$|usd\s)? \s*(?:[-−]\s*)? (?:\d+(?:[.,]\d+)*|[.,]\d+)
    (?:\s*(?:cents?\b|c\b|¢|dollars?\b|usd\b))?)
    (?![\w%])(?!\s*(?:[-–/]|or\b|to\b)\s*\$?[.\d])""",  # neither a part of something longer nor one of two amounts
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_PROPOSED = re.compile(r"(?:i )?propose\s*:?\s*(.*?)(?: for (?:me|myself))?")
_DOLLARS = re.compile(r"(?:\$|usd)?\s*(\d{0,9})(?:\.(\d+))?\s*(?:dollars?|usd|\$)?", re.ASCII)
_CENTS = re.compile(r"(\d{1,9})\s*(?:cents?|c|¢)", re.ASCII)
_PLAIN = {"accept": ACCEPT, "i accept": ACCEPT, "reject": REJECT, "i reject": REJECT, "deny": REJECT}


def money(cents: int) -> str:
    """`$1.20`."""
    return f"${cents // 100}.{cents % 100:02d}"


def propose(cents: int) -> str:
    """The canonical answer that asks for so much."""
    return f"Propose {money(cents)}"


def read_money(text: str) -> int | Unreadable:
    """Cents of an amount in dollars (`$1`, `$.50`, `1.50`, `2 dollars`) or in cents (`150 cents`)."""
    amount = normalise(text)
    cents = _CENTS.fullmatch(amount)
    if cents is not None:
        return int(cents[1])
    if re.search(r"[-−]\s*\$?\s*[.\d]", amount):
        return Unreadable(hint=f"{shown(text)!r} is negative; nobody can get less than $0.00. {FORM}")
    dollars = _DOLLARS.fullmatch(amount)
    if dollars is None or not (dollars[1] or dollars[2]):
        return Unreadable(hint=f"{shown(text)!r} is not one amount of money. {FORM}")
    if len(dollars[2] or "") > 2:
        return Unreadable(hint=f"{shown(text)!r} has more than two decimals; a cent is not divided. {FORM}")
    return 100 * int(dollars[1] or 0) + int((dollars[2] or "").ljust(2, "0"))


def read_action(text: str) -> str | Unreadable:
    """The canonical answer: `Propose $1.20`, `Accept` or `Reject`."""
    return _read_short(text) if len(text) <= SHORT else _read(text)


def _read(text: str) -> str | Unreadable:
    key = normalise(text)
    if key in _PLAIN:
        return _PLAIN[key]
    proposed = _PROPOSED.fullmatch(key)
    if proposed is None:
        return Unreadable(hint=f"[{shown(text)}] is not an action here. Use [Propose $…], [Accept] or [Reject]. {FORM}")
    if not proposed[1]:
        return Unreadable(hint=f"The proposal has no amount. {FORM}")
    cents = read_money(proposed[1])
    return cents if isinstance(cents, Unreadable) else propose(cents)


_read_short = lru_cache(maxsize=4096)(_read)  # an action is read several times a turn


def proposed_cents(answer: str) -> int:
    """Cents of a canonical proposal."""
    dollars, _, cents = answer.removeprefix("Propose $").partition(".")
    return 100 * int(dollars) + int(cents)


ACTIONS: Final = Actions(
    begins=re.compile(r"(?:i\s+)?(?:propose|offer|counter|accept|reject|deny)\b", re.IGNORECASE),
    read=read_action,
    after=_AFTER,
    example="Propose $1.20",
)
