"""Everything that decides a self-play run, strict and explained."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from arena.config import GameConfig, SamplingConfig, StrictModel
from arena.errors import ConfigError
from games import Game, GameError, get_game

HARMLESS = frozenset({"concurrency", "threads", "checkpoint_every"})
"""Keys that a resumed run may change: how it is computed, not what."""


class TrainedGame(GameConfig):
    """A game to learn, and its share of the matches."""

    weight: float = Field(default=1.0, gt=0)


class OpponentConfig(StrictModel):
    """Whom the learner meets: shares of the matches, by weight."""

    latest: float = Field(default=1.0, ge=0, description="itself as it is now; all seats learn")
    past: float = Field(
        default=0.0, ge=0, description="a past snapshot, drawn uniformly; only the learner's seat learns"
    )

    @model_validator(mode="after")
    def _some_weight(self) -> OpponentConfig:
        if self.latest + self.past <= 0:
            raise ValueError("latest and past are both 0; give at least one of them weight")
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


class SelfPlayConfig(StrictModel):
    """A self-play run.

    Attributes:
        matches: per update, over all games.
        snapshot_every, checkpoint_every: updates; every snapshot is also a checkpoint, and so is the last update.
        retries: how often an unusable reply may be repeated before it forfeits; what was said then is learnt from too.
        threads: torch threads; 0 leaves torch's choice.
    """

    model: str = "pocket"
    games: list[TrainedGame] = Field(min_length=1)
    updates: int = Field(default=40, ge=1)
    matches: int = Field(default=96, ge=1)
    snapshot_every: int = Field(default=10, ge=1)
    checkpoint_every: int = Field(default=10, ge=1)
    seed: int = Field(default=0, ge=0)
    concurrency: int = Field(default=256, ge=1)
    show_legal: bool = False
    retries: int = Field(default=0, ge=0, le=100)
    device: str = "auto"
    threads: int = Field(default=0, ge=0)
    sampling: SamplingConfig = Field(default_factory=SamplingConfig)
    estimator: EstimatorConfig = Field(default_factory=EstimatorConfig)
    opponents: OpponentConfig = Field(default_factory=OpponentConfig)
    lora: LoraSettings = Field(default_factory=LoraSettings)
    optim: OptimSettings = Field(default_factory=OptimSettings)

    @model_validator(mode="after")
    def _possible(self) -> SelfPlayConfig:
        sampling = self.sampling
        if sampling.temperature == 0:
            raise ValueError("sampling.temperature is 0; a learner must explore, so set it above 0 (1.0 is usual)")
        if sampling.top_p < 1 or sampling.top_k:
            raise ValueError(
                f"sampling.top_p is {sampling.top_p} and top_k is {sampling.top_k}; a learner must sample from "
                "the very distribution that is trained, so leave them at 1.0 and 0 and use the temperature"
            )
        ids = [game.id for game in self.games]
        twice = sorted({game_id for game_id in ids if ids.count(game_id) > 1})
        if twice:
            raise ValueError(f"games lists {', '.join(twice)} more than once; keep one entry and set its weight")
        if self.snapshot_every > self.updates:
            raise ValueError(
                f"snapshot_every is {self.snapshot_every} but there are only {self.updates} updates; lower it"
            )
        if self.opponents.past > 0 and self.snapshot_every >= self.updates:
            raise ValueError(
                f"opponents.past is {self.opponents.past} but there is no past to meet: the first snapshot comes "
                f"with the last update, {self.updates}; lower snapshot_every or set past to 0"
            )
        if self.optim.warmup >= self.updates:
            raise ValueError(f"optim.warmup is {self.optim.warmup} of {self.updates} updates; it must be fewer")
        if self.optim.micro_batches > self.matches:
            raise ValueError(
                f"optim.micro_batches is {self.optim.micro_batches} but an update has only {self.matches} matches; "
                "lower it"
            )
        idle = [game.id for game, matches in zip(self.games, self.shares(), strict=True) if matches == 0]
        if idle:
            raise ValueError(
                f"{self.matches} matches an update leave none for {', '.join(idle)}; raise matches or the weight"
            )
        return self

    def shares(self) -> list[int]:
        """Matches of each game in an update: `matches` split by weight, largest remainders first."""
        total = sum(game.weight for game in self.games)
        exact = [self.matches * game.weight / total for game in self.games]
        whole = [int(value) for value in exact]
        by_remainder = sorted(range(len(exact)), key=lambda i: (whole[i] - exact[i], i))
        for i in by_remainder[: self.matches - sum(whole)]:
            whole[i] += 1
        return whole

    def loaded_games(self) -> list[Game]:
        """The games, loaded.

        Raises:
            ConfigError: an unknown game or parameter; names the nearest.
        """
        try:
            return [get_game(game.id, game.params) for game in self.games]
        except GameError as error:
            raise ConfigError(f"games: {error}") from error
