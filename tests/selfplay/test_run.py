"""Whole runs on the tiny model: what they leave behind, and that interruptions leave no trace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from selfplay_helpers import kuhn_config, lines

from arena.errors import ConfigError, Interrupted, RunNotFoundError, UsageError
from arena.models.registry import hash_files
from selfplay.config import OpponentConfig, SelfPlayConfig
from selfplay.run import Summary, run_selfplay


def config(tiny: str) -> SelfPlayConfig:
    everybody = OpponentConfig(latest=1.0, past=1.0, recent=0.5, pfsp=1.0, fixed={"random": 0.5, "base": 0.5})
    return kuhn_config(tiny, updates=5, matches=16, opponents=everybody)


def left_behind(run: Path) -> dict[str, Any]:
    """Everything that equal runs have equal."""
    return {
        "matches": lines(run / "matches.jsonl"),
        "metrics": lines(run / "metrics.jsonl"),
        "snapshots": {p.name: hash_files([p / "adapter_model.safetensors"]) for p in (run / "snapshots").iterdir()},
        "status": json.loads((run / "run.json").read_text())["status"],
    }


@pytest.fixture(scope="module")
def whole(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Summary, dict[str, Any]]:
    """An uninterrupted run."""
    path = tmp_path_factory.mktemp("whole") / "runs" / "r"
    summary = run_selfplay(config(tiny), str(path))
    return path, summary, left_behind(path)


def test_a_run_leaves_records_metrics_snapshots_and_checkpoints(whole: tuple[Path, Summary, dict[str, Any]]) -> None:
    path, summary, left = whole
    assert summary.updates == 5
    assert summary.snapshots == ("r@000002", "r@000004", "r@000005")
    assert left["status"] == "done"
    assert [line["update"] for line in left["metrics"]] == [1, 2, 3, 4, 5]
    assert len(left["matches"]) == 5 * 16
    assert len({line["key"] for line in left["matches"]}) == 80
    assert len(set(left["snapshots"].values())) == 3  # it learns something each time
    assert [p.name for p in sorted((path / "checkpoints").iterdir())] == ["000004", "000005"]
    assert {line["ended"] for line in left["matches"]} == {"terminal", "forfeit"}  # the tiny model can play
    role = left["metrics"][-1]["games"]["kuhn_poker"]["roles"]["first"]
    assert role["win"] + role["draw"] + role["loss"] == pytest.approx(1.0)
    assert role["baseline"] == pytest.approx(left["metrics"][-1]["estimator"]["baseline/kuhn_poker/first"])
    assert role["entropy"] > 0
    assert left["metrics"][-1]["kl"] > 0
    assert max(line["sampler_kl"] for line in left["metrics"]) < 1e-9  # sampler and learner are the same model


def test_records_say_which_weights_said_what_and_opponents_come_from_the_pool(
    whole: tuple[Path, Summary, dict[str, Any]],
) -> None:
    for line in whole[2]["matches"]:
        update = int(line["spec"]["tag"].removeprefix("update-"))
        pool = {f"r@{step:06d}" for step in (2, 4) if step <= update}
        players = line["spec"]["players"]
        assert set(players) <= pool | {f"r@{update:06d}+live", "random", "base"}
        for turn in line["turns"]:
            assert {a["snapshot"] for a in turn["attempts"]} == {players[turn["seat"]]}
    met = {name for line in whole[2]["matches"] for name in line["spec"]["players"]}
    assert met >= {"r@000002", "r@000004", "random", "base"}


def test_the_base_model_as_an_opponent_is_the_base_without_the_adapter(
    tiny: str, whole: tuple[Path, Summary, dict[str, Any]]
) -> None:
    import torch

    from arena.models.registry import load_base
    from arena.records import read_records

    model = load_base(tiny, device="cpu").model
    said = [
        attempt.completion
        for record in read_records(whole[0] / "matches.jsonl")
        for turn in record.turns
        for attempt in turn.attempts
        if attempt.completion.snapshot == "base"
    ]
    assert len(said) > 5
    for completion in said:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([completion.prompt_ids + completion.ids])).logits[0]
        first = len(completion.prompt_ids) - 1
        logps = logits[first:-1].log_softmax(-1).gather(1, torch.tensor(completion.ids)[:, None]).squeeze(1)
        assert logps.tolist() == pytest.approx(completion.logprobs, abs=1e-4)


def test_payoffs_are_kept_by_opponent_and_seat(whole: tuple[Path, Summary, dict[str, Any]]) -> None:
    path, _, left = whole
    kept = json.loads((path / "checkpoints" / "000005" / "selfplay.json").read_text())["payoff"]["games"]["kuhn_poker"]
    assert set(kept) == {"live", "r@000002", "r@000004", "r@000005"}
    assert kept["r@000005"] == kept["live"]
    assert set(kept["live"]) == {"r@000002", "r@000004", "random", "base"}
    for cell in kept["live"].values():
        (first, _), (second, _) = cell["0"], cell["1"]
        assert first == pytest.approx(second)  # as often from either seat
    told = left["metrics"][-1]["games"]["kuhn_poker"]
    assert set(told["payoff"]) == set(kept["live"])
    assert all(0 < score < 1 for score in told["payoff"].values())
    assert sum(m["matches"] for m in told["opponents"].values()) == sum(
        len(set(line["spec"]["players"])) == 2 for line in left["matches"] if line["spec"]["tag"] == "update-000004"
    )


def test_a_snapshot_is_the_adapter_that_was_trained(whole: tuple[Path, Summary, dict[str, Any]]) -> None:
    from safetensors.torch import load_file

    path = whole[0]
    for step in ("000004", "000005"):
        trained = load_file(path / "checkpoints" / step / "adapter_model.safetensors")
        kept = load_file(path / "snapshots" / step / "adapter_model.safetensors")
        assert trained.keys() == kept.keys()
        assert all((trained[name] == kept[name]).all() for name in trained)
        assert any(tensor.any() for name, tensor in kept.items() if "lora_B" in name)


class PowerCutError(Exception):
    """The process is gone, and nothing was saved."""


@pytest.mark.parametrize(("at", "where"), [(0, "play"), (1, "train"), (3, "play"), (3, "metrics"), (4, "train")])
def test_a_crash_anywhere_is_resumed_as_if_nothing_had_happened(
    tiny: str, tmp_path: Path, whole: tuple[Path, Summary, dict[str, Any]], at: int, where: str
) -> None:
    path = tmp_path / "r"

    def crash(event: Mapping[str, Any]) -> None:
        if (event["t"] == "stage" and event["stage"] == where and event["update"] == at) or (
            event["t"] == where == "metrics" and event["update"] == at
        ):
            raise PowerCutError

    with pytest.raises(PowerCutError):
        run_selfplay(config(tiny), str(path), emit=crash)
    assert json.loads((path / "run.json").read_text())["status"] == "failed"
    summary = run_selfplay(config(tiny), str(path), resume=True)
    assert summary.snapshots == whole[1].snapshots
    assert left_behind(path) == whole[2]


def test_stopping_saves_the_state_and_resuming_continues(
    tiny: str, tmp_path: Path, whole: tuple[Path, Summary, dict[str, Any]]
) -> None:
    path = tmp_path / "r"
    for update, when in ((1, "play"), (3, "train")):
        seen: list[bool] = []

        def watch(event: Mapping[str, Any], update: int = update, when: str = when, seen: list[bool] = seen) -> None:
            if event["t"] == "stage" and event.get("update") == update and event["stage"] == when:
                seen.append(True)

        with pytest.raises(Interrupted, match="Continue with: arena selfplay c --resume") as caught:
            run_selfplay(
                config(tiny),
                str(path),
                resume=update > 1,
                resume_command="arena selfplay c --resume",
                emit=watch,
                stop=lambda seen=seen: bool(seen),  # type: ignore[misc]  # a default argument binds the loop's list
            )
        # While playing, the update is abandoned; while training, it is finished.
        assert f"after update {update if when == 'play' else update + 1} of 5" in str(caught.value)
        assert json.loads((path / "run.json").read_text())["status"] == "interrupted"
    run_selfplay(config(tiny), str(path), resume=True)
    assert left_behind(path) == whole[2]


def test_a_snapshot_missing_at_the_last_checkpoint_is_taken_on_resuming(
    tiny: str, tmp_path: Path, whole: tuple[Path, Summary, dict[str, Any]]
) -> None:
    import shutil

    path = tmp_path / "r"
    shutil.copytree(whole[0], path)
    shutil.rmtree(path / "snapshots" / "000005")  # killed between checkpoint and snapshot
    summary = run_selfplay(config(tiny), str(path), resume=True)
    assert (summary.updates, summary.snapshots) == (5, whole[1].snapshots)
    assert left_behind(path) == whole[2]


def test_refusals_come_before_anything_is_written(
    tiny: str, tmp_path: Path, whole: tuple[Path, Summary, dict[str, Any]]
) -> None:
    with pytest.raises(UsageError, match="Add --resume"):
        run_selfplay(config(tiny), str(whole[0]))
    with pytest.raises(ConfigError, match="seed was 0, is now 1"):
        run_selfplay(
            kuhn_config(tiny, updates=5, opponents=OpponentConfig(past=1.0), seed=1), str(whole[0]), resume=True
        )
    with pytest.raises(RunNotFoundError):
        run_selfplay(config(tiny), str(tmp_path / "none"), resume=True)
    with pytest.raises(ConfigError, match="Did you mean 'rae'"):
        run_selfplay(kuhn_config(tiny, estimator={"name": "rea"}), str(tmp_path / "x"))
    for name, message in (
        ("randm", "Did you mean 'random'"),
        ("human", "nobody can answer"),
        (f"{tmp_path / 'x'}@000002", "very run"),
        (f"{whole[0]}@latest", "write r@000005"),
    ):
        with pytest.raises(ConfigError, match=message):
            run_selfplay(kuhn_config(tiny, opponents=OpponentConfig(fixed={name: 1.0})), str(tmp_path / "x"))
    assert not (tmp_path / "x").exists()


def test_sigkill_leaves_a_run_that_resumes(
    tiny: str, tmp_path: Path, whole: tuple[Path, Summary, dict[str, Any]]
) -> None:
    path = tmp_path / "r"
    settings = tmp_path / "c.json"
    settings.write_text(config(tiny).model_dump_json())
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom selfplay.config import SelfPlayConfig\n"
        "from selfplay.run import run_selfplay\n"
        "c = SelfPlayConfig.model_validate_json(Path(sys.argv[1]).read_text())\n"
        "run_selfplay(c, sys.argv[2], emit=lambda e: time.sleep(60 if e.get('update') == 4 else 0))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(settings), str(path)], env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    end = time.monotonic() + 300
    while not (path / "metrics.jsonl").exists() or len(lines(path / "metrics.jsonl")) < 4:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert json.loads((path / "run.json").read_text())["status"] == "running"
    with (path / "matches.jsonl").open("a") as file:
        file.write('{"torn')
    summary = run_selfplay(config(tiny), str(path), resume=True)
    assert summary.notes
    assert left_behind(path) == whole[2]
