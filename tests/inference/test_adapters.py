"""Adapters: read from PEFT's folders as PEFT reads them, within a byte budget, and refused when they are more."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from inference_helpers import generate, lora, plain_logprobs, prompts, randomised, request
from peft import PeftModel, get_peft_model
from safetensors.torch import load_file, save_file

from arena.errors import SnapshotError
from arena.inference.engine import LocalEngine
from arena.models.registry import BaseModel, load_base


@pytest.mark.parametrize(
    "changes",
    [
        {"use_rslora": True},
        {"rank_pattern": {"q_proj": 2}, "alpha_pattern": {"v_proj": 32, "layers.1.mlp.up_proj": 1}},
        {"target_modules": ["gate_proj"], "layers_to_transform": [1]},
    ],
)
def test_scaling_and_ranks_are_pefts(changes: dict, base: BaseModel, model_folder: Path, tmp_path: Path):
    model = get_peft_model(load_base(str(model_folder), device="cpu").model, lora(**changes))
    randomised(model, seed=4)
    model.save_pretrained(str(tmp_path / "a"))
    engine = LocalEngine(base)
    engine.add_adapter("a", tmp_path / "a")
    prompt = prompts([20])[0]
    (reply,) = generate(engine, request(prompt, "a"))
    assert reply.logprobs == pytest.approx(plain_logprobs(model.eval(), prompt, reply.ids), abs=1e-4)


def test_the_byte_budget_evicts_the_least_recently_used(base: BaseModel, adapters: dict[str, Path]):
    sizes = {}
    for name, folder in adapters.items():
        sizes[name] = sum(t.nbytes for t in load_file(folder / "adapter_model.safetensors").values())
    engine = LocalEngine(base, adapter_bytes=sizes["one"] + sizes["two"])
    for name, folder in adapters.items():
        engine.add_adapter(name, folder)
    assert engine.adapters.nbytes == 0  # known, not read
    prompt = prompts([9])[0]
    first = {name: generate(engine, request(prompt, name))[0] for name in ("one", "two")}
    assert engine.adapters.nbytes == sizes["one"] + sizes["two"]
    generate(engine, request(prompt, "one"), request(prompt, None))
    generate(engine, request(prompt, "three"))
    assert engine.adapters.loaded == ("one", "three")
    assert generate(engine, request(prompt, "two"))[0].ids == first["two"].ids  # read again
    # A batch that needs more than the budget still runs.
    everything = generate(engine, *(request(prompt, name) for name in adapters))
    assert everything[0].ids == first["one"].ids


def test_loading_never_touches_what_a_trainer_trains(base: BaseModel, adapters: dict[str, Path]):
    model = get_peft_model(base.model, lora())
    before = {name: p.requires_grad for name, p in model.named_parameters()}
    assert any(before.values())
    engine = LocalEngine(base, model=model, adapter_bytes=1)  # every use evicts
    for name, folder in adapters.items():
        engine.add_adapter(name, folder)
    for name in (*adapters, "default", None, *adapters):
        generate(engine, request(prompts([9])[0], name))
    assert {name: p.requires_grad for name, p in model.named_parameters()} == before
    assert model.active_adapters == ["default"]
    assert not any("forward" in vars(module) for module in model.modules())  # nothing stays replaced
    model.train()
    loss = model(input_ids=torch.tensor([prompts([9])[0]]), labels=torch.tensor([prompts([9])[0]])).loss
    loss.backward()
    assert all((p.grad is not None) == p.requires_grad for p in model.parameters())


def test_an_adapter_that_peft_injects_later_is_not_applied_by_itself(engine: LocalEngine):
    prompt = prompts([20])[0]
    before = generate(engine, request(prompt, None), request(prompt, "one"))
    randomised(get_peft_model(engine.base.model, lora()), seed=8)  # active from now on, as far as PEFT is concerned
    after = generate(engine, request(prompt, None), request(prompt, "one"))
    assert [reply.ids for reply in after] == [reply.ids for reply in before]


def test_names_are_immutable(engine: LocalEngine, adapters: dict[str, Path]):
    engine.add_adapter("one", adapters["one"])  # the same again is fine
    with pytest.raises(SnapshotError, match="Names are immutable"):
        engine.add_adapter("one", adapters["two"])
    with pytest.raises(SnapshotError, match=r"Unknown adapter 'onne'\. Did you mean 'one'"):
        engine.remove_adapter("onne")


def test_a_snapshot_cannot_take_the_learners_name(base: BaseModel, adapters: dict[str, Path]):
    engine = LocalEngine(base, model=get_peft_model(base.model, lora()))
    with pytest.raises(SnapshotError, match="is the adapter in training"):
        engine.add_adapter("default", adapters["one"])


def copy_with(source: Path, target: Path, change) -> Path:
    """A copy of an adapter folder with its tensors changed."""
    shutil.copytree(source, target)
    tensors = load_file(target / "adapter_model.safetensors")
    change(tensors)
    save_file(tensors, str(target / "adapter_model.safetensors"))
    return target


def rename(tensors: dict, old: str, new: str) -> None:
    for key in [key for key in tensors if old in key]:
        tensors[key.replace(old, new)] = tensors.pop(key)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.update({"base_model.model.lm_head.weight": torch.zeros(2)}), "plain low-rank factors only"),
        (lambda t: rename(t, "layers.1.", "layers.7."), r"layers\.7\..*no linear layer of the model"),
        (lambda t: t.pop(next(iter(t))), "do not fit a layer"),
        (lambda t: t.update({next(iter(t)): torch.zeros(4, 31)}), "do not fit a layer"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(change, says: str, base: BaseModel, adapters: dict[str, Path], tmp_path):
    engine = LocalEngine(base)
    engine.add_adapter("odd", copy_with(adapters["one"], tmp_path / "odd", change))
    with pytest.raises(SnapshotError, match=says):
        generate(engine, request((5, 6), "odd"))


def test_other_kinds_of_adapter_are_refused(base: BaseModel, model_folder: Path, tmp_path: Path):
    engine = LocalEngine(base)
    for name, changes in {"dora": {"use_dora": True}, "bias": {"bias": "lora_only", "lora_bias": True}}.items():
        model = get_peft_model(load_base(str(model_folder), device="cpu").model, lora(**changes))
        model.save_pretrained(str(tmp_path / name))
        engine.add_adapter(name, tmp_path / name)
        with pytest.raises(SnapshotError, match="plain low-rank factors only"):
            generate(engine, request((5, 6), name))
    engine.add_adapter("none", tmp_path / "none")
    with pytest.raises(SnapshotError, match="cannot be read as an adapter"):
        generate(engine, request((5, 6), "none"))
    (tmp_path / "dora" / "adapter_config.json").write_text(json.dumps({"peft_type": "IA3"}))
    engine.add_adapter("ia3", tmp_path / "dora")
    with pytest.raises(SnapshotError, match="not a plain LoRA adapter"):
        generate(engine, request((5, 6), "ia3"))


def test_live_adapters_that_are_more_than_factors_are_refused(base: BaseModel):
    model = get_peft_model(base.model, lora(use_dora=True))
    with pytest.raises(SnapshotError, match="is not plain low-rank factors"):
        generate(LocalEngine(base, model=model), request((5, 6), "default"))


def test_half_precision_bases_take_adapters_in_full_precision(model_folder: Path, adapters: dict[str, Path]):
    half = load_base(str(model_folder), device="cpu", dtype="bfloat16")
    engine = LocalEngine(half)
    engine.add_adapter("one", adapters["one"])
    prompt = prompts([20])[0]
    (reply,) = generate(engine, request(prompt, "one"))
    model = PeftModel.from_pretrained(
        load_base(str(model_folder), device="cpu", dtype="bfloat16").model, str(adapters["one"])
    )
    assert reply.logprobs == pytest.approx(plain_logprobs(model.eval(), prompt, reply.ids), abs=0.3)
