"""Line charts as SVG, without a drawing library: axes, ticks, a legend, bands for intervals.

    from arena.display.svg import Series, line_chart

    text = line_chart("NashConv", "update", "chips", [Series("rae", [(10, 0.5), (20, 0.4)])])

The result is one `<svg>` element with everything in it: it can be written to a file or put into a page, more than
once, since it has no ids, no styles and no scripts. Colours are those of Okabe and Ito (2008), which people with any
colour vision tell apart; lines also differ in their dashes. Texts may be anything; they are cleaned and escaped here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from arena.display.safe import one_line

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe and Ito, darkest on white first and without the yellow, which is too pale for a line."""

DASHES = ("", "7 3", "2 3", "9 3 2 3")
"""One step further with every series, so that two of one colour never have the same."""

WIDTH, HEIGHT = 760, 380
"""Size in user units; pages scale it. A legend that needs more height gets it."""

LABEL = 40
"""Characters of a label; the rest is cut."""

_TOP, _BOTTOM, _LEFT, _RIGHT = 40, 48, 70, 16
_CHAR = 6.6
"""Width of a character of the legend, about: SVG cannot measure text."""

TINY, HUGE = 1e-200, 1e200
"""Differences below the first are none; numbers beyond the second are left out like infinite ones."""

_MARKED = 40
"""A series of at most so many points shows each of them."""


@dataclass(frozen=True)
class Series:
    """A line.

    Attributes:
        label: for the legend.
        points: (x, y), in order of x. Values that are not finite leave a gap.
        band: (x, low, high) around the line, in order of x; may be empty.
    """

    label: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float, float]] = ()


