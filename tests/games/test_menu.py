"""Menus: legal moves with their answers, worked out once a position and never kept beyond it."""

from __future__ import annotations

import pytest

from games import Move, get_game
from games.menu import NOTHING, Menu
from games.openspiel import SpielState

MENU = Menu.of([Move(answer="2 dice of 3", action=8), Move(answer="liar", action=60)])


def test_a_reply_that_is_one_listed_answer_is_chosen():
    assert MENU.answers == ("2 dice of 3", "liar")
    assert MENU.chosen("[liar]") is MENU.moves[1]


@pytest.mark.parametrize(
    "reply", ["", "[]", "liar", "[liar].", "[ liar ]", "(liar)", "[Liar]", "[liar", "[3 dice of 3]"]
)
def test_every_other_reply_is_left_to_be_read(reply: str):
    assert MENU.chosen(reply) is None
    assert NOTHING.chosen(reply) is None


@pytest.mark.parametrize("game_id", ["connect_four", "kuhn_poker", "chess", "openspiel/hex", "goofspiel"])
def test_a_menu_belongs_to_its_position(game_id: str):
    state = get_game(game_id).new_state(3)
    assert isinstance(state, SpielState)
    listed = {seat: state.menu(seat) for seat in state.to_move()}
    assert all(state.menu(seat) is menu for seat, menu in listed.items())
    assert all(state.observe(seat).legal == menu.answers for seat, menu in listed.items())
    copy = state.clone()
    copy.apply({seat: menu.moves[0] for seat, menu in listed.items()})
    assert {seat: state.menu(seat) for seat in state.to_move()} == listed
    again = get_game(game_id).state_from_json(copy.to_json())
    for seat in range(2):
        assert copy.legal(seat) == again.legal(seat)
        assert copy.observe(seat) == again.observe(seat)


def test_facts_are_told_anew_after_a_draw():
    game = get_game("liars_dice", {"numdice": 2})
    state = game.state_class(game, game.pyspiel_game.new_initial_state(), 0)
    told = []
    for face in (2, 0, 5, 5):
        state.step(face)
        told.append(state.observe(0).facts)
    assert told == ["Your die: 3.", "Your dice: 1 3.", "Your dice: 1 3.", "Your dice: 1 3."]
    assert state.observe(1).facts == "Your dice: 6 6."
