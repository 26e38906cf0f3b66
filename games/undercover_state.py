"""One match of undercover: words, clues, votes, and who is left."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from games.inflection import mentions
from games.joint import JointState, most_named, read_speech, spellings
from games.parsing import parse_choice
from games.types import Issue, Move, Observation, Parsed, Seat
from games.words import LISTS

if TYPE_CHECKING:
    from games.undercover import Undercover

LETTERS: Final = 20
"""Characters of a clue for each of its words, at most."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # hyphens join no words


class UndercoverState(JointState):
    """One match. The words, the undercover and who speaks first are drawn from the seed; nothing else is random.

    Attributes:
        words: the civilians' and the undercover's; with `blank` nobody has the second.
        undercover: its seat.
        living: seats left, in order.
        round: number of the current round, from 1.
        queue: seats still to give a clue in this round, in order; votes are due when it is empty.
        clues: of this round, by seat.
        winner: side, once the match is over.
    """

    def __init__(self, game: Undercover, seed: int) -> None:
        super().__init__(game, seed)
        deal = random.Random(f"{seed}/deal")
        group = deal.choice(list(LISTS[game.words].values()))
        first, second = deal.sample(group, 2)
        self.words = (first, second)
        players = game.spec.seats
        self.undercover: Seat = deal.randrange(players)
        self.first = deal.randrange(players)
        self.living = list(range(players))
        self.round = 1
        self.queue = self._order()
        self.clues: dict[Seat, str] = {}
        self.winner = ""

    def word(self, seat: Seat) -> str | None:
        """The seat's secret word; None for a blank."""
        if seat != self.undercover:
            return self.words[0]
        return None if cast("Undercover", self._game).blank else self.words[1]

    def role(self, seat: Seat) -> str:
        """`civilian` or `undercover`."""
        return "undercover" if seat == self.undercover else "civilian"

    # --- who may do what -------------------------------------------------------------------------------------------

    def to_move(self) -> tuple[Seat, ...]:
        """One speaker after the other, then all that are left."""
        if self.winner:
            return ()
        return (self.queue[0],) if self.queue else tuple(self.living)

    def targets(self, seat: Seat) -> tuple[Seat, ...]:
        """Whom the seat may vote for."""
        return tuple(other for other in self.living if other != seat)

    def legal(self, seat: Seat) -> tuple[Move, ...] | None:
        """One vote per other seat left; free words for a clue."""
        if seat not in self.to_move():
            return ()
        if self.queue:
            return None
        return tuple(Move(answer=f"Vote: {other}", action=other) for other in self.targets(seat))

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """A clue, or a vote."""
        listed = self.legal(seat)
        if listed is None:
            parsed = read_speech(text, truncated=truncated)
            reason = None if parsed.move is None else self.refusal(seat, parsed.move)
            return parsed if reason is None else Parsed(raw=text, issue=Issue.ILLEGAL, hint=reason)
        known = frozenset(f"vote: {other}" for other in range(self._game.spec.seats))
        return parse_choice(text, listed, lambda: known, aliases=spellings(listed), truncated=truncated)

    def refusal(self, seat: Seat, move: Move) -> str | None:
        """A clue is short and without the seat's own word; a vote is one of those listed."""
        listed = self.legal(seat)
        if listed is not None:
            if move.answer in {one.answer for one in listed}:
                return None
            return f"[{move.answer}] is not allowed; allowed are {' '.join(f'[{one.answer}]' for one in listed)}."
        if move.answer or not move.speech:
            return "A clue is due, without an action."
        most = cast("Undercover", self._game).settings["clue_words"]
        count = len(_WORD.findall(move.speech))
        if count > most:
            return f"Your clue has {count} words; at most {most} are allowed."
        if len(move.speech) > LETTERS * most:  # one endless word is no short clue
            return f"Your clue has {len(move.speech)} characters; at most {LETTERS * most} are allowed."
        word = self.word(seat)
        if word is not None and mentions(move.speech, word):
            return f"Your clue contains your word, {word}. Describe it without saying it."
        return None

    # --- what happens ----------------------------------------------------------------------------------------------

    def make(self, moves: Mapping[Seat, Move]) -> None:
        """A clue or a vote."""
        if self.queue:
            (seat,) = moves
            self.clues[seat] = moves[seat].speech
            self.tell(moves[seat].speech, speaker=seat)
            self.queue = self.queue[1:]
            return
        named = {seat: int(move.answer.partition(": ")[2]) for seat, move in moves.items()}
        out = most_named(named)
        result = "A tie: nobody is out."
        if out is not None:
            self.living.remove(out)
            result = f"Player {out} is out; it was {'the undercover' if out == self.undercover else 'a civilian'}."
        votes = ", ".join(f"player {seat} for {other}" for seat, other in named.items())
        self.tell(f"Votes of round {self.round}: {votes}. {result}")
        rounds = cast("Undercover", self._game).settings["rounds"]
        if out == self.undercover:
            self._end("civilians")
        elif len(self.living) == 2 or self.round == rounds:
            self._end("undercover")
        else:
            self.round += 1
            self.clues = {}
            self.queue = self._order()

    def _order(self) -> list[Seat]:
        """Seats left, from the first speaker on; the next seat is first in the next round."""
        players = self._game.spec.seats
        start = self.first + self.round - 1
        return [seat % players for seat in range(start, start + players) if seat % players in self.living]

    def _end(self, winner: str) -> None:
        self.winner = winner
        common, odd = self.words[0], self.word(self.undercover)
        had = "had no word" if odd is None else f"had {odd}"
        self.tell(f"Player {self.undercover} was the undercover and {had}; the others had {common}.")

    # --- how it ends -----------------------------------------------------------------------------------------------

    def returns(self) -> tuple[float, ...]:
        """+1 for the seats of the winning side, −1 for the others."""
        self.require_over()
        return self._won_by(self.winner)

    def forfeit_returns(self, seat: Seat) -> tuple[float, ...]:
        """The side of the seat loses."""
        return self._won_by("civilians" if seat == self.undercover else "undercover")

    def _won_by(self, winner: str) -> tuple[float, ...]:
        one = 1.0 if winner == "undercover" else -1.0
        return tuple(one if seat == self.undercover else -one for seat in range(self._game.spec.seats))

    def outcome(self) -> str:
        """The winning side."""
        self.require_over()
        return self.winner

    def roles(self) -> tuple[str, ...]:
        """Roles as dealt."""
        return tuple(self.role(seat) for seat in range(self._game.spec.seats))

    def measures(self) -> Mapping[str, float]:
        """Rounds played, and seats left."""
        self.require_over()
        return {"rounds": float(self.round), "living": float(len(self.living))}

    # --- what is seen ----------------------------------------------------------------------------------------------

    def observe(self, seat: Seat) -> Observation:
        """Own word, clues and votes, who is left, and what is due."""
        listed = self.legal(seat)
        word = self.word(seat)
        out = [f"{s} ({self.role(s)})" for s in range(self._game.spec.seats) if s not in self.living]
        ask = ""
        if seat in self.to_move():
            ask = f"Round {self.round}: " + ("give a clue." if listed is None else "vote.")
        return Observation(
            facts="You are the undercover: you have no word." if word is None else f"Your word: {word}.",
            events=self.events(seat),
            board=f"Players left: {', '.join(map(str, self.living))}." + (f" Out: {', '.join(out)}." if out else ""),
            ask=ask,
            legal=tuple(move.answer for move in listed) if listed else None,
        )

    def render(self, seat: Seat | None) -> str:
        """Who is left, the clues of this round, and the words that may be seen (all, with roles, for None)."""
        rows = [f"Round {self.round}"]
        for s in range(self._game.spec.seats):
            word = (self.word(s) or "no word") if seat in (None, s) else "?"
            role = f"  {self.role(s)}" if seat is None or s not in self.living else ""
            rows.append(f"P{s}  {'in ' if s in self.living else 'out'}  {word}{role}  {self.clues.get(s, '')}".rstrip())
        return "\n".join(rows)
