"""Standings: who beat whom, by seat, at every game and over all, with intervals.

A forfeit is a loss of the seat that forfeited and is counted again in a column of its own; a void match is owed and
counts for nobody. Points are 1 for a win, ½ for a draw. With more than two seats, scores and ratings compare every
two players of a match that were not of the same team, and such a match weighs as much as any other. Where the seed
deals the roles, results are told by role; what a game measures beside its returns (payoffs, agreement) is averaged.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path

from arena.bootstrap import WDL, Interval, mean_interval, resample, score_interval
from arena.rated import Part, Rating, met, rate
from arena.ratings import Array
from arena.results import MatchResult, read_results
from arena.tables import GameTable, Pairing, RoleLine, Row, Standings
from arena.tally import Duo, DuoTally, GameKey, GameTally, Tally

__all__ = ["GameTable", "Pairing", "Rating", "Row", "Standings", "Tally", "compute_standings", "read_standings"]

FORFEIT_SHARE = 0.2
"""From this share of forfeits on, the standings say that a pairing was decided by them."""


def compute_standings(
    results: Iterable[MatchResult] | Tally,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    skipped: Sequence[Mapping[str, str]] = (),
) -> Standings:
    """Standings of a stream of results, or of what has been counted so far.

    Args:
        results: in any order, each match once; or a tally of them, which is left as it is.
        bootstrap: resamples behind every interval.
        seed: of the resampling.
        skipped: combinations that were not played; reported as they are.
    """
    tally = (results if isinstance(results, Tally) else Tally(results)).closed()
    sampled = {
        key: {
            duo: resample(one.clusters, bootstrap, seed, key, duo)
            for duo, one in sorted(game.duos.items())
            if one.clusters
        }
        for key, game in sorted(tally.games.items(), key=lambda item: str(item[0]))
    }
    labels = _labels(tally.games)
    tables = tuple(_table(labels[key], key, tally.games[key], sampled[key], bootstrap, seed) for key in sampled)
    overall, notes = _overall(tally.games, tables, sampled, bootstrap)
    return Standings(
        matches=tally.matches,
        owed=tally.void,
        errors=dict(sorted(tally.errors.items())),
        games=tables,
        overall=overall,
        notes=notes,
        skipped=tuple(skipped),
        bootstrap=bootstrap,
    )


def read_standings(path: Path, *, bootstrap: int = 1000, seed: int = 0) -> Standings:
    """Standings of a `matches.jsonl`."""
    return compute_standings(read_results(path), bootstrap=bootstrap, seed=seed)


# --- one game ------------------------------------------------------------------------------------------------------


def _table(
    label: str, key: GameKey, game: GameTally, sampled: Mapping[Duo, Array], bootstrap: int, seed: int
) -> GameTable:
    ratings, notes = rate([(game.duos, sampled, game.weight)], bootstrap)
    rows = []
    for name, tally in game.players.items():
        by_seat = tuple(tally.by_seat.get(seat, WDL()) for seat in range(game.seats))
        wdl = reduce(WDL.plus, by_seat)
        score, interval = _score(name, [(game.duos, sampled, 1.0)])
        rows.append(
            Row(
                player=name,
                matches=wdl.matches,
                wdl=wdl,
                by_seat=by_seat,
                by_role=dict(sorted(tally.by_role.items())) if game.dealt else {},
                score=score,
                interval=interval,
                mean_return=tally.returns / wdl.matches if wdl.matches else None,
                return_interval=_return_interval(name, game),
                forfeits=tally.forfeits.total(),
                forfeit_kinds=dict(sorted(tally.forfeits.items())),
                stopped=tally.stopped,
                void=tally.void,
                rating=ratings.get(name),
            )
        )
    whole = {
        duo: resample(one.kinds, bootstrap, seed, key, duo, "pairs") for duo, one in game.duos.items() if one.kinds
    }
    pairings = tuple(
        _pairing(duo, one, game.seats, sampled.get(duo), whole.get(duo)) for duo, one in sorted(game.duos.items())
    )
    return GameTable(
        label=label,
        game=key[0],
        params=dict(key[1]),
        seats=game.seats,
        rows=tuple(sorted(rows, key=_rank)),
        pairings=pairings,
        notes=notes + _forfeit_notes(pairings),
        roles={
            role: RoleLine(wdl=places, mean_return=returns.total / returns.n)
            for role, (places, returns) in sorted(game.by_role.items())
            if game.dealt
        },
        measures={name: sums.total / sums.n for name, sums in sorted(game.measures.items())},
    )


def _return_interval(name: str, game: GameTally) -> Interval | None:
    """Interval of a player's mean return. With more than two players a pair belongs to several pairings: not given."""
    if game.table != 2:
        return None
    return mean_interval([tally.returns[duo.index(name)] for duo, tally in game.duos.items() if name in duo])


