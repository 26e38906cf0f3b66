"""matches.jsonl: exact round trips, torn lines, newer schemas, numbers that JSON does not have."""

from __future__ import annotations

import json
import re
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from arena_helpers import Says, play
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import RecordError
from arena.jsonl import JsonLog
from arena.records import RecordLog, read_json_lines, read_records, record_from_json, record_to_json
from arena.results import read_results
from arena.standings import compute_standings
from arena.types import (
    SCHEMA,
    Attempt,
    Completion,
    Ended,
    Fault,
    Finish,
    MatchRecord,
    MatchSpec,
    Sampling,
    Turn,
)
from games import Issue, Move

numbers = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=20)
ids = st.lists(st.integers(0, 2**31), max_size=5).map(tuple)


@st.composite
def completions(draw: st.DrawFn) -> Completion:
    sampled = draw(ids)
    return Completion(
        text=draw(texts),
        thought=draw(texts),
        prompt_ids=draw(ids),
        ids=sampled,
        logprobs=tuple(draw(numbers) for _ in sampled),
        finish=draw(st.sampled_from(Finish)),
        snapshot=draw(st.none() | texts),
        latency_s=draw(numbers),
        cached_tokens=draw(st.integers(0, 9)),
    )


@st.composite
def records(draw: st.DrawFn) -> MatchRecord:
    players = tuple(draw(st.lists(texts, min_size=1, max_size=3)))
    seats = len(players)
    ended = draw(st.sampled_from(Ended))
    turns = []
    for index in range(draw(st.integers(0, 4))):
        attempts = draw(
            st.lists(
                st.builds(Attempt, user=texts, completion=completions(), issue=st.sampled_from(Issue), hint=texts),
                min_size=1,
                max_size=3,
            )
        )
        move = draw(st.none() | st.builds(Move, answer=texts, action=st.none() | st.integers(0, 9), speech=texts))
        turns.append(Turn(index=index, ply=index // 2, seat=index % seats, attempts=tuple(attempts), move=move))
    spec = MatchSpec(
        game=draw(texts),
        params=draw(st.dictionaries(texts, st.integers() | texts | st.booleans() | numbers, max_size=3)),
        seed=draw(st.integers(0, 2**64)),
        players=players,
        pair=draw(texts),
        show_legal=draw(st.booleans()),
        retries=draw(st.integers(0, 3)),
        sampling=Sampling(temperature=draw(numbers), top_p=draw(numbers), top_k=3, max_tokens=9),
        turn_limit=draw(st.none() | st.integers(1, 9)),
        tag=draw(texts),
    )
    return MatchRecord(
        spec=spec,
        systems=tuple(draw(st.lists(texts, max_size=2))),
        turns=tuple(turns),
        returns=tuple(draw(numbers) for _ in players) if ended is not Ended.VOID else (),
        outcome=draw(texts),
        ended=ended,
        fault=draw(st.none() | st.builds(Fault, seat=st.integers(0, seats - 1), issue=st.sampled_from(Issue))),
        error=draw(st.none() | texts),
        duration_s=draw(numbers),
    )


@given(records())
def test_a_record_is_read_back_exactly(record: MatchRecord) -> None:
    line = json.dumps(record_to_json(record), allow_nan=False)
    back = record_from_json(json.loads(line))
    assert back == record
    assert back.spec.match_key == record.spec.match_key


def conversation() -> MatchRecord:
    """Two turns of seat 0, whose second prompt extends the first, and one of seat 1 between them."""
    said = [
        (0, (1, 2, 3), (7, 8)),
        (1, (1, 5), (9,)),
        (0, (1, 2, 3, 7, 8, 4, 4), (6,)),
        (0, (1, 99), (3,)),  # rendered anew: does not extend
    ]
    turns = tuple(
        Turn(
            index=i,
            ply=i,
            seat=seat,
            attempts=(
                Attempt(
                    user="?",
                    completion=Completion(
                        text="[4]", prompt_ids=prompt, ids=reply, logprobs=(-0.1,) * len(reply), snapshot="base"
                    ),
                    issue=Issue.OK,
                ),
            ),
            move=Move(answer="4"),
        )
        for i, (seat, prompt, reply) in enumerate(said)
    )
    spec = MatchSpec(game="tic_tac_toe", seed=1, players=("base", "base"))
    return MatchRecord(
        spec=spec, systems=("a", "b"), turns=turns, returns=(1.0, -1.0), outcome="p0", ended=Ended.TERMINAL
    )


def test_a_prompt_is_stored_as_what_it_adds_to_its_seats_conversation() -> None:
    obj = record_to_json(conversation())
    stored = [(turn["attempts"][0]["extends"], turn["attempts"][0]["prompt_ids"]) for turn in obj["turns"]]
    assert stored == [(0, [1, 2, 3]), (0, [1, 5]), (5, [4, 4]), (0, [1, 99])]
    assert record_from_json(obj) == conversation()


def test_tokens_can_be_left_out_and_are_still_counted() -> None:
    obj = record_to_json(conversation(), store_tokens=False)
    assert "logprobs" not in json.dumps(obj)
    assert [turn["attempts"][0]["tokens"] for turn in obj["turns"]] == [2, 1, 1, 1]
    assert record_from_json(obj).turns[2].attempts[0].completion.ids == ()


def test_only_times_differ_between_equal_matches() -> None:
    def once() -> dict[str, object]:
        obj = record_to_json(play([Says("[4]", "[0]", "[8]"), Says("[1]", "[2]")]))
        assert obj.pop("duration_s") >= 0
        return obj

    assert json.dumps(once()) == json.dumps(once())


def test_broken_text_is_stored_and_read_back(tmp_path: Path) -> None:
    record = play([Says("\ud800 [\x00\u2028\n] \x1b[31m 🎲"), Says("[0]")], retries=0)
    log = RecordLog(tmp_path / "matches.jsonl")
    log.append(record)
    log.close()
    assert (tmp_path / "matches.jsonl").read_bytes().count(b"\n") == 1
    assert list(read_records(tmp_path / "matches.jsonl")) == [record]


def test_a_torn_last_line_is_passed_over_by_readers_and_set_aside_by_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    record = play([Says("[4]", "[0]", "[8]"), Says("[1]", "[2]")])
    log = RecordLog(path)
    log.append(record)
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"schema":1,"key":"ab')
    assert list(read_records(path)) == [record]
    assert path.read_bytes() != whole  # reading repairs nothing
    again = RecordLog(path)
    assert again.torn == "matches.jsonl: a torn last line of 21 bytes was set aside to matches.jsonl.torn"
    again.append(record)
    again.close()
    assert path.read_bytes() == whole * 2
    assert (tmp_path / "matches.jsonl.torn").read_bytes() == b'{"schema":1,"key":"ab\n'
    assert RecordLog(path).torn is None


@pytest.mark.parametrize("size", [1, 65_536, 200_000])
def test_a_torn_line_may_be_all_there_is_and_of_any_length(tmp_path: Path, size: int) -> None:
    path = tmp_path / "matches.jsonl"
    path.write_bytes(b"x" * size)
    log = JsonLog(path)
    assert log.torn is not None
    log.append({"a": 1})
    log.close()
    log.close()
    assert path.read_bytes() == b'{"a":1}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a":1}\nnot json\n{"a":2}\n', "line 2: not JSON"),
        (b'{"a":1}\n[1]\n', "line 2: not a JSON object"),
        (b"[" * 100_000 + b"\n", "line 1: not JSON"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "matches.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=message):
        list(read_json_lines(path))


def test_a_missing_file_has_no_lines(tmp_path: Path) -> None:
    assert list(read_records(tmp_path / "none.jsonl")) == []


@pytest.mark.parametrize(
    "obj",
    [
        {},
        {"schema": "1"},
        {"schema": 1, "turns": "x", "spec": {}, "fault": None},
        {"schema": 1, "turns": [{"seat": 0, "attempts": ["x"]}]},
        {"schema": 1, "turns": 3},
    ],
)
def test_what_is_no_record_is_refused_as_such(obj: dict[str, object]) -> None:
    with pytest.raises(RecordError, match="Not a match record"):
        record_from_json(obj)


def changed(obj: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy in which the value at `path` is another, or (for an ellipsis) is gone."""
    if not path:
        return value
    copy = list(obj) if isinstance(obj, list) else dict(obj)
    if len(path) == 1 and value is ...:
        del copy[path[0]]
    else:
        copy[path[0]] = changed(copy[path[0]], path[1:], value)
    return copy


RESULT = [("schema",), ("key",), ("spec",), ("spec", "game"), ("spec", "params"), ("spec", "seed"),
          ("spec", "players"), ("spec", "pair"), ("ended",), ("outcome",), ("returns",), ("turns",)]  # fmt: skip
WHOLE = [("spec", "sampling"), ("systems",), ("turns", 0), ("turns", 0, "seat"), ("turns", 0, "ply"),
         ("turns", 0, "attempts"), ("turns", 0, "attempts", 0, "text"), ("turns", 0, "attempts", 0, "ids"),
         ("turns", 0, "attempts", 0, "issue"), ("turns", 0, "move", "answer"), ("duration_s",)]  # fmt: skip


@pytest.mark.parametrize("value", [..., None, "x", -1, 7.5, [], {}, [[]], True, 99])
@pytest.mark.parametrize("path", [*RESULT, *WHOLE], ids=lambda path: ".".join(map(str, path)))
def test_an_edited_field_is_read_or_named_and_breaks_nothing(path: tuple[Any, ...], value: Any, tmp_path: Path) -> None:
    file = tmp_path / "matches.jsonl"
    good = record_to_json(conversation())
    file.write_text(json.dumps(good) + "\n" + json.dumps(changed(good, path, value)) + "\n")
    said = []
    for read in (lambda: compute_standings(read_results(file), bootstrap=10), lambda: list(read_records(file))):
        try:
            read()
        except RecordError as error:
            said.append(str(error))
    assert all(f"{file}, line 2: " in text and "restore the file, or delete this line" in text for text in said)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("returns",), [1.0], "returns has 1 numbers for 2 players and a match that ended terminal"),
        (("turns", 2, "seat"), 5, "a turn is of a seat beyond the 2 players"),
        (("fault",), {"seat": 2, "issue": "illegal"}, "fault.seat is 2, of 2 players"),
        (
            ("spec", "seed"),
            "x" * 99,
            "spec.seed is 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…: input should be",
        ),
        (("key",), ..., "key is missing"),
    ],
)
def test_what_was_changed_in_a_record_is_named(path: tuple[Any, ...], value: Any, message: str) -> None:
    with pytest.raises(RecordError, match=re.escape(message)):
        record_from_json(changed(record_to_json(conversation()), path, value))


def test_a_broken_character_in_a_reply_is_read_back(tmp_path: Path) -> None:
    turn = conversation().turns[0]
    said = replace(turn.attempts[0], completion=replace(turn.attempts[0].completion, text="[4] \ud800"))
    record = replace(conversation(), turns=(replace(turn, attempts=(said,)),))
    log = RecordLog(tmp_path / "matches.jsonl")
    log.append(record)
    log.close()
    assert list(read_records(tmp_path / "matches.jsonl")) == [record]


def test_a_newer_schema_is_refused_by_name() -> None:
    obj = {**record_to_json(conversation()), "schema": SCHEMA + 1}
    with pytest.raises(RecordError, match=f"has schema {SCHEMA + 1}; this version reads schemas up to {SCHEMA}"):
        record_from_json(obj)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_refused_and_nothing_is_written(tmp_path: Path, value: float) -> None:
    log = RecordLog(tmp_path / "matches.jsonl")
    with pytest.raises(RecordError, match="cannot be written as JSON"):
        log.append(replace(conversation(), returns=(value, 0.0)))
    log.close()
    assert (tmp_path / "matches.jsonl").read_bytes() == b""


def test_every_line_is_handed_over_at_once_and_synced_in_time(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    log = JsonLog(path, sync_s=0.0)
    log.append({"a": 1})
    assert path.read_bytes() == b'{"a":1}\n'
    log.close()


def test_reading_takes_memory_for_one_record_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    line = json.dumps(record_to_json(conversation())).encode() + b"\n"
    path.write_bytes(line * 3000)
    tracemalloc.start()
    assert sum(1 for _ in read_records(path)) == 3000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * len(line) + 300_000


def test_random_numbers_do_not_depend_on_what_a_run_is_called():
    def spec(run: str, seed: int = 3) -> MatchSpec:
        players = (f"{run}@000040", "base")
        return MatchSpec(game="kuhn_poker", seed=seed, players=players, pair=f"kuhn_poker/{'~'.join(players)}/0")

    assert spec("first").stream == spec("second").stream
    assert spec("first").match_key != spec("second").match_key
    assert spec("first").stream != spec("first", seed=4).stream
    swapped = replace(spec("first"), players=("base", "first@000040"))
    assert swapped.stream != spec("first").stream
