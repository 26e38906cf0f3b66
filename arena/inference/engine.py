"""The local engine: every request that waits becomes one batch, whatever mix of adapters it holds.

Requests gather until the event loop has nothing else to do, that is, until every live match waits for a reply.
The batch then runs as one: shared prefixes and earlier turns come from the key-value store, rows that finish leave,
and what was computed is stored for the conversation's next turn. It runs on the loop's own thread, so what is in a
batch never depends on timing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from arena.inference.adapters import AdapterBank
from arena.inference.chat import ChatFormat
from arena.inference.kv import BatchCache, KVShape, KVStore, Stored
from arena.inference.sampling import draw, sampling_log_probs, uniform
from arena.models.registry import BaseModel
from arena.types import Finish, Sampling

IDLE_TICKS = 8
"""Turns of the event loop without a new request before a batch starts: enough for a match to take its next turn."""


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
    """Counts since the start: tokens computed, reused and sampled, batches and seconds in them."""

    prefilled: int = 0
    reused: int = 0
    decoded: int = 0
    requests: int = 0
    batches: int = 0
    seconds: float = 0.0


@dataclass(kw_only=True)
class _Row:
    request: GenerateRequest
    future: asyncio.Future[Generated] | None
    stored: Stored | None
    arrived: float
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    @property
    def known(self) -> int:
        """Prompt tokens whose states are stored; the last one is always computed, for its logits."""
        return 0 if self.stored is None else min(len(self.stored.ids), len(self.request.prompt_ids) - 1)

    @property
    def finished(self) -> bool:
        return len(self.ids) >= self.request.sampling.max_tokens


class LocalEngine:
    """Samples from one base model under many adapters.

    Args:
        base: the loaded model.
        model: a PeftModel over `base.model` when a trainer owns one; made on the first adapter otherwise.
        max_batch: rows in a batch.
        kv_bytes: memory for stored conversations.
        adapter_bytes: memory for loaded adapters.
    """

    def __init__(
        self,
        base: BaseModel,
        *,
        model: Any = None,
        max_batch: int = 256,
        kv_bytes: int = 512 << 20,
        adapter_bytes: int = 256 << 20,
    ) -> None:
        self.base = base
        self.adapters = AdapterBank(base.model, model, budget_bytes=adapter_bytes)
        eos = base.model.generation_config.eos_token_id
        declared = [eos] if isinstance(eos, int) else list(eos or [])
        self.eos_ids = frozenset([*declared, base.tokenizer.eos_token_id])
        self.chat = ChatFormat(base.tokenizer, sorted(self.eos_ids))
        self.max_batch = max_batch
        self.stats = EngineStats()
        self._shape = KVShape.of(base.model)
        self._conversations = KVStore(kv_bytes)
        self._shared = KVStore(kv_bytes // 8)
        self._queue: list[_Row] = []
        self._flusher: asyncio.Task[None] | None = None

    # --- asking ----------------------------------------------------------------------------------------------------

    async def generate(self, request: GenerateRequest) -> Generated:
        """Sample one reply. Returns when the batch it ran in is done."""
        if not request.prompt_ids:
            raise ValueError("The prompt is empty.")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Generated] = loop.create_future()
        self._queue.append(_Row(request=request, future=future, stored=None, arrived=time.perf_counter()))
        if self._flusher is None or self._flusher.done():
            self._flusher = asyncio.create_task(self._flush_when_quiet())
        return await future

    def forget(self, conversation: Hashable) -> None:
        """The conversation is over."""
        self._conversations.drop(conversation)

    def weights_changed(self, adapter: str) -> None:
        """An adapter was updated in place: nothing computed with its old weights is used again."""
        old = self.adapters.bump(adapter)
        self._conversations.drop_weights(old)
        self._shared.drop_weights(old)

    async def _flush_when_quiet(self) -> None:
        while self._queue:
            idle, waiting = 0, len(self._queue)
            while idle < IDLE_TICKS:
                await asyncio.sleep(0)
                idle = idle + 1 if len(self._queue) == waiting else 0
                waiting = len(self._queue)
            rows, self._queue = self._queue, []
            try:
                self.run(rows)
            except Exception as error:  # noqa: BLE001 - every waiting match must learn of it
                for row in rows:
                    if row.future is not None and not row.future.done():
                        row.future.set_exception(error)

    # --- running ---------------------------------------------------------------------------------------------------

    def run(self, rows: Sequence[_Row]) -> None:
        """Run requests to their ends, in batches of similar cost, and resolve their futures."""
        start = time.perf_counter()
        live = [row for row in rows if row.future is None or not row.future.cancelled()]
        with self.inference():
            for row in live:
                row.stored = self._lookup(row.request)
            for batch in self._batches(live):
                self._run_batch(batch)
        self.stats.seconds += time.perf_counter() - start
        self.stats.requests += len(live)
        now = time.perf_counter()
        for row in live:
            done = Generated(
                ids=tuple(row.ids),
                logprobs=tuple(row.logprobs),
                finish=Finish.STOP if row.ids and row.ids[-1] in self.eos_ids else Finish.LENGTH,
                cached_tokens=row.known,
                latency_s=now - row.arrived,
            )
            if row.future is not None and not row.future.done():
                row.future.set_result(done)

    @contextmanager
    def inference(self) -> Iterator[None]:
        """Eval mode and no gradients, leaving the trainer's mode as it was."""
        model = self.adapters.model
        training = model.training
        model.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            model.train(training)

    def _lookup(self, request: GenerateRequest) -> Stored | None:
        """The longest stored prefix of the prompt: the conversation's own, else the shared one."""
        weights = self.adapters.weights(request.adapter)
        own = None if request.conversation is None else self._conversations.get(request.conversation)
        if own is not None and own.weights == weights and request.prompt_ids[: len(own.ids)] == own.ids:
            return own
        if request.shared < 2:
            return None
        prefix = request.prompt_ids[: request.shared]
        stored = self._shared.get((weights, prefix))
        if stored is None:
            stored = self._compute(prefix, request.adapter)
            self._shared.put((weights, prefix), stored)
        return stored

    def _compute(self, ids: tuple[int, ...], adapter: str | None) -> Stored:
        """States of one token sequence."""
        cache = BatchCache(self._shape, [(None, 0)], filled=0, width=len(ids))
        self._forward(cache, torch.tensor([ids]), torch.tensor([0]), [adapter])
        self.stats.prefilled += len(ids)
        return Stored(ids=ids, weights=self.adapters.weights(adapter), data=cache.row(0, 0, len(ids)))

    def _batches(self, rows: Sequence[_Row]) -> Iterator[list[_Row]]:
        """Rows sorted by how much there is to compute, cut where the batch is full or the work would double."""

        def need(row: _Row) -> int:
            return len(row.request.prompt_ids) - row.known

        batch: list[_Row] = []
        for row in sorted(rows, key=need):
            if batch and (len(batch) >= self.max_batch or need(row) > 2 * need(batch[0]) + 32):
                yield batch
                batch = []
            batch.append(row)
        if batch:
            yield batch

    def _run_batch(self, rows: list[_Row]) -> None:
        lengths = [len(row.request.prompt_ids) for row in rows]
        width = max(lengths)
        fresh = max(length - row.known for length, row in zip(lengths, rows, strict=True))
        # Every row computes its last `fresh` tokens: those that it knows already are cheaper computed again than
        # padded around, and nothing of the rest moves.
        reused = [max(length - fresh, 0) for length in lengths]
        longest = max(row.request.sampling.max_tokens for row in rows)
        starts = [width - length for length in lengths]
        placed = [
            (row.stored.data[:, :, :, :n] if row.stored is not None and n else None, start)
            for row, n, start in zip(rows, reused, starts, strict=True)
        ]
        cache = BatchCache(self._shape, placed, filled=width - fresh, width=width + longest)
        pad = self.base.tokenizer.pad_token_id
        block = [[pad] * (fresh - length) + list(row.request.prompt_ids)[-fresh:] for row, length in zip(rows, lengths)]  # noqa: B905 - both have one entry a row
        adapters = [row.request.adapter for row in rows]
        logits = self._forward(cache, torch.tensor(block), torch.tensor(starts), adapters)
        self.stats.batches += 1
        self.stats.prefilled += sum(length - n for length, n in zip(lengths, reused, strict=True))
        self.stats.reused += sum(reused)
        self._decode(rows, cache, logits, starts)

    def _decode(self, rows: list[_Row], cache: BatchCache, logits: torch.Tensor, starts: list[int]) -> None:
        """Sample until every row has ended; ended rows are stored and, once half are done, dropped."""
        index = list(range(len(rows)))  # rows still in the cache, in cache order
        step = 0
        while True:
            sampling = [rows[i].request.sampling for i in index]
            log_probs = sampling_log_probs(logits, sampling)
            points = [uniform(rows[i].request.stream_key, step) for i in index]
            tokens = draw(log_probs, sampling, points)
            chosen = log_probs.gather(1, tokens[:, None]).squeeze(1).tolist()
            running = []
            for slot, (i, token) in enumerate(zip(index, tokens.tolist(), strict=True)):
                row = rows[i]
                if row.ids and (row.ids[-1] in self.eos_ids or row.finished):
                    continue  # ended earlier, still carried along
                row.ids.append(token)
                row.logprobs.append(chosen[slot])
                self.stats.decoded += 1
                if token in self.eos_ids or row.finished:
                    self._keep(row, cache, slot, starts[i])
                else:
                    running.append(slot)
            if not running:
                return
            if len(running) <= len(index) // 2:
                cache.keep(torch.tensor(running, device=self._shape.device))
                index = [index[slot] for slot in running]
                tokens = tokens[running]
            step += 1
            logits = self._forward(
                cache,
                tokens[:, None],
                torch.tensor([starts[i] for i in index]),
                [rows[i].request.adapter for i in index],
            )

    def _keep(self, row: _Row, cache: BatchCache, slot: int, start: int) -> None:
        """Store the conversation so far; the states of the last sampled token were never computed."""
        request = row.request
        if request.conversation is None:
            return
        ids = request.prompt_ids + tuple(row.ids[:-1])
        data = cache.row(slot, start, start + len(ids))
        self._conversations.put(
            request.conversation, Stored(ids=ids, weights=self.adapters.weights(request.adapter), data=data)
        )

    def _forward(
        self, cache: BatchCache, block: torch.Tensor, starts: torch.Tensor, adapters: Sequence[str | None]
    ) -> torch.Tensor:
        """One forward pass over new columns; logits (B, V) at the last of them.

        Args:
            cache: earlier columns; grows by the block.
            block: (B, n) token ids, right-aligned.
            starts: (B,) column at which each row's own tokens begin.
            adapters: B adapter names.
        """
        device = self._shape.device
        block, starts = block.to(device), starts.to(device)
        before, n = cache.length, block.shape[1]
        columns = torch.arange(before + n, device=device)
        queries = columns[before:]
        mask = (columns[None, None, :] <= queries[None, :, None]) & (columns[None, None, :] >= starts[:, None, None])
        # A padding position sees itself: attention over nothing is NaN, and NaN times a zero weight is NaN.
        mask |= columns[None, None, :] == queries[None, :, None]
        positions = (queries[None, :] - starts[:, None]).clamp_(min=0)
        with self.adapters.using(adapters) as model:
            output = model(
                input_ids=block,
                attention_mask=mask[:, None],
                position_ids=positions,
                cache=cache.cache,
                use_cache=True,
                logits_to_keep=1,
            )
        return output.logits[:, -1]
