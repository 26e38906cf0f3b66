"""Werewolf: secrets of the night stay secret, the dead do nothing, and the game always goes on to an end."""

from __future__ import annotations

import random
import re

import pytest
from games_helpers import say

from games import Dynamics, GameOverError, IllegalMoveError, Issue, Move, ParameterError, State, Utility, get_game
from games.conformance import check_game
from games.joint import most_named
from games.werewolf_bots import accusations
from games.werewolf_state import WerewolfState
from games.werewolf_table import Phase

GAME = get_game("werewolf")
TWO = get_game("werewolf", {"players": 7, "wolves": 2})


def dealt(*roles: str, **params: int) -> WerewolfState:
    """A match in which the seats have these roles, and player 0 speaks first on day 1."""
    count = {f"{role}s": roles.count(role) for role in ("seer", "doctor")} | {"wolves": roles.count("wolf")}
    state = get_game("werewolf", {"players": len(roles), **count, "wolf_talk": 0, **params}).new_state(0)
    assert isinstance(state, WerewolfState)
    state.dealt, state.first = roles, 0
    return state


def act(state: State, **named: int) -> None:
    """Each seat to move names a player: `act(state, p0=3, p2=3)`."""
    moves = {}
    for seat in state.to_move():
        parsed = state.parse(seat, f"[{named[f'p{seat}']}]")
        assert parsed.move is not None, parsed
        moves[seat] = parsed.move
    assert set(moves) == {int(key[1:]) for key in named}
    state.apply(moves)


def talk(state: State) -> None:
    while state.to_move() and len(state.to_move()) == 1:
        say(state, "Hm.")


SIX = ("wolf", "seer", "doctor", "villager", "villager", "villager")
SEVEN = ("wolf", "wolf", "seer", "doctor", "villager", "villager", "villager")


def last(state: State, seat: int) -> str:
    return state.observe(seat).events[-1].text


def test_declared_facts():
    spec = GAME.spec
    assert spec.roles == tuple(f"player {seat}" for seat in range(6))
    assert (spec.utility, spec.dynamics) == (Utility.GENERAL_SUM, Dynamics.SIMULTANEOUS)
    assert spec.outcomes == ("wolves", "villagers")
    assert get_game("werewolf-changed_roles").deck == ("wolf",) * 2 + ("seer",) * 2 + ("villager",) * 4


def test_roles_are_dealt_uniformly_and_recorded():
    wolf_seats = [GAME.new_state(seed).roles().index("wolf") for seed in range(1200)]
    assert all(abs(wolf_seats.count(seat) - 200) < 65 for seat in range(6))  # five standard deviations
    assert sorted(GAME.new_state(5).roles()) == sorted(SIX)


