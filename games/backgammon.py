"""Backgammon on OpenSpiel's rules, without the doubling cube.

| fact | value |
|---|---|
| seats | 2; the opening roll decides who starts |
| information | perfect; chance rolls the dice, and every roll is told |
| returns | ±1; ±2 for a gammon, ±3 for a backgammon where `scoring` counts them; 0 when the turns run out |
| outcome classes | p0, p1, draw |

One numbering for both players: points 1 to 24, player 0 moves down, player 1 up. A move is the steps of both dice,
`13/8 6/5`; a double is four steps, asked for as two and two. OpenSpiel lists some moves twice, once for each order of
the dice; here each is listed once, because the order changes nothing.

OpenSpiel's `hyper_backgammon` is not offered: it calls every such match a draw (2.0.2). Its `max_player_turns`
lasts one turn longer than it says; ours does not.

Reference: US Backgammon Federation, Rules of Backgammon; OpenSpiel `backgammon`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.backgammon_bot import greedy_bot
from games.backgammon_notation import is_notation
from games.backgammon_state import MARKS, BackgammonState
from games.bots import random_bot
from games.notation import Notation
from games.openspiel import SpielGame
from games.openspiel_catalog import spec_of
from games.types import Bot, Param, ParamValue, Seat

_SCORING = {"single": "winloss_scoring", "gammon": "enable_gammons", "backgammon": "full_scoring"}
_TOLD = {
    "single": "every win counts 1",
    "gammon": "a win counts 2 if the loser has borne off nothing, else 1",
    "backgammon": (
        "a win counts 2 if the loser has borne off nothing, 3 if the loser also has a checker on the bar or in the "
        "winner's home, else 1"
    ),
}


class Backgammon(SpielGame):
    """Bring all checkers home and off before the opponent does."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "scoring": Param(default="single", choices=tuple(_SCORING), help="which wins count more than 1"),
            "max_player_turns": Param(default=500, low=2, high=5000, help="turns of both together; then it is a draw"),
        }
    )
    state_class = BackgammonState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        turns = int(params["max_player_turns"])
        settings = {"scoring_type": _SCORING[str(params["scoring"])], "max_player_turns": turns - 1}
        loaded: Any = pyspiel.load_game("backgammon", settings)
        spec = spec_of(
            "backgammon",
            loaded,
            "Backgammon",
            params=params,
            roles=tuple(MARKS),
            summary="Race fifteen checkers home by dice, hitting lone ones on the way.",
            reference="US Backgammon Federation, Rules of Backgammon; OpenSpiel backgammon",
        )
        # A double is two moves; the opening roll is none, and the last turn ends with its first move.
        super().__init__(loaded, replace(spec, max_turns=2 * (turns - 1)))

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Every text that is written as steps."""
        return Notation(is_notation)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        scoring = str(self.spec.params["scoring"])
        return (
            "Backgammon without the doubling cube, on points 1 to 24. Player 0 has the X checkers and moves from 24 "
            "down to 1 (home 1 to 6); player 1 has the O checkers and moves from 1 up to 24 (home 19 to 24). First to "
            "bear off all fifteen wins. Each die moves one checker; a point with two or more opposing checkers is "
            "blocked; a lone one there is hit and goes to the bar. Checkers on the bar must enter first: X at 25 minus "
            "the die, O at the die. With all checkers home, bear off those that a die fits; a larger die takes the "
            "furthest. Play both dice if you can; if only one, the larger if possible. A double is played twice: two "
            f"steps, then two more. Scoring is {scoring}: {_TOLD[scoring]}. After "
            f"{self.spec.params['max_player_turns']} turns of both together the game is a draw. "
            f"Answer in brackets with from/to for each die, like [{'13/8 6/5' if seat == 0 else '12/17 19/20'}]; write "
            "bar and off where they apply, such as bar/20 or 3/off, one step if only one can be played, pass if none.\n"
            f"You are player {seat}, {MARKS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` hits, makes points and leaves few lone checkers."""
        return {"random": random_bot, "greedy": greedy_bot}
