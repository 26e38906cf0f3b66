"""Run directories: what is recorded, one writer, finding, resuming only under the same settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena import provenance
from arena.errors import ConfigError, RecordError, RunBusyError, RunNotFoundError, UsageError
from arena.rundir import RunDir, differences, digest, write_json

CONFIG = {"pairs": 3, "sampling": {"top_p": 1.0, "top_k": 0}, "games": [{"id": "kuhn_poker"}], "concurrency": 4}
HARMLESS = frozenset({"concurrency"})


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def create(name: str = "demo") -> RunDir:
    return RunDir.create(name, "tournament", CONFIG, seed=7)


def test_run_json_says_how_the_run_was_made() -> None:
    run = create()
    info = json.loads(Path("runs/demo/run.json").read_text())
    assert info == run.read()
    assert (info["kind"], info["name"], info["status"], info["seed"]) == ("tournament", "demo", "running", 7)
    assert info["config"] == CONFIG
    assert info["config_sha256"] == digest(CONFIG)
    assert len(info["config_sha256"]) == 64
    assert info["command"] == sys.argv
    assert set(info["versions"]) >= {"python", "torch", "transformers", "peft", "trl", "open_spiel", "selfplay-arena"}
    assert info["created_unix_s"] > 1.7e9
    assert run.name == "demo"
    assert [p.name for p in (run.matches, run.metrics, run.events, run.snapshots, run.checkpoints)] == [
        "matches.jsonl",
        "metrics.jsonl",
        "events.jsonl",
        "snapshots",
        "checkpoints",
    ]


def test_a_run_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    create().unlock()
    create(str(tmp_path / "elsewhere" / "other")).unlock()
    assert RunDir.find("demo").path == Path("runs/demo")
    assert RunDir.find("runs/demo").path == Path("runs/demo")
    assert RunDir.find(str(tmp_path / "elsewhere/other")).name == "other"
    os.chdir("elsewhere")
    assert RunDir.find("other").path == Path("other")


def test_a_missing_run_is_refused_with_the_nearest_and_the_list() -> None:
    create("demo").unlock()
    create("kuhn-long").unlock()
    with pytest.raises(RunNotFoundError) as caught:
        RunDir.find("dmeo")
    assert str(caught.value) == "No run 'dmeo'. Did you mean 'demo'? Runs in runs/: demo, kuhn-long."
    assert caught.value.exit_code == 2
    with pytest.raises(RunNotFoundError, match=r"Runs in nowhere/: none\."):
        RunDir.find("nowhere/demo")


@pytest.mark.parametrize("name", ["", ".", "/", "./", "x" * 300, "runs/" + "x" * 300, "nowhere/x"])
def test_names_that_no_run_can_have_are_no_runs(name: str) -> None:
    create("demo").unlock()
    Path("runs/run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RunNotFoundError, match="No run "):
        RunDir.find(name)


@pytest.mark.parametrize("name", ["a@b", "x~y", "-x", "a b", ".hidden", "ü", ".", "..", "./", "x" * 101, "é" * 300])
def test_names_that_would_confuse_snapshot_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="use 1 to 100 letters, digits"):
        create(name)


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[]", '{"schema": 1', "\\ud800"])
def test_a_damaged_description_is_refused(text: str) -> None:
    run = create()
    run.unlock()
    (run.path / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(RecordError, match=r"run\.json .*Restore the file"):
        RunDir.resume("demo", "tournament", CONFIG, harmless=HARMLESS)


def test_a_description_without_config_is_refused() -> None:
    run = create()
    run.unlock()
    run.write({"kind": "tournament"})
    with pytest.raises(RecordError, match="holds no config"):
        RunDir.resume("demo", "tournament", CONFIG, harmless=HARMLESS)


def test_an_existing_run_is_not_overwritten() -> None:
    create().unlock()
    with pytest.raises(UsageError, match=r"The run runs/demo exists\. Add --resume"):
        create()


def test_a_second_writer_is_refused_and_told_who_writes() -> None:
    run = create()
    code = (
        "from arena.rundir import RunDir\n"
        "from arena.errors import RunBusyError\n"
        "run = RunDir.find('demo')\n"
        "assert run.writer_alive()\n"
        "try:\n"
        "    RunDir.resume('demo', 'tournament', run.read()['config'], harmless=frozenset())\n"
        "except RunBusyError as error:\n"
        "    print(error, error.exit_code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"runs/demo is being written by process {os.getpid()}." in done.stdout
    assert done.stdout.strip().endswith("1")
    run.unlock()


def test_the_lock_ends_with_the_process_however_it_ends() -> None:
    code = (
        "import os, signal\n"
        "from arena.rundir import RunDir\n"
        "RunDir.create('demo', 'tournament', {}, seed=0)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    run = RunDir.find("demo")
    assert not run.writer_alive()
    run.lock()
    assert run.writer_alive()
    with pytest.raises(RunBusyError, match=str(os.getpid())):
        RunDir(run.path).lock()
    run.unlock()
    run.unlock()
    assert not run.writer_alive()


def test_a_directory_that_was_never_locked_has_no_writer(tmp_path: Path) -> None:
    assert not RunDir(tmp_path).writer_alive()


def test_resume_takes_the_same_settings_and_refuses_others_by_key() -> None:
    create().unlock()
    resumed = RunDir.resume("demo", "tournament", {**CONFIG, "concurrency": 99}, harmless=HARMLESS)
    assert resumed.read()["config"]["concurrency"] == 99
    assert resumed.read()["status"] == "running"
    resumed.set_status("interrupted")
    assert resumed.read()["status"] == "interrupted"
    resumed.unlock()
    other = {**CONFIG, "pairs": 4, "sampling": {"top_p": 0.5, "top_k": 0}, "extra": 1}
    with pytest.raises(ConfigError) as caught:
        RunDir.resume("demo", "tournament", other, harmless=HARMLESS)
    assert str(caught.value) == (
        "The run runs/demo was started with other settings: pairs was 3, is now 4; sampling.top_p was 1.0, is now 0.5; "
        "extra was '(not set)', is now 1. Continue with the old ones, or start a new run. May differ: concurrency."
    )
    with pytest.raises(ConfigError, match="is a tournament run, not a selfplay run"):
        RunDir.resume("demo", "selfplay", CONFIG, harmless=HARMLESS)
    RunDir.resume("demo", "tournament", CONFIG, harmless=HARMLESS).unlock()  # a refused resume keeps no lock


def test_resume_compares_what_json_keeps() -> None:
    RunDir.create("tuple", "tournament", {"players": ("a", "b")}, seed=0).unlock()
    RunDir.resume("tuple", "tournament", {"players": ("a", "b")}, harmless=HARMLESS).unlock()


def test_differences_names_keys_on_both_sides() -> None:
    assert differences({"a": {"b": 1}, "c": 1}, {"a": {"b": 1, "d": 2}}) == [
        "a.d was '(not set)', is now 2",
        "c was 1, is now '(not set)'",
    ]
    assert differences({"a": 1}, {"a": 1}) == []


@pytest.mark.parametrize("content", ["{", "[1]", "\xff"])
def test_a_damaged_run_json_is_reported(content: str) -> None:
    create().unlock()
    Path("runs/demo/run.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(RecordError, match=r"run\.json"):
        RunDir.find("demo").read()


def test_json_files_are_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_json(path, {"a": "ü\ud800"})
    assert json.loads(path.read_bytes()) == {"a": "ü\ud800"}
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"a": float("nan")})
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match=r"x\.json"):
        write_json(path, {"a": 1})
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


def test_two_processes_that_create_one_run_cannot_both_win(monkeypatch: pytest.MonkeyPatch) -> None:
    original = RunDir.lock

    def overtaken(self: RunDir) -> None:
        write_json(self.path / "run.json", {"kind": "other"})
        original(self)

    monkeypatch.setattr(RunDir, "lock", overtaken)
    with pytest.raises(UsageError, match="exists"):
        create()
    assert RunDir(Path("runs/demo")).read() == {"kind": "other"}
    assert not RunDir(Path("runs/demo")).writer_alive()


def test_provenance_without_git_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert provenance.git_commit() is None


def test_provenance_names_the_commit_of_the_sources() -> None:
    commit = provenance.git_commit()
    assert commit is None or len(commit.removesuffix("+changes")) == 40


def test_provenance_says_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "_PACKAGES", ("no-such-package-here",))
    assert provenance.versions()["no-such-package-here"] == "not installed"
