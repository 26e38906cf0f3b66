"""One match of werewolf: whose turn it is, how replies are read, and what nights, speeches and votes bring about."""

from __future__ import annotations

from collections.abc import Mapping

from games.joint import most_named, read_speech, spellings
from games.parsing import parse_choice
from games.types import Move, Parsed, Seat
from games.werewolf_table import VERBS, Phase, WerewolfTable
from games.werewolf_text import kind


class WerewolfState(WerewolfTable):
    """One match."""

    # --- who may do what -------------------------------------------------------------------------------------------

    def to_move(self) -> tuple[Seat, ...]:
        """At night wolves that talk, then all with something to do; one speaker after the other; all the living."""
        match self.phase:
            case Phase.HOWL:
                return tuple(self.wolves())
            case Phase.NIGHT:
                return tuple(seat for seat in self.living if self.dealt[seat] in VERBS)
            case Phase.TALK:
                return (self.queue[0],)
            case Phase.VOTE:
                return tuple(self.living)
        return ()

    def legal(self, seat: Seat) -> tuple[Move, ...] | None:
        """One answer per target; free words when speaking."""
        if seat not in self.to_move():
            return ()
        if self.phase in (Phase.HOWL, Phase.TALK):
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
        """What the wolves say, a night, a speech or a vote."""
        if self.phase is Phase.HOWL:
            wolves = self.wolves()
            self.tell(f"Night {self.day}, said among the wolves alone:", to=wolves)
            for seat, move in moves.items():
                self.tell(move.speech, speaker=seat, to=wolves)
            self.howled += 1
            self.fall_asleep()
            return
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
        self.howled = 0
        self.fall_asleep()

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
