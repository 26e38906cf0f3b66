"""Complete training states: `checkpoints/000040/`, whole or not there at all.

A checkpoint holds what transformers saves (adapter, optimiser, schedule, trainer state, RNG states) and our own
`selfplay.json` (estimator, pool, and how long the run's files were). It is written aside, forced to disk and renamed,
so a process killed at any moment leaves the previous one as it was.

What happened after the last checkpoint is owed again: on resuming, the lines of matches.jsonl and metrics.jsonl that
came later are moved to `logs/`, and the updates are played anew. So nothing is counted twice. Snapshots are only
taken at checkpoints, after them, so there is never one whose weights cannot be reached again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import RecordError
from arena.rundir import RunDir, write_json

SCHEMA = 1
STATE = "selfplay.json"
SCRATCH = ".scratch"
KEEP = 2
"""Checkpoints that stay: the newest, and one in case its disk blocks go bad."""


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A complete checkpoint on disk.

    Attributes:
        folder: where it lies. update: optimiser steps taken.
        state: contents of `selfplay.json`.
    """

    folder: Path
    update: int
    state: Mapping[str, Any]


def scratch_folder(run: RunDir) -> Path:
    """Where checkpoints are written before they are published; emptied first."""
    folder = run.checkpoints / SCRATCH
    clear_scratch(run)
    folder.mkdir(parents=True)
    return folder


def clear_scratch(run: RunDir) -> None:
    """Remove what was not published."""
    shutil.rmtree(run.checkpoints / SCRATCH, ignore_errors=True)


def publish(run: RunDir, written: Path, update: int, state: Mapping[str, Any]) -> Checkpoint:
    """Complete what transformers wrote and make it a checkpoint; older ones beyond `KEEP` are deleted.

    Args:
        run: whose checkpoint.
        written: folder with the trainer's files.
        update: optimiser steps taken.
        state: JSON data to keep beside them.
    """
    full = {
        "schema": SCHEMA,
        "update": update,
        "sizes": {path.name: path.stat().st_size if path.exists() else 0 for path in _logs(run)},
        "files": {path.relative_to(written).as_posix(): path.stat().st_size for path in _contents(written)},
        **state,
    }
    write_json(written / STATE, full)
    for path in [*written.rglob("*"), written]:
        _sync(path)
    folder = run.checkpoints / f"{update:06d}"
    if folder.exists():  # played again after a resume from an older checkpoint
        shutil.rmtree(folder)
    written.rename(folder)
    _sync(run.checkpoints)
    for old in _folders(run)[:-KEEP]:
        shutil.rmtree(old)
    return Checkpoint(folder=folder, update=update, state=full)


def latest(run: RunDir) -> Checkpoint | None:
    """The newest checkpoint, or None before the first.

    Raises:
        RecordError: it was written by a newer version, or is damaged; says what to continue from instead.
    """
    folders = _folders(run)
    if not folders:
        return None
    folder = folders[-1]
    try:
        state = json.loads((folder / STATE).read_text(encoding="utf-8"))
        schema, update, sizes, files = state["schema"], int(state["update"]), state["sizes"], state["files"]
        damaged = "" if set(sizes) == {path.name for path in _logs(run)} else f"{STATE} is incomplete"
    except (ValueError, KeyError, TypeError) as error:
        schema, update, state, files, damaged = SCHEMA, 0, {}, {}, f"{STATE}: {type(error).__name__}: {error}"
    if schema > SCHEMA:
        raise RecordError(f"{folder} has schema {schema}; this version reads up to {SCHEMA}. Upgrade.")
    for name, size in files.items():
        path = folder / name
        if not path.is_file() or path.stat().st_size != size:
            found = f"has {path.stat().st_size} bytes" if path.is_file() else "is missing"
            damaged = damaged or f"{name} {found} and had {size}"
    if damaged:
        before = f"continue from {folders[-2].name}" if len(folders) > 1 else "begin again, since it is the only one"
        raise RecordError(f"The checkpoint {folder} is damaged ({damaged}). Move it elsewhere to {before}.")
    return Checkpoint(folder=folder, update=update, state=state)


def set_later_lines_aside(run: RunDir, checkpoint: Checkpoint | None) -> list[str]:
    """Cut matches.jsonl and metrics.jsonl to their lengths at the checkpoint; the rest goes to `logs/`.

    Returns:
        A sentence for each file that was cut.
    """
    update = checkpoint.update if checkpoint else 0
    said = []
    for path in _logs(run):
        size = checkpoint.state["sizes"][path.name] if checkpoint else 0
        if not path.exists() or path.stat().st_size <= size:
            continue
        aside = run.path / "logs" / f"{path.stem}-after-{update:06d}{path.suffix}"
        aside.parent.mkdir(exist_ok=True)
        with path.open("rb+") as file:
            file.seek(size)
            with aside.open("ab") as copy:
                shutil.copyfileobj(file, copy)
            file.truncate(size)
        said.append(f"{path.name}: the lines after update {update} are owed again and were moved to {aside}")
    return said


def _contents(folder: Path) -> list[Path]:
    """The files that a checkpoint consists of beside our own."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != STATE)


def _logs(run: RunDir) -> tuple[Path, Path]:
    return run.matches, run.metrics


def _folders(run: RunDir) -> list[Path]:
    """Complete checkpoints, oldest first."""
    if not run.checkpoints.is_dir():
        return []
    return sorted(path for path in run.checkpoints.iterdir() if path.name.isdigit() and (path / STATE).is_file())


def _sync(path: Path) -> None:
    """Force a file or folder to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
