"""Davidson's model: known strengths recovered, one finite answer, and nothing but results in it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from arena.ratings import ELO, RIDGE, components, fit

Array = NDArray[np.float64]


def simulate(strengths: Array, eta: float, games: int, rng: np.random.Generator) -> tuple[Array, Array]:
    n = len(strengths)
    wins, ties = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            p = np.exp([strengths[i], strengths[j], eta + (strengths[i] + strengths[j]) / 2])
            wins[i, j], wins[j, i], drawn = rng.multinomial(games, p / p.sum())
            ties[i, j] = ties[j, i] = drawn
    return wins, ties


def loss(x: Array, wins: Array, ties: Array) -> float:
    """The penalised negative log-likelihood, written out pair by pair."""
    n = len(wins)
    total = RIDGE / 2 * float((x**2).sum())
    for i in range(n):
        for j in range(i):
            scores = np.array([x[i], x[j], x[n] + (x[i] + x[j]) / 2])
            counts = np.array([wins[i, j], wins[j, i], ties[i, j]])
            total += counts.sum() * np.logaddexp.reduce(scores) - float(counts @ scores)
    return total


def test_the_fit_is_the_minimum_that_scipy_finds() -> None:
    rng = np.random.default_rng(5)
    wins, ties = simulate(rng.normal(0, 1, 6), -0.4, 30, rng)
    strengths, eta = fit(wins, ties)
    ours = np.array([*strengths, eta])
    found = minimize(loss, np.zeros(7), args=(wins, ties), method="BFGS", options={"gtol": 1e-6})
    theirs = np.array([*(found.x[:6] - found.x[:6].mean()), found.x[6]])  # BFGS hardly sees the common shift
    assert ours == pytest.approx(theirs, abs=1e-5)
    assert loss(ours, wins, ties) <= found.fun + 1e-12


def test_known_strengths_are_recovered() -> None:
    true = np.array([-1.5, -0.8, -0.2, 0.0, 0.3, 0.6, 0.7, 0.9])
    true -= true.mean()
    wins, ties = simulate(true, -0.5, 20_000, np.random.default_rng(1))
    strengths, eta = fit(wins, ties)
    assert strengths == pytest.approx(true, abs=0.03)
    assert float(eta) == pytest.approx(-0.5, abs=0.03)
    assert list(np.argsort(strengths)) == list(np.argsort(true))


def test_two_players_have_the_closed_form() -> None:
    wins = np.array([[0.0, 30.0], [10.0, 0.0]])
    strengths, eta = fit(wins, np.zeros((2, 2)), ridge=1e-9)
    assert strengths[0] - strengths[1] == pytest.approx(math.log(3), abs=1e-6)
    assert eta == -np.inf
    ties = np.array([[0.0, 20.0], [20.0, 0.0]])
    strengths, eta = fit(wins, ties, ridge=1e-9)
    # Davidson's estimate reproduces both the score and the number of draws.
    p = np.exp([strengths[0], strengths[1], eta + strengths.sum() / 2])
    assert p / p.sum() == pytest.approx([0.5, 1 / 6, 1 / 3], abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_order_of_players_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins, ties = simulate(rng.normal(0, 2, 9), -1, 12, rng)
    wins[3], ties[3], ties[:, 3] = 5.0, 0.0, 0.0  # somebody unbeaten,
    wins[:, 3] = wins[3, 3] = 0.0
    wins[:, 6] = 4.0
    wins[6], ties[6], ties[:, 6] = 0.0, 0.0, 0.0  # somebody winless
    wins[6, 6] = 0.0
    strengths, eta = fit(wins, ties)
    for _ in range(5):
        order = rng.permutation(9)
        again, eta_again = fit(wins[order][:, order], ties[order][:, order])
        assert np.abs(again - strengths[order]).max() * ELO < 1e-9
        assert abs(eta_again - eta) < 1e-9


def test_an_unbeaten_and_a_winless_player_are_finite_and_outermost() -> None:
    wins = np.zeros((3, 3))
    wins[0, 1] = wins[0, 2] = 100.0
    wins[1, 2] = 60.0
    wins[2, 1] = 40.0
    points = fit(wins, np.zeros((3, 3)))[0] * ELO
    assert points[0] > points[1] > points[2]
    assert 1000 < points[0] - points[1] < 1600
    assert points[1] - points[2] == pytest.approx(400 * math.log10(1.5), abs=1)
    swapped = fit(wins.T, np.zeros((3, 3)))[0] * ELO
    assert swapped == pytest.approx(-points, abs=1e-6)


def test_the_ridge_is_not_seen_beside_a_few_dozen_matches() -> None:
    wins = np.array([[0.0, 36.0], [12.0, 0.0]])
    weak = fit(wins, np.zeros((2, 2)), ridge=1e-9)[0] * ELO
    assert fit(wins, np.zeros((2, 2)))[0] * ELO == pytest.approx(weak, abs=0.2)


def test_a_cycle_leaves_everybody_equal() -> None:
    wins = np.zeros((3, 3))
    wins[0, 1] = wins[1, 2] = wins[2, 0] = 7.0
    assert fit(wins, np.zeros((3, 3)))[0] == pytest.approx([0, 0, 0], abs=1e-12)


def test_nothing_but_draws_leaves_everybody_equal_and_eta_finite() -> None:
    strengths, eta = fit(np.zeros((2, 2)), np.array([[0.0, 9.0], [9.0, 0.0]]))
    assert strengths == pytest.approx([0, 0], abs=1e-9)
    assert 3 < eta < 10


def test_no_matches_at_all() -> None:
    strengths, eta = fit(np.zeros((2, 2)), np.zeros((2, 2)))
    assert strengths == pytest.approx([0, 0])
    assert eta == -np.inf


def test_many_tables_at_once_equal_one_at_a_time() -> None:
    rng = np.random.default_rng(3)
    tables = [simulate(rng.normal(0, 1, 5), -0.5, 10, rng) for _ in range(20)]
    many, etas = fit(np.array([w for w, _ in tables]), np.array([t for _, t in tables]))
    assert many.shape == (20, 5)
    for (wins, ties), strengths, eta in zip(tables, many, etas, strict=True):
        one, one_eta = fit(wins, ties)
        assert strengths == pytest.approx(one, abs=1e-8)
        assert eta == pytest.approx(one_eta, abs=1e-8)


def test_a_lopsided_million_matches_still_converges() -> None:
    wins = np.array([[0.0, 1e6, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    strengths, _ = fit(wins, np.zeros((3, 3)))
    assert np.isfinite(strengths).all()
    gradient = np.zeros(3)
    for i in range(3):
        for j in range(3):
            p = 1 / (1 + math.exp(strengths[j] - strengths[i]))
            gradient[i] += (wins[i, j] + wins[j, i]) * p - wins[i, j]
    assert np.abs(gradient + RIDGE * strengths).max() < 1e-6


def test_components() -> None:
    games = np.zeros((5, 5))
    games[0, 3] = games[3, 0] = games[3, 4] = games[4, 3] = 1
    assert components(games) == [[0, 3, 4], [1], [2]]
    assert components(np.ones((3, 3))) == [[0, 1, 2]]
