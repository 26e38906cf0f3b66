"""The cells of a study: one self-play run for every arm and seed, planned and checked before anything is trained.

Self-play is a layer of its own, which this one does not import: cells are started, and asked what they would do, by
the command `arena selfplay` in processes of their own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ConfigError, RunBusyError
from arena.rundir import RunDir, differences
from eval.benchmarks import Benchmark
from eval.study_config import StudyConfig, check_players, override_words, parse_evaluations

HARMLESS = frozenset({"concurrency", "threads", "checkpoint_every", "trackers"})
"""Keys of a cell that a resumed study may change: those of `selfplay.config.HARMLESS`."""

COMMAND = (sys.executable, "-m", "arena.cli", "selfplay")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One run.

    Attributes:
        arm, seed: which. path: its run directory. base: self-play config. overrides: what is changed in it.
        updates: how many it will have.
    """

    arm: str
    seed: int
    path: Path
    base: str
    overrides: tuple[str, ...]
    updates: int

    @property
    def name(self) -> str:
        """The run's name."""
        return self.path.name

    @property
    def words(self) -> list[str]:
        """Arguments of `arena selfplay`."""
        return [self.base, *self.overrides, "--run", str(self.path), "--seed", str(self.seed)]

    @property
    def begun(self) -> bool:
        """Whether there is a run to go on with."""
        return (self.path / "run.json").is_file()

    @property
    def done(self) -> bool:
        """Whether the run has ended as planned."""
        return self.begun and RunDir(self.path).read().get("status") == "done"

    def updates_done(self) -> int:
        """Updates on file."""
        try:
            with (self.path / "metrics.jsonl").open("rb") as file:
                return min(self.updates, sum(line.endswith(b"\n") for line in file))
        except FileNotFoundError:
            return 0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a study will do.

    Attributes:
        config: its config. folder: its directory. evaluations: what is measured.
        settings: resolved self-play config of each arm, whatever its seed.
        cells: seed by seed, so that a study cut short has compared all arms.
    """

    config: StudyConfig
    folder: Path
    evaluations: tuple[Benchmark, ...]
    settings: Mapping[str, Mapping[str, Any]]
    cells: tuple[Cell, ...]

    @property
    def games(self) -> list[Mapping[str, Any]]:
        """`id` and `params` of the baseline's games: what scores are made at."""
        return list(self.settings[self.config.against]["games"])

    @property
    def total(self) -> int:
        """Updates of all cells."""
        return sum(cell.updates for cell in self.cells)


def make_plan(config: StudyConfig, folder: Path) -> Plan:
    """The cells of a study, with the config of each checked by the command that will run it.

    Raises:
        ConfigError: an arm that `arena selfplay` refuses, or that would end by itself; a cell on file that was made
            with other settings.
        UsageError, GameError: an evaluation that cannot be made, also one at a game that its player does not play.
    """
    evaluations = tuple(parse_evaluations(config.evaluations))
    overrides = {arm: override_words(arm, changes) for arm, changes in config.arms.items()}
    settings = _resolve(config, overrides, folder)
    for arm, resolved in settings.items():
        if "stop" in resolved["impasse"]["answers"]:
            raise ConfigError(
                f"arms.{arm}: impasse.answers has 'stop', but runs are compared at full length; leave it out."
            )
    check_players(evaluations, settings[config.against]["games"])
    cells = tuple(
        Cell(
            arm=arm,
            seed=seed,
            path=folder / "cells" / f"{arm}-s{seed}",
            base=config.base,
            overrides=tuple(overrides[arm]),
            updates=settings[arm]["updates"],
        )
        for seed in config.seeds
        for arm in config.arms
    )
    for cell in cells:
        _check_old(cell, settings[cell.arm])
    return Plan(config=config, folder=folder, evaluations=evaluations, settings=settings, cells=cells)


def _resolve(config: StudyConfig, overrides: Mapping[str, list[str]], folder: Path) -> dict[str, Mapping[str, Any]]:
    """Each arm's config as `arena selfplay --dry-run` resolves it, all asked at once."""
    asked = {
        arm: subprocess.Popen(  # noqa: S603 - this very program
            [*COMMAND, config.base, *words, "--run", str(folder / "cells" / arm), "--seed", "0", "--dry-run", "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        for arm, words in overrides.items()
    }
    said = {arm: process.communicate() for arm, process in asked.items()}
    for arm, process in asked.items():
        if process.returncode:
            raise ConfigError(f"arms.{arm}: {said[arm][1].strip().removeprefix('Error: ')}")
    return {arm: json.loads(out)["config"] for arm, (out, _) in said.items()}


def _check_old(cell: Cell, settings: Mapping[str, Any]) -> None:
    """Whether a run on file is the cell that the config means."""
    if not cell.begun:
        return
    old = RunDir(cell.path).read().get("config")
    if not isinstance(old, dict):
        raise ArenaError(f"{cell.path / 'run.json'} holds no config. Restore the file, or delete the folder.")
    new = {**settings, "seed": cell.seed}
    old, new = ({key: value for key, value in one.items() if key not in HARMLESS} for one in (old, new))
    if changed := differences(old, new):
        raise ConfigError(
            f"The cell {cell.path} was run with other settings: {'; '.join(changed)}. Take the old ones back, give the "
            "study another --run name, or delete that folder to run it anew."
        )


def refuse_busy(cells: tuple[Cell, ...]) -> None:
    """Refuse cells that some process is still at, like those of a study that was killed.

    Raises:
        RunBusyError: names the first.
    """
    for cell in _busy(cells):
        holder = (cell.path / ".lock").read_text(encoding="utf-8", errors="replace").strip() or "unknown"
        raise RunBusyError(
            f"The cell {cell.path} is being trained by process {holder}, which an earlier start has left behind. Wait "
            f"for it or stop it first; `arena watch {cell.path}` shows it."
        )


def _busy(cells: tuple[Cell, ...]) -> Iterator[Cell]:
    return (cell for cell in cells if RunDir(cell.path).writer_alive())
