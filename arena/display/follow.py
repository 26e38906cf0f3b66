"""Following a run from outside: while it lives, after its end, and after its death. It only reads.

The picture comes from `events.jsonl`. Where there is none (they may be lost), it is made from the records and the
metrics. Whether anybody still writes is told by the lock of the run, not by what the files say.
"""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.display.events import METRICS_KEPT, Event, EventTail
from arena.display.model import LiveModel
from arena.display.spectator import end_event, turn_event
from arena.errors import ArenaError
from arena.rundir import RunDir

logger = logging.getLogger(__name__)

LINGER_POLLS = 4
"""How often to look again after the writer has gone, for its last words."""

_ENDED = ("done", "interrupted", "failed")


class Follower:
    """A run as seen from another process.

    Args:
        run: the run directory.
    """

    def __init__(self, run: RunDir) -> None:
        self.run = run
        self.model = LiveModel()
        self._tail = EventTail(run.events)
        self._gone = 0
        self._told = False

    def poll(self) -> None:
        """Take what is new."""
        for event in self._tail.read():
            self._take(event)
        if not self._told:
            for event in recovered(self.run):
                self._take(event)
        self._judge()

    @property
    def over(self) -> bool:
        """Whether the run has ended and has had time for its last words."""
        return self._gone > LINGER_POLLS

    def _take(self, event: Event) -> None:
        self._told = True
        try:
            self.model.feed(event)
        except (KeyError, TypeError, ValueError, AttributeError):
            logger.debug("an event of %s is malformed: %r", self.run.events, event)

    def _judge(self) -> None:
        """Set the status by who holds the run and by what run.json says."""
        if self.run.writer_alive():
            self._gone = 0
            self.model.status, self.model.message = "running", ""
            return
        self._gone += 1
        try:
            info = self.run.read()
        except (ArenaError, OSError) as error:
            info = {"status": "failed"}
            self.model.message = str(error)
        status = str(info.get("status", "failed"))
        if status in _ENDED:
            self.model.message = self.model.message if self.model.status == status else ""
        elif self._gone > LINGER_POLLS // 2:
            status = "died"
            self.model.message = f"its process is gone; continue with: {resume_command(self.run, info)}"
        self.model.status = status


def resume_command(run: RunDir, info: Mapping[str, Any]) -> str:
    """The command that continues a run, from the one that started it."""
    words = [str(word) for word in info.get("command") or ["arena"]]
    program = Path(words[0]).name
    words[0] = "arena" if program == "__main__.py" else program
    if "--run" not in words:
        words += ["--run", str(run.path if run.path.is_absolute() else run.name)]
    return shlex.join(words if "--resume" in words else [*words, "--resume"])


# --- without events --------------------------------------------------------------------------------------------------


def recovered(run: RunDir) -> Iterator[Event]:
    """Events made from what the run has on file."""
    try:
        info = run.read()
    except (ArenaError, OSError):
        info = {}
    kind = str(info.get("kind", "run"))
    start = info.get("created_unix_s")
    config = info.get("config") or {}
    matches = _lines(run.matches)
    metrics = [line for line in _last_lines(run.metrics, METRICS_KEPT) if isinstance(line.get("update"), int)]
    selfplay = kind == "selfplay"
    yield {
        "t": "open",
        "kind": kind,
        "title": run.name,
        "total": config.get("updates") if selfplay else None,
        "unit": "updates" if selfplay else "matches",
        "seed": info.get("seed"),
        "device": info.get("device", ""),
        "time_s": start,
    }
    for line in metrics:
        yield {**line, "t": "metrics", "time_s": start}
    done = metrics[-1]["update"] if metrics else 0
    yield {"t": "progress", "done": done if selfplay else matches, "time_s": start}
    yield {"t": "counts", "matches": matches}
    yield from _standings(run.path / "standings.json")
    for line in _last_lines(run.matches, 1):
        yield from match_events(line)


def match_events(obj: Mapping[str, Any]) -> Iterator[Event]:
    """A stored record as the events that told of it, with its last board."""
    from arena.records import record_from_json
    from games import GameError, get_game

    try:
        record = record_from_json(obj)
        game = get_game(record.spec.game, record.spec.params)
        state = game.new_state(record.spec.seed)
        key = record.spec.match_key
        yield {
            "t": "start",
            "key": key,
            "game": record.spec.game,
            "players": list(record.spec.players),
            "roles": list(game.spec.roles),
            "seed": record.spec.seed,
        }
        plies: dict[int, dict[int, Any]] = {}
        for turn in record.turns:
            yield turn_event(key, turn)
            plies.setdefault(turn.ply, {})[turn.seat] = turn.move
        for moves in plies.values():
            if None not in moves.values():
                state.apply(moves)
        yield {**end_event(record), "board": state.render(None)}
    except (ArenaError, GameError) as error:
        yield {"t": "note", "text": f"the last match cannot be shown: {error}"}


def _standings(path: Path) -> Iterator[Event]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        rows = [
            [row["player"], row["wdl"]["wins"], row["wdl"]["draws"], row["wdl"]["losses"], row["forfeits"]]
            for row in told["overall"]
        ]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return
    yield {"t": "standings", "rows": rows}


def _lines(path: Path) -> int:
    """Number of complete lines, without reading them."""
    try:
        with path.open("rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except FileNotFoundError:
        return 0


def _last_lines(path: Path, most: int, block: int = 1 << 20) -> list[dict[str, Any]]:
    """The last complete lines of a JSON-lines file, reading only its end (at most 64 MB of it)."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            data = b""
            while size > 0 and data.count(b"\n") <= most and len(data) < 64 * block:
                step = min(block, size)
                size -= step
                file.seek(size)
                data = file.read(step) + data
    except FileNotFoundError:
        return []
    whole = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]
    if size > 0:
        whole = whole[1:]  # begins in the middle of a line
    found = []
    for row in whole[-most:]:
        try:
            obj = json.loads(row)
        except (ValueError, RecursionError):
            continue
        if isinstance(obj, dict):
            found.append(obj)
    return found
