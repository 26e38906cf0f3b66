"""Means of the numbers that a game tells about its finished matches (`State.measures`).

`payoff/0` is about seat 0 and goes with the role that the seat was dealt; a name without a seat is about the match.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from arena.types import MatchRecord
from games import Seat


def match_measures(records: Sequence[MatchRecord]) -> dict[str, float]:
    """Means of what is about whole matches, by name."""
    told = [item for record in records for item in record.measures.items()]
    return _means((name, value) for name, value in told if not name.rpartition("/")[2].isdigit())


def seat_measures(seats: Sequence[tuple[MatchRecord, Seat]]) -> dict[str, float]:
    """Means of what is about these seats, by name without the seat."""
    told = [(seat, *item) for record, seat in seats for item in record.measures.items()]
    split = [(seat, *name.rpartition("/"), value) for seat, name, value in told]
    return _means((what, value) for seat, what, _, number, value in split if what and number == str(seat))


def _means(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: statistics.fmean(each) for name, each in sorted(values.items())}
