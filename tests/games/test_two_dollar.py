"""Two dollar: exact cents, proposals that die, roles that are judged, and deals that stay possible."""

from __future__ import annotations

import random

import pytest
from games_helpers import play, say
from hypothesis import given
from hypothesis import strategies as st

from games import Event, IllegalMoveError, Issue, Move, ParameterError, get_game
from games.conformance import check_game
from games.talk import Unreadable
from games.two_dollar_roles import (
    CONCESSION_LIMIT,
    DEADLINE,
    KINDS,
    MINIMUM,
    STYLE,
    STYLES,
    WORD_LIMIT,
    Role,
    count_words,
    draw_roles,
    possible,
)
from games.two_dollar_state import TwoDollarState
from games.two_dollar_text import money, propose, proposed_cents, read_action, read_money

GAME = get_game("two_dollar")
VARIABLE = get_game("two_dollar-variable_sum")
FREE = Role(kind=STYLE, limit=0)


def dealt(first: Role = FREE, second: Role = FREE, turns: int = 12) -> TwoDollarState:
    state = get_game("two_dollar", {"turns": turns}).new_state(0)
    assert isinstance(state, TwoDollarState)
    state.secret = (first, second)
    return state


# --- money ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("$.50", 50),
        (".50", 50),
        ("$0.50", 50),
        ("50 cents", 50),
        ("50c", 50),
        ("50¢", 50),
        ("$1", 100),
        ("1", 100),
        ("1 dollar", 100),
        ("2 Dollars", 200),
        ("$1.5", 150),
        ("1.50", 150),
        ("$1.50", 150),
        ("$ 1.50", 150),
        ("1.50$", 150),
        ("1.50 USD", 150),
        ("USD 1.50", 150),
        ("150 cents", 150),
        ("150 CENTS.", 150),
        ("$1.05", 105),
        ("$0", 0),
        ("0 cents", 0),
        ("1 cent", 1),
        ("$0.29", 29),  # 0.29 * 100 is 28.999… in floating point
    ],
)
def test_money_is_read_exactly(text: str, cents: int):
    assert read_money(text) == cents
    assert read_action(f"propose {text}") == propose(cents)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("-$1", "is negative"),
        ("$-1", "is negative"),
        ("−0.50", "is negative"),
        ("-50 cents", "is negative"),
        ("$1.505", "more than two decimals"),
        ("1.999999", "more than two decimals"),
        ("1.5 cents", "is not one amount of money"),
        ("1,50", "is not one amount of money"),
        ("$", "is not one amount of money"),
        (".", "is not one amount of money"),
        ("half", "is not one amount of money"),
        ("$1 or $2", "is not one amount of money"),
        ("60%", "is not one amount of money"),
        ("1/2", "is not one amount of money"),
        ("١", "is not one amount of money"),
        ("1e2", "is not one amount of money"),
        ("$1.20 for you", "is not one amount of money"),
    ],
)
def test_other_amounts_are_refused_with_a_hint(text: str, told: str):
    refused = read_money(text)
    assert isinstance(refused, Unreadable)
    assert told in refused.hint
    assert "[Propose $1.20]" in refused.hint


@given(st.integers(0, 10**9))
def test_any_amount_is_written_and_read_back(cents: int):
    assert read_money(money(cents)) == cents
    assert proposed_cents(propose(cents)) == cents
    assert read_action(propose(cents).upper()) == propose(cents)


@pytest.mark.parametrize(
    ("reply", "answer", "speech"),
    [
        ("[Propose $1.20]", "Propose $1.20", ""),
        ("[Propose] $1.20", "Propose $1.20", ""),
        ("[Propose]: 120 cents, and that is fair.", "Propose $1.20", ", and that is fair."),
        ("[Propose] $.50.", "Propose $0.50", ""),
        ("[propose: 1.2]", "Propose $1.20", ""),
        ("[I propose $1 for me]", "Propose $1.00", ""),
        ("You get $.50. [Propose $1.50] Fair?", "Propose $1.50", "You get $.50. Fair?"),
        ("[Propose $1.00], no: [Propose $1.10]", "Propose $1.10", "[Propose $1.00], no:"),
        ("How about $1.20?", "", "How about $1.20?"),
        ("[$1.20]", "", "[$1.20]"),
    ],
)
def test_replies(reply: str, answer: str, speech: str):
    assert dealt().parse(0, reply).move == Move(answer=answer, speech=speech)


