"""The observer behind every display: counts all matches, and tells one at a time turn by turn.

Matches may run by the thousand a second and by the hundred at once. A person can follow one, so only that one costs
more than a few additions: its replies and its board become events. A match is followed from its start and stays a
little after its end; games take turns. Where no match starts for a while (all are long and under way), one that is in
play is joined.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from arena.display.events import Event
from arena.types import Attempt, Ended, MatchRecord, MatchSpec, Turn
from games import Issue, State

HOLD_S = 1.5
"""How long the end of a match stays before another is followed."""

WAIT_S = 1.0
"""How long to wait for a start of the game that was shown least."""

JOIN_S = 4.0
"""After how long without any start a match in play is joined."""

TEXT_LIMIT = 2_000
"""Characters of a reply that go into an event."""

BOARD_LIMIT = 4_000
BOARD_S = 0.1
"""Seconds between two drawings of the board; the last one is always drawn."""


class Spectator:
    """Watches matches and tells of them.

    Args:
        tell: takes the events.
        clock: seconds, monotonic.
    """

    def __init__(self, tell: Callable[[Event], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._tell = tell
        self._clock = clock
        self.matches = self.void = self.forfeits = self.turns = self.replies = 0
        self.issues: Counter[str] = Counter()
        self._key: str | None = None
        self._state: State | None = None
        self._drawn = -BOARD_S
        self._free_since = clock()
        self._shown: Counter[str] = Counter()

    def counts(self) -> Event:
        """Numbers so far, as an event."""
        return {
            "t": "counts",
            "matches": self.matches,
            "void": self.void,
            "forfeits": self.forfeits,
            "turns": self.turns,
            "replies": self.replies,
            "issues": dict(self.issues),
        }

    # --- Observer ----------------------------------------------------------------------------------------------------

    def match_started(self, spec: MatchSpec) -> None:
        """Follow it, if no other is followed and it is its game's turn."""
        self._shown.setdefault(spec.game, 0)
        if self._key is not None:
            return
        free = self._clock() - self._free_since
        least = min(self._shown.values())
        if free >= 0 and (self._shown[spec.game] == least or free >= WAIT_S):
            self._follow(spec, joined=0)

    def turn_played(self, spec: MatchSpec, turn: Turn, state: State) -> None:
        """Count it; tell it, if it belongs to the match that is followed."""
        self.turns += 1
        self.replies += len(turn.attempts)
        if len(turn.attempts) > 1 or turn.move is None:
            self.issues.update(attempt.issue.value for attempt in turn.attempts if attempt.issue is not Issue.OK)
        if self._key is None and self._clock() - self._free_since >= JOIN_S:
            self._follow(spec, joined=turn.index)
        if self._key == spec.match_key:
            self._state = state
            self._tell(self._turn(spec, turn))

    def match_ended(self, record: MatchRecord) -> None:
        """Count it; leave it, if it was followed."""
        self.matches += record.ended is not Ended.VOID
        self.void += record.ended is Ended.VOID
        self.forfeits += record.ended is Ended.FORFEIT
        if self._key == record.spec.match_key:
            self._tell(self._end(record))
            self._key = self._state = None
            self._free_since = self._clock() + HOLD_S

    # --- the match that is followed ----------------------------------------------------------------------------------

    def _follow(self, spec: MatchSpec, joined: int) -> None:
        from games import get_game

        self._key = spec.match_key
        self._shown[spec.game] += 1
        self._drawn = -BOARD_S
        self._tell(
            {
                "t": "start",
                "key": spec.match_key,
                "game": spec.game,
                "players": list(spec.players),
                "roles": list(get_game(spec.game, spec.params).spec.roles),
                "seed": spec.seed,
                "joined": joined,
            }
        )

    def _turn(self, spec: MatchSpec, turn: Turn) -> Event:
        now = self._clock()
        event = turn_event(spec.match_key, turn)
        if now - self._drawn >= BOARD_S:
            self._drawn = now
            event["board"] = self._board()
        return event

    def _end(self, record: MatchRecord) -> Event:
        return {**end_event(record), "board": self._board()}

    def _board(self) -> str | None:
        return None if self._state is None else self._state.render(None)[:BOARD_LIMIT]


def turn_event(key: str, turn: Turn) -> dict[str, Any]:
    """A turn as an event, without a board."""
    return {
        "t": "turn",
        "key": key,
        "index": turn.index,
        "seat": turn.seat,
        "move": None if turn.move is None else turn.move.answer,
        "tries": [_try(attempt) for attempt in turn.attempts],
        "tokens": sum(len(attempt.completion.ids) for attempt in turn.attempts),
        "latency_s": round(sum(attempt.completion.latency_s for attempt in turn.attempts), 3),
    }


def _try(attempt: Attempt) -> dict[str, str]:
    said = attempt.completion
    return {
        "said": said.text[:TEXT_LIMIT],
        "thought": said.thought[:TEXT_LIMIT],
        "issue": attempt.issue.value,
        "hint": attempt.hint[:TEXT_LIMIT],
    }


def end_event(record: MatchRecord) -> dict[str, Any]:
    """The end of a match as an event, without a board."""
    fault = record.fault
    return {
        "t": "end",
        "key": record.spec.match_key,
        "ended": record.ended.value,
        "outcome": record.outcome,
        "returns": list(record.returns),
        "fault": None if fault is None else {"seat": fault.seat, "issue": fault.issue.value},
        "error": record.error,
        "turns": len(record.turns),
    }
