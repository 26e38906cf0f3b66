"""Iterated two-choice games: payoffs are kept, choices are made in the dark, and nobody knows the last round."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from games_helpers import play

from games import Dynamics, GameOverError, IllegalMoveError, Issue, Move, ParameterError, Utility, get_game
from games.conformance import check_game
from games.iterated_prisoners_dilemma_state import DilemmaState

GAME = get_game("iterated_prisoners_dilemma")
QUIET = get_game("iterated_prisoners_dilemma", {"talk": 0, "rounds_low": 3, "rounds_high": 3})
LETTERS = {"C": "Cooperate", "D": "Defect"}


def chosen(state, first: str, second: str) -> None:
    state.apply({0: state.parse(0, f"[{first}]").move, 1: state.parse(1, f"[{second}]").move})


def played(*rounds: str):
    state = QUIET.new_state(0)
    for pair in rounds:
        chosen(state, *(LETTERS[letter] for letter in pair))
    return state


@pytest.mark.parametrize(
    ("rounds", "returns", "outcome"),
    [
        (("CC", "CC", "CC"), (3.0, 3.0), "draw"),
        (("DD", "DD", "DD"), (1.0, 1.0), "draw"),
        (("DC", "DC", "DC"), (5.0, 0.0), "p0"),
        (("CC", "CD", "DD"), (4 / 3, 3.0), "p1"),
        (("DC", "CD", "CC"), (8 / 3, 8 / 3), "draw"),
    ],
)
def test_payoffs_are_kept(rounds: tuple[str, ...], returns: tuple[float, float], outcome: str):
    """Fault 5: two that cooperate must not look like two that defect."""
    state = played(*rounds)
    assert state.returns() == pytest.approx(returns)
    assert state.outcome() == outcome
    assert state.measures()["payoff/0"] == pytest.approx(returns[0] * 3)
    assert state.measures()["first_choice/1"] == sum(pair[1] == "C" for pair in rounds) / 3
    assert state.measures()["rounds"] == 3


def test_declared_facts():
    assert (GAME.spec.utility, GAME.spec.dynamics) == (Utility.GENERAL_SUM, Dynamics.SIMULTANEOUS)
    assert (GAME.spec.min_return, GAME.spec.max_return, GAME.spec.max_turns) == (0.0, 5.0, 32)
    assert len(GAME.rules(0).split()) <= 100


def test_the_horizon_is_uniform_and_ends_the_match():
    drawn = Counter(GAME.new_state(seed).horizon for seed in range(2000))
    assert set(drawn) == {4, 5, 6, 7, 8}
    assert all(abs(count - 400) < 90 for count in drawn.values())  # five standard deviations
    for seed in range(50):
        state = play(GAME, seed)
        assert isinstance(state, DilemmaState)
        assert state.round == state.horizon
        with pytest.raises(GameOverError):
            state.apply({0: Move(answer="Defect"), 1: Move(answer="Defect")})


def test_nobody_is_told_the_horizon():
    """Two matches of other horizons look the same to both seats up to the end of the shorter."""
    short, long = (next(s for s in map(GAME.new_state, range(99)) if s.horizon == n) for n in (4, 8))
    while short.to_move():
        for seat in (0, 1):
            assert short.observe(seat) == long.observe(seat)
            assert short.render(seat) == long.render(seat)
        reply = "Hello." if short.talking else "[Defect]"
        for state in (short, long):
            state.apply({seat: state.parse(seat, reply).move for seat in (0, 1)})
    assert long.to_move() == (0, 1)


def test_messages_and_choices_are_told_when_all_are_in():
    state = GAME.new_state(0)
    assert state.to_move() == (0, 1)
    assert state.legal(0) is None
    assert state.observe(0).ask == "Round 1: send a message."
    state.apply({0: state.parse(0, "I will [Defect].").move, 1: state.parse(1, "Peace.").move})
    said = [(event.speaker, event.text) for event in state.observe(1).events]
    assert said == [(0, "I will [Defect]."), (1, "Peace.")]
    assert state.observe(1).legal == ("Cooperate", "Defect")
    with pytest.raises(IllegalMoveError, match="players 0, 1 are to move"):
        state.apply({0: Move(answer="Defect")})
    chosen(state, "Cooperate", "Defect")
    assert state.observe(0).events[-1].text == (
        "Round 1: player 0 chose Cooperate, player 1 chose Defect; points 0 and 5."
    )
    assert state.observe(0).board == "Points: you 0, the other 5. Last round: you Cooperate, the other Defect."
    assert state.observe(1).board == "Points: you 5, the other 0. Last round: you Defect, the other Cooperate."


def test_replies():
    state = QUIET.new_state(0)
    assert state.parse(0, "defect").issue is Issue.NO_ANSWER
    assert state.parse(0, "[Betray]").issue is Issue.MALFORMED
    assert state.parse(0, "[Cooperate] or [Defect]").issue is Issue.MALFORMED
    assert state.parse(0, "Not [Cooperate]. So: [DEFECT].").move.answer == "Defect"
    talk = GAME.new_state(0)
    assert talk.parse(0, " \n").issue is Issue.NO_ANSWER
    assert talk.parse(0, "I think that", truncated=True).issue is Issue.TRUNCATED


def test_a_forfeit_costs_the_seat_and_leaves_the_other_what_it_earned():
    assert played().forfeit_returns(0) == (0.0, 0.0)
    assert played("CC", "CC").forfeit_returns(0) == (0.0, 2.0)
    assert played("DC", "DC").forfeit_returns(0) == (0.0, 0.0)
    assert played("CD", "CD").forfeit_returns(0) == pytest.approx((0.0, 10 / 3))


def test_bots():
    rng = random.Random(0)
    greedy, copycat = QUIET.bots()["greedy"], QUIET.bots()["tit_for_tat"]
    for rounds in ((), ("CC",), ("CD",)):
        assert greedy(played(*rounds), 0, rng) == "[Defect]"
    assert [copycat(played(*rounds), 0, rng) for rounds in ((), ("CC",), ("CD",))] == [
        "[Cooperate]",
        "[Cooperate]",
        "[Defect]",
    ]
    hunt = get_game("iterated_prisoners_dilemma-stag_hunt", {"talk": 0})
    state = hunt.new_state(0)
    assert hunt.bots()["greedy"](state, 0, rng) == "[Hare]"  # 4 + 0 against 3 + 2
    chosen(state, "Hare", "Stag")
    assert hunt.bots()["greedy"](state, 0, rng) == "[Stag]"


def test_variants_are_other_games():
    hunt, chicken = (get_game(f"iterated_prisoners_dilemma-{name}") for name in ("stag_hunt", "chicken"))
    assert hunt.table == ((4, 0), (3, 2))
    assert chicken.table == ((3, 1), (5, 0))
    assert (hunt.spec.title, chicken.spec.title) == ("Iterated stag hunt", "Iterated chicken")
    assert "Both Straight: 0 each. Else Straight gets 5 and Swerve gets 1." in chicken.rules(0)


def test_impossible_parameters_are_refused():
    with pytest.raises(ParameterError, match="rounds_low=9, rounds_high=8; rounds_low must not exceed"):
        get_game("iterated_prisoners_dilemma", {"rounds_low": 9})


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"talk": 0},
        {"talk": 2, "rounds_low": 1, "rounds_high": 1},
        {"choices": "Swerve/Straight", "punishment": -10},
    ],
)
def test_conformance(params):
    assert check_game(get_game("iterated_prisoners_dilemma", params), seeds=range(3), matches=20) == []
