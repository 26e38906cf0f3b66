"""Snapshots: whole or not there, never changed, and damage is named."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch
from inference_helpers import lora, randomised
from peft import PeftModel, get_peft_model
from safetensors.torch import load_file
from transformers import LlamaConfig, LlamaForCausalLM

from arena.errors import RunNotFoundError, SnapshotError, UsageError
from arena.models.registry import BaseModel, load_base
from arena.rundir import RunDir
from arena.snapshots import find_snapshots, list_snapshots, load_snapshot, save_snapshot, tensor_shapes, verify_snapshot


def test_a_snapshot_is_loaded_by_peft_with_the_weights_it_was_saved_with(base: BaseModel, run: RunDir, model_folder):
    model = get_peft_model(base.model, lora())
    randomised(model, seed=5)
    ids = torch.tensor([[7, 8, 9]])
    with torch.no_grad():
        expected = model.eval()(input_ids=ids).logits
    saved = save_snapshot(model, run, 120, base, meta={"parent": "base", "games": ["kuhn_poker"]})
    assert saved.name == "demo@000120"
    assert sorted(p.name for p in saved.folder.iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
        "snapshot.json",
    ]
    assert saved.info["games"] == ["kuhn_poker"]
    assert saved.info["base_sha256"] == base.model_hash
    again = PeftModel.from_pretrained(load_base(str(model_folder), device="cpu").model, str(saved.folder)).eval()
    with torch.no_grad():
        assert torch.equal(again(input_ids=ids).logits, expected)
    assert verify_snapshot(saved, base) == []
    assert all(parameter.requires_grad for name, parameter in model.named_parameters() if "lora_" in name)
    assert not model.peft_config["default"].inference_mode


def test_another_adapter_than_the_default_is_saved_in_the_same_form(base: BaseModel, run: RunDir):
    model = get_peft_model(base.model, lora(), adapter_name="learner")
    randomised(model, seed=1, adapter="learner")
    saved = save_snapshot(model, run, 1, base, adapter="learner", meta={})
    assert not any("learner" in key for key in load_file(saved.folder / "adapter_model.safetensors"))
    assert verify_snapshot(saved, base) == []


def test_saving_equal_weights_again_is_harmless_and_other_weights_are_refused(base: BaseModel, run: RunDir):
    model = get_peft_model(base.model, lora())
    first = save_snapshot(model, run, 1, base, meta={"metrics": {"loss": 1.0}})
    before = (first.folder / "snapshot.json").read_bytes()
    assert save_snapshot(model, run, 1, base, meta={"metrics": {"loss": 2.0}}).info == first.info
    randomised(model, seed=9)
    with pytest.raises(SnapshotError, match=r"demo@000001 exists with another adapter_model.safetensors"):
        save_snapshot(model, run, 1, base, meta={})
    assert (first.folder / "snapshot.json").read_bytes() == before
    assert [p.name for p in run.snapshots.iterdir()] == ["000001"]  # no half-written folder stays behind


def test_meta_cannot_replace_what_identifies_a_snapshot(base: BaseModel, run: RunDir):
    with pytest.raises(ValueError, match="sha256"):
        save_snapshot(get_peft_model(base.model, lora()), run, 1, base, meta={"sha256": "0"})


def test_tampering_is_found_and_named(base: BaseModel, run: RunDir):
    saved = save_snapshot(get_peft_model(base.model, lora()), run, 1, base, meta={})
    weights = saved.folder / "adapter_model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(bytes(data))
    (problem,) = verify_snapshot(saved, base)
    assert "has SHA-256" in problem
    assert saved.info["sha256"][:12] in problem
    with pytest.raises(SnapshotError, match="cannot be used"):
        load_snapshot(f"{run.path}@1", base)
    weights.write_bytes(bytes(data[:-10]))
    assert any(f"has {len(data) - 10} bytes, its header says {len(data)}" in p for p in verify_snapshot(saved))
    weights.write_bytes(b"PK\x03\x04 a pickle")
    with pytest.raises(SnapshotError, match="is not a safetensors file"):
        tensor_shapes(weights)


def test_a_snapshot_of_another_base_is_refused(base: BaseModel, run: RunDir):
    saved = save_snapshot(get_peft_model(base.model, lora()), run, 1, base, meta={})
    other = BaseModel(name="other", model=base.model, tokenizer=None, model_hash="f" * 64, tokenizer_hash="e" * 64)
    problems = verify_snapshot(saved, other)
    assert [p.partition(":")[0] for p in problems] == ["made for another base model", "made for another tokenizer"]
    assert "ffffffffffff… (other)" in problems[0]


def test_shapes_that_do_not_fit_are_named(base: BaseModel, run: RunDir):
    def narrow():
        sizes = {"hidden_size": 16, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4}
        return LlamaForCausalLM(LlamaConfig(vocab_size=50, num_key_value_heads=2, **sizes))

    saved = save_snapshot(get_peft_model(narrow(), lora(target_modules=["q_proj"])), run, 1, base, meta={})
    assert "has shape (4, 16), its layer has 32 in_features" in verify_snapshot(saved, base)[0]
    config = lora(target_modules=["q_proj"], layers_to_transform=[2])
    deep = save_snapshot(get_peft_model(narrow(), config), run, 2, base, meta={})
    assert "is for a layer that the model does not have" in verify_snapshot(deep, base)[0]


def test_references(base: BaseModel, run: RunDir):
    model = get_peft_model(base.model, lora())
    for step in (3, 120, 1_000_000):
        save_snapshot(model, run, step, base, meta={})
    assert [s.step for s in find_snapshots(f"{run.path}@all")] == [3, 120, 1_000_000]
    assert find_snapshots(f"{run.path}@latest")[0].name == "demo@1000000"
    assert load_snapshot(f"{run.path}@000120").step == 120
    with pytest.raises(SnapshotError, match=r"No snapshot .*@7'.* has: demo@000003, demo@000120, demo@1000000"):
        find_snapshots(f"{run.path}@7")
    with pytest.raises(SnapshotError, match="3 snapshots where one is needed"):
        load_snapshot(f"{run.path}@all")
    with pytest.raises(RunNotFoundError):
        find_snapshots(f"{run.path}x@3")
    with pytest.raises(UsageError, match="RUN@000120"):
        find_snapshots("demo")


def test_an_incomplete_or_newer_folder_says_so(base: BaseModel, run: RunDir):
    saved = save_snapshot(get_peft_model(base.model, lora()), run, 1, base, meta={})
    info = saved.folder / "snapshot.json"
    info.write_text(json.dumps({**saved.info, "schema": 2}))
    with pytest.raises(SnapshotError, match="has schema 2; this version reads up to 1"):
        list_snapshots(run)
    info.write_text("{")
    with pytest.raises(SnapshotError, match="cannot be read"):
        list_snapshots(run)
    info.unlink()
    with pytest.raises(SnapshotError, match=r"snapshot\.json missing"):
        list_snapshots(run)


def test_the_light_half_needs_no_torch():
    code = "import sys, arena.snapshots; print([m for m in ('torch', 'transformers', 'peft') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
