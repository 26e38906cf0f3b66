"""Bargaining: splits add up, worths stay private, and what one gets is what one is paid."""

from __future__ import annotations

import random

import pytest
from games_helpers import play, say

from games import IllegalMoveError, Information, Issue, Move, ParameterError, Utility, get_game
from games.bargaining import INSTANCES, instances
from games.bargaining_state import BargainingState
from games.bargaining_text import amounts, keep_answer, read_keep
from games.conformance import check_game

GAME = get_game("bargaining")
SMALL = get_game("bargaining-small_pools")


def first_instance() -> BargainingState:
    """Pool of 1 book, 2 hats, 3 balls, worth 8, 1, 0 to the opener and 4, 0, 2 to the responder."""
    return GAME.state_from_json({"seed": 0, "history": [0]})


def test_declared_facts():
    spec = GAME.spec
    assert (spec.utility, spec.information) == (Utility.GENERAL_SUM, Information.IMPERFECT)
    assert (spec.min_return, spec.max_return, spec.max_turns) == (0.0, 10.0, 10)
    assert spec.outcomes == ("p0", "p1", "draw", "no_deal")
    assert "5 to 7 items" in GAME.rules(0)
    assert "3 to 4 items" in SMALL.rules(1)
    assert len(GAME.rules(0).split()) <= 100


@pytest.mark.parametrize(
    ("replies", "returns", "outcome"),
    [
        (("[Keep: 1 book]", "[Accept]"), (8.0, 6.0), "p0"),
        (("[Keep: 2 hats, 3 balls]", "[Accept]"), (2.0, 4.0), "p1"),
        (("[Keep: 1 book, 2 hats, 3 balls]", "[Keep: 3 balls]", "[Accept]"), (10.0, 6.0), "p0"),
        (("[Keep: nothing]", "[Keep: 1 book, 3 balls]", "[Accept]"), (2.0, 10.0), "p1"),
    ],
)
def test_each_is_paid_what_it_gets(replies: tuple[str, ...], returns: tuple[float, float], outcome: str):
    state = first_instance()
    say(state, *replies)
    assert state.returns() == returns
    assert state.outcome() == outcome
    assert state.measures() == {"payoff/0": returns[0], "payoff/1": returns[1], "agreement": 1.0}


def test_no_deal_pays_nothing_and_is_an_outcome_of_its_own():
    state = first_instance()
    say(state, *["[Keep: 1 book]"] * 10)
    assert state.to_move() == ()
    assert (state.returns(), state.outcome()) == ((0.0, 0.0), "no_deal")
    assert state.measures()["agreement"] == 0.0


def test_the_last_turn_can_still_accept():
    state = first_instance()
    say(state, *["[Keep: 1 book]"] * 9, "[Accept]")
    assert state.returns() == (8.0, 6.0)


def test_what_a_player_is_told():
    state = first_instance()
    assert state.observe(0).facts == "The pool: 1 book, 2 hats, 3 balls. Worth to you: book 8, hat 1, ball 0."
    assert state.observe(1).facts == "The pool: 1 book, 2 hats, 3 balls. Worth to you: book 4, hat 0, ball 2."
    assert (state.observe(0).board, state.observe(0).ask, state.observe(1).ask) == ("", "Turn 1 of 10.", "")
    assert state.observe(0).legal is None
    say(state, "[Keep: 1 book, 1 hat]")
    assert state.observe(1).events[-1].text == ("Player 0 would keep 1 book, 1 hat; player 1 would get 1 hat, 3 balls.")
    assert state.observe(1).board == (
        "The other's last proposal: you get 1 hat, 3 balls (worth 6), the other gets 1 book, 1 hat."
    )
    assert state.observe(0).board == (
        "Your last proposal: you get 1 book, 1 hat (worth 9), the other gets 1 hat, 3 balls."
    )
    before = state.observe(0).board
    say(state, "[Accept]")
    assert state.observe(0).board == before
    assert state.observe(0).events[-1].text == "Player 1 accepts."


@pytest.mark.parametrize(
    ("reply", "issue", "hint"),
    [
        ("[Accept]", Issue.ILLEGAL, "There is no proposal to accept yet"),
        ("[Keep: 2 books]", Issue.ILLEGAL, "You cannot keep 2 books: the pool holds 1 book, 2 hats, 3 balls."),
        ("[Keep: -1 books]", Issue.MALFORMED, "'-1 books' is not a number of items."),
        ("[Keep: 1.5 hats]", Issue.MALFORMED, "'1.5 hats' is not a number of items."),
        ("[Keep: ١ hat]", Issue.MALFORMED, "is not a number of items."),
        ("[Keep: 1 sheep]", Issue.MALFORMED, "'sheep' is not in the pool"),
        ("[Keep: 1 hat, 1 hat]", Issue.MALFORMED, "There is more than one number of hats."),
        ("[Keep: ]", Issue.MALFORMED, "is not a number of items."),
        ("[Offer: 1 hat]", Issue.MALFORMED, "is neither [Keep: …] nor [Accept]. Write what you would keep"),
        ("[Keep: 1 hat] or [Keep: 2 hats]", Issue.MALFORMED, "more than one answer"),
        ("I keep the book.", Issue.NO_ANSWER, "for example [Keep: 1 book, 1 hat]"),
    ],
)
def test_refused_replies_say_why(reply: str, issue: Issue, hint: str):
    parsed = first_instance().parse(0, reply)
    assert parsed.issue is issue
    assert hint in parsed.hint


