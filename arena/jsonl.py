"""JSON-lines files: appended whole lines by one writer, read one line at a time by anybody.

A torn last line (the process died while writing) is passed over by readers; the next writer sets it aside.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from arena.errors import RecordError

Json = dict[str, Any]


def set_torn_line_aside(path: Path) -> str | None:
    """Move an incomplete last line to `<file>.torn`; only the writer may call this.

    Returns:
        A sentence about what was moved, or None when the file is whole.
    """
    if not path.exists():
        return None
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return None
        file.seek(size - 1)
        if file.read(1) == b"\n":
            return None
        start = _last_line_start(file, size)
        file.seek(start)
        torn = file.read()
        with path.with_name(path.name + ".torn").open("ab") as aside:
            aside.write(torn + b"\n")
        file.truncate(start)
    return f"{path.name}: a torn last line of {len(torn)} bytes was set aside to {path.name}.torn"


def _last_line_start(file: IO[bytes], size: int) -> int:
    """Byte position behind the last line end."""
    position = size
    while position > 0:
        step = min(65_536, position)
        position -= step
        file.seek(position)
        found = file.read(step).rfind(b"\n")
        if found >= 0:
            return position + found + 1
    return 0


def read_json_lines(path: Path) -> Iterator[Json]:
    """Every complete line of a JSON-lines file, one at a time; a torn last line is passed over.

    Raises:
        RecordError: a complete line that is not a JSON object; names file and line.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                obj = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise RecordError(f"{path}, line {number}: not JSON ({error}).") from error
            if not isinstance(obj, dict):
                raise RecordError(f"{path}, line {number}: not a JSON object.")
            yield obj


class JsonLog:
    """Appends JSON objects to a file, one line each. One writer only.

    Every line is handed to the operating system at once (a killed process loses nothing); every `sync_s` seconds,
    and on close, it is forced to the disk as well.

    Attributes:
        torn: what was set aside on opening, as a sentence; None when the file was whole.
    """

    def __init__(self, path: Path, *, sync_s: float = 5.0) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.torn = set_torn_line_aside(path)
        # A lone surrogate (a broken reply) is not UTF-8; backslashreplace writes it as the escape JSON has for it.
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace")
        self._sync_s = sync_s
        self._synced = time.monotonic()

    def append(self, obj: Mapping[str, Any]) -> None:
        """Write one line.

        Raises:
            RecordError: it holds NaN or an infinity, which JSON has no words for, or something that is not data.
        """
        try:
            line = json.dumps(obj, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        except (ValueError, TypeError) as error:
            raise RecordError(f"{self._file.name}: a line cannot be written as JSON: {error}") from error
        self._file.write(line + "\n")
        self._file.flush()
        if time.monotonic() - self._synced > self._sync_s:
            self.sync()

    def sync(self) -> None:
        """Force what was written to the disk."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Sync and close; closing twice is harmless."""
        if not self._file.closed:
            self.sync()
            self._file.close()
