"""Exact play: known values of known policies."""

from __future__ import annotations

import pytest

from arena.players.factory import PlayerFactory
from eval.exact import evaluate, load_exact_game
from eval.infostates import decisions
from eval.policies import NotScoreableError
from games import GameError


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


def test_every_decision_is_asked_as_in_a_match() -> None:
    found = {(d.seat, d.key): d for d in decisions(load_exact_game("kuhn_poker"), show_legal=False)}
    assert len(found) == 12
    second = found[0, "1pb"]  # a Queen that checked and faces a bet
    assert second.answers == {0: "[fold]", 1: "[call]"}
    assert [exchange.completion.text for exchange in second.history] == ["[check]"]
    assert "Your card: Queen." in second.history[0].user
    assert "Your card" not in second.user
    assert "Player 1 bets." in second.user
    assert "Allowed" not in second.user


def test_a_language_model_is_scored_at_every_decision() -> None:
    found = evaluate(PlayerFactory(model="pocket")("base"), "kuhn_poker", show_legal=False)
    assert found.exact
    assert 0.3 < found.nash_conv < 1.5
    for line in found.policy:
        assert sum(line["answers"].values()) == pytest.approx(1.0)
        assert 0 <= line["illegal"] < 0.5
