"""Ratings: Bradley–Terry with ties (Davidson), all matches at once, by maximum likelihood.

With strengths λ and the readiness to draw η, player i against j

    P(i wins) ∝ e^λi,   P(j wins) ∝ e^λj,   P(draw) ∝ e^(η + (λi + λj)/2)

(R. R. Davidson, "On extending the Bradley–Terry model to accommodate ties", JASA 65, 1970). The negative
log-likelihood is convex; a ridge of RIDGE/2 · (|λ|² + η²) makes it strictly convex, so there is exactly one answer,
finite even for a player that never lost. Its weight is that of a prior with standard deviation 7 (1,230 rating
points): too weak to be seen beside a few dozen matches.

Unlike an online Elo rating, nothing depends on the order of matches. The work is done in an order of players that
follows from their results alone, so neither input order nor names reach even the rounding.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

RIDGE = 0.02
"""Weight of the ridge, in nats per squared nat."""

ELO = 400 / math.log(10)
"""Rating points per nat of strength: 400 points are odds of ten to one."""

_STEPS = 100


def fit(wins: Array, ties: Array, *, ridge: float = RIDGE, tolerance: float = 1e-12) -> tuple[Array, Array]:
    """Strengths and readiness to draw, for one table of results or many at once.

    Args:
        wins: (..., n, n), how often i beat j. Fractions are allowed.
        ties: (..., n, n), symmetric, how often i and j drew.
        ridge: weight of the ridge.
        tolerance: largest last step, in nats.

    Returns:
        λ, (..., n), in nats, with mean 0 within every connected group; η, (...), -inf where nobody ever drew.
    """
    n = wins.shape[-1]
    flat_wins, flat_ties = wins.reshape(-1, n, n), ties.reshape(-1, n, n)
    order = _canonical(flat_wins[0], flat_ties[0])
    back = np.argsort(order)
    strengths, eta = _newton(flat_wins[:, order][:, :, order], flat_ties[:, order][:, :, order], ridge, tolerance)
    return strengths[:, back].reshape(wins.shape[:-1]), eta.reshape(wins.shape[:-2])


def _canonical(wins: Array, ties: Array) -> NDArray[np.intp]:
    """An order of the players that depends on their results alone."""
    rows = [
        (float(wins[i].sum()), float(ties[i].sum()), sorted(zip(wins[i], ties[i], wins[:, i], strict=True)))
        for i in range(len(wins))
    ]
    return np.array(sorted(range(len(rows)), key=rows.__getitem__), dtype=np.intp)


def _newton(wins: Array, ties: Array, ridge: float, tolerance: float) -> tuple[Array, Array]:
    """Minimise by Newton's method, halving steps that do not descend. Shapes (B, n, n) to (B, n) and (B,)."""
    batch, n, _ = wins.shape
    games = wins + wins.swapaxes(1, 2) + ties
    scored = (wins + ties / 2).sum(axis=2)
    drawn = ties.sum(axis=(1, 2)) / 2
    draws = bool(drawn.any())  # without a single draw, η would run to -inf: leave it out
    x = np.zeros((batch, n + 1))

    def outcomes(x: Array) -> tuple[Array, Array, Array]:
        """Log of the normaliser, P(i beats j), P(draw), each (B, n, n)."""
        a, b = x[:, :n, None], x[:, None, :n]
        c = x[:, n, None, None] + (a + b) / 2 if draws else np.full_like(games, -np.inf)
        top = np.maximum(np.maximum(a, b), c)
        total = top + np.log(np.exp(a - top) + np.exp(b - top) + np.exp(c - top))
        return total, np.exp(a - total), np.exp(c - total)

    def objective(x: Array, total: Array) -> Array:
        likelihood = (games * total).sum(axis=(1, 2)) / 2 - (scored * x[:, :n]).sum(axis=1) - drawn * x[:, n]
        return np.asarray(likelihood + ridge / 2 * (x**2).sum(axis=1))

    total, win, draw = outcomes(x)
    value = objective(x, total)
    hessian = np.zeros((batch, n + 1, n + 1))
    diagonal = np.arange(n)
    last = math.inf
    for _ in range(_STEPS):
        share = win + draw / 2  # expected score of i against j
        gradient = ridge * x
        gradient[:, :n] += (games * share).sum(axis=2) - scored
        gradient[:, n] += (games * draw).sum(axis=(1, 2)) / 2 - drawn
        hessian[:, :n, :n] = games * (draw / 4 - share * (1 - share))
        hessian[:, diagonal, diagonal] = ridge + (games * (win + draw / 4 - share**2)).sum(axis=2)
        hessian[:, n, :n] = hessian[:, :n, n] = (games * draw * (0.5 - share)).sum(axis=2)
        hessian[:, n, n] = ridge + (games * draw * (1 - draw)).sum(axis=(1, 2)) / 2
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        size = np.abs(step).max(initial=0.0)
        if size < tolerance or (size < 1e-6 and size > last / 2):  # there, or nothing but rounding left
            break
        last = size
        scale = np.ones((batch, 1))
        for _ in range(60):
            trial = x - scale * step
            total, win, draw = outcomes(trial)
            reached = objective(trial, total)
            worse = reached > value + 1e-9 * (1 + np.abs(value))  # slack for rounding near the optimum
            if not worse.any():
                break
            scale[worse] /= 2
        x, value = trial, reached
    return x[:, :n], x[:, n] if draws else np.full(batch, -np.inf)


def components(games: Array) -> list[list[int]]:
    """Groups of players connected by matches, largest first; only within a group can ratings be compared.

    Args:
        games: (n, n), symmetric, number of matches between i and j.
    """
    left = set(range(len(games)))
    found = []
    while left:
        group, waiting = set(), [min(left)]
        while waiting:
            i = waiting.pop()
            if i not in group:
                group.add(i)
                waiting += [int(j) for j in np.flatnonzero(games[i]) if int(j) not in group]
        left -= group
        found.append(sorted(group))
    return sorted(found, key=lambda group: -len(group))
