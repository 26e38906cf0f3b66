"""Kuhn poker: chips move, cards stay hidden, and the values are the known ones."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pyspiel
import pytest
from games_helpers import play, say

from games import Issue, get_game

GAME = get_game("kuhn_poker")
THREE = get_game("kuhn_poker", {"players": 3})


def dealt(first: int, second: int):
    return GAME.state_from_json({"seed": 0, "history": [first, second]})


@pytest.mark.parametrize(
    ("line", "showdown", "chips"),
    [
        ("check check", True, 1),
        ("check bet fold", False, -1),
        ("check bet call", True, 2),
        ("bet fold", False, 1),
        ("bet call", True, 2),
    ],
)
def test_bets_move_chips(line: str, showdown: bool, chips: int):
    """A fold costs the ante, a called loss costs two (fault 1: where they cost the same, never folding is optimal)."""
    for first, second in itertools.permutations(range(3), 2):
        state = dealt(first, second)
        say(state, *(f"[{word}]" for word in line.split()))
        gain = chips if not showdown or first > second else -chips
        assert state.returns() == (gain, -gain)
        assert state.outcome() == ("p0" if gain > 0 else "p1")


def test_first_seats_mean_against_random_is_the_exact_value():
    uniform = pyspiel.UniformRandomPolicy(GAME.pyspiel_game)
    exact = pyspiel.expected_returns(GAME.pyspiel_game.new_initial_state(), [uniform, uniform], -1, True)[0]
    assert exact == pytest.approx(1 / 8)
    games = [play(GAME, seed).returns()[0] for seed in range(4000)]
    mean = sum(games) / len(games)
    error = (sum((value - mean) ** 2 for value in games) / len(games) ** 2) ** 0.5
    assert abs(mean - exact) < 4 * error


def test_the_deal_of_many_seeds_is_uniform():
    deals = [tuple(GAME.new_state(seed).to_json()["history"]) for seed in range(3000)]
    counts = {deal: deals.count(deal) for deal in set(deals)}
    assert len(counts) == 6
    assert all(abs(count - 500) < 100 for count in counts.values())  # five standard deviations


def test_value_at_equilibrium_is_minus_one_eighteenth():
    solver = pyspiel.CFRPlusSolver(GAME.pyspiel_game)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    policy = solver.tabular_average_policy()
    value = pyspiel.expected_returns(GAME.pyspiel_game.new_initial_state(), [policy, policy], -1, True)[0]
    assert value == pytest.approx(-1 / 18, abs=2e-3)


def test_what_a_player_is_told():
    state = dealt(2, 0)
    assert state.observe(0).facts == "Your card: King."
    assert state.observe(0).legal == ("check", "bet")
    say(state, "[check]", "[bet]")
    seen = state.observe(0)
    assert [event.text for event in seen.events] == ["Player 0 checks.", "Player 1 bets."]
    assert (seen.board, seen.ask, seen.legal) == ("", "Your move.", ("fold", "call"))
    assert state.observe(1).facts == "Your card: Jack."
    assert state.render(1) == "Cards  P0:? P1:Jack\nPlayer 0 checks.\nPlayer 1 bets."
    assert state.render(None).startswith("Cards  P0:King P1:Jack\n")


def test_own_card_only():
    """For each seat the two other cards of the opponent give one and the same view, all along every line."""
    for seat, card in itertools.product((0, 1), range(3)):
        others = [other for other in range(3) if other != card]
        deals = [(card, other) if seat == 0 else (other, card) for other in others]
        for length in range(4):
            for actions in itertools.product((0, 1), repeat=length):
                views = set()
                for deal in deals:
                    state = dealt(*deal)
                    for action in actions:
                        if state.to_move():
                            state.step(action)
                    views.add(repr((state.observe(seat), state.render(seat), state.legal(seat))))
                assert len(views) == 1


def test_twelve_information_states_read_differently():
    told = {}
    for first, second in itertools.permutations(range(3), 2):
        for actions in ((), (0,), (1,), (0, 1)):
            state = dealt(first, second)
            for action in actions:
                state.step(action)
            (seat,) = state.to_move()
            seen = state.observe(seat)
            key = state.pyspiel_state.information_state_string(seat)
            told.setdefault((seen.facts, seen.events, seen.board), set()).add(key)
    assert len(told) == 12
    assert all(len(keys) == 1 for keys in told.values())


def test_words_follow_the_situation():
    state = dealt(0, 1)
    assert state.parse(0, "[fold]").issue is Issue.ILLEGAL
    assert state.parse(0, "[call]").issue is Issue.ILLEGAL
    assert state.parse(0, "[raise]").issue is Issue.MALFORMED
    assert state.parse(0, "[pass]").move.answer == "check"
    say(state, "[bet]")
    assert state.parse(1, "[bet]").issue is Issue.ILLEGAL
    assert state.parse(1, "[pass]").move.answer == "fold"


def test_three_players():
    assert THREE.spec.roles == ("first", "second", "third")
    assert THREE.spec.outcomes == ("p0", "p1", "p2")
    assert "Deck, low to high: 10, Jack, Queen, King." in THREE.rules(2)
    state = THREE.state_from_json({"seed": 0, "history": [3, 0, 2]})
    say(state, "[check]", "[bet]", "[fold]", "[call]")
    assert state.returns() == (3.0, -2.0, -1.0)
    assert state.outcome() == "p0"
    for seed in range(500):
        returns = play(THREE, seed, ("random", "greedy", "random")).returns()
        assert sum(returns) == 0
        assert min(returns) >= -2
        assert max(returns) <= 4


def test_rules_are_short_and_follow_the_players():
    for game in (GAME, THREE):
        for seat in range(game.spec.seats):
            rules = game.rules(seat)
            assert f"for {game.spec.seats} players" in rules
            assert rules.endswith(f"You are player {seat}.")
            assert len(rules.split()) <= 80


def test_greedy_plays_its_card_at_face_value():
    greedy = GAME.bots()["greedy"]
    king, jack, queen = dealt(2, 0), dealt(0, 2), dealt(1, 2)
    rng = random.Random(0)
    assert [greedy(state, 0, rng) for state in (king, jack, queen)] == ["[bet]", "[check]", "[check]"]
    for state in (king, jack, queen):
        say(state, "[check]", "[bet]")
    assert (greedy(king, 0, rng), greedy(jack, 0, rng)) == ("[call]", "[fold]")
    assert {greedy(queen, 0, random.Random(seed)) for seed in range(20)} == {"[call]", "[fold]"}


def test_parity_with_openspiel_on_random_trajectories():
    for game in (GAME, THREE):
        for seed in range(1000):
            state = game.new_state(seed)
            reference = game.pyspiel_game.new_initial_state()
            for action in state.to_json()["history"]:
                reference.apply_action(action)
            rng = random.Random(f"parity/{seed}")
            while not reference.is_terminal():
                seat = reference.current_player()
                moves = state.legal(seat)
                assert [move.action for move in moves] == reference.legal_actions()
                move = rng.choice(moves)
                state.apply({seat: move})
                reference.apply_action(move.action)
            assert list(state.returns()) == reference.returns()


def test_forfeits_sum_to_zero_and_never_pay():
    assert GAME.forfeit_returns(1) == (2.0, -2.0)
    assert THREE.forfeit_returns(0) == (-2.0, 1.0, 1.0)
    assert Fraction(sum(THREE.forfeit_returns(2))) == 0
