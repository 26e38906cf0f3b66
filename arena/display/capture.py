"""While the view has the screen, what others write to it is kept, and written when the screen is free again."""

from __future__ import annotations

import io
import logging
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

KEPT = 500
"""Lines kept; of more, the first go."""


class Held(io.TextIOBase):
    """Stands in for a stream and keeps its lines.

    Args:
        told: called with every whole line, by whichever thread writes it; must not wait for anything.
    """

    def __init__(self, told: Callable[[str], None]) -> None:
        super().__init__()
        self._told = told
        self._part = ""
        self.lines: deque[str] = deque(maxlen=KEPT)

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Keep it; tell of whole lines."""
        *whole, self._part = (self._part + text).split("\n")
        for row in whole:
            self.lines.append(row)
            shown = row.rpartition("\r")[2].strip()
            if shown:
                self._told(shown)
        return len(text)

    def rest(self) -> str:
        """Everything kept, to be written to the real stream."""
        return "".join(f"{row}\n" for row in self.lines) + self._part


@contextmanager
def held_stderr(told: Callable[[str], None]) -> Iterator[None]:
    """Hold back what Python code writes to stderr, logging included, and write it at the end.

    Args:
        told: called with every line, to show it in the view; see `Held`.
    """
    real, held = sys.stderr, Held(told)
    # Handlers made before now hold the real stream.
    streams = [
        handler
        for logger in (logging.getLogger(), *_loggers())
        for handler in logger.handlers
        if isinstance(handler, logging.StreamHandler) and handler.stream is real
    ]
    sys.stderr = held
    for handler in streams:
        handler.setStream(held)
    try:
        yield
    finally:
        sys.stderr = real
        for handler in streams:
            handler.setStream(real)
        real.write(held.rest())
        real.flush()


def _loggers() -> list[logging.Logger]:
    return [item for item in logging.Logger.manager.loggerDict.values() if isinstance(item, logging.Logger)]
