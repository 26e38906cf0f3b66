"""Base models by name or folder, with what identifies them."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
import torch
from inference_helpers import make_tokenizer
from safetensors.torch import load_file, save_file

from arena.errors import UsageError
from arena.inference.engine import LocalEngine
from arena.models.registry import BaseModel, load_base


def test_a_folder_is_loaded_frozen_and_identified_by_its_weights(base: BaseModel, model_folder: Path):
    assert base.model_hash == hashlib.sha256((model_folder / "model.safetensors").read_bytes()).hexdigest()
    assert base.model.dtype == torch.float32
    assert not base.model.training
    assert not any(parameter.requires_grad for parameter in base.model.parameters())


def test_hashes_change_with_weights_tokenizer_and_template(base: BaseModel, model_folder: Path, tmp_path: Path):
    copy = tmp_path / "copy"
    shutil.copytree(model_folder, copy)
    same = load_base(str(copy), device="cpu")
    assert (same.model_hash, same.tokenizer_hash) == (base.model_hash, base.tokenizer_hash)
    tensors = load_file(copy / "model.safetensors")
    tensors["model.norm.weight"] += 1
    save_file(tensors, str(copy / "model.safetensors"), metadata={"format": "pt"})
    make_tokenizer("{{ messages[0]['content'] }}").save_pretrained(copy)
    other = load_base(str(copy), device="cpu")
    assert other.model_hash != base.model_hash
    assert other.tokenizer_hash != base.tokenizer_hash


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("pokcet", "Did you mean 'pocket'"),
        ("nobody/nothing", "Cannot load the model 'nobody/nothing'"),
    ],
)
def test_unknown_names_say_what_there_is(name: str, says: str):
    with pytest.raises(UsageError, match=says):
        load_base(name)


def test_an_unknown_dtype_names_those_there_are(model_folder: Path):
    with pytest.raises(UsageError, match="bfloat16"):
        load_base(str(model_folder), dtype="bfloat61")


def test_only_safetensors_are_loaded(model_folder: Path, tmp_path: Path):
    folder = tmp_path / "pickled"
    shutil.copytree(model_folder, folder)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UsageError, match="safetensors"):
        load_base(str(folder))


def test_a_model_without_chat_template_is_refused(model_folder: Path, tmp_path: Path):
    folder = tmp_path / "base"
    shutil.copytree(model_folder, folder)
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(UsageError, match="has no chat template"):
        load_base(str(folder))


def test_a_model_whose_attention_is_not_run_here_is_refused(base: BaseModel):
    base.model.config.layer_types = ["full_attention", "sliding_attention"]
    with pytest.raises(UsageError, match="llama has full_attention, sliding_attention"):
        LocalEngine(base)
