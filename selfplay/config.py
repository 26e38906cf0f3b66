"""Everything that decides a self-play run, strict and explained."""

from __future__ import annotations

from pydantic import Field, model_validator

from arena.config import GameConfig, SamplingConfig, StrictModel
from arena.errors import ConfigError
from games import Game, GameError, get_game
from games.suggest import unknown
from selfplay.sections import EstimatorConfig, ImpasseConfig, LoraSettings, OpponentConfig, OptimSettings
from selfplay.tracked import TRACKERS

__all__ = [
    "HARMLESS",
    "EstimatorConfig",
    "ImpasseConfig",
    "LoraSettings",
    "OpponentConfig",
    "OptimSettings",
    "SelfPlayConfig",
    "TrainedGame",
]

HARMLESS = frozenset({"concurrency", "threads", "checkpoint_every", "trackers"})
"""Keys that a resumed run may change: how it is computed or told, not what."""


class TrainedGame(GameConfig):
    """A game to learn, and its share of the matches."""

    weight: float = Field(default=1.0, gt=0)


class SelfPlayConfig(StrictModel):
    """A self-play run.

    Attributes:
        matches: per update, over all games.
        repeats: how often each deal is played in an update, by the same players in the same seats; the estimator
            `group` compares these matches.
        snapshot_every, checkpoint_every: updates; every snapshot is also a checkpoint, and so is the last update.
        retries: how often an unusable reply may be repeated before it forfeits; what was said then is learnt from too.
        threads: torch threads; 0 leaves torch's choice.
        trackers: experiment trackers that get the metrics too, by the names of transformers' `report_to`.
    """

    model: str = "pocket"
    games: list[TrainedGame] = Field(min_length=1)
    updates: int = Field(default=40, ge=1, le=10_000_000)
    matches: int = Field(default=96, ge=1, le=1_000_000)
    repeats: int = Field(default=1, ge=1)
    snapshot_every: int = Field(default=10, ge=1)
    checkpoint_every: int = Field(default=10, ge=1)
    seed: int = Field(default=0, ge=0)
    concurrency: int = Field(default=256, ge=1)
    show_legal: bool = False
    retries: int = Field(default=0, ge=0, le=100)
    device: str = "auto"
    threads: int = Field(default=0, ge=0)
    trackers: list[str] = Field(default_factory=list)
    sampling: SamplingConfig = Field(default_factory=SamplingConfig)
    estimator: EstimatorConfig = Field(default_factory=EstimatorConfig)
    opponents: OpponentConfig = Field(default_factory=OpponentConfig)
    lora: LoraSettings = Field(default_factory=LoraSettings)
    optim: OptimSettings = Field(default_factory=OptimSettings)
    impasse: ImpasseConfig = Field(default_factory=ImpasseConfig)

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
        for name in self.trackers:
            if name not in TRACKERS:
                raise ValueError(f"trackers: {unknown('tracker', name, TRACKERS)}")
        if len(set(self.trackers)) < len(self.trackers):
            raise ValueError(f"trackers is {self.trackers}; name each of them once")
        twice = sorted({game_id for game_id in ids if ids.count(game_id) > 1})
        if twice:
            raise ValueError(f"games lists {', '.join(twice)} more than once; keep one entry and set its weight")
        if self.snapshot_every > self.updates:
            raise ValueError(
                f"snapshot_every is {self.snapshot_every} but there are only {self.updates} updates; lower it"
            )
        if self.opponents.pool > 0 and self.snapshot_every >= self.updates:
            raise ValueError(
                f"opponents.past, recent and pfsp are {self.opponents.pool} together but there is no past to meet: the "
                f"first snapshot comes with the last update, {self.updates}; lower snapshot_every or set past to 0"
            )
        self._anchors_possible()
        if self.estimator.name == "group" and self.repeats < 2:
            raise ValueError(
                "estimator.name is 'group' but repeats is 1, so that no match has another of its deal to be compared "
                "with; set repeats to 4, say, or choose another estimator"
            )
        idle = [game.id for game, matches in zip(self.games, self.shares(), strict=True) if matches == 0]
        if idle:
            raise ValueError(
                f"{self.matches} matches an update leave none for {', '.join(idle)}; raise matches or the weight"
            )
        if self.repeats > min(self.shares()):
            raise ValueError(
                f"repeats is {self.repeats} but some game has only {min(self.shares())} matches an update; lower it"
            )
        if self.optim.warmup >= self.updates:
            raise ValueError(f"optim.warmup is {self.optim.warmup} of {self.updates} updates; it must be fewer")
        if self.optim.micro_batches > self.matches:
            raise ValueError(
                f"optim.micro_batches is {self.optim.micro_batches} but an update has only {self.matches} matches; "
                "lower it"
            )
        return self

    def _anchors_possible(self) -> None:
        """Whether what refers to snapshots can find them, and what an impasse is answered with can be done."""
        magnet = self.optim.magnet_every
        if magnet % self.snapshot_every:
            raise ValueError(
                f"optim.magnet_every is {magnet} but snapshots come every {self.snapshot_every} updates, and a magnet "
                f"is one of them; make it a multiple of {self.snapshot_every}"
            )
        answers = self.impasse.answers
        if "reshape" in answers and (
            self.estimator.name != "dept" or not self.estimator.options.get("only_at_impasse", False)
        ):
            raise ValueError(
                "impasse.answers names 'reshape', which needs estimator.name = 'dept' with "
                "estimator.options.only_at_impasse = true; set these, or leave 'reshape' out (dept alone always does)"
            )
        if {"widen", "rollback"} & set(answers) and self.snapshot_every >= self.updates:
            raise ValueError(
                f"impasse.answers needs past snapshots, but the first comes with the last update, {self.updates}; "
                "lower snapshot_every"
            )

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
