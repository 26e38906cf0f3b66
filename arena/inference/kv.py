"""Key-value caches: a preallocated one for a running batch, and a store of finished conversations.

Rows of a batch end at the same column (right-aligned), so their own tokens are contiguous and prefill, decode and
storing are plain slices.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import torch
from transformers.cache_utils import Cache, CacheLayerMixin


class BufferLayer(CacheLayerMixin):
    """One layer's keys and values in a buffer of fixed width; `update` writes behind what is there."""

    def __init__(self, keys: torch.Tensor, values: torch.Tensor, length: int) -> None:
        super().__init__()
        self.keys, self.values = keys, values
        self.length = length
        self.is_initialized = True

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Nothing to do: the buffers exist."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write new states of shape (B, H, n, D) and return everything so far."""
        end = self.length + key_states.shape[-2]
        self.keys[:, :, self.length : end] = key_states
        self.values[:, :, self.length : end] = value_states
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Length and offset of the keys a query of this length sees."""
        return self.length + query_length, 0

    def get_seq_length(self) -> int:
        """Columns filled so far."""
        return self.length

    def get_max_length(self) -> int:
        """Columns there are."""
        return int(self.keys.shape[-2])


class BatchCache:
    """The cache of a running batch: one tensor (L, 2, B, H, W, D) that every layer views.

    Args:
        rows: stored tensors (L, 2, H, t, D) or None per row, placed to end at column `filled`.
        filled: columns that count as filled before the first forward pass.
        width: columns in all.
    """

    def __init__(
        self, shape: KVShape, rows: list[tuple[torch.Tensor | None, int]], *, filled: int, width: int
    ) -> None:
        self.data = torch.zeros(
            shape.layers, 2, len(rows), shape.heads, width, shape.dim, dtype=shape.dtype, device=shape.device
        )
        for i, (stored, start) in enumerate(rows):
            if stored is not None:
                self.data[:, :, i, :, start : start + stored.shape[3]] = stored
        self._layers = [BufferLayer(layer[0], layer[1], filled) for layer in self.data]
        self.cache = Cache(layers=list(self._layers))

    @property
    def length(self) -> int:
        """Columns filled so far."""
        return self._layers[0].length

    def keep(self, rows: torch.Tensor) -> None:
        """Drop every row but these."""
        length = self.length
        self.data = self.data[:, :, rows].contiguous()
        self._layers = [BufferLayer(layer[0], layer[1], length) for layer in self.data]
        self.cache = Cache(layers=list(self._layers))

    def row(self, index: int, start: int, end: int) -> torch.Tensor:
        """A copy of one row's columns [start, end): (L, 2, H, end-start, D)."""
        return self.data[:, :, index, :, start:end].clone()


@dataclass(frozen=True, kw_only=True)
class KVShape:
    """Dimensions of a model's cache."""

    layers: int
    heads: int
    dim: int
    dtype: torch.dtype
    device: torch.device

    @classmethod
    def of(cls, model: Any) -> KVShape:
        """Read from a loaded model's config."""
        config = model.config.get_text_config()
        heads = config.num_attention_heads
        parameter = next(model.parameters())
        return cls(
            layers=config.num_hidden_layers,
            heads=getattr(config, "num_key_value_heads", None) or heads,
            dim=getattr(config, "head_dim", None) or config.hidden_size // heads,
            dtype=parameter.dtype,
            device=parameter.device,
        )


@dataclass(frozen=True, kw_only=True)
class Stored:
    """What is kept of a token sequence: its ids, the weights it was computed with, and (L, 2, H, len(ids), D)."""

    ids: tuple[int, ...]
    weights: str
    data: torch.Tensor

    @property
    def nbytes(self) -> int:
        """Memory of the tensor."""
        return self.data.numel() * self.data.element_size()


class KVStore:
    """Finished sequences by key, least recently used out first when over the byte budget."""

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
