"""Long replies: one that is read in more than linear time stops every match beside it.

The longest reply that is read has 100,000 characters; a fifth of that tells linear from quadratic steps as well. What
counts is how the time grows, not how much it is: that depends on the machine and on what looks on.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from games.conformance.probe import Fault, Probe, playthrough, sample_moves
from games.types import Issue, Parsed, Seat, State

LENGTH = 20_000
MOST_S = 0.4
"""Processor time for one reply from which on its growth is looked at."""
GROWTH = 9.0
"""Most that four times the length may cost: 4 is linear, 16 quadratic."""

_PIECES = ("[", "]", "[]", "\\boxed{", "}", "\\text{", '"', "> ", " ", "\n", "x", " or ", "$1 ", "1", ", ", "-> ")


def long_replies(probe: Probe) -> Iterator[Fault]:
    """Endless repetitions of what parsers look for, alone and inside brackets, by every seat once."""
    seen: set[tuple[Seat, bool]] = set()
    for ply, state in playthrough(probe.game, probe.seeds[0]):
        for seat in state.to_move() if ply < 20 else ():
            kind = (seat, state.legal(seat) is None)
            if kind not in seen and len(seen) < 6:
                seen.add(kind)
                yield from ((probe.seeds[0], fault) for fault in _slow(state, seat))


def _texts(piece: str, answer: str, length: int) -> tuple[str, ...]:
    endless = piece * (length // len(piece))
    return endless, f"[{endless}]", f"[{answer[:3]}{endless}", f"\\boxed{{{endless}}}", f"{endless}[{answer}]"


def _timed(state: State, seat: Seat, text: str) -> tuple[Parsed, float]:
    begun = time.process_time()
    parsed = state.parse(seat, text)
    return parsed, time.process_time() - begun


def _grows(state: State, seat: Seat, text: str, shorter: str) -> bool:
    """Whether four times the length takes more than linear time; the least of three readings each."""
    most, least = (min(_timed(state, seat, one)[1] for _ in range(3)) for one in (text, shorter))
    return most > GROWTH * max(least, 1e-4)


def _slow(state: State, seat: Seat) -> Iterator[str]:
    moves = sample_moves(state, seat, random.Random(0), limit=3)
    answer = moves[0].answer if moves else "x"
    for piece in (*_PIECES, f"{answer} ", f"[{answer}] ", answer[:4] or "x"):
        for text, shorter in zip(_texts(piece, answer, LENGTH), _texts(piece, answer, LENGTH // 4), strict=True):
            parsed, took = _timed(state, seat, text)
            if took > MOST_S and _grows(state, seat, text, shorter):
                much = f"{took:.1f} s; a quarter takes less than a {GROWTH:g}th"
                yield f"{len(text):,} characters like {text[:20]!r} take {much}"
                return  # one such reply shows it, and each further one takes as long
            if parsed.issue is not Issue.OK and len(parsed.hint) > 20_000:
                yield f"the hint for {text[:20]!r} … has {len(parsed.hint):,} characters"
