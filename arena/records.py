"""`matches.jsonl`: one line a match, appended at once, read back exactly.

Token ids and log-probabilities are kept as sampled. A prompt is stored as what it adds to the seat's previous
prompt and reply, so a long conversation costs its length once. The match of a torn last line is owed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.errors import RecordError
from arena.jsonl import Json, JsonLog, read_json_lines, set_torn_line_aside
from arena.stored import problem
from arena.types import SCHEMA, Attempt, Completion, Ended, Fault, Finish, MatchRecord, MatchSpec, Turn
from games import Issue, Move

__all__ = [
    "JsonLog",
    "RecordLog",
    "check_record",
    "read_json_lines",
    "read_records",
    "read_stored",
    "record_from_json",
    "record_to_json",
    "set_torn_line_aside",
]


def _completion_to_json(completion: Completion, previous: tuple[int, ...], store_tokens: bool) -> Json:
    obj: Json = {"text": completion.text, "finish": completion.finish.value}
    if completion.thought:
        obj["thought"] = completion.thought
    if completion.snapshot is not None:
        obj["snapshot"] = completion.snapshot
    if completion.ids:
        obj["tokens"] = len(completion.ids)
    if store_tokens and (completion.ids or completion.prompt_ids):
        kept = len(previous) if previous and completion.prompt_ids[: len(previous)] == previous else 0
        obj["extends"] = kept
        obj["prompt_ids"] = list(completion.prompt_ids[kept:])
        obj["ids"] = list(completion.ids)
        obj["logprobs"] = list(completion.logprobs)
    if completion.cached_tokens:
        obj["cached_tokens"] = completion.cached_tokens
    obj["latency_s"] = completion.latency_s
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
        "roles": list(record.roles),
        "measures": dict(record.measures),
        "systems": list(record.systems),
        "turns": turns,
        "duration_s": record.duration_s,
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


def check_record(obj: Mapping[str, Any], *, whole: bool = True) -> None:
    """Raises RecordError unless `obj` is a stored record that this version can read.

    Args:
        obj: a line of matches.jsonl.
        whole: look at the turns as well, not only at what lists and ratings need.
    """
    schema = obj.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise RecordError(f"Not a match record: schema is {schema!r}.")
    if schema > SCHEMA:
        raise RecordError(
            f"The record has schema {schema}; this version reads schemas up to {SCHEMA}. "
            "Read it with the version that wrote it, or a later one."
        )
    wrong = problem(obj, whole=whole)
    if wrong is not None:
        raise RecordError(f"Not a match record: {wrong}.")


def read_stored(path: Path, *, whole: bool = False) -> Iterator[Json]:
    """The lines of a `matches.jsonl` as they are on file, one at a time, each looked at by `check_record`.

    Raises:
        RecordError: a line that is no record; names file and line.
    """
    for number, obj in enumerate(read_json_lines(path), start=1):
        try:
            check_record(obj, whole=whole)
        except RecordError as error:
            raise RecordError(
                f"{path}, line {number}: {error} It was changed after it was written: restore the file, or delete "
                "this line (a tournament plays its match again on --resume)."
            ) from error
        yield obj


def record_from_json(obj: Mapping[str, Any]) -> MatchRecord:
    """Inverse of `record_to_json`, exactly.

    Raises:
        RecordError: not a record, or one of a newer schema.
    """
    check_record(obj)
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
                    user=attempt["user"], completion=completion, issue=Issue(attempt["issue"]), hint=attempt["hint"]
                )
            )
        move = None if turn["move"] is None else Move.from_json(turn["move"])
        turns.append(Turn(index=turn["index"], ply=turn["ply"], seat=seat, attempts=tuple(attempts), move=move))
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
        roles=tuple(obj.get("roles", ())),
        measures=dict(obj.get("measures", {})),
        duration_s=obj["duration_s"],
    )


def read_records(path: Path) -> Iterator[MatchRecord]:
    """The records of a `matches.jsonl`, one at a time."""
    return (record_from_json(obj) for obj in read_stored(path, whole=True))


class RecordLog:
    """The writer of a `matches.jsonl`.

    Args:
        path: the file; made if missing.
        store_tokens: keep token ids and log-probabilities.
        sync_s: seconds between forced writes to the disk.
    """

    def __init__(self, path: Path, *, store_tokens: bool = True, sync_s: float = 5.0) -> None:
        self._log = JsonLog(path, sync_s=sync_s)
        self._store_tokens = store_tokens

    @property
    def torn(self) -> str | None:
        """What was set aside on opening, as a sentence."""
        return self._log.torn

    def append(self, record: MatchRecord) -> None:
        """Write one record. Raises RecordError when it holds a number that is not finite."""
        self._log.append(record_to_json(record, store_tokens=self._store_tokens))

    def close(self) -> None:
        """Force everything to the disk and close."""
        self._log.close()