def test_a_night_a_day_and_a_vote():
    state = dealt(*SIX)
    assert state.to_move() == (0, 1, 2)
    assert [move.answer for move in state.legal(0)] == [f"Kill: {n}" for n in (1, 2, 3, 4, 5)]
    assert state.observe(1).ask == "Night 1: choose whom to inspect."
    act(state, p0=5, p1=0, p2=2)
    assert last(state, 3) == "Morning of day 1: player 5 is dead; it was a villager."
    assert state.observe(1).events[-2].text == "Night 1: player 0 is a wolf."
    assert state.observe(1).board.endswith("You know: player 0 is a wolf.")
    assert state.phase is Phase.TALK
    spoke = []
    while len(state.to_move()) == 1:
        spoke.append(state.to_move()[0])
        say(state, "I suspect nobody.")
    assert spoke == [0, 1, 2, 3, 4]
    assert state.to_move() == (0, 1, 2, 3, 4)
    act(state, p0=1, p1=0, p2=0, p3=1, p4=0)
    assert last(state, 5) == "The villagers win."
    assert state.observe(5).events[-2].text == (
        "Votes of day 1: player 0 for 1, player 1 for 0, player 2 for 0, player 3 for 1, player 4 for 0. "
        "Player 0 is out; it was a wolf."
    )
    assert state.returns() == (-1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    assert state.outcome() == "villagers"
    with pytest.raises(GameOverError):
        state.apply({1: Move(answer="Vote: 2")})


def test_wolves_win_when_they_are_as_many_as_the_others():
    state = dealt(*SIX)
    act(state, p0=1, p1=3, p2=2)
    talk(state)
    act(state, p0=2, p2=3, p3=2, p4=2, p5=2)  # a villager's side votes out its doctor
    assert state.to_move() == (0,)
    act(state, p0=3)
    talk(state)
    act(state, p0=4, p4=5, p5=4)  # the wolf and one villager are left
    assert state.outcome() == "wolves"
    assert state.returns() == (1.0, -1.0, -1.0, -1.0, -1.0, -1.0)
    assert state.measures() == {"days": 2.0, "wolves_left": 1.0, "living": 2.0}


def test_wolves_that_disagree_and_a_doctor_that_is_right_look_the_same():
    texts = []
    for named in ({"p0": 4, "p1": 5, "p2": 3, "p3": 3}, {"p0": 4, "p1": 4, "p2": 3, "p3": 4}):
        state = dealt(*SEVEN)
        act(state, **named)
        texts.append([state.observe(seat) for seat in (4, 5, 6)])
        assert state.living == list(range(7))
    assert texts[0] == texts[1]
    assert texts[0][0].events[-1].text == "Morning of day 1: nobody died."


def test_who_is_told_what_at_night():
    state = dealt(*SEVEN)
    assert state.observe(0).facts == "Your role: wolf. Other wolves: player 1."
    assert state.observe(4).facts == "Your role: villager."
    act(state, p0=4, p1=5, p2=1, p3=6)
    private = {seat: [event.text for event in state.observe(seat).events[:-1]] for seat in range(7)}
    wolves = "Night 1, wolves: player 0 chose player 4, player 1 chose player 5."
    assert private == {
        0: [wolves],
        1: [wolves],
        2: ["Night 1: player 1 is a wolf."],
        3: ["Night 1: you protected player 6."],
        4: [],
        5: [],
        6: [],
    }
    assert state.render(4).count("?") == 6
    assert state.render(0).count("?") == 5
    assert "?" not in state.render(None)


def test_wolves_talk_among_themselves_first():
    state = dealt(*SEVEN, wolf_talk=1)
    state.phase = Phase.HOWL  # the roles were dealt after it was made
    assert state.to_move() == (0, 1)
    assert state.observe(0).ask == "Night 1: speak to the other wolves alone."
    sleeping = [state.observe(seat) for seat in range(2, 7)]
    state.apply({0: state.parse(0, "Player 4?").move, 1: state.parse(1, "Or player 5.").move})
    assert [state.observe(seat).events for seat in range(2, 7)] == [seen.events for seen in sleeping]
    assert [(event.speaker, event.text) for event in state.observe(1).events] == [
        (None, "Night 1, said among the wolves alone:"),
        (0, "Player 4?"),
        (1, "Or player 5."),
    ]
    assert state.to_move() == (0, 1, 2, 3)
    act(state, p0=4, p1=4, p2=0, p3=2)
    talk(state)
    act(state, p0=2, p1=2, p2=0, p3=0, p5=0, p6=0)
    assert state.phase is Phase.NIGHT  # a wolf alone has nobody to talk to
    assert state.to_move() == (1, 2, 3)


def test_a_dead_seer_and_doctor_stop_nothing():
    """Fault 7: a role whose death stops the night phase for ever; a dead player's pending vote that still counts."""
    state = dealt(*SIX, days=5)
    act(state, p0=1, p1=3, p2=3)
    talk(state)
    with pytest.raises(IllegalMoveError, match="players 0, 2, 3, 4, 5 are to move; moves came from"):
        state.apply({seat: Move(answer="Vote: 2") for seat in (0, 1, 3, 4, 5)})
    act(state, p0=2, p2=0, p3=2, p4=2, p5=0)
    assert last(state, 1).endswith("Player 2 is out; it was a doctor.")
    assert state.to_move() == (0,)
    assert (state.observe(1).ask, state.legal(1)) == ("", ())
    board = state.observe(1).board
    assert board.startswith("Living players: 0, 3, 4, 5. Dead: 1 (seer), 2 (doctor).")
    assert board.endswith("You are dead.")
    act(state, p0=3)
    assert last(state, 0) == "Morning of day 2: player 3 is dead; it was a villager."
    assert 3 not in state.queue


def test_a_tie_votes_nobody_out_and_the_last_day_is_the_wolves():
    state = dealt(*SIX, days=1)
    act(state, p0=3, p1=2, p2=3)
    assert last(state, 0) == "Morning of day 1: nobody died."
    talk(state)
    act(state, p0=1, p1=0, p2=1, p3=0, p4=5, p5=4)
    assert state.observe(3).events[-2].text.endswith("A tie: nobody is out.")
    assert state.outcome() == "wolves"


def test_most_named():
    assert most_named({0: 3, 1: 3, 2: 4}) == 3
    assert most_named({0: 3, 1: 4}) is None
    assert most_named({0: 3}) == 3
    assert most_named({}) is None


@pytest.mark.parametrize(
    ("seat", "reply", "issue"),
    [
        (0, "[Kill: 0]", Issue.ILLEGAL),
        (0, "[Kill: 1]", Issue.ILLEGAL),  # a fellow wolf
        (0, "[Vote: 4]", Issue.ILLEGAL),
        (0, "[Kill: 9]", Issue.MALFORMED),
        (0, "[Kill]", Issue.MALFORMED),
        (0, "[Kill: 4] or [Kill: 5]", Issue.MALFORMED),
        (0, "player 4", Issue.NO_ANSWER),
        (2, "[Inspect: 2]", Issue.ILLEGAL),
        (3, "[Protect: 3]", Issue.OK),
        (0, "[kill player 4]", Issue.OK),
        (4, "[Vote: 1]", Issue.ILLEGAL),  # asleep
    ],
)
def test_replies(seat: int, reply: str, issue: Issue):
    parsed = dealt(*SEVEN).parse(seat, reply)
    assert parsed.issue is issue
    assert bool(parsed.hint) == (issue is not Issue.OK)


def test_the_dead_cannot_be_named():
    state = dealt(*SIX)
    act(state, p0=5, p1=3, p2=3)
    talk(state)
    parsed = state.parse(0, "[Vote: 5]")
    assert parsed.issue is Issue.ILLEGAL
    assert parsed.hint == "[Vote: 5] is not allowed now. Allowed: [Vote: 1] [Vote: 2] [Vote: 3] [Vote: 4]."


def test_a_forfeit_is_lost_by_the_team_of_the_seat():
    state = dealt(*SEVEN)
    assert state.forfeit_returns(1) == (-1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    assert state.forfeit_returns(4) == (1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0)


def longest(game, seed: int) -> int:
    """Moves of a match in which nobody dies that need not."""
    state, moves = game.new_state(seed), 0
    while seats := state.to_move():
        moves += len(seats)
        if state.phase in (Phase.HOWL, Phase.TALK):
            state.apply({seat: state.parse(seat, "Hm.").move for seat in seats})
            continue
        villagers = [seat for seat in state.living if state.dealt[seat] == "villager"]
        named = {}
        wolves = 0
        for seat in seats:
            targets = state.targets(seat)
            if state.phase is Phase.VOTE:  # everybody the next one round the table
                target = targets[sum(other < seat for other in targets) % len(targets)]
            elif state.dealt[seat] == "wolf":
                prey = [target for target in targets if target in villagers] or list(targets)
                target = prey[wolves % len(prey)]
                wolves += 1
            else:
                target = min(villagers) if villagers and min(villagers) in targets else targets[0]
            named[f"p{seat}"] = target
        act(state, **named)
    return moves


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"players": 7, "wolves": 2, "seers": 0, "doctors": 0},
        {"players": 5, "wolves": 1, "seers": 2, "doctors": 0, "days": 9},
        {"players": 9, "wolves": 1, "seers": 1, "doctors": 0, "days": 3},
        {"players": 8, "wolves": 3, "talk": 2, "days": 2, "wolf_talk": 2},
    ],
)
def test_max_turns_is_reached_and_never_passed(params):
    """Fault 3: "K turns" that last K+1."""
    game = get_game("werewolf", params)
    assert longest(game, 0) == game.spec.max_turns


