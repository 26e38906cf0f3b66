"""The contract between rules and everything else. Pure: no models, no clocks, no global random numbers.

A `Game` is a specification for one set of parameters plus a factory of `State`s. A `State` is one match in
progress. The engine never looks inside: it asks who is to move, shows each of them its observation, has the
reply parsed, and applies the move.

What is made anew at every step (`Move`, `Parsed`, `Event`, `Observation`) is a named tuple, which takes half as long to
make as a frozen dataclass.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

Seat: TypeAlias = int
"""Index of a player at the table, 0 … seats-1."""

ParamValue: TypeAlias = int | float | str | bool
Json: TypeAlias = dict[str, Any]


class Utility(StrEnum):
    """How the seats' returns relate to one another."""

    ZERO_SUM = "zero_sum"
    CONSTANT_SUM = "constant_sum"
    GENERAL_SUM = "general_sum"
    COOPERATIVE = "cooperative"


class Information(StrEnum):
    """Whether any seat is ever ignorant of something another seat knows."""

    PERFECT = "perfect"
    IMPERFECT = "imperfect"


class Dynamics(StrEnum):
    """Whether seats move one at a time or can be to move together."""

    TURNS = "turns"
    SIMULTANEOUS = "simultaneous"


class Issue(StrEnum):
    """What parsing a reply found. The four faults are counted apart, always (they have different cures)."""

    OK = "ok"
    NO_ANSWER = "no_answer"  # nothing in the reply has the form of an answer
    MALFORMED = "malformed"  # an answer was attempted, but cannot be read or is ambiguous
    ILLEGAL = "illegal"  # the answer is clear, and the rules forbid it here
    TRUNCATED = "truncated"  # the reply hit the token limit before an answer was complete


@dataclass(frozen=True, kw_only=True)
class Param:
    """One game parameter: its default and what else it may be.

    Attributes:
        default: value when none is given; its type is the parameter's type.
        low, high: inclusive bounds of a number.
        choices: the only allowed values, when not empty.
        help: one line for people.
    """

    default: ParamValue
    low: float | None = None
    high: float | None = None
    choices: tuple[ParamValue, ...] = ()
    help: str = ""


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """Declared facts of a game under its loaded parameters; the conformance suite holds the rules to them.

    Attributes:
        id: registry name: `tic_tac_toe`, `openspiel/hex`, `acme/haggle`.
        title: name for people.
        summary: one line for lists.
        roles: role name per seat; its length is the number of seats. Advantages are conditioned on (id, role). Where
            roles are dealt by the seed these name the seats, and `State.roles` tells what was dealt.
        utility, information, dynamics: see the enums.
        min_return, max_return: inclusive bounds of any seat's return.
        return_sum: what the returns of every match add up to, in zero-sum (0) and constant-sum games.
        outcomes: every outcome class the game can end in (`p0`, `p1`, `draw`, …), K of DEPT's entropy.
        max_turns: largest number of moves (all seats together) any match can have.
        params: the parameters in force, by name.
        reference: where the rules come from.
    """

    id: str
    title: str
    summary: str
    roles: tuple[str, ...]
    utility: Utility
    information: Information
    dynamics: Dynamics = Dynamics.TURNS
    min_return: float
    max_return: float
    return_sum: float = 0.0
    outcomes: tuple[str, ...]
    max_turns: int
    params: Mapping[str, ParamValue] = field(default_factory=lambda: MappingProxyType({}))
    reference: str = ""

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.roles)


class Move(NamedTuple):
    """A parsed move.

    Attributes:
        answer: canonical text of the action, without brackets: `4`, `bet`, `Offer: 3 Sheep -> 5 Brick`.
        action: the rule engine's number for it, where it has one.
        speech: words for the other seats, verbatim; empty where a game has no talk.
    """

    answer: str
    action: int | None = None
    speech: str = ""

    def to_json(self) -> Json:
        """As stored in records."""
        return {"answer": self.answer, "action": self.action, "speech": self.speech}

    @classmethod
    def from_json(cls, obj: Mapping[str, Any]) -> Move:
        """Inverse of `to_json`."""
        return cls(answer=obj["answer"], action=obj["action"], speech=obj["speech"])


class Parsed(NamedTuple):
    """What a reply meant. `move` is set exactly when `issue` is OK; `hint` tells the player what was wrong."""

    raw: str
    issue: Issue
    move: Move | None = None
    hint: str = ""


class Event(NamedTuple):
    """Something a seat learnt during the match. A seat's events only ever grow.

    Attributes:
        text: one sentence or line by the moderator, or a player's words verbatim.
        speaker: the seat whose words `text` is; None for the moderator. Renderers mark speech as speech.
    """

    text: str
    speaker: Seat | None = None


