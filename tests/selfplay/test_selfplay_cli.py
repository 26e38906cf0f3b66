from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from selfplay_helpers import lines

RUNNER = """
import sys
from arena.cli.group import ArenaTyper
from selfplay.cli import register
class Only:
    def load(self, app):
        register(app)
        return {}
app = ArenaTyper(plugins=Only())
app.callback()(lambda: None)
app(args=sys.argv[1:], prog_name="arena")
"""
ENV = {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "100"}
SMALL = ["matches=8", "updates=3", "snapshot_every=3", "optim.micro_batches=2", "lora.r=2", "threads=1"]


def arena(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The application with this command alone, in its own process."""
    return subprocess.run(
        [sys.executable, "-c", RUNNER, *words],
        cwd=cwd,
        env=ENV,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def start(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """The same, left running."""
    command = [sys.executable, "-c", RUNNER, *words]
    return subprocess.Popen(command, cwd=cwd, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_train_show_refuse_and_resume(tiny: str, tmp_path: Path) -> None:
    done = arena("selfplay", "kuhn", f"model={tiny}", *SMALL, "--run", "r", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["schema"], made["run"], made["updates"], made["snapshots"]) == (1, "runs/r", 3, ["r@000003"])
    assert made["metrics"] == json.loads((tmp_path / "runs/r/metrics.jsonl").read_text().splitlines()[-1])
    assert "update 3/3" in done.stderr
    assert "FutureWarning" not in done.stderr
    events = [event["t"] for event in lines(tmp_path / "runs/r/events.jsonl")]
    assert {"open", "stage", "metrics", "snapshot", "start", "turn", "end", "close"} <= set(events)

    again = arena("selfplay", "kuhn", f"model={tiny}", *SMALL, "--run", "r", cwd=tmp_path)
    assert again.returncode == 2
    assert "--resume" in again.stderr

    finished = arena("selfplay", "kuhn", f"model={tiny}", *SMALL, "--run", "r", "--resume", "--quiet", cwd=tmp_path)
    assert finished.returncode == 0
    assert "kuhn_poker" in finished.stdout
    assert "snapshots r@000003" in finished.stdout
    assert finished.stderr == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nope"], "no such preset"),
        (["kuhn", "matchs=3"], "Did you mean 'matches'"),
        (["kuhn", "games.0.id=kuhn_pokr"], "Did you mean 'kuhn_poker'"),
        (["kuhn", "estimator.name=rea"], "Did you mean 'rae'"),
        (["kuhn", "--run", "none", "--resume"], "No run 'none'"),
        (["kuhn", "model=pockt"], "Did you mean 'pocket'"),
    ],
)
def test_what_cannot_be_done_is_exit_2_and_leaves_nothing(tmp_path: Path, words: list[str], message: str) -> None:
    done = arena("selfplay", *words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_dry_run_says_what_it_would_do_and_does_nothing(tmp_path: Path) -> None:
    done = arena("selfplay", "demo", "--dry-run", "--seed", "7", cwd=tmp_path)
    assert done.returncode == 0
    assert "tic_tac_toe (X/O)" in done.stdout
    assert "seed 7" in done.stdout
    assert list(tmp_path.iterdir()) == []
    made = json.loads(arena("selfplay", "kuhn", "--dry-run", "--json", "updates=20", cwd=tmp_path).stdout)
    assert (made["updates"], made["snapshots"], list(made["matches"])) == (20, 2, ["kuhn_poker"])


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("estimator.name=rea", "Unknown estimator 'rea'. Did you mean 'rae'"),
        ("estimator.options.foo=2", "Unknown option 'foo'"),
        ("estimator.options.alpha=nan", "alpha"),
        ("device=foo", "Unknown device 'foo'"),
        ("model=nope", "Unknown model 'nope'"),
        ("updates=99999999999999999999", "updates"),
        ('trackers=["swanlap"]', "Did you mean 'swanlab'"),
        ('trackers=["kubeflow"]', "pip install kubeflow;"),
    ],
)
def test_dry_run_refuses_what_the_run_would_refuse(tmp_path: Path, word: str, message: str) -> None:
    done = arena("selfplay", "kuhn", "--dry-run", word, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert message in " ".join(done.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_saves_and_prints_the_command_that_continues(tiny: str, tmp_path: Path) -> None:
    words = ["selfplay", "kuhn", f"model={tiny}", *SMALL, "updates=400", "snapshot_every=400", "--run", "r"]
    process = start(*words, cwd=tmp_path)
    metrics = tmp_path / "runs/r/metrics.jsonl"
    end = time.monotonic() + 300
    while not metrics.exists() or len(lines(metrics)) < 2:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert out == ""
    command = next(row for row in err.splitlines() if "Continue with: " in row).partition("Continue with: ")[2]
    assert shlex.split(command)[0] == "arena"
    assert json.loads((tmp_path / "runs/r/run.json").read_text())["status"] == "interrupted"
    played = len(lines(metrics))
    process = start(*shlex.split(command)[1:], cwd=tmp_path)
    while len(lines(metrics)) < played + 2:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    assert process.returncode == 130
    updates = [line["update"] for line in lines(metrics)]
    assert updates == list(range(1, len(updates) + 1))
