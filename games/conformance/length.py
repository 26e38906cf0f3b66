"""Long replies: one that is read in more than linear time stops every match beside it.

The longest reply that is read has 100,000 characters; a fifth of that tells linear from quadratic steps as well.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from games.conformance.probe import Fault, Probe, playthrough, sample_moves
from games.types import Issue, Seat, State

LENGTH = 20_000
MOST_S = 0.4
"""Processor time for one reply: a hundred times what reading it takes in linear time; quadratic steps take more."""

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


def _slow(state: State, seat: Seat) -> Iterator[str]:
    moves = sample_moves(state, seat, random.Random(0), limit=3)
    answer = moves[0].answer if moves else "x"
    for piece in (*_PIECES, f"{answer} ", f"[{answer}] ", answer[:4] or "x"):
        endless = piece * (LENGTH // len(piece))
        for text in (
            endless,
            f"[{endless}]",
            f"[{answer[:3]}{endless}",
            f"\\boxed{{{endless}}}",
            f"{endless}[{answer}]",
        ):
            begun = time.process_time()
            parsed = state.parse(seat, text)
            took = time.process_time() - begun
            if took > MOST_S:
                yield f"{len(text):,} characters like {text[:20]!r} are read in {took:.1f} s of processor time"
                return  # one such reply shows it, and each further one takes as long
            if parsed.issue is not Issue.OK and len(parsed.hint) > 20_000:
                yield f"the hint for {text[:20]!r} … has {len(parsed.hint):,} characters"
