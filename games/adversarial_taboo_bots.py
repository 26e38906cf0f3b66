"""Scripted taboo players. The attacker knows the word, both know the list that it is from and what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.inflection import mentions
from games.talk_bots import article, ask_for, small_talk
from games.types import RandomStream, Seat, State
from games.words import group_of

if TYPE_CHECKING:
    from games.adversarial_taboo import TabooState


def _own(state: State) -> TabooState:
    from games.adversarial_taboo import TabooState

    if not isinstance(state, TabooState):
        raise TypeError("this bot plays adversarial_taboo only")
    return state


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Small talk, or any two words of the list; the defender announces one now and then."""
    words = _own(state).taboo.words
    if seat == 1 and rng.random() < 0.05:
        return f"[I know: {rng.choice(words)}]"
    return small_talk(rng) if rng.random() < 0.5 else f"I think of {rng.choice(words)} and {rng.choice(words)}."


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Attacks by asking for words of the target's kind; defends with small talk until few words are left."""
    match = _own(state)
    if seat == 0:
        group = group_of(match.taboo.groups, match.target)
        others = [word for word in match.taboo.groups[group] if word != match.target]
        if rng.random() < 0.5:
            return ask_for(group, rng)
        return f"What is {article(group)} other than {article(str(rng.choice(others)))}?"
    left = candidates(match)
    last = match.turn + 2 >= match.game.spec.max_turns
    if len(left) == 1 or (last and len(left) == 2):
        return f"[I know: {rng.choice(left)}]"
    return small_talk(rng)


def candidates(match: TabooState) -> list[str]:
    """Words of a kind that the attacker asked about, without those that somebody said: saying the target ends it."""
    asked = " ".join(event.text for event in match.events(1) if event.speaker == 0)
    said = " ".join(event.text for event in match.events(1))
    kinds = [words for name, words in match.taboo.groups.items() if mentions(asked, name)]
    return [word for words in kinds for word in words if not mentions(said, word)]
