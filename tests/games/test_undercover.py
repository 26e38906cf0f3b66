"""Undercover: one odd word, clues that do not give it away, votes that count once."""

from __future__ import annotations

import random

import pytest
from games_helpers import play, say

from games import Dynamics, GameOverError, IllegalMoveError, Issue, Move, ParameterError, State, Utility, get_game
from games.conformance import check_game
from games.inflection import mentions
from games.undercover_bots import VAGUE, counted
from games.undercover_state import UndercoverState
from games.words import LISTS, group_of, words_of

GAME = get_game("undercover")
BLANK = get_game("undercover-blank")


def dealt(game=GAME, undercover: int = 1, words: tuple[str, str] = ("apple", "pear")) -> UndercoverState:
    """A match with this odd seat and these words, in which player 0 speaks first."""
    state = game.new_state(0)
    assert isinstance(state, UndercoverState)
    state.undercover, state.words, state.first = undercover, words, 0
    state.queue = list(range(game.spec.seats))
    return state


def clues(state: State) -> list[int]:
    spoke = []
    while len(state.to_move()) == 1:
        spoke.append(state.to_move()[0])
        say(state, "You can eat it.")
    return spoke


def vote(state: State, *named: int) -> None:
    seats = state.to_move()
    state.apply({seat: state.parse(seat, f"[Vote: {n}]").move for seat, n in zip(seats, named, strict=True)})


def test_declared_facts():
    spec = GAME.spec
    assert spec.roles == tuple(f"player {seat}" for seat in range(5))
    assert (spec.utility, spec.dynamics) == (Utility.GENERAL_SUM, Dynamics.SIMULTANEOUS)
    assert (spec.outcomes, spec.max_turns) == (("civilians", "undercover"), 40)
    assert get_game("undercover-eight").spec.seats == 8
    assert "who gets none" in BLANK.rules(0)
    assert "Nobody is told whether it is the undercover" in GAME.rules(0)


def test_the_deal():
    states = [GAME.new_state(seed) for seed in range(1000)]
    for state in states:
        assert sorted(state.roles()) == ["civilian"] * 4 + ["undercover"]
    for drawn in ([state.undercover for state in states], [state.to_move()[0] for state in states]):
        assert all(abs(drawn.count(seat) - 200) < 65 for seat in range(5))  # five standard deviations
    assert len({state.words for state in states}) > 700  # of about 2,400 ordered pairs


def test_bots_can_speak_whatever_their_word():
    words = [word for groups in LISTS.values() for word in words_of(groups)]
    assert not any(mentions(" ".join((*VAGUE, "letters, first")), word) for word in words)
    for groups in LISTS.values():
        for group in groups.values():
            assert not any(mentions(one, other) for one in group for other in group if one != other)


def test_word_lists():
    rare = get_game("undercover", {"words": "rare"})
    assert "All get the same rare word but one" in rare.rules(0)
    for seed in range(50):
        common, odd = rare.new_state(seed).words
        assert common != odd
        assert group_of(LISTS["rare"], common) == group_of(LISTS["rare"], odd)


def test_civilians_find_the_undercover():
    state = dealt()
    assert [state.observe(seat).facts for seat in (0, 1)] == ["Your word: apple.", "Your word: pear."]
    assert state.observe(0).ask == "Round 1: give a clue."
    assert clues(state) == [0, 1, 2, 3, 4]
    assert state.to_move() == (0, 1, 2, 3, 4)
    vote(state, 1, 0, 1, 1, 0)
    assert state.outcome() == "civilians"
    assert state.returns() == (1.0, -1.0, 1.0, 1.0, 1.0)
    assert [event.text for event in state.observe(3).events[-2:]] == [
        "Votes of round 1: player 0 for 1, player 1 for 0, player 2 for 1, player 3 for 1, player 4 for 0. "
        "Player 1 is out; it was the undercover.",
        "Player 1 was the undercover and had pear; the others had apple.",
    ]
    with pytest.raises(GameOverError):
        state.apply({0: Move(answer="Vote: 2")})


def test_the_undercover_wins_with_two_left():
    state = dealt()
    clues(state)
    vote(state, 2, 2, 0, 2, 2)
    assert clues(state) == [1, 3, 4, 0]  # the next seat begins, and who is out is passed over
    with pytest.raises(IllegalMoveError, match="players 0, 1, 3, 4 are to move"):
        state.apply({seat: Move(answer="Vote: 1") for seat in (0, 2, 3, 4)})
    assert (state.observe(2).ask, state.legal(2)) == ("", ())
    vote(state, 3, 3, 0, 3)
    assert clues(state) == [4, 0, 1]
    assert state.observe(0).board == "Players left: 0, 1, 4. Out: 2 (civilian), 3 (civilian)."
    vote(state, 4, 4, 0)
    assert state.outcome() == "undercover"
    assert state.returns() == (-1.0, 1.0, -1.0, -1.0, -1.0)
    assert state.measures() == {"rounds": 3.0, "living": 2.0}


