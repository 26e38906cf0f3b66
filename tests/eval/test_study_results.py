"""From curves of cells to tables and charts, on numbers made by hand."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from statistics import mean
from xml.etree import ElementTree

import pytest
from scipy import stats

from arena.errors import ArenaError, RecordError
from arena.jsonl import JsonLog
from eval import study_run
from eval.benchmarks import Benchmark
from eval.study_cells import Cell, Plan
from eval.study_config import StudyConfig
from eval.study_report import markdown, write_study
from eval.study_results import CellResult, Study
from eval.study_run import train_cells
from eval.study_values import Values, metric_curves

NASH = "nashconv:kuhn_poker"
LAST = {("rae", 0): 0.3, ("rae", 1): 0.4, ("rae", 2): 0.2, ("none", 0): 0.5, ("none", 1): 0.9, ("none", 2): 0.3}


def made(arms: tuple[str, ...] = ("rae", "none"), seeds: tuple[int, ...] = (0, 1, 2)) -> Study:
    config = StudyConfig.model_validate(
        {
            "base": "kuhn",
            "seeds": list(seeds),
            "arms": {"rae": {}, "none": {"estimator": {"name": "none"}}},
            "evaluations": [NASH],
            "metrics": ["draws"],
        }
    )
    planned = tuple(
        Cell(
            arm=arm,
            seed=seed,
            path=Path(f"runs/s/cells/{arm}-s{seed}"),
            base="kuhn",
            overrides=('estimator.name="none"',) if arm == "none" else (),
            updates=20,
        )
        for seed in seeds
        for arm in ("rae", "none")
    )
    cells = tuple(
        CellResult(
            arm=arm,
            seed=seed,
            minutes=1.0 + seed,
            device="cpu",
            curves={
                NASH: [(0, 0.9), (10, 0.7), (20, LAST[arm, seed])],
                "draws": [(update, 0.01 * update) for update in range(1, 21)],
            },
            metrics=frozenset({"draws"}),
        )
        for seed in seeds
        for arm in arms
    )
    settings = {arm: {"updates": 20, "games": [{"id": "kuhn_poker", "params": {}}]} for arm in ("rae", "none")}
    plan = Plan(config=config, folder=Path("runs/s"), evaluations=(), settings=settings, cells=planned)
    told = {"versions": {"selfplay-arena": "9.9"}, "git_commit": "abc", "devices": ["cpu"]}
    return Study(name="s", plan=plan, cells=cells, failed={}, made_with=told)


def test_means_and_intervals_are_students() -> None:
    found = made().final(NASH, "none")
    assert found is not None
    values = [0.5, 0.9, 0.3]
    low, high = stats.t.interval(0.95, 2, loc=mean(values), scale=stats.sem(values))
    assert (found.n, found.mean, found.low, found.high) == pytest.approx((3, mean(values), low, high))


def test_a_metric_that_no_cell_tells_is_named() -> None:
    study = made()
    config = study.plan.config.model_copy(update={"metrics": ["draws", "games.kuhn_poker.roles.frist.win"]})
    told = markdown(replace(study, plan=replace(study.plan, config=config)))
    assert "No cell's metrics.jsonl has games.kuhn_poker.roles.frist.win." in told
    assert "metrics.jsonl has draws" not in told


def test_damaged_values_and_a_lost_snapshot_are_named(tmp_path: Path) -> None:
    evaluations = (Benchmark(kind="nashconv", subject="kuhn_poker"),)
    plan = replace(made().plan, folder=tmp_path, evaluations=evaluations)
    values = Values(plan, lambda what: None)
    with pytest.raises(ArenaError, match=r"snapshot of update 20 is gone from .*rae-s0"):
        values.curves(replace(plan.cells[0], path=tmp_path / "cells" / "rae-s0"))
    values.close()
    (tmp_path / "values.jsonl").write_text('{"key": "k", "value": 1}\n{"key": "k"}\n')
    with pytest.raises(RecordError, match=r"values\.jsonl, line 2"):
        Values(plan, lambda what: None)


def test_differences_are_paired_by_seed() -> None:
    found = made().difference(NASH, "none")
    assert found is not None
    test = stats.ttest_rel([0.5, 0.9, 0.3], [0.3, 0.4, 0.2]).confidence_interval(0.95)
    assert (found.mean, found.low, found.high) == pytest.approx((mean([0.2, 0.5, 0.1]), test.low, test.high))


def test_the_final_value_of_a_metric_is_its_last_tenth() -> None:
    assert made().cells[0].final("draws") == pytest.approx((0.19 + 0.20) / 2)
    assert made().cells[0].final(NASH) == 0.3
    assert made().cells[0].final("unknown") is None


def test_curves_are_means_at_shared_steps() -> None:
    curve = made().curve(NASH, "rae")
    assert [(step, estimate.mean) for step, estimate in curve] == [
        (0, pytest.approx(0.9)),
        (10, pytest.approx(0.7)),
        (20, pytest.approx(0.3)),
    ]
    assert (curve[0][1].low, curve[0][1].high) == pytest.approx((0.9, 0.9))


def test_one_seed_has_no_interval_and_a_missing_arm_no_numbers() -> None:
    one = made(seeds=(1,)).final(NASH, "rae")
    assert one is not None
    assert (one.n, one.mean, one.low, one.high) == (1, 0.4, None, None)
    alone = made(arms=("rae",))
    assert alone.final(NASH, "none") is None
    assert alone.difference(NASH, "none") is None
    json.dumps(alone.to_json(), allow_nan=False)


REPORT = """# Study s

