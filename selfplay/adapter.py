"""The learner's adapter as tensors: read from a snapshot, put in place, or held for a moment.

PEFT's own switching of adapters changes which parameters train, and loading one may replace the very tensors that the
optimiser steps. Here values are copied into the parameters that are there, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from arena.errors import SnapshotError
from arena.snapshots import WEIGHTS


def parameters(model: Any, adapter: str) -> dict[str, torch.Tensor]:
    """An adapter's parameters by the name that they have in a snapshot's file."""
    marked = f".{adapter}."
    return {
        name.replace(marked, "."): value
        for name, value in model.named_parameters()
        if "lora_" in name and marked in name
    }


def read(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of a snapshot."""
    from safetensors.torch import load_file

    tensors: dict[str, torch.Tensor] = load_file(str(folder / WEIGHTS))
    return tensors


@torch.no_grad()
def put(model: Any, adapter: str, tensors: Mapping[str, torch.Tensor]) -> None:
    """Copy tensors into an adapter's parameters.

    Raises:
        SnapshotError: they are not exactly the adapter's.
    """
    mine = parameters(model, adapter)
    odd = sorted(mine.keys() ^ tensors.keys())
    if odd:
        raise SnapshotError(f"The weights are of another adapter: {odd[0]} is on one side only ({len(odd)} such).")
    for name, value in mine.items():
        value.copy_(tensors[name])


@contextmanager
def holding(model: Any, adapter: str, tensors: Mapping[str, torch.Tensor]) -> Iterator[None]:
    """Within this context the adapter has these values; afterwards its own again, bit for bit."""
    own = {name: value.detach().clone() for name, value in parameters(model, adapter).items()}
    put(model, adapter, tensors)
    try:
        yield
    finally:
        put(model, adapter, own)
