"""The conformance suite on what a match deals: roles, forfeits by team or stake, measures."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pile_game import PileGame, PileState

from games.conformance.probe import Probe
from games.conformance.teams import measures, roles_and_forfeits


class OneRole(PileState):
    def roles(self) -> tuple[str, ...]:
        return ("first",)


class Changing(PileState):
    def roles(self) -> tuple[str, ...]:
        return ("first", "second") if self.left > 4 else ("second", "first")


class Paid(PileState):
    def forfeit_returns(self, seat: int) -> tuple[float, ...]:
        return (1.0, -1.0) if seat == 0 else (-1.0, 1.0)


class Unsummed(PileState):
    def forfeit_returns(self, seat: int) -> tuple[float, ...]:
        return (-1.0, -1.0)


class Early(PileState):
    def measures(self) -> dict[str, float]:
        return {"left": float(self.left)}


class Odd(PileState):
    def measures(self) -> dict[str, Any]:
        if self.left:
            return {}
        return {"share": math.nan, "payoff/2": 1.0, "payoff/0": 1.0, "kind": "large"}


def findings(state_class: type[PileState]) -> list[str]:
    name = f"With{state_class.__name__}"
    made = type(name, (PileGame,), {"state_class": state_class})({"stones": 7})
    probe = Probe(game=made, seeds=(0, 1), matches=2)
    return [message for check in (roles_and_forfeits, measures) for _, message in check(probe)]


@pytest.mark.parametrize(
    ("state_class", "messages"),
    [
        (PileState, []),
        (OneRole, ["roles ('first',) are not one for each of 2 seats"]),
        (Changing, ["the roles changed within a match: ('first', 'second') became ('second', 'first')"]),
        (Paid, ["player 0 forfeits and is paid 1.0, more than another seat in (1.0, -1.0)"]),
        (Unsummed, ["forfeit of player 0: returns (-1.0, -1.0) of a zero-sum game add up to -2.0, not 0"]),
        (Early, ["measures() answers {'left': 7.0} while the game is not over"]),
        (
            Odd,
            [
                "measure share is nan, which is no number",
                "measure payoff/2 belongs to no seat",
                "measure kind is 'large', which is no number",
            ],
        ),
    ],
)
def test_each_fault_is_found(state_class: type[PileState], messages: list[str]):
    found = findings(state_class)
    assert bool(found) == bool(messages)
    assert set(messages) <= set(found)