def test_ties_put_nobody_out_and_rounds_end():
    """Fault 3: "K rounds" are K rounds."""
    state = dealt()
    moves = 0
    while state.to_move():
        moves += len(clues(state))
        moves += len(state.to_move())
        vote(state, 1, 2, 3, 4, 0)
    assert moves == GAME.spec.max_turns
    assert state.outcome() == "undercover"
    assert sum("A tie: nobody is out." in event.text for event in state.observe(0).events) == 4


def test_nobody_is_told_its_role_but_a_blank():
    state, other = dealt(), dealt(undercover=2, words=("pear", "plum"))
    assert state.observe(1) == other.observe(1)
    assert state.render(1) == other.render(1)
    assert "pear" not in state.render(0)
    assert "undercover" not in state.render(1)
    assert state.render(None).count("undercover") == 1
    blank = dealt(BLANK)
    assert blank.observe(1).facts == "You are the undercover: you have no word."
    assert blank.observe(0).facts == "Your word: apple."
    say(blank, "It grows on trees.")
    assert blank.parse(1, "Apples, perhaps?").issue is Issue.OK  # it has no word that it could give away


@pytest.mark.parametrize(
    ("reply", "issue", "hint"),
    [
        ("It grows on trees.", Issue.OK, ""),
        ("Not a pear.", Issue.OK, ""),  # the odd one's word, which a civilian does not know
        ("Apples!", Issue.ILLEGAL, "Your clue contains your word, apple. Describe it without saying it."),
        ("a " * 13, Issue.ILLEGAL, "Your clue has 13 words; at most 12 are allowed."),
        (
            "sweet-red-round-crisp-green-fresh-juicy-ripe-small-hard-old-new-big",
            Issue.ILLEGAL,
            "Your clue has 13 words",
        ),
        ("It's round; don't peel it.", Issue.OK, ""),
        ("x" * 241, Issue.ILLEGAL, "Your clue has 241 characters; at most 240 are allowed."),
        ("  ", Issue.NO_ANSWER, "The reply is empty. Say something."),
    ],
)
def test_clues(reply: str, issue: Issue, hint: str):
    parsed = dealt().parse(0, reply)
    assert parsed.issue is issue
    assert parsed.hint.startswith(hint)


@pytest.mark.parametrize(
    ("reply", "issue"),
    [
        ("[Vote: 3]", Issue.OK),
        ("[vote 3]", Issue.OK),
        ("[Player 3]", Issue.OK),
        ("[Vote: 0]", Issue.ILLEGAL),
        ("[Vote: 2]", Issue.ILLEGAL),
        ("[Vote: 7]", Issue.MALFORMED),
        ("[Vote: 3, 4]", Issue.MALFORMED),
        ("Player 3.", Issue.NO_ANSWER),
    ],
)
def test_votes(reply: str, issue: Issue):
    state = dealt()
    clues(state)
    vote(state, 2, 2, 0, 2, 2)
    clues(state)
    assert state.parse(0, reply).issue is issue


def test_a_forfeit_is_lost_by_the_side_of_the_seat():
    state = dealt()
    assert state.forfeit_returns(1) == (1.0, -1.0, 1.0, 1.0, 1.0)
    assert state.forfeit_returns(3) == (-1.0, 1.0, -1.0, -1.0, -1.0)


def test_greedy_counts_letters():
    state = dealt()
    greedy, rng = GAME.bots()["greedy"], random.Random(0)
    assert greedy(state, 0, rng) == "5 letters, first a."
    assert greedy(state, 1, rng) == "4 letters, first p."
    say(state, "5 letters, first a.", "4 letters, first p.", "5 letters, first a.")
    assert counted(state.observe(0).events[-1].text) == "5 letters, first a"
    say(state, "5 letters, first a.", "Hm.")
    assert {greedy(state, 0, random.Random(seed)) for seed in range(20)} == {"[Vote: 1]", "[Vote: 4]"}
    late = dealt(undercover=3)
    say(late, *["5 letters, first a."] * 3)
    assert greedy(late, 3, rng) == "5 letters, first a."  # it has understood that it is the odd one


def test_greedy_civilians_beat_random_ones():
    def civilians(bots: tuple[str, str]) -> int:
        won = 0
        for seed in range(150):
            odd = GAME.new_state(seed).undercover
            names = tuple(bots[seat != odd] for seat in range(5))
            won += play(GAME, seed, names).outcome() == "civilians"
        return won

    assert civilians(("random", "greedy")) > civilians(("random", "random")) + 15
    assert civilians(("greedy", "greedy")) < 150


def test_impossible_parameters_are_refused():
    with pytest.raises(ParameterError, match="players=9 is outside 4 … 8"):
        get_game("undercover", {"players": 9})


@pytest.mark.parametrize(
    "params", [{}, {"blank": True, "words": "abstract"}, {"players": 8}, {"players": 4, "rounds": 1}]
)
def test_conformance(params):
    assert check_game(get_game("undercover", params), seeds=range(3), matches=20) == []
