"""A game as a third party would write it: a pile of stones, and a lucky number that each seat keeps to itself."""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from games import (
    Bot,
    Event,
    Game,
    GameOverError,
    GameSpec,
    IllegalMoveError,
    Information,
    Json,
    Move,
    Observation,
    Param,
    ParamValue,
    Parsed,
    RandomStream,
    Seat,
    State,
    Utility,
)
from games.bots import random_bot
from games.parsing import parse_choice


class PileState(State):
    """Take one or two stones; who takes the last one wins."""

    def __init__(self, game: PileGame, seed: int) -> None:
        self._game = game
        self.seed = seed
        rng = random.Random(f"{seed}/luck")
        self.luck = [rng.randrange(10) for _ in range(2)]
        self.left = int(game.spec.params["stones"])
        self.taken: list[int] = []
        self.events: list[Event] = []

    @property
    def game(self) -> PileGame:
        return self._game

    def to_move(self) -> tuple[Seat, ...]:
        return (len(self.taken) % 2,) if self.left else ()

    def legal(self, seat: Seat) -> tuple[Move, ...]:
        if seat not in self.to_move():
            return ()
        return tuple(Move(answer=f"take {n}", action=n) for n in (1, 2) if n <= self.left)

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        return parse_choice(text, self.legal(seat), lambda: {"take 1", "take 2"}, truncated=truncated)

    def apply(self, moves: Mapping[Seat, Move]) -> None:
        if not self.left:
            raise GameOverError("pile: over")
        (seat,) = self.to_move()
        if set(moves) != {seat} or moves[seat] not in self.legal(seat):
            raise IllegalMoveError("pile: not a legal move here")
        self.take(moves[seat].action or 0)

    def take(self, stones: int) -> None:
        self.events.append(Event(text=f"Player {len(self.taken) % 2} took {stones}."))
        self.taken.append(stones)
        self.left -= stones

    def returns(self) -> tuple[float, ...]:
        if self.left:
            raise GameOverError("pile: not over")
        return (1.0, -1.0) if len(self.taken) % 2 else (-1.0, 1.0)

    def outcome(self) -> str:
        return "p0" if self.returns()[0] > 0 else "p1"

    def observe(self, seat: Seat) -> Observation:
        moves = self.legal(seat)
        return Observation(
            facts=f"Your lucky number: {self.luck[seat]}.",
            events=tuple(self.events),
            board=f"{self.left} stones.",
            ask="Your move." if moves else "",
            legal=tuple(move.answer for move in moves) or None,
        )

    def to_json(self) -> Json:
        return {"seed": self.seed, "taken": list(self.taken)}

    def render(self, seat: Seat | None) -> str:
        luck = [str(n) if seat in (None, s) else "?" for s, n in enumerate(self.luck)]
        return f"{'o' * self.left} luck {' '.join(luck)}"


class PileGame(Game):
    """The pile game."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType({"stones": Param(default=7, low=2, high=50)})
    state_class: ClassVar[type[PileState]] = PileState
    facts: ClassVar[Mapping[str, Any]] = MappingProxyType({})  # for tests: declared facts to replace

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        declared: dict[str, Any] = {
            "id": "pile",
            "title": "Pile",
            "summary": "Take the last stone.",
            "roles": ("first", "second"),
            "utility": Utility.ZERO_SUM,
            "information": Information.IMPERFECT,
            "min_return": -1.0,
            "max_return": 1.0,
            "outcomes": ("p0", "p1"),
            "max_turns": int(params["stones"]),
            "params": MappingProxyType(dict(params)),
        }
        self.spec = GameSpec(**{**declared, **self.facts})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self.spec.params),)

    def new_state(self, seed: int) -> PileState:
        return self.state_class(self, seed)

    def state_from_json(self, obj: Json) -> PileState:
        state = self.new_state(obj["seed"])
        for stones in obj["taken"]:
            state.take(stones)
        return state

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        assert isinstance(state, PileState)
        variant = state.clone()
        assert isinstance(variant, PileState)
        variant.luck[1 - seat] = (variant.luck[1 - seat] + 1 + rng.randrange(8)) % 10
        return (variant,)

    def rules(self, seat: Seat) -> str:
        return (
            f"A pile of {self.spec.params['stones']} stones. Take one or two in turn, like [take 1]; "
            f"the last stone wins.\nYou are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        return {"random": random_bot}
