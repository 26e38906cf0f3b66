"""Iterated prisoner's dilemma: talk, then choose at the same time; and other symmetric games of two choices.

| fact | value |
|---|---|
| seats | 2 |
| a round | `talk` messages of each seat, then one choice of each; what is sent or chosen together is told together |
| payoffs | both the first choice: `reward` each; both the second: `punishment` each; else `temptation` and `sucker` |
| horizon | `rounds_low` to `rounds_high` rounds, drawn by the seed, told to nobody |
| utility | general sum |
| returns | mean payoff of a round: two that cooperate get 3, two that defect 1 |
| outcome classes | p0, p1, draw, by points |

The mean, not the sum, so that the horizon that was drawn does not decide how good a match looks. Payoffs are never
turned into win and loss: a pair that cooperates has more than one that defects. `measures` gives the points, the
rounds, and how often each seat took the first choice. A forfeit ends the match: its seat gets the least a match can
pay; rounds that are not played pay the other seat nothing, but no less than that least either.

Reference: R. Axelrod, "The Evolution of Cooperation" (1984); stag hunt and chicken as in A. Rapoport and M. Guyer,
"A taxonomy of 2 × 2 games" (1966).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from games.errors import ParameterError
from games.iterated_prisoners_dilemma_bots import greedy_bot, random_bot, tit_for_tat_bot
from games.iterated_prisoners_dilemma_state import DilemmaState
from games.joint import JointGame
from games.types import (
    Bot,
    Dynamics,
    GameSpec,
    Information,
    Param,
    ParamValue,
    RandomStream,
    Seat,
    State,
    Utility,
)

_TITLES = {
    "Cooperate/Defect": "Iterated prisoner's dilemma",
    "Stag/Hare": "Iterated stag hunt",
    "Swerve/Straight": "Iterated chicken",
}


def _payoff(default: int, meaning: str) -> Param:
    return Param(default=default, low=-100, high=100, help=f"points of a round for {meaning}")


class IteratedPrisonersDilemma(JointGame):
    """Talk, then choose at the same time, round after round."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "choices": Param(default="Cooperate/Defect", choices=tuple(_TITLES), help="first and second choice"),
            "reward": _payoff(3, "each, if both take the first choice"),
            "temptation": _payoff(5, "the second choice against the first"),
            "sucker": _payoff(0, "the first choice against the second"),
            "punishment": _payoff(1, "each, if both take the second choice"),
            "rounds_low": Param(default=4, low=1, high=100, help="least number of rounds"),
            "rounds_high": Param(default=8, low=1, high=100, help="greatest number of rounds"),
            "talk": Param(default=1, low=0, high=5, help="messages of each seat before every choice"),
        }
    )
    state_class = DilemmaState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.settings = {name: int(value) for name, value in params.items() if name != "choices"}
        self.names = str(params["choices"]).split("/")
        p = self.settings
        if p["rounds_low"] > p["rounds_high"]:
            given = f"rounds_low={p['rounds_low']}, rounds_high={p['rounds_high']}"
            raise ParameterError(f"iterated_prisoners_dilemma: {given}; rounds_low must not exceed rounds_high.")
        self.table = ((p["reward"], p["sucker"]), (p["temptation"], p["punishment"]))
        """Points by own choice, then the other's."""
        payoffs = [points for row in self.table for points in row]
        self.spec = GameSpec(
            id="iterated_prisoners_dilemma",
            title=_TITLES[str(params["choices"])],
            summary="Talk, then choose at the same time, for a number of rounds that nobody knows.",
            roles=("player 0", "player 1"),
            utility=Utility.GENERAL_SUM,
            information=Information.IMPERFECT,
            dynamics=Dynamics.SIMULTANEOUS,
            min_return=float(min(payoffs)),
            max_return=float(max(payoffs)),
            outcomes=("p0", "p1", "draw"),
            max_turns=2 * p["rounds_high"] * (p["talk"] + 1),
            params=MappingProxyType(dict(params)),
            reference="R. Axelrod, The Evolution of Cooperation (1984)",
        )

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """The same match with another horizon that is still possible."""
        if not isinstance(state, DilemmaState) or not state.to_move():
            return ()
        least = max(self.settings["rounds_low"], state.round + 1)
        variant = state.clone()
        variant.horizon = least + rng.randrange(self.settings["rounds_high"] - least + 1)
        return (variant,)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        p, (first, second) = self.settings, self.names
        talk = f"send {_count(p['talk'], 'message')} to the other, both at the same time, then both choose"
        if not p["talk"]:
            talk = "do not talk (0 messages); both choose"
        return (
            f"Two players, several rounds. In a round you {talk} {first}/{second} at the same time. Points of "
            f"a round: both {first}: {p['reward']} each. Both {second}: {p['punishment']} each. Else {second} gets "
            f"{p['temptation']} and {first} gets {p['sucker']}. There are {p['rounds_low']} to {p['rounds_high']} "
            "rounds; nobody is told how many. Your result is your mean points per round; how the other does is no "
            f"part of it. When asked to choose, answer in brackets, like [{first}].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` takes what pays best against the other's last choice, `tit_for_tat` repeats it."""
        return {"random": random_bot, "greedy": greedy_bot, "tit_for_tat": tit_for_tat_bot}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
