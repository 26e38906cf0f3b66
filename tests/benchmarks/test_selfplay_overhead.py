"""What a self-play update costs beside sampling, forward and backward passes; and what building long rows saves.

    make bench

One run of a few updates, all in this process; the first is warm-up. Sampling is the local engine's time in batches.
Forward is the trainer's loss and reference passes, backward is backward. All else is ours and TRL's to keep small:
rules, prompts, parsing, records, estimator, packing, optimiser, metrics. The larger model has the shape of SmolLM2-135M
with random weights (`ARENA_BENCH_MODEL` names another), whose replies are noise and end at `max_tokens`.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from arena.inference.engine import LocalEngine
from arena.jsonl import read_json_lines
from arena.models.registry import load_base
from selfplay.config import SelfPlayConfig
from selfplay.run import run_selfplay
from selfplay.trainer import RoleConditionedTrainer

pytestmark = pytest.mark.benchmark

WARM_UP = 1


def _timed(seconds: Counter[str], key: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            seconds[key] += time.perf_counter() - start

    return call


@contextmanager
def stopwatch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Seconds by what they were spent on, from here on."""
    seconds: Counter[str] = Counter()
    with monkeypatch.context() as patch:
        patch.setattr(LocalEngine, "_run", _timed(seconds, "sampling", LocalEngine._run))
        for name in ("_compute_loss", "_reference"):
            whole = getattr(RoleConditionedTrainer, name)
            patch.setattr(RoleConditionedTrainer, name, _timed(seconds, "forward", whole))
        patch.setattr(torch.Tensor, "backward", _timed(seconds, "backward", torch.Tensor.backward))
        yield seconds


def smollm2_shape(folder: Path) -> str:
    """A model of SmolLM2-135M's shape with seeded random weights, and the embedded model's tokenizer."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = load_base("pocket").tokenizer
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=49_152,
                hidden_size=576,
                intermediate_size=1536,
                num_hidden_layers=30,
                num_attention_heads=9,
                num_key_value_heads=3,
                tie_word_embeddings=True,
                eos_token_id=tokenizer.eos_token_id,
                pad_token_id=tokenizer.pad_token_id,
                max_position_embeddings=2048,
            )
        )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize(("name", "matches", "updates"), [("pocket", 160, 5), ("135M", 12, 3)])
def test_overhead_of_a_self_play_update(
    name: str, matches: int, updates: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = name if name == "pocket" else os.environ.get("ARENA_BENCH_MODEL") or smollm2_shape(tmp_path / "model")
    config = SelfPlayConfig.model_validate(
        {
            "model": model,
            "games": [{"id": "kuhn_poker", "weight": 2.0}, {"id": "tic_tac_toe"}, {"id": "simple_negotiation"}],
            "updates": updates,
            "matches": matches,
            "snapshot_every": updates,
            "checkpoint_every": updates,
            "sampling": {"max_tokens": 24},
        }
    )
    marks: list[Counter[str]] = []
    with stopwatch(monkeypatch) as seconds:

        def emit(event: Any) -> None:
            if event["t"] == "metrics":
                marks.append(Counter(seconds))

        summary = run_selfplay(config, "overhead", emit=emit)
    lines = list(read_json_lines(summary.path / "metrics.jsonl"))[WARM_UP:]
    total = sum(line["total_s"] for line in lines)
    spent = {key: marks[-1][key] - marks[WARM_UP - 1][key] for key in ("sampling", "forward", "backward")}
    rest = total - sum(spent.values())
    parts = " · ".join(f"{key} {value / total:.1%}" for key, value in spent.items())
    print(f"\n{name}: {total / len(lines):.2f} s an update · {parts} · all else {rest / total:.1%} (bar: 10 %)")
    assert rest >= 0
