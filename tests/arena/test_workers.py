"""Work spread over processes: everything is done, and what dies or hangs costs one task."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time

from arena.workers import run_all


def work(item: int) -> int:
    if item == 3:
        raise ValueError("three")
    if item == 4:
        os.kill(os.getpid(), signal.SIGABRT)
    if item == 5:
        time.sleep(60)
    return item * item


def test_each_task_comes_to_something() -> None:
    done = {each.item: (each.result, each.error) for each in run_all(work, range(8), processes=2, limit_s=4.0)}
    assert done == {
        **{item: (item * item, "") for item in (0, 1, 2, 6, 7)},
        3: (None, "raised ValueError: three"),
        4: (None, "the process ended with signal SIGABRT"),
        5: (None, "gave no result within 4 s"),
    }


def test_processes_end_with_the_iterator() -> None:
    running = run_all(work, [1, 5, 5], processes=2)
    assert next(running).result == 1
    assert multiprocessing.active_children()
    running.close()
    assert not multiprocessing.active_children()


def test_nothing_to_do() -> None:
    assert list(run_all(work, [])) == []
