"""Impasse signals by game; those that have lasted are marked."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from arena.display.draw import line, number, percent, rule
from arena.display.model import LiveModel
from arena.display.safe import one_line, pad
from arena.display.telemetry import SHARES, SIGNALS, signal_values, stuck_signals

_COLUMN = 7
_HEADS = {"one_sided": "1 seat"}
"""Heads that must be shorter than elsewhere."""


def impasse_panel(model: LiveModel, width: int) -> list[Text]:
    """A line a game, with a value a signal."""
    found = signal_values(model.metrics)
    names = [name for name in SIGNALS if any(name in told for told in found.values())]
    if not names:
        return []
    stuck = stuck_signals(model.metrics)
    room = width - 2 - (_COLUMN + 1) * len(names)
    wide = max(8, min(max(len(one_line(game)) for game in found), room))
    heads = "".join(f" {_HEADS.get(name, SIGNALS[name]):>{_COLUMN}}" for name in names)
    lines = [rule("impasse signals", width), line((f" {'':{wide}}{heads}", "dim"), width=width)]
    for game, told in found.items():
        cells = [
            (f" {_cell(told, name, marked=(game, name) in stuck):>{_COLUMN}}", "bold" if (game, name) in stuck else "")
            for name in names
        ]
        lines.append(line(" ", pad(one_line(game), wide), *cells, width=width))
    return lines


def _cell(told: Mapping[str, float], name: str, *, marked: bool) -> str:
    if name not in told:
        return "–"
    return ("▲" if marked else "") + shown(name, told[name])


def shown(name: str, value: float) -> str:
    """A signal's value for people."""
    return percent(value) if name in SHARES else number(round(value, 3))


def stuck_line(metrics: Mapping[str, object]) -> str:
    """The signals that have lasted, in one line for a log; empty without any."""
    values = signal_values(metrics)
    told = [
        f"{one_line(game)} {SIGNALS[name]} {shown(name, values[game][name])}"
        for game, name in sorted(stuck_signals(metrics))
        if name in values.get(game, {})
    ]
    return f"stuck: {', '.join(told)}" if told else ""
