"""Liar's dice on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2 |
| dice | `numdice` each, with `dice_sides` faces; the highest face is wild |
| bids | more dice, or as many of a higher face |
| information | imperfect: own dice only |
| returns | +1 / −1 |
| outcome classes | p0, p1 |
| NashConv of uniform play | 1.111111 with one die of three faces each |

OpenSpiel's `players` can be 2 only, in the version used here.

Reference: OpenSpiel `liars_dice` (one round of the common game; no dice are lost).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import comb
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.menu import Menu
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.parsing import normalise
from games.types import Bot, Event, Move, Param, ParamValue, RandomStream, Seat, State

LIAR = "liar"


def bid_text(quantity: int, face: int) -> str:
    """A bid in words."""
    return f"{quantity} {'die' if quantity == 1 else 'dice'} of {face}"


class LiarsDiceState(SpielState):
    """One round: a roll, rising bids, a challenge."""

    _game: LiarsDice

    @property
    def game(self) -> LiarsDice:
        """The game this is a state of."""
        return self._game

    def dice(self, seat: Seat) -> tuple[int, ...]:
        """Faces of a seat's dice, sorted."""
        return self._hand(self.pyspiel_state.history(), seat)

    def _hand(self, history: list[int], seat: Seat) -> tuple[int, ...]:
        each = self._game.dice_each
        return tuple([outcome + 1 for outcome in sorted(history[seat * each : (seat + 1) * each])])

    def bids(self) -> list[int]:
        """Actions of the bids so far."""
        return [a for a in self.pyspiel_state.history()[2 * self.game.dice_each :] if a != self.game.liar]

    def actions(self, player: int) -> list[int]:
        """Higher bids in order, then `liar`, which nobody can be before the first bid."""
        if self._actions is None and 0 <= player == self._player:
            made = self.pyspiel_state.history()
            self._actions = self._game.open_after[made[-1] + 1 if len(made) > 2 * self._game.dice_each else 0]
        return super().actions(player)

    def choices(self, seat: Seat) -> Menu:
        """The menu of the bids that are open."""
        return self._game.menus[self.actions(seat)[0]]

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """Other ways to write a bid or a challenge."""
        return self.game.spellings

    def action_event(self, seat: Seat, action: int) -> Event:
        """The bid, or the challenge with all dice laid open, which ends the round."""
        if action != self._game.liar:
            return self._game.bid_events[seat][action]
        made = self.pyspiel_state.history()
        first, second = self._hand(made, 0), self._hand(made, 1)
        bid = made[-1]
        face, dice = self._game.face(bid), first + second
        counted = dice.count(face) + (dice.count(self._game.sides) if face != self._game.sides else 0)
        winner = 1 - seat if counted >= self._game.quantity(bid) else seat
        return Event(
            text=f"Player {seat} says liar. The dice: player 0 has {' '.join(map(str, first))}, player 1 has "
            f"{' '.join(map(str, second))}. That makes {bid_text(counted, face)}: player {winner} wins."
        )

    def facts(self, seat: Seat) -> str:
        """Own dice."""
        dice = self.dice(seat)
        return f"Your {'die' if len(dice) == 1 else 'dice'}: {' '.join(map(str, dice))}."

    def board(self, seat: Seat) -> str:
        """Nothing beyond the events: the last bid is the position."""
        return ""

    def render(self, seat: Seat | None) -> str:
        """Dice (all of them only for the whole view) and the bids so far."""
        shown = " ".join(
            f"P{s}:{','.join(map(str, self.dice(s))) if seat is None or s == seat else '?'}" for s in (0, 1)
        )
        return "\n".join([f"Dice  {shown}", *(event.text for event in self._events)])


