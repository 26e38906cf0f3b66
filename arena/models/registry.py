"""Base models by name: the embedded `pocket`, a folder, or a Hugging Face id. Only safetensors are ever loaded."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import UsageError
from games.suggest import unknown

if TYPE_CHECKING:
    import torch

EMBEDDED = {"pocket": Path(__file__).parent / "pocket"}
"""Models that ship with the package."""


@dataclass(frozen=True, kw_only=True)
class BaseModel:
    """A loaded base model and what identifies it.

    Attributes:
        name: as it was asked for.
        model: the causal language model, in eval mode, no gradients.
        tokenizer: its tokenizer, with a chat template.
        model_hash: SHA-256 of the weight files' contents.
        tokenizer_hash: SHA-256 of vocabulary and chat template.
    """

    name: str
    model: Any
    tokenizer: Any
    model_hash: str
    tokenizer_hash: str


def folder_of(name: str) -> Path | None:
    """Where a model lies on this disk, or None when `name` is a hub id."""
    if name in EMBEDDED:
        return EMBEDDED[name]
    return Path(name) if name and os.path.isdir(name) else None  # unlike Path.is_dir, it takes names of any length


def hash_files(paths: list[Path]) -> str:
    """SHA-256 over the contents of files, in the order given."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


@lru_cache(maxsize=64)
def _hash_unchanged(files: tuple[tuple[Path, int, int], ...]) -> str:
    """`hash_files`, remembered as long as sizes and times (ns) stay the same."""
    return hash_files([path for path, _, _ in files])


def hash_weights(folder: Path) -> str:
    """SHA-256 over the safetensors files of a model's folder, by name."""
    files = sorted(folder.glob("*.safetensors"))
    return _hash_unchanged(tuple((file, file.stat().st_size, file.stat().st_mtime_ns) for file in files))


def _hash_tokenizer(tokenizer: Any) -> str:
    text = repr(sorted(tokenizer.get_vocab().items())) + repr(tokenizer.chat_template)
    return hashlib.sha256(text.encode()).hexdigest()


def pick_device(device: str) -> str:
    """`auto` is the GPU when torch sees one.

    Raises:
        UsageError: there is no such device here.
    """
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:  # what torch raises differs by device
        known = ["cpu", *(["cuda"] if torch.cuda.is_available() else []), "auto"]
        raise UsageError(unknown("device", device, known)) from error
    return device


def pick_dtype(dtype: str, device: str) -> torch.dtype:
    """`auto` is bfloat16 on a GPU and float32 on a CPU."""
    import torch

    names = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if dtype == "auto":
        return torch.bfloat16 if device.startswith("cuda") else torch.float32
    if dtype not in names:
        raise UsageError(unknown("dtype", dtype, [*names, "auto"]))
    return names[dtype]


def load_base(name: str = "pocket", *, device: str = "auto", dtype: str = "auto") -> BaseModel:
    """Load a base model.

    Args:
        name: `pocket`, a folder in Hugging Face format, or a hub id (`Qwen/Qwen3-4B`).
        device: a torch device, or `auto`.
        dtype: `float32`, `bfloat16`, `float16` or `auto`.

    Raises:
        UsageError: nothing can be loaded under this name; says what was tried.
    """
    with ctrl_c_stands():
        return _load_base(name, device, dtype)


def check_model(name: str) -> Path | None:
    """The folder of a model that lies on this machine, None for a hub id; loads nothing.

    Raises:
        UsageError: it can be neither.
    """
    folder = folder_of(name)
    if folder is None and "/" not in name:
        raise UsageError(unknown("model", name, EMBEDDED) + " A folder or a Hugging Face id (`org/model`) works too.")
    if folder is not None and not (folder / "config.json").is_file():
        raise UsageError(f"The folder {name!r} holds no model: it has no config.json (Hugging Face format).")
    return folder


def _load_base(name: str, device: str, dtype: str) -> BaseModel:
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.hub import cached_file

    folder = check_model(name)
    source = str(folder or name)
    place = pick_device(device)
    kind = pick_dtype(dtype, place)
    try:
        with _no_progress_bars():
            tokenizer = AutoTokenizer.from_pretrained(source, padding_side="left", trust_remote_code=False)
            model: Any = AutoModelForCausalLM.from_pretrained(
                source, dtype=kind, use_safetensors=True, trust_remote_code=False
            )
            # A hub id has been fetched by now; its files lie side by side in the cache.
            weights = folder or Path(str(cached_file(name, "config.json"))).parent
    except (OSError, ValueError) as error:
        raise UsageError(f"Cannot load the model {name!r}: {error}") from error
    if tokenizer.chat_template is None:
        raise UsageError(f"The model {name!r} has no chat template; use an instruction-tuned one.")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.requires_grad_(False).eval().to(place)
    return BaseModel(
        name=name,
        model=model,
        tokenizer=tokenizer,
        model_hash=hash_weights(weights),
        tokenizer_hash=_hash_tokenizer(tokenizer),
    )


@contextmanager
def ctrl_c_stands() -> Iterator[None]:
    """Ctrl-C while libraries are imported is a KeyboardInterrupt, whatever they make of it.

    Some turn it into an ImportError of their own, which would be told as a broken installation.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    pressed = False

    def handle(number: int, frame: object) -> None:
        nonlocal pressed
        pressed = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    except Exception:
        if pressed:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    """The terminal belongs to whoever called; transformers' bars would be drawn over it."""
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging  # it has no type information
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
