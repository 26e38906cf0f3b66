"""Small real players and games for the tests of the match core."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.engine import play_match
from arena.types import ActRequest, Completion, Finish, MatchRecord, MatchSpec, Observer, Player
from games import (
    Dynamics,
    Event,
    Game,
    GameOverError,
    GameSpec,
    Information,
    Issue,
    Move,
    Observation,
    Parsed,
    State,
    Utility,
    get_game,
)


class Says:
    """Says the given replies in order (the last one for ever), whatever it is asked; remembers what it was asked."""

    scripted = False

    def __init__(self, *replies: str | Completion | Exception, name: str = "says") -> None:
        self.name = name
        self.replies = replies
        self.asked: list[ActRequest] = []
        self.forgotten: list[tuple[str, int]] = []

    async def act(self, request: ActRequest) -> Completion:
        reply = self.replies[min(len(self.asked), len(self.replies) - 1)]
        self.asked.append(request)
        await asyncio.sleep(0)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Completion) else Completion(text=reply, snapshot=self.name)

    def forget(self, match_key: str, seat: int) -> None:
        self.forgotten.append((match_key, seat))

    def refusal(self, game: Game) -> str | None:
        return None


class Log:
    """An observer that keeps what it was told."""

    def __init__(self) -> None:
        self.started: list[MatchSpec] = []
        self.turns: list[tuple[int, str]] = []
        self.ended: list[MatchRecord] = []

    def match_started(self, spec: MatchSpec) -> None:
        self.started.append(spec)

    def turn_played(self, spec: MatchSpec, turn: Any, state: State) -> None:
        self.turns.append((turn.seat, state.render(None)))

    def match_ended(self, record: MatchRecord) -> None:
        self.ended.append(record)


def play(
    players: Sequence[Player],
    game: str | Game = "tic_tac_toe",
    *,
    observer: Observer | None = None,
    **spec: Any,
) -> MatchRecord:
    """Play one match to its end."""
    loaded = get_game(game) if isinstance(game, str) else game
    made = MatchSpec(
        game=loaded.spec.id,
        params=loaded.spec.params,
        players=tuple(player.name for player in players),
        **{"seed": 1, **spec},
    )
    return asyncio.run(play_match(made, players, observer, game=loaded))


def cut_off(text: str) -> Completion:
    """A reply that hit the token limit."""
    return Completion(text=text, finish=Finish.LENGTH)


class Pennies(Game):
    """Matching pennies: both seats choose at the same time; equal choices pay seat 0."""

    spec = GameSpec(
        id="pennies",
        title="Matching pennies",
        summary="Both choose.",
        roles=("same", "different"),
        utility=Utility.ZERO_SUM,
        information=Information.IMPERFECT,
        dynamics=Dynamics.SIMULTANEOUS,
        min_return=-1.0,
        max_return=1.0,
        outcomes=("p0", "p1"),
        max_turns=2,
    )

    def new_state(self, seed: int) -> PenniesState:
        return PenniesState(self)

    def state_from_json(self, obj: dict[str, Any]) -> PenniesState:
        state = PenniesState(self)
        state.chosen = obj["chosen"]
        return state

    def rules(self, seat: int) -> str:
        return f"Matching pennies. You are player {seat}."

    def bots(self) -> Mapping[str, Any]:
        return {"random": lambda state, seat, rng: rng.choice(["[heads]", "[tails]"])}


class PenniesState(State):
    """One round."""

    def __init__(self, game: Pennies) -> None:
        self._game = game
        self.chosen: list[str] = []

    @property
    def game(self) -> Pennies:
        return self._game

    def to_move(self) -> tuple[int, ...]:
        return () if self.chosen else (0, 1)

    def observe(self, seat: int) -> Observation:
        return Observation(events=tuple(Event(text=c) for c in self.chosen), ask="Heads or tails?")

    def legal(self, seat: int) -> tuple[Move, ...]:
        return () if self.chosen else (Move(answer="heads"), Move(answer="tails"))

    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        answer = text.strip("[]")
        if answer in ("heads", "tails"):
            return Parsed(raw=text, issue=Issue.OK, move=Move(answer=answer))
        return Parsed(raw=text, issue=Issue.NO_ANSWER, hint="Say heads or tails.")

    def apply(self, moves: Mapping[int, Move]) -> None:
        if self.chosen:
            raise GameOverError("over")
        self.chosen = [moves[0].answer, moves[1].answer]

    def returns(self) -> tuple[float, ...]:
        return (1.0, -1.0) if self.chosen[0] == self.chosen[1] else (-1.0, 1.0)

    def outcome(self) -> str:
        return "p0" if self.returns()[0] > 0 else "p1"

    def to_json(self) -> dict[str, Any]:
        return {"chosen": self.chosen}

    def render(self, seat: int | None) -> str:
        return " ".join(self.chosen)


class Answers(Says):
    """Answers by a function of the request."""

    def __init__(self, function: Callable[[ActRequest], str], name: str = "answers") -> None:
        super().__init__("", name=name)
        self.function = function

    async def act(self, request: ActRequest) -> Completion:
        self.asked.append(request)
        return Completion(text=self.function(request), snapshot=self.name)
