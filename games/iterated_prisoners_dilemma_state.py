"""One iterated two-choice game in progress: messages, choices, points, and a horizon that nobody sees."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from games.joint import JointState, read_speech
from games.parsing import normalise, parse_choice
from games.types import Move, Observation, Parsed, Seat

if TYPE_CHECKING:
    from games.iterated_prisoners_dilemma import IteratedPrisonersDilemma


class DilemmaState(JointState):
    """One match. Both seats are always to move together, until the horizon is reached.

    Attributes:
        horizon: number of rounds, drawn from the seed.
        choices: both seats' choices of the rounds played, 0 for the first choice and 1 for the second.
        said: messages of this round already sent by each seat.
    """

    def __init__(self, game: IteratedPrisonersDilemma, seed: int) -> None:
        super().__init__(game, seed)
        p = game.settings
        self.horizon = random.Random(f"{seed}/horizon").randint(p["rounds_low"], p["rounds_high"])
        self.choices: list[tuple[int, int]] = []
        self.said = 0

    @property
    def dilemma(self) -> IteratedPrisonersDilemma:
        """The game, by its own type."""
        return cast("IteratedPrisonersDilemma", self._game)

    @property
    def round(self) -> int:
        """Rounds played."""
        return len(self.choices)

    @property
    def talking(self) -> bool:
        """Whether messages are due, not choices."""
        return self.said < self.dilemma.settings["talk"]

    def points(self) -> tuple[int, int]:
        """Both seats' points so far."""
        table = self.dilemma.table
        return sum(table[a][b] for a, b in self.choices), sum(table[b][a] for a, b in self.choices)

    def to_move(self) -> tuple[Seat, ...]:
        """Both, or nobody."""
        return (0, 1) if self.round < self.horizon else ()

    def legal(self, seat: Seat) -> tuple[Move, ...] | None:
        """The two choices; free text while talking."""
        if seat not in self.to_move():
            return ()
        if self.talking:
            return None
        return tuple(Move(answer=name, action=action) for action, name in enumerate(self.dilemma.names))

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """A message, or a choice in brackets."""
        listed = self.legal(seat)
        if listed is None:
            return read_speech(text, truncated=truncated)
        return parse_choice(text, listed, lambda: set(map(normalise, self.dilemma.names)), truncated=truncated)

    def refusal(self, seat: Seat, move: Move) -> str | None:
        """A message has no answer, a choice is one of two."""
        if self.talking:
            return None if not move.answer and move.speech else "a message is due, without an action."
        if move.answer not in self.dilemma.names:
            return f"[{move.answer}] is not {' or '.join(f'[{name}]' for name in self.dilemma.names)}."
        return None

    def make(self, moves: Mapping[Seat, Move]) -> None:
        """Tell both messages, or both choices and what they pay."""
        if self.talking:
            for seat, move in moves.items():
                self.tell(move.speech, speaker=seat)
            self.said += 1
            return
        first, second = (self.dilemma.names.index(moves[seat].answer) for seat in (0, 1))
        self.choices.append((first, second))
        self.said = 0
        table = self.dilemma.table
        self.tell(
            f"Round {self.round}: player 0 chose {moves[0].answer}, player 1 chose {moves[1].answer}; "
            f"points {table[first][second]} and {table[second][first]}."
        )

    def returns(self) -> tuple[float, ...]:
        """Mean points per round."""
        self.require_over()
        return tuple(points / self.horizon for points in self.points())

    def forfeit_returns(self, seat: Seat) -> tuple[float, ...]:
        """The least for the seat; rounds that are not played pay the other nothing, within the bounds."""
        least = self.game.spec.min_return
        kept = self.points()[1 - seat] / self.horizon
        bounded = min(max(kept, least), self.game.spec.max_return)
        return tuple(least if s == seat else bounded for s in (0, 1))

    def outcome(self) -> str:
        """Who has more points."""
        self.require_over()
        first, second = self.points()
        return "draw" if first == second else ("p0" if first > second else "p1")

    def measures(self) -> Mapping[str, float]:
        """Points, rounds, and each seat's share of first choices."""
        self.require_over()
        return {
            **{f"payoff/{seat}": float(points) for seat, points in enumerate(self.points())},
            "rounds": float(self.round),
            **{f"first_choice/{s}": sum(not pair[s] for pair in self.choices) / self.round for s in (0, 1)},
        }

    def observe(self, seat: Seat) -> Observation:
        """Messages and choices so far, points, and what is due."""
        listed = self.legal(seat)
        ask = ""
        if seat in self.to_move():
            ask = f"Round {self.round + 1}: " + ("send a message." if listed is None else "choose.")
        own, other = self.points()[seat], self.points()[1 - seat]
        last = ""
        if self.choices:
            names, pair = self.dilemma.names, self.choices[-1]
            last = f" Last round: you {names[pair[seat]]}, the other {names[pair[1 - seat]]}."
        return Observation(
            events=self.events(seat),
            board=f"Points: you {own}, the other {other}.{last}",
            ask=ask,
            legal=tuple(move.answer for move in listed) if listed else None,
        )

    def render(self, seat: Seat | None) -> str:
        """Choices of both seats round by round, and points; the horizon only for the whole view."""
        names = self.dilemma.names
        width = max(map(len, names))
        rows = [
            f"P{s}  {' '.join(f'{names[pair[s]]:{width}}' for pair in self.choices)} {self.points()[s]:>5} points"
            for s in (0, 1)
        ]
        of = f" of {self.horizon}" if seat is None else ""
        return "\n".join([f"{self.round} rounds played{of}", *rows])
