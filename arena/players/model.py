"""A player that is a language model: the base, or the base under one adapter."""

from __future__ import annotations

from collections.abc import Sequence

from arena.inference.engine import LocalEngine
from arena.inference.requests import GenerateRequest
from arena.types import ActRequest, Completion, Exchange
from games import Game, Seat


class ModelPlayer:
    """Samples its replies from a local engine.

    Args:
        name: immutable name of the weights; stands in every completion.
        engine: shared by all model players of a process.
        adapter: adapter known to the engine, None for the base model.
    """

    scripted = False

    def __init__(self, name: str, engine: LocalEngine, adapter: str | None = None) -> None:
        self.name = name
        self.engine = engine
        self.adapter = adapter

    async def act(self, request: ActRequest) -> Completion:
        """Sample a reply."""
        chat = self.engine.chat
        prompt = chat.prompt_ids(request.system, request.user, request.history)
        done = await self.engine.generate(
            GenerateRequest(
                prompt_ids=prompt,
                adapter=self.adapter,
                sampling=request.sampling,
                stream_key=request.stream_key,
                conversation=(request.match_key, request.seat),
                shared=chat.system_length(request.system),
            )
        )
        return Completion(
            text=chat.decode(done.ids),
            prompt_ids=prompt,
            ids=done.ids,
            logprobs=done.logprobs,
            finish=done.finish,
            snapshot=self.name,
            latency_s=done.latency_s,
            cached_tokens=done.cached_tokens,
        )

    def forget(self, match_key: str, seat: Seat) -> None:
        """Drop what was kept for a finished match."""
        self.engine.forget((match_key, seat))

    def refusal(self, game: Game) -> str | None:
        """A language model plays anything."""
        return None

    def prompt_ids(self, system: str, user: str, history: Sequence[Exchange] = ()) -> tuple[int, ...]:
        """The prompt this player would be given, as token ids."""
        return self.engine.chat.prompt_ids(system, user, history)

    def answer_ids(self, text: str) -> tuple[int, ...]:
        """Token ids of a given reply, end of turn included."""
        return self.engine.chat.reply_ids(text)
