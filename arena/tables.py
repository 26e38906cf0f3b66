"""Standings as plain data, for any display: rows, pairings, tables per game, and everything together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.bootstrap import WDL, Interval
from arena.rated import Rating

SCHEMA = 1
"""Version of standings.json."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One player's line.

    Attributes:
        player: name. matches: rated matches. wdl: places. by_seat: places in each seat. by_role: in each dealt role.
        score: share of points against the others, and its 95 % interval; None without matches.
        mean_return: in the game's units; None over several games.
        return_interval: 95 % over pairs; None over several games, with more than two seats, or too few pairs.
        forfeits: matches lost by giving no usable answer, and how many of them of which kind.
        stopped: matches that hit their turn limit. void: matches still owed.
        rating: None without matches.
    """

    player: str
    matches: int
    wdl: WDL
    by_seat: tuple[WDL, ...] = ()
    by_role: Mapping[str, WDL] = field(default_factory=dict)
    score: float | None = None
    interval: Interval | None = None
    mean_return: float | None = None
    return_interval: Interval | None = None
    forfeits: int = 0
    forfeit_kinds: Mapping[str, int] = field(default_factory=dict)
    stopped: int = 0
    void: int = 0
    rating: Rating | None = None


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """Two players against each other at one game, seen by `a`.

    Attributes:
        a, b: names. pairs: seat-rotated groups of matches behind the numbers.
        wdl: a's results. by_seat: a's results by a's seat.
        score: a's share of points, and its 95 % interval over pairs; None without matches.
        pair_wdl: whole pairs by who had the larger sum of returns over the deal, as in duplicate bridge.
        pair_score: a's share of pairs, and its 95 % interval. In games of chips, winning often and winning much are
            different things (the equilibrium of Kuhn poker wins fewer than half of its hands against random play,
            and most of the chips); there this, and the mean return, are what tells who plays better.
        mean_returns: of a and b, and their 95 % intervals over pairs.
        forfeits: by a and b. void: matches still owed.
    """

    a: str
    b: str
    pairs: int
    wdl: WDL
    by_seat: tuple[WDL, ...]
    score: float | None
    interval: Interval | None
    pair_wdl: WDL
    pair_score: float | None
    pair_interval: Interval | None
    mean_returns: tuple[float, float] | None
    return_intervals: tuple[Interval, Interval] | None
    forfeits: tuple[int, int]
    void: int = 0

    @property
    def forfeit_share(self) -> float:
        """Share of the matches that a forfeit decided; 0 without matches."""
        return sum(self.forfeits) / self.wdl.matches if self.wdl.matches else 0.0

    def swapped(self) -> Pairing:
        """The same, seen by b. In games with more than two seats `by_seat` stays as seen by a."""
        seats = self.by_seat
        return Pairing(
            a=self.b,
            b=self.a,
            pairs=self.pairs,
            wdl=self.wdl.swapped(),
            by_seat=tuple(wdl.swapped() for wdl in reversed(seats)) if len(seats) == 2 else seats,
            score=None if self.score is None else 1 - self.score,
            interval=None if self.interval is None else self.interval.mirrored(),
            pair_wdl=self.pair_wdl.swapped(),
            pair_score=None if self.pair_score is None else 1 - self.pair_score,
            pair_interval=None if self.pair_interval is None else self.pair_interval.mirrored(),
            mean_returns=None if self.mean_returns is None else self.mean_returns[::-1],
            return_intervals=None if self.return_intervals is None else self.return_intervals[::-1],
            forfeits=(self.forfeits[1], self.forfeits[0]),
            void=self.void,
        )


@dataclass(frozen=True, kw_only=True)
class RoleLine:
    """How a role that the seed deals fared: places, once a match, and the mean return of its seats."""

    wdl: WDL
    mean_return: float


@dataclass(frozen=True, kw_only=True)
class GameTable:
    """Standings at one game; rows best first, every pairing once.

    Attributes:
        roles: how each role fared, where the seed deals them.
        measures: means over the matches played to their end: the game's own measures (`payoff/0`, `agreement`, …),
            and `welfare`, the sum of all payoffs.
    """

    label: str
    game: str
    params: Mapping[str, Any]
    seats: int
    rows: tuple[Row, ...]
    pairings: tuple[Pairing, ...]
    notes: tuple[str, ...] = ()
    roles: Mapping[str, RoleLine] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)

    def pairing(self, a: str, b: str) -> Pairing:
        """How `a` did against `b`. Raises KeyError when they never met here."""
        for pairing in self.pairings:
            if (pairing.a, pairing.b) == (a, b):
                return pairing
            if (pairing.a, pairing.b) == (b, a):
                return pairing.swapped()
        raise KeyError(f"{a} and {b} did not meet at {self.label}")


@dataclass(frozen=True, kw_only=True)
class Standings:
    """Everything a tournament found.

    Attributes:
        matches: rated matches. owed: void matches that are to be played again. errors: what broke them.
        games: one table each. overall: all games together, each match counting once.
        skipped: combinations that were not played, and why.
        bootstrap: resamples behind the intervals.
    """

    matches: int
    owed: int
    errors: Mapping[str, int]
    games: tuple[GameTable, ...]
    overall: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    skipped: tuple[Mapping[str, str], ...] = ()
    bootstrap: int = 0
    schema: int = SCHEMA

    def table(self, label: str) -> GameTable:
        """Table of a game by its label. Raises KeyError when it was not played."""
        for table in self.games:
            if table.label == label:
                return table
        raise KeyError(f"no {label} in {', '.join(table.label for table in self.games)}")

    def to_json(self) -> dict[str, Any]:
        """Plain data, as in standings.json."""
        plain = _plain(asdict(self))
        return {"schema": plain.pop("schema"), **plain}


def _plain(value: Any) -> Any:
    """Lists and dicts only; named tuples become objects."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: _plain(item) for key, item in value._asdict().items()}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
