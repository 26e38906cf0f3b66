"""One bargaining match: what each seat sees of it, and how its replies are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from games.bargaining_text import KINDS, Split, amounts, keep_answer, read_keep
from games.openspiel import SpielState
from games.parsing import final_answer, normalise
from games.types import Event, Issue, Move, Observation, Parsed, Seat

if TYPE_CHECKING:
    from games.bargaining import Bargaining

_ACCEPT = frozenset({"accept", "agree", "deal"})


class BargainingState(SpielState):
    """One match. Answers are read, not listed: a pool can be split in up to 36 ways, which would fill every prompt."""

    @property
    def bargaining(self) -> Bargaining:
        """The game, by its own type."""
        return cast("Bargaining", self._game)

    def pool(self) -> Split:
        """Units of every kind."""
        return tuple(self.pyspiel_state.instance().pool)

    def worth_of_units(self, seat: Seat) -> Split:
        """What one unit of every kind is worth to the seat."""
        return tuple(self.pyspiel_state.instance().values[seat])

    def worth(self, seat: Seat, split: Split) -> int:
        """What a split is worth to the seat."""
        return sum(units * each for units, each in zip(split, self.worth_of_units(seat), strict=True))

    def rest(self, split: Split) -> Split:
        """What a split leaves."""
        return tuple(whole - part for whole, part in zip(self.pool(), split, strict=True))

    def proposal(self) -> Split | None:
        """What the last proposer would keep."""
        offers = self.pyspiel_state.offers()
        return tuple(offers[-1].quantities) if offers else None

    def offered(self) -> Split | None:
        """What the seat to move would get by accepting."""
        kept = self.proposal()
        return None if kept is None else self.rest(kept)

    def turn(self) -> int:
        """Turns taken."""
        return len(self.pyspiel_state.history()) - 1  # without the deal

    def is_accept(self, action: int) -> bool:
        """Whether this is the number of an acceptance."""
        return bool(action == self.pyspiel_state.agree_action())

    def legal(self, seat: Seat) -> tuple[Move, ...] | None:  # type: ignore[override]
        """Read, not listed."""
        return None if self.is_to_move(seat) else ()

    def answer(self, seat: Seat, action: int) -> str:
        """`Accept`, or `Keep: 1 book, 2 hats`."""
        if self.is_accept(action):
            return "Accept"
        return keep_answer(tuple(self._game.pyspiel_game.all_offers()[action].quantities))

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """A proposal within the pool, or the acceptance of one."""
        found = final_answer(text, truncated=truncated, example="Keep: 1 book, 1 hat")
        if isinstance(found, Parsed):
            return found
        if not self.is_to_move(seat):
            return Parsed(raw=text, issue=Issue.ILLEGAL, hint="It is not your turn.")
        if normalise(found.text) in _ACCEPT:
            if self.proposal() is None:
                hint = "There is no proposal to accept yet; make one, like [Keep: 1 book, 1 hat]."
                return Parsed(raw=text, issue=Issue.ILLEGAL, hint=hint)
            action = self.pyspiel_state.agree_action()
            return Parsed(raw=text, issue=Issue.OK, move=Move(answer="Accept", action=action))
        split = read_keep(found.text)
        if isinstance(split, str):
            return Parsed(raw=text, issue=Issue.MALFORMED, hint=split)
        if any(left < 0 for left in self.rest(split)):
            hint = f"You cannot keep {amounts(split)}: the pool holds {amounts(self.pool())}."
            return Parsed(raw=text, issue=Issue.ILLEGAL, hint=hint)
        move = Move(answer=keep_answer(split), action=self.bargaining.actions[split])
        return Parsed(raw=text, issue=Issue.OK, move=move)

    def action_event(self, seat: Seat, action: int) -> Event:
        """The public action, with both sides of a split."""
        if self.is_accept(action):
            return Event(text=f"Player {seat} accepts.")
        kept = tuple(self._game.pyspiel_game.all_offers()[action].quantities)
        return Event(
            text=f"Player {seat} would keep {amounts(kept)}; player {1 - seat} would get {amounts(self.rest(kept))}."
        )

    def facts(self, seat: Seat) -> str:
        """The pool and what its items are worth to the seat."""
        worth = ", ".join(f"{kind} {each}" for each, kind in zip(self.worth_of_units(seat), KINDS, strict=True))
        return f"The pool: {amounts(self.pool())}. Worth to you: {worth}."

    def board(self, seat: Seat) -> str:
        """The last proposal, from the seat's side; nothing before the first."""
        kept = self.proposal()
        if kept is None:
            return ""
        # After an acceptance it is nobody's turn, and the proposer is the one who did not move last.
        proposer = (self.turn() - 1 - self.is_accept(self.pyspiel_state.history()[-1])) % 2
        mine = kept if proposer == seat else self.rest(kept)
        whose = "Your" if proposer == seat else "The other's"
        return (
            f"{whose} last proposal: you get {amounts(mine)} (worth {self.worth(seat, mine)}), "
            f"the other gets {amounts(self.rest(mine))}."
        )

    def observe(self, seat: Seat) -> Observation:
        """Own worths, all proposals, and the open one."""
        ask = f"Turn {self.turn() + 1} of {self._game.spec.max_turns}." if self.is_to_move(seat) else ""
        return Observation(facts=self.facts(seat), events=tuple(self._events), board=self.board(seat), ask=ask)

    def outcome(self) -> str:
        """Who got more of a deal, or that there is none."""
        return super().outcome() if self._agreed() else "no_deal"

    def measures(self) -> Mapping[str, float]:
        """What each seat got, and whether there was a deal."""
        payoffs = {f"payoff/{seat}": value for seat, value in enumerate(self.returns())}
        return {**payoffs, "agreement": float(self._agreed())}

    def render(self, seat: Seat | None) -> str:
        """Pool, worths of the seats that may be seen, and the proposals."""
        shown = (0, 1) if seat is None else (seat,)
        lines = [f"Pool  {amounts(self.pool(), zeros=True)}"]
        for one in shown:
            worths = zip(self.worth_of_units(one), KINDS, strict=True)
            lines.append(f"P{one}    " + ", ".join(f"{kind} {each}" for each, kind in worths))
        return "\n".join([*lines, *(event.text for event in self._events)])

    def _agreed(self) -> bool:
        self._require_over()
        return self.is_accept(self.pyspiel_state.history()[-1])
