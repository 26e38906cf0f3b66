"""Scripted undercover players. They see their own word, the clues and the votes."""

from __future__ import annotations

import re
from collections import Counter

from games.types import RandomStream, Seat, State
from games.undercover_state import UndercoverState

VAGUE = ("Many know this.", "One can find this.", "I have seen this.", "You may have one.", "This is quite common.")
_COUNTED = re.compile(r"(\d+) letters, first ([a-z])", re.IGNORECASE)


def _own(state: State) -> UndercoverState:
    if not isinstance(state, UndercoverState):
        raise TypeError("this bot plays undercover only")
    return state


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """A clue that tells nothing, and any vote."""
    match = _own(state)
    return str(rng.choice(VAGUE)) if match.queue else f"[Vote: {rng.choice(match.targets(seat))}]"


def counted(text: str) -> str:
    """The count of letters that a clue tells, in a form to compare; empty where it tells none."""
    found = _COUNTED.search(text)
    return f"{found[1]} letters, first {found[2].lower()}" if found else ""


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Tells how its word is spelt, or as most others do where that differs; votes for whose clue differs from most."""
    match = _own(state)
    word = match.word(seat)
    own = f"{len(word)} letters, first {word[0]}" if word else ""
    told = [counted(event.text) for event in match.events(seat) if event.speaker not in (None, seat)]
    others = Counter(filter(None, told))
    common = others.most_common(1)[0][0] if others else own
    if own and others[common] < 2:  # one clue alone does not tell who of the two is the odd one
        common = own
    if match.queue:
        return f"{common.capitalize()}." if common else str(rng.choice(VAGUE))
    targets = match.targets(seat)
    odd = [other for other in targets if counted(match.clues[other]) != common]
    return f"[Vote: {rng.choice(odd or targets)}]"
