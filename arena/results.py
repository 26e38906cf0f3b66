"""What a match record says about who won: the small part of it that ratings and standings need."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.records import check_record, read_stored
from arena.types import Ended, Fault, MatchRecord
from games import Issue, Seat
from games.types import ParamValue

_OF_NO_TEAM = re.compile(r"p\d+|draw|turn_limit|forfeit|void|")
"""Outcomes that name one seat or nobody; any other class of a game with more than two seats is that of a team."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchResult:
    """The result of one match.

    Attributes:
        key: the match's identity.
        game: registry id. params: by name, in alphabetical order.
        players: name per seat. pair: name of its seat-rotated group; empty outside of one.
        returns: per seat; empty when VOID.
        ended: how. fault: whose unusable answer ended it. error: what broke it.
        outcome: class by the rules, or how it ended. roles: per seat. measures: by name, see `MatchRecord`.
    """

    key: str
    game: str
    params: tuple[tuple[str, ParamValue], ...]
    players: tuple[str, ...]
    pair: str
    returns: tuple[float, ...]
    ended: Ended
    fault: Fault | None = None
    error: str | None = None
    outcome: str = ""
    roles: tuple[str, ...] = ()
    measures: tuple[tuple[str, float], ...] = ()

    @property
    def rated(self) -> bool:
        """Whether it counts: it was played to an end, and not by a player against itself alone."""
        return self.ended is not Ended.VOID and len(set(self.players)) > 1

    def seats_of(self, name: str) -> tuple[Seat, ...]:
        """Where a player sits; in several seats where fewer players than seats have met."""
        return tuple(seat for seat, player in enumerate(self.players) if player == name)

    def mean_return(self, name: str) -> float:
        """A player's return, the mean over its seats."""
        seats = self.seats_of(name)
        return sum(self.returns[seat] for seat in seats) / len(seats)

    def comparison(self, seat: Seat, other: Seat) -> int:
        """1, 0 or -1: whether `seat` did better than, as well as, or worse than `other`.

        By returns, except that a seat that forfeits does worse than every other, whatever the rules pay: in games of
        mixed motives a forfeit may cost all seats the same, and must not pass as a draw.
        """
        if self.fault is not None and self.fault.seat in (seat, other):
            return (other == self.fault.seat) - (seat == self.fault.seat)
        mine, theirs = self.returns[seat], self.returns[other]
        return (mine > theirs) - (mine < theirs)

    @property
    def teams(self) -> bool:
        """Whether seats won or lost together: by the rules, or since others than the one at fault lose a forfeit."""
        if len(self.players) < 3:
            return False
        if self.fault is not None:
            return len({value for seat, value in enumerate(self.returns) if seat != self.fault.seat}) > 1
        return _OF_NO_TEAM.fullmatch(self.outcome) is None

    def place(self, seat: Seat) -> int:
        """1 for a seat that did better than every other, -1 for one that somebody did better than, else 0.

        Of a team that won, every seat is in first place, and so is every seat that another's forfeit pays.
        """
        against = [self.comparison(seat, other) for other in range(len(self.players)) if other != seat]
        worst = min(against, default=0)
        others_won = self.fault is not None and self.returns[seat] > self.returns[self.fault.seat]
        return max(against, default=0) if worst == 0 and (self.teams or others_won) else worst

    def between(self, one: str, other: str) -> int | None:
        """`comparison` of two players, over all their seats; None where they sat in the same team."""
        mine, theirs = self.seats_of(one), self.seats_of(other)
        if len(mine) == len(theirs) == 1:
            compared = self.comparison(mine[0], theirs[0])
            return None if compared == 0 and self.teams else compared
        if self.fault is not None:
            return -1 if self.fault.seat in mine else int(self.fault.seat in theirs)
        ahead = self.mean_return(one) - self.mean_return(other)
        return (ahead > 0) - (ahead < 0)

    def rank(self, name: str) -> int:
        """`place` of a player, over all its seats."""
        seats = self.seats_of(name)
        if len(seats) == 1 and len(set(self.players)) == len(self.players):
            return self.place(seats[0])
        return min((self.between(name, other) or 0 for other in set(self.players) - {name}), default=0)


def result_of(record: MatchRecord) -> MatchResult:
    """The result in a record."""
    return MatchResult(
        key=record.spec.match_key,
        game=record.spec.game,
        params=tuple(sorted(record.spec.params.items())),
        players=record.spec.players,
        pair=record.spec.pair,
        returns=record.returns,
        ended=record.ended,
        fault=record.fault,
        error=record.error,
        outcome=record.outcome,
        roles=record.roles,
        measures=tuple(sorted(record.measures.items())),
    )


def result_from_json(obj: Mapping[str, Any]) -> MatchResult:
    """The result in a stored record, without building the rest of it.

    Raises:
        RecordError: not a record, or one of a newer schema.
    """
    check_record(obj, whole=False)
    return _result(obj)


def _result(obj: Mapping[str, Any]) -> MatchResult:
    spec, fault = obj["spec"], obj["fault"]
    return MatchResult(
        key=obj["key"],
        game=spec["game"],
        params=tuple(sorted(spec["params"].items())),
        players=tuple(spec["players"]),
        pair=spec["pair"],
        returns=tuple(obj["returns"]),
        ended=Ended(obj["ended"]),
        fault=None if fault is None else Fault(seat=fault["seat"], issue=Issue(fault["issue"])),
        error=obj["error"],
        outcome=obj["outcome"],
        roles=tuple(obj.get("roles", ())),
        measures=tuple(sorted(obj.get("measures", {}).items())),
    )


def read_results(path: Path) -> Iterator[MatchResult]:
    """Results of a `matches.jsonl`, each match once.

    A void match that was played again later counts only as played; one that was not comes last.
    """
    played: set[int] = set()
    void: dict[int, MatchResult] = {}
    for obj in read_stored(path):
        result = _result(obj)
        key = int(result.key, 16)  # a set of numbers takes half the memory of one of strings
        if key in played:
            continue
        if result.ended is Ended.VOID:
            void[key] = result
        else:
            played.add(key)
            void.pop(key, None)
            yield result
    yield from void.values()
