"""Truth and deception: two statements, one true, and one answer."""

from __future__ import annotations

import random
import re
from datetime import date, timedelta

import pytest
from games_helpers import play, say

from games import IllegalMoveError, Issue, Move, ParameterError, get_game
from games.conformance import check_game
from games.truth_and_deception import TruthState
from games.truth_facts import GENERAL
from games.truth_generated import generated_fact, written

GAME = get_game("truth_and_deception")
GENERATED = get_game("truth_and_deception-generated")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def answering(truth: int = 0) -> TruthState:
    """A match in which the guesser's answer is due."""
    state = GAME.new_state(1)
    assert isinstance(state, TruthState)
    state.facts, state.truth = ("Ice floats.", "Ice sinks."), truth
    say(state, *["Believe me."] * 5)
    assert state.observe(1).ask == "Turn 6 of 6. Answer which fact is true."
    return state


@pytest.mark.parametrize(
    "reply",
    [
        "[Fact 1]",
        "[fact 1].",
        r"\boxed{\text{Fact 1}}",
        "[1]",
        "[Fact: 1]",
        "[Fact #1]",
        "[Fact 1: Ice floats.]",
        "Not [Fact 2], so [Fact 1]",
        "Fact 2 sounds wrong. [Fact 1]",
        "[laughs] It must be [Fact 1]",
    ],
)
def test_one_answer(reply: str):
    for truth, outcome in ((0, "p1"), (1, "p0")):
        state = answering(truth)
        say(state, reply)
        assert state.outcome() == outcome
        assert state.returns() == ((1.0, -1.0) if outcome == "p0" else (-1.0, 1.0))
        assert state.observe(1).events[-1].text == f"Player 1 answers Fact 1. Fact {truth + 1} is true."


@pytest.mark.parametrize(
    ("reply", "issue"),
    [
        ("[Fact 1] [Fact 2]", Issue.MALFORMED),
        ("[Fact 1] or [Fact 2]", Issue.MALFORMED),
        ("[Fact 1, Fact 2]", Issue.MALFORMED),
        ("[Fact 1 and Fact 2]", Issue.MALFORMED),
        ("[Fact 12]", Issue.MALFORMED),
        ("[Fact 3]", Issue.MALFORMED),
        ("[Fact]", Issue.MALFORMED),
        ("[Fact 1] or [", Issue.MALFORMED),
        ("Fact 1", Issue.NO_ANSWER),
        ("", Issue.NO_ANSWER),
    ],
)
def test_both_or_none_is_a_fault_and_no_win(reply: str, issue: Issue):
    state = answering()
    before = state.to_json()
    parsed = state.parse(1, reply)
    assert (parsed.issue, parsed.move) == (issue, None)
    assert parsed.hint
    assert (state.to_json(), state.to_move()) == (before, (1,))
    assert state.forfeit_returns(1) == (1.0, -1.0)


def test_brackets_before_the_last_turn_are_talk():
    state = GAME.new_state(0)
    say(state, "[Fact 1]", "[Fact 2] or [Fact 1]?")
    assert [event.speaker for event in state.observe(0).events] == [0, 1]
    assert state.to_move() == (0,)
    with pytest.raises(IllegalMoveError):
        state.apply({0: Move(answer="Fact 1", action=0)})
    with pytest.raises(IllegalMoveError, match=r"neither \[Fact 1\] nor \[Fact 2\]"):
        answering().apply({1: Move(answer="Fact 1", action=1)})


def test_both_see_the_facts_and_one_the_truth():
    state = answering(1)
    assert state.observe(0).facts == "Fact 1: Ice floats.\nFact 2: Ice sinks.\nOnly fact 2 is true."
    assert state.observe(1).facts == "Fact 1: Ice floats.\nFact 2: Ice sinks."
    assert state.observe(1).legal == ("Fact 1", "Fact 2")
    assert "true" not in state.render(1)
    assert "Fact 2: Ice sinks.  (true)" in state.render(None)