2 arms × 3 seeds on `kuhn`:

- **rae**: as it is
- **none**: `'estimator.name="none"'`

### nashconv:kuhn_poker, last snapshot

| arm | seeds | mean | 95 % | − rae | 95 % |
|---|---:|---:|---:|---:|---:|
| rae | 3 | 0.3000 | 0.0516 … 0.5484 |  |  |
| none | 3 | 0.5667 | -0.1922 … 1.3256 | +0.2667 | -0.2504 … +0.7838 |

![nashconv:kuhn_poker](charts/nashconv-kuhn_poker.svg)

### draws, mean of the last 10 % of the updates

| arm | seeds | mean | 95 % | − rae | 95 % |
|---|---:|---:|---:|---:|---:|
| rae | 3 | 0.1950 | 0.1950 … 0.1950 |  |  |
| none | 3 | 0.1950 | 0.1950 … 0.1950 | +0.0000 | +0.0000 … +0.0000 |

![draws](charts/draws.svg)

### Minutes a cell

| arm | cells | minutes | updates |
|---|---:|---:|---:|
| rae | 3 | 2.0 | 20 |
| none | 3 | 2.0 | 20 |

Intervals are Student's over seeds; differences are taken seed by seed.@

### Run with

- selfplay-arena: 9.9
- source: abc
- device: cpu
"""


def test_the_report_is_this_text() -> None:
    assert markdown(made()) == REPORT.replace("@", "  ")  # two blanks: a line end of Markdown


def test_everything_is_written(tmp_path: Path) -> None:
    names = write_study(made(), tmp_path)
    assert names == ["study.json", "report.md", "charts/nashconv-kuhn_poker.svg", "charts/draws.svg"]
    data = json.loads((tmp_path / "study.json").read_text())
    assert data["cells"][0]["curves"][NASH] == [[0, 0.9], [10, 0.7], [20, 0.3]]
    assert data["results"][NASH]["none"]["difference"]["mean"] == pytest.approx(0.8 / 3)
    for name in names[2:]:
        text = (tmp_path / name).read_text()
        assert {"rae", "none", "update"} <= {element.text for element in ElementTree.fromstring(text).iter()}


def test_metrics_are_signals_columns_or_dotted_names(tmp_path: Path) -> None:
    log = JsonLog(tmp_path / "metrics.jsonl")
    for update in (1, 2):
        signals = {"g": {"draws": 0.1 * update}, "h": {"draws": 0.5}}
        roles = {"first": {"win": 0.25}}
        log.append({"update": update, "loss": 1.0, "games": {"g": {"roles": roles}}, "impasse": {"signals": signals}})
    log.close()
    names = ["draws", "loss", "games.g.roles.first.win", "games.g.nothing"]
    assert metric_curves(tmp_path / "metrics.jsonl", names, ["g", "h"]) == {
        "draws:g": [(1, 0.1), (2, 0.2)],
        "draws:h": [(1, 0.5), (2, 0.5)],
        "loss": [(1, 1.0), (2, 1.0)],
        "games.g.roles.first.win": [(1, 0.25), (2, 0.25)],
    }
    assert metric_curves(tmp_path / "metrics.jsonl", ["draws"], ["h"]) == {"draws": [(1, 0.5), (2, 0.5)]}


PROGRAM = """
import json, pathlib, sys
path = pathlib.Path(sys.argv[sys.argv.index("--run") + 1])
if "-s1" in path.name:
    sys.exit("Error: the seed 1 is unlucky")
path.mkdir(parents=True)
(path / "metrics.jsonl").write_text("{}\\n" * 20)
(path / "run.json").write_text(json.dumps({"status": "done"}))
"""


def test_of_a_failed_cell_the_error_is_told_without_the_warnings_before_it(tmp_path: Path) -> None:
    log = tmp_path / "a-s0.log"
    for text, said in (
        ("WARNING: void\nError: no match\ngave anything\n", "no match gave anything"),
        ("Error: old\nError: new\n", "new"),
        ("Traceback\nValueError: 3\n", "Traceback ValueError: 3"),
        ("", "it said nothing"),
    ):
        log.write_text(text)
        assert study_run._last_words(log, 1) == f"exit code 1: {said} ({log})"


def test_a_cell_that_fails_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_run, "COMMAND", (sys.executable, "-c", PROGRAM))
    cells = [
        Cell(arm="a", seed=seed, path=tmp_path / f"a-s{seed}", base="kuhn", overrides=(), updates=20)
        for seed in range(3)
    ]
    told: list[int] = []
    failed = train_cells(cells, tmp_path / "logs", jobs=2, progress=lambda done, note: told.append(done))
    assert list(failed) == ["a-s1"]
    assert "exit code 1: the seed 1 is unlucky" in failed["a-s1"]
    assert [cell.done for cell in cells] == [True, False, True]
    assert told[-1] == 40
    assert told == sorted(told)
    assert train_cells(cells[::2], tmp_path / "logs", jobs=1, progress=lambda done, note: None) == {}
