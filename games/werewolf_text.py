"""What a werewolf player reads: its role, the table, the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.types import Seat

if TYPE_CHECKING:
    from games.werewolf_table import WerewolfTable

PLURAL = {"wolf": "wolves", "seer": "seers", "doctor": "doctors", "villager": "villagers"}


def cast_list(deck: tuple[str, ...]) -> str:
    """`2 wolves, 1 seer, 0 doctors, 3 villagers`."""
    counts = {role: deck.count(role) for role in PLURAL}
    return ", ".join(f"{count} {role if count == 1 else PLURAL[role]}" for role, count in counts.items())


def kind(state: WerewolfTable, seat: Seat) -> str:
    """What a seer is told of a player."""
    return "a wolf" if state.dealt[seat] == "wolf" else "not a wolf"


def facts(state: WerewolfTable, seat: Seat) -> str:
    """Own role, and a wolf's fellows."""
    fellows = state.fellows(seat)
    if not fellows:
        return f"Your role: {state.dealt[seat]}."
    names = ", ".join(f"player {fellow}" for fellow in fellows)
    return f"Your role: wolf. Other wolves: {names}."


def board(state: WerewolfTable, seat: Seat) -> str:
    """Who lives, who died as what, and what a seer knows of the living."""
    dead = [f"{s} ({role})" for s, role in enumerate(state.dealt) if s not in state.living]
    parts = [f"Living players: {', '.join(map(str, state.living))}. Dead: {', '.join(dead) or 'nobody'}."]
    found = [f"player {other} is {kind(state, other)}" for other in state.findings(seat) if other in state.living]
    if found:
        parts.append(f"You know: {', '.join(found)}.")
    if seat not in state.living:
        parts.append("You are dead.")
    return " ".join(parts)


def picture(state: WerewolfTable, seat: Seat | None) -> str:
    """For people: who lives, and the roles that the seat knows (all for None)."""
    rows = [f"{'Night' if state.phase in ('howl', 'night') else 'Day'} {state.day}"]
    known = set(range(len(state.dealt))) if seat is None else {seat, *state.fellows(seat)}
    for s, role in enumerate(state.dealt):
        dead = s not in state.living
        rows.append(f"P{s}  {'dead  ' if dead else 'living'}  {role if dead or s in known else '?'}")
    return "\n".join(rows)