@pytest.mark.parametrize(
    ("reply", "issue", "told"),
    [
        ("[Propose]", Issue.MALFORMED, "has no amount"),
        ("[Propose] half", Issue.MALFORMED, "has no amount"),
        ("[Propose] $1.20 or $1.30", Issue.MALFORMED, "has no amount"),
        ("[Propose] 60%", Issue.MALFORMED, "has no amount"),
        ("[Propose] -$1", Issue.MALFORMED, "is negative"),
        ("[Propose] $1.205", Issue.MALFORMED, "more than two decimals"),
        ("[Propose $1.20] or [Propose $1.30]", Issue.MALFORMED, "more than one action"),
        ("[Propose] $1.20 [Accept]", Issue.MALFORMED, "more than one action"),
        ("[Offer $1.20]", Issue.MALFORMED, "is not an action here"),
        ("[Accept $1.20]", Issue.MALFORMED, "is not an action here"),
        ("[Propose $1.20 for you]", Issue.MALFORMED, "is not one amount of money"),
        ("[Propose $2.01]", Issue.ILLEGAL, "You cannot ask for $2.01: the pot is $2.00."),
        ("[Propose 120]", Issue.ILLEGAL, "You cannot ask for $120.00: the pot is $2.00."),
        ("[Accept]", Issue.ILLEGAL, "no open proposal of the other player"),
        ("[Reject]", Issue.ILLEGAL, "no open proposal of the other player"),
    ],
)
def test_refused_replies(reply: str, issue: Issue, told: str):
    state = dealt()
    parsed = state.parse(0, reply)
    assert (parsed.issue, parsed.move) == (issue, None)
    assert told in parsed.hint
    assert state.to_json()["moves"] == []


# --- deals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("replies", "paid", "outcome"),
    [
        (("[Propose $1.50]", "[Accept]"), (150, 50), "p0"),
        (("[Propose $1.00]", "[Accept]"), (100, 100), "draw"),
        (("[Propose $1.01]", "[Accept]"), (101, 99), "p0"),  # one cent decides
        (("[Propose $2]", "[Propose $1.25]", "[Accept]"), (75, 125), "p1"),
        (("[Propose $0]", "[Accept]"), (0, 200), "p1"),
        (("[Propose $1.50]", "Let me think.", "Do.", "[Accept]"), (150, 50), "p0"),  # talk leaves it open
        (("[Propose $1.50]", "Hm.", "[Propose $1.20]", "[Accept]"), (120, 80), "p0"),  # one's own newer one counts
    ],
)
def test_deals(replies: tuple[str, ...], paid: tuple[int, int], outcome: str):
    state = dealt()
    say(state, *replies)
    assert state.to_move() == ()
    assert state.payoffs() == paid
    assert state.outcome() == outcome
    assert state.returns() == {"p0": (1.0, -1.0), "p1": (-1.0, 1.0), "draw": (0.0, 0.0)}[outcome]
    measures = state.measures()
    assert (measures["payoff/0"], measures["payoff/1"], measures["agreement"], measures["pot"]) == (*paid, 1.0, 200.0)


def test_no_deal_pays_nothing():
    state = dealt(turns=3)
    say(state, "[Propose $1.50]", "[Reject]", "[Propose $1.40]")
    assert (state.outcome(), state.payoffs(), state.measures()["agreement"]) == ("draw", (0, 0), 0.0)
    assert state.observe(0).events[-1].text == (
        "That was turn 3, the last. There is no deal. "
        "Player 0 (style only, kept) gets $0.00. Player 1 (style only, kept) gets $0.00."
    )
    with pytest.raises(IllegalMoveError):
        dealt().apply({0: Move(answer="Accept")})


def test_a_proposal_dies_when_rejected_countered_or_accepted_and_nobody_accepts_their_own():
    state = dealt()
    say(state, "[Propose $1.50]", "Hm.")
    for own in ("[Accept]", "[Reject]"):
        assert state.parse(0, own).issue is Issue.ILLEGAL
    with pytest.raises(IllegalMoveError, match="no open proposal of the other"):
        state.apply({0: Move(answer="Accept")})
    say(state, "And?", "[Reject]", "Why?")
    assert state.parse(1, "[Accept]").issue is Issue.ILLEGAL  # rejected
    say(state, "[Propose $1.50]", "[Propose $1.40]")
    say(state, "[Propose $1.30]")
    assert state.offered(0) == 70  # of the counter-proposal, not of the one before
    assert state.open == (1, 130)


