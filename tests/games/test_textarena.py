"""TextArena's environments as games; all but the first test need the extra `textarena` and are skipped without it."""

from __future__ import annotations

import importlib.util
import json
import pickle
import random

import pytest

from games import Issue, ParameterError, State, UnknownGameError, Utility, get_game, textarena
from games.conformance import CHECKS
from games.conformance.many import random_games
from games.conformance.probe import Probe, playthrough, snapshot

KEPT = ("facts", "endings", "roles and forfeits", "measures", "turns", "determinism", "global random numbers")
KEPT += ("round trip", "clone", "events", "movers", "wrong moves", "rules by seat")
"""Checks of the contract that the adapter keeps; its docstring names what it does not."""

installed = pytest.mark.skipif(
    importlib.util.find_spec("textarena") is None,
    reason="TextArena is not installed (pip install 'selfplay-arena[textarena]'), so its adapter is not tested",
)


def test_without_the_library_its_games_are_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(textarena, "_library", lambda: None)
    assert textarena.textarena_ids() == ()
    with pytest.raises(UnknownGameError) as caught:
        textarena.load_textarena("textarena/TicTacToe-v0", {})
    assert str(caught.value) == (
        "textarena/TicTacToe-v0: TextArena is not installed: pip install 'selfplay-arena[textarena]'."
    )


def say(state: State, *replies: str) -> None:
    for reply in replies:
        (seat,) = state.to_move()
        parsed = state.parse(seat, reply)
        assert parsed.move is not None, parsed
        state.apply({seat: parsed.move})


@installed
def test_it_is_named_and_refused_like_any_other():
    assert "textarena/TicTacToe-v0" in textarena.textarena_ids()
    assert not any(name.endswith(("-raw", "-train")) for name in textarena.textarena_ids())
    with pytest.raises(UnknownGameError, match=r"Did you mean 'textarena/TicTacToe-v0'\?"):
        get_game("textarena/TicTacTo-v0")
    with pytest.raises(ParameterError, match="players=3 is refused"):
        get_game("textarena/TicTacToe-v0", {"players": 3})
    with pytest.raises(ParameterError, match="Unknown parameter 'size'"):
        get_game("textarena/TicTacToe-v0", {"size": 3})
    game = get_game("textarena/TicTacToe-v0")
    assert game is get_game("textarena/TicTacToe-v0", {"players": 2, "max_turns": 200})
    assert (game.spec.seats, game.spec.utility) == (2, Utility.ZERO_SUM)


@installed
def test_a_match_from_start_to_end():
    state = get_game("textarena/TicTacToe-v0").new_state(1)
    assert state.to_move() == (0,)
    seen = state.observe(0)
    assert seen.facts.startswith("You are Player 0 in Tic Tac Toe.")
    assert "Available Moves: '[0]'" in seen.board
    say(state, "[0]", "I take [3].", "[1]", "[4]")
    assert state.observe(1).events[1].speaker is None
    assert (state.observe(0).events[2].text, state.observe(0).events[2].speaker) == ("I take [3].", 1)
    say(state, "[2]")
    assert (state.to_move(), state.returns(), state.outcome()) == ((), (1.0, -1.0), "p0")
    assert state.measures() == {"payoff/0": 1.0, "payoff/1": -1.0}


@installed
@pytest.mark.parametrize(
    ("text", "issue", "hint"),
    [
        ("[0]", Issue.ILLEGAL, "cell 0 is already occupied."),
        ("[9]", Issue.ILLEGAL, "9. Must be between 0 and 8."),
        ("left", Issue.NO_ANSWER, "The submitted move does not follow the correct format."),
        (" ", Issue.NO_ANSWER, "The reply is empty. Answer in brackets."),
        ("[1]" * 5_000, Issue.MALFORMED, "The reply has 15,000 characters; at most 10,000 are read. Be shorter."),
    ],
)
def test_its_verdicts_are_ours_and_change_nothing(text: str, issue: Issue, hint: str):
    state = get_game("textarena/TicTacToe-v0").new_state(1)
    say(state, "[0]")
    before = snapshot(state)
    parsed = state.parse(1, text)
    assert (parsed.issue, parsed.move, parsed.hint, parsed.raw) == (issue, None, hint, text)
    assert state.parse(1, "I think", truncated=True).issue is Issue.TRUNCATED
    assert snapshot(state) == before
    say(state, "[1]")  # a fault that was only parsed is no strike


@installed
def test_a_match_that_does_not_end_is_ended():
    state = get_game("textarena/TicTacToe-v0", {"max_turns": 3}).new_state(1)
    say(state, "[0]", "[3]", "[1]")
    assert (state.to_move(), state.returns(), state.outcome()) == ((), (0.0, 0.0), "draw")


@installed
def test_seeds_decide_and_the_global_generator_is_put_back():
    game = get_game("textarena/KuhnPoker-v0")
    random.seed(5)
    expected = random.Random(5).random()
    dealt = [game.new_state(seed).observe(0).events for seed in range(12)]
    assert random.random() == expected
    assert len(set(dealt)) > 2
    assert dealt == [game.new_state(seed).observe(0).events for seed in range(12)]


@installed
def test_stored_in_the_middle_it_plays_on():
    game = get_game("textarena/PigDice-v0")
    state = next(state for ply, state in playthrough(game, 3) if ply == 6)
    stored = json.loads(json.dumps(state.to_json()))
    for copy in (game.state_from_json(stored), pickle.loads(pickle.dumps(state)), state.clone()):
        assert snapshot(copy) == snapshot(state)


@installed
@pytest.mark.parametrize(
    "name", ["TicTacToe", "KuhnPoker", "LiarsDice", "SimpleNegotiation", "IteratedPrisonersDilemma"]
)
@pytest.mark.parametrize("check", KEPT)
def test_what_is_kept_is_kept(name: str, check: str):
    game = get_game(f"textarena/{name}-v0", {"max_turns": 12})
    assert list(CHECKS[check](Probe(game=game, seeds=(0, 1), matches=4))) == []


@installed
@pytest.mark.parametrize(
    ("name", "seats"), [("ThreePlayerTicTacToe", 3), ("SecretMafia", 6), ("Secretary", 1), ("Othello", 2)]
)
def test_any_number_of_seats(name: str, seats: int):
    game = get_game(f"textarena/{name}-v0")
    assert game.spec.seats == seats
    assert list(random_games(game, range(2))) == []


@installed
def test_what_cannot_be_loaded_says_why():
    for game_id in textarena.textarena_ids():
        if game_id.startswith("textarena/Debate"):
            with pytest.raises(
                UnknownGameError, match="cannot be played here: ValueError: OpenRouter API key not found"
            ):
                get_game(game_id)
            return
