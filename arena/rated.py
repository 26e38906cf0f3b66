"""Ratings of named players with intervals, from counted results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from arena.bootstrap import Interval, percentiles
from arena.ratings import ELO, Array, components, fit
from arena.tally import Duo, DuoTally

Part: TypeAlias = tuple[Mapping[Duo, DuoTally], Mapping[Duo, Array], float]
"""A game's results between every two players, their resamples, and the weight of one comparison."""


def met(parts: Sequence[Part]) -> Iterator[tuple[Duo, DuoTally, Array, float]]:
    """Every two players that met, game by game."""
    for duos, sampled, weight in parts:
        for duo, samples in sampled.items():
            yield duo, duos[duo], samples, weight


@dataclass(frozen=True, kw_only=True)
class Rating:
    """A rating, mean 0 within its group.

    Attributes:
        points: on the Elo scale (400 points are odds of ten to one).
        interval: 95 %, over resampled pairs.
        group: players of different groups never met, not even through others: their ratings cannot be compared.
        note: `unbeaten` or `winless` where the results alone would put the player at infinity, and the ridge holds it.
    """

    points: float
    interval: Interval
    group: int
    note: str = ""


def rate(parts: Sequence[Part], bootstrap: int) -> tuple[dict[str, Rating], tuple[str, ...]]:
    """Ratings of everybody who played, and what has to be said about them.

    Args:
        parts: one per game; several are rated together.
        bootstrap: number of resamples in `parts`.
    """
    names = sorted({name for duo, *_ in met(parts) for name in duo})
    if not names:
        return {}, ()
    index = {name: i for i, name in enumerate(names)}
    n = len(names)
    totals = [(duo, np.array(tally.total, dtype=float), weight) for duo, tally, _, weight in met(parts)]
    wins, ties = _matrices(totals, index, ())
    games = wins + wins.T + ties
    groups = components(games)
    points = _centred(fit(wins, ties)[0], groups)
    step = max(1, 1_000_000 // (n * n))  # bounds the memory of the fit, changes no number
    boot = []
    for k in range(0, bootstrap, step):
        some = [(duo, samples[k : k + step], weight) for duo, _, samples, weight in met(parts)]
        boot.append(_centred(fit(*_matrices(some, index, some[0][1].shape[:1]), tolerance=1e-7)[0], groups))
    resampled = np.concatenate(boot)
    member = {i: number for number, group in enumerate(groups) for i in group}
    scored, played = (wins + ties / 2).sum(axis=1), games.sum(axis=1)
    notes = ["unbeaten" if scored[i] == played[i] else "winless" if scored[i] == 0 else "" for i in range(n)]
    ratings = {
        name: Rating(points=float(points[i]), interval=percentiles(resampled[:, i]), group=member[i], note=notes[i])
        for name, i in index.items()
    }
    return ratings, tuple(_remarks(ratings, [[names[i] for i in group] for group in groups]))


def _matrices(
    totals: Sequence[tuple[Duo, Array, float]], index: Mapping[str, int], shape: tuple[int, ...]
) -> tuple[Array, Array]:
    """Wins and ties, (*shape, n, n), from (*shape, 3) per pairing."""
    n = len(index)
    wins, ties = np.zeros((*shape, n, n)), np.zeros((*shape, n, n))
    for (first, second), wdl, weight in totals:
        i, j = index[first], index[second]
        wins[..., i, j] += weight * wdl[..., 0]
        wins[..., j, i] += weight * wdl[..., 2]
        ties[..., i, j] += weight * wdl[..., 1]
        ties[..., j, i] += weight * wdl[..., 1]
    return wins, ties


def _remarks(ratings: Mapping[str, Rating], groups: Sequence[Sequence[str]]) -> Iterator[str]:
    if len(groups) > 1:
        listing = "; ".join(", ".join(group) for group in groups)
        yield f"Ratings are not comparable between groups that never met: {listing}."
    for note in ("unbeaten", "winless"):
        names = sorted(name for name, rating in ratings.items() if rating.note == note)
        if names:
            yield f"{', '.join(names)}: {note}, so the rating is held finite by the ridge alone."


def _centred(strengths: Array, groups: Sequence[Sequence[int]]) -> Array:
    """Rating points with mean exactly 0 in every group."""
    points = ELO * strengths
    for group in groups:
        points[..., group] -= points[..., group].mean(axis=-1, keepdims=True)
    return points