def test_what_a_player_is_told():
    state = dealt(Role(kind=MINIMUM, limit=110), Role(kind=DEADLINE, limit=7))
    assert state.observe(0).facts == "Your role: get at least $1.10; a deal that gives you less breaks it."
    assert state.observe(1).facts == "Your role: make a deal by turn 7; a later deal breaks it."
    assert (state.observe(0).board, state.observe(0).ask) == ("Pot $2.00. No proposal is open.", "Turn 1 of 12.")
    say(state, "Take it. [Propose $1.20]")
    assert state.observe(1).events == (
        Event(text="Take it.", speaker=0),
        Event(text="Player 0 proposes $1.20 for player 0, $0.80 for player 1."),
    )
    assert state.observe(1).board == "Pot $2.00. Open to you: you get $0.80, the other $1.20."
    assert state.observe(0).board == "Pot $2.00. Your own open proposal: you get $1.20, the other $0.80."
    assert "deal by turn 7" not in state.render(0)
    assert "deal by turn 7" in state.render(None)


# --- roles ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "replies", "broken"),
    [
        (Role(kind=MINIMUM, limit=110), ("[Propose $1.10]", "[Accept]"), False),
        (Role(kind=MINIMUM, limit=110), ("[Propose $1.09]", "[Accept]"), True),
        (Role(kind=MINIMUM, limit=110), ("Hm.", "[Propose $1.20]", "[Accept]"), True),
        (Role(kind=WORD_LIMIT, limit=3), ("One two-three. [Propose $1.50]", "[Accept]"), False),
        (Role(kind=WORD_LIMIT, limit=3), ("One two three four [Propose $1.50]", "[Accept]"), True),
        (Role(kind=WORD_LIMIT, limit=3), ("One two three four", "Hm.", "[Propose $1.50]", "[Accept]"), True),
        (Role(kind=CONCESSION_LIMIT, limit=20), ("[Propose $2]", "Hm.", "[Propose $1.80]", "[Accept]"), False),
        (Role(kind=CONCESSION_LIMIT, limit=20), ("[Propose $2]", "Hm.", "[Propose $1.79]", "[Accept]"), True),
        (Role(kind=CONCESSION_LIMIT, limit=20), ("[Propose $1]", "Hm.", "[Propose $2]", "[Accept]"), False),
        (Role(kind=CONCESSION_LIMIT, limit=20), ("[Propose $2]", "[Propose $1.90]", "[Accept]"), False),
        (Role(kind=DEADLINE, limit=4), ("Hm.", "Hm.", "[Propose $1.50]", "[Accept]"), False),
        (Role(kind=DEADLINE, limit=3), ("Hm.", "Hm.", "[Propose $1.50]", "[Accept]"), True),
        (FREE, ("word " * 99, "Hm.", "[Propose $2]", "[Reject]", "[Propose $0.01]", "[Accept]"), False),
    ],
)
def test_a_broken_role_pays_its_seat_nothing(role: Role, replies: tuple[str, ...], broken: bool):
    for seat in (0, 1):
        state = dealt(*((role, FREE) if seat == 0 else (FREE, role)))
        if seat == 1:
            if role.kind == DEADLINE:
                continue  # the same turns, counted from the first
            say(state, "You first.")
        say(state, *replies)
        assert state.broken[seat] is broken
        assert state.measures()[f"role_broken/{seat}"] == float(broken)
        assert state.measures()[f"role_broken/{1 - seat}"] == 0.0
        assert (state.payoffs()[seat] == 0) is broken
        assert state.payoffs()[1 - seat] == state.deal[1 - seat]
        if broken and state.deal[1 - seat]:
            assert state.returns()[seat] == -1.0


def test_both_roles_broken_is_a_draw():
    state = dealt(Role(kind=MINIMUM, limit=120), Role(kind=DEADLINE, limit=1))
    say(state, "[Propose $1.00]", "[Accept]")
    assert (state.payoffs(), state.outcome(), state.measures()["agreement"]) == ((0, 0), "draw", 1.0)


def test_a_broken_role_is_told_to_its_seat_alone_and_once():
    state = dealt(Role(kind=WORD_LIMIT, limit=2))
    say(state, "One two three.", "Hm.", "One two three.")
    told = Event(text="You have broken your role, so a deal pays you $0.00.")
    assert state.observe(0).events.count(told) == 1
    assert told not in state.observe(1).events
    assert "broken" not in state.render(1)
    say(state, "[Propose $0.50]", "[Accept]")
    assert state.observe(1).events[-1].text == (
        "Player 0 accepts. Player 0 (at most 2 words, broken) gets $0.00. Player 1 (style only, kept) gets $0.50."
    )


