"""Runs on two ranks: what they leave behind is what one process leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from selfplay_helpers import lines

from selfplay.ranks import Ranks, join_ranks

CONFIG = """
model = {model}
games = [{{ id = "kuhn_poker" }}]
updates = 2
matches = {matches}
snapshot_every = 1
checkpoint_every = 1
threads = 1
lora = {{ r = 2, alpha = 4.0 }}
sampling = {{ temperature = 1.0, max_tokens = 3 }}
estimator = {{ name = "rae" }}
opponents = {{ latest = 1.0, past = 1.0 }}
optim = {{ learning_rate = 0.02, micro_batches = 2, beta = 0.1, entropy_bonus = 0.01 }}
"""


def launch(ranks: int, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`arena selfplay c.toml --run r` in a folder, on so many ranks."""
    # `accelerate launch` starts several processes on GPUs only; on a CPU it hands over to nobody and starts one.
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(ranks)]
    command = [sys.executable, *(launcher if ranks > 1 else []), "-m", *(["--"] if ranks > 1 else []), "arena.cli"]
    return subprocess.run(
        [*command, "selfplay", "c.toml", "--run", str(folder / "r"), *words],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def write_config(folder: Path, model: str, matches: int = 8) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "c.toml").write_text(CONFIG.format(model=json.dumps(model), matches=matches))
    return folder


@pytest.fixture(scope="module")
def one(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_config(tmp_path_factory.mktemp("one"), tiny)
    done = launch(1, folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def two(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_config(tmp_path_factory.mktemp("two"), tiny)
    done = launch(2, folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("2 updates, snapshots r@000001, r@000002") == 1
    return folder


def close(found: Any, expected: Any, where: str = "") -> None:
    """Plain data, equal but for rounding; what was found in a cache depends on who else is in the batch."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in expected:
            if key != "cached_tokens":
                close(found[key], expected[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for index, (a, b) in enumerate(zip(found, expected, strict=True)):
            close(a, b, f"{where}[{index}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-5, rel=1e-4), where
    else:
        assert found == expected, where


def state(folder: Path, update: int) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((folder / f"r/checkpoints/{update:06d}/selfplay.json").read_text())
    return made


def same_weights(a: Path, b: Path) -> None:
    from safetensors.torch import load_file

    found, expected = (load_file(folder / "adapter_model.safetensors") for folder in (a, b))
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert float((found[name] - tensor).abs().max()) < 1e-5, name
    assert any(bool(tensor.any()) for name, tensor in expected.items() if "lora_B" in name)


def test_two_ranks_leave_the_records_metrics_and_state_of_one(one: Path, two: Path) -> None:
    assert len(lines(two / "r/matches.jsonl")) == 2 * 8
    close(lines(two / "r/matches.jsonl"), lines(one / "r/matches.jsonl"))
    close(lines(two / "r/metrics.jsonl"), lines(one / "r/metrics.jsonl"))
    for update in (1, 2):
        found, expected = state(two, update), state(one, update)
        assert found["estimator"] == expected["estimator"]  # results are exact, so it is too
        assert found["payoff"] == expected["payoff"]
        assert found["pool"] == expected["pool"]


def test_two_ranks_learn_the_weights_of_one(one: Path, two: Path) -> None:
    for update in ("000001", "000002"):
        same_weights(two / "r/snapshots" / update, one / "r/snapshots" / update)


def test_every_rank_keeps_its_own_random_state(two: Path) -> None:
    names = {path.name for path in (two / "r/checkpoints/000002").iterdir()}
    assert {"rng_state_0.pth", "rng_state_1.pth"} <= names


def test_a_run_of_one_rank_is_continued_by_two(one: Path, tiny: str, tmp_path: Path) -> None:
    """The last update is lost and played again by two."""
    import shutil

    folder = write_config(tmp_path / "again", tiny)
    shutil.copytree(one / "r", folder / "r")
    for kind in ("checkpoints", "snapshots"):
        shutil.rmtree(folder / "r" / kind / "000002")
    done = launch(2, folder, "--resume")
    assert done.returncode == 0, done.stderr
    close(lines(folder / "r/matches.jsonl"), lines(one / "r/matches.jsonl"))
    same_weights(folder / "r/snapshots/000002", one / "r/snapshots/000002")


def test_a_refusal_appears_once(two: Path) -> None:
    for words, message in (((), "Add --resume to continue it"), (("optim.beat=1",), "beat")):
        done = launch(2, two, *words)
        assert done.returncode != 0
        assert done.stderr.count("Error: ") - done.stderr.count("ChildFailedError: ") == 1, done.stderr
        assert message in done.stderr
        assert "exitcode  : 2" in done.stderr
        assert "terminate called" not in done.stderr


def test_one_process_exchanges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    ranks = join_ranks("cpu")
    assert type(ranks) is Ranks
    assert ranks.merge(ranks.share([3, 1, 2])) == [3, 1, 2]
    assert ranks.once(lambda: 5) == 5
    assert ranks.any(True)
    assert not ranks.any(False)


class Third(Ranks):
    """Rank 1 of 3, whose neighbours' values are given."""

    rank, size = 1, 3

    def __init__(self, everybody: list[list[int]]) -> None:
        self.everybody = everybody

    def exchange(self, value: Any) -> list[Any]:
        assert value == self.everybody[1]
        return self.everybody


@pytest.mark.parametrize("count", range(8))
def test_shares_are_merged_in_canonical_order(count: int) -> None:
    items = list(range(count))
    ranks = Third([items[i::3] for i in range(3)])
    assert list(ranks.share(items)) == items[1::3]
    assert ranks.merge(items[1::3]) == items


def test_a_share_that_was_cut_short_ends_the_merged_list() -> None:
    assert Third([[0, 3, 6], [1], [2, 5]]).merge([1]) == [0, 1, 2, 3]
