"""Several optimiser steps on the same matches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from selfplay_helpers import kuhn_config, lines
from test_run import left_behind

from arena.errors import Interrupted
from selfplay.config import SelfPlayConfig
from selfplay.run import run_selfplay


def config(tiny: str, passes: int) -> SelfPlayConfig:
    optim = {"learning_rate": 0.02, "micro_batches": 3, "passes": passes, "ratio_cap": 2.0}
    return kuhn_config(tiny, updates=3, snapshot_every=1, matches=16, optim=optim)


@pytest.fixture(scope="module")
def thrice(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("passes") / "r"
    run_selfplay(config(tiny, 3), str(path))
    return path


def test_an_update_stays_an_update(thrice: Path) -> None:
    told = lines(thrice / "metrics.jsonl")
    assert [line["update"] for line in told] == [1, 2, 3]
    assert len(lines(thrice / "matches.jsonl")) == 3 * 16
    assert sorted(path.name for path in (thrice / "snapshots").iterdir()) == ["000001", "000002", "000003"]
    assert {line["spec"]["players"][0] for line in lines(thrice / "matches.jsonl")} == {
        f"r@00000{update}+live" for update in range(3)
    }


def test_later_passes_leave_the_sampler_behind_and_learn_more(tiny: str, tmp_path: Path, thrice: Path) -> None:
    from safetensors.torch import load_file

    once = tmp_path / "r"
    run_selfplay(config(tiny, 1), str(once))
    (first, *_), (more, *_) = lines(once / "metrics.jsonl"), lines(thrice / "metrics.jsonl")
    assert first["sampler_kl"] < 1e-9
    assert more["sampler_kl"] > 1e-6
    one, three = (load_file(path / "snapshots/000001/adapter_model.safetensors") for path in (once, thrice))
    moved = [sum(float(t.norm()) for name, t in tensors.items() if "lora_B" in name) for tensors in (one, three)]
    assert moved[1] > 1.5 * moved[0]


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_stop_between_passes_waits_for_the_last_and_is_resumed(
    tiny: str, tmp_path: Path, thrice: Path, at: int
) -> None:
    path = tmp_path / "r"
    seen: list[bool] = []

    def watch(event: Mapping[str, Any]) -> None:
        if event["t"] == "stage" and event["stage"] == "train" and event["update"] == at:
            seen.append(True)

    if at < 2:
        with pytest.raises(Interrupted, match=f"after update {at + 1} of 3"):
            run_selfplay(config(tiny, 3), str(path), emit=watch, stop=lambda: bool(seen))
        run_selfplay(config(tiny, 3), str(path), resume=True)
    else:
        run_selfplay(config(tiny, 3), str(path), emit=watch, stop=lambda: bool(seen))  # the last update ends it anyway
    assert left_behind(path) == left_behind(thrice)