@pytest.mark.parametrize(
    ("speech", "count"),
    [("", 0), ("Don't you?", 2), ("a-b c_d", 4), ("1.50", 2), ("...", 0), ("x" * 20, 1), ("x" * 41, 3)],
)
def test_words_are_counted(speech: str, count: int):
    assert count_words(speech) == count


def test_roles_are_told_in_full():
    texts = [Role(kind=kind, limit=5).text for kind in KINDS]
    assert "at most 5 words" in texts[1]
    assert "at most $0.05" in texts[2]
    assert texts[4] == f"Your role is only a style, which is not judged: {STYLES[5]}"
    assert [Role(kind=kind, limit=5).short for kind in KINDS] == [
        *("minimum $0.05", "at most 5 words", "concession limit $0.05", "deal by turn 5", "style only")
    ]


def test_roles_that_make_every_deal_impossible_are_never_dealt():
    assert possible((Role(kind=MINIMUM, limit=120), Role(kind=MINIMUM, limit=80)), 200)
    assert not possible((Role(kind=MINIMUM, limit=121), Role(kind=MINIMUM, limit=80)), 200)
    seen = set()
    for seed in range(3000):
        rng = random.Random(seed)
        pot, turns = rng.randint(10, 1000), rng.randint(3, 20)
        roles = draw_roles(pot, turns, rng)
        seen.add(tuple(role.kind for role in roles))
        least = [role.limit if role.kind == MINIMUM else 0 for role in roles]
        assert sum(least) <= pot
        state = get_game("two_dollar", {"turns": turns, "pot_low": pot, "pot_high": pot}).new_state(0)
        state.secret = roles
        say(state, f"[{propose(pot - least[1])}]", "[Accept]")  # a deal that keeps both roles
        assert state.broken == [False, False]
        assert sum(state.payoffs()) == pot
    assert len(seen) == len(KINDS) ** 2


def test_the_pot_is_fixed_or_drawn_and_amounts_follow():
    assert {GAME.new_state(seed).pot for seed in range(100)} == {200}
    states = [VARIABLE.new_state(seed) for seed in range(2000)]
    assert min(state.pot for state in states) < 110
    assert max(state.pot for state in states) > 990
    minimums = [(s.pot, role.limit) for s in states for role in s.secret if role.kind == MINIMUM]
    steps = [(s.pot, role.limit) for s in states for role in s.secret if role.kind == CONCESSION_LIMIT]
    assert all(pot * 30 // 100 <= limit <= pot * 70 // 100 for pot, limit in minimums)
    assert all(pot * 5 // 100 <= limit <= pot * 15 // 100 for pot, limit in steps)
    assert states[0].roles() == tuple(role.kind for role in states[0].secret)
    with pytest.raises(ParameterError, match="pot_low must not exceed pot_high"):
        get_game("two_dollar", {"pot_low": 300})
    assert "a pot of 100 to 1000 cents" in VARIABLE.rules(0)


def test_bots():
    for seed in range(300):
        state = play(VARIABLE, seed, ("greedy", "greedy"))
        assert state.broken == [False, False]
    results = [play(GAME, seed, ("greedy", "random")) for seed in range(200)]
    assert not any(state.broken[0] for state in results)
    assert sum(state.returns()[0] for state in results) > 60
    assert {play(GAME, seed).outcome() for seed in range(200)} == {"p0", "p1", "draw"}


def test_a_greedy_bot_after_its_deadline_makes_no_deal():
    state = dealt(Role(kind=DEADLINE, limit=2))
    say(state, "Hm.", "[Propose $0.10]")
    assert GAME.bots()["greedy"](state, 0, random.Random(0)) == "[Reject]"
    say(state, "[Reject]", "Hm.")
    assert "[" not in GAME.bots()["greedy"](state, 0, random.Random(0))


@pytest.mark.parametrize(
    ("game_id", "params"),
    [
        ("two_dollar", {}),
        ("two_dollar-variable_sum", {}),
        ("two_dollar", {"turns": 3}),
        ("two_dollar", {"pot_low": 10, "pot_high": 17, "turns": 7}),
    ],
)
def test_conforms(game_id: str, params: dict[str, int]):
    assert check_game(get_game(game_id, params), seeds=range(5), matches=50) == []
