"""One process's share of a run: opened at its last checkpoint, trained on, saved."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from arena.errors import ArenaError, ConfigError
from arena.inference.engine import LocalEngine
from arena.jsonl import JsonLog, read_json_lines
from arena.models.registry import BaseModel
from arena.records import record_to_json
from arena.rundir import RunDir
from arena.snapshots import list_snapshots, save_snapshot, snapshot_name
from arena.types import MatchRecord, Observer
from selfplay import checkpoint as checkpoints
from selfplay.advantages import Estimator
from selfplay.answers import Answers
from selfplay.config import SelfPlayConfig
from selfplay.metrics import update_line
from selfplay.opponents import learner_name, update_specs
from selfplay.payoff import PayoffMatrix
from selfplay.ranks import Ranks
from selfplay.rollouts import Players, Rollout, make_rollout, play
from selfplay.run import Emit, Summary
from selfplay.tracked import scalars
from selfplay.trackers import make_trackers
from selfplay.trainer import ADAPTER, RoleConditionedTrainer, Trained

logger = logging.getLogger(__name__)


class StoppedError(Exception):
    """Raised inside an update that is abandoned before anything was learnt from it."""


class Session:
    """A run in this process."""

    def __init__(
        self,
        config: SelfPlayConfig,
        run: RunDir,
        base: BaseModel,
        estimator: Estimator,
        *,
        observer: Observer | None,
        emit: Emit,
        stop: Callable[[], bool],
        ranks: Ranks,
    ) -> None:
        if config.threads:
            torch.set_num_threads(config.threads)
        self.config, self.run, self.base, self.estimator = config, run, base, estimator
        self.observer, self.emit, self.stop, self.ranks = observer, emit, stop, ranks
        self.resumed = ranks.once(lambda: checkpoints.latest(run))
        self.notes = ranks.once(lambda: checkpoints.set_later_lines_aside(run, self.resumed))
        self.trainer = RoleConditionedTrainer(
            base,
            config,
            scratch=ranks.once(lambda: checkpoints.scratch_folder(run)),
            rollout=self._rollout,
            on_update=self._on_update,
            on_checkpoint=self._on_checkpoint,
            save_now=self._save_now,
            stop_now=self._stop_now,
            magnet=self._magnet,
            name=run.name,
            trackers=make_trackers(
                config.trackers if ranks.leads else (),
                run.path / "logs",
                lambda text: emit({"t": "note", "text": text}),
            ),
            tracked=lambda: scalars(self.line),
            ranks=ranks,
        )
        self.players = Players(LocalEngine(base, model=self.trainer.model), ADAPTER, config.opponents.fixed)
        self.pool: list[str] = []
        self.payoff = PayoffMatrix(config.opponents.pfsp_memory)
        self.answers = Answers(config.impasse, estimator, emit=emit, go_back=self._go_back)
        self.logs = (JsonLog(run.matches), JsonLog(run.metrics)) if ranks.leads else None
        self.line: dict[str, Any] = {}
        self._played: tuple[Rollout, float, float] | None = None  # with the update's start and its seconds of play
        if self.resumed is not None:
            self._restore(self.resumed)
        for note in self.notes:
            emit({"t": "note", "text": note})
        emit({"t": "progress", "done": self.update, "total": config.updates})

    @property
    def update(self) -> int:
        """Updates done."""
        return max(self.trainer.update, self.resumed.update if self.resumed else 0)

    def train(self) -> None:
        """Train to the last update, or until stopped; the state is saved either way."""
        if self.resumed is not None and self.resumed.update >= self.config.updates:
            return
        try:
            self.trainer.train(resume_from_checkpoint=str(self.resumed.folder) if self.resumed else None)
        except StoppedError:
            saved = self.ranks.once(lambda: checkpoints.latest(self.run))
            if self.update > (saved.update if saved else 0):
                self.trainer.checkpoint()

    def summary(self) -> Summary:
        """Where the run stands."""
        return Summary(
            path=self.run.path,
            updates=self.update,
            snapshots=tuple(self.pool),
            metrics=self.line,
            notes=tuple(self.notes),
            stopped=self.answers.watch.text if self.answers.given_up else "",
        )

    def close(self) -> None:
        """Force the logs to disk and leave nothing half-written behind."""
        if self.logs is not None:
            checkpoints.clear_scratch(self.run)
            for log in self.logs:
                log.close()

    # --- an update, in the order in which things happen --------------------------------------------------------------

    def _rollout(self, update: int) -> Rollout:
        start = time.perf_counter()
        self._stage("play", update)
        watch = self.answers.watch
        temperature = watch.temperature(self.config.sampling.temperature)
        self.trainer.sample_at(temperature)
        specs = update_specs(
            self.config,
            self.run.name,
            update,
            self.pool,
            self.payoff,
            opponents=watch.opponents(self.config.opponents),
            temperature=temperature,
        )
        learner = learner_name(self.run.name, update)
        self.players.learn_as(learner)
        records, seconds = play(
            specs,
            self.players,
            concurrency=self.config.concurrency,
            observer=self.observer,
            stop=self.stop,
            ranks=self.ranks,
        )
        if len(records) < len(specs):
            raise StoppedError
        self._keep(records)
        rollout = make_rollout(records, self.estimator, learner)
        if not rollout.rows:
            errors = sorted({record.error for record in records if record.error})
            raise ArenaError(f"Update {update}: no match gave anything to learn from. {' '.join(errors[:3])}".rstrip())
        self.payoff.add(rollout.matches)
        self._played = (rollout, start, seconds)
        self._stage("train", update)
        return rollout

    def _keep(self, records: Sequence[MatchRecord]) -> None:
        if self.logs is None:
            return
        for record in records:
            self.logs[0].append(record_to_json(record))
            if record.error:
                logger.warning("match %s (%s) is void: %s", record.spec.match_key, record.spec.game, record.error)

    def _stage(self, name: str, update: int) -> None:
        self.emit(
            {"t": "stage", "stage": name, "note": f"update {update + 1} of {self.config.updates}", "update": update}
        )

    def _on_update(self, trained: Trained) -> None:
        if not math.isfinite(trained.loss) or not math.isfinite(trained.grad_norm):
            raise ArenaError(
                f"Update {trained.update}: the loss is {trained.loss} and the gradient norm {trained.grad_norm}. Lower "
                f"optim.learning_rate (now {self.config.optim.learning_rate}) in a new run."
            )
        assert self._played is not None, "an optimiser step follows a rollout"
        rollout, start, seconds = self._played
        self.line = update_line(
            trained, rollout, self.estimator.telemetry(), updates=self.config.updates, payoff=self.payoff
        )
        report = self.answers.observe(trained.update, rollout.matches, trained.tokens)
        self.line["impasse"] = report.to_json()
        total = time.perf_counter() - start
        self.line |= {"sampling_s": seconds, "training_s": total - seconds, "total_s": total}
        if self.logs is not None:
            self.logs[1].append(self.line)
        self.emit({"t": "metrics", **self.line})
        self.emit({"t": "progress", "done": trained.update, "total": self.config.updates})
        self.answers.give(report, self.pool)

    def _go_back(self, snapshot: str) -> None:
        self.trainer.load_adapter(self._folder(snapshot), fresh_optimiser=True)

    def _stop_now(self) -> bool:
        return self.answers.given_up or self.ranks.any(self.stop())  # the first is equal on all ranks

    def _magnet(self, update: int) -> Path | None:
        """The snapshot that the update is drawn to, None for the base model."""
        every = self.config.optim.magnet_every
        step = update // every * every if every else 0
        return self._folder(snapshot_name(self.run.name, step)) if step else None

    def _folder(self, snapshot: str) -> Path:
        return self.run.snapshots / snapshot.rpartition("@")[2]

    def _save_now(self, update: int) -> bool:
        return self._snapshot_due(update) or update % self.config.checkpoint_every == 0

    def _snapshot_due(self, update: int) -> bool:
        return update % self.config.snapshot_every == 0 or update == self.config.updates

    def _on_checkpoint(self, update: int, folder: Path) -> None:
        for log in self.logs or ():
            log.sync()
        name = snapshot_name(self.run.name, update)
        if self._snapshot_due(update):
            self.payoff.name_row(name)
        pool = [*self.pool, name] if self._snapshot_due(update) and name not in self.pool else self.pool
        state = {
            "pool": pool,
            "estimator": {"name": self.estimator.name, "state": self.estimator.state_dict()},
            "payoff": self.payoff.state_dict(),
            "impasse": self.answers.watch.state_dict(),
            "base_sha256": self.base.model_hash,
            "tokenizer_sha256": self.base.tokenizer_hash,
        }
        self.ranks.exchange(None)  # each has written its RNG states
        self.ranks.once(lambda: checkpoints.publish(self.run, folder, update, state))
        if name in pool and name not in self.pool:
            self._take_snapshot(update)

    # --- pool ------------------------------------------------------------------------------------------------------

    def _take_snapshot(self, update: int) -> None:
        snapshot = self.ranks.once(
            lambda: save_snapshot(
                self.trainer.model,
                self.run,
                update,
                self.base,
                adapter=ADAPTER,
                meta={
                    "parent": self.pool[-1] if self.pool else "base",
                    "games": [game.spec.id for game in self.config.loaded_games()],
                    "metrics": {key: value for key, value in self.line.items() if not key.endswith("_s")},
                },
            )
        )
        self.players.add(snapshot)
        self.pool.append(snapshot.name)
        self.emit({"t": "snapshot", "name": snapshot.name, "update": update})

    def _restore(self, saved: checkpoints.Checkpoint) -> None:
        """Estimator, pool and last metrics as they were; the trainer restores its own."""
        state = saved.state
        for key, have in (("base_sha256", self.base.model_hash), ("tokenizer_sha256", self.base.tokenizer_hash)):
            if state[key] != have:
                raise ConfigError(
                    f"The run {self.run.path} was trained on another {self.config.model!r} ({key} is {have[:12]}…, was "
                    f"{state[key][:12]}…). Restore that model, or start a new run."
                )
        self.estimator.load_state_dict(state["estimator"]["state"])
        self.payoff.load_state_dict(state.get("payoff", {"games": {}}))  # older runs kept none
        if "impasse" in state:
            self.answers.load_state_dict(state["impasse"])
        lines = [line for line in read_json_lines(self.run.metrics) if isinstance(line.get("update"), int)]
        self.line = max(lines, key=lambda line: line["update"], default={})
        known = {snapshot.name: snapshot for snapshot in self.ranks.once(lambda: list_snapshots(self.run))}
        for name in state["pool"]:
            if name in known:
                self.players.add(known[name])
                self.pool.append(name)
            elif name == snapshot_name(self.run.name, saved.update):  # killed between checkpoint and snapshot
                self.trainer.load_adapter(saved.folder)
                self._take_snapshot(saved.update)
            else:
                raise ArenaError(f"The snapshot {name} is gone from {self.run.snapshots}; restore it to resume.")