def full_match(game, seed: int, bots: tuple[str, str]) -> WerewolfState:
    """Wolves play as `bots[0]`, all others as `bots[1]`."""
    state = game.new_state(seed)
    rng = random.Random(f"test/{seed}")
    while seats := state.to_move():
        names = {seat: bots[state.team(seat) == "villagers"] for seat in seats}
        state.apply({seat: state.parse(seat, game.bots()[names[seat]](state, seat, rng)).move for seat in seats})
    return state


def test_greedy_beats_random_on_either_side():
    wins = {
        bots: sum(full_match(GAME, seed, bots).outcome() == "wolves" for seed in range(150))
        for bots in (("random", "random"), ("greedy", "random"), ("random", "greedy"), ("greedy", "greedy"))
    }
    assert wins["random", "greedy"] < wins["random", "random"] <= wins["greedy", "random"]
    assert 30 < wins["greedy", "greedy"] < 120  # neither side is lost from the start


def test_greedy_listens():
    state = dealt(*SIX)
    act(state, p0=5, p1=0, p2=3)
    say(state, "I suspect player 3.", "I am the seer. Player 0 is a wolf.", "So it is.", "Ok.", "Ok.")
    assert dict(accusations(state, 4)) == {3: 1, 0: 3}
    greedy, rng = GAME.bots()["greedy"], random.Random(0)
    assert [greedy(state, seat, rng) for seat in (1, 2, 3, 4)] == ["[Vote: 0]"] * 4
    assert re.fullmatch(r"\[Vote: [1-4]\]", greedy(state, 0, rng))


def test_impossible_parameters_are_refused():
    with pytest.raises(ParameterError, match="players=5, wolves=2, seers=1, doctors=1; after the first night"):
        get_game("werewolf", {"players": 5, "wolves": 2})
    with pytest.raises(ParameterError, match="a villager must be left"):
        get_game("werewolf", {"players": 5, "seers": 2, "doctors": 2})


def test_views_of_villagers_do_not_tell_who_acted():
    """Nights of other roles and other choices that end alike read alike to those who slept."""
    state = dealt(*SEVEN)
    other = dealt("seer", "doctor", "wolf", "wolf", "villager", "villager", "villager")
    act(state, p0=6, p1=6, p2=4, p3=5)
    act(other, p0=2, p1=4, p2=6, p3=6)
    for seat in (4, 5):
        assert state.observe(seat) == other.observe(seat)
        assert state.render(seat) == other.render(seat)


@pytest.mark.parametrize(
    "params",
    [{}, {"players": 7, "wolves": 2}, {"players": 9, "wolves": 3, "talk": 0}, {"players": 5, "seers": 0, "doctors": 0}],
)
def test_conformance(params):
    assert check_game(get_game("werewolf", params), seeds=range(3), matches=20) == []
