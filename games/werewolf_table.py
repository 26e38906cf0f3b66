"""The table of werewolf: who has which role, who lives, what is due, and what each seat may see of it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from games.joint import JointState
from games.types import Observation, Seat
from games.werewolf_text import board, facts, picture

if TYPE_CHECKING:
    from games.werewolf import Werewolf

VERBS: Mapping[str, str] = {"wolf": "Kill", "seer": "Inspect", "doctor": "Protect"}
"""What a role does at night."""


class Phase(StrEnum):
    """Where in the day the match is."""

    HOWL = "howl"
    NIGHT = "night"
    TALK = "talk"
    VOTE = "vote"
    OVER = "over"


class WerewolfTable(JointState):
    """What was dealt and what has become of it. Roles and the first speaker are drawn; nothing else is random.

    Attributes:
        dealt: role per seat.
        living: seats, in order.
        day: number of the current night and the day after it, from 1.
        phase: what is due. queue: seats still to speak today, in order.
        howled: messages that each wolf has sent the others this night.
        winner: team, once the match is over.
        inspected: what every seer has looked at, in order.
    """

    def __init__(self, game: Werewolf, seed: int) -> None:
        super().__init__(game, seed)
        deal = random.Random(f"{seed}/deal")
        roles = list(game.deck)
        deal.shuffle(roles)
        self.dealt = tuple(roles)
        self.first = deal.randrange(len(roles))
        self.living = list(range(len(roles)))
        self.day = 1
        self.phase = Phase.NIGHT
        self.howled = 0
        self.queue: list[Seat] = []
        self.winner = ""
        self.inspected: list[tuple[Seat, Seat]] = []
        self.fall_asleep()

    @property
    def werewolf(self) -> Werewolf:
        """The game, by its own type."""
        return cast("Werewolf", self._game)

    # --- who may do what -------------------------------------------------------------------------------------------

    def team(self, seat: Seat) -> str:
        """`wolves` or `villagers`."""
        return "wolves" if self.dealt[seat] == "wolf" else "villagers"

    def wolves(self) -> list[Seat]:
        """Living wolves."""
        return [seat for seat in self.living if self.dealt[seat] == "wolf"]

    def verb(self, seat: Seat) -> str:
        """What the seat is asked to do to somebody now."""
        return "Vote" if self.phase is Phase.VOTE else VERBS[self.dealt[seat]]

    def targets(self, seat: Seat) -> tuple[Seat, ...]:
        """Whom the seat may name now: a living other; at night a wolf names no wolf, a doctor may name itself."""
        others = [other for other in self.living if other != seat]
        if self.phase in (Phase.HOWL, Phase.NIGHT) and self.dealt[seat] == "wolf":
            return tuple(other for other in others if self.dealt[other] != "wolf")
        if self.phase is Phase.NIGHT and self.dealt[seat] == "doctor":
            return tuple(self.living)
        return tuple(others)

    def fall_asleep(self) -> None:
        """Wolves that have company talk before all act."""
        talks = len(self.wolves()) > 1 and self.howled < self.werewolf.settings["wolf_talk"]
        self.phase = Phase.HOWL if talks else Phase.NIGHT

    # --- how it ends -----------------------------------------------------------------------------------------------

    def returns(self) -> tuple[float, ...]:
        """+1 for the seats of the winning team, −1 for the others."""
        self.require_over()
        return self._won_by(self.winner)

    def forfeit_returns(self, seat: Seat) -> tuple[float, ...]:
        """The team of the seat loses."""
        return self._won_by("villagers" if self.team(seat) == "wolves" else "wolves")

    def _won_by(self, winner: str) -> tuple[float, ...]:
        return tuple(1.0 if self.team(seat) == winner else -1.0 for seat in range(len(self.dealt)))

    def outcome(self) -> str:
        """The winning team."""
        self.require_over()
        return self.winner

    def roles(self) -> tuple[str, ...]:
        """Roles as dealt."""
        return self.dealt

    def measures(self) -> Mapping[str, float]:
        """Days begun, and who lives."""
        self.require_over()
        return {"days": float(self.day), "wolves_left": float(len(self.wolves())), "living": float(len(self.living))}

    # --- what is seen ----------------------------------------------------------------------------------------------

    def fellows(self, seat: Seat) -> list[Seat]:
        """The other wolves of a wolf, dead ones included."""
        return [s for s, role in enumerate(self.dealt) if role == "wolf" == self.dealt[seat] and s != seat]

    def findings(self, seat: Seat) -> dict[Seat, bool]:
        """Whom a seer has inspected, and whether it is a wolf."""
        return {other: self.dealt[other] == "wolf" for seer, other in self.inspected if seer == seat}

    def observe(self, seat: Seat) -> Observation:
        """Own role, what was told, who lives, and what is due."""
        listed = self.legal(seat)
        ask = ""
        if seat in self.to_move():
            due = {
                Phase.HOWL: f"Night {self.day}: speak to the other wolves alone.",
                Phase.TALK: f"Day {self.day}: speak.",
                Phase.VOTE: f"Day {self.day}: vote.",
            }
            ask = due.get(self.phase) or f"Night {self.day}: choose whom to {self.verb(seat).lower()}."
        return Observation(
            facts=facts(self, seat),
            events=self.events(seat),
            board=board(self, seat),
            ask=ask,
            legal=tuple(move.answer for move in listed) if listed else None,
        )

    def render(self, seat: Seat | None) -> str:
        """Who lives, and the roles that the seat knows (all for None)."""
        return picture(self, seat)
