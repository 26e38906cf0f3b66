"""Backgammon: dice are told, moves are read as people write them, and the rules are OpenSpiel's."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from games_helpers import play, say

from games import Issue, get_game
from games.backgammon_notation import BAR, OFF, read
from games.backgammon_state import BackgammonState
from games.conformance import check_game

GAME = get_game("backgammon")


def chance(player: int | None, roll: str) -> int:
    """OpenSpiel's number of a roll; of the opening roll for the player who starts with it."""
    state = GAME.pyspiel_game.new_initial_state()
    if player is None:
        state.apply_action(0)
        state.apply_action(state.legal_actions()[0])
    for action, _ in state.chance_outcomes():
        text = state.action_to_string(action)
        if sorted(text[-3:-1]) == sorted(roll) and (player is None or f"{'XO'[player]} starts" in text):
            return action
    raise AssertionError(roll)


def rolled(first: int, *script: str) -> BackgammonState:
    """A match whose rolls and moves are given: `62` rolls, anything else moves."""
    state = BackgammonState(GAME, GAME.pyspiel_game.new_initial_state(), 0)
    state.step(chance(first, script[0]))
    for item in script[1:]:
        if item.isdigit():
            state.step(chance(None, item))
        else:
            (seat,) = state.to_move()
            parsed = state.parse(seat, f"[{item}]")
            assert parsed.move is not None, (item, parsed)
            state.step(parsed.move.action)
    return state


def test_rolls_and_moves_are_told():
    state = rolled(0, "62", "24/18 13/11", "55")
    assert [event.text for event in state.observe(1).events] == [
        "Player 0 rolled 6 and 2 and starts.",
        "Player 0: 24/18 13/11.",
        "Player 1 rolled 5 and 5.",
    ]
    assert state.board(1) == (
        "X (point:checkers) 24:1 18:1 13:4 11:1 8:3 6:5; bar 0, off 0.\n"
        "O (point:checkers) 1:2 12:5 17:3 19:5; bar 0, off 0.\nPlayer 1 plays 5 and 5."
    )
    say(state, "[12/17(2)]")
    assert state.to_move() == (1,)
    assert state.board(0).endswith("Player 1 plays 5 and 5, second half of the double.")
    assert state.render(0).startswith(
        " 13 14 15 16 17 18 | 19 20 21 22 23 24\n X4  .  .  . O5 X1 | O5  .  .  .  . X1\n"
        " O3 X1  .  . X3  . | X5  .  .  .  . O2\n 12 11 10  9  8  7 |  6  5  4  3  2  1\n"
    )


def test_a_hit_is_starred_and_the_checker_enters_from_the_bar():
    state = rolled(0, "21", "13/11 6/5", "42", "1/5 1/3", "65")
    assert state.observe(0).events[3].text == "Player 1: 1/3 1/5*."
    assert state.points(0)[BAR] == 1
    assert {steps[0][0] for steps in state.steps().values()} == {BAR}
    assert state.board(0).startswith("X (point:checkers) 24:2 13:4 11:1 8:3 6:4; bar 1, off 0.\n")
    say(state, "[bar/20 24/18]")
    state = rolled(1, "21", "12/14 19/20", "42", "24/20 24/22")  # the same from the other side
    assert state.observe(1).events[3].text == "Player 0: 24/22 24/20*."
    assert state.points(1)[BAR] == 1


def test_numbers_are_the_same_for_both_players():
    state = rolled(1, "31", "17/20 19/20")
    assert state.points(1) == {
        24 - place: count for place in range(24) if (count := state.pyspiel_state.board(1, place))
    }
    assert state.points(1) == {1: 2, 12: 5, 17: 2, 19: 4, 20: 2}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("13/7 13/11", "13/11 13/7"),
        ("13/11, 13/7", "13/11 13/7"),
        ("13/11* 13/7", "13/11 13/7"),
        ("24/22/16", "24/22 22/16"),
        ("24/16", "24/18 18/16"),
        ("24/18 6/4", "24/18 6/4"),
        ("6/4; 24/18", "24/18 6/4"),
    ],
)
def test_spellings(text: str, meaning: str):
    parsed = rolled(0, "62").parse(0, f"\\boxed{{\\text{{{text}}}}}.")
    assert parsed.move is not None, parsed
    assert set(parsed.move.answer.split()) == set(meaning.split())


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("13/8", Issue.ILLEGAL),
        ("13/11", Issue.ILLEGAL),
        ("13/7(2)", Issue.ILLEGAL),
        ("24/18 13/12", Issue.ILLEGAL),
        ("pass", Issue.ILLEGAL),
        ("bar/20", Issue.ILLEGAL),
        ("25/20", Issue.MALFORMED),
        ("13", Issue.MALFORMED),
        ("off/3", Issue.MALFORMED),
        ("13-7 13-11", Issue.MALFORMED),
        ("6 2", Issue.MALFORMED),
    ],
)
def test_refusals(text: str, issue: Issue):
    parsed = rolled(0, "62").parse(0, f"[{text}]")
    assert parsed.issue is issue
    assert "Allowed: [" in parsed.hint


def test_a_joined_step_is_refused_where_the_way_matters():
    """24/21 by 1 and 2 hits on 23 or on 22, or on neither: where it may hit, the reader must say which."""
    state = rolled(0, "31", "8/5 6/5", "21", "1/2 1/3", "21")
    assert state.parse(0, "[5/2]").issue is Issue.ILLEGAL
    assert state.parse(0, "[5/4/2]").issue is Issue.OK
    assert state.parse(0, "[13/10]").issue is Issue.OK


