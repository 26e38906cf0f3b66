"""Every game and variant of the shelf, found there by itself: the contract, and the faults of parsers (10 to 15).

`arena games check --written --nightly` is the same with 10,000 random games and 30,000 hostile replies each.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from games import Game, Issue, State, Utility, get_game
from games.conformance import check_game
from games.conformance.hostile import different, hostile_replies
from games.conformance.many import random_games
from games.conformance.probe import moves_of, playthrough, sample_moves
from games.parsing import normalise
from games.shelf import VARIANTS, WRITTEN, ZERO_SUM
from games.types import Seat

EVERY = (*sorted(WRITTEN), *sorted(VARIANTS))

every_game = pytest.mark.parametrize("game_id", EVERY)


def turns(game: Game, seeds: int = 3, plies: int = 12) -> Iterator[tuple[State, Seat, list[str]]]:
    """Early positions, a seat to move in each, and its answers that differ when normalised."""
    for seed in range(seeds):
        for ply, state in playthrough(game, seed):
            for seat in state.to_move() if ply < plies else ():
                moves = sample_moves(state, seat, random.Random(seed), limit=12)
                yield state, seat, different(move.answer for move in moves)


def listed(game: Game) -> Iterator[tuple[State, Seat, list[str]]]:
    """Those in which the answer is one of a list."""
    return ((state, seat, answers) for state, seat, answers in turns(game) if state.legal(seat))


@every_game
def test_keeps_its_contract(game_id: str):
    assert check_game(get_game(game_id), seeds=range(2), matches=10) == []


@every_game
def test_random_games_keep_the_declared_facts(game_id: str):
    assert list(random_games(get_game(game_id), range(40))) == []


@every_game
def test_hostile_replies_are_no_moves(game_id: str):
    assert list(hostile_replies(get_game(game_id), range(15))) == []


@every_game
def test_its_kind_is_true(game_id: str):
    base = VARIANTS.get(game_id, (game_id, {}))[0]
    spec = get_game(game_id).spec
    assert spec.id == game_id
    assert spec.utility is Utility.ZERO_SUM or base not in ZERO_SUM
    assert "greedy" in get_game(game_id).bots()


@every_game
def test_10_naming_both_options_is_no_answer(game_id: str):
    for state, seat, answers in listed(get_game(game_id)):
        if len(answers) > 1:
            one, other = answers[:2]
            for text in (f"[{one}] [{other}]", f"[{one}] or [{other}]", f"[{one} or {other}]", f"[{one}, {other}]"):
                assert state.parse(seat, text).issue is not Issue.OK, text
            taken = state.parse(seat, f"not [{one}], I play [{other}]").move
            assert taken is not None
            assert taken.answer == other


@every_game
def test_11_the_last_answer_counts_and_two_at_the_end_are_ambiguous(game_id: str):
    for state, seat, answers in listed(get_game(game_id)):
        if len(answers) > 1:
            one, other = answers[:2]
            taken = state.parse(seat, f"First I thought of [{one}].\nBut it is better to play [{other}].").move
            assert taken is not None
            assert taken.answer == other
            assert state.parse(seat, f"Well: [{other}] / [{one}]").issue is Issue.MALFORMED


@every_game
def test_12_an_unusable_answer_is_never_replaced_by_a_legal_one(game_id: str):
    for state, seat, answers in listed(get_game(game_id)):
        one = answers[0]
        for text in (
            f"I would say {one}.",
            f"{one}\n[no such answer, ever]",
            f"[{one}] was good, now [no such answer, ever]",
            f'They told me "go for [{one}]", and I do not know.',
            f"> [{one}]\nI do not know.",
            state.observe(seat).board.replace("[", "(").replace("]", ")"),
            state.game.rules(seat).replace("[", "(").replace("]", ")"),
        ):
            assert state.parse(seat, text).move is None, text


@every_game
def test_13_every_spelling_of_an_answer_is_understood(game_id: str):
    game = get_game(game_id)
    for state, seat, answers in turns(game):
        for one in answers[:4]:
            wanted = state.parse(seat, f"[{one}]").move
            assert wanted is not None, one
            forms = [f"[ {one} ]", f"[{one}].", f"**[{one}]**", f"\\boxed{{{one}}}", f"\\boxed{{\\text{{{one}}}}}"]
            forms += [f"[\n{one}\n]", f"\\boxed{{\n  {one}\n}}", f"$\\boxed{{{one}}}$", f"I am sure.\n[{one}]"]
            if [normalise(each) for each in answers].count(normalise(one)) == 1 and game_id != "chess":
                forms.append(f"[{one.title()}]")
            for text in forms:
                taken = state.parse(seat, text).move
                assert taken is not None, text
                assert (taken.answer, taken.action) == (wanted.answer, wanted.action), text


@every_game
def test_14_truncated_malformed_and_illegal_are_told_apart(game_id: str):
    game = get_game(game_id)
    for state, seat, answers in turns(game):
        assert state.parse(seat, "I think that", truncated=True).issue is Issue.TRUNCATED
        if state.legal(seat) is None:
            continue
        one = answers[0]
        assert state.parse(seat, f"I think [{one[:1]}", truncated=True).issue is Issue.TRUNCATED
        assert state.parse(seat, f"[{one}] and then I", truncated=True).issue is Issue.OK
        assert state.parse(seat, "I think").issue is Issue.NO_ANSWER
        assert state.parse(seat, "[no such answer, ever]").issue is Issue.MALFORMED
        assert state.parse(seat, f"I think [{one}").issue is Issue.MALFORMED


@every_game
def test_14_an_answer_of_the_game_that_is_not_allowed_now_is_illegal(game_id: str):
    game = get_game(game_id)
    known = {normalise(one) for _, _, answers in listed(game) for one in answers}
    found = set()
    for state, seat, _ in listed(game):
        allowed = {normalise(move.answer) for move in state.legal(seat) or ()}
        for other in sorted(known - allowed)[:10]:
            found.add(state.parse(seat, f"[{other}]").issue)
    assert Issue.ILLEGAL in found or not found


@every_game
def test_a_seat_that_is_out_is_never_asked_and_never_heard(game_id: str):
    game = get_game(game_id)
    for seed in range(10):
        out: set[Seat] = set()
        told = dict.fromkeys(range(game.spec.seats), 0)
        for _, state in playthrough(game, seed):
            living = getattr(state, "living", None)
            if living is None:
                return
            assert set(state.to_move()) <= set(living)
            events = state.observe(0).events
            assert not {event.speaker for event in events[told[0] :]} & out
            told[0] = len(events)
            out = set(range(game.spec.seats)) - set(living)
            for seat in state.to_move():
                for gone in out:
                    assert f"vote: {gone}" not in {normalise(move.answer) for move in state.legal(seat) or ()}
            if state.to_move():
                moves = moves_of(state, random.Random(seed))
                assert not set(moves) & out
