"""Pig on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2 to 10 |
| information | perfect; the die is chance |
| returns | +1 for the winner, −1/(seats − 1) for the others; 0 when the horizon ends it |
| outcome classes | p0, p1, …, draw |
| length | at most `horizon` decisions; a roll that is the last of them is no longer thrown |

Reference: J. Scarne (1945), T. Neller and C. Presser, "Optimal play of the dice game Pig" (2004); OpenSpiel `pig`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, Param, ParamValue, RandomStream, Seat, State

ROLL, STOP = 0, 1
TOLD_FROM = 20
"""How many decisions before the horizon the board begins to count them."""

_MOVES = (Move(answer="roll", action=ROLL), Move(answer="stop", action=STOP))


class PigState(SpielState):
    """One match. Scores are kept beside OpenSpiel's, so that no text of its has to be read."""

    def __init__(self, game: SpielGame, pyspiel_state: Any, seed: int) -> None:
        super().__init__(game, pyspiel_state, seed)
        self.scores = [0] * game.spec.seats
        self.turn_total = 0
        self.decisions = 0
        self._roller = 0

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """`hold` is another word for stop."""
        return {"hold": STOP}

    def step(self, action: int) -> None:
        """One decision, or one throw of the die."""
        player = self.pyspiel_state.current_player()
        super().step(action)
        if player >= 0:
            self._roller = player
            self.decisions += 1
            if action == STOP:
                self.scores[player] += self.turn_total
                self.turn_total = 0
        else:
            gain = 1 if self._game.spec.params["piglet"] else action + 1
            self.turn_total = 0 if action == 0 else self.turn_total + gain

    def decisions_left(self) -> int:
        """Decisions before it is a draw."""
        return int(self._game.spec.params["horizon"]) - self.decisions

    def action_event(self, seat: Seat, action: int) -> Event | None:
        """A stop and what it brings; a roll is told by the die."""
        if action == ROLL:
            return None if self.decisions_left() > 1 else Event(text=f"Player {seat} would roll, but time is up.")
        total = self.scores[seat] + self.turn_total
        return Event(text=f"Player {seat} stops and adds {self.turn_total}: {total} in all.")

    def chance_event(self, action: int) -> Event:
        """What the die shows."""
        if action == 0:
            return Event(text=f"Player {self._roller} rolls 1 and gets nothing this turn.")
        if self._game.spec.params["piglet"]:
            return Event(text=f"Player {self._roller} rolls no 1.")
        return Event(text=f"Player {self._roller} rolls {action + 1}.")

    def board(self, seat: Seat) -> str:
        """Scores, and the total of the turn."""
        names = ["you have" if who == seat else f"player {who} has" for who in range(len(self.scores))]
        scores = ", ".join(f"{name} {score}" for name, score in zip(names, self.scores, strict=True))
        left = self.decisions_left()
        ending = f" Decisions left: {left}." if left <= TOLD_FROM else ""
        return f"Scores: {scores}. Total of this turn: {self.turn_total}.{ending}"

    def render(self, seat: Seat | None) -> str:
        """Scores of everybody."""
        scores = "  ".join(f"P{who}:{score}" for who, score in enumerate(self.scores))
        return f"Scores  {scores}\nTotal of this turn: {self.turn_total}"

    def clone(self) -> PigState:
        """An independent copy."""
        copy = super().clone()
        assert isinstance(copy, PigState)
        copy.scores, copy.turn_total = list(self.scores), self.turn_total
        copy.decisions, copy._roller = self.decisions, self._roller
        return copy


class Pig(SpielGame):
    """Roll on, or keep what you have."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "players": Param(default=2, low=2, high=10, help="number of seats"),
            "winscore": Param(default=100, low=2, high=1000, help="score that wins"),
            "diceoutcomes": Param(default=6, low=2, high=100, help="faces of the die"),
            "horizon": Param(default=1000, low=2, high=100_000, help="decisions of all players before it is a draw"),
            "piglet": Param(default=False, help="whether every roll but a 1 counts one"),
        }
    )
    state_class = PigState
    moves = _MOVES

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("pig", dict(params))
        super().__init__(
            loaded,
            spec_of(
                "pig",
                loaded,
                "Pig",
                params=params,
                roles=tuple(f"seat {seat}" for seat in range(loaded.num_players())),
                summary="Roll on for more, or stop before a 1 takes it all.",
                reference="T. Neller, C. Presser (2004); OpenSpiel pig",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Both words, and the alias."""
        return frozenset({"roll", "stop", "hold"})

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        p = self.spec.params
        gain = "each roll adds 1" if p["piglet"] else "each roll is added"
        return (
            f"Pig for {p['players']} players, player 0 first. On your turn, roll a die with {p['diceoutcomes']} faces "
            f"as often as you like: {gain} to the total of your turn, but a 1 ends the turn and its total is lost. "
            f"Stop to add the total to your score. Who first stops with {p['winscore']} or more wins; with that many "
            f"you can only stop. After {p['horizon']} decisions of all players together it is a draw. "
            "Answer [roll] or [stop].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` stops at the rule of thumb, or at what wins."""
        return {"random": random_bot, "greedy": greedy_bot}


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Rolls while a roll gains more than it risks on average: until 20 with the usual die."""
    if not isinstance(state, PigState):
        raise TypeError("this bot plays pig only")
    needed = int(state.game.spec.params["winscore"]) - state.scores[seat]
    return "[roll]" if state.turn_total < min(hold_at(state.game.spec.params), needed) else "[stop]"


def hold_at(params: Mapping[str, ParamValue]) -> int:
    """The turn's total at which one more roll loses as much as it gains on average: the sum of what faces add."""
    faces = int(params["diceoutcomes"])
    return faces - 1 if params["piglet"] else sum(range(2, faces + 1))