class LiarsDice(SpielGame):
    """Bid on all dice while seeing only your own.

    Attributes:
        dice_each: dice of each player.
        sides: faces of a die.
        liar: the action that challenges; the bids come before it.
        words: canonical answers, by action.
    """

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "players": Param(default=2, low=2, high=2, help="number of seats; OpenSpiel has two here"),
            "numdice": Param(default=1, low=1, high=5, help="dice of each player"),
            "dice_sides": Param(default=6, low=2, high=10, help="faces of a die"),
        }
    )
    state_class = LiarsDiceState
    moves: tuple[Move, ...]

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("liars_dice", dict(params))
        self.dice_each = int(params["numdice"])
        self.sides = int(params["dice_sides"])
        self.liar = 2 * self.dice_each * self.sides
        self.words = (*(bid_text(self.quantity(bid), self.face(bid)) for bid in range(self.liar)), LIAR)
        self.moves = tuple(Move(answer=word, action=action) for action, word in enumerate(self.words))
        super().__init__(
            loaded,
            spec_of(
                "liars_dice",
                loaded,
                "Liar's dice",
                params=params,
                roles=("first", "second"),
                outcomes=("p0", "p1"),
                summary="Bid on all dice while seeing only your own, or call the other a liar.",
            ),
        )

    def quantity(self, bid: int) -> int:
        """How many dice a bid claims."""
        return bid // self.sides + 1

    def face(self, bid: int) -> int:
        """The face that a bid claims."""
        return bid % self.sides + 1

    @cached_property
    def open_after(self) -> tuple[list[int], ...]:
        """Legal actions, by the lowest of them; not to be changed. Before the first bid nobody can be a liar."""
        bids = list(range(self.liar))
        return (bids, *([*bids[lowest:], self.liar] for lowest in range(1, self.liar + 1)))

    @cached_property
    def menus(self) -> tuple[Menu, ...]:
        """The menu of each of `open_after`."""
        return tuple(Menu.of([self.moves[action] for action in actions]) for actions in self.open_after)

    @cached_property
    def bid_events(self) -> tuple[tuple[Event, ...], ...]:
        """How a bid is told, by seat and bid."""
        return tuple(tuple(Event(text=f"Player {seat} bids {word}.") for word in self.words[:-1]) for seat in range(2))

    @cached_property
    def spellings(self) -> Mapping[str, int]:
        """Other accepted answers: `2-3` is OpenSpiel's."""
        found = {"call liar": self.liar, "liar!": self.liar, "challenge": self.liar}
        for bid in range(self.liar):
            many, face = self.quantity(bid), self.face(bid)
            forms = ("{}-{}", "{}x{}", "{} x {}", "{} of {}", "{} {}s", "{} dice of {}", "{} dice of {}s", "bid {}-{}")
            found.update((form.format(many, face), bid) for form in (*forms, "bid {} dice of {}"))
        found.update((f"bid {word}", bid) for bid, word in enumerate(self.words[:-1]))
        return MappingProxyType(found)

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Every bid in every spelling, and the challenge."""
        return frozenset(map(normalise, (*self.words, *self.spellings)))

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        each = self.dice_each
        return (
            f"Liar's dice for 2 players. Each rolls {each} {'die' if each == 1 else 'dice'} with faces 1 to "
            f"{self.sides}, hidden from the other. Face {self.sides} is wild: it counts as every face. Player 0 bids "
            "first. Then each in turn raises the bid (more dice, or as many dice of a higher face) or says liar. A bid "
            f"of 2 dice of 1 claims that at least 2 of all {2 * each} dice show 1 or {self.sides}. After liar the dice "
            "are counted: if the last bid is true, its bidder wins, else the one who said liar. "
            f"Answer in brackets, like [{self.words[self.sides]}] or, after a bid, [liar].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` plays by the odds that its own dice leave."""
        return {"random": random_bot, "greedy": greedy_bot}

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """The same bids over other dice of the other player."""
        if not isinstance(state, LiarsDiceState) or state.pyspiel_state.is_terminal():
            return ()
        history = list(state.pyspiel_state.history())
        start = (1 - seat) * self.dice_each
        history[start : start + self.dice_each] = [rng.randrange(self.sides) for _ in range(self.dice_each)]
        return (self.state_from_json({"seed": state.seed, "history": history}),)


def chance_of(game: LiarsDice, bid: int, own: tuple[int, ...]) -> float:
    """Probability that a bid is true, given one's own dice and nothing else."""
    face = game.face(bid)
    lacking = game.quantity(bid) - sum(die in (face, game.sides) for die in own)
    others = game.dice_each
    hit = (1 if face == game.sides else 2) / game.sides
    return sum(comb(others, k) * hit**k * (1 - hit) ** (others - k) for k in range(max(lacking, 0), others + 1))


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Says liar to a bid less likely than not, else makes the likeliest higher bid; of equals the highest one."""
    if not isinstance(state, LiarsDiceState):
        raise TypeError("this bot plays liars_dice only")
    game, own, bids = state.game, state.dice(seat), state.bids()
    open_bids = range(bids[-1] + 1 if bids else 0, game.liar)
    if bids and (not open_bids or chance_of(game, bids[-1], own) < 0.5):
        return f"[{LIAR}]"
    best = max(open_bids, key=lambda bid: (chance_of(game, bid, own), bid))
    return f"[{game.words[best]}]"
