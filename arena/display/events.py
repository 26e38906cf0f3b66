"""`events.jsonl`: what a live view needs, and nothing that may not be lost.

One JSON object a line; `t` says what it is, `time_s` when (Unix time):

| t | further keys |
|---|---|
| `open` | kind, title, total, unit, run, seed, device, pid, details |
| `stage` | stage, note |
| `progress` | done, total, note |
| `counts` | matches, void, forfeits, turns, replies, issues (by kind) |
| `standings` | rows of [player, wins, draws, losses, forfeits] |
| `metrics` | a line of metrics.jsonl |
| `snapshot` | name, update |
| `start` | key, game, players, roles, seed, joined (turns missed) |
| `turn` | key, index, seat, move, tries of {said, thought, issue, hint}, tokens, latency_s, board |
| `end` | key, ended, outcome, returns, fault {seat, issue}, error, turns, board |
| `note`, `impasse` | text |
| `close` | status, message |

The file stays small however long the run: only one match at a time is told turn by turn, numbers come a few times a
second at most, and beyond `ROTATE_BYTES` it is begun again with what a viewer needs to go on. Nothing is forced to
the disk, and a disk that is full silences the events, not the run.
"""

from __future__ import annotations

import json
import logging
import os
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, TypeAlias

logger = logging.getLogger(__name__)

Event: TypeAlias = Mapping[str, Any]

ROTATE_BYTES = 4 << 20
METRICS_KEPT = 240
LINE_LIMIT = 1 << 20
"""Bytes of a line that a reader believes to be an event."""

_LATEST = ("stage", "progress", "counts", "standings", "snapshot", "impasse", "close")


class EventMemory:
    """The events from which a viewer that comes late gets the same picture."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._open: Event | None = None
        self._latest: dict[str, Event] = {}
        self._metrics: deque[Event] = deque(maxlen=METRICS_KEPT)
        self._notes: deque[Event] = deque(maxlen=20)
        self._match: deque[Event] = deque(maxlen=400)

    def add(self, event: Event) -> None:
        """Remember an event as far as it matters."""
        kind = event["t"]
        if kind == "open":
            self._forget()
            self._open = event
        elif kind == "metrics":
            self._metrics.append(event)
        elif kind == "note":
            self._notes.append(event)
        elif kind in ("start", "turn", "end"):
            if kind == "start":
                self._match.clear()
            self._match.append(event)
        elif kind in _LATEST:
            self._latest[kind] = event

    def events(self) -> list[Event]:
        """What to tell a viewer, in an order that makes sense."""
        first = [] if self._open is None else [self._open]
        last = [self._latest[kind] for kind in _LATEST if kind in self._latest]
        return [*first, *self._metrics, *self._notes, *self._match, *last]


class EventWriter:
    """Appends events to a file.

    Args:
        path: the file; replaced, since a view begins with its own first event.
        rotate_bytes: size beyond which it is begun again.
    """

    def __init__(self, path: Path, *, rotate_bytes: int = ROTATE_BYTES) -> None:
        self._path = path
        self._limit = rotate_bytes
        self._memory = EventMemory()
        self._file: IO[bytes] | None = None
        self._failed = False
        self._begin([])

    def write(self, event: Event) -> None:
        """Write one event; a file that cannot be written is given up, once and with a warning."""
        self._memory.add(event)
        if self._file is None:
            return
        try:
            self._file.write(_line(event))
            if self._file.tell() > self._limit:
                self._begin(self._memory.events())
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _begin(self, events: Iterable[Event]) -> None:
        """A new file in place of the old one: readers of the old one notice that it is another."""
        self.close()
        new = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            self._file = new.open("wb", buffering=0)
            self._file.write(b"".join(_line(event) for event in events))
            new.replace(self._path)
        except OSError as error:
            new.unlink(missing_ok=True)
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.close()
        logger.warning("%s cannot be written (%s); the run goes on without live events.", self._path, error)


def _line(event: Event) -> bytes:
    # default=str: an odd value in somebody's metrics is shown as text rather than ending the view.
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"), default=str)
    return text.encode("utf-8", errors="backslashreplace") + b"\n"


class EventTail:
    """Reads a growing file of events bit by bit.

    A last line without its end is left for later; a file that was cut short or replaced is read from its start
    again; lines that are no events are passed over.

    Args:
        path: the file; it need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0
        self._inode: int | None = None

    def read(self) -> list[Event]:
        """Events that came since the last call."""
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_ino != self._inode or status.st_size < self._position:
                    self._inode, self._position = status.st_ino, 0
                file.seek(self._position)
                data = file.read()
        except FileNotFoundError:
            return []
        end = data.rfind(b"\n") + 1
        if end == 0 and len(data) > LINE_LIMIT:
            end = len(data)  # no event is that long: pass over it
        self._position += end
        return [event for line in data[:end].splitlines() if (event := _event(line)) is not None]


def _event(line: bytes) -> Event | None:
    try:
        obj = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return obj if isinstance(obj, dict) and isinstance(obj.get("t"), str) else None
