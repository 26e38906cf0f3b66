"""A byte-level tokenizer, and adapters whose weights matter."""

from __future__ import annotations

from typing import Any

import torch
from peft import LoraConfig
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

SPECIAL = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def make_tokenizer(template: str = TEMPLATE) -> PreTrainedTokenizerFast:
    """One token per byte, and the special ones."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([*SPECIAL, *alphabet])}
    core = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=SPECIAL[0],
        eos_token=SPECIAL[1],
        extra_special_tokens=list(SPECIAL[2:]),
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = template
    return tokenizer


def randomised(model: Any, seed: int, adapter: str = "default") -> None:
    """Give an adapter weights that matter (a new one's B factors are zero)."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if f".{adapter}." in name:
            parameter.data = torch.randn(parameter.shape, generator=generator) * 0.2


def lora(**changes: Any) -> LoraConfig:
    """A small adapter on every linear layer."""
    settings: dict[str, Any] = {"r": 4, "lora_alpha": 8, "target_modules": "all-linear", "task_type": "CAUSAL_LM"}
    return LoraConfig(**{**settings, **changes})
