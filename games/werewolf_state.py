"""One match of werewolf: who lives, whose turn it is, what is told to whom."""

from __future__ import annotations

import random
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from games.joint import JointState, most_named, read_speech, spellings
from games.parsing import parse_choice
from games.types import Move, Observation, Parsed, Seat
from games.werewolf_text import board, facts, kind, picture

if TYPE_CHECKING:
    from games.werewolf import Werewolf

VERBS: Mapping[str, str] = {"wolf": "Kill", "seer": "Inspect", "doctor": "Protect"}
"""What a role does at night."""


class Phase(StrEnum):
    """Where in the day the match is."""

    NIGHT = "night"
    TALK = "talk"
    VOTE = "vote"
    OVER = "over"


class WerewolfState(JointState):
    """One match. Roles and who speaks first are drawn from the seed; nothing else is random.

    Attributes:
        dealt: role per seat.
        living: seats, in order.
        day: number of the current night and the day after it, from 1.
        phase: what is due. queue: seats still to speak today, in order.
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
        self.queue: list[Seat] = []
        self.winner = ""
        self.inspected: list[tuple[Seat, Seat]] = []

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

    def to_move(self) -> tuple[Seat, ...]:
        """At night the living with something to do, then one speaker after the other, then all the living."""
        match self.phase:
            case Phase.NIGHT:
                return tuple(seat for seat in self.living if self.dealt[seat] in VERBS)
            case Phase.TALK:
                return (self.queue[0],)
            case Phase.VOTE:
                return tuple(self.living)
        return ()

    def verb(self, seat: Seat) -> str:
        """What the seat is asked to do to somebody now."""
        return "Vote" if self.phase is Phase.VOTE else VERBS[self.dealt[seat]]

    def targets(self, seat: Seat) -> tuple[Seat, ...]:
        """Whom the seat may name now: a living other; at night a wolf names no wolf, a doctor may name itself."""
        others = [other for other in self.living if other != seat]
        if self.phase is Phase.NIGHT and self.dealt[seat] == "wolf":
            return tuple(other for other in others if self.dealt[other] != "wolf")
        if self.phase is Phase.NIGHT and self.dealt[seat] == "doctor":
            return tuple(self.living)
        return tuple(others)

    def legal(self, seat: Seat) -> tuple[Move, ...] | None:
        """One answer per target; free words when speaking."""
        if seat not in self.to_move():
            return ()
        if self.phase is Phase.TALK:
            return None
        return tuple(Move(answer=f"{self.verb(seat)}: {other}", action=other) for other in self.targets(seat))

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Words, or one named player."""
        listed = self.legal(seat)
        if listed is None:
            return read_speech(text, truncated=truncated)
        # Every verb and every number is an answer somewhere: naming a dead player, oneself or a fellow wolf is illegal.
        verbs = ("vote", *(verb.casefold() for verb in VERBS.values()))
        known = frozenset(f"{verb}: {other}" for verb in verbs for other in range(len(self.dealt)))
        return parse_choice(text, listed, lambda: known, aliases=spellings(listed), truncated=truncated)

    def refusal(self, seat: Seat, move: Move) -> str | None:
        """A speech has no answer; a choice is one of those listed."""
        listed = self.legal(seat)
        if listed is None:
            return None if move.speech and not move.answer else "a speech is due, without an action."
        if move.answer not in {one.answer for one in listed}:
            return f"[{move.answer}] is not allowed; allowed are {' '.join(f'[{one.answer}]' for one in listed)}."
        return None

    # --- what happens ----------------------------------------------------------------------------------------------

    def make(self, moves: Mapping[Seat, Move]) -> None:
        """A night, a speech or a vote."""
        if self.phase is Phase.TALK:
            (seat,) = moves
            self.tell(moves[seat].speech, speaker=seat)
            del self.queue[0]
            if not self.queue:
                self.phase = Phase.VOTE
            return
        named = {seat: int(move.answer.partition(": ")[2]) for seat, move in moves.items()}
        if self.phase is Phase.NIGHT:
            self._night(named)
        else:
            self._vote(named)

    def _night(self, named: Mapping[Seat, Seat]) -> None:
        by_role = {role: {s: n for s, n in named.items() if self.dealt[s] == role} for role in VERBS}
        for seat, other in by_role["seer"].items():
            self.inspected.append((seat, other))
            self.tell(f"Night {self.day}: player {other} is {kind(self, other)}.", to=[seat])
        for seat, other in by_role["doctor"].items():
            self.tell(f"Night {self.day}: you protected player {other}.", to=[seat])
        wolves = by_role["wolf"]
        chosen = ", ".join(f"player {seat} chose player {other}" for seat, other in wolves.items())
        self.tell(f"Night {self.day}, wolves: {chosen}.", to=wolves)
        victim = most_named(wolves)
        if victim is None or victim in by_role["doctor"].values():
            self.tell(f"Morning of day {self.day}: nobody died.")
        else:
            self.living.remove(victim)
            self.tell(f"Morning of day {self.day}: player {victim} is dead; it was a {self.dealt[victim]}.")
        if self._decided():
            return
        start = self.first + self.day - 1
        seats = len(self.dealt)
        order = [seat % seats for seat in range(start, start + seats) if seat % seats in self.living]
        self.queue = order * self.werewolf.settings["talk"]
        self.phase = Phase.TALK if self.queue else Phase.VOTE

    def _vote(self, named: Mapping[Seat, Seat]) -> None:
        votes = ", ".join(f"player {seat} for {other}" for seat, other in named.items())
        out = most_named(named)
        result = "A tie: nobody is out."
        if out is not None:
            self.living.remove(out)
            result = f"Player {out} is out; it was a {self.dealt[out]}."
        self.tell(f"Votes of day {self.day}: {votes}. {result}")
        if self._decided():
            return
        if self.day == self.werewolf.settings["days"]:
            self._end("wolves")
            return
        self.day += 1
        self.phase = Phase.NIGHT

    def _decided(self) -> bool:
        wolves = len(self.wolves())
        if not wolves:
            self._end("villagers")
        elif 2 * wolves >= len(self.living):
            self._end("wolves")
        return self.phase is Phase.OVER

    def _end(self, winner: str) -> None:
        self.phase, self.winner, self.queue = Phase.OVER, winner, []
        self.tell(f"The {winner} win.")

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
            due = {Phase.TALK: f"Day {self.day}: speak.", Phase.VOTE: f"Day {self.day}: vote."}
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
