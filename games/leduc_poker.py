"""Leduc poker on OpenSpiel's rules, for two to four players.

| fact | value |
|---|---|
| seats | 2 to 4 (parameter `players`) |
| deck | two cards of each rank, one rank more than players: J Q K, with three players 10 J Q K |
| information | imperfect: own card only, until the public card |
| returns | net chips; at worst −13 |
| outcome classes | p0, p1, …, and draw for a split pot |
| NashConv of uniform play | 4.747222 with two players |

OpenSpiel's variant without suits is loaded: cards of a rank are the same card, which changes no value and makes the
information states exactly what a player is told.

Reference: F. Southey et al., "Bayes' bluff: opponent modelling in poker" (2005); OpenSpiel `leduc_poker`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.menu import Menu
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, Param, ParamValue, RandomStream, Seat, State

RANKS = ("9", "10", "Jack", "Queen", "King")
SIZES = (2, 4)
"""Chips of a bet or raise, by round."""

FOLD, CALL, RAISE = range(3)
_FACING = tuple(Move(answer=word, action=action) for action, word in enumerate(("fold", "call", "raise")))
_OPEN = tuple(Move(answer=word, action=action) for action, word in enumerate(("fold", "check", "bet")))
_OPENSPIEL: Mapping[str, int] = MappingProxyType({"call": CALL, "raise": RAISE})
_WORDS = frozenset(move.answer for move in (*_FACING, *_OPEN))


@dataclass(kw_only=True)
class Table:
    """What everyone can see: chips put in by seat, who folded, and the public card's rank once it is turned."""

    paid: list[int]
    folded: set[Seat]
    public: int | None = None

    @property
    def size(self) -> int:
        """Chips of a bet or raise now."""
        return SIZES[self.public is not None]

    def to_call(self, seat: Seat) -> int:
        """Chips that a seat lacks to the highest bet."""
        return max(self.paid) - self.paid[seat]


class LeducState(SpielState):
    """One hand. Actions are named by the situation: check or bet, and fold, call or raise once there is a bet."""

    _table: Table | None = None

    def step(self, action: int) -> None:
        """One action; the public situation is worked out anew after it."""
        super().step(action)
        self._table = None

    def table(self) -> Table:
        """The public situation, from the actions so far; not to be changed."""
        if self._table is None:
            self._table = self._worked_out()
        return self._table

    def _worked_out(self) -> Table:
        seats = self._game.spec.seats
        table = Table(paid=[1] * seats, folded=set())
        for made in self.pyspiel_state.full_history()[seats:]:
            if made.player < 0:
                table.public = made.action
            elif made.action == FOLD:
                table.folded.add(made.player)
            else:
                table.paid[made.player] += table.to_call(made.player) + (table.size if made.action == RAISE else 0)
        return table

    def rank(self, seat: Seat) -> int:
        """Rank of the seat's own card, 0 the lowest."""
        dealt: int = self.pyspiel_state.history()[seat]
        return dealt

    def name(self, rank: int) -> str:
        """A rank in words."""
        return RANKS[rank - (self._game.spec.seats + 1)]

    def choices(self, seat: Seat) -> Menu:
        """The passive move before the active one."""
        moves = _FACING if self.table().to_call(seat) else _OPEN
        return Menu.of([moves[action] for action in self.actions(seat)])

    def answer(self, seat: Seat, action: int) -> str:
        """`check`/`bet`, or `fold`/`call`/`raise` when facing a bet."""
        return (_FACING if self.table().to_call(seat) else _OPEN)[action].answer

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """OpenSpiel says call and raise also where nobody has bet."""
        return {} if self.table().to_call(seat) else _OPENSPIEL

    def action_event(self, seat: Seat, action: int) -> Event:
        """The public action."""
        word = self.answer(seat, action)
        told = {"raise": f"raises by {self.table().size}", "bet": f"bets {self.table().size}"}
        return Event(text=f"Player {seat} {told.get(word, word + 's')}.")

    def chance_event(self, action: int) -> Event | None:
        """The public card; private ones are nobody else's business."""
        if len(self.pyspiel_state.history()) < self._game.spec.seats:
            return None
        return Event(text=f"Round 2. Public card: {self.name(action)}.")

    def facts(self, seat: Seat) -> str:
        """Own card."""
        return f"Your card: {self.name(self.rank(seat))}."

    def board(self, seat: Seat) -> str:
        """Public card and chips."""
        table = self.table()
        public = "" if table.public is None else f"Public card: {self.name(table.public)}. "
        chips = (
            f"{'you' if s == seat else f'player {s}'}: {paid}{', folded' if s in table.folded else ''}"
            for s, paid in enumerate(table.paid)
        )
        to_call = f" Calling costs {table.to_call(seat)}." if self.is_to_move(seat) and table.to_call(seat) else ""
        return f"{public}Pot {sum(table.paid)} ({', '.join(chips)}).{to_call}"

    def render(self, seat: Seat | None) -> str:
        """Cards (all of them only for the whole view), chips, and the betting so far."""
        seats = range(self._game.spec.seats)
        table = self.table()
        cards = " ".join(f"P{s}:{self.name(self.rank(s)) if seat is None or s == seat else '?'}" for s in seats)
        public = "?" if table.public is None else self.name(table.public)
        chips = " ".join(f"P{s}:{paid}" for s, paid in enumerate(table.paid))
        return "\n".join(
            [f"Cards  {cards}  public:{public}", f"Pot    {chips}", *(event.text for event in self._events)]
        )


class LeducPoker(SpielGame):
    """One card each, one public card, a round of betting before it and one after."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {"players": Param(default=2, low=2, high=4, help="number of seats")}
    )
    state_class = LeducState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("leduc_poker", {**params, "suit_isomorphism": True})
        super().__init__(
            loaded,
            spec_of(
                "leduc_poker",
                loaded,
                "Leduc poker",
                params=params,
                roles=("first", "second", "third", "fourth")[: loaded.num_players()],
                summary="One card each and one for all; a bet before it and a bet after.",
                reference="F. Southey et al. (2005); OpenSpiel leduc_poker",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Every action word."""
        return _WORDS

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        seats = self.spec.seats
        deck = ", ".join(RANKS[-(seats + 1) :])
        return (
            f"Leduc poker for {seats} players. Deck, low to high: {deck}, two of each. Each antes 1 chip and gets one "
            "hidden card. Round 1 of betting, then a public card is turned, then round 2. In turn, player 0 first: "
            f"check or bet; after a bet, fold, call or raise. A bet or raise is {SIZES[0]} chips in round 1 and "
            f"{SIZES[1]} in round 2, at most one bet and one raise a round. If all others fold, you take the pot; else "
            "whoever pairs the public card wins, otherwise the highest card; equal cards split. "
            "Answer with your action in brackets, like [bet].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` bets a pair or the top card, gives up the lowest, checks and calls between."""
        return {"random": random_bot, "greedy": greedy_bot}


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Plays its card at face value: raises a pair and the best card, gives up what is weak, calls between."""
    if not isinstance(state, LeducState):
        raise TypeError("this bot plays leduc_poker only")
    public, rank, top = state.table().public, state.rank(seat), state.game.spec.seats
    answers = state.answers(seat)
    if rank == public or (rank == top and public is None):
        return f"[{answers.get(RAISE, answers[CALL])}]"
    weak = rank == 0 or (public is not None and rank < top)
    return f"[{answers[FOLD if weak and FOLD in answers else CALL]}]"
