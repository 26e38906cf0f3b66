"""Liar's dice: the highest face is wild, bids rise, dice stay hidden until someone says liar."""

from __future__ import annotations

import random

import pyspiel
import pytest
from games_helpers import play, say

from games import Issue, ParameterError, get_game
from games.conformance import check_game
from games.liars_dice import chance_of

GAME = get_game("liars_dice")
SMALL = get_game("liars_dice", {"dice_sides": 3})
PAIR = get_game("liars_dice", {"numdice": 2, "dice_sides": 6})


def rolled(game, *faces: int):
    return game.state_from_json({"seed": 0, "history": [face - 1 for face in faces]})


@pytest.mark.parametrize(
    ("faces", "bids", "winner"),
    [
        ((3, 5), "1 die of 3", 0),
        ((3, 5), "1 die of 5", 0),
        ((3, 5), "1 die of 4", 1),
        ((3, 5), "2 dice of 3", 1),
        ((3, 6), "2 dice of 3", 0),  # a six is wild
        ((6, 6), "2 dice of 1", 0),
        ((6, 3), "2 dice of 6", 1),  # nothing stands in for a six
        ((3, 3), "1 die of 6", 1),
        ((3, 4), "1 die of 3, 2 dice of 4", 0),
    ],
)
def test_worked_rounds(faces: tuple[int, int], bids: str, winner: int):
    state = rolled(GAME, *faces)
    say(state, *(f"[{bid}]" for bid in bids.split(", ")), "[liar]")
    assert state.outcome() == f"p{winner}"
    assert state.returns()[winner] == 1.0
    assert state.observe(0).events[-1].text.endswith(f"player {winner} wins.")


def test_what_is_told_and_when():
    state = rolled(PAIR, 5, 2, 6, 1)
    assert state.observe(0).facts == "Your dice: 2 5."
    assert state.observe(1).facts == "Your dice: 1 6."
    assert "liar" not in state.observe(0).legal
    say(state, "[2 dice of 5]")
    assert [event.text for event in state.observe(1).events] == ["Player 0 bids 2 dice of 5."]
    assert state.observe(1).legal[0] == "2 dice of 6"
    assert state.render(0) == "Dice  P0:2,5 P1:?\nPlayer 0 bids 2 dice of 5."
    say(state, "[liar]")
    assert state.observe(0).events[-1].text == (
        "Player 1 says liar. The dice: player 0 has 2 5, player 1 has 1 6. That makes 2 dice of 5: player 0 wins."
    )


def test_bids_must_rise_and_the_highest_must_be_challenged():
    state = rolled(SMALL, 1, 2)
    assert state.parse(0, "[liar]").issue is Issue.ILLEGAL
    say(state, "[1 die of 3]")
    for low in ("[1 die of 3]", "[1 die of 1]"):
        assert state.parse(1, low).issue is Issue.ILLEGAL
    assert state.parse(1, "[3 dice of 1]").issue is Issue.MALFORMED  # there are only two dice
    say(state, "[2 dice of 3]")
    assert state.observe(0).legal == ("liar",)


@pytest.mark.parametrize(
    "text", ["[2-3]", "[2x3]", "[2 3s]", "[2 Dice of 3s]", "[bid 2 dice of 3]", r"\boxed{2 dice of 3}", "[2 of 3]"]
)
def test_spellings_of_a_bid(text: str):
    assert rolled(GAME, 1, 1).parse(0, text).move.answer == "2 dice of 3"


def test_rules_say_that_the_highest_face_is_wild():
    assert "Face 6 is wild" in GAME.rules(0)
    assert "Face 3 is wild" in SMALL.rules(1)
    assert "2 of all 4 dice show 1 or 6" in PAIR.rules(0)
    assert "for 2 players" in GAME.rules(0)
    with pytest.raises(ParameterError, match="players=3 is outside 2 … 2"):
        get_game("liars_dice", {"players": 3})  # this version of OpenSpiel has two seats only


def test_nash_conv_of_uniform_play():
    loaded = SMALL.pyspiel_game
    assert pyspiel.nash_conv(loaded, pyspiel.UniformRandomPolicy(loaded)) == pytest.approx(1.111111, abs=1e-6)


def test_own_dice_only():
    """For every own die and every line of bids, all dice of the other give one and the same view."""
    for own in (1, 2, 3):
        for line in ((), (0,), (2,), (0, 1), (1, 4), (0, 3, 5)):
            for seat in (0, 1):
                views = set()
                for other in (1, 2, 3):
                    state = rolled(SMALL, *((own, other) if seat == 0 else (other, own)))
                    for action in line:
                        state.step(action)
                    views.add(repr((state.observe(seat), state.render(seat))))
                assert len(views) == 1


def test_greedy_counts_its_own_dice():
    rng = random.Random(0)
    greedy = GAME.bots()["greedy"]
    assert chance_of(GAME, 2, (3,)) == 1.0  # one die of 3, and it has one
    assert chance_of(GAME, 2, (2,)) == pytest.approx(2 / 6)
    assert chance_of(GAME, 11, (6,)) == pytest.approx(1 / 6)
    assert chance_of(PAIR, 8, (3, 4)) == pytest.approx(1 - (4 / 6) ** 2)
    assert greedy(rolled(GAME, 3, 1), 0, rng) == "[1 die of 3]"
    assert greedy(rolled(GAME, 6, 1), 0, rng) == "[1 die of 6]"
    state = rolled(GAME, 3, 1)
    say(state, "[2 dice of 3]")
    assert greedy(state, 1, rng) == "[liar]"


def test_parity_with_openspiel_on_random_trajectories():
    for game in (GAME, SMALL, PAIR):
        for seed in range(150):
            state = play(game, seed, ("random", "greedy"))
            reference = game.pyspiel_game.new_initial_state()
            for action in state.to_json()["history"]:
                assert action in reference.legal_actions()
                reference.apply_action(action)
            assert list(state.returns()) == reference.returns()
            assert state.observe(0).events[-1].text.endswith(f"player {state.outcome()[1]} wins.")


@pytest.mark.parametrize("params", [{}, {"numdice": 2, "dice_sides": 3}, {"numdice": 5}, {"dice_sides": 2}])
def test_conformance(params: dict):
    assert check_game(get_game("liars_dice", params), seeds=range(3), matches=20) == []
