"""`arena study` for real: interrupted, continued, and equal to what was never interrupted."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import run
from arena.rundir import RunDir

CONFIG = """
base = "kuhn"
seeds = [0, 1]
evaluations = ["nashconv:kuhn_poker", "average:kuhn_poker", "late_average:kuhn_poker", "score:random"]
metrics = ["outcome_entropy"]
pairs = 3

[arms.small]
matches = 6
updates = 3
snapshot_every = 1
threads = 1
optim = { micro_batches = 1 }
"""
WORDS = ["study", "s.toml", "--run", "s"]


def start(*words: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "arena.cli", *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def untimed(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "study.json").read_text())
    return {**data, "cells": [{**cell, "minutes": None} for cell in data["cells"]]}


def test_a_study_from_its_plan_over_an_interruption_to_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "s.toml").write_text(CONFIG)

    # Ctrl-C while the first cell is being trained
    process = start(*WORDS, cwd=tmp_path)
    metrics = tmp_path / "runs/s/cells/small-s0/metrics.jsonl"
    end = time.monotonic() + 600
    while not metrics.exists() or not metrics.read_bytes():
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    assert out == ""
    command = err.strip().splitlines()[-1].partition("Continue with: ")[2]
    assert shlex.split(command) == ["arena", *WORDS, "--resume"]
    assert RunDir(tmp_path / "runs/s").read()["status"] == "interrupted"
    assert not RunDir(tmp_path / "runs/s/cells/small-s0").writer_alive()  # no cell is left behind
    assert not (tmp_path / "runs/s/cells/small-s1").exists()

    # continued, in this process
    assert run([*WORDS, "--resume", "--quiet"]) == 0, capsys.readouterr().err
    shown = capsys.readouterr().out
    assert "nashconv:kuhn_poker, last snapshot" in shown
    first = untimed(tmp_path / "runs/s")
    assert [(cell["arm"], cell["seed"]) for cell in first["cells"]] == [("small", 0), ("small", 1)]
    curves = first["cells"][0]["curves"]
    assert [step for step, _ in curves["nashconv:kuhn_poker"]] == [0, 1, 2, 3]
    assert [step for step, _ in curves["average:kuhn_poker"]] == [1, 2, 3]
    assert curves["average:kuhn_poker"][0] == curves["late_average:kuhn_poker"][0] == curves["nashconv:kuhn_poker"][1]
    assert curves["late_average:kuhn_poker"][1] == curves["nashconv:kuhn_poker"][2]  # of two, the last half is one
    assert all(0 <= value <= 1 for _, value in curves["score:random"])
    assert len(curves["outcome_entropy"]) == 3
    assert {path.name for path in (tmp_path / "runs/s/charts").iterdir()} == {
        "nashconv-kuhn_poker.svg", "average-kuhn_poker.svg", "late_average-kuhn_poker.svg", "score-random.svg",
        "outcome_entropy.svg",
    }  # fmt: skip

    # the cell that was interrupted, anew and in one go: the very same study
    shutil.rmtree(tmp_path / "runs/s/cells/small-s0")
    (tmp_path / "runs/s/study.json").unlink()
    (tmp_path / "runs/s/values.jsonl").unlink()
    assert run([*WORDS, "--resume", "--quiet"]) == 0, capsys.readouterr().err
    assert untimed(tmp_path / "runs/s") == first
    logs = (tmp_path / "runs/s/logs/small-s1.log").read_text()
    assert logs.count("updates, snapshots") == 1  # the other one was not touched
    capsys.readouterr()

    # what there is, and what is refused
    assert run([*WORDS, "--dry-run", "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert [(cell["cell"], cell["updates_done"], cell["state"]) for cell in cells] == [
        ("small-s0", 3, "done"),
        ("small-s1", 3, "done"),
    ]
    place = RunDir(tmp_path / "runs/s")
    place.lock()
    assert run([*WORDS, "--resume", "--quiet"]) == 1
    assert "is being written by process" in capsys.readouterr().err
    place.unlock()
    cell = RunDir(tmp_path / "runs/s/cells/small-s1")
    cell.lock()
    assert run([*WORDS, "--resume", "--quiet"]) == 1
    assert "an earlier start has left behind" in capsys.readouterr().err
