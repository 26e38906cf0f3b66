"""Simple negotiation with random values: independent, uniform, over a wide range."""

from __future__ import annotations

from games import get_game
from games.conformance import check_game

GAME = get_game("simple_negotiation-random_value")


def test_values_are_uniform_and_independent():
    values = [value for seed in range(2000) for hand in GAME.new_state(seed).values for value in hand]
    assert (min(values), max(values), len(values)) == (1, 100, 20_000)
    assert abs(sum(values) / len(values) - 50.5) < 1.1  # five standard errors
    assert max(values.count(value) for value in range(1, 101)) < 275  # of 200 expected, five standard deviations
    pairs = [GAME.new_state(seed).values for seed in range(2000)]
    products = [(first[good] - 50.5) * (second[good] - 50.5) for first, second in pairs for good in range(5)]
    assert abs(sum(products) / len(products)) < 5 * 833.25 / len(products) ** 0.5  # no correlation between the seats


def test_it_is_simple_negotiation_otherwise():
    plain = get_game("simple_negotiation")
    assert GAME.spec.id == "simple_negotiation-random_value"
    assert GAME.rules(1) == plain.rules(1).replace("1 to 9", "1 to 100")
    assert GAME.spec.max_turns == plain.spec.max_turns


def test_conforms():
    assert check_game(GAME, seeds=range(5), matches=50) == []