@pytest.mark.parametrize(
    "reply",
    [
        "[Keep: 1 book, 2 hats]",
        "[keep 2 hats and 1 book]",
        "[KEEP: 1 BOOK, 2 HATS, 0 BALLS.]",
        "\\boxed{\\text{Keep: 1 book, 2 hats}}",
        "[I keep: 1 book + 2 hat]",
        "Not [Keep: 1 book]. Rather [Keep: 1 book, 2x hats, 0 basketballs].",
    ],
)
def test_tolerated_spellings(reply: str):
    move = first_instance().parse(0, reply).move
    assert move is not None
    assert (move.answer, GAME.actions[1, 2, 0]) == ("Keep: 1 book, 2 hats", move.action)


def test_every_split_reads_as_itself():
    for split in GAME.actions:
        assert read_keep(keep_answer(split)) == split
    assert amounts((0, 0, 0)) == "nothing"
    assert amounts((0, 1, 2), zeros=True) == "0 books, 1 hat, 2 balls"


def test_a_seat_does_not_accept_its_own_proposal():
    """Fault 8: the proposer is never asked about its own proposal, and a countered one is gone."""
    state = first_instance()
    say(state, "[Keep: 1 book]")
    with pytest.raises(IllegalMoveError, match="player 1 is to move"):
        state.apply({0: Move(answer="Accept")})
    say(state, "[Keep: 1 book, 3 balls]", "[Accept]")
    assert state.returns() == (2.0, 10.0)


@pytest.mark.parametrize("game", [GAME, SMALL], ids=["standard", "small"])
def test_parity_with_openspiel_on_random_trajectories(game):
    for seed in range(200):
        state = play(game, seed, ("random", "greedy"))
        assert isinstance(state, BargainingState)
        reference = game.pyspiel_game.new_initial_state()
        replayed = None
        for action in state.to_json()["history"]:
            assert action in reference.legal_actions()
            reference.apply_action(action)
            replayed = game.state_from_json({"seed": 0, "history": reference.history()})
            if replayed.to_move():
                seat = reference.current_player()
                answers = replayed.answers(seat)
                assert list(answers) == reference.legal_actions()
                for number, answer in answers.items():
                    assert replayed.parse(seat, f"[{answer}]").move == Move(answer=answer, action=number)
        assert list(state.returns()) == reference.returns() == list(replayed.returns())


def test_small_pools_are_made_by_the_same_rules():
    lines = instances(3, 4)
    assert lines == instances(3, 4)
    assert len(lines) == INSTANCES
    for line in lines:
        pool, first, second = (tuple(map(int, part.split(","))) for part in line.split())
        assert 3 <= sum(pool) <= 4
        assert min(pool) >= 1
        for worth in (first, second):
            assert sum(units * each for units, each in zip(pool, worth, strict=True)) == 10
        assert all(a or b for a, b in zip(first, second, strict=True))
        assert any(a and b for a, b in zip(first, second, strict=True))


def test_greedy_gives_way_and_two_of_them_agree():
    state = first_instance()
    greedy, rng = GAME.bots()["greedy"], random.Random(0)
    assert greedy(state, 0, rng) == "[Keep: 1 book, 2 hats]"  # all of its worth
    deals = [play(GAME, seed, ("greedy", "greedy")).returns() for seed in range(100)]
    assert all(min(pair) >= 1 for pair in deals)
    assert sum(map(sum, deals)) / len(deals) > 12  # more than half of all there is: items go where they are wanted
    least = [play(GAME, seed, ("greedy", "random")).returns() for seed in range(200)]
    assert sum(a for a, _ in least) > sum(b for _, b in least)


def test_impossible_parameters_are_refused():
    with pytest.raises(ParameterError, match="items_low=7, items_high=6; items_low must not exceed"):
        get_game("bargaining", {"items_low": 7, "items_high": 6})
    with pytest.raises(ParameterError, match="items_high=8 is outside 3 … 7"):
        get_game("bargaining", {"items_high": 8})


@pytest.mark.parametrize(
    ("name", "params"), [("bargaining", {}), ("bargaining-small_pools", {}), ("bargaining", {"turns": 3})]
)
def test_conformance(name: str, params):
    assert check_game(get_game(name, params), seeds=range(3), matches=20) == []
