"""Exact play: known values of known policies, and the conversations in which a model is scored."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from statistics import mean, stdev

import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import exploitability

from arena.engine import Conversation, play_match
from arena.players.factory import PlayerFactory
from arena.types import MatchSpec
from eval.exact import evaluate, evaluate_policy, load_exact_game
from eval.infostates import Decision, GameTooLargeError, decisions, shared_keys
from eval.policies import NotScoreableError, Policy
from games import GameError, get_game

Talk = tuple[str, str, tuple[tuple[str, str], ...]]


def told(decision: Decision) -> Talk:
    """All that a player is told at a decision, and what it replied before."""
    return decision.system, decision.user, tuple((e.user, e.completion.text) for e in decision.history)


def test_the_uniform_player_in_kuhn_poker() -> None:
    found = evaluate(PlayerFactory()("random"), "kuhn_poker")
    assert found.nash_conv == pytest.approx(0.916667, abs=1e-6)
    assert found.values == pytest.approx((0.125, -0.125))
    assert found.information_states == 12
    assert found.illegal_mean == found.illegal_max == 0.0


def test_the_solver_in_kuhn_poker_is_unbeatable_and_worth_minus_one_eighteenth() -> None:
    found = evaluate(PlayerFactory()("solver"), "kuhn_poker")
    assert found.nash_conv < 0.01
    assert found.values[0] == pytest.approx(-1 / 18, abs=1e-3)
    assert sum(found.best_responses) == pytest.approx(found.nash_conv, abs=1e-9)


def test_the_uniform_player_in_leduc_poker() -> None:
    assert evaluate(PlayerFactory()("random"), "openspiel/leduc_poker").nash_conv == pytest.approx(4.747222, abs=1e-6)


@pytest.mark.parametrize("number", range(3))
def test_any_policy_gets_the_value_of_openspiels_python_code(number: int) -> None:
    rng = random.Random(f"policy/{number}")
    rules = load_exact_game("kuhn_poker").pyspiel_game
    table = spiel_policy.TabularPolicy(rules)

    def source(found: Sequence[Decision]) -> Policy:
        bets = [rng.random() for _ in found]
        for decision, bet in zip(found, bets, strict=True):
            table.action_probability_array[table.state_lookup[decision.key]] = [1 - bet, bet]
        return Policy(probabilities=tuple({0: 1 - bet, 1: bet} for bet in bets), illegal=(0.0,) * len(found))

    found = evaluate_policy("drawn", source, "kuhn_poker")
    assert found.player == "drawn"
    assert found.nash_conv == pytest.approx(exploitability.nash_conv(rules, table), abs=1e-12)


def test_a_bot_is_asked_and_marked_as_estimated() -> None:
    found = evaluate(PlayerFactory()("greedy"), "kuhn_poker")
    assert not found.exact
    king = next(line for line in found.policy if line["state"] == "2")
    assert king["answers"] == {"check": 0.0, "bet": pytest.approx(1.0)}


def test_tree_search_gives_no_probabilities() -> None:
    with pytest.raises(NotScoreableError, match="mcts:10 gives no probabilities"):
        evaluate(PlayerFactory()("mcts:10"), "kuhn_poker")


def test_games_outside_openspiel_are_refused() -> None:
    with pytest.raises(GameError, match="not played on OpenSpiel's rules"):
        load_exact_game("simple_negotiation")


@pytest.mark.parametrize("game", ["openspiel/tic_tac_toe", "openspiel/chess"])
def test_games_that_are_too_large_are_refused_soon(game: str) -> None:
    with pytest.raises(GameTooLargeError, match=f"{game} is too large for exact play"):
        decisions(load_exact_game(game))


def test_seats_with_equally_named_information_states_are_found() -> None:
    assert shared_keys([(0, "a"), (1, "b"), (1, "a"), (0, "c"), (2, "a")]) == ["a"]
    assert shared_keys([(0, "a"), (0, "a"), (1, "b")]) == []


def test_every_decision_is_asked_as_in_a_match() -> None:
    found = {(d.seat, d.key): d for d in decisions(load_exact_game("kuhn_poker"))}
    assert len(found) == 12
    second = found[0, "1pb"]  # a Queen that checked and faces a bet
    assert second.answers == {0: "[fold]", 1: "[call]"}
    assert [exchange.completion.text for exchange in second.history] == ["[check]"]
    assert "Your card: Queen." in second.history[0].user
    assert "Your card" not in second.user
    assert "Player 1 bets." in second.user
    assert "Allowed" not in second.user


@pytest.mark.parametrize("show_legal", [False, True])
def test_the_engine_asks_exactly_these_questions(show_legal: bool) -> None:
    random_player = PlayerFactory()("random")
    met: set[Talk] = set()
    for seed in range(120):
        spec = MatchSpec(game="kuhn_poker", seed=seed, players=("random", "random"), show_legal=show_legal)
        record = asyncio.run(play_match(spec, [random_player, random_player], game=get_game("kuhn_poker")))
        talks: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
        for turn in record.turns:
            attempt = turn.attempts[0]
            met.add((record.systems[turn.seat], attempt.user, tuple(talks[turn.seat])))
            talks[turn.seat].append((attempt.user, attempt.completion.text))
    assert met == {told(d) for d in decisions(load_exact_game("kuhn_poker"), show_legal=show_legal)}
    assert len(met) == 12


def test_histories_that_a_seat_cannot_tell_apart_are_told_alike() -> None:
    """A seat is scored once for all of them, which is right only if the text gives nothing away."""
    game = load_exact_game("kuhn_poker")
    told_at = {(d.seat, d.key): told(d)[1] for d in decisions(game)}
    count = Counter[tuple[int, str]]()
    for cards in [(a, b) for a in range(3) for b in range(3) if a != b]:
        for line in ([], [0], [1], [0, 1]):
            state = game.state_from_json({"seed": 0, "history": [*cards, *line]})
            (seat,) = state.to_move()
            talk = Conversation(game, seat)
            for length in range(len(line)):
                before = game.state_from_json({"seed": 0, "history": [*cards, *line[:length]]})
                if before.to_move() == (seat,):
                    talk.question(before, show_legal=False)
            key = (seat, state.pyspiel_state.information_state_string(seat))
            assert talk.question(state, show_legal=False) == told_at[key]
            count[key] += 1
    assert set(count.values()) == {2}
    assert len(count) == 12


def test_a_language_model_is_scored_at_every_decision() -> None:
    found = evaluate(PlayerFactory(model="pocket")("base"), "kuhn_poker")
    assert found.exact
    assert 0.2 < found.nash_conv < 1.5
    for line in found.policy:
        assert sum(line["answers"].values()) == pytest.approx(1.0)
        assert 0 <= line["illegal"] < 0.5


def test_sampled_play_agrees_with_the_scored_policy() -> None:
    player = PlayerFactory(model="pocket")("base")
    scored = evaluate(player, "kuhn_poker")

    async def play() -> list[float]:
        specs = [
            MatchSpec(game="kuhn_poker", seed=seed, players=("base", "base"), show_legal=False) for seed in range(1500)
        ]
        records = await asyncio.gather(*(play_match(spec, [player, player]) for spec in specs))
        return [record.returns[0] for record in records if record.ended == "terminal"]

    returns = asyncio.run(play())
    assert len(returns) >= 1490  # replies outside the rules are rare, and retried
    error = stdev(returns) / len(returns) ** 0.5
    assert abs(mean(returns) - scored.values[0]) < 3 * error
