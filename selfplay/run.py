"""A self-play run from config to last snapshot, resumable at any point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import Interrupted
from arena.models.registry import check_model, load_base, pick_device
from arena.rundir import RunDir
from arena.types import Observer
from selfplay.advantages import Estimator, make_estimator
from selfplay.config import HARMLESS, SelfPlayConfig
from selfplay.league import check_fixed
from selfplay.ranks import join_ranks
from selfplay.tracked import check_installed

Emit = Callable[[Mapping[str, Any]], None]
"""Takes an event of `arena.display.events`: stage, note, progress, metrics, snapshot."""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What a run has come to.

    Attributes:
        path: the run directory. updates: optimiser steps taken.
        snapshots: names, oldest first. metrics: the last line of metrics.jsonl.
        notes: sentences about what was found or set aside when resuming.
        stopped: the impasse at which the run stopped itself, as its config asks; empty otherwise.
    """

    path: Path
    updates: int
    snapshots: tuple[str, ...]
    metrics: Mapping[str, Any]
    notes: tuple[str, ...]
    stopped: str = ""


def _never() -> bool:
    return False


def _ignore(event: Mapping[str, Any]) -> None:
    pass


def refuse_impossible(config: SelfPlayConfig, name: str) -> tuple[Estimator, str]:
    """The estimator and the device of a run, with all that can be refused before a model is loaded.

    Raises:
        ConfigError, UsageError: an unknown player, estimator, option, device or model, or a tracker
            whose package is missing.
    """
    check_fixed(config.opponents.fixed, config.loaded_games(), name)
    check_installed(config.trackers)
    estimator = make_estimator(config.estimator.name, config.estimator.options)
    check_model(config.model)
    return estimator, pick_device(config.device)


def run_selfplay(
    config: SelfPlayConfig,
    name: str,
    *,
    resume: bool = False,
    resume_command: str = "",
    observer: Observer | None = None,
    emit: Emit = _ignore,
    stop: Callable[[], bool] = _never,
) -> Summary:
    """Train for `config.updates` updates in the run directory `name`, on as many ranks as a launcher has started.

    Args:
        config: what to do.
        name: run name or path.
        resume: continue an existing run instead of making a new one.
        resume_command: command that continues, for the message of an interruption.
        observer: watches every match of rank 0.
        emit: on rank 0, takes events about stages, metrics and snapshots.
        stop: once true, matches in play are abandoned, an optimisation under way is finished, and the state is saved.

    Raises:
        ConfigError, UsageError: refused before anything is written.
        Interrupted: `stop` turned true, or the run stopped itself at an impasse; the state is saved.
        ArenaError: training cannot go on; says why.
    """
    estimator, device = refuse_impossible(config, name)
    ranks = join_ranks(device)
    device = ranks.device(device)
    if not ranks.leads:
        observer, emit = None, _ignore
    settings = config.model_dump(mode="json")

    mine: list[RunDir] = []  # where this process is the writer

    def open_run() -> Path:
        if resume:
            mine.append(RunDir.resume(name, "selfplay", settings, harmless=HARMLESS))
        else:
            mine.append(RunDir.create(name, "selfplay", settings, seed=config.seed, device=device))
        return mine[0].path

    # What can be refused at once is, before the model is loaded; and a model that cannot be loaded leaves no run.
    there = ranks.once(lambda: (RunDir.locate(name) / "run.json").is_file())
    path = ranks.once(open_run) if resume or there else None
    from selfplay.quiet import quiet_libraries
    from selfplay.session import Session

    with quiet_libraries():
        base = ranks.first_then_others(lambda: load_base(config.model, device=device))
        path = path or ranks.once(open_run)
        run = mine[0] if mine else RunDir(path)
        status = "failed"
        try:
            emit({"t": "stage", "stage": "prepare", "note": config.model})
            session = Session(config, run, base, estimator, observer=observer, emit=emit, stop=stop, ranks=ranks)
            try:
                session.train()
            finally:
                session.close()
            finished = session.summary()
            status = "done" if finished.updates >= config.updates else "interrupted"
        except KeyboardInterrupt:
            status = "interrupted"
            raise
        finally:
            for written in mine:
                written.set_status(status)
                written.unlock()
    if finished.updates < config.updates:
        why = f"{finished.stopped}. Stopped" if finished.stopped else "Interrupted"
        raise Interrupted(
            f"{why} after update {finished.updates} of {config.updates}; the state is saved in {run.path}. "
            f"Continue with: {resume_command or 'the same command and --resume'}"
        )
    return finished
