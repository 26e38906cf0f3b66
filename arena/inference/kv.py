"""Stored keys and values: what a conversation has computed, kept between its turns within a byte budget."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from arena.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class KVShape:
    """Dimensions of a model's keys and values."""

    layers: int
    heads: int
    dim: int
    dtype: torch.dtype
    device: torch.device

    @classmethod
    def of(cls, model: Any) -> KVShape:
        """Read from a loaded model's config.

        Raises:
            UsageError: its attention is of a kind that the engine does not run.
        """
        config = model.config.get_text_config()
        kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
        if kinds != {"full_attention"} or not model._supports_attention_backend:
            raise UsageError(
                f"The local engine runs models whose layers are all full attention; {config.model_type} has "
                f"{', '.join(sorted(kinds))}. Choose another model."
            )
        heads = config.num_attention_heads
        parameter = next(model.parameters())
        return cls(
            layers=config.num_hidden_layers,
            heads=getattr(config, "num_key_value_heads", None) or heads,
            dim=getattr(config, "head_dim", None) or config.hidden_size // heads,
            dtype=parameter.dtype,
            device=parameter.device,
        )


class Workspace:
    """Memory for the keys and values of running batches, kept from one to the next.

    A batch needs many megabytes for an instant. Fresh ones from the system cost a page fault every 4 KiB, more than
    filling them does.

    Args:
        shape: of the model's keys and values.
        keep_bytes: at most so much is kept while nothing runs.
    """

    def __init__(self, shape: KVShape, keep_bytes: int) -> None:
        self.shape = shape
        self._keep = keep_bytes // shape.dtype.itemsize
        self._free: torch.Tensor | None = None

    @contextmanager
    def lend(self, sizes: Sequence[tuple[int, int]]) -> Iterator[list[torch.Tensor]]:
        """Uninitialised tensors (L, 2, rows, H, width, D) for (rows, width); theirs to the end of the context."""
        shape = self.shape
        full = [(shape.layers, 2, rows, shape.heads, width, shape.dim) for rows, width in sizes]
        counts = [math.prod(size) for size in full]
        memory, self._free = self._free, None  # a batch within a batch gets memory of its own
        if memory is None or memory.numel() < sum(counts):
            memory = torch.empty(sum(counts), dtype=shape.dtype, device=shape.device)
        try:
            yield [part.view(size) for part, size in zip(torch.split(memory[: sum(counts)], counts), full, strict=True)]
        finally:
            if memory.numel() <= self._keep and (self._free is None or self._free.numel() < memory.numel()):
                self._free = memory


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Keys and values of a token sequence. It only ever grows, by making a longer one.

    Attributes:
        ids: the tokens.
        weights: identity of the weights they were computed with.
        parts: tensors (L, 2, H, t, D) whose t add up to the number of tokens. The first may be a shared prefix.
        shared: how many tokens at the start belong to somebody else's tensor.
    """

    ids: tuple[int, ...]
    weights: str
    parts: tuple[torch.Tensor, ...] = field(repr=False)
    shared: int = 0

    @property
    def nbytes(self) -> int:
        """Memory that goes when this is dropped."""
        own = self.parts[1:] if self.shared else self.parts
        return sum(part.numel() * part.element_size() for part in own)

    def as_prefix(self) -> Stored:
        """The same states, as the start of a conversation that does not own them."""
        return Stored(ids=self.ids, weights=self.weights, parts=self.parts, shared=len(self.ids))

    def extended(self, ids: tuple[int, ...], states: torch.Tensor) -> Stored:
        """With `states` (L, 2, H, t, D) of further tokens behind; `ids` are all tokens."""
        own = self.parts[1:] if self.shared else self.parts
        parts = (*self.parts[: len(self.parts) - len(own)], torch.cat([*own, states], dim=3))
        return Stored(ids=ids, weights=self.weights, parts=parts, shared=self.shared)


class KVStore:
    """Stored sequences by key, least recently used out first when over the byte budget."""

    def __init__(self, budget_bytes: int) -> None:
        self.budget_bytes = budget_bytes
        self.nbytes = 0
        self._entries: OrderedDict[Hashable, Stored] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> Stored | None:
        """The entry, now the most recently used."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        return entry

    def put(self, key: Hashable, entry: Stored) -> None:
        """Keep an entry, evicting the oldest others as needed; one that alone exceeds the budget is not kept."""
        self.drop(key)
        if entry.nbytes > self.budget_bytes:
            return
        self._entries[key] = entry
        self.nbytes += entry.nbytes
        while self.nbytes > self.budget_bytes:
            _, old = self._entries.popitem(last=False)
            self.nbytes -= old.nbytes

    def drop(self, key: Hashable) -> None:
        """Forget an entry, if it is there."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.nbytes -= entry.nbytes

    def drop_weights(self, weights: str) -> None:
        """Forget everything computed with these weights."""
        for key in [key for key, entry in self._entries.items() if entry.weights == weights]:
            self.drop(key)
