"""Scripted werewolf players. They see their own role, what they were told, and what is said aloud."""

from __future__ import annotations

import re
from collections import Counter

from games.types import RandomStream, Seat, State
from games.werewolf_state import WerewolfState
from games.werewolf_table import Phase

TALK = ("I am a villager.", "I have no idea yet.", "Somebody is too quiet.", "Let us vote with care.", "Trust me.")
_ACCUSED = re.compile(r"\bplayer (\d) is a wolf\b|\bsuspect player (\d)\b", re.IGNORECASE)


def _own(state: State) -> WerewolfState:
    if not isinstance(state, WerewolfState):
        raise TypeError("this bot plays werewolf only")
    return state


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Small talk, and any target."""
    match = _own(state)
    if match.legal(seat) is None:
        return str(rng.choice(TALK))
    return f"[{match.verb(seat)}: {rng.choice(match.targets(seat))}]"


def accusations(match: WerewolfState, seat: Seat) -> Counter[Seat]:
    """How strongly each player was accused aloud since the last vote; a claim to know weighs three suspicions."""
    counts: Counter[Seat] = Counter()
    for event in match.events(seat):
        if event.speaker is None:
            if event.text.startswith("Votes"):
                counts.clear()
            continue
        for known, suspected in _ACCUSED.findall(event.text):
            counts[int(known or suspected)] += 3 if known else 1
    return counts


def seers_by_their_words(match: WerewolfState, seat: Seat) -> list[Seat]:
    """Living others who have said that they are the seer."""
    said = {event.speaker for event in match.events(seat) if "i am the seer" in event.text.casefold()}
    return [other for other in match.living if other in said and other != seat]


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """A seer names the wolves it found; all vote for whom most accuse; wolves kill who says it is the seer."""
    match = _own(state)
    found = [other for other, wolf in match.findings(seat).items() if wolf and other in match.living]
    friends = {seat, *match.fellows(seat)}
    friends |= {other for other, wolf in match.findings(seat).items() if not wolf}
    strangers = [other for other in match.living if other not in friends]
    accused = accusations(match, seat)
    if match.phase is Phase.TALK:
        if found:
            return f"I am the seer. Player {found[0]} is a wolf."
        named = _most(strangers, accused, rng)
        return "I have nothing to add." if named is None else f"I suspect player {named}."
    targets = list(match.targets(seat))
    if match.phase is Phase.HOWL:
        return f"Let us take player {targets[match.day % len(targets)]}."
    claimed = [other for other in seers_by_their_words(match, seat) if other in targets]
    if match.phase is Phase.VOTE:
        target = found[0] if found else _most([t for t in targets if t in strangers], accused, rng)
    elif match.dealt[seat] == "wolf":
        target = claimed[0] if claimed else targets[match.day % len(targets)]  # the same for all
    elif match.dealt[seat] == "seer":
        target = _most([t for t in targets if t in strangers], Counter(), rng)
    else:
        target = claimed[0] if claimed else seat
    return f"[{match.verb(seat)}: {rng.choice(targets) if target is None else target}]"


def _most(seats: list[Seat], counts: Counter[Seat], rng: RandomStream) -> Seat | None:
    if not seats:
        return None
    top = max(counts[seat] for seat in seats)
    return int(rng.choice([seat for seat in seats if counts[seat] == top]))
