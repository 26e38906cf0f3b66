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


LossType = Literal["dr_grpo", "grpo", "dapo", "bnpo", "cispo", "sapo", "luspo", "vespo"]
_CLIPPED = ("dr_grpo", "grpo", "dapo", "bnpo", "luspo")


class OptimSettings(StrictModel):
    """Optimisation, by TRL and transformers.

    Attributes:
        schedule: learning rate over the updates; `warmup` is in updates.
        beta: weight of the KL divergence to the reference: the base model (the adapter switched off), or the magnet.
        magnet_every: the reference is the run's own snapshot of the last update that this number divides (the base
            model before the first), as in magnetic mirror descent; 0 keeps the base model.
        entropy_bonus: weight of the mean entropy per sampled token (nats), added to what is maximised.
        loss_type: TRL's name; how the losses of the sampled tokens are made and averaged, see `selfplay.losses`.
        epsilon: clip range of the probability ratio to the sampler.
        epsilon_high: its upper side where that differs (0: it does not). For `cispo` the cap of the ratio itself.
        importance: one ratio per `token`, or per `sequence` (a training row), as in GSPO.
        passes: optimiser steps on the same matches; all but the first are off-policy, and that is what clipping is for.
        ratio_cap: largest ratio that a negative advantage is multiplied by, which clipping leaves open; 0 for none.
        micro_batches: forward and backward passes per update; more need less memory. Changes no result.
        tokens_per_trajectory: the constant of `dr_grpo`: the loss is the sum over all sampled tokens, divided by the
            number of trajectories (learner's seats of finished matches) times this.
    """

    learning_rate: float = Field(default=1e-3, gt=0)
    schedule: Literal["constant", "linear", "cosine", "constant_with_warmup"] = "linear"
    warmup: int = Field(default=0, ge=0)
    beta: float = Field(default=0.1, ge=0)
    magnet_every: int = Field(default=0, ge=0)
    entropy_bonus: float = Field(default=0.0, ge=0)
    loss_type: LossType = "dr_grpo"
    epsilon: float = Field(default=0.2, gt=0)
    epsilon_high: float = Field(default=0.0, ge=0)
    importance: Literal["token", "sequence"] = "token"
    passes: int = Field(default=1, ge=1)
    ratio_cap: float = Field(default=0.0, ge=0)
    max_grad_norm: float = Field(default=1.0, gt=0)
    weight_decay: float = Field(default=0.0, ge=0)
    micro_batches: int = Field(default=4, ge=1)
    tokens_per_trajectory: int = Field(default=16, ge=1)
    gradient_checkpointing: bool = False

    @model_validator(mode="after")
    def _possible(self) -> OptimSettings:
        if self.loss_type == "cispo" and self.epsilon_high < 1:
            raise ValueError(
                f"loss_type 'cispo' caps the probability ratio itself at epsilon_high, which is {self.epsilon_high}; "
                "set it to 5.0, say"
            )
        if self.loss_type == "luspo" and self.importance != "sequence":
            raise ValueError("loss_type 'luspo' is defined for importance = 'sequence'; set that too")
        if self.importance == "sequence" and self.loss_type not in ("grpo", "luspo", "sapo"):
            raise ValueError(
                f"importance 'sequence' with loss_type {self.loss_type!r} would weigh a ratio by its row's tokens; "
                "use loss_type 'grpo' (GSPO), 'luspo' or 'sapo'"
            )
        if self.ratio_cap and self.loss_type not in _CLIPPED:
            raise ValueError(f"ratio_cap is for loss_type {', '.join(_CLIPPED)}; {self.loss_type!r} has its own limit")
        least = 1 + (self.epsilon_high or self.epsilon)
        if self.ratio_cap and self.ratio_cap <= least:
            raise ValueError(f"ratio_cap is {self.ratio_cap}; it must be above the clip range, that is above {least}")
        if self.magnet_every and self.beta == 0:
            raise ValueError("magnet_every is set but beta is 0, so that nothing pulls; set beta above 0")
        return self


class EstimatorConfig(StrictModel):
    """Advantage estimator and its options."""

    name: str = "rae"
    options: dict[str, Any] = Field(default_factory=dict)


Answer = Literal["reshape", "widen", "temperature", "rollback", "stop"]


class ImpasseConfig(StrictModel):
    """When a game counts as stuck, and what is done about it.

    A signal is raised while its value is beyond the threshold: below it for `outcome_entropy`, `token_entropy`,
    `advantage_spread` and `past_score` (0 switches them off), above it for the others (1 switches the shares off, 0
    `reply_change`). Outcomes are those of matches against oneself, where there are any.

    Attributes:
        patience: a signal raised in so many updates in a row is an impasse; so many calm ones end it.
        outcome_entropy: of the outcome classes, divided by the logarithm of their number.
        draws: share of draws, or of matches without agreement.
        one_sided: share that one and the same seat won.
        token_entropy: mean of the policy's entropy over its tokens (nats).
        reply_change: how many times longer or shorter replies are than in the first `patience` updates.
        advantage_spread: standard deviation of the advantages.
        repeated: share of the commonest transcript.
        past_score: mean score against the run's own snapshots.
        answers: given one after the other, the next one when the impasse has outlasted the last by `patience` updates.
            Until it ends, `reshape` lets DEPT reshape (estimator `dept`, option `only_at_impasse`), `widen` gives past
            snapshots the share `widen_to` of the matches, and `temperature` multiplies the sampling temperature by
            `temperature_factor`. `rollback` goes back to the last snapshot from before the first sign, with a fresh
            optimiser, once. `stop` saves the state and ends the run.
    """

    patience: int = Field(default=5, ge=1)
    outcome_entropy: float = Field(default=0.1, ge=0, le=1)
    draws: float = Field(default=0.95, ge=0, le=1)
    one_sided: float = Field(default=0.95, ge=0, le=1)
    token_entropy: float = Field(default=0.02, ge=0)
    reply_change: float = Field(default=0.0, ge=0)
    advantage_spread: float = Field(default=0.02, ge=0)
    repeated: float = Field(default=0.95, ge=0, le=1)
    past_score: float = Field(default=0.3, ge=0, le=1)
    answers: list[Answer] = Field(default_factory=list)
    widen_to: float = Field(default=0.5, gt=0, lt=1)
    temperature_factor: float = Field(default=1.3, gt=0)

    @model_validator(mode="after")
    def _each_once(self) -> ImpasseConfig:
        twice = sorted({answer for answer in self.answers if self.answers.count(answer) > 1})
        if twice:
            raise ValueError(f"answers names {', '.join(twice)} more than once; each is given once an impasse")
        if 0 < self.reply_change <= 1:
            raise ValueError(f"reply_change is {self.reply_change}; it must be a factor above 1, or 0 for off")
        return self
