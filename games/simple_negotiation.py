"""Simple negotiation: two seats trade five goods whose worth is private.

| fact | value |
|---|---|
| seats | 2 |
| information | imperfect: own values and stock only; offers and talk are public |
| a turn | free talk plus at most one action: `[Offer: 2 Wood -> 3 Ore]`, `[Accept]`, `[Deny]` |
| an offer | is open to the other seat's next turn; dies when accepted, denied, countered or talked past |
| end | exactly `turns` turns; trades before that change the stocks and play goes on |
| returns | +1 to the larger gain by one's own values, −1 to the other; 0 where equal or nothing was traded |
| outcome classes | p0, p1, draw |

All amounts are integers. `gains()` gives both seats' gains in value, beside the win/loss mapping.
Reference: the negotiation game of SPIRAL (arXiv 2506.24119), in our own rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from games.errors import ParameterError
from games.negotiation_bots import greedy_bot, random_bot
from games.negotiation_state import NegotiationState
from games.negotiation_text import GOODS
from games.types import (
    Bot,
    Game,
    GameSpec,
    Information,
    Json,
    Move,
    Param,
    ParamValue,
    RandomStream,
    Seat,
    State,
    Utility,
)


class SimpleNegotiation(Game):
    """Trade goods of private worth; the larger gain wins."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "turns": Param(default=6, low=2, high=60, help="turns of both seats together"),
            "value_low": Param(default=1, low=0, high=1000, help="least private worth of one unit"),
            "value_high": Param(default=9, low=1, high=1000, help="greatest private worth of one unit"),
            "stock_low": Param(default=1, low=0, high=99, help="least units of a good at the start"),
            "stock_high": Param(default=5, low=1, high=99, help="most units of a good at the start"),
        }
    )

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.settings = {name: int(value) for name, value in params.items()}
        for low, high in (("value_low", "value_high"), ("stock_low", "stock_high")):
            if self.settings[low] > self.settings[high]:
                given = f"{low}={self.settings[low]}, {high}={self.settings[high]}"
                raise ParameterError(f"simple_negotiation: {given}; {low} must not exceed {high}.")
        self.spec = GameSpec(
            id="simple_negotiation",
            title="Simple negotiation",
            summary="Trade goods of private worth; the larger gain wins.",
            roles=("opener", "responder"),
            utility=Utility.ZERO_SUM,
            information=Information.IMPERFECT,
            min_return=-1.0,
            max_return=1.0,
            outcomes=("p0", "p1", "draw"),
            max_turns=self.settings["turns"],
            params=MappingProxyType(dict(params)),
            reference="SPIRAL (arXiv 2506.24119)",
        )

    def new_state(self, seed: int) -> NegotiationState:
        """Deal values and stocks."""
        return NegotiationState(self, seed)

    def state_from_json(self, obj: Json) -> NegotiationState:
        """Deal again and replay the moves."""
        state = NegotiationState(self, obj["seed"])
        for move in obj["moves"]:
            state.apply({state.to_move()[0]: Move.from_json(move)})
        return state

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """The same match with other values of the other seat, which also owned more than it did from the start.

        More rather than any other stock: whatever the other seat did was then allowed as well.
        """
        if not isinstance(state, NegotiationState):
            return ()
        other, variant = 1 - seat, state.clone()
        low, high = self.settings["value_low"], self.settings["value_high"]
        variant.values = list(state.values)
        variant.values[other] = tuple(low + rng.randrange(high - low + 1) for _ in GOODS)
        more = tuple(rng.randrange(3) for _ in GOODS)
        variant.start = list(state.start)
        variant.start[other] = tuple(n + extra for n, extra in zip(state.start[other], more, strict=True))
        variant.stock[other] = tuple(n + extra for n, extra in zip(state.stock[other], more, strict=True))
        return (variant,)

    def __reduce__(self) -> tuple[Any, ...]:
        from games.registry import get_game

        return get_game, (self.spec.id, dict(self.spec.params))

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        p = self.settings
        return (
            f"Two players trade {', '.join(GOODS)}. Each good has a private worth to you, {p['value_low']} to "
            f"{p['value_high']}, and another to the other player; at the start each has {p['stock_low']} to "
            f"{p['stock_high']} of it. In turn, talk and take at most one action in brackets: "
            "[Offer: 1 Wood -> 2 Ore] gives 1 Wood for 2 Ore, [Accept] or [Deny] answers the other's open offer, "
            f"which is gone after your turn. After {p['turns']} turns the larger gain by own worth wins; "
            "equal gains or no trade draw.\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random` takes any legal action; `greedy` takes what gains and offers little for much."""
        return {"random": random_bot, "greedy": greedy_bot}
