"""A tiny base model, and adapters with weights large enough to tell apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from inference_helpers import lora, make_tokenizer, randomised
from peft import get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

from arena.inference.engine import LocalEngine
from arena.models.registry import BaseModel, load_base
from arena.rundir import RunDir


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved random Llama with two layers; logits are spread enough for replies to differ."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    tokenizer = make_tokenizer()
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.3,
    )
    model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def base(model_folder: Path) -> BaseModel:
    """The tiny model, loaded anew: adapters are put into its layers."""
    return load_base(str(model_folder), device="cpu")


@pytest.fixture(scope="session")
def adapters(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three adapter folders that differ in rank, scaling and in which layers they touch."""
    root = tmp_path_factory.mktemp("adapters")
    kinds = {
        "one": lora(),
        "two": lora(r=6, lora_alpha=6),
        "three": lora(target_modules=["q_proj", "down_proj"]),
    }
    for seed, (name, config) in enumerate(kinds.items()):
        model = get_peft_model(load_base(str(model_folder), device="cpu").model, config)
        randomised(model, seed)
        model.save_pretrained(str(root / name))
    return {name: root / name for name in kinds}


@pytest.fixture
def engine(base: BaseModel, adapters: dict[str, Path]) -> LocalEngine:
    """An engine that knows the three adapters."""
    made = LocalEngine(base)
    for name, folder in adapters.items():
        made.adapters.add(name, folder)
    return made


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    """A run directory."""
    return RunDir.create(str(tmp_path / "demo"), "selfplay", {}, seed=0)


@pytest.fixture
def reference(model_folder: Path, adapters: dict[str, Path]) -> Callable[[str | None], Any]:
    """PEFT's own model with one adapter, apart from the engine's; None for the base."""
    from peft import PeftModel

    def load(adapter: str | None) -> Any:
        model = load_base(str(model_folder), device="cpu").model
        return model if adapter is None else PeftModel.from_pretrained(model, str(adapters[adapter])).eval()

    return load