class Observation(NamedTuple):
    """Everything one seat knows at one moment, in parts, so that a conversation can be told only what is new.

    Attributes:
        facts: known from the start and never changing (own card, own values). May be empty.
        events: in order; append-only over the match.
        board: the position now, as this seat sees it. May be empty.
        ask: what this seat is asked to do now, with the form of the answer. Empty when it is not to move.
        legal: canonical answers allowed now, for the optional "legal moves" line; None where free-form.
    """

    facts: str = ""
    events: tuple[Event, ...] = ()
    board: str = ""
    ask: str = ""
    legal: tuple[str, ...] | None = None


class State(ABC):
    """One match in progress. Everything random comes from the seed it was made with."""

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game this is a state of."""

    @abstractmethod
    def to_move(self) -> tuple[Seat, ...]:
        """Seats to move: empty when the game is over, several when they move together."""

    @abstractmethod
    def observe(self, seat: Seat) -> Observation:
        """What `seat` may see now. Never depends on what it must not know."""

    @abstractmethod
    def legal(self, seat: Seat) -> tuple[Move, ...] | None:
        """Legal moves of `seat`, in a fixed order; None for free-form text; empty when it is not to move."""

    @abstractmethod
    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Read a reply. Never raises, never changes the state, never guesses."""

    @abstractmethod
    def apply(self, moves: Mapping[Seat, Move]) -> None:
        """Make the moves of exactly the seats to move.

        Raises:
            IllegalMoveError: a move the rules forbid, or the wrong set of seats; the state is unchanged.
            GameOverError: the game has ended.
        """

    @abstractmethod
    def returns(self) -> tuple[float, ...]:
        """Return per seat. Raises GameOverError("not over") while `to_move()` is not empty."""

    def forfeit_returns(self, seat: Seat) -> tuple[float, ...]:
        """Returns when `seat` forfeits here; the game's own, unless teams or stakes were dealt in this match."""
        return self.game.forfeit_returns(seat)

    @abstractmethod
    def outcome(self) -> str:
        """One of `game.spec.outcomes`. Raises like `returns`."""

    def roles(self) -> tuple[str, ...]:
        """Role per seat in this match, secret ones included; for records and training, never for a player."""
        return self.game.spec.roles

    def measures(self) -> Mapping[str, float]:
        """Numbers about the finished match beside its returns, by name.

        `payoff/0`, `payoff/1`, … are what each seat got in the game's own units, where `returns` maps that to win and
        loss; `agreement` is 1.0 or 0.0; further names are the game's own. Raises GameOverError like `returns`.
        """
        return {}

    @abstractmethod
    def to_json(self) -> Json:
        """The complete state; `game.state_from_json` restores it."""

    @abstractmethod
    def render(self, seat: Seat | None) -> str:
        """Plain-text picture for people: of what `seat` may see, or of everything (None)."""

    def information_key(self, seat: Seat) -> str | None:
        """Names what `seat` knows: states with equal keys must look the same to it, others must look different.

        For the conformance suite; None where the rules have no such name.
        """
        return None

    def clone(self) -> State:
        """An independent copy; the game itself is shared, since it never changes."""
        return copy.deepcopy(self, {id(self.game): self.game})


class RandomStream(Protocol):
    """The part of `random.Random` that bots use; always passed in, never global."""

    def random(self) -> float:
        """Uniform in [0, 1)."""

    def randrange(self, stop: int, /) -> int:
        """Uniform in 0 … stop-1."""

    def choice(self, seq: Any, /) -> Any:
        """One element, uniformly."""


class Bot(Protocol):
    """A scripted way to play. It answers in the same text a model would, and looks only at `seat`'s own view."""

    def __call__(self, state: State, seat: Seat, rng: RandomStream) -> str:
        """The reply for `seat`, which is to move."""


class Game(ABC):
    """Rules under one set of parameters. A written game is made as `cls(params)` with all it declares."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType({})
    spec: GameSpec

    @abstractmethod
    def new_state(self, seed: int) -> State:
        """The start of a match; equal seeds give equal matches."""

    @abstractmethod
    def state_from_json(self, obj: Json) -> State:
        """Inverse of `State.to_json`."""

    @abstractmethod
    def rules(self, seat: Seat) -> str:
        """The rules as told to `seat`, derived from the parameters in force."""

    @abstractmethod
    def bots(self) -> Mapping[str, Bot]:
        """Scripted bots by name; always has `random`, has `greedy` where the game defines one."""

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """States that differ from `state` only in what `seat` must not know; what it sees must be the same in all.

        For the conformance suite. Empty where nothing is hidden or none can be made.
        """
        return ()

    def forfeit_returns(self, seat: Seat) -> tuple[float, ...]:
        """Returns when `seat` forfeits: its worst return; where the sum is fixed, the others share the rest.

        The worst return, so that giving an unusable answer never pays better than losing by the rules.
        """
        spec = self.spec
        if spec.utility in (Utility.ZERO_SUM, Utility.CONSTANT_SUM) and spec.seats > 1:
            share = (spec.return_sum - spec.min_return) / (spec.seats - 1)
            return tuple(spec.min_return if s == seat else share for s in range(spec.seats))
        return tuple(spec.min_return for _ in range(spec.seats))