def test_turns_must_be_even():
    with pytest.raises(ParameterError, match="turns=5 must be even, since the guesser has the last"):
        get_game("truth_and_deception", {"turns": 5})
    state = get_game("truth_and_deception", {"turns": 2}).new_state(0)
    say(state, "Hello.", "[Fact 2]")
    assert state.to_move() == ()


def test_the_deal():
    states = [GAME.new_state(seed) for seed in range(1000)]
    assert 400 < sum(state.truth for state in states) < 600
    for state in states:
        true, false = state.facts[state.truth], state.facts[1 - state.truth]
        assert (true, false) in GENERAL
    assert len({state.facts for state in states}) > 1.9 * len(GENERAL)


def test_the_list_of_facts():
    statements = [statement for pair in GENERAL for statement in pair]
    assert len(GENERAL) >= 70
    assert len(set(statements)) == len(statements)
    assert all(statement[0].isupper() and statement.endswith(".") and "[" not in statement for statement in statements)


def holds(statement: str) -> bool:
    """Whether a generated statement is true, worked out from its words alone."""
    numbers = [int(number) for number in re.findall(r"\d+", statement)]
    days = [_date(found) for found in re.findall(r"\d+ [A-Z][a-z]+ \d{4}", statement)]
    if " times " in statement:
        return numbers[0] * numbers[1] == numbers[2]
    if " plus " in statement:
        return sum(numbers[:3]) == numbers[3]
    if " remainder " in statement:
        return numbers[0] % numbers[1] == numbers[2]
    if " percent " in statement:
        return numbers[0] * numbers[1] == 100 * numbers[2]
    if " days after " in statement:
        return days[0] + timedelta(days=numbers[0]) == days[1]
    if statement.startswith("From "):
        return (days[1] - days[0]).days == numbers[-1]
    return statement.endswith(f" is a {DAYS[days[0].weekday()]}.")


def _date(text: str) -> date:
    day, month, year = text.split()
    months = [written(date(2000, number, 1)).split()[1] for number in range(1, 13)]
    return date(int(year), months.index(month) + 1, int(day))


def test_generated_facts_are_true_and_false():
    kinds = set()
    for seed in range(4000):
        true, false = generated_fact(random.Random(seed))
        assert holds(true), true
        assert not holds(false), false
        assert "-" not in false
        kinds.add(re.sub(r"\d+|January|February|March|April|May|June|July|August|September|October|November|December"
                         r"|[A-Z][a-z]+day", "", true))  # fmt: skip
    assert len(kinds) == 7
    assert not holds("In the Gregorian calendar, 1 January 2000 is a Sunday.")
    assert holds("In the Gregorian calendar, 1 January 2000 is a Saturday.")


def test_bots():
    # Greedy lies in two matches of three, and greedy believes the opposite.
    wins = [play(GAME, seed, ("greedy", "greedy")).outcome() for seed in range(300)]
    assert 160 < wins.count("p1") < 240
    assert {play(GAME, seed).outcome() for seed in range(50)} == {"p0", "p1"}
    state = answering()
    assert GAME.bots()["greedy"](state, 1, random.Random(0)) in ("[Fact 1]", "[Fact 2]")
    state = GAME.new_state(0)
    greedy = GAME.bots()["greedy"]
    claims = []
    for seed in range(2):
        claims.append(greedy(state, 0, random.Random(seed)))
        say(state, claims[-1], "Which?")
    assert claims[0] == claims[1]  # it keeps to what it said first


@pytest.mark.parametrize(
    ("game_id", "params"),
    [("truth_and_deception", {}), ("truth_and_deception-generated", {}), ("truth_and_deception", {"turns": 2})],
)
def test_conforms(game_id: str, params: dict[str, int]):
    assert check_game(get_game(game_id, params), seeds=range(5), matches=50) == []
    assert GENERATED.spec.id == "truth_and_deception-generated"
