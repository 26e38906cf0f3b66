"""Don't say it: whoever says the other's word loses, one's own is free."""

from __future__ import annotations

import random

import pytest
from games_helpers import play, say

from games import Event, Utility, get_game
from games.conformance import check_game
from games.dont_say_it import DontSayItState
from games.inflection import mentions
from games.words import COMMON, RARE, group_of, words_of

GAME = get_game("dont_say_it")
HARDCORE = get_game("dont_say_it-hardcore")


def dealt(first: str = "river", second: str = "fox", turns: int = 20) -> DontSayItState:
    state = get_game("dont_say_it", {"turns": turns}).new_state(0)
    assert isinstance(state, DontSayItState)
    state.words = (first, second)
    return state


def test_declared_facts():
    assert (GAME.spec.utility, GAME.spec.max_turns) == (Utility.ZERO_SUM, 20)
    assert (HARDCORE.spec.id, HARDCORE.spec.max_turns) == ("dont_say_it-hardcore", 30)
    assert "a secret rare noun" in HARDCORE.rules(0)
    assert len(GAME.rules(0).split()) <= 80


def test_two_words_never_one():
    deals = [GAME.new_state(seed).words for seed in range(2000)]
    assert all(first != second for first, second in deals)
    assert {word for pair in deals for word in pair} == set(words_of(COMMON))
    assert {word for seed in range(500) for word in HARDCORE.new_state(seed).words} == set(words_of(RARE))


@pytest.mark.parametrize(
    ("speech", "outcome"),
    [
        ("I saw a fox.", "p1"),
        ("FOXES run.", "p1"),
        ("the fox's tail", "p1"),
        ("[fox]", "p1"),
        ('> You said "fox".', "p1"),
        ("A river and a fox.", "p1"),  # both words: the other's counts
        ("My word is river.", None),  # one's own is free
        ("Foxy, foxglove, outfox.", None),
        ("[I know: rivers]", None),
    ],
)
def test_what_player_0_may_say(speech: str, outcome: str | None):
    state = dealt()
    say(state, speech)
    if outcome is None:
        assert state.to_move() == (1,)
    else:
        assert (state.to_move(), state.outcome(), state.returns()) == ((), outcome, (-1.0, 1.0))


def test_player_1_loses_by_player_0s_word():
    state = dealt()
    say(state, "Name something wet.", "Rivers?")
    assert (state.outcome(), state.returns()) == ("p0", (1.0, -1.0))
    last = state.observe(0).events[-1]
    told = "Player 1 said player 0's word. Player 0's word was river, player 1's was fox."
    assert last == state.observe(1).events[-1] == Event(text=told)


def test_turns_run_out():
    state = dealt(turns=3)
    say(state, "Hm.", "Hm.", "Hm.")
    assert (state.outcome(), state.returns()) == ("draw", (0.0, 0.0))
    assert state.observe(0).events[-1].text.startswith("That was turn 3, the last.")


def test_the_last_turn_can_still_lose():
    state = dealt(turns=2)
    say(state, "Hm.", "A river.")
    assert state.outcome() == "p0"


def test_the_others_word_is_nowhere_before_the_end():
    state = dealt()
    for turn in range(19):
        say(state, f"Hm {turn}.")
        for seat, other in ((0, "fox"), (1, "river")):
            seen = state.observe(seat)
            shown = " ".join((seen.facts, seen.board, seen.ask, state.render(seat), *(e.text for e in seen.events)))
            assert not mentions(shown, other)
    assert state.observe(0).facts == "Your word: river."
    say(state, "Bye.")
    assert "player 1's was fox" in state.observe(0).events[-1].text
    assert state.render(0) == state.render(None) == "P0  river\nP1  fox\nTurn 20 of 20"


def test_bots():
    greedy, random_bot = GAME.bots()["greedy"], GAME.bots()["random"]
    state = dealt()
    asked = {greedy(state, 0, random.Random(seed)) for seed in range(60)}
    assert any(group_of(COMMON, "river") in text for text in asked)
    assert not any(mentions(text, word) for text in asked for word in words_of(COMMON))
    assert any("I think of" in random_bot(state, 0, random.Random(seed)) for seed in range(9))
    results = [play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(200)]
    assert min(results) == 0.0  # never says a word
    assert 10 < sum(results) < 60


@pytest.mark.parametrize(
    ("game_id", "params"), [("dont_say_it", {}), ("dont_say_it-hardcore", {}), ("dont_say_it", {"turns": 3})]
)
def test_conforms(game_id: str, params: dict[str, int]):
    assert check_game(get_game(game_id, params), seeds=range(5), matches=50) == []


def test_a_variant_needs_a_word_that_is_free():
    state = dealt()
    say(state, " ".join(word for word in words_of(COMMON) if word not in ("river", "fox")))
    assert GAME.variants(state, 0, random.Random(0)) == ()
    assert GAME.variants(get_game("tic_tac_toe").new_state(0), 0, random.Random(0)) == ()


def test_hundreds_of_random_matches():
    ends = [play(GAME, seed).outcome() for seed in range(600)]
    assert set(ends) == {"p0", "p1", "draw"}