def test_notation():
    assert read("Bar/20 6/Off") == ((BAR, 20), (6, OFF))
    assert read("8/5(2)") == ((8, 5), (8, 5))
    assert read("8/5*/3") == ((8, 5), (5, 3))
    assert read("pass") == ()
    assert [
        read(text)
        for text in ("", "8", "8/5(9)", "1/2 " * 20_000, "8/" * 40_000 + "8", "٨/٥", "0/3", "bar", "3/off/2", "5/bar")
    ] == [None] * 10


def test_moves_that_mean_the_same_are_listed_once():
    """Every action of OpenSpiel has its answer here, and those with one answer lead to one position."""
    for seed in range(8):
        rng = random.Random(seed)
        state = GAME.new_state(seed)
        while seats := state.to_move():
            (seat,) = seats
            positions: dict[str, set[str]] = {}
            for action in state.pyspiel_state.legal_actions():
                after = state.pyspiel_state.child(action)
                positions.setdefault(state.answer(seat, action), set()).add(str(after))
            assert all(len(same) == 1 for same in positions.values())
            assert {move.answer for move in state.legal(seat)} == set(positions)
            assert len(state.legal(seat)) == len(positions)
            state.apply({seat: rng.choice(state.legal(seat))})


def test_parity_with_openspiel_on_random_trajectories():
    for seed in range(100):
        state = GAME.new_state(seed)
        rng = random.Random(f"parity/{seed}")
        while seats := state.to_move():
            (seat,) = seats
            legal = state.pyspiel_state.legal_actions()
            assert {move.action for move in state.legal(seat)} <= set(legal)
            state.step(rng.choice(legal))  # also those that are not listed
            state.draw_chance()
            assert sum(state.points(0).values()) + state.off(0) == 15
        reference = GAME.pyspiel_game.new_initial_state()
        for action in state.to_json()["history"]:
            assert action in reference.legal_actions()
            reference.apply_action(action)
        assert reference.is_terminal()
        assert list(state.returns()) == reference.returns()
        winner = int(state.returns()[1] > 0)
        assert (state.off(winner), state.points(winner)) == (15, {})
        assert f"off {state.off(1 - winner)}." in state.board(0)
        assert state.board(1).endswith(f"\nPlayer {winner} has won.")


def test_dice_of_many_seeds_are_fair_and_the_opening_is_no_double():
    opening: Counter[str] = Counter()
    second: Counter[str] = Counter()
    starts = 0
    for seed in range(3000):
        state = GAME.new_state(seed)
        opening[state.observe(0).events[0].text.split(" rolled ")[1]] += 1
        (seat,) = state.to_move()
        starts += seat
        state.apply({seat: state.legal(seat)[0]})
        second[state.observe(0).events[2].text.split(" rolled ")[1]] += 1
    assert abs(starts - 1500) < 140
    assert len(opening) == 15
    assert all(abs(count - 200) < 70 for count in opening.values())
    doubles = {roll: count for roll, count in second.items() if roll[0] == roll[-2]}
    assert len(doubles) == 6
    assert all(abs(count - 3000 / 36) < 46 for count in doubles.values())
    assert len(second) == 21


@pytest.mark.parametrize("turns", [2, 3, 7])
def test_k_turns_are_k(turns: int):
    game = get_game("backgammon", {"max_player_turns": turns})
    longest = 0
    for seed in range(300):
        state = play(game, seed)
        rolls = [event for event in state.observe(0).events if "rolled" in event.text]
        assert len(rolls) == turns
        assert (state.returns(), state.outcome()) == ((0.0, 0.0), "draw")
        assert state.board(0).endswith("\nDraw: the turns have run out.")
        moves = len(state.observe(0).events) - turns
        longest = max(longest, moves)
        assert moves <= game.spec.max_turns
    assert turns == 7 or longest == game.spec.max_turns


def test_scoring():
    worth = {"single": {1}, "gammon": {1, 2}, "backgammon": {1, 2, 3}}
    for scoring, values in worth.items():
        game = get_game("backgammon", {"scoring": scoring})
        assert (game.spec.min_return, game.spec.max_return) == (-max(values), max(values))
        seen = set()
        for seed in range(60):
            state = play(game, seed)
            winner = int(state.returns()[1] > 0)
            value = state.returns()[winner]
            seen.add(value)
            assert isinstance(state, BackgammonState)
            gammon = state.off(1 - winner) == 0
            home = range(1, 7) if winner == 0 else range(19, 25)
            back = gammon and any(point == BAR or point in home for point in state.points(1 - winner))
            assert value == min(max(values), 3 if back else 2 if gammon else 1)
        assert seen == values


def test_greedy():
    greedy = GAME.bots()["greedy"]
    assert greedy(rolled(0, "31"), 0, random.Random(0)) in ("[8/5 6/5]", "[6/5 8/5]")  # makes its five point
    hit = rolled(0, "21", "13/11 6/5", "43")
    assert "1/5" in greedy(hit, 1, random.Random(0))
    wins = sum(play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(20))
    assert wins >= 16
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, random.Random(0))


def test_conformance():
    assert check_game(GAME, seeds=range(2), matches=6) == []
    assert check_game(get_game("backgammon", {"scoring": "backgammon", "max_player_turns": 12}), matches=20) == []
