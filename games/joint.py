"""What games share whose seats move together, fall out, or are told things apart: one log, one list of what was told.

A `JointGame` deals from the seed; a `JointState` is that deal plus the moves made so far, a mapping from seat to move
for every step. Storing, restoring and copying follow from it. An event is told to everybody or to some seats only, so
that what a seat sees is decided where it happens.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from games.errors import GameOverError, IllegalMoveError
from games.types import Event, Game, Issue, Json, Move, Parsed, Seat, State


class JointGame(Game):
    """A game whose matches are a deal by seed and a log of moves."""

    state_class: ClassVar[type[JointState]]

    def new_state(self, seed: int) -> JointState:
        """Deal."""
        return self.state_class(self, seed)

    def state_from_json(self, obj: Json) -> JointState:
        """Deal again and replay the moves."""
        state = self.state_class(self, obj["seed"])
        for step in obj["moves"]:
            state.apply({int(seat): Move.from_json(move) for seat, move in step.items()})
        return state

    def __reduce__(self) -> tuple[Any, ...]:
        from games.registry import get_game

        return get_game, (self.spec.id, dict(self.spec.params))


class JointState(State):
    """One match. A subclass deals in `__init__` and keeps to immutable values and flat lists, dicts and sets.

    Attributes:
        seed: of the match.
    """

    def __init__(self, game: JointGame, seed: int) -> None:
        self._game = game
        self.seed = seed
        self._log: list[Mapping[Seat, Move]] = []
        self._told: list[tuple[frozenset[Seat] | None, Event]] = []
        self._apart = False  # whether any event is for some seats only

    # --- what a game fills in --------------------------------------------------------------------------------------

    @abstractmethod
    def refusal(self, seat: Seat, move: Move) -> str | None:
        """Why a seat that is to move may not make this move, or None."""

    @abstractmethod
    def make(self, moves: Mapping[Seat, Move]) -> None:
        """Carry out the moves of all seats to move, which are allowed."""

    # --- what follows ----------------------------------------------------------------------------------------------

    @property
    def game(self) -> JointGame:
        """The game this is a state of."""
        return self._game

    def tell(self, text: str, *, speaker: Seat | None = None, to: Iterable[Seat] | None = None) -> None:
        """Add an event, for all or for the seats `to` alone."""
        if to is not None:
            self._apart = True
        self._told.append((None if to is None else frozenset(to), Event(text, speaker)))

    def events(self, seat: Seat | None) -> tuple[Event, ...]:
        """What the seat was told, in order; all there is for None."""
        if seat is None or not self._apart:
            return tuple([event for _, event in self._told])
        return tuple([event for to, event in self._told if to is None or seat in to])

    def readdress(self, seats: Mapping[Seat, Seat]) -> None:
        """Have some seats been told what others were told alone; for states that differ in what is hidden."""
        self._told = [
            (None if to is None else frozenset(seats.get(seat, seat) for seat in to), event) for to, event in self._told
        ]

    def apply(self, moves: Mapping[Seat, Move]) -> None:
        """Make the moves of exactly the seats to move, all at once."""
        seats = self.to_move()
        if not seats:
            raise GameOverError(f"{self._game.spec.id}: the game is over; no move can be made.")
        if moves.keys() != set(seats):
            name = self._game.spec.id
            who = f"player {seats[0]} is" if len(seats) == 1 else f"players {', '.join(map(str, seats))} are"
            raise IllegalMoveError(f"{name}: {who} to move; moves came from {sorted(moves)}.")
        for seat in seats:
            reason = self.refusal(seat, moves[seat])
            if reason is not None:
                raise IllegalMoveError(f"{self._game.spec.id}: player {seat}: {reason}")
        ordered = {seat: moves[seat] for seat in seats}
        self._log.append(ordered)
        self.make(ordered)

    def require_over(self) -> None:
        """Raises GameOverError while somebody is to move."""
        if self.to_move():
            raise GameOverError(f"{self._game.spec.id}: the game is not over yet.")

    def to_json(self) -> Json:
        """Seed and moves; the rest follows."""
        steps = [{str(seat): move.to_json() for seat, move in step.items()} for step in self._log]
        return {"seed": self.seed, "moves": steps}

    def clone(self) -> Self:
        """An independent copy."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(
            {
                name: value.copy() if isinstance(value, list | dict | set) else value
                for name, value in self.__dict__.items()
            }
        )
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._game, self.to_json())


def _restore(game: JointGame, obj: Json) -> JointState:
    return game.state_from_json(obj)


def read_speech(text: str, *, truncated: bool = False) -> Parsed:
    """A turn of free words: all of the reply, which must not be empty."""
    words = text.strip()
    if words and not truncated:
        return Parsed(text, Issue.OK, Move("", None, words))
    issue, hint = (Issue.TRUNCATED, "The reply was cut off; be shorter.") if truncated else (Issue.NO_ANSWER, _EMPTY)
    return Parsed(raw=text, issue=issue, hint=hint)


def most_named(named: Mapping[Seat, Seat]) -> Seat | None:
    """Who is named by more seats than anybody else; None on a tie."""
    ranked = Counter(named.values()).most_common(2)
    return ranked[0][0] if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]) else None


def spellings(listed: Iterable[Move]) -> dict[str, int]:
    """Other ways to write moves like `Vote: 3` that name a seat, with the move's number."""
    found: dict[str, int] = {}
    for move in listed:
        verb, _, number = move.answer.partition(": ")
        if move.action is not None:
            forms = (number, f"player {number}", f"{verb} {number}", f"{verb} player {number}")
            found |= dict.fromkeys((*forms, f"{verb}: player {number}"), move.action)
    return found


_EMPTY = "The reply is empty. Say something."
