"""One negotiation in progress: the deal, the open offer, the stocks, and what each seat sees of them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from games.errors import GameOverError, IllegalMoveError
from games.negotiation_text import GOODS, Bundle, Offer, bundle_text, offer_text, parse_action, parse_offer
from games.types import Event, Issue, Json, Move, Observation, Parsed, Seat, State

if TYPE_CHECKING:
    from games.simple_negotiation import SimpleNegotiation


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
        turn = len(self._moves)
        return () if turn >= self._game.spec.max_turns else (turn % 2,)

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
        if moves.keys() != set(to_move):
            raise IllegalMoveError(f"simple_negotiation: player {to_move[0]} is to move, not {sorted(moves)}.")
        seat = to_move[0]
        move = moves[seat]
        reason = self._refusal(seat, move)
        if reason is not None:
            raise IllegalMoveError(f"simple_negotiation: {reason}")
        if move.speech:
            self._events.append(Event(move.speech, seat))
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
        facts = f"Your values: {bundle_text(self.values[seat], zeros=True, value_first=False)}."
        board = f"You have {bundle_text(self.stock[seat], zeros=True, value_first=False)}."
        ask = ""
        if seat in self.to_move():
            if self.offer is not None and self.offer[0] != seat:
                offer = self.offer[1]
                board += f" Open to you: get {bundle_text(offer.give)}, give {bundle_text(offer.want)}."
            ask = f"Turn {len(self._moves) + 1} of {self._game.spec.max_turns}."
        return Observation(facts, tuple(self._events), board, ask)

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
