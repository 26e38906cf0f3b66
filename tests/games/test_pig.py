"""Pig: every throw is told, scores add up, the horizon ends it, and the known value of holding at 20."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from games_helpers import play, say
from parity import beside_openspiel

from games import Issue, get_game
from games.conformance import check_game
from games.pig import PigState, hold_at

GAME = get_game("pig")


def stored(*actions: int, **params: int | bool) -> PigState:
    """After decisions (0 roll, 1 stop) and throws (face less one) in their order."""
    state = get_game("pig", params).state_from_json({"seed": 0, "history": list(actions)})
    assert isinstance(state, PigState)
    return state


def texts(state: PigState) -> list[str]:
    return [event.text for event in state.observe(0).events]


def test_throws_are_told_and_add_up():
    state = stored(0, 4, 0, 2, 1, 0, 5)
    assert texts(state) == [
        "Player 0 rolls 5.",
        "Player 0 rolls 3.",
        "Player 0 stops and adds 8: 8 in all.",
        "Player 1 rolls 6.",
    ]
    assert state.observe(1).events == state.observe(0).events
    assert state.board(0) == "Scores: you have 8, player 1 has 0. Total of this turn: 6."
    assert state.board(1) == "Scores: player 0 has 8, you have 0. Total of this turn: 6."
    assert state.to_move() == (1,)


def test_a_one_takes_the_turn_and_its_total():
    state = stored(0, 4, 1, 0, 5, 0, 0)
    assert texts(state)[-1] == "Player 1 rolls 1 and gets nothing this turn."
    assert (state.scores, state.turn_total, state.to_move()) == ([5, 0], 0, (0,))


def test_who_has_enough_can_only_stop_and_wins():
    state = stored(0, 5, 0, 3, winscore=10)
    assert state.to_move() == (0,)
    assert state.observe(0).legal == ("stop",)
    assert state.parse(0, "[roll]").issue is Issue.ILLEGAL
    say(state, "[stop]")
    assert state.to_move() == ()
    assert (state.outcome(), state.returns()) == ("p0", (1.0, -1.0))


def test_spellings():
    state = GAME.new_state(0)
    assert state.parse(0, "[hold]").move.answer == state.parse(0, "[Stop]").move.answer == "stop"
    for text in ("[roll again]", "[rol]", "[roll or stop]", "[0]", "[roll twice]"):
        assert state.parse(0, text).issue is Issue.MALFORMED, text


def test_the_horizon_ends_it_as_a_draw_and_is_announced():
    state = stored(0, 5, 0, 5, 0, 5, horizon=4)
    assert state.board(0).endswith("Total of this turn: 18. Decisions left: 1.")
    say(state, "[roll]")
    assert state.to_move() == ()
    assert texts(state)[-1] == "Player 0 would roll, but time is up."
    assert (state.outcome(), state.returns()) == ("draw", (0.0, 0.0))
    last = stored(0, 5, 0, 5, 0, 5, horizon=4, winscore=18)
    say(last, "[stop]")
    assert (last.outcome(), texts(last)[-1]) == ("p0", "Player 0 stops and adds 18: 18 in all.")
    assert "Decisions left" not in stored(horizon=21).board(0)
    assert stored(horizon=20).board(0).endswith("Decisions left: 20.")


def test_piglet_counts_rolls():
    state = stored(0, 1, 0, 1, piglet=True)
    assert texts(state) == ["Player 0 rolls no 1.", "Player 0 rolls no 1."]
    assert state.turn_total == 2
    assert "each roll adds 1 to the total" in state.game.rules(0)
    assert "each roll is added to the total" in GAME.rules(0)


@pytest.mark.parametrize(
    "params",
    [
        {"players": 2, "winscore": 100, "diceoutcomes": 6, "horizon": 1000, "piglet": False},
        {"players": 3, "winscore": 20, "diceoutcomes": 4, "horizon": 60, "piglet": False},
        {"players": 5, "winscore": 6, "diceoutcomes": 3, "horizon": 1000, "piglet": True},
        {"players": 10, "winscore": 12, "diceoutcomes": 2, "horizon": 150, "piglet": False},
    ],
)
def test_parity_with_openspiel(params: dict[str, int]):
    """Scores are kept beside OpenSpiel's; here both are compared at every decision."""
    ends: Counter[str] = Counter()
    for state, reference in beside_openspiel("pig", params, 40):
        shown = str(reference).split("\n")[0]
        assert shown == f"Scores: {' '.join(map(str, state.scores))}, Turn total: {state.turn_total}"
        assert len(texts(state)) == state.decisions
        assert state.decisions_left() == params["horizon"] - state.decisions
        if reference.is_terminal():
            ends[state.outcome()] += 1
            winners = [seat for seat, score in enumerate(state.scores) if score >= params["winscore"]]
            assert state.outcome() == (f"p{winners[0]}" if winners else "draw")
            share = -1 / (params["players"] - 1)
            if winners:
                assert state.returns() == pytest.approx(
                    [1.0 if s in winners else share for s in range(len(state.scores))]
                )
            else:
                assert state.decisions == params["horizon"]
    assert sum(ends.values()) == 40


def test_throws_are_uniform_and_belong_to_the_seed():
    faces: Counter[str] = Counter()
    for seed in range(1200):
        state = GAME.new_state(seed)
        say(state, "[roll]")
        faces[texts(state)[0].split("rolls ")[1][0]] += 1
    assert set(faces) == set("123456")
    assert all(abs(count - 200) < 65 for count in faces.values())  # five standard deviations
    one, two = play(GAME, 7), play(GAME, 7)
    assert one.observe(0) == two.observe(0)
    assert one.observe(0) != play(GAME, 8).observe(0)


def test_a_turn_held_at_twenty_is_worth_what_is_known():
    """Neller and Presser: 8.14 on average, and nothing with a chance of 0.6245."""
    greedy = GAME.bots()["greedy"]
    gains = []
    for seed in range(3000):
        state = GAME.new_state(seed)
        while state.to_move() == (0,):
            say(state, greedy(state, 0, random.Random(0)))
        gains.append(state.scores[0])
    assert abs(sum(gains) / len(gains) - 8.14) < 5 * 10.6 / 3000**0.5
    assert abs(gains.count(0) / len(gains) - 0.6245) < 5 * (0.6245 * 0.3755 / 3000) ** 0.5
    assert set(gains) <= {0, *range(20, 26)}


def test_the_greedy_rule_of_thumb():
    assert hold_at(GAME.spec.params) == 20
    assert hold_at({"diceoutcomes": 2, "piglet": False}) == 2
    assert hold_at({"diceoutcomes": 6, "piglet": True}) == 5
    greedy = GAME.bots()["greedy"]
    rng = random.Random(0)
    assert greedy(stored(0, 5, 0, 5, 0, 5), 0, rng) == "[roll]"
    assert greedy(stored(0, 5, 0, 5, 0, 5, 0, 1), 0, rng) == "[stop]"
    assert greedy(stored(0, 5, winscore=6), 0, rng) == "[stop]"
    assert sum(play(GAME, seed, ("random", "greedy")).outcome() == "p1" for seed in range(20)) >= 18
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, rng)


@pytest.mark.parametrize(
    "params", [{}, {"players": 4, "winscore": 20, "horizon": 30}, {"piglet": True, "diceoutcomes": 2, "winscore": 5}]
)
def test_conformance(params: dict[str, int]):
    assert check_game(get_game("pig", params), seeds=range(3), matches=15) == []
