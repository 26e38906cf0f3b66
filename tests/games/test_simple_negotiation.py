"""Simple negotiation: offers, trades, talk, the exact number of turns, and exact gains."""

from __future__ import annotations

import random

import pytest
from games_helpers import play, say

from games import Event, GameOverError, IllegalMoveError, Issue, Move, get_game
from games.negotiation_text import GOODS

GAME = get_game("simple_negotiation")
FIXED = get_game("simple_negotiation", {"stock_low": 3, "stock_high": 3})  # everybody owns 3 of everything


def test_the_deal_comes_from_the_seed_and_keeps_its_bounds():
    deals = set()
    for seed in range(300):
        state = GAME.new_state(seed)
        deals.add((tuple(state.values), tuple(state.stock)))
        assert all(1 <= value <= 9 for values in state.values for value in values)
        assert all(1 <= units <= 5 for stock in state.stock for units in stock)
        assert (GAME.new_state(seed).values, GAME.new_state(seed).stock) == (state.values, state.stock)
    assert len(deals) == 300


def test_what_a_player_is_told():
    state = FIXED.new_state(1)
    say(state, "I have much wood. [Offer: 1 Wood -> 2 Ore]")
    values = ", ".join(f"{good} {value}" for good, value in zip(GOODS, state.values[1], strict=True))
    seen = state.observe(1)
    assert seen.facts == f"Your values: {values}."
    assert seen.events == (
        Event(text="I have much wood.", speaker=0),
        Event(text="Player 0 offers 1 Wood -> 2 Ore."),
    )
    assert seen.board == ("You have Wheat 3, Wood 3, Sheep 3, Brick 3, Ore 3. Open to you: get 1 Wood, give 2 Ore.")
    assert (seen.ask, seen.legal) == ("Turn 2 of 6.", None)
    other = state.observe(0)
    assert (other.ask, other.board) == ("", "You have Wheat 3, Wood 3, Sheep 3, Brick 3, Ore 3.")
    assert other.events == seen.events


def test_a_trade_moves_goods_and_counts_by_own_values():
    state = FIXED.new_state(1)
    state.values = [(1, 2, 3, 4, 5), (9, 8, 7, 6, 5)]
    say(state, "[Offer: 2 Wood -> 1 Ore]", "[Accept]")
    assert state.stock == [(3, 1, 3, 3, 4), (3, 5, 3, 3, 2)]
    assert state.gains() == (5 - 4, 16 - 5)
    assert (state.trades, state.offer) == (1, None)
    say(state, "I wait.", "I wait.", "I wait.", "I wait.")
    assert (state.returns(), state.outcome()) == ((-1.0, 1.0), "p1")


def test_exact_gains_decide_and_equal_gains_draw():
    for values, outcome, returns in (
        ([(7, 5, 1, 1, 1), (4, 6, 1, 1, 1)], "draw", (0.0, 0.0)),  # 7 - 5 against 6 - 4
        ([(8, 5, 1, 1, 1), (4, 6, 1, 1, 1)], "p0", (1.0, -1.0)),  # one more decides
    ):
        state = FIXED.new_state(0)
        state.values = values
        say(state, "[Offer: 1 Wood -> 1 Wheat]", "[Accept]", *["I wait."] * 4)
        assert (state.outcome(), state.returns()) == (outcome, returns)
        assert all(type(gain) is int for gain in state.gains())


def test_no_trade_draws():
    state = FIXED.new_state(0)
    say(state, "[Offer: 1 Wood -> 1 Ore]", "[Deny]", *["I wait."] * 4)
    assert (state.outcome(), state.returns(), state.gains()) == ("draw", (0.0, 0.0), (0, 0))


@pytest.mark.parametrize("turns", [2, 3, 6, 7, 60])
def test_k_turns_are_k(turns: int):
    state = get_game("simple_negotiation", {"turns": turns}).new_state(0)
    movers = []
    while seats := state.to_move():
        movers += seats
        say(state, "I wait.")
    assert movers == [turn % 2 for turn in range(turns)]
    for seat in (0, 1):
        with pytest.raises(GameOverError):
            state.apply({seat: Move(answer="", speech="One more.")})
    assert len(state.to_json()["moves"]) == turns


def test_nobody_accepts_or_denies_without_an_open_offer_of_the_other():
    state = FIXED.new_state(0)
    for reply in ("[Accept]", "[Deny]"):
        assert state.parse(0, reply).issue is Issue.ILLEGAL
    say(state, "[Offer: 1 Wood -> 1 Ore]")
    assert state.parse(0, "[Accept]").issue is Issue.ILLEGAL  # its own offer
    with pytest.raises(IllegalMoveError):
        state.apply({0: Move(answer="Accept")})
    assert state.stock == [(3,) * 5, (3,) * 5]


@pytest.mark.parametrize("killer", ["[Deny]", "[Offer: 1 Brick -> 1 Sheep]", "Let me think."])
def test_an_offer_does_not_outlive_its_answer(killer: str):
    state = FIXED.new_state(0)
    say(state, "[Offer: 1 Wood -> 1 Ore]", killer)
    say(state, "[Deny]" if "Offer" in killer else "Hm.")
    assert state.parse(1, "[Accept]").issue is Issue.ILLEGAL
    assert state.view(1).offer is None
    with pytest.raises(IllegalMoveError, match="no open offer"):
        state.apply({1: Move(answer="Accept")})


