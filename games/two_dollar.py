"""Two dollar: split a pot by talking, with a secret role that restricts how.

| fact | value |
|---|---|
| seats | 2 |
| information | imperfect: one's own role only; the pot, proposals and talk are public |
| a turn | free talk plus at most one action: `[Propose $1.20]` (for the proposer), `[Accept]`, `[Reject]` |
| a proposal | open until it is accepted or rejected, or either seat makes another; nobody accepts their own |
| roles | a minimum, a word limit, a concession limit, a deadline, or a style, which alone is not judged |
| end | a deal, or after `turns` turns without one |
| payoff | cents: the share of the deal; 0 without a deal, and 0 for a seat that has broken its role |
| returns | +1 to the larger payoff, −1 to the other; 0 where equal |
| outcome classes | p0, p1, draw |

A word limit counts the words of each turn, a concession limit the step down from one own proposal to the next. Pairs
of roles that no deal could keep are not dealt. Payoffs, agreement and broken roles stand in the measures, since
win/draw/loss does not tell a fair deal from none. With `pot_low` below `pot_high` the pot is drawn, and the amounts of
the roles follow it.

Reference: TwoDollar of TextArena, after the two-dollar game of negotiation courses; our own rules and roles.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from games.errors import ParameterError
from games.joint import JointGame
from games.two_dollar_bots import greedy_bot, random_bot
from games.two_dollar_roles import draw_role, possible
from games.two_dollar_state import TwoDollarState
from games.two_dollar_text import money, propose
from games.types import (
    Bot,
    GameSpec,
    Information,
    Param,
    ParamValue,
    RandomStream,
    Seat,
    State,
    Utility,
)


class TwoDollar(JointGame):
    """Split a pot and keep to a secret role."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "turns": Param(default=12, low=3, high=60, help="turns of both seats together"),
            "pot_low": Param(default=200, low=10, high=100_000, help="least cents to split"),
            "pot_high": Param(default=200, low=10, high=100_000, help="most cents to split"),
        }
    )
    state_class = TwoDollarState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.settings = {name: int(value) for name, value in params.items()}
        low, high = self.settings["pot_low"], self.settings["pot_high"]
        if low > high:
            raise ParameterError(f"two_dollar: pot_low={low}, pot_high={high}; pot_low must not exceed pot_high.")
        self.spec = GameSpec(
            id="two_dollar",
            title="Two dollar",
            summary="Split two dollars by talking, each with a secret role.",
            roles=("opener", "responder"),
            utility=Utility.ZERO_SUM,
            information=Information.IMPERFECT,
            min_return=-1.0,
            max_return=1.0,
            outcomes=("p0", "p1", "draw"),
            max_turns=self.settings["turns"],
            params=MappingProxyType(dict(params)),
            reference="TwoDollar of TextArena, in our own rules",
        )

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """The same match with another role of the other seat."""
        if not isinstance(state, TwoDollarState):
            return ()
        variant = state.clone()
        while True:
            role = draw_role(state.pot, self.settings["turns"], rng)
            variant.secret = (state.secret[0], role) if seat == 0 else (role, state.secret[1])
            if possible(variant.secret, state.pot):
                break
        return (variant,)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        p = self.settings
        low, high = p["pot_low"], p["pot_high"]
        pot = f"{low} cents ({money(low)})" if low == high else f"a pot of {low} to {high} cents, known to both,"
        return (
            f"Two players split {pot} by talking in turn. Take at most one action a turn, in brackets: "
            f"[{propose(low * 3 // 5)}] asks for that much and leaves the rest to the other; [Accept] or [Reject] "
            "answers the other's open proposal, a proposal of your own replaces it. Each has a secret role: a minimum, "
            "a word limit, a limit to concessions, a deadline, or only a style. Who breaks it gets $0.00 in any deal. "
            f"Without a deal after {p['turns']} turns both get $0.00. Who gets more wins; equal is a draw.\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random` takes any legal action; `greedy` asks for much, gives way slowly, and keeps to its role."""
        return {"random": random_bot, "greedy": greedy_bot}
