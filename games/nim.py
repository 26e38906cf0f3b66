"""Nim on OpenSpiel's rules, in both conventions.

| fact | value |
|---|---|
| seats | 2 |
| information | perfect, no chance |
| returns | +1 / −1; there is no draw |
| outcome classes | p0, p1 |
| value | the first seat wins where the xor of the piles is not 0; in misère play with no pile above 1, where it is 0 |

OpenSpiel's default is misère play: who takes the last stone loses. The rules say which convention is in force.
Reference: C. L. Bouton, "Nim, a game with a complete mathematical theory" (1901); OpenSpiel `nim`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.errors import ParameterError
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Param, ParamValue, RandomStream, Seat, State

MAX_PILES, MAX_SIZE = 10, 30
ENDGAME = 2
"""From how many piles on the greedy player sees to the end."""


def piles_of(text: str) -> tuple[int, ...]:
    """`1;3;5;7` as numbers. Raises ParameterError when it is no such list."""
    sizes = tuple(map(int, text.split(";"))) if re.fullmatch(r"[1-9][0-9]?(;[1-9][0-9]?)*", text) else ()
    if not sizes or len(sizes) > MAX_PILES or max(sizes) > MAX_SIZE or sum(sizes) < 2:
        raise ParameterError(
            f"nim: pile_sizes={text!r} is not a list like '1;3;5;7' of 1 to {MAX_PILES} piles of 1 to {MAX_SIZE}, "
            "two stones or more in all."
        )
    return sizes


def first_wins(piles: tuple[int, ...], *, misere: bool) -> bool:
    """Whether the seat to move wins with perfect play (Bouton)."""
    total = 0
    for pile in piles:
        total ^= pile
    if misere and max(piles, default=0) <= 1:
        return total == 0
    return total != 0


class NimState(SpielState):
    """One match. Piles are numbered from 1."""

    def _parts(self, action: int) -> tuple[int, int]:
        """Pile, counted from 0, and how many are taken."""
        count = len(self.start())
        return action % count, action // count + 1

    def start(self) -> tuple[int, ...]:
        """The piles at the start."""
        return piles_of(str(self._game.spec.params["pile_sizes"]))

    def piles(self) -> tuple[int, ...]:
        """The piles now."""
        left = list(self.start())
        for action in self.pyspiel_state.history():
            pile, taken = self._parts(action)
            left[pile] -= taken
        return tuple(left)

    def piles_after(self, action: int) -> tuple[int, ...]:
        """The piles that a move leaves, without those that are empty."""
        pile, taken = self._parts(action)
        left = (size - taken * (number == pile) for number, size in enumerate(self.piles()))
        return tuple(size for size in left if size)

    def answer(self, seat: Seat, action: int) -> str:
        """`take 2 from 3`."""
        pile, taken = self._parts(action)
        return f"take {taken} from {pile + 1}"

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """`2 from 3`, `take 2 from pile 3`."""
        actions = self.pyspiel_state.legal_actions()
        return {text: action for action in actions for text in spellings(self.answer(seat, action))}

    def action_event(self, seat: Seat, action: int) -> Event:
        """The move, as everyone is told it."""
        pile, taken = self._parts(action)
        return Event(text=f"Player {seat} took {taken} from pile {pile + 1}.")

    def board(self, seat: Seat) -> str:
        """What is left of each pile."""
        return ", ".join(f"pile {number}: {size}" for number, size in enumerate(self.piles(), 1)).capitalize() + "."


def spellings(answer: str) -> tuple[str, ...]:
    """Other ways to write `take 2 from 3`."""
    _, taken, _, pile = answer.split(" ")
    return f"{taken} from {pile}", f"take {taken} from pile {pile}"


class Nim(SpielGame):
    """Take from piles; the last one decides."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "pile_sizes": Param(default="1;3;5;7", help="stones in each pile, like 1;3;5;7"),
            "is_misere": Param(default=True, help="whether who takes the last stone loses"),
        }
    )
    state_class = NimState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.start = piles_of(str(params["pile_sizes"]))
        loaded: Any = pyspiel.load_game("nim", dict(params))
        super().__init__(
            loaded,
            spec_of(
                "nim",
                loaded,
                "Nim",
                params=params,
                roles=("first", "second"),
                outcomes=("p0", "p1"),
                summary="Take any number from one pile; the last stone decides.",
                reference="C. L. Bouton (1901); OpenSpiel nim",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Every number from every pile, in every spelling."""
        sizes = enumerate(self.start, 1)
        answers = {f"take {taken} from {pile}" for pile, size in sizes for taken in range(1, size + 1)}
        return frozenset(answers.union(*map(spellings, answers)))

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        ending = "loses" if self.spec.params["is_misere"] else "wins"
        return (
            f"Nim with piles of {self.spec.params['pile_sizes']} stones, numbered from 1. Player 0 moves first. In "
            f"turn take one or more stones from one pile. Whoever takes the very last stone {ending}. "
            f"Answer in brackets how many you take from which pile, like [take 1 from {len(self.start)}].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` plays the last two piles well, and does not let the other do so if it can."""
        return {"random": random_bot, "greedy": greedy_bot}


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Leaves two piles or fewer only if that wins; else takes at random."""
    if not isinstance(state, NimState):
        raise TypeError("this bot plays nim only")
    misere = bool(state.game.spec.params["is_misere"])
    won, open_ = [], []
    for move in state.legal(seat):
        left = state.piles_after(move.action or 0)
        if len(left) > ENDGAME:
            open_.append(move)
        elif not first_wins(left, misere=misere):
            won.append(move)
    return f"[{rng.choice(won or open_ or list(state.legal(seat))).answer}]"
