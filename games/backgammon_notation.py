"""Backgammon moves as text: `13/8 6/5`, `bar/20`, `3/off`, `pass`; also `24/22/21`, `8/5(2)`, `13/7*`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TypeAlias

Step: TypeAlias = tuple[int, int]
"""From and to: points 1 to 24, or BAR and OFF."""

BAR, OFF = -1, -2
MAX_STEPS = 8
"""More than any move can have: a longer text is read no further."""

_NAMES = {BAR: "bar", OFF: "off"}
_NUMBERS = {"bar": BAR, "off": OFF, **{str(point): point for point in range(1, 25)}}
_PLACE = r"(?:bar|off|\d{1,2})"
_CHAIN = re.compile(rf"(?P<places>{_PLACE}(?:\*?/{_PLACE})+)\*?(?:\((?P<times>[1-4])\))?")
_BETWEEN = re.compile(r"[\s,;]+")


def written(steps: tuple[Step, ...]) -> str:
    """Canonical text of a move."""
    return " ".join(f"{_NAMES.get(a, a)}/{_NAMES.get(b, b)}" for a, b in steps) or "pass"


def read(text: str) -> tuple[Step, ...] | None:
    """The steps that a text names, in its order; None if it is not written as steps."""
    text = text.strip().rstrip(".").casefold()
    if text in ("pass", "no move"):
        return ()
    steps: list[Step] = []
    for part in _BETWEEN.split(text):
        chain = _CHAIN.fullmatch(part)
        if chain is None:
            return None
        places = [_NUMBERS.get(place) for place in chain["places"].replace("*", "").split("/")]
        points = [place for place in places if place is not None]
        if len(points) < len(places) or OFF in points[:-1] or BAR in points[1:]:
            return None
        steps += list(pairwise(points)) * int(chain["times"] or 1)
        if len(steps) > MAX_STEPS:
            return None
    return tuple(steps)


def is_notation(text: str) -> bool:
    """Whether a text is written as steps, legal or not."""
    return read(text) is not None
