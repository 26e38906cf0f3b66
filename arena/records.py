"""`matches.jsonl`: one line a match, appended at once, read back exactly.

Token ids and log-probabilities are kept as sampled. A prompt is stored as what it adds to the seat's previous
prompt and reply, so a long conversation costs its length once. A torn last line (the process died while writing)
is set aside to `<file>.torn` and reported; its match is owed again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from arena.errors import RecordError
from arena.types import SCHEMA, Attempt, Completion, Ended, Fault, Finish, MatchRecord, MatchSpec, Turn
from games import Issue, Move

Json = dict[str, Any]


def _completion_to_json(completion: Completion, previous: tuple[int, ...], store_tokens: bool) -> Json:
    obj: Json = {"text": completion.text, "finish": completion.finish.value}
    if completion.thought:
        obj["thought"] = completion.thought
    if completion.snapshot is not None:
        obj["snapshot"] = completion.snapshot
    if completion.ids:
        obj["tokens"] = len(completion.ids)
    if store_tokens and completion.ids:
        kept = len(previous) if previous and completion.prompt_ids[: len(previous)] == previous else 0
        obj["extends"] = kept
        obj["prompt_ids"] = list(completion.prompt_ids[kept:])
        obj["ids"] = list(completion.ids)
        obj["logprobs"] = list(completion.logprobs)
    if completion.cached_tokens:
        obj["cached_tokens"] = completion.cached_tokens
    obj["latency_s"] = round(completion.latency_s, 6)
    return obj


def record_to_json(record: MatchRecord, *, store_tokens: bool = True) -> Json:
    """Plain data of a record; `store_tokens=False` leaves token ids and log-probabilities out."""
    previous: dict[int, tuple[int, ...]] = {}
    turns = []
    for turn in record.turns:
        attempts = []
        for attempt in turn.attempts:
            said = _completion_to_json(attempt.completion, previous.get(turn.seat, ()), store_tokens)
            previous[turn.seat] = attempt.completion.prompt_ids + attempt.completion.ids
            attempts.append({"user": attempt.user, "issue": attempt.issue.value, "hint": attempt.hint, **said})
        move = None if turn.move is None else turn.move.to_json()
        turns.append({"index": turn.index, "ply": turn.ply, "seat": turn.seat, "move": move, "attempts": attempts})
    return {
        "schema": record.schema,
        "key": record.spec.match_key,
        "spec": record.spec.to_json(),
        "ended": record.ended.value,
        "outcome": record.outcome,
        "returns": list(record.returns),
        "fault": None if record.fault is None else {"seat": record.fault.seat, "issue": record.fault.issue.value},
        "error": record.error,
        "systems": list(record.systems),
        "turns": turns,
        "duration_s": round(record.duration_s, 6),
    }


def _completion_from_json(obj: Mapping[str, Any], previous: tuple[int, ...]) -> Completion:
    prompt = previous[: obj.get("extends", 0)] + tuple(obj.get("prompt_ids", ()))
    return Completion(
        text=obj["text"],
        thought=obj.get("thought", ""),
        prompt_ids=prompt,
        ids=tuple(obj.get("ids", ())),
        logprobs=tuple(obj.get("logprobs", ())),
        finish=Finish(obj["finish"]),
        snapshot=obj.get("snapshot"),
        latency_s=obj["latency_s"],
        cached_tokens=obj.get("cached_tokens", 0),
    )


def record_from_json(obj: Mapping[str, Any]) -> MatchRecord:
    """Inverse of `record_to_json` (up to rounding of times).

    Raises:
        RecordError: not a record, or one of a newer schema.
    """
    try:
        if obj["schema"] > SCHEMA:
            raise RecordError(f"The record has schema {obj['schema']}; this version reads up to {SCHEMA}. Upgrade.")
        previous: dict[int, tuple[int, ...]] = {}
        turns = []
        for turn in obj["turns"]:
            seat = turn["seat"]
            attempts = []
            for attempt in turn["attempts"]:
                completion = _completion_from_json(attempt, previous.get(seat, ()))
                previous[seat] = completion.prompt_ids + completion.ids
                attempts.append(
                    Attempt(
                        user=attempt["user"],
                        completion=completion,
                        issue=Issue(attempt["issue"]),
                        hint=attempt["hint"],
                    )
                )
            move = None if turn["move"] is None else Move.from_json(turn["move"])
            turns.append(
                Turn(index=turn["index"], ply=turn["ply"], seat=seat, attempts=tuple(attempts), move=move)
            )
        fault = obj["fault"]
        return MatchRecord(
            schema=obj["schema"],
            spec=MatchSpec.from_json(obj["spec"]),
            systems=tuple(obj["systems"]),
            turns=tuple(turns),
            returns=tuple(obj["returns"]),
            outcome=obj["outcome"],
            ended=Ended(obj["ended"]),
            fault=None if fault is None else Fault(seat=fault["seat"], issue=Issue(fault["issue"])),
            error=obj["error"],
            duration_s=obj["duration_s"],
        )
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"Not a match record: {type(error).__name__}: {error}") from error


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
            except ValueError as error:
                raise RecordError(f"{path}, line {number}: not JSON ({error}).") from error
            if not isinstance(obj, dict):
                raise RecordError(f"{path}, line {number}: not a JSON object.")
            yield obj


def read_records(path: Path) -> Iterator[MatchRecord]:
    """The records of a `matches.jsonl`, one at a time."""
    return (record_from_json(obj) for obj in read_json_lines(path))


class JsonLog:
    """Appends JSON objects to a file, one line each. One writer only.

    Every line is handed to the operating system at once (a killed process loses nothing); every `sync_s` seconds,
    and on close, it is forced to the disk as well.
    """

    def __init__(self, path: Path, *, sync_s: float = 5.0) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.torn = set_torn_line_aside(path)
        # A lone surrogate (a broken reply) is not UTF-8; backslashreplace writes it as the escape JSON has for it.
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace")
        self._sync_s = sync_s
        self._synced = time.monotonic()

    def append(self, obj: Mapping[str, Any]) -> None:
        """Write one line. NaN and infinities are refused, since JSON has none."""
        self._file.write(json.dumps(obj, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n")
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
