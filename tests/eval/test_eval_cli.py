"""`arena eval`, as it is typed."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.cli.app import run
from arena.rundir import RunDir


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


Arena = Callable[..., Done]


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Arena:
    """Run `arena eval …` in this process, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words: str) -> Done:
        capsys.readouterr()
        code = run(["eval", *words])
        return Done(code, *capsys.readouterr())

    return call


EXACT = ("--benchmark", "nashconv:kuhn_poker")


def test_exact_play_as_a_table(arena: Arena) -> None:
    done = arena("random", "solver", *EXACT, "--quiet")
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[0] == "Exact play: what a best responder gains (0 is unbeatable)"
    assert lines[2].split() == ["random", "kuhn_poker", "0.9167", "+0.1250", "0.00%", "0.00%", "12"]
    assert lines[3].split()[0] == "solver"
    assert abs(float(lines[3].split()[2])) < 0.01
    assert done.err.startswith("Written: runs/eval/")


def test_reasoning_as_a_table_and_as_json(arena: Arena) -> None:
    words = ("base", "random", "--benchmark", "reasoning:gcd", "--limit", "20", "--seed", "3", "--out", "here", "-q")
    table = arena(*words)
    assert table.code == 0
    lines = table.out.splitlines()
    assert lines[0] == "Reasoning: share of right answers, 95 % Wilson interval, 20 items each"
    assert lines[1].split() == ["family", "constant", "base"]
    assert "Only questions that the base model was not trained on, word for word" in lines
    assert "Left out: random on reasoning: it is not a language model" in table.err
    told = json.loads(arena(*words, "--json").out)
    assert told["schema"] == 1
    (line,) = told["results"]
    assert (line["player"], line["benchmark"], line["n"]) == ("base", "reasoning:gcd", 20)
    assert line["low"] < line["value"] < line["high"]
    assert f"{line['value']:.0%}" in lines[2]
    assert len((Path(told["folder"]) / "results.jsonl").read_text().splitlines()) == 20
    assert Path(told["folder"]).parent == Path("here")


def test_results_go_into_the_run_that_is_named(arena: Arena) -> None:
    RunDir.create("demo", "selfplay", {}, seed=0).unlock()
    done = arena("random", *EXACT, "--run", "demo", "--quiet", "--json")
    assert done.code == 0
    assert json.loads(done.out)["folder"].startswith("runs/demo/eval/")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["random", "--benchmark", "nashconv:kuhn_pokr"], "Did you mean 'nashconv:kuhn_poker'?"),
        (["random", "--benchmark", "nashconv:openspiel/leduc_pokr"], "Did you mean 'openspiel/leduc_poker'?"),
        (["random", "--benchmark", "nashconv:openspiel/tic_tac_toe"], "is too large for exact play"),
        (["random", "--benchmark", "nashconv:simple_negotiation"], "not played on OpenSpiel's rules"),
        (["randm", *EXACT], "Did you mean 'random'?"),
        (["demo@latest", *EXACT], "No run 'demo'"),
        (["random", *EXACT, "--run", "nothing"], "No run 'nothing'"),
        (["random", *EXACT, "--run", "a", "--out", "b"], "give one of them"),
        (["random", *EXACT, "--limit", "0"], "'--limit'"),
        (["random"], "Missing option '--benchmark'"),
        (["base", *EXACT, "--model", "pokcet"], "Did you mean 'pocket'?"),
    ],
)
def test_what_cannot_be_understood_is_exit_code_2(words: list[str], told: str, arena: Arena) -> None:
    done = arena(*words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert not Path("runs").exists()


def test_measuring_nothing_is_a_failure(arena: Arena) -> None:
    done = arena("random", "--benchmark", "reasoning:gcd", "--quiet")
    assert done.code == 1
    assert "Nothing was measured" in done.err


def test_ctrl_c_keeps_items_and_the_printed_command_finishes(arena: Arena, tmp_path: Path) -> None:
    words = ["base", "--benchmark", "reasoning:syllogism", "--limit", "1000", "--out", "here"]
    running = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "eval", *words, "--max-tokens", "6"],
        cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(p.stat().st_size for p in tmp_path.glob("here/*/results.jsonl")):
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert "Traceback" not in err
    command = err.strip().split("Continue with: ")[-1]
    assert command == f"arena eval {shlex.join(words[:-2])} --seed 0 --model pocket --max-tokens 6 --out here"
    (results,) = tmp_path.glob("here/*/results.jsonl")
    before = results.read_text().splitlines()
    assert 0 < len(before) < 1000
    done = arena(*shlex.split(command)[2:], "--quiet", "--json")
    assert done.code == 0
    after = results.read_text().splitlines()
    assert after[: len(before)] == before
    assert len(after) == len({json.loads(line)["key"] for line in after}) == 1000
    assert json.loads(done.out)["results"][0]["n"] == 1000
