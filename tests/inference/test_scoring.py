"""Probabilities of given replies equal those of plain forward passes."""

from __future__ import annotations

import math

import pytest
from inference_helpers import plain_logprobs, prompts

from arena.errors import SnapshotError
from arena.inference.engine import LocalEngine
from arena.inference.scoring import score_continuations


@pytest.mark.parametrize("batch", [256, 3])
@pytest.mark.parametrize("adapter", [None, "one", "three"])
def test_scores_equal_plain_forward_passes(adapter: str | None, batch: int, engine: LocalEngine, reference):
    asked = prompts([5, 30, 31, 80])
    options = [[(9,), (9, 10), (9, 10, 11, 12)], [(40, 41)], [(8,)], prompts([6, 3, 3, 1])]
    scores = score_continuations(engine, adapter, asked, options, batch=batch)
    model = reference(adapter)
    for prompt, each, got in zip(asked, options, scores, strict=True):
        assert got == pytest.approx([sum(plain_logprobs(model, prompt, option)) for option in each], abs=1e-4)


def test_one_token_continuations_are_a_distribution(engine: LocalEngine):
    vocabulary = engine.base.model.config.vocab_size
    (scores,) = score_continuations(engine, "two", prompts([12]), [[(token,) for token in range(vocabulary)]])
    assert sum(map(math.exp, scores)) == pytest.approx(1.0)


def test_no_prompts_no_scores_and_nonsense_is_refused(engine: LocalEngine):
    assert score_continuations(engine, None, [], []) == []
    assert score_continuations(engine, None, [(5, 6)], [[]]) == [[]]
    with pytest.raises(ValueError, match="must not be empty"):
        score_continuations(engine, None, [(5,)], [[()]])
    with pytest.raises(SnapshotError, match="Unknown adapter"):
        score_continuations(engine, "nobody", [(5,)], [[(6,)]])
