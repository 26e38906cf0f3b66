"""What is asked of an engine, what comes back, and a request on its way between the two."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass, field

from arena.inference.batch import Row
from arena.inference.kv import Stored
from arena.types import Finish, Sampling


@dataclass(frozen=True, kw_only=True)
class GenerateRequest:
    """One reply to sample.

    Attributes:
        prompt_ids: what to continue; not empty.
        adapter: adapter name, None for the base model.
        sampling: how to sample. stream_key: names its random numbers.
        conversation: key of the conversation, to reuse its earlier computation; None keeps nothing.
        shared: how many leading tokens other prompts are likely to share (the rules).
    """

    prompt_ids: tuple[int, ...]
    adapter: str | None
    sampling: Sampling
    stream_key: str
    conversation: Hashable | None = None
    shared: int = 0


@dataclass(frozen=True, kw_only=True)
class Generated:
    """A sampled reply: ids (end of turn included), their log-probabilities, and what was reused."""

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish: Finish
    cached_tokens: int
    latency_s: float


@dataclass(kw_only=True)
class EngineStats:
    """Counts since the start.

    Attributes:
        prefilled: prompt tokens computed. reused: prompt tokens whose states were stored. decoded: tokens sampled.
        requests: replies. batches: batches run, rows that stay for another counted again. steps: decoding steps.
        seconds: in batches.
    """

    prefilled: int = 0
    reused: int = 0
    decoded: int = 0
    requests: int = 0
    batches: int = 0
    steps: int = 0
    seconds: float = 0.0

    @property
    def tokens_per_batch(self) -> float:
        """Tokens computed in a batch, on average."""
        return (self.prefilled + self.decoded) / self.batches if self.batches else 0.0


@dataclass(kw_only=True, eq=False)
class Pending:
    """A request on its way to its reply.

    Attributes:
        asked: the request.
        future: gets the reply.
        arrived: when, on the performance counter (s).
        cached: prompt tokens whose states were reused.
        stored: states so far.
        ids: sampled so far.
        logprobs: of those.
        ended: nothing more is to be sampled.
    """

    asked: GenerateRequest
    future: asyncio.Future[Generated]
    arrived: float
    cached: int = 0
    stored: Stored | None = None
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    ended: bool = False

    @property
    def row(self) -> Row:
        """Its row in a batch: all tokens whose states are or will be there before the next decoding step."""
        ids = [*self.asked.prompt_ids, *self.ids[:-1]]
        return Row(ids=ids, adapter=self.asked.adapter, stored=self.stored, started=bool(self.ids))
