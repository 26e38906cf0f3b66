"""Many matches at once, with flat memory and an order of records that does not depend on timing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable

from arena.engine import play_match
from arena.observers import GuardedObserver
from arena.types import MatchRecord, MatchSpec, Observer, Player

DEFAULT_CONCURRENCY = 64
"""Matches in flight."""


def _never() -> bool:
    return False


async def run_matches(
    specs: Iterable[MatchSpec],
    resolve: Callable[[str], Player],
    *,
    concurrency: int = DEFAULT_CONCURRENCY,
    observer: Observer | None = None,
    stop: Callable[[], bool] = _never,
) -> AsyncGenerator[MatchRecord, None]:
    """Play matches, at most `concurrency` at a time, and yield their records in the order of `specs`.

    Specs are taken lazily. A finished match waits for the ones before it, and no new match starts while `concurrency`
    finished ones wait, so memory stays flat and one slow match cannot let the others run far ahead. Matches that
    had finished but were not yielded when the process dies are simply owed again.

    Args:
        specs: what to play.
        resolve: player by name; asked for each seat of each match.
        concurrency: matches in flight, at least 1.
        observer: watches every match; dropped for all of them if it raises.
        stop: asked before each new match; once true, no more start, those in flight are cancelled, and the finished
            ones are still yielded.

    Raises:
        ValueError: `concurrency` below 1, or a spec with the wrong number of players.
        Exception: whatever `resolve` raises. What happens inside a match never raises; it makes the record VOID.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency is {concurrency}; it must be at least 1.")
    watched = GuardedObserver.around(observer)
    source = iter(specs)
    window: deque[asyncio.Task[MatchRecord]] = deque()
    try:
        exhausted = False
        while True:
            flying = sum(not task.done() for task in window)
            while not exhausted and flying < concurrency and len(window) < 2 * concurrency and not stop():
                spec = next(source, None)
                if spec is None:
                    exhausted = True
                    break
                players = [resolve(name) for name in spec.players]
                window.append(asyncio.create_task(play_match(spec, players, watched)))
                flying += 1
            if stop():
                for task in [task for task in window if task.done()]:
                    window.remove(task)
                    yield task.result()
                return
            if not window:
                return
            if not window[0].done():
                await asyncio.wait([task for task in window if not task.done()], return_when=asyncio.FIRST_COMPLETED)
            while window and window[0].done():
                yield window.popleft().result()
    finally:
        for task in window:
            task.cancel()
        await asyncio.gather(*window, return_exceptions=True)
