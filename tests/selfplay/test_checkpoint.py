from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import RecordError
from arena.rundir import RunDir
from selfplay import checkpoint as checkpoints


def make_run(tmp_path: Path) -> RunDir:
    return RunDir.create(str(tmp_path / "runs" / "r"), "selfplay", {}, seed=0)


def written(run: RunDir) -> Path:
    folder = checkpoints.scratch_folder(run) / "checkpoint-1"
    folder.mkdir()
    (folder / "optimizer.pt").write_text("weights")
    return folder


def test_a_checkpoint_appears_whole_and_the_newest_two_stay(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    assert checkpoints.latest(run) is None
    run.matches.write_text("one\n")
    for update in (1, 2, 3):
        checkpoints.publish(run, written(run), update, {"pool": [update]})
    found = checkpoints.latest(run)
    assert found is not None
    assert (found.update, found.state["pool"]) == (3, [3])
    assert found.state["sizes"] == {"matches.jsonl": 4, "metrics.jsonl": 0}
    assert (found.folder / "optimizer.pt").read_text() == "weights"
    assert sorted(p.name for p in run.checkpoints.iterdir() if p.name.isdigit()) == ["000002", "000003"]


def test_half_written_ones_are_ignored_and_cleared(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    checkpoints.publish(run, written(run), 1, {})
    half = written(run)  # killed while writing the second
    (run.checkpoints / "000009").mkdir()  # and a folder without our state is none
    found = checkpoints.latest(run)
    assert found is not None
    assert found.update == 1
    checkpoints.clear_scratch(run)
    assert not half.exists()


def test_an_update_played_again_replaces_its_checkpoint(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    checkpoints.publish(run, written(run), 1, {"pool": ["old"]})
    checkpoints.publish(run, written(run), 1, {"pool": ["new"]})
    found = checkpoints.latest(run)
    assert found is not None
    assert found.state["pool"] == ["new"]


def test_later_lines_are_set_aside_not_lost(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run.matches.write_text("a\n")
    run.metrics.write_text("m\n")
    saved = checkpoints.publish(run, written(run), 1, {})
    run.matches.write_text('a\nb\n{"torn')
    said = checkpoints.set_later_lines_aside(run, saved)
    assert run.matches.read_text() == "a\n"
    assert run.metrics.read_text() == "m\n"
    assert (run.path / "logs" / "matches-after-000001.jsonl").read_text() == 'b\n{"torn'
    assert len(said) == 1
    assert "after update 1 are owed again" in said[0]
    assert checkpoints.set_later_lines_aside(run, saved) == []


def test_before_the_first_checkpoint_everything_is_owed(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run.matches.write_text("a\n")
    assert len(checkpoints.set_later_lines_aside(run, None)) == 1
    assert run.matches.read_text() == ""


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    saved = checkpoints.publish(run, written(run), 1, {})
    state = json.loads((saved.folder / checkpoints.STATE).read_text())
    (saved.folder / checkpoints.STATE).write_text(json.dumps({**state, "schema": 99}))
    with pytest.raises(RecordError, match="Upgrade"):
        checkpoints.latest(run)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda folder: (folder / "selfplay.json").write_text(""), "JSONDecodeError"),
        (lambda folder: (folder / "selfplay.json").write_text("{}"), "KeyError: 'schema'"),
        (lambda folder: (folder / "selfplay.json").write_text("[]"), "TypeError"),
        (lambda folder: (folder / "optimizer.pt").write_bytes(b"x"), "optimizer.pt has 1 bytes and had 7"),
        (lambda folder: (folder / "optimizer.pt").unlink(), "optimizer.pt is missing and had 7"),
    ],
)
def test_a_damaged_one_is_named_with_what_to_continue_from(
    tmp_path: Path, damage: Callable[[Path], object], told: str
) -> None:
    run = make_run(tmp_path)
    for update in (10, 20):
        checkpoints.publish(run, written(run), update, {})
    found = checkpoints.latest(run)
    assert found is not None
    damage(found.folder)
    with pytest.raises(RecordError, match="Move it elsewhere to continue from 000010") as refused:
        checkpoints.latest(run)
    assert told in str(refused.value)
