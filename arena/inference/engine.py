"""The local engine: every request that waits becomes one batch, whatever mix of adapters it holds.

Requests gather until the event loop has nothing else to do, that is, until every live match waits for a reply. The
batch then runs as one: shared prefixes and earlier turns come from the key-value store. Once a good share of the rows
has ended, their matches go on while the others wait; what those ask next joins the rows that are left. It all runs on
the loop's own thread, so what is in a batch never depends on timing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import torch

from arena.inference.adapters import AdapterBank
from arena.inference.batch import Batch, Row
from arena.inference.chat import ChatFormat
from arena.inference.kv import KVShape, KVStore, Stored, Workspace
from arena.inference.requests import EngineStats, Generated, GenerateRequest, Pending
from arena.inference.sampling import draw, sampling_log_probs, uniform
from arena.models.registry import BaseModel
from arena.types import Finish

IDLE_TICKS = 8
"""Turns of the event loop without a new request before a batch starts: enough for a match to take its next turn."""

ENDED_SHARE = 0.5
"""Share of a batch's rows that must have ended before the others wait for new rows to join."""

ROOM = 64
"""Tokens that rows grow by before their buffers are made anew."""


class LocalEngine:
    """Samples from one base model under many adapters.

    Args:
        base: the loaded model.
        model: a PeftModel around `base.model` when a trainer owns one; its adapters are known by their names.
        max_batch: rows in a batch.
        prefill_tokens: prompt tokens in one forward pass, about; small ones stay in a CPU's cache. None chooses.
        kv_bytes: memory for stored conversations.
        adapter_bytes: memory for loaded adapters.
    """

    def __init__(
        self,
        base: BaseModel,
        *,
        model: Any = None,
        max_batch: int = 256,
        prefill_tokens: int | None = None,
        kv_bytes: int = 512 << 20,
        adapter_bytes: int = 256 << 20,
    ) -> None:
        self.base = base
        self.model = base.model if model is None else model.get_base_model()
        self.adapters = AdapterBank(self.model, model.peft_config if model else (), budget_bytes=adapter_bytes)
        eos = self.model.generation_config.eos_token_id
        declared = [eos] if isinstance(eos, int) else list(eos or [])
        self.eos_ids = frozenset(i for i in [*declared, base.tokenizer.eos_token_id] if i is not None)
        self.chat = ChatFormat(base.tokenizer, sorted(self.eos_ids))
        self.stats = EngineStats()
        shape = KVShape.of(self.model)
        self._max_batch = max_batch
        self.prefill_tokens = prefill_tokens or (2048 if shape.device.type == "cpu" else 16384)
        self._workspace = Workspace(shape, kv_bytes // 2)
        self._conversations = KVStore(kv_bytes)
        self._shared = KVStore(kv_bytes // 8)
        self._queue: list[Pending] = []
        self._worker: asyncio.Task[None] | None = None

    # --- asking ----------------------------------------------------------------------------------------------------

    async def generate(self, request: GenerateRequest) -> Generated:
        """Sample one reply. Returns once it has ended.

        Raises:
            ValueError: an empty prompt, or no token to sample.
            SnapshotError: the adapter is not known, or cannot be read.
        """
        if not request.prompt_ids or request.sampling.max_tokens < 1:
            raise ValueError(f"{len(request.prompt_ids)} prompt tokens and {request.sampling.max_tokens} new ones.")
        self.adapters.ensure(request.adapter)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Generated] = loop.create_future()
        self._queue.append(Pending(asked=request, future=future, arrived=time.perf_counter()))
        if self._worker is None or self._worker.done():
            self._worker = loop.create_task(self._work())
        return await future

    def forget(self, conversation: Hashable) -> None:
        """The conversation is over."""
        self._conversations.drop(conversation)

    @property
    def kv_bytes(self) -> int:
        """Memory of stored conversations and shared prefixes."""
        return self._conversations.nbytes + self._shared.nbytes

    def add_adapter(self, name: str, folder: Path) -> None:
        """Make an adapter known (`AdapterBank.add`)."""
        self.adapters.add(name, folder)

    def remove_adapter(self, name: str) -> None:
        """Forget an adapter and everything computed with it."""
        self._drop_weights(self.adapters.remove(name))

    def weights_changed(self, adapter: str) -> None:
        """An adapter was updated in place: nothing computed with its old weights is used again."""
        self._drop_weights(self.adapters.bump(adapter))

    def _drop_weights(self, weights: str) -> None:
        self._conversations.drop_weights(weights)
        self._shared.drop_weights(weights)

    # --- running ---------------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        running: list[Pending] = []
        while self._queue or running:
            await self._quiet()
            admitted = self._max_batch - len(running)
            running += self._queue[:admitted]
            del self._queue[:admitted]
            running = [request for request in running if not request.future.cancelled()]
            if not running:
                continue
            try:
                self._run(running)
            except Exception as error:  # noqa: BLE001 - every waiting match must learn of it
                for request in running:
                    request.ended = True
                    if not request.future.done():
                        request.future.set_exception(error)
            running = [request for request in running if not request.ended]

    async def _quiet(self) -> None:
        """Wait until the loop has nothing to do but this."""
        idle, waiting = 0, len(self._queue)
        while idle < IDLE_TICKS:
            await asyncio.sleep(0)
            idle = idle + 1 if len(self._queue) == waiting else 0
            waiting = len(self._queue)

    def _run(self, requests: Sequence[Pending]) -> None:
        """One batch: the prompts of new requests, then decoding until a share of the rows has ended."""
        start = time.perf_counter()
        with self.inference():
            self._find_stored([request for request in requests if not request.ids])
            left = [request.asked.sampling.max_tokens - len(request.ids) for request in requests]
            with self.batch([request.row for request in requests], room=min(max(left), ROOM)) as batch:
                self._prefill(requests, batch)
                self._decode(requests, batch)
                for i, request in enumerate(requests):
                    self._store(request, batch, i)
        self.stats.batches += 1
        now = time.perf_counter()
        self.stats.seconds += now - start
        for request in requests:
            if request.ended and not request.future.done():
                self.stats.requests += 1
                request.future.set_result(self._generated(request, now))

    def batch(self, rows: Sequence[Row], *, room: int = 0) -> AbstractContextManager[Batch]:
        """A batch on this engine's model (`Batch.of`); to be used within `inference()`."""
        return Batch.of(self.model, self.adapters, self._workspace, rows, room=room)

    @contextmanager
    def inference(self) -> Iterator[None]:
        """Eval mode and no gradients, leaving the trainer's mode as it was."""
        training = [module for module in self.model.modules() if module.training] if self.model.training else []
        if training:
            self.model.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            for module in training:
                module.training = True

    def prefixes(self, wanted: Sequence[tuple[str | None, tuple[int, ...]]]) -> list[Stored]:
        """States of token sequences that many prompts start with, computed where they are not stored.

        Args:
            wanted: (adapter, ids).
        """
        keys = [(self.adapters.weights(adapter), ids) for adapter, ids in wanted]
        found = {key: stored for key in keys if (stored := self._shared.get(key)) is not None}
        missing = {key: adapter for key, (adapter, _) in zip(keys, wanted, strict=True) if key not in found}
        if missing:
            with self.batch([Row(ids=ids, adapter=adapter) for (_, ids), adapter in missing.items()]) as batch:
                batch.first(tokens=self.prefill_tokens)
                for i, (weights, ids) in enumerate(missing):
                    stored = Stored(ids=ids, weights=weights, parts=(batch.states(i, 0, len(ids)),))
                    found[weights, ids] = stored
                    self._shared.put((weights, ids), stored)
                    self.stats.prefilled += len(ids)
        return [found[key] for key in keys]

    def _find_stored(self, requests: Sequence[Pending]) -> None:
        """Give each request the longest stored start of its prompt: its conversation's own, else the shared one."""
        sharing = []
        for request in requests:
            asked = request.asked
            own = None if asked.conversation is None else self._conversations.get(asked.conversation)
            current = own is not None and own.weights == self.adapters.weights(asked.adapter)
            if own is not None and current and asked.prompt_ids[: len(own.ids)] == own.ids:
                request.stored = own
            elif asked.shared > 1:
                sharing.append(request)
        prefixes = self.prefixes([(r.asked.adapter, r.asked.prompt_ids[: r.asked.shared]) for r in sharing])
        for request, prefix in zip(sharing, prefixes, strict=True):
            request.stored = prefix.as_prefix()

    def _prefill(self, requests: Sequence[Pending], batch: Batch) -> None:
        """Compute what is new in the prompts, and sample the first token behind them."""
        new = [i for i, request in enumerate(requests) if not request.ids]
        if not new:
            return
        logits = batch.first(tokens=self.prefill_tokens)
        self._sample([requests[i] for i in new], torch.cat([logits[i] for i in new]))
        for i in new:
            requests[i].cached = batch.rows[i].known
            self.stats.reused += batch.rows[i].known
            self.stats.prefilled += len(batch.rows[i].ids) - batch.rows[i].known

    def _decode(self, requests: Sequence[Pending], batch: Batch) -> None:
        """Sample on until enough rows have ended; rows that ended earlier are carried along."""
        target = max(1, int(len(requests) * ENDED_SHARE))
        with batch.decoding() as step:
            for _ in range(batch.room):
                live = [i for i, request in enumerate(requests) if not request.ended]
                if len(requests) - len(live) >= target:
                    return
                logits = step(torch.tensor([request.ids[-1] for request in requests]))
                self.stats.steps += 1
                if len(live) < len(requests):
                    logits = logits[live]
                self._sample([requests[i] for i in live], logits)

    def _sample(self, requests: Sequence[Pending], logits: torch.Tensor) -> None:
        """Draw the next token of each request from logits (B, V)."""
        sampling = [request.asked.sampling for request in requests]
        log_probs = sampling_log_probs(logits, sampling)
        points = [uniform(request.asked.stream_key, len(request.ids)) for request in requests]
        tokens = draw(log_probs, sampling, points)
        chosen = log_probs.gather(1, tokens[:, None]).squeeze(1)
        for request, token, logprob in zip(requests, tokens.tolist(), chosen.tolist(), strict=True):
            request.ids.append(token)
            request.logprobs.append(logprob)
            request.ended = token in self.eos_ids or len(request.ids) >= request.asked.sampling.max_tokens
        self.stats.decoded += len(requests)

    def _store(self, request: Pending, batch: Batch, index: int) -> None:
        """Keep what a row has computed; the states of its last token never are."""
        asked = request.asked
        if request.ended and asked.conversation is None:
            return
        ids = (*asked.prompt_ids, *request.ids[:-1])
        known = request.stored or Stored(ids=(), weights=self.adapters.weights(asked.adapter), parts=())
        if len(ids) > len(known.ids):
            known = known.extended(ids, batch.states(index, len(known.ids), len(ids)))
        request.stored = known
        if request.ended:
            self._conversations.put(asked.conversation, known)

    def _generated(self, request: Pending, now: float) -> Generated:
        return Generated(
            ids=tuple(request.ids),
            logprobs=tuple(request.logprobs),
            finish=Finish.STOP if request.ids[-1] in self.eos_ids else Finish.LENGTH,
            cached_tokens=request.cached,
            latency_s=now - request.arrived,
        )
