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

import random
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from games.errors import GameOverError, IllegalMoveError, ParameterError
from games.negotiation_text import (
    GOODS,
    Bundle,
    Offer,
    bundle_text,
    offer_text,
    parse_action,
    parse_offer,
)
from games.types import (
    Bot,
    Event,
    Game,
    GameSpec,
    Information,
    Issue,
    Json,
    Move,
    Observation,
    Param,
    ParamValue,
    Parsed,
    RandomStream,
    Seat,
    State,
    Utility,
)


@dataclass(frozen=True, kw_only=True)
class View:
    """What one seat knows, for bots: own values and stock, the open offer to it, turns left including its own."""

    values: Bundle
    stock: Bundle
    offer: Offer | None
    turns_left: int


class NegotiationState(State):
    """One negotiation. The deal is drawn once from the seed; nothing else is random."""

    def __init__(self, game: SimpleNegotiation, seed: int) -> None:
        self._game = game
        self.seed = seed
        deal = random.Random(f"{seed}/deal")
        p = game.settings
        seats = range(2)
        self.values = [tuple(deal.randint(p["value_low"], p["value_high"]) for _ in GOODS) for _ in seats]
        self.start = [tuple(deal.randint(p["stock_low"], p["stock_high"]) for _ in GOODS) for _ in seats]
        self.stock = list(self.start)
        self.offer: tuple[Seat, Offer] | None = None
        self.trades = 0
        self._moves: list[Move] = []
        self._events: list[Event] = []

    @property
    def game(self) -> SimpleNegotiation:
        """The game this is a state of."""
        return self._game

    @property
    def turn(self) -> int:
        """How many turns have been taken."""
        return len(self._moves)

    def to_move(self) -> tuple[Seat, ...]:
        """Seats alternate, player 0 first."""
        return () if self.turn >= self._game.spec.max_turns else (self.turn % 2,)

    def legal(self, seat: Seat) -> tuple[Move, ...] | None:
        """Free-form while the seat is to move."""
        return None if seat in self.to_move() else ()

    def view(self, seat: Seat) -> View:
        """What the seat knows, for bots."""
        open_offer = self.offer[1] if self.offer and self.offer[0] != seat else None
        left = self._game.spec.max_turns - self.turn
        return View(values=self.values[seat], stock=self.stock[seat], offer=open_offer, turns_left=left)

    def gains(self) -> tuple[int, int]:
        """Each seat's gain so far by its own values."""
        first, second = (
            sum(v * (now - then) for v, now, then in zip(self.values[s], self.stock[s], self.start[s], strict=True))
            for s in (0, 1)
        )
        return first, second

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Read talk and at most one action."""
        parsed = parse_action(text, truncated=truncated)
        if parsed.move is None:
            return parsed
        reason = self._refusal(seat, parsed.move)
        if reason is not None:
            return Parsed(raw=text, issue=Issue.ILLEGAL, hint=reason)
        return parsed

    def apply(self, moves: Mapping[Seat, Move]) -> None:
        """Take one turn."""
        to_move = self.to_move()
        if not to_move:
            raise GameOverError("simple_negotiation: the game is over; no move can be made.")
        if set(moves) != set(to_move):
            raise IllegalMoveError(f"simple_negotiation: player {to_move[0]} is to move, not {sorted(moves)}.")
        seat = to_move[0]
        move = moves[seat]
        reason = self._refusal(seat, move)
        if reason is not None:
            raise IllegalMoveError(f"simple_negotiation: {reason}")
        if move.speech:
            self._events.append(Event(text=move.speech, speaker=seat))
        standing, self.offer = self.offer, None
        if move.answer == "Accept":
            self._trade(standing)
            self._events.append(Event(text=f"Player {seat} accepts."))
        elif move.answer == "Deny":
            self._events.append(Event(text=f"Player {seat} denies."))
        elif move.answer:
            offer = parse_offer(move.answer)
            self.offer = (seat, offer)
            self._events.append(Event(text=f"Player {seat} offers {offer_text(offer)}."))
        self._moves.append(move)

    def returns(self) -> tuple[float, ...]:
        """+1 / −1 by gain; zeros when equal, and when nothing was traded."""
        first, second = self._final_gains()
        sign = (first > second) - (first < second)
        return float(sign), float(-sign)

    def outcome(self) -> str:
        """Who gained more."""
        first, second = self._final_gains()
        return "draw" if first == second else ("p0" if first > second else "p1")

    def observe(self, seat: Seat) -> Observation:
        """Own values and stock, what was said and done, and the forms allowed now."""
        view = self.view(seat)
        lines = [f"You have {bundle_text(view.stock, zeros=True, value_first=False)}."]
        ask = ""
        if seat in self.to_move():
            if view.offer is not None:
                lines.append(f"Open to you: get {bundle_text(view.offer.give)}, give {bundle_text(view.offer.want)}.")
            ask = f"Turn {self.turn + 1} of {self._game.spec.max_turns}."
        return Observation(
            facts=f"Your values: {bundle_text(view.values, zeros=True, value_first=False)}.",
            events=tuple(self._events),
            board=" ".join(lines),
            ask=ask,
        )

    def to_json(self) -> Json:
        """Seed and moves; the rest follows."""
        return {"seed": self.seed, "moves": [move.to_json() for move in self._moves]}

    def clone(self) -> NegotiationState:
        """An independent copy."""
        copy = NegotiationState.__new__(NegotiationState)
        copy.__dict__.update(self.__dict__)
        copy.stock = list(self.stock)
        copy._moves = list(self._moves)
        copy._events = list(self._events)
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._game, self.to_json())

    def render(self, seat: Seat | None) -> str:
        """Stocks and values of the seats that may be seen, the open offer, and gains."""
        shown = (0, 1) if seat is None else (seat,)
        gains = self.gains()
        lines = [
            f"P{s}  has {bundle_text(self.stock[s])}; "
            f"values {bundle_text(self.values[s], zeros=True, value_first=False)}; gain {gains[s]:+d}"
            for s in shown
        ]
        if self.offer is not None:
            lines.append(f"Open: P{self.offer[0]} gives {offer_text(self.offer[1])}")
        return "\n".join([*lines, f"Turn {self.turn} of {self._game.spec.max_turns}, trades {self.trades}"])

    def _refusal(self, seat: Seat, move: Move) -> str | None:
        """Why the seat may not make this move now, or None."""
        standing = self.offer[1] if self.offer and self.offer[0] != seat else None
        if move.answer in ("Accept", "Deny"):
            if standing is None:
                return f"There is no open offer to you, so [{move.answer}] is not allowed now."
            if move.answer == "Accept" and not _covers(self.stock[seat], standing.want):
                return f"You cannot accept: you do not have {bundle_text(standing.want)}."
        elif move.answer:
            offer = parse_offer(move.answer)
            if not _covers(self.stock[seat], offer.give):
                return f"You cannot offer {bundle_text(offer.give)}: you have {bundle_text(self.stock[seat])}."
        return None

    def _trade(self, standing: tuple[Seat, Offer] | None) -> None:
        if standing is None:  # _refusal has seen to it
            raise IllegalMoveError("simple_negotiation: there is no open offer.")
        proposer, offer = standing
        for who, out, into in ((proposer, offer.give, offer.want), (1 - proposer, offer.want, offer.give)):
            self.stock[who] = tuple(s - o + i for s, o, i in zip(self.stock[who], out, into, strict=True))
        self.trades += 1

    def _final_gains(self) -> tuple[int, int]:
        if self.to_move():
            raise GameOverError("simple_negotiation: the game is not over yet.")
        return self.gains()


def _covers(stock: Bundle, wanted: Bundle) -> bool:
    return all(have >= want for have, want in zip(stock, wanted, strict=True))


def _restore(game: SimpleNegotiation, obj: Json) -> NegotiationState:
    return game.state_from_json(obj)


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
        from games.negotiation_bots import greedy_bot, random_bot

        return {"random": random_bot, "greedy": greedy_bot}
