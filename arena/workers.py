"""Work spread over processes that may die: a task whose process ends is reported, and the rest goes on.

Processes are spawned, so a task's function and its arguments must be importable by name and picklable. Rules that run
in C++ can end a process without an exception; here that costs one task, not the run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeAlias, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Job: TypeAlias = tuple[Callable[[Any], Any], Any]


@dataclass(frozen=True, kw_only=True)
class Done(Generic[Item, Result]):
    """One task and what became of it.

    Attributes:
        item: the task.
        result: what its function returned, where `error` is empty.
        error: why there is no result.
    """

    item: Item
    result: Result | None = None
    error: str = ""


class _Worker:
    """One process, and the task that it has."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.item: Any = None
        self.busy = False
        self.since = 0.0

    def give(self, function: Callable[[Any], Any], item: Any) -> None:
        self.item, self.busy, self.since = item, True, time.monotonic()
        self.pipe.send((function, item))

    def take(self) -> Done[Any, Any]:
        """The answer that has arrived, or why none ever will."""
        self.busy = False
        try:
            result, error = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode or 0
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            return Done(item=self.item, error=f"the process ended with {how}")
        return Done(item=self.item, result=result, error=error)

    def stop(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run_all(
    function: Callable[[Item], Result], items: Sequence[Item], *, processes: int | None = None, limit_s: float = 3600.0
) -> Iterator[Done[Item, Result]]:
    """Do every task and yield each as it is done, in no order.

    Closing the iterator, or an exception such as Ctrl-C where it is used, ends all processes.

    Args:
        function: called with each item, in some other process; defined at the top of a module.
        items: the tasks, those that take longest first.
        processes: how many at the same time (default: one per usable core).
        limit_s: a task that takes longer is given up and its process ended.
    """
    waiting = list(reversed(items))
    count = min(processes or usable_cores(), len(waiting))
    workers: list[_Worker] = []
    try:
        for _ in range(count):
            workers.append(_Worker())
            workers[-1].give(function, waiting.pop())
        while busy := [worker for worker in workers if worker.busy]:
            ready = wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in busy:
                done = None
                if worker.pipe in ready:
                    done = worker.take()
                elif time.monotonic() - worker.since > limit_s:
                    done = Done[Item, Result](item=worker.item, error=f"gave no result within {limit_s:g} s")
                    worker.stop()
                if done is None:
                    continue
                if waiting:
                    if not worker.process.is_alive():
                        workers[workers.index(worker)] = worker = _Worker()
                    worker.give(function, waiting.pop())
                else:
                    worker.busy = False
                yield done
    finally:
        for worker in workers:
            worker.stop()


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _serve(pipe: Connection[Any, Any]) -> None:
    """Do tasks until nobody sends any. Ctrl-C is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, BrokenPipeError):
        while True:
            function, item = pipe.recv()
            try:
                answer = (function(item), "")
            except Exception as error:  # noqa: BLE001 - whatever a task raises is its result
                answer = (None, f"raised {type(error).__name__}: {error}")
            pipe.send(answer)
