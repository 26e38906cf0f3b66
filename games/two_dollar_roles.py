"""Secret roles of two dollar: what each demands of its seat, and the rule by which it is broken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from games.two_dollar_text import money
from games.types import RandomStream

MINIMUM: Final = "minimum"
WORD_LIMIT: Final = "word_limit"
CONCESSION_LIMIT: Final = "concession_limit"
DEADLINE: Final = "deadline"
STYLE: Final = "style"
KINDS: Final = (MINIMUM, WORD_LIMIT, CONCESSION_LIMIT, DEADLINE, STYLE)
STYLES: Final = (
    "Be as polite as you can.",
    "Be short and cool.",
    "Sound cheerful whatever happens.",
    "Speak like an old sailor.",
    "Give a reason for all that you ask.",
    "Praise the other for every step.",
)

_WORD = re.compile(r"[^\W_](?:[^\W_]|['’](?=[^\W_]))*")


@dataclass(frozen=True, kw_only=True)
class Role:
    """One secret role.

    Attributes:
        kind: one of KINDS.
        limit: cents, words or a turn, by kind; for a style its index.
    """

    kind: str
    limit: int

    @property
    def text(self) -> str:
        """As told to its seat."""
        if self.kind == MINIMUM:
            return f"Your role: get at least {money(self.limit)}; a deal that gives you less breaks it."
        if self.kind == WORD_LIMIT:
            return f"Your role: use at most {self.limit} words a turn; more break it. An action in brackets is no word."
        if self.kind == CONCESSION_LIMIT:
            return (
                f"Your role: go down by at most {money(self.limit)} from one of your proposals to your next; "
                "a greater step breaks it."
            )
        if self.kind == DEADLINE:
            return f"Your role: make a deal by turn {self.limit}; a later deal breaks it."
        return f"Your role is only a style, which is not judged: {STYLES[self.limit]}"

    @property
    def short(self) -> str:
        """As told to both when all is over."""
        if self.kind in (MINIMUM, CONCESSION_LIMIT):
            return f"{self.kind.replace('_', ' ')} {money(self.limit)}"
        if self.kind == WORD_LIMIT:
            return f"at most {self.limit} words"
        return f"deal by turn {self.limit}" if self.kind == DEADLINE else "style only"


def count_words(speech: str) -> int:
    """Runs of letters, digits and apostrophes; a run counts once for every 20 characters, so that none is endless."""
    return sum(-(-len(word) // 20) for word in _WORD.findall(speech))


def broken_by_turn(role: Role, *, speech: str, asked: int | None, asked_before: int | None) -> bool:
    """Whether a turn breaks the role of the seat that took it.

    Args:
        role: of the seat.
        speech: its words, without the action.
        asked: cents that it proposes for itself in this turn.
        asked_before: cents of its last proposal before.
    """
    if role.kind == WORD_LIMIT:
        return count_words(speech) > role.limit
    if role.kind == CONCESSION_LIMIT and asked is not None and asked_before is not None:
        return asked_before - asked > role.limit
    return False


def broken_by_deal(role: Role, *, share: int, turn: int) -> bool:
    """Whether a deal that gives the seat `share` cents in turn `turn` (from 1) breaks its role."""
    return (role.kind == MINIMUM and share < role.limit) or (role.kind == DEADLINE and turn > role.limit)


def draw_role(pot: int, turns: int, rng: RandomStream) -> Role:
    """Any role, with amounts in proportion to the pot."""
    kind = str(rng.choice(KINDS))
    if kind == MINIMUM:
        limit = pot * (30 + 5 * rng.randrange(9)) // 100
    elif kind == WORD_LIMIT:
        limit = 8 + rng.randrange(13)
    elif kind == CONCESSION_LIMIT:
        limit = max(1, pot * (5 + 5 * rng.randrange(3)) // 100)
    elif kind == DEADLINE:
        first = max(2, turns // 2)
        limit = first + rng.randrange(max(1, turns - first))
    else:
        limit = rng.randrange(len(STYLES))
    return Role(kind=kind, limit=limit)


def possible(roles: tuple[Role, Role], pot: int) -> bool:
    """Whether some deal keeps both roles: two minimums may not exceed the pot.

    Every other pair can be kept: few words, no step down, and a deal at the first proposal, in turn 2.
    """
    return sum(role.limit for role in roles if role.kind == MINIMUM) <= pot


def draw_roles(pot: int, turns: int, rng: RandomStream) -> tuple[Role, Role]:
    """A pair that leaves a deal possible."""
    while True:
        roles = (draw_role(pot, turns, rng), draw_role(pot, turns, rng))
        if possible(roles, pot):
            return roles
