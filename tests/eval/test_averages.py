"""The average of policies is what a player does that draws one of them for the whole match."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from statistics import mean

import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import policy_aggregator

from arena.players.factory import PlayerFactory
from eval.averages import average_policy, own_past
from eval.exact import evaluate_policy, load_exact_game, tabular
from eval.infostates import Decision, decisions
from eval.policies import Policy, policy_of

KUHN = load_exact_game("kuhn_poker")
FOUND = decisions(KUHN)


def made(bet: Callable[[Decision], float], found: Sequence[Decision] = FOUND) -> Policy:
    """Of Kuhn poker: how often to bet or call."""
    bets = [bet(decision) for decision in found]
    return Policy(probabilities=tuple({0: 1 - b, 1: b} for b in bets), illegal=tuple(0.1 * b for b in bets))


def equilibrium(alpha: float) -> Policy:
    """The first player's equilibrium of this α (0 … ⅓), and the second's (Kuhn 1950)."""
    table = {"0": alpha, "1": 0.0, "2": 3 * alpha, "0pb": 0.0, "1pb": alpha + 1 / 3, "2pb": 1.0}
    table |= {"0p": 1 / 3, "1p": 0.0, "2p": 1.0, "0b": 0.0, "1b": 1 / 3, "2b": 1.0}
    return made(lambda decision: table[decision.key])


def drawn(number: int, found: Sequence[Decision]) -> Policy:
    """Any policy."""
    rng = random.Random(f"average/{number}")
    probabilities = []
    for decision in found:
        weights = {action: rng.random() ** 3 for action in decision.answers}
        probabilities.append({action: weight / sum(weights.values()) for action, weight in weights.items()})
    return Policy(probabilities=tuple(probabilities), illegal=(0.0,) * len(found))


def values(policy: Policy, other: Policy, seat: int) -> float:
    """What `policy` earns in a seat of Kuhn poker against `other`."""
    tables = [tabular(FOUND, other), tabular(FOUND, other)]
    tables[seat] = tabular(FOUND, policy)
    return float(pyspiel.expected_returns(KUHN.pyspiel_game.new_initial_state(), tables, -1, True)[seat])


def test_own_past_holds_the_seats_own_choices_only() -> None:
    pasts = {decision.key: own_past(decision) for decision in FOUND}
    assert pasts["1pb"] == (("1", 0),)  # checked, was bet into
    assert all(past == () for key, past in pasts.items() if not key.endswith("pb"))


def test_by_hand_a_policy_weighs_where_it_comes() -> None:
    always, rarely = made(lambda d: 1.0), made(lambda d: 0.2)
    mixed = average_policy(FOUND, [always, rarely])
    bets = {decision.key: p[1] for decision, p in zip(FOUND, mixed.probabilities, strict=True)}
    assert bets["1"] == pytest.approx(0.6)
    assert bets["1pb"] == pytest.approx(0.2)  # who always bets has never checked before; the plain mean is 0.6
    illegal = {decision.key: p for decision, p in zip(FOUND, mixed.illegal, strict=True)}
    assert illegal["1"] == pytest.approx(0.06)
    assert illegal["1pb"] == pytest.approx(0.02)


def test_where_nobody_comes_stands_the_plain_mean() -> None:
    first, second = made(lambda d: 1.0), made(lambda d: 1.0 if len(d.key) < 3 else 0.0)
    mixed = average_policy(FOUND, [first, second])
    assert {d.key: p[1] for d, p in zip(FOUND, mixed.probabilities, strict=True)}["0pb"] == pytest.approx(0.5)


def test_two_equilibria_average_to_one() -> None:
    mixed = average_policy(FOUND, [equilibrium(0.0), equilibrium(1 / 3)])
    assert evaluate_policy("mixed", lambda _: mixed, "kuhn_poker").nash_conv == pytest.approx(0.0, abs=1e-12)
    assert evaluate_policy("one", lambda _: equilibrium(0.1), "kuhn_poker").nash_conv == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_average_earns_the_mean_against_anybody(seat: int) -> None:
    some = [drawn(number, FOUND) for number in range(4)]
    for number in range(4, 8):
        other = drawn(number, FOUND)
        expected = mean(values(policy, other, seat) for policy in some)
        assert values(average_policy(FOUND, some), other, seat) == pytest.approx(expected, abs=1e-12)


def test_openspiels_aggregation_gives_the_same_policy() -> None:
    some = [drawn(number, FOUND) for number in range(3)]
    rules = KUHN.pyspiel_game
    tables = []
    for policy in some:
        table = spiel_policy.TabularPolicy(rules)
        for decision, p in zip(FOUND, policy.probabilities, strict=True):
            table.action_probability_array[table.state_lookup[decision.key]] = [p[0], p[1]]
        tables.append(table)
    mixed = average_policy(FOUND, some)
    merged = policy_aggregator.PolicyAggregator(rules).aggregate([0, 1], [tables, tables], [[1 / 3] * 3, [1 / 3] * 3])
    for decision, p in zip(FOUND, mixed.probabilities, strict=True):
        theirs = merged.policy[decision.seat][decision.key]
        assert p == pytest.approx(theirs, abs=1e-12)


def test_a_policy_averages_with_itself_to_itself_in_leduc_poker() -> None:
    game = load_exact_game("openspiel/leduc_poker")
    found = decisions(game)
    one = drawn(0, found)
    same = average_policy(found, [one, one])
    assert [dict(p) for p in same.probabilities] == [pytest.approx(dict(p)) for p in one.probabilities]


def test_nothing_has_no_average() -> None:
    with pytest.raises(ValueError, match="at least one policy"):
        average_policy(FOUND, [])


def test_the_solver_is_read_and_averaged() -> None:
    solver = policy_of(PlayerFactory()("solver"), FOUND)
    uniform = policy_of(PlayerFactory()("random"), FOUND)
    conv = evaluate_policy("m", lambda _: average_policy(FOUND, [solver, uniform]), "kuhn_poker").nash_conv
    assert 0.01 < conv < 0.916667
