"""One match of two dollar: the pot, the open proposal, the secret roles, and who has broken theirs."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from games.joint import JointGame
from games.talk import TalkState, Unreadable, read_turn
from games.two_dollar_roles import broken_by_deal, broken_by_turn, draw_roles
from games.two_dollar_text import ACCEPT, ACTIONS, REJECT, money, proposed_cents, read_action
from games.types import Issue, Move, Observation, Parsed, Seat

if TYPE_CHECKING:
    from games.two_dollar import TwoDollar


class TwoDollarState(TalkState):
    """One match. The pot and the roles are drawn from the seed; nothing else is random.

    Attributes:
        pot: cents to split.
        secret: role of each seat.
        open: the proposer and what it would get, while a proposal is open.
        asked: what each seat proposed last for itself.
        broken: whether each seat has broken its role.
        deal: cents of each seat, once there is a deal.
    """

    def __init__(self, game: JointGame, seed: int) -> None:
        super().__init__(game, seed)
        deal = random.Random(f"{seed}/deal")
        settings = cast("TwoDollar", game).settings
        self.pot = deal.randint(settings["pot_low"], settings["pot_high"])
        self.secret = draw_roles(self.pot, settings["turns"], deal)
        self.open: tuple[Seat, int] | None = None
        self.asked: list[int | None] = [None, None]
        self.broken = [False, False]
        self.deal: tuple[int, int] | None = None

    # --- what may be done ------------------------------------------------------------------------------------------

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Read talk and at most one action."""
        parsed = read_turn(text, ACTIONS, truncated=truncated)
        reason = None if parsed.move is None or seat not in self.to_move() else self.refusal(seat, parsed.move)
        return parsed if reason is None else Parsed(raw=text, issue=Issue.ILLEGAL, hint=reason)

    def offered(self, seat: Seat) -> int | None:
        """What the seat would get by accepting, where a proposal of the other is open."""
        return None if self.open is None or self.open[0] == seat else self.pot - self.open[1]

    def refusal(self, seat: Seat, move: Move) -> str | None:
        """A proposal stays within the pot; only an open proposal of the other is accepted or rejected."""
        if not move.answer:
            return super().refusal(seat, move)
        reading = read_action(move.answer)
        if isinstance(reading, Unreadable):
            return reading.hint
        if reading != move.answer:
            return f"[{move.answer}] must be written [{reading}]."
        if reading in (ACCEPT, REJECT):
            if self.offered(seat) is None:
                return f"There is no open proposal of the other player, so [{reading}] is not allowed now."
        elif proposed_cents(reading) > self.pot:
            asked = money(proposed_cents(reading))
            return f"You cannot ask for {asked}: the pot is {money(self.pot)}. Cents are written [Propose 90 cents]."
        return None

    # --- what happens ----------------------------------------------------------------------------------------------

    def take(self, seat: Seat, move: Move) -> None:
        """Carry out the action, and judge the role of the seat."""
        asked = None if move.answer in ("", ACCEPT, REJECT) else proposed_cents(move.answer)
        if broken_by_turn(self.secret[seat], speech=move.speech, asked=asked, asked_before=self.asked[seat]):
            self._break(seat)
        if asked is not None:
            self.open, self.asked[seat] = (seat, asked), asked
            self.tell(
                f"Player {seat} proposes {money(asked)} for player {seat}, "
                f"{money(self.pot - asked)} for player {1 - seat}."
            )
        elif move.answer == REJECT:
            self.open = None
            self.tell(f"Player {seat} rejects.")
        elif move.answer == ACCEPT and self.open is not None:
            proposer, kept = self.open
            self.open = None
            self.deal = (kept, self.pot - kept) if proposer == 0 else (self.pot - kept, kept)
            self._close(seat)

    def _break(self, seat: Seat) -> None:
        if not self.broken[seat]:
            self.broken[seat] = True
            self.tell("You have broken your role, so a deal pays you $0.00.", to=(seat,))

    def _close(self, seat: Seat) -> None:
        """Judge the roles by the deal, and end."""
        for one, share in enumerate(self.deal or ()):
            if broken_by_deal(self.secret[one], share=share, turn=self.turn):
                self.broken[one] = True
        first, second = self.payoffs()
        self.end(None if first == second else int(first < second), f"Player {seat} accepts.")

    def payoffs(self) -> tuple[int, int]:
        """Cents for each seat as things stand: its share of the deal, 0 without one or with a broken role."""
        first, second = self.deal or (0, 0)
        return (0 if self.broken[0] else first), (0 if self.broken[1] else second)

    def reveal(self) -> str:
        """Roles, and what each is paid."""
        told = [
            f"Player {seat} ({role.short}, {'broken' if self.broken[seat] else 'kept'}) gets {money(paid)}."
            for seat, (role, paid) in enumerate(zip(self.secret, self.payoffs(), strict=True))
        ]
        return " ".join(told) if self.deal else f"There is no deal. {' '.join(told)}"

    # --- how it ends -----------------------------------------------------------------------------------------------

    def roles(self) -> tuple[str, ...]:
        """Kinds of the roles as dealt."""
        return tuple(role.kind for role in self.secret)

    def measures(self) -> Mapping[str, float]:
        """Cents of each seat, whether there was a deal, the pot, and broken roles."""
        self.require_over()
        return {
            **{f"payoff/{seat}": float(cents) for seat, cents in enumerate(self.payoffs())},
            "agreement": float(self.deal is not None),
            "pot": float(self.pot),
            **{f"role_broken/{seat}": float(self.broken[seat]) for seat in (0, 1)},
        }

    # --- what is seen ----------------------------------------------------------------------------------------------

    def observe(self, seat: Seat) -> Observation:
        """The pot, the own role, what was said and done, and the open proposal."""
        lines = [f"Pot {money(self.pot)}."]
        if self.open is not None:
            own = self.open[0] == seat
            mine = self.open[1] if own else self.pot - self.open[1]
            whose = "Your own open proposal" if own else "Open to you"
            lines.append(f"{whose}: you get {money(mine)}, the other {money(self.pot - mine)}.")
        elif not self.ended:
            lines.append("No proposal is open.")
        return Observation(
            facts=self.secret[seat].text,
            events=self.events(seat),
            board=" ".join(lines),
            ask=self.due(seat),
        )

    def render(self, seat: Seat | None) -> str:
        """The pot, the roles that may be seen, and the open proposal."""
        rows = [f"Pot  {money(self.pot)}"]
        for one in (0, 1):
            shown = seat in (None, one) or self.ended
            role = f"{self.secret[one].short}{', broken' if self.broken[one] else ''}" if shown else "?"
            last = self.asked[one]
            rows.append(f"P{one}   {role}; {'has asked for nothing yet' if last is None else f'asks {money(last)}'}")
        if self.deal is not None:
            rows.append(f"Deal {money(self.deal[0])} / {money(self.deal[1])}")
        elif self.open is not None:
            rows.append(f"Open P{self.open[0]} would get {money(self.open[1])}")
        return "\n".join([*rows, f"Turn {self.turn} of {self._game.spec.max_turns}"])
