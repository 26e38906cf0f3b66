"""Scripted ways to play iterated games of two choices. They look at past choices only."""

from __future__ import annotations

from games.iterated_prisoners_dilemma_state import DilemmaState
from games.types import RandomStream, Seat, State

TALK = ("Hello.", "Let us both do well.", "I trust you.", "What will you do?", "We should agree.", "Good luck.")


def _own(state: State) -> DilemmaState:
    if not isinstance(state, DilemmaState):
        raise TypeError("this bot plays iterated_prisoners_dilemma only")
    return state


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Small talk, then either choice."""
    match = _own(state)
    return str(rng.choice(TALK)) if match.talking else f"[{rng.choice(match.dilemma.names)}]"


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """What pays best against the other's last choice, and against either at first; asks for the first choice."""
    match = _own(state)
    names = match.dilemma.names
    if match.talking:
        return f"Let us both choose {names[0]}."
    likely = [match.choices[-1][1 - seat]] if match.choices else [0, 1]
    worth = [sum(row[other] for other in likely) for row in match.dilemma.table]
    return f"[{names[worth.index(max(worth))]}]"


def tit_for_tat_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """The first choice in the first round, then what the other chose in the round before."""
    match = _own(state)
    if match.talking:
        return "I do what you did last; I begin friendly."
    return f"[{match.dilemma.names[match.choices[-1][1 - seat] if match.choices else 0]}]"
