"""What a study has found: means over seeds with Student's intervals, and differences paired by seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.jsonl import read_json_lines
from arena.provenance import git_commit, versions
from arena.rundir import RunDir
from eval.stats import t_interval
from eval.study_cells import Cell, Plan
from eval.study_values import Curve, Values, metric_curves

SCHEMA = 1
"""Version of study.json."""

TAIL = 10
"""The final value of a number that every update has is its mean over the last 1/TAIL of the updates."""


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """A finished cell.

    Attributes:
        arm, seed: which. minutes: of its updates, whatever interrupted them. device: where it was trained.
        curves: by evaluation or metric. metrics: which of them are metrics.
    """

    arm: str
    seed: int
    minutes: float
    device: str
    curves: Mapping[str, Curve]
    metrics: frozenset[str]

    def final(self, name: str) -> float | None:
        """The last value of an evaluation; a metric's mean over the last updates."""
        curve = self.curves.get(name) or []
        if not curve:
            return None
        last = curve[-max(1, len(curve) // TAIL) :] if name in self.metrics else curve[-1:]
        return math.fsum(value for _, value in last) / len(last)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A mean over seeds with its 95 % interval (none with one seed), and how many seeds there were."""

    n: int
    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate | None:
        """Of the values, one a seed; None without any."""
        if not values:
            return None
        mean, low, high = t_interval(values)
        known = math.isfinite(low)
        return cls(n=len(values), mean=mean, low=low if known else None, high=high if known else None)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"n": self.n, "mean": self.mean, "low": self.low, "high": self.high}


@dataclass(frozen=True, kw_only=True)
class Study:
    """All that was found.

    Attributes:
        name: of the study. plan: what was to be done. cells: finished ones. failed: by cell, why not.
        made_with: versions, commit, command, devices.
    """

    name: str
    plan: Plan
    cells: tuple[CellResult, ...]
    failed: Mapping[str, str]
    made_with: Mapping[str, Any]

    @property
    def names(self) -> list[str]:
        """Evaluations, then metrics."""
        return list(dict.fromkeys(name for cell in self.cells for name in cell.curves))

    @property
    def untold(self) -> list[str]:
        """Metrics of which no cell has a number."""
        found = self.names
        return [
            name
            for name in self.plan.config.metrics
            if name not in found and not any(one.startswith(f"{name}:") for one in found)
        ]

    def is_metric(self, name: str) -> bool:
        """Whether it is a number of every update."""
        return any(name in cell.metrics for cell in self.cells)

    def final(self, name: str, arm: str) -> Estimate | None:
        """Final value of an arm over seeds."""
        return Estimate.of(list(self._finals(name, arm).values()))

    def difference(self, name: str, arm: str) -> Estimate | None:
        """Final value of an arm minus the baseline's, over the seeds that both have."""
        mine, base = self._finals(name, arm), self._finals(name, self.plan.config.against)
        return Estimate.of([value - base[seed] for seed, value in mine.items() if seed in base])

    def _finals(self, name: str, arm: str) -> dict[int, float]:
        found = {cell.seed: cell.final(name) for cell in self.cells if cell.arm == arm}
        return {seed: value for seed, value in found.items() if value is not None}

    def curve(self, name: str, arm: str) -> list[tuple[int, Estimate]]:
        """Mean over seeds at every step that all finished cells of the arm have."""
        curves = [dict(cell.curves[name]) for cell in self.cells if cell.arm == arm and name in cell.curves]
        shared = sorted(set.intersection(*(set(curve) for curve in curves))) if curves else []
        made = [(step, Estimate.of([curve[step] for curve in curves])) for step in shared]
        return [(step, estimate) for step, estimate in made if estimate is not None]

    def minutes(self, arm: str) -> Estimate | None:
        """Minutes a cell of an arm."""
        return Estimate.of([cell.minutes for cell in self.cells if cell.arm == arm])

    def to_json(self) -> dict[str, Any]:
        """study.json."""
        config = self.plan.config
        return {
            "schema": SCHEMA,
            "study": self.name,
            "config": config.model_dump(mode="json"),
            "baseline": config.against,
            "cells": [
                {
                    "arm": cell.arm,
                    "seed": cell.seed,
                    "minutes": cell.minutes,
                    "device": cell.device,
                    "final": {name: cell.final(name) for name in cell.curves},
                    "curves": {name: [list(point) for point in curve] for name, curve in cell.curves.items()},
                }
                for cell in self.cells
            ],
            "results": {
                name: {
                    arm: {
                        "final": _plain(self.final(name, arm)),
                        "difference": _plain(self.difference(name, arm)) if arm != config.against else None,
                    }
                    for arm in config.arms
                }
                for name in self.names
            },
            "failed": dict(self.failed),
            "made_with": dict(self.made_with),
        }


def _plain(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate.to_json()


def cell_result(cell: Cell, plan: Plan, values: Values) -> CellResult:
    """Everything about a finished cell; what is not on file is measured."""
    run = RunDir(cell.path)
    games = [game["id"] for game in plan.settings[cell.arm]["games"]]
    metrics = metric_curves(run.metrics, plan.config.metrics, games)
    return CellResult(
        arm=cell.arm,
        seed=cell.seed,
        minutes=math.fsum(line.get("total_s", 0.0) for line in read_json_lines(run.metrics)) / 60,
        device=str(run.read().get("device", "")),
        curves={**values.curves(cell), **metrics},
        metrics=frozenset(metrics),
    )


def made_with(cells: Sequence[CellResult]) -> dict[str, Any]:
    """Versions and commit now, and the devices of the cells."""
    return {
        "versions": versions(),
        "git_commit": git_commit(),
        "devices": sorted({cell.device for cell in cells}),
    }
