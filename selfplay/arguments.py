"""A run's config in the words of TRL, transformers and PEFT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig
from trl import GRPOConfig

from arena.models.registry import BaseModel
from selfplay.config import SelfPlayConfig
from selfplay.trackers import PROJECT


def lora_config(config: SelfPlayConfig) -> LoraConfig:
    """The adapter that learns."""
    lora = config.lora
    return LoraConfig(
        r=lora.r,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=lora.target_modules,
        task_type="CAUSAL_LM",
    )


def never_called(*args: Any, **kwargs: Any) -> list[float]:
    """TRL requires a reward function; matches have returns instead."""
    raise RuntimeError("Rewards come from matches.")


def arguments(config: SelfPlayConfig, base: BaseModel, scratch: Path, name: str = "") -> GRPOConfig:
    """TRL's and transformers' arguments of a run called `name`."""
    optim = config.optim
    on_cpu = base.model.device.type == "cpu"
    return GRPOConfig(
        output_dir=str(scratch),
        max_steps=config.updates * optim.passes,
        # What TRL takes for a batch is only how its placeholder prompts are counted: two a micro-batch.
        per_device_train_batch_size=2,
        num_generations=2,
        gradient_accumulation_steps=optim.micro_batches,
        max_completion_length=optim.tokens_per_trajectory,
        temperature=config.sampling.temperature,
        beta=optim.beta,
        loss_type=optim.loss_type,
        epsilon=optim.epsilon,
        epsilon_high=optim.epsilon_high or None,
        importance_sampling_level=optim.importance,
        delta=optim.ratio_cap or None,
        learning_rate=optim.learning_rate,
        lr_scheduler_type=optim.schedule,
        warmup_steps=optim.warmup * optim.passes,
        weight_decay=optim.weight_decay,
        max_grad_norm=optim.max_grad_norm,
        gradient_checkpointing=optim.gradient_checkpointing,
        # Only in a mixture of experts can a backward pass leave out parts of the adapter.
        ddp_find_unused_parameters=hasattr(base.model.config, "output_router_logits"),
        seed=config.seed,
        use_cpu=on_cpu,
        bf16=base.model.dtype == torch.bfloat16,
        shuffle_dataset=False,
        ignore_data_skip=True,
        dataloader_pin_memory=not on_cpu,
        save_strategy="no",
        logging_steps=1,
        report_to=[],  # trackers are callbacks of ours, see `trackers`
        run_name=name or None,
        project=PROJECT,
        disable_tqdm=True,
    )
