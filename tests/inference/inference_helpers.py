"""A byte-level tokenizer, adapters whose weights matter, and short ways to ask an engine."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import torch
from peft import LoraConfig
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from arena.inference.engine import LocalEngine
from arena.inference.requests import Generated, GenerateRequest
from arena.types import Sampling

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


async def ask_all(engine: LocalEngine, requests: Sequence[GenerateRequest]) -> list[Generated]:
    """Ask everything at once."""
    return list(await asyncio.gather(*(engine.generate(request) for request in requests)))


def generate(engine: LocalEngine, *requests: GenerateRequest) -> list[Generated]:
    """The replies to requests that all wait at once."""
    return asyncio.run(ask_all(engine, requests))


def request(
    prompt: Sequence[int], adapter: str | None = None, *, key: str = "k", shared: int = 0, talk: Any = None, **how: Any
) -> GenerateRequest:
    """A request for up to eight tokens."""
    sampling = Sampling(**{"max_tokens": 8, **how})
    return GenerateRequest(
        prompt_ids=tuple(prompt), adapter=adapter, sampling=sampling, stream_key=key, conversation=talk, shared=shared
    )


def prompts(lengths: Sequence[int], start: Sequence[int] = ()) -> list[tuple[int, ...]]:
    """Token sequences of these lengths, each with the same start."""
    rng = random.Random("prompts")
    return [(*start, *(rng.randrange(5, 261) for _ in range(n - len(start)))) for n in lengths]


def plain_logprobs(model: Any, prompt: Sequence[int], reply: Sequence[int], temperature: float = 1.0) -> list[float]:
    """Log-probabilities of a reply by one plain forward pass over the whole sequence."""
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([[*prompt, *reply]])).logits[0].double()
    log_probs = torch.log_softmax(logits / temperature, dim=-1)
    return [float(log_probs[len(prompt) - 1 + t, token]) for t, token in enumerate(reply)]
