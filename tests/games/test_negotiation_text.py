"""Offers as text: whole numbers only, tolerant of how they are written, never of what they say (fault 15)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import IllegalMoveError, Issue
from games.negotiation_text import GOODS, Offer, offer_answer, parse_action, parse_offer, read_offer

ONE_WOOD_TWO_ORE = Offer(give=(0, 1, 0, 0, 0), want=(0, 0, 0, 0, 2))


@pytest.mark.parametrize(
    "text",
    [
        "Offer: 1 Wood -> 2 Ore",
        "offer:1 wood->2 ore",
        "OFFER 1 WOODS => 2 ORES",
        "Offer: 1x Wood → 2 x Ore.",
        "Offer: 1 Wood for 2 Ore",
        "Offer:\n 1 Wood\n ->\n 2 Ore",
        "Offer: 1 Wood, 0 Sheep -> 1 Ore and 1 Ore",
    ],
)
def test_spellings_of_one_offer(text: str):
    assert read_offer(text) == ONE_WOOD_TWO_ORE


def test_plurals_and_lists():
    offer = read_offer("Offer: 2 Bricks, 1 Sheep, and 3 wheats -> 1 Ore & 4 woods")
    assert offer == Offer(give=(3, 0, 1, 2, 0), want=(0, 4, 0, 0, 1))
    assert offer_answer(offer) == "Offer: 3 Wheat, 1 Sheep, 2 Brick -> 4 Wood, 1 Ore"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Offer: 1.5 Wheat -> -2 Ore", "'1.5 wheat' is not an amount of a good."),
        ("Offer: .5 Wheat -> 2 Ore", "'.5 wheat' is not an amount"),
        ("Offer: 1/2 Wheat -> 2 Ore", "'1/2 wheat' is not an amount"),
        ("Offer: ½ Wheat -> 2 Ore", "'½ wheat' is not an amount"),
        ("Offer: 5 Wheat -> -2 Ore", "'-2 ore' is not an amount"),
        ("Offer: 1,000 Wheat -> 2 Ore", "'1' is not an amount"),
        ("Offer: ３ Wheat -> 2 Ore", "'３ wheat' is not an amount"),
        ("Offer: 10000 Wheat -> 2 Ore", "'10000 wheat' is not an amount"),
        ("Offer: two Wheat -> 2 Ore", "'two wheat' is not an amount"),
        ("Offer: $3 -> 2 Ore", "'$3' is not an amount"),
        ("Offer: 2 Gold -> 2 Ore", "'gold' is not a good; the goods are Wheat, Wood, Sheep, Brick, Ore."),
        ("Offer: 2 Wheat", "An offer has two sides."),
        ("Offer: 2 Wheat -> 1 Ore -> 1 Wood", "An offer has two sides."),
        ("Offer: 0 Wheat -> 1 Ore", "Both sides of an offer must hold something."),
        ("Offer: -> 1 Ore", "'' is not an amount"),
        ("Offer", "An offer has two sides."),
        ("Accept 2 Wheat", "[Accept 2 Wheat] is not an action here. Use [Offer: …], [Accept] or [Deny]."),
    ],
)
def test_unreadable_offers_say_what_is_wrong(text: str, says: str):
    parsed = parse_action(f"[{text}]", truncated=False)
    assert parsed.issue is Issue.MALFORMED
    assert says in parsed.hint
    with pytest.raises(IllegalMoveError):
        parse_offer(text)


def test_talk_and_action_are_kept_apart():
    parsed = parse_action("Take it!\n[ accept ]. You will not regret it.", truncated=False)
    assert (parsed.move.answer, parsed.move.speech) == ("Accept", "Take it! . You will not regret it.")
    assert parse_action("**[Deny]**.", truncated=False).move.speech == ""
    talk = parse_action("  I need wood.\nDo you?  ", truncated=False)
    assert (talk.move.answer, talk.move.speech) == ("", "I need wood.\nDo you?")


def test_words_that_are_no_action():
    quoted = parse_action('You wrote "[Accept] it". I wait.', truncated=False)
    assert (quoted.move.answer, quoted.move.speech) == ("", 'You wrote "[Accept] it". I wait.')
    assert parse_action("> [Accept]", truncated=False).move.answer == ""
    assert parse_action("Accept", truncated=False).move.answer == ""
    assert parse_action(" \n", truncated=False).issue is Issue.NO_ANSWER
    assert parse_action("I would like", truncated=True).issue is Issue.TRUNCATED
    assert parse_action("[Offer: 1 Wood -> ", truncated=True).issue is Issue.TRUNCATED
    assert parse_action("[Offer: 1 Wood -> 2 Ore", truncated=False).issue is Issue.MALFORMED
    assert parse_action("[Accept] or [Deny]", truncated=False).issue is Issue.MALFORMED
    assert parse_action("Not [Accept], I choose [Deny]", truncated=False).move.answer == "Deny"


def test_speech_of_a_very_long_reply_is_whole():
    parsed = parse_action("a" * 150_000 + "[Accept] b", truncated=False)
    assert parsed.move.speech == "a" * 150_000 + " b"


bundles = st.lists(st.integers(0, 99), min_size=len(GOODS), max_size=len(GOODS)).filter(any).map(tuple)


@given(bundles, bundles)
@settings(max_examples=200, deadline=None)
def test_every_offer_survives_its_text(give: tuple[int, ...], want: tuple[int, ...]):
    offer = Offer(give=give, want=want)
    assert parse_offer(offer_answer(offer)) == offer
    assert read_offer(offer_answer(offer).upper()) == offer


@given(st.text(alphabet="0123456789 .,-/>:xWwoOrReEdDaAnNfF", max_size=40))
@settings(max_examples=400, deadline=None)
def test_any_offer_text_is_whole_and_positive_or_refused(text: str):
    offer = read_offer(f"Offer: {text}")
    if isinstance(offer, Offer):
        assert all(isinstance(units, int) and units >= 0 for units in (*offer.give, *offer.want))
        assert any(offer.give)
        assert any(offer.want)
        assert "." not in text.rstrip(". ")
    else:
        assert offer
