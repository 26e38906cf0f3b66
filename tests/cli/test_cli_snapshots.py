"""`arena snapshots` on folders of the right form, whole and damaged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_helpers import Done

from arena.rundir import RunDir

Arena = Callable[..., Done]


def snapshot(run: RunDir, step: int) -> Path:
    """A snapshot of one 2 × 3 tensor."""
    folder = run.snapshots / f"{step:06d}"
    folder.mkdir(parents=True)
    header = json.dumps({"layer.lora_A.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}).encode()
    weights = len(header).to_bytes(8, "little") + header + bytes(24)
    (folder / "adapter_model.safetensors").write_bytes(weights)
    (folder / "adapter_config.json").write_text("{}", encoding="utf-8")
    info = {
        "schema": 1,
        "name": f"{run.name}@{step:06d}",
        "step": step,
        "base_model": "pocket",
        "parent": "base",
        "games": ["kuhn_poker", "tic_tac_toe"],
        "metrics": {"loss": 0.125, "games": {}},
        "sha256": hashlib.sha256(weights).hexdigest(),
    }
    (folder / "snapshot.json").write_text(json.dumps(info), encoding="utf-8")
    return folder


@pytest.fixture
def run(place: Path) -> RunDir:
    made = RunDir.create("demo", "selfplay", {}, seed=0)
    made.unlock()
    snapshot(made, 10)
    snapshot(made, 20)
    return made


def test_list(arena: Arena, run: RunDir) -> None:
    lines = arena("snapshots", "list", "demo").out.splitlines()
    assert lines[0].split() == ["snapshot", "base", "parent", "games"]
    assert lines[1].split() == ["demo@000010", "pocket", "base", "kuhn_poker,", "tic_tac_toe"]
    assert len(lines) == 3
    assert arena("snapshots", "list").out.splitlines() == lines
    told = json.loads(arena("snapshots", "list", "--json").out)
    assert [item["step"] for item in told["snapshots"]] == [10, 20]


def test_none_yet(arena: Arena) -> None:
    RunDir.create("fresh", "selfplay", {}, seed=0).unlock()
    assert arena("snapshots", "list", "fresh").out == "No snapshots in runs/fresh.\n"
    assert arena("snapshots", "list").out == "No snapshots in runs.\n"


def test_show(arena: Arena, run: RunDir) -> None:
    out = arena("snapshots", "show", "demo@latest").out
    assert (
        out.startswith("demo@000020  runs/demo/snapshots/000020\n  1 tensor, 6 parameters\n") or "6 parameters" in out
    )
    assert "metrics.loss" in out
    assert json.loads(arena("snapshots", "show", "demo@10", "--json").out)["snapshots"][0]["info"]["parent"] == "base"
    missing = arena("snapshots", "show", "demo@000030")
    assert (missing.code, "has: demo@000010, demo@000020" in missing.err) == (2, True)


def test_verify_finds_what_was_altered(arena: Arena, run: RunDir) -> None:
    done = arena("snapshots", "verify", "demo@all")
    assert (done.code, done.out) == (0, "demo@000010  ok\ndemo@000020  ok\n")
    weights = run.snapshots / "000020" / "adapter_model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(bytes(data))
    done = arena("snapshots", "verify", "demo@all")
    assert done.code == 1
    assert "demo@000010  ok" in done.out
    assert "demo@000020  adapter_model.safetensors has SHA-256" in done.out
    told = json.loads(arena("snapshots", "verify", "demo@all", "--json").out)
    assert (told["ok"], told["snapshots"]["demo@000010"]) == (False, [])


def test_verify_against_the_base_model(arena: Arena, run: RunDir) -> None:
    done = arena("snapshots", "verify", "demo@latest", "--base")
    assert done.code == 1
    assert "made for another base model" in done.out


@pytest.mark.parametrize("value", [None, "x", 3, [], {}, [[]], True])
@pytest.mark.parametrize("key", ["schema", "step", "base_model", "games", "metrics", "parent", "sha256"])
def test_an_edited_description_breaks_no_command(arena: Arena, run: RunDir, key: str, value: object) -> None:
    file = run.snapshots / "000020" / "snapshot.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), key: value}), encoding="utf-8")
    for words in (("list", "demo"), ("show", "demo@all"), ("verify", "demo@all")):
        done = arena("snapshots", *words)
        assert done.code in (0, 1)
        assert "Unexpected" not in done.err


def test_a_step_that_is_not_there_is_a_usage_error_with_the_nearest(arena: Arena, run: RunDir) -> None:
    done = arena("snapshots", "show", "demo@latst")
    assert (done.code, "No snapshot 'demo@latst'. Did you mean 'demo@latest'?" in done.err) == (2, True)
