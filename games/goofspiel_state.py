"""One match of goofspiel: what has been played, who sees what of it, and how it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from games.openspiel import SpielState
from games.types import Event, ParamValue, Seat


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What the parameters decide.

    Attributes:
        prizes: all of them, in the order in which they come where it is known.
        drawn: whether chance decides that order.
        hidden: whether played cards stay hidden.
    """

    prizes: tuple[int, ...]
    drawn: bool
    hidden: bool

    @classmethod
    def of(cls, params: Mapping[str, ParamValue]) -> Setup:
        """From the parameters in force."""
        ascending = tuple(range(1, int(params["num_cards"]) + 1))
        order = params["points_order"]
        return cls(
            prizes=ascending[::-1] if order == "descending" else ascending,
            drawn=order == "random",
            hidden=bool(params["imp_info"]),
        )

    @property
    def order_note(self) -> str:
        """How the prizes to come are listed."""
        return ", in any order" if self.drawn else ", in this order"


@dataclass(frozen=True, kw_only=True)
class Round:
    """A prize and the cards played for it, by seat."""

    prize: int
    cards: tuple[int, int]

    @property
    def winner(self) -> Seat | None:
        """Who takes the prize; None for a tie."""
        first, second = self.cards
        return None if first == second else int(second > first)


class GoofspielState(SpielState):
    """One match. Everything shown is worked out from the prizes and cards so far."""

    @property
    def setup(self) -> Setup:
        """What the parameters decide."""
        return Setup.of(self._game.spec.params)

    def played(self) -> tuple[list[Round], int | None]:
        """Rounds so far, and the prize that is played for now."""
        setup, history = self.setup, self.pyspiel_state.history()
        size = 3 if setup.drawn else 2
        prizes = [a + 1 for a in history[::3]] if setup.drawn else list(setup.prizes[: len(history) // 2 + 1])
        bids = [history[at + size - 2 : at + size] for at in range(0, len(history), size)]
        rounds = [
            Round(prize=prize, cards=(pair[0] + 1, pair[1] + 1))
            for prize, pair in zip(prizes, bids, strict=False)
            if len(pair) == 2
        ]
        if not self.pyspiel_state.is_terminal():
            return rounds, prizes[len(rounds)]
        (prize,) = set(setup.prizes) - {made.prize for made in rounds}
        first, second = (self._left(seat, rounds)[0] for seat in (0, 1))
        return [*rounds, Round(prize=prize, cards=(first, second))], None

    def _left(self, seat: Seat, rounds: list[Round]) -> tuple[int, ...]:
        used = {made.cards[seat] for made in rounds}
        return tuple(card for card in sorted(self.setup.prizes) if card not in used)

    def hand(self, seat: Seat) -> tuple[int, ...]:
        """Cards that a seat still has."""
        return self._left(seat, self.played()[0])

    def points(self) -> tuple[int, int]:
        """Prizes won, by seat."""
        rounds = self.played()[0]
        first, second = (sum(made.prize for made in rounds if made.winner == seat) for seat in (0, 1))
        return first, second

    def measures(self) -> Mapping[str, float]:
        """Points of each seat."""
        self._require_over()
        return {f"payoff/{seat}": float(points) for seat, points in enumerate(self.points())}

    def answer(self, seat: Seat, action: int) -> str:
        """The card's number."""
        return str(action + 1)

    def information_key(self, seat: Seat) -> str | None:
        """OpenSpiel's, where something is hidden; with open hands it leaves out who played what."""
        return super().information_key(seat) if self.setup.hidden else None

    def events(self, seat: Seat) -> tuple[Event, ...]:
        """Each round as the seat saw it."""
        return tuple(Event(text=self._told(made, seat)) for made in self.played()[0])

    def _told(self, made: Round, seat: Seat | None) -> str:
        cards = " and ".join(
            f"{'you' if s == seat else f'player {s}'} played {made.cards[s]}"
            for s in (0, 1)
            if seat in (None, s) or not self.setup.hidden
        )
        winner = "nobody" if made.winner is None else "you" if made.winner == seat else f"player {made.winner}"
        how = ("A tie: nobody takes it" if made.winner is None else f"{winner} took it").capitalize()
        return f"Prize {made.prize}: {cards}. {how}."

    def board(self, seat: Seat) -> str:
        """Prize now and to come, cards, points."""
        rounds, prize = self.played()
        done = {made.prize for made in rounds} | {prize}
        to_come = " ".join(str(card) for card in self.setup.prizes if card not in done)
        now = "" if prize is None else f"Prize now: {prize}. To come{self.setup.order_note}: {to_come}.\n"
        other = "" if self.setup.hidden else f" Player {1 - seat}'s cards: {_row(self.hand(1 - seat))}."
        points = self.points()
        score = f"Points: you: {points[seat]}, player {1 - seat}: {points[1 - seat]}."
        return f"{now}Your cards: {_row(self.hand(seat))}.{other} {score}"

    def render(self, seat: Seat | None) -> str:
        """Rounds so far and the position; all cards only for the whole view."""
        rounds, prize = self.played()
        lines = [self._told(made, seat) for made in rounds]
        shown = [s for s in (0, 1) if seat in (None, s) or not self.setup.hidden]
        lines += [f"Player {s}'s cards: {_row(self.hand(s))}" for s in shown]
        now = "over" if prize is None else str(prize)
        return "\n".join([*lines, f"Prize: {now}   Points: {self.points()[0]} to {self.points()[1]}"])


def _row(cards: tuple[int, ...]) -> str:
    return " ".join(map(str, cards)) or "none"
