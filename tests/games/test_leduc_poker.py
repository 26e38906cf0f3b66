"""Leduc poker: chips move as told, cards stay hidden, and the values are OpenSpiel's."""

from __future__ import annotations

import random

import pyspiel
import pytest
from games_helpers import play, say

from games import Issue, get_game
from games.conformance import check_game

GAME = get_game("leduc_poker")
THREE = get_game("leduc_poker", {"players": 3})
JACK, QUEEN, KING = range(3)


def dealt(*cards: int, game=GAME):
    return game.state_from_json({"seed": 0, "history": list(cards)})


def play_out(state, line: str, public: int | None = None):
    """Words of the players; `|` turns the public card."""
    for word in line.split():
        if word == "|":
            return_to = [*state.to_json()["history"]]
            state = state.game.state_from_json({"seed": 0, "history": [*return_to, public]})
        else:
            (seat,) = state.to_move() if state.to_move() else (None,)
            parsed = state.parse(seat, f"[{word}]")
            assert parsed.move is not None, parsed
            state.step(parsed.move.action)
    return state


@pytest.mark.parametrize(
    ("cards", "public", "line", "returns"),
    [
        ((QUEEN, JACK), None, "bet fold", (1, -1)),
        ((QUEEN, JACK), None, "check bet fold", (-1, 1)),
        ((QUEEN, JACK), None, "bet raise fold", (-3, 3)),
        ((QUEEN, JACK), KING, "check check | check check", (1, -1)),
        ((QUEEN, JACK), JACK, "check check | check check", (-1, 1)),  # a pair beats the higher card
        ((KING, JACK), JACK, "bet call | check bet fold", (-3, 3)),
        ((KING, KING), JACK, "bet raise call | bet raise call", (0, 0)),  # equal cards split the pot
        ((KING, QUEEN), JACK, "bet raise call | bet raise call", (13, -13)),
    ],
)
def test_worked_hands(cards: tuple[int, int], public: int | None, line: str, returns: tuple[int, int]):
    state = play_out(dealt(*cards), line, public)
    assert state.returns() == returns
    assert state.outcome() == ("draw" if returns[0] == 0 else "p0" if returns[0] > 0 else "p1")


def test_what_a_player_is_told():
    state = dealt(QUEEN, KING)
    assert state.observe(0).facts == "Your card: Queen."
    assert state.observe(0).board == "Pot 2 (you: 1, player 1: 1)."
    assert state.observe(0).legal == ("check", "bet")
    say(state, "[bet]")
    seen = state.observe(1)
    assert [event.text for event in seen.events] == ["Player 0 bets 2."]
    assert seen.board == "Pot 4 (player 0: 3, you: 1). Calling costs 2."
    assert seen.legal == ("fold", "call", "raise")
    say(state, "[raise]")
    assert state.observe(0).legal == ("fold", "call")  # one bet and one raise a round
    assert state.observe(0).board == "Pot 8 (you: 3, player 1: 5). Calling costs 2."
    state = play_out(state, "call |", JACK)
    assert [event.text for event in state.observe(0).events][-2:] == ["Player 0 calls.", "Round 2. Public card: Jack."]
    assert state.observe(0).board == "Public card: Jack. Pot 10 (you: 5, player 1: 5)."
    say(state, "[bet]")
    assert state.observe(1).board == "Public card: Jack. Pot 14 (player 0: 9, you: 5). Calling costs 4."
    assert "Player 0 bets 4." in state.render(1)
    assert state.render(1).startswith("Cards  P0:? P1:King  public:Jack\nPot    P0:9 P1:5\n")
    assert state.render(None).startswith("Cards  P0:Queen P1:King  public:Jack\n")


def test_words_follow_the_situation():
    state = dealt(JACK, KING)
    assert state.parse(0, "[fold]").issue is Issue.ILLEGAL
    assert state.parse(0, "[all in]").issue is Issue.MALFORMED
    assert state.parse(0, "[call]").move.answer == "check"  # OpenSpiel's word for it
    say(state, "[raise]")
    assert state.observe(0).events[-1].text == "Player 0 bets 2."
    assert state.parse(1, "[check]").issue is Issue.ILLEGAL
    assert state.parse(1, "[bet]").issue is Issue.ILLEGAL


@pytest.mark.parametrize("loaded", [GAME.pyspiel_game, pyspiel.load_game("leduc_poker")])
def test_nash_conv_of_uniform_play(loaded):
    assert pyspiel.nash_conv(loaded, pyspiel.UniformRandomPolicy(loaded)) == pytest.approx(4.747222, abs=1e-6)


def test_every_information_state_reads_differently_and_tells_no_more():
    told: dict[tuple, set[str]] = {}
    seen: dict[tuple[int, str], set] = {}
    stack = [GAME.state_from_json({"seed": 0, "history": []})]
    while stack:
        state = stack.pop()
        node = state.pyspiel_state
        if node.is_terminal():
            continue
        if not node.is_chance_node():
            (seat,) = state.to_move()
            view = state.observe(seat)
            key = node.information_state_string(seat)
            told.setdefault((seat, view.facts, view.events, view.board), set()).add(key)
            seen.setdefault((seat, key), set()).add(repr((view, state.render(seat))))
        for action in node.legal_actions():
            child = state.clone()
            child.step(action)
            stack.append(child)
    assert len(seen) == 288  # 936 with suits
    assert all(len(keys) == 1 for keys in told.values())
    assert all(len(views) == 1 for views in seen.values())


def test_three_players():
    assert THREE.spec.roles == ("first", "second", "third")
    assert (THREE.spec.min_return, THREE.spec.max_return, THREE.spec.max_turns) == (-13.0, 26.0, 14)
    assert "Deck, low to high: 10, Jack, Queen, King, two of each." in THREE.rules(2)
    state = dealt(3, 0, 2, game=THREE)
    say(state, "[check]", "[bet]", "[raise]", "[fold]")
    assert state.observe(1).board == "Pot 9 (player 0: 1, folded, you: 3, player 2: 5). Calling costs 2."
    say(state, "[fold]")
    assert state.returns() == (-1.0, -3.0, 4.0)


def test_parity_with_openspiel_on_random_trajectories():
    for game in (GAME, THREE, get_game("leduc_poker", {"players": 4})):
        for seed in range(200):
            state = play(game, seed, ("random",) * game.spec.seats)
            reference = game.pyspiel_game.new_initial_state()
            for action in state.to_json()["history"]:
                assert action in reference.legal_actions()
                reference.apply_action(action)
            assert list(state.returns()) == reference.returns()
            assert sum(state.returns()) == pytest.approx(0)
            table = state.table()
            lost = [-value for value in state.returns() if value < 0]
            assert all(value in table.paid for value in lost)  # who loses, loses what it put in


def test_greedy_plays_its_card_at_face_value():
    greedy, rng = GAME.bots()["greedy"], random.Random(0)
    assert [greedy(dealt(card, QUEEN), 0, rng) for card in (JACK, QUEEN, KING)] == ["[check]", "[check]", "[bet]"]
    facing = [play_out(dealt(KING, card), "bet") for card in (JACK, QUEEN, KING)]
    assert [greedy(state, 1, rng) for state in facing] == ["[fold]", "[call]", "[raise]"]
    late = [play_out(dealt(card, QUEEN), "check check |", JACK) for card in (JACK, QUEEN, KING)]
    assert [greedy(state, 0, rng) for state in late] == ["[bet]", "[check]", "[check]"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_conformance(players: int):
    assert check_game(get_game("leduc_poker", {"players": players}), seeds=range(3), matches=30) == []
