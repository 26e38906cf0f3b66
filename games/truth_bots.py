"""Scripted deceivers and guessers. They see both statements and the talk; the deceiver knows the true one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from games.talk_bots import small_talk
from games.types import RandomStream, Seat, State

if TYPE_CHECKING:
    from games.truth_and_deception import TruthState

_VOUCHED = re.compile(r"\bfact ([12]) is true\b", re.IGNORECASE)


def _own(state: State) -> TruthState:
    from games.truth_and_deception import TruthState

    if not isinstance(state, TruthState):
        raise TypeError("this bot plays truth_and_deception only")
    return state


def vouched_for(match: TruthState) -> int | None:
    """Index of the fact that the deceiver last called true, in so many words."""
    said = " ".join(event.text for event in match.events(1) if event.speaker == 0)
    found = _VOUCHED.findall(said)
    return int(found[-1]) - 1 if found else None


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Vouches for any fact, talks, and answers at random."""
    match = _own(state)
    if match.answering:
        return f"[Fact {rng.randrange(2) + 1}]"
    if seat == 0 and rng.random() < 0.5:
        return f"Fact {rng.randrange(2) + 1} is true."
    return small_talk(rng)


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Vouches for the false fact in two matches of three and keeps to it; answers with what was not vouched for."""
    match = _own(state)
    vouched = vouched_for(match)
    if seat == 0:
        if vouched is None:
            vouched = match.truth if rng.random() < 1 / 3 else 1 - match.truth
        return f"Believe me: fact {vouched + 1} is true."
    if not match.answering:
        return "Which of the two would you vouch for?"
    return f"[Fact {2 - vouched}]" if vouched is not None else f"[Fact {rng.randrange(2) + 1}]"
