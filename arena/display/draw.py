"""Small drawing tools: every part of a frame is a list of lines, none wider than it was allowed to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest

from rich.text import Text

SEAT_STYLES = ("bright_cyan", "bright_yellow", "bright_magenta", "bright_green", "bright_blue", "bright_white")
"""Colours that people with any colour vision tell apart; seats also carry their number, for displays without colour."""

_BLOCKS = "▁▂▃▄▅▆▇█"


def seat_style(seat: int) -> str:
    """Colour of a seat."""
    return SEAT_STYLES[seat % len(SEAT_STYLES)]


def line(*parts: str | tuple[str, str] | Text, width: int) -> Text:
    """One line from texts and (text, style) pairs, cut to `width` cells."""
    text = Text.assemble(*parts, no_wrap=True, end="")
    text.truncate(width, overflow="ellipsis")
    return text


def spread(left: Text, right: Text, width: int) -> Text:
    """`left` and `right` at the two ends of a line; where both do not fit, the right one is cut."""
    left = left.copy()
    left.truncate(width, overflow="ellipsis")
    room = width - left.cell_len - 2
    if room < 4:
        return left
    right = right.copy()
    right.truncate(room, overflow="ellipsis")
    return Text.assemble(left, " " * (width - left.cell_len - right.cell_len), right, no_wrap=True, end="")


def rule(title: Text | str, width: int) -> Text:
    """A heading: the title, then a thin line to the end."""
    head = line(("─ ", "dim"), title if isinstance(title, Text) else (title, "bold"), width=max(width - 2, 1))
    rest = width - head.cell_len - 1
    return Text.assemble(head, (" " + "─" * rest, "dim") if rest > 0 else "", no_wrap=True, end="")


def height_to(lines: Sequence[Text], height: int) -> list[Text]:
    """Exactly `height` lines: cut at the end, or filled with empty ones."""
    return [*lines[:height], *(Text("", end="") for _ in range(height - len(lines)))]


def beside(left: Sequence[Text], right: Sequence[Text], left_width: int, width: int, gap: int = 2) -> list[Text]:
    """Two columns of lines."""
    rows = []
    for first, second in zip_longest(left, right, fillvalue=Text("")):
        cell = first.copy()
        cell.truncate(left_width, overflow="ellipsis", pad=True)
        rows.append(line(cell, " " * gap, second, width=width))
    return rows


def bar(share: float, width: int) -> Text:
    """A progress bar."""
    filled = round(max(0.0, min(1.0, share)) * width)
    return Text.assemble(("━" * filled, "bold green"), ("─" * (width - filled), "dim"))


def sparkline(values: Iterable[float], width: int) -> str:
    """The course of a series in at most `width` blocks, each the mean of its share of the values."""
    series = list(values)
    if not series or width <= 0:
        return ""
    if len(series) > width:
        edges = [round(i * len(series) / width) for i in range(width + 1)]
        series = [sum(series[a:b]) / (b - a) for a, b in pairwise(edges)]
    low, high = min(series), max(series)
    if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
        return _BLOCKS[0] * len(series)
    return "".join(_BLOCKS[min(7, int(8 * (value - low) / (high - low)))] for value in series)


def duration(seconds: float) -> str:
    """`1:12`, `2:03:04`."""
    whole = max(0, round(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def percent(share: float) -> str:
    """`12 %`, with one decimal below ten."""
    value = 100 * share
    return f"{value:.1f} %" if 0 < abs(value) < 9.95 else f"{value:.0f} %"


def number(value: float) -> str:
    """A number in about six characters."""
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    size = abs(value)
    return f"{value:.3g}" if 1 <= size < 1000 else f"{value:.3f}" if 0.001 <= size < 1 else f"{value:.1e}"


def signed(value: float, decimals: int = 2) -> str:
    """With its sign, a real minus, and no negative zero."""
    rounded = round(value, decimals) + 0.0
    return f"{rounded:+.{decimals}f}".replace("-", "−")


def plural(count: int, one: str, many: str = "") -> str:
    """`1 match`, `2,000 matches`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
