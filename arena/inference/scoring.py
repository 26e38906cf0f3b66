"""Probabilities of given replies: for exact play, multiple choice and analysis."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from arena.inference.engine import LocalEngine


def score_continuations(
    engine: LocalEngine,
    adapter: str | None,
    prompts: Sequence[Sequence[int]],
    continuations: Sequence[Sequence[Sequence[int]]],
    *,
    batch: int = 256,
) -> list[list[float]]:
    """Log-probability (nats, temperature 1) of each continuation after its prompt.

    Args:
        engine: the local engine.
        adapter: adapter name, None for the base.
        prompts: P token sequences, not empty.
        continuations: for each prompt, token sequences, not empty.
        batch: rows at a time.

    Returns:
        For each prompt, the summed log-probability of each of its continuations.
    """
    flat = [
        (tuple(prompt), tuple(continuation))
        for prompt, options in zip(prompts, continuations, strict=True)
        for continuation in options
    ]
    order = sorted(range(len(flat)), key=lambda i: len(flat[i][0]) + len(flat[i][1]))
    scores = [0.0] * len(flat)
    for start in range(0, len(order), batch):
        chunk = order[start : start + batch]
        for i, value in zip(chunk, _score(engine, adapter, [flat[i] for i in chunk]), strict=True):
            scores[i] = value
    result, position = [], 0
    for options in continuations:
        result.append(scores[position : position + len(options)])
        position += len(options)
    return result


def _score(
    engine: LocalEngine, adapter: str | None, rows: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
) -> list[float]:
    """Summed log-probabilities of a batch of (prompt, continuation)."""
    longest = max(len(continuation) for _, continuation in rows)
    width = max(len(prompt) + len(continuation) for prompt, continuation in rows)
    pad = engine.base.tokenizer.pad_token_id
    device = engine.base.model.device
    ids = torch.tensor([[pad] * (width - len(p) - len(c)) + [*p, *c] for p, c in rows], device=device)
    mask = torch.tensor([[0] * (width - len(p) - len(c)) + [1] * (len(p) + len(c)) for p, c in rows], device=device)
    positions = (mask.cumsum(-1) - 1).clamp_(min=0)
    with engine.inference(), engine.adapters.using([adapter] * len(rows)) as model:
        logits = model(
            input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False, logits_to_keep=longest + 1
        ).logits
    log_probs = torch.log_softmax(logits[:, :-1].double(), dim=-1)
    chosen = log_probs.gather(2, ids[:, -longest:, None]).squeeze(2)
    own = torch.tensor([[0.0] * (longest - len(c)) + [1.0] * len(c) for _, c in rows], device=device)
    return [float(value) for value in (chosen * own).sum(-1)]
