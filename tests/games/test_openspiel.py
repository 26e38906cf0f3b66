"""`openspiel/<name>`: generic texts, refusals with their reason, chance from a counter, parity with the engine."""

from __future__ import annotations

import json
import pickle
import random

import pyspiel
import pytest
from games_helpers import play

from games import IllegalMoveError, Information, Issue, Move, ParameterError, UnknownGameError, Utility, get_game
from games.openspiel import SpielGame, SpielState, generic_ids
from games.openspiel_catalog import refusal, spec_of


def test_every_game_that_is_offered_can_be_loaded_and_started():
    ids = generic_ids()
    assert len(ids) >= 60
    assert "openspiel/hex" in ids
    assert "openspiel/goofspiel" in ids
    assert not any(name.startswith("openspiel/mfg_") for name in ids)
    for name in ("hex", "leduc_poker", "pig", "twixt", "liars_dice_ir", "hanabi"):
        game = get_game(f"openspiel/{name}")
        state = game.new_state(0)
        (seat,) = state.to_move()
        assert state.observe(seat).board
        assert state.legal(seat)


@pytest.mark.parametrize("game_id", generic_ids())
def test_every_game_that_is_offered_is_played_as_openspiel_plays_it(game_id: str):
    """Thirty moves at random: legal moves are OpenSpiel's, and the stored state is restored."""
    game = get_game(game_id)
    state, rng = game.new_state(1), random.Random(game_id)
    reference = game.pyspiel_game.new_initial_state()
    made = 0
    for _ in range(30):
        for action in state.to_json()["history"][made:] if not reference.is_simultaneous_node() else ():
            reference.apply_action(action)
        made = len(state.to_json()["history"])
        if not state.to_move():
            break
        moves = {}
        for seat in state.to_move():
            legal = state.legal(seat)
            assert [move.action for move in legal] == reference.legal_actions(seat)
            moves[seat] = rng.choice(legal)
            assert state.parse(seat, f"[{moves[seat].answer}]").move == moves[seat]
        state.apply(moves)
        if reference.is_simultaneous_node():
            reference.apply_actions([moves[seat].action if seat in moves else -1 for seat in range(game.spec.seats)])
            made += game.spec.seats
    restored = game.state_from_json(json.loads(json.dumps(state.to_json())))
    assert [restored.observe(seat) for seat in range(game.spec.seats)] == [
        state.observe(seat) for seat in range(game.spec.seats)
    ]
    assert reference.is_terminal() == (not state.to_move())


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mfg_crowd_modelling", "it is a mean-field game"),
        ("misere", "it is made of another game, which cannot be given as key=value"),
        ("repeated_game", "it is made of another game"),
        ("nfg_game", "it is read from a file"),
        ("negotiation", "it draws its chance inside the game object"),
        ("crossword", "its moves have no numbers"),
    ],
)
def test_games_that_cannot_be_offered_are_refused_with_the_reason(name: str, reason: str):
    with pytest.raises(UnknownGameError, match=f"openspiel/{name} cannot be played here: {reason}"):
        get_game(f"openspiel/{name}")


def test_all_refusals_have_a_reason():
    reasons = {name: refusal(name) for name in pyspiel.registered_names()}
    assert sum(reason is None for reason in reasons.values()) == len(generic_ids())
    assert refusal("no_such_game") == "OpenSpiel has no such game"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"row": 4}, "Unknown parameter 'row'. Did you mean 'rows'?"),
        ({"rows": 4.5}, "rows=4.5 must be of type int (default 6)."),
        ({"rows": True}, "rows=True must be of type int (default 6)."),
        ({"rows": -4}, "rows=-4 is outside 1 … 100 (default 6)."),
        ({"rows": 10**9}, "rows=1000000000 is outside 1 … 100 (default 6)."),
    ],
)
def test_wrong_parameters_are_refused_before_openspiel_acts_on_them(params: dict, message: str):
    with pytest.raises(ParameterError) as caught:
        get_game("openspiel/connect_four", params)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("kuhn_poker", {"players": 99}, "players=99 is outside 2 … 10 (default 2)"),
        ("pig", {"players": 0}, "players=0 is outside 2 … 10 (default 2)"),  # would end the process
        ("go_fish", {"initial_cards": 0}, "initial_cards=0 is outside 1 … 13"),  # so would this
        ("universal_poker", {"numRanks": 100}, "numRanks cannot be changed here (default 6): it must fit the others"),
        ("breakthrough", {"columns": 1}, "OpenSpiel refuses {'columns': 1}: cols_ > 1; cols_ = 1, 1 = 1. Defaults: "),
        ("breakthrough", {"columns": 100}, "OpenSpiel refuses {'columns': 100}: "),
        ("hex", {"string_rep": "art"}, "OpenSpiel refuses {'string_rep': 'art'}: "),
        ("nim", {"pile_sizes": "0"}, "OpenSpiel refuses {'pile_sizes': '0'}: "),
    ],
)
def test_what_openspiel_cannot_play_is_refused_and_not_met_in_a_match(name: str, params: dict, message: str):
    with pytest.raises(ParameterError) as caught:
        get_game(f"openspiel/{name}", params)
    assert message in str(caught.value)


def test_defaults_keep_their_own_bounds():
    assert get_game("openspiel/go_fish", {"initial_cards": -1}).spec.params["initial_cards"] == -1
    assert get_game("openspiel/go", {"board_size": 5}).spec.params["board_size"] == 5
    assert get_game("openspiel/pathfinding", {"horizon": 2000}).spec.max_turns == 2000