def _pairing(duo: Duo, tally: DuoTally, seats: int, sampled: Array | None, whole: Array | None) -> Pairing:
    wdl = tally.total
    first, second = tally.returns
    spread = mean_interval([first]), mean_interval([second])
    return Pairing(
        a=duo[0],
        b=duo[1],
        pairs=first.n,
        wdl=wdl,
        by_seat=tuple(tally.by_seat.get(seat, WDL()) for seat in range(seats)),
        score=None if sampled is None else wdl.score,
        interval=None if sampled is None else score_interval(wdl.score, sampled, first.n),
        pair_wdl=tally.pairs,
        pair_score=None if whole is None else tally.pairs.score,
        pair_interval=None if whole is None else score_interval(tally.pairs.score, whole, first.n),
        mean_returns=(first.total / first.n, second.total / second.n) if first.n else None,
        return_intervals=(spread[0], spread[1]) if spread[0] and spread[1] else None,
        forfeits=tally.forfeits,
        void=tally.void,
    )


def _forfeit_notes(pairings: Sequence[Pairing]) -> tuple[str, ...]:
    return tuple(
        f"{one.a} against {one.b}: {one.forfeit_share:.0%} of the matches were decided by forfeit, not by play."
        for one in pairings
        if one.forfeit_share >= FORFEIT_SHARE
    )


# --- all games -----------------------------------------------------------------------------------------------------


def _overall(
    games: Mapping[GameKey, GameTally],
    tables: Sequence[GameTable],
    sampled: Mapping[GameKey, Mapping[Duo, Array]],
    bootstrap: int,
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    parts: list[Part] = [(games[key].duos, sampled[key], games[key].weight) for key in sampled]
    ratings, notes = rate(parts, bootstrap)
    lines: defaultdict[str, list[Row]] = defaultdict(list)
    for table in tables:
        for row in table.rows:
            lines[row.player].append(row)
    rows = []
    for name, own in lines.items():
        score, interval = _score(name, parts)
        kinds: Counter[str] = Counter()
        for row in own:
            kinds.update(row.forfeit_kinds)
        rows.append(
            Row(
                player=name,
                matches=sum(row.matches for row in own),
                wdl=reduce(WDL.plus, (row.wdl for row in own)),
                score=score,
                interval=interval,
                forfeits=kinds.total(),
                forfeit_kinds=dict(sorted(kinds.items())),
                stopped=sum(row.stopped for row in own),
                void=sum(row.void for row in own),
                rating=ratings.get(name),
            )
        )
    return tuple(sorted(rows, key=_rank)), notes


def _score(name: str, parts: Sequence[Part]) -> tuple[float | None, Interval | None]:
    """Share of points of a player against everybody it met, and its interval."""
    points = weight_sum = 0.0
    pairs = 0
    resampled: Array | None = None
    for duo, tally, samples, weight in met(parts):
        if name not in duo:
            continue
        first = duo[0] == name
        wdl = tally.total if first else tally.total.swapped()
        points += weight * wdl.score * wdl.matches
        weight_sum += weight * wdl.matches
        pairs += tally.clusters.total()
        own = weight * (samples if first else samples[:, ::-1])
        resampled = own if resampled is None else resampled + own
    if resampled is None:
        return None, None
    score = points / weight_sum
    return score, score_interval(score, resampled, pairs)


# --- small helpers -------------------------------------------------------------------------------------------------


def _rank(row: Row) -> tuple[float, float, str]:
    rating = -math.inf if row.rating is None else row.rating.points
    return -rating, -(row.score or 0.0), row.player


def _labels(keys: Iterable[GameKey]) -> dict[GameKey, str]:
    """A game's id, with its parameters where one id is played under several."""
    listed = list(keys)
    count = Counter(game for game, _ in listed)
    return {
        (game, params): game if count[game] == 1 else f"{game}({', '.join(f'{k}={v}' for k, v in params)})"
        for game, params in listed
    }
