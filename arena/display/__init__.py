"""Showing runs as they go: in this terminal, and from any other with `arena watch`.

    from arena.display import open_display

    with open_display(kind="selfplay", title="demo", total=40, unit="updates", run_dir=path, seed=0) as display:
        run_selfplay(..., observer=display.observer, emit=display.emit)

| call | what it does |
|---|---|
| `display.observer` | give it to `play_match`, `run_matches`, …: one match at a time is followed, all are counted |
| `display.stage(name)` | what is going on now: `load model`, `play`, `train` |
| `display.progress(done, total, note)` | may be called as often as one likes; drawn a few times a second |
| `display.metrics(values)` | a line of metrics.jsonl, or any names and numbers |
| `display.standings(rows)` | standings so far, as `Standing`s |
| `display.note(text)` | a sentence that stays: a warning, a snapshot written |
| `display.emit(event)` | any of these as an event, `{"t": "stage" | "progress" | "metrics" | "snapshot" | "note", …}` |

On a terminal (of stderr) the view is drawn on the alternate screen, and its last frame stays in the scrollback;
elsewhere there are plain lines; with `quiet` nothing. The events go to `events.jsonl` in the run directory in every
case, as soon as it exists. Nothing is drawn or written before the first call of one of these, so a run that is
refused leaves no trace. A display never fails a run: at its first error it is switched off, and that is logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

if TYPE_CHECKING:
    from arena.display.session import Display

__all__ = ["Standing", "open_display"]


class Standing(NamedTuple):
    """A player's results so far."""

    player: str
    wins: int
    draws: int
    losses: int
    forfeits: int = 0


def open_display(
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
) -> Display:
    """A display, to be used as a context manager.

    Args:
        kind: `selfplay`, `tournament`, `eval` or `play`.
        title: name of the run.
        total: how much there is to do, if known.
        unit: of what: `updates`, `matches`, `items`.
        run_dir: where `events.jsonl` goes, once the folder exists.
        quiet: show nothing.
        seed: of the run, for the header.
        device: likewise.
        details: further facts for the header, by name.
        stream: where to draw; stderr by default.
    """
    from arena.display.session import Display

    return Display(
        kind=kind,
        title=title,
        total=total,
        unit=unit,
        run_dir=run_dir,
        quiet=quiet,
        seed=seed,
        device=device,
        details=details or {},
        stream=stream,
    )
