"""events.jsonl: small, losable, readable while it grows, is cut short, or is replaced."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from display_helpers import OPEN, START, turn

from arena.display.events import EventMemory, EventTail, EventWriter


def stage(name: str) -> dict[str, str]:
    return {"t": "stage", "stage": name}


def test_what_is_written_is_read_bit_by_bit(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    tail = EventTail(path)
    assert tail.read() == []
    writer = EventWriter(path)
    writer.write(OPEN)
    assert tail.read() == [OPEN]
    assert tail.read() == []
    writer.write(stage("play"))
    writer.write(stage("train"))
    assert tail.read() == [stage("play"), stage("train")]
    writer.close()


def test_a_torn_last_line_is_left_until_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"t": "stage", "stage": "play"}\n{"t": "sta')
    tail = EventTail(path)
    assert tail.read() == [stage("play")]
    with path.open("ab") as file:
        file.write(b'ge", "stage": "train"}\n')
    assert tail.read() == [stage("train")]


def test_lines_that_are_no_events_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'nonsense\n[1]\n{"no": "kind"}\n{"t": 3}\n\xff\xfe\n{"t": "stage", "stage": "play"}\n')
    assert EventTail(path).read() == [stage("play")]


def test_a_file_cut_short_or_replaced_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"t": "stage", "stage": "one"}\n{"t": "stage", "stage": "two"}\n', encoding="utf-8")
    tail = EventTail(path)
    assert len(tail.read()) == 2
    path.write_text('{"t": "stage", "stage": "three"}\n', encoding="utf-8")
    assert tail.read() == [stage("three")]
    new = tmp_path / "new"
    new.write_text('{"t": "stage", "stage": "four"}\n' * 3, encoding="utf-8")
    new.replace(path)
    assert tail.read() == [stage("four")] * 3


def test_an_endless_line_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.display.events.LINE_LIMIT", 10)
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"x" * 100)
    tail = EventTail(path)
    assert tail.read() == []
    with path.open("ab") as file:
        file.write(b'\n{"t": "stage", "stage": "play"}\n')
    assert tail.read() == [stage("play")]


def test_a_long_run_keeps_a_small_file_from_which_a_late_viewer_sees_the_same(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    writer = EventWriter(path, rotate_bytes=4_000)
    early, late = EventTail(path), EventTail(path)
    seen = []
    writer.write(OPEN)
    for update in range(200):
        writer.write({"t": "progress", "done": update, "total": 200})
        seen += early.read()
    writer.write({"t": "metrics", "update": 1})
    writer.write(START)
    writer.write(turn(0, "[4]", "4"))
    writer.close()
    assert path.stat().st_size < 8_000
    fresh = late.read()
    assert fresh[0] == OPEN
    assert [event["t"] for event in fresh].count("start") == 1
    assert {"t": "progress", "done": 199, "total": 200} in fresh
    assert seen[-1] == {"t": "progress", "done": 199, "total": 200}


def test_memory_forgets_what_no_longer_matters() -> None:
    memory = EventMemory()
    for event in (OPEN, stage("a"), stage("b"), START, turn(0, "[1]", "1"), {**START, "key": "other"}, {"t": "odd"}):
        memory.add(event)
    assert memory.events() == [OPEN, {**START, "key": "other"}, stage("b")]
    memory.add({"t": "note", "text": "x"})
    memory.add({**OPEN, "title": "again"})
    assert memory.events() == [{**OPEN, "title": "again"}]


def test_odd_values_and_broken_text_are_written_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    writer = EventWriter(path)
    writer.write({"t": "note", "text": "lone \ud800", "path": tmp_path})
    writer.close()
    (event,) = EventTail(path).read()
    assert event["path"] == str(tmp_path)
    assert event["text"].startswith("lone ")


def test_a_disk_that_refuses_silences_the_events_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        writer = EventWriter(tmp_path / "missing" / "events.jsonl")
        writer.write(OPEN)
    assert "the run goes on without live events" in caplog.text


def test_a_new_view_replaces_the_events_of_the_last(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    first = EventWriter(path)
    first.write(stage("old"))
    first.close()
    second = EventWriter(path)
    second.write(OPEN)
    second.close()
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == [OPEN]
