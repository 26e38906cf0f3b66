"""Base models by name or folder, with what identifies them."""

from __future__ import annotations

import hashlib
import shutil
import signal
from pathlib import Path

import pytest
import torch
from inference_helpers import make_tokenizer
from safetensors.torch import load_file, save_file

from arena.errors import UsageError
from arena.inference.engine import LocalEngine
from arena.models.registry import BaseModel, ctrl_c_stands, load_base, pick_device


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


def test_ctrl_c_that_a_library_turns_into_its_own_error_stays_ctrl_c() -> None:
    def library() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ModuleNotFoundError("Could not import module 'LlamaConfig'.") from None

    with pytest.raises(KeyboardInterrupt), ctrl_c_stands():
        library()
    with pytest.raises(ModuleNotFoundError), ctrl_c_stands():
        raise ModuleNotFoundError("No module named 'torch'")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(("device", "message"), [("foo", "Unknown device 'foo'"), ("cuda:99", "Known: auto, cpu")])
def test_a_device_that_is_not_there_is_refused(device: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        pick_device(device)


def test_a_folder_without_a_model_and_a_name_too_long_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no model: it has no config\.json"):
        load_base(str(tmp_path))
    for name in ("", "x" * 300):
        with pytest.raises(UsageError, match="Unknown model"):
            load_base(name)
