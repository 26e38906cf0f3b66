"""Attention for packed batches: tokens of all rows lie one behind the other, keys and values in padded groups.

Everything but attention is done for each token alone, so a batch of rows of any lengths is one sequence without
padding. Attention takes the rows of similar length as a group, padded to the longest. The function is registered with
transformers' attention interface, so the models' own code is used as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from arena.errors import UsageError

NAME = "arena_packed"
"""Under which transformers knows the function."""


@dataclass(kw_only=True)
class GroupStep:
    """How one forward pass touches one group of b rows, the longest with n new tokens.

    Attributes:
        data: keys and values (L, 2, b, H, W, D); every row ends at column `end` once this pass is done.
        take: (b, n) packed positions of the new tokens, right-aligned; padding repeats a row's first one.
        real: which entries of `take` are tokens, as indices (rows, columns); None: all of them are.
        mask: (b, 1, n, W) added to the scores, 0 or −inf; columns from `end` on are not used.
        end: columns that are filled after this pass.
    """

    data: torch.Tensor
    take: torch.Tensor
    real: tuple[torch.Tensor, torch.Tensor] | None
    mask: torch.Tensor
    end: int


_plan: ContextVar[Sequence[GroupStep]] = ContextVar("arena_attention_plan")


def attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    scaling: float,
    softcap: float | None = None,
    sliding_window: int | None = None,
    s_aux: torch.Tensor | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Write the new keys and values into their groups, and attend to all of each row.

    Args:
        module: the attention layer; has `layer_idx`.
        query: (1, Hq, T, D) of the packed tokens.
        key: (1, H, T, D).
        value: (1, H, T, D).
        attention_mask: not used; the groups know what each token sees.
        scaling: of the scores.
        softcap: must be None.
        sliding_window: how far back a token sees; must not be less than there is.
        s_aux: must be None.

    Returns:
        (1, T, Hq, D) and no weights.

    Raises:
        UsageError: the model asks for a kind of attention that this is not.
    """
    if softcap is not None or s_aux is not None:
        raise UsageError(f"{type(module).__name__} caps its scores or has attention sinks; the engine does neither.")
    queries, keys, values = (t[0].transpose(0, 1) for t in (query, key, value))  # (T, heads, D)
    tokens, heads, dim = queries.shape
    kv_heads = keys.shape[1]
    share = heads // kv_heads  # query heads that look at the same keys: taken together, nothing is repeated
    out = query.new_empty(tokens, heads, dim)
    for group in _plan.get():
        if sliding_window is not None and group.end > sliding_window:
            raise UsageError(f"{group.end} tokens exceed the model's sliding window of {sliding_window}.")
        rows, n = group.take.shape
        k, v = group.data[module.layer_idx]
        if group.real is None:
            k[:, :, group.end - n : group.end] = keys[group.take].transpose(1, 2)
            v[:, :, group.end - n : group.end] = values[group.take].transpose(1, 2)
        else:
            row, column = group.real
            source = group.take[row, column]
            k[row, :, column + (group.end - n)] = keys[source]
            v[row, :, column + (group.end - n)] = values[source]
        q = queries[group.take].view(rows, n, kv_heads, share, dim).transpose(1, 2).reshape(rows, kv_heads, -1, dim)
        mask = group.mask[..., : group.end]
        mask = mask[:, :, :, None].expand(-1, -1, -1, share, -1).reshape(rows, 1, n * share, group.end)
        seen = scaled_dot_product_attention(
            q, k[:, :, : group.end], v[:, :, : group.end], attn_mask=mask, scale=scaling
        )
        seen = seen.view(rows, kv_heads, n, share, dim).transpose(1, 2).reshape(rows, n, heads, dim)
        if group.real is None:
            out[group.take] = seen
        else:
            out[source] = seen[row, column]
    return out[None], None


@contextmanager
def packed_attention(model: Any, plan: Sequence[GroupStep]) -> Iterator[None]:
    """Within this context the model's layers attend as the plan says."""
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, attend)
    config = model.config
    before = config._attn_implementation
    token = _plan.set(plan)
    config._attn_implementation = NAME
    try:
        yield
    finally:
        config._attn_implementation = before
        _plan.reset(token)
