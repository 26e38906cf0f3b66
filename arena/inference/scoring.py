"""Probabilities of given replies: for exact play, multiple choice and analysis."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from arena.inference.batch import Row
from arena.inference.engine import LocalEngine
from arena.inference.kv import Stored

Ids = tuple[int, ...]


def score_continuations(
    engine: LocalEngine,
    adapter: str | None,
    prompts: Sequence[Sequence[int]],
    continuations: Sequence[Sequence[Sequence[int]]],
    *,
    batch: int = 256,
) -> list[list[float]]:
    """Log-probability of each continuation after its prompt. Prompts are computed once each.

    Args:
        engine: the local engine.
        adapter: adapter name, None for the base.
        prompts: P token sequences, not empty.
        continuations: for each prompt, token sequences, not empty.
        batch: rows at a time.

    Returns:
        For each prompt, the summed log-probability (nats, temperature 1) of each of its continuations.

    Raises:
        ValueError: an empty prompt or continuation.
        SnapshotError: the adapter is not known, or cannot be read.
    """
    if not all(prompts) or not all(all(options) for options in continuations):
        raise ValueError("Prompts and continuations must not be empty.")
    engine.adapters.ensure(adapter)
    scores: list[list[float]] = []
    for start in range(0, len(prompts), batch):
        stop = start + batch
        some = [tuple(prompt) for prompt in prompts[start:stop]]
        options = [[tuple(c) for c in each] for each in continuations[start:stop]]
        with engine.inference():
            scores += _score(engine, adapter, some, options, batch)
    return scores


def _score(
    engine: LocalEngine, adapter: str | None, prompts: Sequence[Ids], options: Sequence[Sequence[Ids]], batch: int
) -> list[list[float]]:
    """Scores of a batch of prompts."""
    weights = engine.adapters.weights(adapter)
    longer = [(p, o) for p, each in enumerate(options) for o, option in enumerate(each) if len(option) > 1]
    with engine.batch([Row(ids=prompt, adapter=adapter) for prompt in prompts]) as first:
        logits = first.first(tokens=engine.prefill_tokens)
        stored = {
            p: Stored(ids=prompts[p], weights=weights, parts=(first.states(p, 0, len(prompts[p])),))
            for p in dict.fromkeys(p for p, _ in longer)
        }
    heads = [torch.log_softmax(one[-1].double(), dim=-1) for one in logits]
    scores = [[float(head[option[0]]) for option in each] for head, each in zip(heads, options, strict=True)]
    for start in range(0, len(longer), batch):
        some = longer[start : start + batch]
        rows = [Row(ids=prompts[p] + options[p][o][:-1], adapter=adapter, stored=stored[p]) for p, o in some]
        tails = [options[p][o][1:] for p, o in some]
        with engine.batch(rows) as rest:
            made = rest.first(tokens=engine.prefill_tokens, keep=[len(tail) for tail in tails])
        for (p, o), tail, one in zip(some, tails, made, strict=True):
            log_probs = torch.log_softmax(one.double(), dim=-1)
            chosen = log_probs.gather(1, torch.tensor(tail, device=one.device)[:, None])
            scores[p][o] += float(chosen.sum())
    return scores