def test_parameters_are_in_force_and_in_the_rules():
    game = get_game("openspiel/connect_four", {"rows": 4, "columns": 5, "x_in_row": 3})
    assert game.spec.params["columns"] == 5
    assert len(game.new_state(0).legal(0)) == 5
    for told in ("rows=4", "columns=5", "x_in_row=3", "You are player 1.", "like [o0]"):
        assert told in game.rules(1)


def test_perfect_information_shows_the_position_and_tells_moves():
    state = get_game("openspiel/connect_four").new_state(0)
    assert [move.answer for move in state.legal(0)] == [f"x{column}" for column in range(7)]
    state.apply({0: state.parse(0, "[X3]").move})
    seen = state.observe(1)
    assert [event.text for event in seen.events] == ["Player 0: x3."]
    assert seen.board.split("\n")[-1] == "...x..."
    assert state.parse(1, "[x3]").issue is Issue.ILLEGAL
    assert state.parse(1, "[z9]").issue is Issue.MALFORMED


def test_imperfect_information_shows_own_knowledge_only():
    game = get_game("openspiel/leduc_poker")
    state = game.state_from_json({"seed": 0, "history": [2, 5]})
    assert "[Private: 2]" in state.observe(0).board
    assert "[Private: 5]" in state.observe(1).board
    assert state.observe(0).events == ()
    assert state.render(0) != state.render(1)
    assert state.render(None) == f"{state.render(0)}\n\n{state.render(1)}"
    for variant in game.variants(state, 0, random.Random(0)):
        assert variant.observe(0) == state.observe(0)


def test_answers_fit_brackets_and_numbers_stand_in_where_they_clash():
    game = get_game("openspiel/bargaining")  # its actions read like "Offer: 0 1 2" in brackets of their own
    for move in game.new_state(0).legal(0):
        assert not set("[]{}\\") & set(move.answer)
    chess = get_game("openspiel/chess").new_state(0)
    assert chess.parse(0, "[e4]").move == chess.parse(0, "[E4]").move

    class Clash:
        @staticmethod
        def current_player() -> int:
            return 0

        @staticmethod
        def legal_actions(seat: int = 0) -> list[int]:
            return [5, 7]

        @staticmethod
        def action_to_string(seat: int, action: int) -> str:
            return "go"

    hex_game = get_game("openspiel/hex")
    assert list(hex_game.state_class(hex_game, Clash(), 0).answers(0).values()) == ["5", "7"]


def test_colour_codes_never_reach_a_player():
    game = get_game("openspiel/twixt")
    assert "\x1b" in game.new_state(0).pyspiel_state.observation_string(0)
    assert "\x1b" not in game.new_state(0).observe(0).board


def test_chance_depends_on_seed_and_count_alone():
    game = get_game("openspiel/pig")
    dice = {}
    for seed in range(50):
        state = game.new_state(seed)
        state.apply({0: Move(answer="roll", action=0)})
        dice[seed] = state.to_json()["history"][1]
        again = game.new_state(seed)
        random.seed(seed)  # the global generator decides nothing
        again.apply({0: Move(answer="roll", action=0)})
        assert again.to_json()["history"][1] == dice[seed]
    assert set(dice.values()) == set(range(6))


def test_restoring_goes_on_with_the_same_dice():
    game = get_game("openspiel/pig")
    state = game.new_state(3)
    for _ in range(4):
        (seat,) = state.to_move()
        copies = [pickle.loads(pickle.dumps(state)), game.state_from_json(state.to_json()), state.clone()]
        for each in (state, *copies):
            each.apply({seat: Move(answer="roll")})
        assert {str(each.to_json()) for each in copies} == {str(state.to_json())}
    assert pickle.loads(pickle.dumps(game)) is game
    assert get_game("openspiel/pig", game.spec.params) is game


def test_a_stored_history_that_is_not_legal_is_refused():
    with pytest.raises(IllegalMoveError, match="action 9 is not legal for player 0"):
        get_game("openspiel/connect_four").state_from_json({"seed": 0, "history": [9]})
    with pytest.raises(IllegalMoveError, match="not legal for chance"):
        get_game("openspiel/kuhn_poker").state_from_json({"seed": 0, "history": [9]})


def test_declared_facts_are_openspiels():
    spec = get_game("openspiel/tiny_hanabi").spec
    assert (spec.utility, spec.information, spec.seats) == (Utility.COOPERATIVE, Information.IMPERFECT, 2)
    assert get_game("openspiel/2048").spec.outcomes == ("p0",)
    loaded = pyspiel.load_game("hex")
    assert spec_of("x", loaded, "Hex", params={}).reference == "OpenSpiel hex"


def test_greedy_is_the_first_legal_move():
    state = get_game("openspiel/connect_four").new_state(0)
    assert state.game.bots()["greedy"](state, 0, random.Random(0)) == "[x0]"
    with pytest.raises(ValueError, match="no listed moves"):
        state.game.bots()["greedy"](state, 1, random.Random(0))


@pytest.mark.parametrize("name", ["hex", "leduc_poker", "backgammon", "liars_dice", "breakthrough", "phantom_ttt"])
def test_parity_with_openspiel_on_random_trajectories(name: str):
    game = get_game(f"openspiel/{name}")
    assert isinstance(game, SpielGame)
    for seed in range(3):
        state = play(game, seed)
        assert isinstance(state, SpielState)
        reference = game.pyspiel_game.new_initial_state()
        for action in state.to_json()["history"]:
            assert action in reference.legal_actions()
            reference.apply_action(action)
        assert reference.is_terminal()
        assert list(state.returns()) == reference.returns()
