"""Goofspiel: both choose at once, played cards stay hidden where they should, points add up."""

from __future__ import annotations

import itertools

import pytest
from games_helpers import play

from games import Dynamics, Information, Issue, Utility, get_game
from games.conformance import check_game
from games.goofspiel_state import Round

HIDDEN = get_game("goofspiel", {"num_cards": 4, "points_order": "descending"})
OPEN = get_game("goofspiel", {"num_cards": 4, "points_order": "descending", "imp_info": False})


def both(state, first: int, second: int) -> None:
    state.apply({seat: state.parse(seat, f"[{card}]").move for seat, card in enumerate((first, second))})


def test_a_worked_match():
    """Prizes 4 3 2 1: first wins the 4, second the 3, the 2 is tied, and the last cards decide the 1."""
    state = HIDDEN.new_state(0)
    for first, second in ((4, 3), (1, 4), (2, 2)):
        assert state.to_move() == (0, 1)
        both(state, first, second)
    assert state.to_move() == ()  # 3 and 1 are left and play themselves
    assert state.points() == (5, 3)
    assert state.returns() == (1.0, -1.0)
    assert state.outcome() == "p0"
    assert state.measures() == {"payoff/0": 5.0, "payoff/1": 3.0}
    assert [event.text for event in state.observe(1).events] == [
        "Prize 4: you played 3. Player 0 took it.",
        "Prize 3: you played 4. You took it.",
        "Prize 2: you played 2. A tie: nobody takes it.",
        "Prize 1: you played 1. Player 0 took it.",
    ]


def test_what_is_seen_with_hidden_and_with_open_cards():
    hidden, shown = HIDDEN.new_state(0), OPEN.new_state(0)
    for state in (hidden, shown):
        both(state, 2, 1)
    assert hidden.observe(0).board == (
        "Prize now: 3. To come, in this order: 2 1.\nYour cards: 1 3 4. Points: you: 4, player 1: 0."
    )
    assert shown.observe(0).board == (
        "Prize now: 3. To come, in this order: 2 1.\nYour cards: 1 3 4. Player 1's cards: 2 3 4. "
        "Points: you: 4, player 1: 0."
    )
    assert hidden.observe(0).events[-1].text == "Prize 4: you played 2. You took it."
    assert shown.observe(0).events[-1].text == "Prize 4: you played 2 and player 1 played 1. You took it."
    assert "Player 1's cards" not in hidden.render(0)
    assert "Player 1's cards: 2 3 4" in hidden.render(None)
    assert "not the other's card or hand" in HIDDEN.rules(0)
    assert "both cards are shown" in OPEN.rules(0)


def test_choices_are_made_alone():
    """What one seat may say, and what it reads as, is the same whatever the other has in mind; cards are used up."""
    state = HIDDEN.new_state(0)
    before = state.parse(1, "[3]")
    state.parse(0, "[4]")
    assert state.parse(1, "[3]") == before
    both(state, 4, 3)
    assert state.parse(0, "[4]").issue is Issue.ILLEGAL
    assert state.parse(1, "[4]").issue is Issue.OK
    assert state.parse(1, "[5]").issue is Issue.MALFORMED


def test_hidden_cards_never_show():
    """All pairs of cards of the other that take the same prizes look the same."""
    for mine in itertools.permutations(range(1, 5), 2):
        views: dict[tuple, set[str]] = {}
        for other in itertools.permutations(range(1, 5), 2):
            state = HIDDEN.new_state(0)
            for pair in zip(mine, other, strict=True):
                both(state, *pair)
            won = tuple((a > b) - (a < b) for a, b in zip(mine, other, strict=True))
            views.setdefault(won, set()).add(repr((state.observe(0), state.render(0))))
        assert all(len(seen) == 1 for seen in views.values())


def every_end(game):
    waiting = [game.new_state(0)]
    while waiting:
        state = waiting.pop()
        if not state.to_move():
            yield state
            continue
        for pair in itertools.product(state.hand(0), state.hand(1)):
            child = state.clone()
            both(child, *pair)
            waiting.append(child)


@pytest.mark.parametrize("returns_type", ["win_loss", "point_difference", "total_points"])
def test_bounds_are_exact_and_points_are_openspiels(returns_type: str):
    game = get_game("goofspiel", {"num_cards": 4, "points_order": "ascending", "returns_type": returns_type})
    ends = list(every_end(game))
    assert len(ends) == 24**2
    values = [value for state in ends for value in state.returns()]
    assert (min(values), max(values)) == (game.spec.min_return, game.spec.max_return)
    for state in ends:
        first, second = state.points()
        lead = first - second
        expected = {
            "win_loss": ((lead > 0) - (lead < 0), (lead < 0) - (lead > 0)),
            "point_difference": (lead / 2, -lead / 2),
            "total_points": (first, second),
        }
        assert state.returns() == expected[returns_type]
        assert state.outcome() == ("draw" if lead == 0 else "p0" if lead > 0 else "p1")


def test_declared_facts():
    assert (HIDDEN.spec.dynamics, HIDDEN.spec.information) == (Dynamics.SIMULTANEOUS, Information.IMPERFECT)
    assert OPEN.spec.information is Information.PERFECT
    assert HIDDEN.spec.max_turns == 6
    assert get_game("goofspiel", {"returns_type": "total_points"}).spec.utility is Utility.GENERAL_SUM
    assert get_game("goofspiel").spec.params["imp_info"] is True
    assert Round(prize=3, cards=(2, 2)).winner is None


def test_prizes_are_drawn_from_the_seed():
    game = get_game("goofspiel", {"num_cards": 4})
    first = {game.new_state(seed).played()[1] for seed in range(50)}
    assert first == {1, 2, 3, 4}


def test_greedy_bids_what_the_prize_is_worth():
    greedy = HIDDEN.bots()["greedy"]
    state = HIDDEN.new_state(0)
    assert greedy(state, 0, None) == "[4]"
    both(state, 4, 3)
    assert (greedy(state, 0, None), greedy(state, 1, None)) == ("[3]", "[4]")
    both(state, 3, 4)
    assert (greedy(state, 0, None), greedy(state, 1, None)) == ("[2]", "[2]")


def test_parity_with_openspiel_on_random_trajectories():
    for params in ({}, {"num_cards": 6, "imp_info": False}, {"num_cards": 13, "returns_type": "point_difference"}):
        game = get_game("goofspiel", params)
        for seed in range(60):
            state = play(game, seed, ("random", "greedy"))
            reference = game.pyspiel_game.new_initial_state()
            history = list(state.to_json()["history"])
            while not reference.is_terminal():
                if reference.is_chance_node():
                    reference.apply_action(history.pop(0))
                else:
                    joint, history = history[:2], history[2:]
                    assert all(action in reference.legal_actions(seat) for seat, action in enumerate(joint))
                    reference.apply_actions(joint)
            assert history == []
            assert list(state.returns()) == reference.returns()
            shown = reference.observation_string(0)
            assert f"Points: {state.points()[0]} {state.points()[1]} " in shown


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"num_cards": 2},
        {"num_cards": 13},
        {"imp_info": False},
        {"points_order": "ascending", "returns_type": "total_points"},
    ],
)
def test_conformance(params: dict):
    assert check_game(get_game("goofspiel", params), seeds=range(3), matches=20) == []
