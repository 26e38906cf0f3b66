"""A simple Go player: looks at chains and their liberties, one move ahead."""

from __future__ import annotations

from games.go import COLOURS, EMPTY, GoState
from games.types import RandomStream, Seat, State


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Captures the most, else saves its own from capture, else plays near the enemy; passes when nothing is left.

    It fills none of its own eyes, and answers a pass with a pass when it is ahead.
    """
    if not isinstance(state, GoState):
        raise TypeError("this bot plays go only")
    stones = state.stones()
    if state.board(seat).endswith("A pass now ends the game."):
        black, white = state.area()
        lead = black - white - state.game.komi
        if lead * (1 if seat == 0 else -1) > 0:
            return "[pass]"
    liberties = _liberties(state, stones)
    scores = {
        move.answer: _score(state, stones, liberties, COLOURS[seat][0], move.action)
        for move in state.legal(seat)
        if move.action is not None and move.answer != "pass"
    }
    best = max(scores.values(), default=-1)
    return f"[{rng.choice([answer for answer, score in scores.items() if score == best])}]" if best >= 0 else "[pass]"


def _liberties(state: GoState, stones: str) -> dict[int, tuple[set[int], set[int]]]:
    """For every stone, its chain and the chain's liberties."""
    found: dict[int, tuple[set[int], set[int]]] = {}
    for point, stone in enumerate(stones):
        if stone != EMPTY and point not in found:
            chain, borders = state.region(stones, point)
            free = {border for border in borders if stones[border] == EMPTY}
            found.update(dict.fromkeys(chain, (chain, free)))
    return found


def _score(state: GoState, stones: str, liberties: dict[int, tuple[set[int], set[int]]], mine: str, point: int) -> int:
    around = state.game.neighbours[point]
    if all(stones[beside] == mine for beside in around):
        return -1  # an eye
    captured: set[int] = set()
    joined: set[int] = set()
    free = {beside for beside in around if stones[beside] == EMPTY}
    saved = 0
    for beside in around:
        if stones[beside] == EMPTY:
            continue
        chain, chain_free = liberties[beside]
        if stones[beside] != mine:
            captured |= chain if chain_free == {point} else set()
        elif not chain <= joined:
            joined |= chain
            free |= chain_free - {point}
            saved += len(chain) if chain_free == {point} else 0
    if not captured and len(free) < 2:
        return -1  # it could be captured at once
    enemies = sum(stones[beside] not in (mine, EMPTY) for beside in around)
    return 10 * len(captured) + 6 * saved + 2 * enemies + len(around) - 2
