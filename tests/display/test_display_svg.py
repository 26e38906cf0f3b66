"""Charts: every number has its place, every text is only text."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.display.svg import DASHES, PALETTE, Series, line_chart, ticks

SVG = "{http://www.w3.org/2000/svg}"


def paths(text: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter(f"{SVG}path"))


def texts(text: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(text).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 60, [0, 10, 20, 30, 40, 50, 60]),
        (10, 60, [10, 20, 30, 40, 50, 60]),
        (-0.3, 0.4, [-0.4, -0.2, 0, 0.2, 0.4]),
        (5, 5, [4.4, 4.6, 4.8, 5, 5.2, 5.4, 5.6]),
        (1, 1 + 4e-16, [0.9, 0.95, 1, 1.05, 1.1]),
        (5e-324, 1e-323, [-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6]),
        (0, 0, [-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6]),
    ],
)
def test_ticks_are_round_and_cover_the_numbers(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == expected


def test_points_lie_where_the_axes_say() -> None:
    chart = line_chart("t", "x", "y", [Series("rae", [(0, 0), (5, 1)], [(0, -1, 1), (5, 0, 1)])])
    line = next(path for path in paths(chart) if path.get("stroke") == PALETTE[0])
    band = next(path for path in paths(chart) if path.get("fill-opacity") == "0.15")
    (x0, y0), (x1, y1) = ((float(a), float(b)) for a, b in re.findall(r"([\d.]+) ([\d.]+)", line.get("d", "")))
    assert (x0, x1) == (70.0, pytest.approx(760 - 16 - 30 - 12 - 3 * 6.6, abs=0.05))  # ticks are 0 … 5
    assert (y0, y1) == (186.0, 40.0)  # ticks are −1 … 1, from 332 up to 40
    corners = [float(b) for _, b in re.findall(r"([\d.]+) ([\d.]+)", band.get("d", ""))]
    assert corners == [40.0, 40.0, 186.0, 332.0]  # the upper edge there, the lower one back


def test_texts_are_escaped_and_cut() -> None:
    nasty = '<script>alert("x")</script>&\x1b[2J'
    chart = line_chart(nasty, nasty, nasty, [Series(nasty, [(0, 0)]), Series("long " * 20, [(1, 1)])])
    assert "<script" not in chart
    shown = texts(chart)
    assert shown.count('<script>alert("x")</script>&\\x1b[2J') == 4
    assert ("long " * 20)[:39] + "…" in shown


def test_colours_and_dashes_tell_series_apart() -> None:
    count = len(PALETTE) * len(DASHES)
    chart = line_chart("t", "x", "y", [Series(str(n), [(0, n), (1, n)]) for n in range(count)])
    looks = [(p.get("stroke"), p.get("stroke-dasharray")) for p in paths(chart) if p.get("stroke-linejoin")]
    assert len(looks) == 2 * count  # once in the chart, once in the legend
    assert len(set(looks)) == count


def test_gaps_and_single_points_are_shown_as_such() -> None:
    chart = line_chart("t", "x", "y", [Series("a", [(0, 0), (1, 1), (2, math.nan), (3, 1)], [(3, 0, 2)])])
    lines = [path.get("d") for path in paths(chart) if path.get("stroke-linejoin")]
    assert len(lines) == 2  # one piece, and the legend: a single point is no line
    assert len(list(ElementTree.fromstring(chart).iter(f"{SVG}circle"))) == 3
    assert sum(path.get("stroke-opacity") == "0.5" for path in paths(chart)) == 1  # the band of one point is a bar


@pytest.mark.parametrize("series", [[], [Series("a", [])], [Series("a", [(0, math.inf)])], [Series("a", [(0, 1e308)])]])
def test_nothing_to_show_is_said(series: list[Series]) -> None:
    assert "no data" in texts(line_chart("t", "x", "y", series))


def test_two_charts_can_stand_in_one_page() -> None:
    chart = line_chart("t", "x", "y", [Series("a", [(0, 0), (1, 1)])])
    assert " id=" not in chart
    assert "url(" not in chart
    assert 'fill="#ffffff"' in chart  # a ground of its own, also in a dark page


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(allow_nan=False), st.floats()), max_size=8),
    st.text(max_size=60),
)
def test_anything_gives_well_formed_svg(points: list[tuple[float, float]], text: str) -> None:
    root = ElementTree.fromstring(line_chart(text, text, text, [Series(text, sorted(points, key=lambda p: p[0]))]))
    for circle in root.iter(f"{SVG}circle"):
        assert 0 <= float(circle.get("cx", "nan")) <= 760
        assert 0 <= float(circle.get("cy", "nan")) <= 380
