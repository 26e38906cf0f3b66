"""A display from its opening to its end. It only ever looks on: whatever breaks here, the run goes on."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from arena.display import Standing
from arena.display.events import Event, EventWriter
from arena.display.model import LiveModel
from arena.display.spectator import Spectator
from arena.display.views import NoView, View, view_for
from arena.errors import Interrupted
from arena.observers import GuardedObserver
from arena.types import MatchSpec, Observer

logger = logging.getLogger(__name__)

TICK_S = 0.25
"""Seconds between two frames, and between two looks at the counters."""

STANDINGS_S = 0.5
"""Seconds between two standings."""

JOIN_S = 3.0
"""How long the end of a run waits for a terminal that takes nothing."""


class Display:
    """See `arena.display.open_display`, which makes it.

    Args:
        kind, title, total, unit, run_dir, quiet, seed, device, details, stream: as there.
        tick_s: seconds between two frames; None leaves ticking to the caller.
        clock: Unix time.
    """

    def __init__(
        self,
        *,
        kind: str,
        title: str,
        total: int | None = None,
        unit: str = "",
        run_dir: Path | None = None,
        quiet: bool = False,
        seed: int | None = None,
        device: str = "",
        details: Mapping[str, Any] | None = None,
        stream: TextIO | None = None,
        tick_s: float | None = TICK_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._opening = {
            "t": "open",
            "kind": kind,
            "title": title,
            "total": total,
            "unit": unit,
            "run": "" if run_dir is None else run_dir.name,
            "seed": seed,
            "device": device,
            "pid": os.getpid(),
            "details": dict(details or {}),
        }
        self._run_dir = run_dir
        self._clock = clock
        self._tick_s = tick_s
        self._opened = clock()
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._model = LiveModel()
        self._view: View = view_for(stream or sys.stderr, quiet=quiet)
        self._writer: EventWriter | None = None
        self._state = "new"  # then "on", then "off"
        self._progress: Event | None = None
        self._standings: Callable[[], Iterable[Standing]] | None = None
        self._ranked_s = 0.0
        # Notes, and lines that others wrote to the screen: queued, since whoever brings them may hold other locks.
        self._held: deque[str] = deque(maxlen=100)
        self._spectator = Spectator(self._take)
        self._counted = 0
        self.observer: Observer = GuardedObserver.around(_Starting(self, self._spectator))

    # --- what a run calls --------------------------------------------------------------------------------------------

    def stage(self, name: str, note: str = "") -> None:
        """Say what goes on now."""
        self._take({"t": "stage", "stage": name, "note": note})

    def progress(self, done: int, total: int | None = None, note: str = "") -> None:
        """Say how much is done. Costs next to nothing; the first call says where this start begins."""
        first = self._state == "new" or self._progress is None
        self._progress = {"t": "progress", "done": done, "total": total, "note": note, "time_s": self._clock()}
        if first:
            self._take(self._progress)

    def metrics(self, values: Mapping[str, Any]) -> None:
        """Show and keep some numbers."""
        self._take({**values, "t": "metrics"})

    def standings(self, rows: Iterable[Standing] | Callable[[], Iterable[Standing]]) -> None:
        """Show standings; a function is called here and now, but only as often as they are drawn."""
        made = rows if callable(rows) else partial(list, rows)
        self._standings = made
        if self._clock() - self._ranked_s >= STANDINGS_S:
            self._rank()

    def note(self, text: str) -> None:
        """Show a sentence. May be called from a signal handler: it waits for nothing."""
        self._held.append(text)
        if self._state == "new":
            self.start()

    def emit(self, event: Mapping[str, Any]) -> None:
        """Take any event of `arena.display.events`."""
        if event.get("t") == "progress" and "done" in event:
            self.progress(event["done"], event.get("total"), event.get("note", ""))
        else:
            self._take(event)

    # --- context -----------------------------------------------------------------------------------------------------

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close("done")
        elif isinstance(error, Interrupted | KeyboardInterrupt):
            self.close("interrupted", str(error))
        else:
            self.close("failed", f"{type(error).__name__}: {error}")

    def close(self, status: str = "done", message: str = "") -> None:
        """The end: the last frame stays. Closing again does nothing."""
        if self._state != "on":
            self._state = "off"
            return
        self._stop.set()
        if self._thread is not None:
            self._thread.join(JOIN_S)
        try:
            with self._lock:
                self._rank()
                self._look()
                self._take({"t": "close", "status": status, "message": message})
                self._view.finish(self._model, self._clock())
        except Exception:
            logger.exception("The display failed at its end; the run is not affected.")
        finally:
            self._state = "off"
            if self._writer is not None:
                self._writer.close()

    def tick(self) -> None:
        """Look at the counters and draw a frame; called by the display's own thread."""
        if self._state != "on":
            return
        try:
            with self._lock:
                self._look()
                prepared = self._view.prepare(self._model, self._clock())
            self._view.show(prepared)  # not under the lock: a terminal that is paused must not stop the run
        except Exception:
            logger.exception("The display cannot be drawn and is switched off; the run goes on.")
            self._switch_off()

    # --- inside ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Take the screen and begin the events, at the first thing that is told."""
        with self._lock:
            if self._state != "new":
                return
            self._state = "on"
            if self._run_dir is not None and self._run_dir.is_dir():
                self._writer = EventWriter(self._run_dir / "events.jsonl")
            self._take({**self._opening, "time_s": self._opened})
            self._view.start(self._held.append)
            if self._tick_s is not None:
                self._thread = threading.Thread(target=self._run, name="display", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(self._tick_s):
            self.tick()

    def _take(self, event: Event) -> None:
        """Feed the model and the file."""
        try:
            if self._state == "new":
                self.start()
            if self._state != "on":
                return
            timed = event if "time_s" in event else {**event, "time_s": round(self._clock(), 3)}
            with self._lock:
                self._model.feed(timed)
                if self._writer is not None:
                    self._writer.write(timed)
        except Exception:
            logger.exception("The display cannot take a %r event and is switched off; the run goes on.", event.get("t"))
            self._switch_off()

    def _look(self) -> None:
        """Take what changes too often to be taken each time."""
        if self._progress is not None and self._progress["done"] != self._model.done:
            self._take(self._progress)
        if self._spectator.turns + self._spectator.matches != self._counted:
            self._counted = self._spectator.turns + self._spectator.matches
            self._take(self._spectator.counts())
        while self._held:
            self._take({"t": "note", "text": self._held.popleft()})

    def _rank(self) -> None:
        """Take the standings, in the thread of the run: they may change while they are counted elsewhere."""
        standings, self._standings = self._standings, None
        self._ranked_s = self._clock()
        if standings is None or self._state == "off":
            return
        try:
            self._take({"t": "standings", "rows": [list(row) for row in standings()]})
        except Exception:
            logger.exception("The standings cannot be shown, and the display is switched off; the run goes on.")
            self._switch_off()

    def _switch_off(self) -> None:
        """Show nothing from now on, and give the terminal back."""
        self._stop.set()
        with self._lock:
            self._state = "off"
            view, self._view = self._view, NoView()
            try:
                view.finish(None, self._clock())
            except Exception:
                logger.debug("the view could not be ended either", exc_info=True)


class _Starting:
    """An observer that starts the display with the first match."""

    def __init__(self, display: Display, spectator: Spectator) -> None:
        self._display = display
        self._spectator = spectator
        self._started = False
        self.turn_played = spectator.turn_played
        self.match_ended = spectator.match_ended

    def match_started(self, spec: MatchSpec) -> None:
        """Start the display with the first; pass on."""
        if not self._started:
            self._started = True
            self._display.start()
        self._spectator.match_started(spec)
