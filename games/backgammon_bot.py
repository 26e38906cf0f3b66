"""A simple backgammon player: judges the position after its own move, without looking at the next roll."""

from __future__ import annotations

from games.backgammon_notation import BAR, OFF, Step, written
from games.backgammon_state import BackgammonState
from games.types import RandomStream, Seat, State


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Bears off, hits, makes points, and leaves few lone checkers within reach."""
    if not isinstance(state, BackgammonState):
        raise TypeError("this bot plays backgammon only")
    mine, theirs = state.points(seat), state.points(1 - seat)
    scores = {written(steps): _score(seat, mine, theirs, steps) for steps in state.steps().values()}
    best = max(scores.values())
    return f"[{rng.choice([answer for answer, score in scores.items() if score == best])}]"


def _score(seat: Seat, mine: dict[int, int], theirs: dict[int, int], steps: tuple[Step, ...]) -> int:
    mine, theirs = dict(mine), dict(theirs)
    score = 0
    for origin, target in steps:
        mine[origin] -= 1
        if target == OFF:
            score += 10
            continue
        if theirs.get(target) == 1:
            theirs[target] = 0
            theirs[BAR] = theirs.get(BAR, 0) + 1
            score += 12
        mine[target] = mine.get(target, 0) + 1
    ahead = [point for point, count in theirs.items() if count]
    for point, count in mine.items():
        if point == BAR or not count:
            continue
        if count > 1:
            score += 2
        elif any(_reaches(1 - seat, enemy, point) for enemy in ahead):
            score -= 4 + _gone(seat, point) // 3
    return score


def _reaches(seat: Seat, origin: int, target: int) -> bool:
    """Whether a checker of the seat can come to a point with one roll that is not a double."""
    start = (25 if seat == 0 else 0) if origin == BAR else origin
    return 0 < (start - target if seat == 0 else target - start) <= 11


def _gone(seat: Seat, point: int) -> int:
    """Pips that the seat's checker has behind it: what a hit would cost."""
    return 25 - point if seat == 0 else point
