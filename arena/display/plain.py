"""Plain lines for pipes, logs and `--plain`: one per update, and now and then one with progress and ETA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.display.draw import duration, number, percent, plural, signed
from arena.display.model import LiveModel
from arena.display.panels.advantages import told_in_full
from arena.display.panels.impasse import stuck_line
from arena.display.safe import one_line
from arena.display.telemetry import reshapings

EVERY_S = 10.0
"""Seconds between two lines of progress, unless a tenth of the whole is done sooner."""

SOON_S = 1.0


class PlainLines:
    """Remembers what was said, and says what is new."""

    def __init__(self) -> None:
        self._begin(None, 0.0)

    def _begin(self, opened: Mapping[str, Any] | None, now_s: float) -> None:
        self._opened = opened
        self._metrics: Mapping[str, Any] = {}
        self._noted = 0
        self._snapshots = 0
        self._stage = ""
        self._tenth = 0
        self._said_s = now_s
        self._said_done = 0

    def due(self, model: LiveModel, now_s: float) -> list[str]:
        """Lines to write now."""
        lines = self._news(model, now_s)
        share = int(10 * model.done / model.total) if model.total else 0
        waited = now_s - self._said_s
        if model.done != self._said_done and (waited >= EVERY_S or (share > self._tenth and waited >= SOON_S)):
            lines.append(progress_line(model, now_s))
            self._told(model, now_s, share)
        return lines

    def last(self, model: LiveModel, now_s: float) -> list[str]:
        """Lines at the end. Why it ended is left to the message of the command, which comes next."""
        lines = self._news(model, now_s)
        if model.done != self._said_done:
            lines.append(progress_line(model, now_s))
            self._told(model, now_s, 10)
        if model.status != "running":
            lines.append(f"{one_line(model.status)} after {duration(model.elapsed_s(now_s))}")
        return lines

    def _told(self, model: LiveModel, now_s: float, tenth: int) -> None:
        self._tenth, self._said_s, self._said_done = tenth, now_s, model.done

    def _news(self, model: LiveModel, now_s: float) -> list[str]:
        lines = []
        if model.opened and model.opened is not self._opened:
            self._begin(model.opened, now_s)  # another start: everything is new
            lines.append(opening_line(model))
        if model.metrics and model.metrics is not self._metrics:
            self._metrics = model.metrics
            lines.append(metrics_line(model, now_s))
            lines += [f"  {told_in_full(told)}" for told in reshapings(model.metrics)]
            stuck = stuck_line(model.metrics)
            lines += [f"  {stuck}"] if stuck else []
            self._told(model, now_s, int(10 * model.done / model.total) if model.total else 0)
        if model.stage != self._stage and model.stage not in ("play", "train"):
            lines.append(f"{one_line(model.stage)} {one_line(model.stage_note)}".rstrip())
        self._stage = model.stage
        lines += [f"snapshot {one_line(name)}" for name in model.snapshots[self._snapshots :]]
        self._snapshots = len(model.snapshots)
        fresh = min(model.noted - self._noted, len(model.notes))
        lines += [f"note: {one_line(note)}" for note in list(model.notes)[len(model.notes) - fresh :]]
        self._noted = model.noted
        return lines


def opening_line(model: LiveModel) -> str:
    """What begins."""
    opened = model.opened
    facts = [f"seed {opened['seed']}"] if opened.get("seed") is not None else []
    facts += [str(opened["device"])] if opened.get("device") else []
    facts += [f"{key} {value}" for key, value in dict(opened.get("details") or {}).items()]
    total = f"{model.total:,} {model.unit}".rstrip() if model.total else ""
    return one_line(", ".join(part for part in (f"{model.kind} {model.title}", total, *facts) if part))


def progress_line(model: LiveModel, now_s: float) -> str:
    """How far it is."""
    share = f" ({int(100 * model.done / model.total)} %)" if model.total else ""
    total = f"/{model.total:,}" if model.total else ""
    parts = [f"{model.done:,}{total} {model.unit}".rstrip() + share, duration(model.elapsed_s(now_s))]
    eta = model.eta_s(now_s)
    if eta is not None and eta >= 0.5:
        parts.append(f"ETA {duration(eta)}")
    if model.invalid is not None:
        parts.append(f"invalid {percent(model.invalid)}")
    if model.counts.get("forfeits"):
        parts.append(plural(model.counts["forfeits"], "forfeit"))
    if model.counts.get("void"):
        parts.append(f"{model.counts['void']:,} void")
    if model.note:
        parts.append(model.note)
    if model.standings:
        best = max(model.standings, key=lambda row: (row.wins + row.draws / 2) / max(1, sum(row[1:4])))
        parts.append(f"leads: {best.player}")
    return one_line("  ".join(parts))


def metrics_line(model: LiveModel, now_s: float) -> str:
    """An update of self-play: mean return and baseline by role, unusable replies; or any names and numbers."""
    metrics = model.metrics
    parts = []
    if "update" in metrics:
        parts.append(f"update {metrics['update']}/{metrics.get('updates', model.total)}")
    games = metrics.get("games")
    if isinstance(games, Mapping):
        parts += [
            f"{game}: " + ", ".join(_role(*item) for item in told["roles"].items()) for game, told in games.items()
        ]
        parts += [f"{name} {percent(model.series[name][-1])}" for name in ("invalid", "draws") if name in model.series]
    else:
        parts += [f"{name} {number(series[-1])}" for name, series in model.series.items() if name in metrics]
    eta = model.eta_s(now_s)
    parts += [f"ETA {duration(eta)}"] if eta is not None and eta >= 0.5 else []
    return one_line("  ".join(parts))


def _role(role: str, values: Mapping[str, Any]) -> str:
    baseline = values.get("baseline")
    base = "" if baseline is None else f" (base {signed(float(baseline))})"
    return f"{role} {signed(float(values.get('mean_return', 0.0)))}{base}"
