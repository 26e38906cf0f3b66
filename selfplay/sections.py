"""The sections of a self-play config, each checked by itself; what they must be together stands in `config`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from arena.config import StrictModel


class OpponentConfig(StrictModel):
    """Whom the learner meets: shares of the matches, by weight. Only the learner's own seats learn.

    While a run has no snapshots, the weights of `past`, `recent` and `pfsp` go to `latest`.

    Attributes:
        latest: itself as it is now; all seats learn.
        past: a snapshot of this run, each with the same probability.
        recent: one of the last `window` snapshots.
        pfsp: prioritised fictitious self-play (AlphaStar): a snapshot drawn by the learner's score x against it.
        pfsp_weighting: `hard` draws by (1 − x)^pfsp_power, whoever beats the learner; `even` by x (1 − x), its equals.
        pfsp_memory: what a match of the update before still counts when x is estimated.
        fixed: players by name, each with its weight: `random`, `mcts:100`, `base`, `other@000120`.
    """

    latest: float = Field(default=1.0, ge=0)
    past: float = Field(default=0.0, ge=0)
    recent: float = Field(default=0.0, ge=0)
    window: int = Field(default=5, ge=1)
    pfsp: float = Field(default=0.0, ge=0)
    pfsp_weighting: Literal["hard", "even"] = "hard"
    pfsp_power: float = Field(default=2.0, gt=0)
    pfsp_memory: float = Field(default=0.9, ge=0, le=1)
    fixed: dict[str, float] = Field(default_factory=dict)

    @property
    def pool(self) -> float:
        """Weight of the run's own snapshots together."""
        return self.past + self.recent + self.pfsp

    @model_validator(mode="after")
    def _some_weight(self) -> OpponentConfig:
        for name, weight in self.fixed.items():
            if weight < 0:
                raise ValueError(f"fixed.{name} is {weight}; a weight must not be negative")
        if self.latest + self.pool + sum(self.fixed.values()) <= 0:
            raise ValueError("latest, past, recent, pfsp and all of fixed are 0; give at least one of them weight")
        return self


class LoraSettings(StrictModel):
    """The adapter that learns (PEFT's LoRA)."""

    r: int = Field(default=16, ge=1)
    alpha: float = Field(default=32.0, gt=0)
    dropout: float = Field(default=0.0, ge=0, lt=1, description="of the adapter; the base model's own is always off")
    target_modules: str | list[str] = "all-linear"


class OptimSettings(StrictModel):
    """Optimisation, by TRL and transformers.

    Attributes:
        schedule: learning rate over the updates; `warmup` is in updates.
        beta: weight of the KL divergence to the base model (the adapter switched off).
        loss_type: TRL's name; how the losses of the sampled tokens are averaged.
        epsilon: clip range of the probability ratio to the sampler.
        micro_batches: forward and backward passes per update; more need less memory. Changes no result.
        tokens_per_trajectory: the constant of `dr_grpo`: the loss is the sum over all sampled tokens, divided by the
            number of trajectories (learner's seats of finished matches) times this.
    """

    learning_rate: float = Field(default=1e-3, gt=0)
    schedule: Literal["constant", "linear", "cosine", "constant_with_warmup"] = "linear"
    warmup: int = Field(default=0, ge=0)
    beta: float = Field(default=0.1, ge=0)
    loss_type: Literal["dr_grpo", "grpo", "dapo"] = "dr_grpo"
    epsilon: float = Field(default=0.2, gt=0)
    max_grad_norm: float = Field(default=1.0, gt=0)
    weight_decay: float = Field(default=0.0, ge=0)
    micro_batches: int = Field(default=4, ge=1)
    tokens_per_trajectory: int = Field(default=16, ge=1)
    gradient_checkpointing: bool = False


class EstimatorConfig(StrictModel):
    """Advantage estimator and its options."""

    name: str = "rae"
    options: dict[str, Any] = Field(default_factory=dict)