def line_chart(title: str, x_label: str, y_label: str, series: Sequence[Series]) -> str:
    """A chart of any number of lines, on a light ground.

    Args:
        title: above.
        x_label: below the horizontal axis.
        y_label: along the vertical axis.
        series: from the first colour on. Without any finite point the chart says `no data`.
    """
    plot = _Plot.around(series)
    parts = [f'<rect width="{WIDTH}" height="{plot.height}" fill="#ffffff"/>', *plot.axes(x_label, y_label)]
    parts.append(_text(_LEFT, 22, title, size=15, anchor="start", weight="600"))
    for number, one in enumerate(series):
        parts += plot.band(one, number)
    for number, one in enumerate(series):
        parts += plot.line(one, number)
    parts += _legend(series, plot.right + 14)
    if plot.empty:
        parts.append(_text((_LEFT + plot.right) / 2, plot.height / 2, "no data"))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {plot.height}" '
        f'width="{WIDTH}" height="{plot.height}" role="img" font-family="system-ui, sans-serif">\n'
        f"<title>{escape(one_line(title))}</title>\n{body}\n</svg>\n"
    )


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers from at or below `low` to at or above `high`: multiples of 1, 2 or 5 times a power of ten."""
    if high - low <= max(1e-9 * max(abs(low), abs(high)), TINY):
        pad = abs(low) * 0.1 if abs(low) > TINY else 0.5
        low, high = low - pad, high + pad
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


@dataclass(frozen=True, kw_only=True)
class _Plot:
    """Where numbers lie on the sheet."""

    xs: Sequence[float]
    ys: Sequence[float]
    right: float
    height: int
    empty: bool

    @classmethod
    def around(cls, series: Sequence[Series]) -> _Plot:
        """With room for every finite number."""
        found = [point for one in series for piece in _pieces(one.points) for point in piece]
        bounds = [edge for one in series for piece in _pieces(one.band) for edge in piece]
        xs = [x for x, _ in found] + [x for x, *_ in bounds] or [0.0, 1.0]
        ys = [y for _, y in found] + [y for _, *edges in bounds for y in edges] or [0.0, 1.0]
        wide = max((min(len(_shown(one.label)), LABEL) for one in series), default=0)
        room = 30 + 12 + wide * _CHAR if wide else 0
        return cls(
            xs=ticks(min(xs), max(xs)),
            ys=ticks(min(ys), max(ys)),
            right=WIDTH - _RIGHT - room,
            height=max(HEIGHT, _TOP + 20 * len(series) + 8),
            empty=not found,
        )

    def x(self, value: float) -> float:
        """Horizontal place of a number."""
        return _LEFT + (value - self.xs[0]) / (self.xs[-1] - self.xs[0]) * (self.right - _LEFT)

    def y(self, value: float) -> float:
        """Vertical place of a number."""
        return (
            self.height - _BOTTOM - (value - self.ys[0]) / (self.ys[-1] - self.ys[0]) * (self.height - _BOTTOM - _TOP)
        )

    def axes(self, x_label: str, y_label: str) -> Iterator[str]:
        """Grid, ticks, names."""
        floor = self.height - _BOTTOM
        for tick in self.ys:
            y = self.y(tick)
            colour = "#999999" if tick == 0 else "#e3e3e3"
            yield f'<path d="M{_LEFT} {y:.1f}H{self.right:.1f}" stroke="{colour}" stroke-width="1"/>'
            yield _text(_LEFT - 8, y + 4, f"{tick:g}", anchor="end")
        for tick in self.xs:
            x = self.x(tick)
            yield f'<path d="M{x:.1f} {floor}v5" stroke="#555555" stroke-width="1"/>'
            yield _text(x, floor + 18, f"{tick:g}")
        yield f'<path d="M{_LEFT} {_TOP}V{floor}H{self.right:.1f}" stroke="#555555" stroke-width="1" fill="none"/>'
        yield _text((_LEFT + self.right) / 2, self.height - 10, x_label, size=13)
        middle = (_TOP + floor) / 2
        yield _text(18, middle, y_label, size=13, turned=True)

    def band(self, one: Series, number: int) -> Iterator[str]:
        """The interval around a line."""
        for piece in _pieces(one.band):
            there = [f"{self.x(x):.1f} {self.y(high):.1f}" for x, _, high in piece]
            back = [f"{self.x(x):.1f} {self.y(low):.1f}" for x, low, _ in reversed(piece)]
            colour = PALETTE[number % len(PALETTE)]
            if len(piece) == 1:  # of one point there is no area: a bar
                yield f'<path d="M{there[0]}L{back[0]}" stroke="{colour}" stroke-opacity="0.5" stroke-width="2"/>'
            else:
                yield f'<path d="M{"L".join(there + back)}Z" fill="{colour}" fill-opacity="0.15"/>'

    def line(self, one: Series, number: int) -> Iterator[str]:
        """A line, in pieces where it has gaps."""
        colour = PALETTE[number % len(PALETTE)]
        marked = len(one.points) <= _MARKED
        for piece in _pieces(one.points):
            places = [(self.x(x), self.y(y)) for x, y in piece]
            if len(places) > 1:
                path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
                yield f'<path d="M{path}" {_stroke(number)}/>'
            if marked or len(places) == 1:
                yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places)


def _pieces(points: Sequence[tuple[float, ...]]) -> list[list[tuple[float, ...]]]:
    """Runs of points that can be drawn."""
    pieces: list[list[tuple[float, ...]]] = [[]]
    for point in points:
        if all(abs(number) < HUGE for number in point):  # false for NaN
            pieces[-1].append(point)
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if piece]


def _legend(series: Sequence[Series], left: float) -> Iterator[str]:
    for number, one in enumerate(series):
        y = _TOP + 8 + 20 * number
        yield f'<path d="M{left:.1f} {y}h24" {_stroke(number)}/>'
        yield _text(left + 30, y + 4, one.label, anchor="start")


def _stroke(number: int) -> str:
    dash = DASHES[number % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{PALETTE[number % len(PALETTE)]}" stroke-width="2" stroke-linejoin="round" fill="none"{dashed}'


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 12,
    anchor: str = "middle",
    weight: str = "normal",
    turned: bool = False,
) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
        f'fill="#222222"{turn}>{escape(_shown(text) if anchor == "start" and size == 12 else one_line(text))}</text>'
    )


def _shown(label: str) -> str:
    """A label for the legend, cut to what there is room for."""
    clean = one_line(label)
    return clean if len(clean) <= LABEL else clean[: LABEL - 1] + "…"
