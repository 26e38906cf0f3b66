"""Adversarial taboo: the word that the attacker knows, said or announced."""

from __future__ import annotations

import random

import pytest
from games_helpers import play, say

from games import Event, IllegalMoveError, Issue, Move, get_game
from games.adversarial_taboo import TabooState
from games.adversarial_taboo_bots import candidates
from games.conformance import check_game
from games.inflection import mentions
from games.words import ABSTRACT, COMMON, words_of

GAME = get_game("adversarial_taboo")
ABSTRACT_GAME = get_game("adversarial_taboo-abstract")


def dealt(target: str = "river", turns: int = 20) -> TabooState:
    state = get_game("adversarial_taboo", {"turns": turns}).new_state(0)
    assert isinstance(state, TabooState)
    state.target = target
    return state


def test_declared_facts():
    assert GAME.spec.roles == ("attacker", "defender")
    assert "You are player 0, the attacker." in GAME.rules(0)
    assert "a target word, an abstract noun" in ABSTRACT_GAME.rules(1)
    assert "a target word, a common noun" in GAME.rules(1)
    assert {ABSTRACT_GAME.new_state(seed).target for seed in range(1000)} == set(words_of(ABSTRACT))
    assert {GAME.new_state(seed).target for seed in range(3000)} == set(words_of(COMMON))


@pytest.mark.parametrize(
    ("replies", "outcome"),
    [
        (("It flows.", "A river!"), "p0"),
        (("It flows.", "Do you mean rivers?"), "p0"),
        (("It flows.", "[river]"), "p0"),  # in brackets, but no announcement
        (("It flows.", "[I know: river]"), "p1"),
        (("It flows.", "[I know: the Rivers]"), "p1"),
        (("It flows.", "It is the river, is it not? [I know: river]"), "p1"),  # the announcement is judged first
        (("It flows.", "[I know: lake]"), "p0"),
        (("It flows.", "[I know: riverbank]"), "p0"),
        (("The river flows.",), "p1"),
        (("[I know: river]",), "p1"),  # the attacker has no action: it said the word
    ],
)
def test_endings(replies: tuple[str, ...], outcome: str):
    state = dealt()
    say(state, *replies)
    assert state.to_move() == ()
    assert state.outcome() == outcome
    assert state.returns() == ((1.0, -1.0) if outcome == "p0" else (-1.0, 1.0))


def test_what_is_told_at_the_end():
    state = dealt()
    say(state, "It flows.", "I am sure. [I know: Lake]")
    assert state.observe(1).events[-2:] == (
        Event(text="I am sure.", speaker=1),
        Event(text="Player 1 announces the word lake. That is wrong. The target word was river."),
    )


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("[I know: river, lake or brook]", "does not announce one word"),
        ("[I know: river lake]", "does not announce one word"),
        ("[I know: river's]", "does not announce one word"),
        ("[I know]", "does not announce one word"),
        ("[I know river]", "does not announce one word"),
        ("[I know: river] or [I know: lake]", "is more than one action"),
        ("[I know: river", "is not closed"),
    ],
)
def test_nobody_announces_many_words(reply: str, told: str):
    state = dealt()
    say(state, "It flows.")
    parsed = state.parse(1, reply)
    assert parsed.issue is Issue.MALFORMED
    assert told in parsed.hint


def test_only_the_defender_announces():
    state = dealt()
    assert state.parse(0, "[I know: lake]").move == Move(answer="", speech="[I know: lake]")
    with pytest.raises(IllegalMoveError, match="only the defender"):
        state.apply({0: Move(answer="I know: lake")})
    say(state, "It flows.")
    with pytest.raises(IllegalMoveError, match=r"must be written \[I know: lake\]"):
        state.apply({1: Move(answer="I know: the Lake")})


def test_turns_run_out():
    state = dealt(turns=3)
    say(state, "It flows.", "Tell me more.", "It is wet.")
    assert (state.outcome(), state.returns()) == ("draw", (0.0, 0.0))
    assert state.observe(1).events[-1].text == "That was turn 3, the last. The target word was river."


def test_the_defender_never_sees_the_word_before_the_end():
    state = dealt()
    say(state, *["Hm."] * 19)
    seen = state.observe(1)
    assert not mentions(f"{seen.facts} {seen.board} {seen.ask} {state.render(1)}", "river")
    assert state.observe(0).facts == "The target word: river."


def test_bots():
    state = dealt("plum")
    greedy = GAME.bots()["greedy"]
    lures = {greedy(state, 0, random.Random(seed)) for seed in range(80)}
    assert all("kind of fruit" in lure and not mentions(lure, "plum") for lure in lures)
    say(state, "What is a kind of fruit other than a pear?", "I have no idea.")
    assert "pear" not in candidates(state)
    assert len(candidates(state)) == 11
    say(state, "apple banana orange lemon cherry peach grape mango melon strawberry")
    assert greedy(state, 1, random.Random(0)) == "[I know: plum]"
    ends = [play(GAME, seed, ("greedy", "random")).outcome() for seed in range(300)]
    assert ends.count("p0") > ends.count("p1")  # random announces at random
    ends = [play(GAME, seed, ("random", "random")).outcome() for seed in range(400)]
    assert set(ends) == {"p0", "p1", "draw"}


@pytest.mark.parametrize(
    ("game_id", "params"),
    [("adversarial_taboo", {}), ("adversarial_taboo-abstract", {}), ("adversarial_taboo", {"turns": 5})],
)
def test_conforms(game_id: str, params: dict[str, int]):
    assert check_game(get_game(game_id, params), seeds=range(5), matches=50) == []


def test_a_variant_needs_a_word_that_is_free():
    state = dealt()
    say(state, " ".join(word for word in words_of(COMMON) if word != "river"))
    assert GAME.variants(state, 1, random.Random(0)) == ()
    assert GAME.variants(state, 0, random.Random(0)) == ()
