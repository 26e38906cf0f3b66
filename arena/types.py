"""Core types: what a match is, what a player is asked, what it answers, and the one record of it all.

Everything here is frozen and keyword-only, imports neither torch nor transformers, and has its unit in its name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol

from games.types import Game, Issue, Move, ParamValue, Seat, State

SCHEMA = 1
"""Version of the record format; readers refuse newer ones and keep loading older ones."""


class Ended(StrEnum):
    """How a match came to its end."""

    TERMINAL = "terminal"  # by the rules
    TURN_LIMIT = "turn_limit"  # the match's own limit, below what the rules allow
    FORFEIT = "forfeit"  # a seat gave no usable answer; rated, and counted apart
    VOID = "void"  # a crash, a machine's timeout, cancelled: never rated, owed again


class Finish(StrEnum):
    """Why a reply stopped."""

    STOP = "stop"  # the model ended it, or the answer was complete
    LENGTH = "length"  # token limit


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How a reply is sampled. `temperature=0` is greedy.

    Attributes:
        temperature: divides the logits.
        top_p: nucleus mass in (0, 1]; 1 keeps all. top_k: 0 keeps all.
        max_tokens: new tokens at most.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int = 64


@dataclass(frozen=True, kw_only=True)
class Completion:
    """One reply as it was produced.

    Attributes:
        text: what the player said, special tokens removed. Other seats may see (the parsed part of) this.
        thought: what it thought, where the model marks thoughts; never reaches another player.
        prompt_ids: token ids the model was conditioned on; empty for players that are not models.
        ids: sampled token ids, end-of-turn token included when it was sampled; never text tokenised again.
        logprobs: log-probability of each of `ids` under the sampling distribution (nats); same length as `ids`.
        finish: why it stopped.
        snapshot: immutable name of the weights that sampled it (`base`, `run@000120`, `run@000012+live`).
        latency_s: wall time from request to answer, seconds.
        cached_tokens: how many of `prompt_ids` were not computed again.
    """

    text: str
    thought: str = ""
    prompt_ids: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    finish: Finish = Finish.STOP
    snapshot: str | None = None
    latency_s: float = 0.0
    cached_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """An earlier question to this seat in this match, and its reply."""

    user: str
    completion: Completion


@dataclass(frozen=True, kw_only=True)
class ActRequest:
    """A seat is asked to move.

    Attributes:
        match_key: identity of the match. (match_key, seat) names the conversation.
        stream: what keys the match's random numbers, see `MatchSpec.stream`. With seat, turn and attempt it keys this
            reply's own.
        seed: seed of the match.
        seat, turn, attempt: who, the index of this question in the match, and 0 for the first try.
        system: rules for this seat. user: what is new since its last question, and what is asked.
        history: this seat's earlier exchanges, oldest first, retries included.
        sampling: how to sample.
        state: a private copy of the state, only for players with `scripted = True`; else None.
    """

    match_key: str
    stream: str
    game: Game
    seed: int
    seat: Seat
    turn: int
    attempt: int
    system: str
    user: str
    history: tuple[Exchange, ...] = ()
    sampling: Sampling = Sampling()
    state: State | None = None

    @property
    def stream_key(self) -> str:
        """Key of the counter-based random stream that belongs to this reply alone."""
        return f"{self.seed}/{self.stream}/{self.seat}/{self.turn}/{self.attempt}"


class Player(Protocol):
    """Anything that can hold a seat. One player object may play many matches at once."""

    name: str
    scripted: bool

    async def act(self, request: ActRequest) -> Completion:
        """Reply to the request. An exception voids the match; a useless reply is data."""

    def forget(self, match_key: str, seat: Seat) -> None:
        """The match is over: whatever was kept for this conversation can go."""


@dataclass(frozen=True, kw_only=True)
class MatchSpec:
    """One match to be played; its content is its identity.

    Attributes:
        game: registry id. params: the parameters in force, by name (all of them, defaults included).
        seed: of everything random in the match.
        players: name per seat.
        pair: name of the seat-swapped group this match belongs to; empty outside pairs.
        show_legal: whether prompts list the legal answers.
        retries: how often an unusable reply may be repeated before it forfeits.
        sampling: for the seats that sample.
        turn_limit: replies (all seats together) after which the match stops; None leaves the end to the rules.
        tag: what asked for it (`tournament`, `step-000012`); part of the identity.
    """

    game: str
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    seed: int
    players: tuple[str, ...]
    pair: str = ""
    show_legal: bool = True
    retries: int = 1
    sampling: Sampling = Sampling()
    turn_limit: int | None = None
    tag: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain data, in a fixed order."""
        return {
            "game": self.game,
            "params": dict(sorted(self.params.items())),
            "seed": self.seed,
            "players": list(self.players),
            "pair": self.pair,
            "show_legal": self.show_legal,
            "retries": self.retries,
            "sampling": {
                "temperature": self.sampling.temperature,
                "top_p": self.sampling.top_p,
                "top_k": self.sampling.top_k,
                "max_tokens": self.sampling.max_tokens,
            },
            "turn_limit": self.turn_limit,
            "tag": self.tag,
        }

    @classmethod
    def from_json(cls, obj: Mapping[str, Any]) -> MatchSpec:
        """Inverse of `to_json`."""
        values = dict(obj)
        values["players"] = tuple(values["players"])
        values["sampling"] = Sampling(**values["sampling"])
        return cls(**values)

    @cached_property
    def match_key(self) -> str:
        """Content hash (16 hex digits): two specs with the same key are the same match."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def stream(self) -> str:
        """`match_key` without the names of runs: what a run is called changes nothing that is sampled in it."""
        pair = self.pair
        for name in self.players:
            pair = pair.replace(name, _without_run(name))
        return replace(self, players=tuple(map(_without_run, self.players)), pair=pair).match_key


def _without_run(name: str) -> str:
    """`@000040` of `first@000040`; names of other players as they are."""
    run, at, step = name.rpartition("@")
    return at + step if at and not run.startswith("openai:") else name


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One try at an answer: what was asked, what came back, what it was taken for."""

    user: str
    completion: Completion
    issue: Issue
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One seat's decision. Seats that move together have turns with the same `ply`."""

    index: int
    ply: int
    seat: Seat
    attempts: tuple[Attempt, ...]
    move: Move | None


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Whose unusable answer ended the match, and of which kind."""

    seat: Seat
    issue: Issue


@dataclass(frozen=True, kw_only=True)
class MatchRecord:
    """The one record of a match, from which everything else is derived.

    Attributes:
        spec: what was to be played.
        systems: the system text each seat was given (rules), by seat.
        turns: in order.
        returns: per seat; empty when VOID. Those of a forfeit come from `State.forfeit_returns`.
        roles: role of each seat in this match, which in some games the seed deals; empty when VOID before the start.
        measures: the game's numbers about a match played to its end, see `games.State.measures`.
        outcome: outcome class by the rules; `turn_limit`, `forfeit` or `void` otherwise.
        ended, fault, error: how it ended; whose fault; what broke.
        duration_s: wall time; the only fields that differ between equal runs are named `*_s`.
    """

    spec: MatchSpec
    systems: tuple[str, ...]
    turns: tuple[Turn, ...]
    returns: tuple[float, ...]
    outcome: str
    ended: Ended
    fault: Fault | None = None
    error: str | None = None
    roles: tuple[str, ...] = ()
    measures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    duration_s: float = 0.0
    schema: int = SCHEMA

    def roles_in(self, game: Game) -> tuple[str, ...]:
        """Role per seat; of a record that does not tell (void at once, or older), those that `game` declares."""
        return self.roles or game.spec.roles

    @property
    def rated(self) -> bool:
        """Whether the match counts: it was played to an end, and not by a player against itself alone."""
        return self.ended is not Ended.VOID and len(set(self.spec.players)) > 1


class Observer(Protocol):
    """Watches matches as they are played. It only looks: an observer that raises is dropped, never the match."""

    def match_started(self, spec: MatchSpec) -> None:
        """A match begins."""

    def turn_played(self, spec: MatchSpec, turn: Turn, state: State) -> None:
        """A turn was taken; `state` is the live state after it and must not be changed."""

    def match_ended(self, record: MatchRecord) -> None:
        """A match ended, in whatever way."""
