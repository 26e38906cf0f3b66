"""Goofspiel (the game of pure strategy) on OpenSpiel's rules, for two.

| fact | value |
|---|---|
| seats | 2, who choose at the same time |
| cards | 1 … `num_cards` in each hand and as prizes |
| information | cards played stay hidden (`imp_info=true`), or both hands are open |
| returns | +1 / −1 and 0 for a draw, half the lead in points, or the points (`returns_type`) |
| outcome classes | p0, p1, draw |

A tied prize goes to nobody. The last cards are played by themselves, as there is nothing to choose. OpenSpiel shows
both hands unless told otherwise; here they are hidden unless told otherwise.

Reference: S. M. Ross, "Goofspiel: the game of pure strategy" (1971); OpenSpiel `goofspiel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.goofspiel_state import GoofspielState, Setup
from games.openspiel import SpielGame
from games.openspiel_catalog import spec_of
from games.types import Bot, Param, ParamValue, RandomStream, Seat, State

_RESULT = {
    "win_loss": "more points win",
    "point_difference": "your result is half your lead in points, negative when behind",
    "total_points": "your result is your own points",
}


class Goofspiel(SpielGame):
    """Both play a card at once; the higher card takes the prize."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "num_cards": Param(default=5, low=2, high=13, help="cards in each hand, and prizes"),
            "imp_info": Param(default=True, help="hide which cards the other has played"),
            "points_order": Param(
                default="random", choices=("random", "ascending", "descending"), help="order of the prizes"
            ),
            "returns_type": Param(default="win_loss", choices=tuple(_RESULT), help="what the result is"),
        }
    )
    state_class = GoofspielState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("goofspiel", dict(params))
        self.setup = Setup.of(params)
        self.cards = len(self.setup.prizes)
        spec = spec_of(
            "goofspiel",
            loaded,
            "Goofspiel",
            params=params,
            summary="Both play a card at once; the higher card takes the prize.",
            reference="S. M. Ross (1971); OpenSpiel goofspiel",
        )
        low, high = self._bounds(str(params["returns_type"]))
        last_is_free = 2 * (self.cards - 1)
        super().__init__(loaded, replace(spec, min_return=low, max_return=high, max_turns=last_is_free))

    def _bounds(self, returns_type: str) -> tuple[float, float]:
        """Tight bounds. Hands are equal, so whoever wins a prize loses another one, at least the 1."""
        total = self.cards * (self.cards + 1) // 2
        if returns_type == "win_loss":
            return -1.0, 1.0
        if returns_type == "total_points":
            return 0.0, total - 1.0
        return 1.0 - total / 2, total / 2 - 1.0

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All cards."""
        return frozenset(map(str, self.setup.prizes))

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        params = self.spec.params
        seen = (
            "You see who takes a prize, but not the other's card or hand."
            if self.setup.hidden
            else "After each prize both cards are shown."
        )
        order = f"in {params['points_order']} order"
        return (
            f"Goofspiel for 2 players. Each has the cards 1 to {self.cards}, once each. The prizes 1 to {self.cards} "
            f"come up one by one {order}; a prize is worth its number in points. For each, both choose a card at the "
            f"same time: the higher card takes the prize, with equal cards nobody does, and both cards are gone. "
            f"{seen} The last cards are played by themselves. Result ({params['returns_type']}): "
            f"{_RESULT[str(params['returns_type'])]}. Answer with a card in brackets, like [{self.cards}].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` plays its lowest card that is no lower than the prize."""
        return {"random": random_bot, "greedy": greedy_bot}

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """The other's cards exchanged for others that would have won and lost the same prizes."""
        if not isinstance(state, GoofspielState) or not self.setup.hidden or state.pyspiel_state.is_terminal():
            return ()
        rounds, _ = state.played()
        other = 1 - seat
        cards = [made.cards[other] for made in rounds] + list(state.hand(other))
        for _ in range(20 if rounds else 0):
            changed = list(cards)
            one, two = rng.randrange(len(rounds)), rng.randrange(len(cards))
            changed[one], changed[two] = changed[two], changed[one]
            if all(
                _sign(made.cards[seat], changed[i]) == _sign(made.cards[seat], made.cards[other])
                for i, made in enumerate(rounds)
            ):
                cards = changed
        history = list(state.pyspiel_state.history())
        size = 3 if self.setup.drawn else 2
        for i in range(len(rounds)):
            history[i * size + size - 2 + other] = cards[i] - 1
        return (self.state_from_json({"seed": state.seed, "history": history}),)


def _sign(mine: int, other: int) -> int:
    return (mine > other) - (mine < other)


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Bids what the prize is worth, or the least above it; where it has no such card, throws its lowest away."""
    if not isinstance(state, GoofspielState):
        raise TypeError("this bot plays goofspiel only")
    hand, prize = state.hand(seat), state.played()[1]
    enough = [card for card in hand if prize is not None and card >= prize]
    return f"[{min(enough or hand)}]"
