"""Nim in both conventions: the rules say which, and the winner is Bouton's."""

from __future__ import annotations

import itertools
import random
from functools import cache, reduce
from operator import xor

import pytest
from games_helpers import play, say
from parity import beside_openspiel

from games import Issue, State, get_game
from games.conformance import check_game
from games.errors import ParameterError
from games.nim import first_wins, piles_of

GAME = get_game("nim")
CONVENTIONS = pytest.mark.parametrize("misere", [True, False])


def after(moves: str, piles: str = "1;3;5;7", misere: bool = True):
    state = get_game("nim", {"pile_sizes": piles, "is_misere": misere}).new_state(0)
    say(state, *(f"[take {move.replace('/', ' from ')}]" for move in moves.split()))
    return state


def test_the_board_and_what_is_told():
    state = after("2/3 3/2")
    assert state.board(0) == state.board(1) == "Pile 1: 1, pile 2: 0, pile 3: 3, pile 4: 7."
    assert [event.text for event in state.observe(1).events] == [
        "Player 0 took 2 from pile 3.",
        "Player 1 took 3 from pile 2.",
    ]
    for text in ("[take 1 from 2]", "[take 4 from 3]", "[4 from 3]", "[take 4 from pile 3]"):
        assert state.parse(0, text).issue is Issue.ILLEGAL, text
    for text in ("[take 8 from 4]", "[take 0 from 4]", "[take 1 from 5]", "[take -1 from 4]", "[take 1.5 from 4]"):
        assert state.parse(0, text).issue is Issue.MALFORMED, text
    for text in ("[take 2 from 4]", "[Take 2 from 4]", "[2 from 4]", "[take 2 from pile 4]"):
        assert state.parse(0, text).move.answer == "take 2 from 4", text


@pytest.mark.parametrize(("misere", "word", "winner"), [(True, "loses", "p1"), (False, "wins", "p0")])
def test_the_last_stone_decides_and_the_rules_say_how(misere: bool, word: str, winner: str):
    state = after("2/1 3/2 1/1", "3;3", misere)
    assert state.to_move() == ()
    assert state.outcome() == winner
    assert f"Whoever takes the very last stone {word}." in state.game.rules(0)
    assert "3;3" in state.game.rules(0)


@CONVENTIONS
def test_the_winner_by_xor(misere: bool):
    """Every position of up to three piles of up to four, by search over the game itself, against the theorem."""

    def value(state: State) -> float:
        (seat,) = state.to_move()
        for move in state.legal(seat):
            child = state.clone()
            child.apply({seat: move})
            if wins(tuple(sorted(child.piles())), child) != seat:
                continue
            return seat
        return 1 - seat

    known: dict[tuple[tuple[int, ...], int], int] = {}

    def wins(piles: tuple[int, ...], state: State) -> int:
        """The seat that wins."""
        if not state.to_move():
            return int(state.outcome()[1])
        key = piles, state.to_move()[0]
        if key not in known:
            known[key] = value(state)
        return known[key]

    checked = 0
    for count in (1, 2, 3):
        for piles in itertools.combinations_with_replacement(range(1, 5), count):
            if piles == (1,):
                continue  # no game; it is reached from others
            state = get_game("nim", {"pile_sizes": ";".join(map(str, piles)), "is_misere": misere}).new_state(0)
            winner = wins(piles, state)
            assert (winner == 0) == first_wins(piles, misere=misere), piles
            total = reduce(xor, piles)
            assert (winner == 0) == (total == 0 if misere and max(piles) == 1 else total != 0)
            checked += 1
    assert checked == 3 + 10 + 20


@CONVENTIONS
def test_the_default_piles_are_lost_for_the_first_seat(misere: bool):
    assert not first_wins((1, 3, 5, 7), misere=misere)


@CONVENTIONS
def test_playing_by_xor_never_loses_a_won_position(misere: bool):
    game = get_game("nim", {"pile_sizes": "2;3;5;7", "is_misere": misere})
    for seed in range(100):
        state, rng = game.new_state(seed), random.Random(seed)
        while seats := state.to_move():
            moves = state.legal(seats[0])
            if seats == (0,):
                moves = [move for move in moves if not first_wins(state.piles_after(move.action), misere=misere)]
            state.apply({seats[0]: rng.choice(moves)})
        assert state.outcome() == "p0"


@CONVENTIONS
@pytest.mark.parametrize("piles", ["1;3;5;7", "4", "1;1;1", "10;2;10"])
def test_parity_with_openspiel(piles: str, misere: bool):
    for state, reference in beside_openspiel("nim", {"pile_sizes": piles, "is_misere": misere}, 40):
        left = [int(number) for number in reference.observation_string(0).split(": ")[1].split()]
        assert list(state.piles()) == left
        if not reference.is_terminal():
            (seat,) = state.to_move()
            for move in state.legal(seat):
                child = state.clone()
                child.apply({seat: move})
                _, taken, _, pile = move.answer.split()
                assert child.piles()[int(pile) - 1] == left[int(pile) - 1] - int(taken)


@cache
def refused(text: str) -> str:
    with pytest.raises(ParameterError) as caught:
        get_game("nim", {"pile_sizes": text})
    return str(caught.value)


@pytest.mark.parametrize(
    "text", ["", ";", "1;", "0;1", "1,2", "-1", "1;31", "1; 2", "1", "01;2", "1;100", "a", "١", ";".join("1" * 11)]
)
def test_piles_that_cannot_be_are_refused(text: str):
    assert f"pile_sizes={text!r} is not a list like '1;3;5;7' of 1 to 10 piles of 1 to 30, two" in refused(text)


def test_length_is_the_number_of_stones():
    assert GAME.spec.max_turns == 16
    assert piles_of("30;1") == (30, 1)
    assert get_game("nim", {"pile_sizes": "2;2"}).spec.max_turns == 4


@CONVENTIONS
def test_greedy_plays_the_last_two_piles_well(misere: bool):
    greedy = GAME.bots()["greedy"]
    for one, two in itertools.product(range(6), range(1, 6)):
        piles = tuple(size for size in (one, two) if size)
        if piles == (1,):
            continue
        state = after("", ";".join(map(str, piles)), misere)
        move = state.parse(0, greedy(state, 0, random.Random(0))).move
        if first_wins(piles, misere=misere):
            assert not first_wins(state.piles_after(move.action), misere=misere)
    game = get_game("nim", {"is_misere": misere})
    for seats in (("greedy", "random"), ("random", "greedy")):
        won = sum(play(game, seed, seats).returns()[seats.index("greedy")] for seed in range(60))
        assert won >= 30  # of 60
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, random.Random(0))


@pytest.mark.parametrize(
    "params", [{}, {"is_misere": False}, {"pile_sizes": "2"}, {"pile_sizes": "30;30", "is_misere": False}]
)
def test_conformance(params: dict[str, object]):
    assert check_game(get_game("nim", params), seeds=range(3), matches=20) == []
