"""Training the cells of a study: some at a time, each in its own process, resumed where they stand."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from eval.study_cells import COMMAND, Cell

POLL_S = 0.5
"""Seconds between two looks at the cells."""

LAST_LINES = 3
"""Lines of a failed cell's log that are told."""

Progress = Callable[[int, str], None]
"""Takes updates done, over all cells, and a note about those at work."""


def train_cells(cells: Sequence[Cell], logs: Path, *, jobs: int, progress: Progress) -> dict[str, str]:
    """Train every cell that is not done.

    Args:
        cells: in the order in which they are started.
        logs: folder that takes what they print, a file each.
        jobs: how many at a time.
        progress: told about twice a second.

    Returns:
        By name of a cell that failed, the end of what it said. The others were trained all the same.

    Raises:
        KeyboardInterrupt: Ctrl-C; the cells at work were told, and have saved their state. A second one ends them at
            once, and their last checkpoints stand.
    """
    logs.mkdir(parents=True, exist_ok=True)
    owed = [cell for cell in cells if not cell.done]
    finished = sum(cell.updates for cell in cells) - sum(cell.updates for cell in owed)
    running: dict[str, tuple[Cell, subprocess.Popen[bytes]]] = {}
    failed: dict[str, str] = {}
    try:
        while owed or running:
            while owed and len(running) < jobs:
                cell = owed.pop(0)
                running[cell.name] = cell, _start(cell, logs, jobs)
            time.sleep(POLL_S)
            at_work = {name: cell.updates_done() for name, (cell, _) in running.items()}
            for name, (cell, process) in list(running.items()):
                if process.poll() is None:
                    continue
                del running[name]
                if process.returncode or not cell.done:
                    failed[name] = _last_words(logs / f"{name}.log", process.returncode)
                finished += cell.updates_done()
                at_work.pop(name)
            notes = (f"{name} {done}/{running[name][0].updates}" for name, done in at_work.items())
            progress(finished + sum(at_work.values()), ", ".join(notes))
    finally:
        _end([process for _, process in running.values()])
    return failed


def _start(cell: Cell, logs: Path, jobs: int) -> subprocess.Popen[bytes]:
    """A cell's process, in a session of its own: Ctrl-C in the terminal is this process's to pass on."""
    environment = dict(os.environ)
    if jobs > 1:  # torch would take every core in each of them
        environment.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // jobs)))
    with (logs / f"{cell.name}.log").open("ab") as log:
        return subprocess.Popen(  # noqa: S603 - this very program
            [*COMMAND, *cell.words, "--quiet", *(["--resume"] if cell.begun else [])],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment,
            start_new_session=True,
        )


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask every process to save its state and wait for it; at Ctrl-C, end those that are left at once."""
    try:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            process.wait()
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()


def _last_words(log: Path, code: int) -> str:
    """What a failed cell said at its end: its error where there is one, without the warnings before it."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-LAST_LINES:]
    while any(line.startswith("Error: ") for line in lines[1:]):
        del lines[0]
    said = " ".join(lines).removeprefix("Error: ")
    return f"exit code {code}: {said or 'it said nothing'} ({log})"
