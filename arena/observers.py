"""Guarding matches against whoever watches them."""

from __future__ import annotations

import logging

from arena.types import MatchRecord, MatchSpec, Observer, Turn
from games import State

logger = logging.getLogger(__name__)


class GuardedObserver:
    """An observer that may fail: at its first error it is dropped, which is logged once, and play goes on.

    Args:
        observer: who watches; None for nobody.
    """

    def __init__(self, observer: Observer | None) -> None:
        self._observer = observer

    @classmethod
    def around(cls, observer: Observer | None) -> GuardedObserver:
        """`observer` guarded; one that already is stays the same, so that many matches share one fate."""
        return observer if isinstance(observer, cls) else cls(observer)

    def match_started(self, spec: MatchSpec) -> None:
        """Pass on."""
        self._call("match_started", spec)

    def turn_played(self, spec: MatchSpec, turn: Turn, state: State) -> None:
        """Pass on."""
        self._call("turn_played", spec, turn, state)

    def match_ended(self, record: MatchRecord) -> None:
        """Pass on."""
        self._call("match_ended", record)

    def _call(self, method: str, *args: object) -> None:
        if self._observer is None:
            return
        try:
            getattr(self._observer, method)(*args)
        except Exception:
            logger.exception("An observer failed in %s and is dropped; the matches go on.", method)
            self._observer = None