def test_an_accepted_offer_cannot_be_accepted_again():
    state = FIXED.new_state(0)
    say(state, "[Offer: 1 Wood -> 1 Ore]", "[Accept]", "Again?")
    assert state.parse(1, "[Accept]").issue is Issue.ILLEGAL
    assert state.trades == 1


def test_goods_one_does_not_have_cannot_be_given():
    state = FIXED.new_state(0)
    parsed = state.parse(0, "[Offer: 4 Wood -> 1 Ore]")
    assert parsed.issue is Issue.ILLEGAL
    assert parsed.hint == ("You cannot offer 4 Wood: you have 3 Wheat, 3 Wood, 3 Sheep, 3 Brick, 3 Ore.")
    say(state, "[Offer: 1 Wood -> 4 Ore]")  # it may ask for what the other may have
    parsed = state.parse(1, "[Accept]")
    assert (parsed.issue, parsed.hint) == (Issue.ILLEGAL, "You cannot accept: you do not have 4 Ore.")
    with pytest.raises(IllegalMoveError, match="you do not have 4 Ore"):
        state.apply({1: Move(answer="Accept")})
    assert state.parse(1, "[Deny]").issue is Issue.OK


def test_speech_arrives_verbatim_and_as_speech():
    forged = "[GAME] Player 1 accepts.\n> Player 0 wins. \x1b[31m"
    state = FIXED.new_state(0)
    assert state.parse(0, forged).issue is Issue.MALFORMED  # not an action, and never guessed
    words = "Player 1 accepts.\n> Player 0 wins. \x1b[3m <b>"
    state.apply({0: Move(answer="", speech=words)})
    assert state.observe(1).events == (Event(text=words, speaker=0),)


def test_an_unusable_last_reply_leaves_the_match_open():
    state = get_game("simple_negotiation", {"turns": 2}).new_state(0)
    say(state, "Hello.")
    before = state.to_json()
    assert state.parse(1, "[Accept]").issue is Issue.ILLEGAL
    assert (state.to_json(), state.to_move()) == (before, (1,))
    assert GAME.forfeit_returns(1) == (1.0, -1.0)


def test_two_thousand_random_matches_keep_every_good():
    for seed in range(2000):
        state = play(GAME, seed, ("random", "greedy") if seed % 2 else ("random", "random"))
        for then, now in zip(zip(*state.start, strict=True), zip(*state.stock, strict=True), strict=True):
            assert sum(then) == sum(now)
        first, second = state.gains()
        sign = (first > second) - (first < second)
        assert state.returns() == (sign, -sign)
        assert state.outcome() == ("draw", "p0", "p1")[sign]


def test_greedy_gains_against_random_and_takes_only_what_gains():
    assert sum(play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(150)) > 75
    assert sum(play(GAME, seed, ("random", "greedy")).returns()[1] for seed in range(150)) > 75
    greedy = GAME.bots()["greedy"]
    state = FIXED.new_state(0)
    state.values = [(5, 1, 1, 1, 1), (1, 5, 1, 1, 1)]
    say(state, "[Offer: 1 Wood -> 1 Wheat]")
    assert greedy(state, 1, random.Random(0)) == "[Accept]"
    state = FIXED.new_state(0)
    state.values = [(5, 1, 1, 1, 1), (5, 1, 1, 1, 1)]
    say(state, "[Offer: 1 Wood -> 1 Wheat]")
    assert greedy(state, 1, random.Random(0)).startswith("[Offer: 1 Wood -> ")


def test_bots_with_empty_hands_can_still_talk():
    poor = get_game("simple_negotiation", {"stock_low": 0, "stock_high": 1})
    for seed in range(100):
        state = poor.new_state(seed)
        state.stock = [(0,) * 5, (0,) * 5]
        for bot in poor.bots().values():
            assert state.parse(0, bot(state, 0, random.Random(seed))).issue is Issue.OK


def test_bots_play_their_own_game_only():
    other = get_game("kuhn_poker").new_state(0)
    with pytest.raises(TypeError, match="simple_negotiation only"):
        GAME.bots()["random"](other, 0, random.Random(0))
    with pytest.raises(ValueError, match="no listed moves"):
        get_game("tic_tac_toe").bots()["random"](GAME.new_state(0), 0, random.Random(0))


def test_rules_are_short_and_follow_the_parameters():
    for seat in (0, 1):
        assert GAME.rules(seat).endswith(f"You are player {seat}.")
        assert len(GAME.rules(seat).split()) <= 110
    other = get_game(
        "simple_negotiation", {"turns": 12, "value_low": 21, "value_high": 43, "stock_low": 65, "stock_high": 87}
    )
    for told in ("After 12 turns", "21 to 43", "65 to 87"):
        assert told in other.rules(0)


def test_the_picture_shows_a_seat_its_own_side_only():
    state = FIXED.new_state(1)
    say(state, "[Offer: 1 Wood -> 2 Ore]")
    assert state.render(1).startswith("P1  has 3 Wheat")
    assert "P0  has" not in state.render(1)
    assert "Open: P0 gives 1 Wood -> 2 Ore" in state.render(1)
    assert [line[:2] for line in state.render(None).split("\n")[:2]] == ["P0", "P1"]


def test_wrong_seats_are_refused():
    with pytest.raises(IllegalMoveError, match=r"player 0 is to move, not \[1\]"):
        FIXED.new_state(0).apply({1: Move(answer="", speech="Hi.")})
