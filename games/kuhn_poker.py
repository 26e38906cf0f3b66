"""Kuhn poker on OpenSpiel's rules, for two or three players.

| fact | value |
|---|---|
| seats | 2 or 3 (parameter `players`) |
| deck | one card more than players: J Q K, or 10 J Q K |
| information | imperfect: own card only |
| returns | net chips; ±1 or ±2 with two players |
| outcome classes | p0, p1 (, p2): who takes the pot |
| value | −1/18 to the first of two players at equilibrium |

Reference: H. W. Kuhn, "A simplified two-person poker" (1950); OpenSpiel `kuhn_poker`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.menu import Menu
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, Param, ParamValue, RandomStream, Seat, State

RANKS = ("10", "Jack", "Queen", "King")
_OPEN = Menu.of([Move(answer="check", action=0), Move(answer="bet", action=1)])
_FACING = Menu.of([Move(answer="fold", action=0), Move(answer="call", action=1)])
_BOTH = [0, 1]
_TOLD = {"check": "checks", "bet": "bets", "fold": "folds", "call": "calls"}
_EVENTS = tuple(
    {answer: Event(text=f"Player {seat} {told}.") for answer, told in _TOLD.items()} for seat in range(len(RANKS) - 1)
)


class KuhnState(SpielState):
    """One hand. Actions are named by the situation: check or bet, and fold or call once there is a bet."""

    def actions(self, player: int) -> list[int]:
        """Two for a seat that is to move, always: to put in nothing or a chip."""
        return _BOTH if player >= 0 and player == self._player else super().actions(player)

    def choices(self, seat: Seat) -> Menu:
        """Check or bet, or fold or call when facing a bet."""
        return _FACING if 1 in self.pyspiel_state.history()[self._game.spec.seats :] else _OPEN

    def answer(self, seat: Seat, action: int) -> str:
        """`check`/`bet`, or `fold`/`call` when facing a bet."""
        return self.menu(seat).answers[action]

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """`pass` is OpenSpiel's word for both check and fold."""
        return {"pass": 0}

    def action_event(self, seat: Seat, action: int) -> Event:
        """The public action."""
        return _EVENTS[seat][self.answer(seat, action)]

    def card(self, seat: Seat) -> str:
        """The seat's own card."""
        deck = RANKS[-(self._game.spec.seats + 1) :]
        dealt: int = self.pyspiel_state.history()[seat]
        return deck[dealt]

    def facts(self, seat: Seat) -> str:
        """Own card."""
        return f"Your card: {self.card(seat)}."

    def board(self, seat: Seat) -> str:
        """Nothing beyond the events: the betting is the position."""
        return ""

    def render(self, seat: Seat | None) -> str:
        """Cards (all of them only for the whole view) and the betting so far."""
        seats = range(self._game.spec.seats)
        dealt = len(self.pyspiel_state.history()) >= self._game.spec.seats
        cards = " ".join(f"P{s}:{self.card(s) if dealt and (seat is None or s == seat) else '?'}" for s in seats)
        return "\n".join([f"Cards  {cards}", *(event.text for event in self._events)])


class KuhnPoker(SpielGame):
    """One card each, one bet, the higher card wins."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {"players": Param(default=2, low=2, high=3, help="number of seats")}
    )
    state_class = KuhnState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("kuhn_poker", dict(params))
        seats = loaded.num_players()
        super().__init__(
            loaded,
            spec_of(
                "kuhn_poker",
                loaded,
                "Kuhn poker",
                params=params,
                roles=("first", "second", "third")[:seats],
                outcomes=tuple(f"p{seat}" for seat in range(seats)),
                summary="One card each, one bet, the higher card wins.",
                reference="H. W. Kuhn (1950); OpenSpiel kuhn_poker",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Every action word."""
        return frozenset(_TOLD) | {"pass"}

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        seats = self.spec.seats
        deck = ", ".join(RANKS[-(seats + 1) :])
        return (
            f"Kuhn poker for {seats} players. Deck, low to high: {deck}. Each antes 1 chip and gets one card; "
            "the one left over is hidden. In turn: check or bet 1 chip; after a bet, the others fold or call 1 chip, "
            "once each. Highest card among those who did not fold takes the pot. "
            "Answer with your action in brackets, like [bet].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` bets and calls with the top card, checks and folds with the lowest."""
        return {"random": random_bot, "greedy": greedy_bot}


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Plays its card at face value: bets the best, gives up the worst, checks and calls half the time between."""
    if not isinstance(state, KuhnState):
        raise TypeError("this bot plays kuhn_poker only")
    deck = RANKS[-(state.game.spec.seats + 1) :]
    rank = deck.index(state.card(seat))
    passive, active = (state.answer(seat, action) for action in (0, 1))
    if rank == len(deck) - 1:
        return f"[{active}]"
    if rank == 0:
        return f"[{passive}]"
    if active == "call":
        return f"[{active if rng.random() < 0.5 else passive}]"
    return f"[{passive}]"
