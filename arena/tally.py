"""Counting results as they come, in memory that does not grow with the number of matches."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TypeAlias

from arena.bootstrap import WDL, Sums
from arena.results import MatchResult
from arena.types import Ended
from games.types import ParamValue, Seat

GameKey: TypeAlias = tuple[str, tuple[tuple[str, ParamValue], ...]]
"""A game and its parameters."""

Duo: TypeAlias = tuple[str, str]
"""Two players, in alphabetical order."""

EQUAL = 1e-9
"""Sums of returns closer than this are equal."""


@dataclass(kw_only=True)
class PlayerTally:
    """One player at one game.

    Attributes:
        by_seat: places taken in each seat (in its first one, of several). by_role: in each role.
        returns: sum of returns. forfeits: its own, by issue. stopped: matches that hit their turn limit.
        void: matches that are still owed.
    """

    by_seat: dict[Seat, WDL] = field(default_factory=dict)
    by_role: dict[str, WDL] = field(default_factory=dict)
    returns: float = 0.0
    forfeits: Counter[str] = field(default_factory=Counter)
    stopped: int = 0
    void: int = 0


@dataclass(kw_only=True)
class DuoTally:
    """Two players against each other at one game, seen by the first.

    Attributes:
        clusters: how often a pair (all matches on one deal) came out in each way.
        pairs: whole pairs by who had the larger sum of returns over the deal, every seat played.
        by_seat: results by the seat of the first.
        returns: mean return per pair, of the first and the second. forfeits: number by the first and the second.
        void: matches that are still owed.
    """

    clusters: Counter[WDL] = field(default_factory=Counter)
    pairs: WDL = field(default_factory=WDL)
    by_seat: dict[Seat, WDL] = field(default_factory=dict)
    returns: tuple[Sums, Sums] = (Sums(), Sums())
    forfeits: tuple[int, int] = (0, 0)
    void: int = 0

    @property
    def kinds(self) -> dict[WDL, int]:
        """How often a whole pair was won, split or lost."""
        wins, draws, losses = self.pairs
        found = {WDL(1, 0, 0): wins, WDL(0, 1, 0): draws, WDL(0, 0, 1): losses}
        return {kind: count for kind, count in found.items() if count}

    @property
    def total(self) -> WDL:
        """All matches of these two, seen by the first."""
        total = WDL()
        for wdl, count in self.clusters.items():
            total = total.plus(WDL(*(count * n for n in wdl)))
        return total


@dataclass(kw_only=True)
class GameTally:
    """Everything counted at one game.

    Attributes:
        seats: number of seats. table: players that meet in a match; fewer where some sit in several seats.
        players, duos: by player, and by two of them.
        by_role: places and returns of each role. cast: roles seen in each seat; several where the seed deals them.
        measures: what the game measures about matches played to their end, and `welfare`, the sum of all payoffs.
    """

    seats: int
    table: int
    players: defaultdict[str, PlayerTally] = field(default_factory=partial(defaultdict, PlayerTally))
    duos: defaultdict[Duo, DuoTally] = field(default_factory=partial(defaultdict, DuoTally))
    by_role: dict[str, tuple[WDL, Sums]] = field(default_factory=dict)
    cast: defaultdict[Seat, set[str]] = field(default_factory=partial(defaultdict, set))
    measures: dict[str, Sums] = field(default_factory=dict)

    @property
    def weight(self) -> float:
        """Weight of one comparison of two players, so that a match weighs 1 however many players it has."""
        return 2 / (self.table * (self.table - 1))

    @property
    def dealt(self) -> bool:
        """Whether the seed deals the roles."""
        return any(len(roles) > 1 for roles in self.cast.values())


class Tally:
    """Counts of a stream of results, in any order."""

    def __init__(self, results: Iterable[MatchResult] = ()) -> None:
        self.games: dict[GameKey, GameTally] = {}
        self.matches = 0
        self.void = 0
        self.errors: Counter[str] = Counter()
        self._open: dict[tuple[GameKey, str], list[MatchResult]] = {}
        for result in results:
            self.add(result)

    def add(self, result: MatchResult) -> None:
        """Count one result. Matches of a player against itself alone are left out."""
        table = len(set(result.players))
        if table < 2:
            return
        key = (result.game, result.params)
        game = self.games.setdefault(key, GameTally(seats=len(result.players), table=table))
        if result.ended is Ended.VOID:
            self._count_void(game, result)
            return
        self.matches += 1
        self._count_players(game, result)
        _count_roles(game, result)
        _count_measures(game, result)
        if not result.pair:
            self._close(game, [result])
            return
        group = self._open.setdefault((key, result.pair), [])
        group.append(result)
        if len(group) == table:
            self._close(game, self._open.pop((key, result.pair)))

    def closed(self) -> Tally:
        """A copy in which pairs that are not complete count as they are."""
        copy = deepcopy(self)
        for (key, _), group in sorted(copy._open.items(), key=str):
            copy._close(copy.games[key], group)
        copy._open.clear()
        return copy

    def _count_void(self, game: GameTally, result: MatchResult) -> None:
        self.void += 1
        self.errors[result.error or "unknown"] += 1
        for name in set(result.players):
            game.players[name].void += 1
        for duo in combinations(sorted(set(result.players)), 2):
            game.duos[duo].void += 1

    def _count_players(self, game: GameTally, result: MatchResult) -> None:
        for name in dict.fromkeys(result.players):
            player, seats = game.players[name], result.seats_of(name)
            place = _as_wdl(result.rank(name))
            player.by_seat[seats[0]] = player.by_seat.get(seats[0], WDL()).plus(place)
            for role in {result.roles[seat] for seat in seats} if result.roles else ():
                player.by_role[role] = player.by_role.get(role, WDL()).plus(place)
            player.returns += result.mean_return(name)
            player.stopped += result.ended is Ended.TURN_LIMIT
            if result.fault is not None and result.fault.seat in seats:
                player.forfeits[result.fault.issue.value] += 1

    def _close(self, game: GameTally, group: list[MatchResult]) -> None:
        """Count the matches of one pair between every two of its players."""
        for duo in combinations(sorted(set(group[0].players)), 2):
            tally = game.duos[duo]
            total = WDL()
            returns = (0.0, 0.0)
            for result in group:
                compared = result.between(*duo)
                one = WDL() if compared is None else _as_wdl(compared)
                total = total.plus(one)
                seat = result.players.index(duo[0])
                tally.by_seat[seat] = tally.by_seat.get(seat, WDL()).plus(one)
                returns = (returns[0] + result.mean_return(duo[0]), returns[1] + result.mean_return(duo[1]))
                at_fault = None if result.fault is None else result.players[result.fault.seat]
                tally.forfeits = (tally.forfeits[0] + (at_fault == duo[0]), tally.forfeits[1] + (at_fault == duo[1]))
            if total.matches:  # two that were always of the same team were not compared
                tally.clusters[total] += 1
            # Equal sums are settled by results, so that a forfeit that costs both sides the same is not a draw.
            ahead = returns[0] - returns[1]
            if abs(ahead) < EQUAL:
                ahead = total.wins - total.losses
            tally.pairs = tally.pairs.plus(_as_wdl(ahead))
            first, second = tally.returns
            tally.returns = (first.plus(returns[0] / len(group)), second.plus(returns[1] / len(group)))


def _count_roles(game: GameTally, result: MatchResult) -> None:
    """Each role once a match, however many seats have it."""
    for seat, role in enumerate(result.roles):
        game.cast[seat].add(role)
    for role in dict.fromkeys(result.roles):
        seats = [seat for seat, other in enumerate(result.roles) if other == role]
        wdl, returns = game.by_role.get(role, (WDL(), Sums()))
        mean = sum(result.returns[seat] for seat in seats) / len(seats)
        game.by_role[role] = (wdl.plus(_as_wdl(result.place(seats[0]))), returns.plus(mean))


def _count_measures(game: GameTally, result: MatchResult) -> None:
    if not result.measures:
        return
    payoffs = [value for name, value in result.measures if name.startswith("payoff/")]
    for name, value in (*result.measures, *([("welfare", sum(payoffs))] if payoffs else [])):
        game.measures[name] = game.measures.get(name, Sums()).plus(value)


def _as_wdl(sign: float) -> WDL:
    return WDL(wins=int(sign > 0), draws=int(sign == 0), losses=int(sign < 0))
