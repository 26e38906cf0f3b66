"""A run seen from another process: alive, ended, dead, and without events."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from display_helpers import METRICS, OPEN

from arena.display.events import EventWriter
from arena.display.follow import LINGER_POLLS, Follower, resume_command
from arena.engine import play_match
from arena.players.scripted import BotPlayer
from arena.records import RecordLog
from arena.rundir import RunDir
from arena.types import MatchSpec


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["/usr/bin/arena", "tournament", "run", "bots", "pairs=3"])
    made = RunDir.create("first", "tournament", {"pairs": 3}, seed=5)
    yield made
    made.unlock()


def watched(run: RunDir, polls: int = 1) -> Follower:
    follower = Follower(run)
    for _ in range(polls):
        follower.poll()
    return follower


def play(run: RunDir, seed: int = 0) -> None:
    spec = MatchSpec(game="tic_tac_toe", seed=seed, players=("random", "greedy"))
    log = RecordLog(run.matches)
    log.append(asyncio.run(play_match(spec, [BotPlayer("random"), BotPlayer("greedy")])))
    log.close()


def test_while_it_lives(run: RunDir) -> None:
    writer = EventWriter(run.events)
    writer.write(OPEN)
    follower = watched(run, 10)
    assert follower.model.status == "running"
    assert not follower.over
    writer.write({"t": "progress", "done": 4, "time_s": 1001.0})
    writer.write({"t": "stage"})  # malformed: passed over
    writer.write({"t": "close", "status": "done"})  # said, but the writer still holds the run
    follower.poll()
    assert (follower.model.done, follower.model.status) == (4, "running")


@pytest.mark.parametrize("status", ["done", "interrupted", "failed"])
def test_after_its_end(run: RunDir, status: str) -> None:
    writer = EventWriter(run.events)
    writer.write(OPEN)
    run.set_status(status)
    run.unlock()
    follower = watched(run, 2)
    assert not follower.over  # time for last words
    writer.write({"t": "close", "status": status, "message": "the end"})
    for _ in range(LINGER_POLLS):
        follower.poll()
    assert follower.over
    assert (follower.model.status, follower.model.message) == (status, "the end")


def test_after_its_death(run: RunDir) -> None:
    EventWriter(run.events).write(OPEN)
    run.unlock()
    follower = watched(run, LINGER_POLLS + 1)
    assert follower.model.status == "died"
    assert follower.model.message == (
        "its process is gone; continue with: arena tournament run bots pairs=3 --run first --resume"
    )


def test_a_run_that_comes_back_to_life(run: RunDir) -> None:
    EventWriter(run.events).write(OPEN)
    run.unlock()
    follower = watched(run, LINGER_POLLS + 1)
    run.lock()
    follower.poll()
    assert (follower.model.status, follower.model.message, follower.over) == ("running", "", False)


def test_resume_commands() -> None:
    run = RunDir(Path("runs/first"))
    command = ["/x/arena", "selfplay", "demo", "--run", "first", "--resume"]
    assert resume_command(run, {"command": command}) == "arena selfplay demo --run first --resume"
    command[0] = "/x/arena/cli/__main__.py"
    assert resume_command(run, {"command": command}) == "arena selfplay demo --run first --resume"
    away = RunDir(Path("/elsewhere/first"))
    assert resume_command(away, {"command": ["arena", "x y"]}) == "arena 'x y' --run /elsewhere/first --resume"
    assert resume_command(run, {}) == "arena --run first --resume"


def test_without_events_the_records_tell(run: RunDir) -> None:
    for seed in range(3):
        play(run, seed)
    rows = [{"player": "greedy", "wdl": {"wins": 3, "draws": 0, "losses": 0}, "forfeits": 1}]
    (run.path / "standings.json").write_text(json.dumps({"overall": rows}), encoding="utf-8")
    model = watched(run).model
    assert (model.kind, model.title, model.done, model.counts["matches"]) == ("tournament", "first", 3, 3)
    assert model.match is not None
    assert model.match.seed == 2
    assert model.match.end is not None
    assert model.match.board.count("\n") == 2
    assert model.standings[0].player == "greedy"


def test_without_events_the_metrics_tell(run: RunDir) -> None:
    run.write({**run.read(), "kind": "selfplay", "config": {"updates": 40}})
    lines = [json.dumps({key: value for key, value in {**METRICS, "update": u}.items() if key != "t"}) for u in (1, 2)]
    run.metrics.write_text("\n".join([*lines, '{"torn']), encoding="utf-8")
    model = watched(run).model
    assert (model.done, model.total, model.unit) == (2, 40, "updates")
    assert list(model.series["kl"]) == [0.01, 0.01]


def test_records_and_files_that_cannot_be_read_are_no_end_of_the_view(run: RunDir) -> None:
    run.matches.write_text('{"schema": 1, "odd": true}\n', encoding="utf-8")
    (run.path / "standings.json").write_text("[]", encoding="utf-8")
    model = watched(run).model
    assert "the last match cannot be shown" in model.notes[0]
    run.unlock()
    (run.path / "run.json").write_text("half", encoding="utf-8")
    follower = watched(run, LINGER_POLLS + 1)
    assert follower.model.status == "failed"
    assert "cannot be read" in follower.model.message


def test_only_the_end_of_a_large_file_is_read(run: RunDir) -> None:
    from arena.display.follow import _last_lines

    path = run.path / "large.jsonl"
    path.write_text("".join(f'{{"n": {n}}}\n' for n in range(5000)) + "[1]\nodd\n", encoding="utf-8")
    assert _last_lines(path, 4, block=64) == [{"n": 4998}, {"n": 4999}]
    assert _last_lines(path, 10_000)[0] == {"n": 0}
