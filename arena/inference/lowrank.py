"""Low-rank factors (LoRA, arXiv 2106.09685): y = W x + s·B A x, read from PEFT's files or from its layers.

Plain factors on linear layers only. Anything else that PEFT can put into an adapter (DoRA, biases, saved modules,
embeddings) is refused by name rather than left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import linear

from arena.errors import SnapshotError

_PREFIX = "base_model.model."


@dataclass(frozen=True, kw_only=True)
class Factors:
    """One layer's adapter: down A (r, in), up B (out, r), scale s."""

    down: torch.Tensor
    up: torch.Tensor
    scale: float

    @property
    def nbytes(self) -> int:
        """Memory of both factors."""
        return sum(t.numel() * t.element_size() for t in (self.down, self.up))


def read_factors(folder: Path, model: Any) -> dict[str, Factors]:
    """Factors by layer from an adapter folder in PEFT's format, on the model's device.

    Raises:
        SnapshotError: the folder holds something other than low-rank factors, or they do not fit the model.
    """
    from peft import LoraConfig, PeftConfig
    from peft.utils.other import get_pattern_key
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = PeftConfig.from_pretrained(str(folder))
        tensors = load_file(str(folder / "adapter_model.safetensors"))
    except (OSError, ValueError, SafetensorError) as error:
        raise SnapshotError(f"{folder} cannot be read as an adapter: {error}") from error
    if not isinstance(config, LoraConfig) or config.alora_invocation_tokens or config.fan_in_fan_out:
        raise SnapshotError(f"{folder} is not a plain LoRA adapter; the local engine applies only those.")
    sides: dict[str, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        path, _, side = key.removeprefix(_PREFIX).removesuffix(".weight").rpartition(".")
        if side not in ("lora_A", "lora_B") or not key.endswith(".weight"):
            raise SnapshotError(f"{folder} holds {key}; the local engine applies plain low-rank factors only.")
        sides.setdefault(path, {})[side] = tensor
    return {path: _fitted(folder, path, pair, config, get_pattern_key, model) for path, pair in sides.items()}


def _fitted(
    folder: Path, path: str, pair: Mapping[str, torch.Tensor], config: Any, pattern_key: Any, model: Any
) -> Factors:
    """One layer's pair, checked against the layer."""
    try:
        layer = model.get_submodule(path)
        layer = getattr(layer, "base_layer", layer)
        out, size = layer.out_features, layer.in_features
    except AttributeError as error:
        raise SnapshotError(f"{folder} has factors for {path}, which is no linear layer of the model.") from error
    down, up = pair.get("lora_A"), pair.get("lora_B")
    if down is None or up is None or (up.shape[0], up.shape[1], down.shape[1]) != (out, down.shape[0], size):
        shapes = [tuple(t.shape) for t in pair.values()]
        raise SnapshotError(f"{folder}: factors {shapes} at {path} do not fit a layer from {size} to {out}.")
    rank = down.shape[0]
    alpha = config.alpha_pattern.get(pattern_key(config.alpha_pattern.keys(), path), config.lora_alpha)
    scale = alpha / (math.sqrt(rank) if config.use_rslora else rank)
    device = layer.weight.device
    return Factors(down=down.to(device), up=up.to(device), scale=scale)


def lora_layers(model: Any) -> list[str]:
    """Paths of the layers that PEFT has put adapters into."""
    from peft.tuners.lora import LoraLayer

    return [path for path, module in model.named_modules() if isinstance(module, LoraLayer)]


def live_factors(model: Any, adapter: str) -> dict[str, Factors]:
    """Factors by layer of an adapter that lives in the model's layers, as they are now.

    Raises:
        SnapshotError: it is more than low-rank factors, or is merged into the weights.
    """
    found = {}
    for path in lora_layers(model):
        layer = model.get_submodule(path)
        if adapter not in layer.lora_A:
            continue
        down, up = layer.lora_A[adapter], layer.lora_B[adapter]
        if adapter in layer.lora_variant or up.bias is not None or layer.merged:
            raise SnapshotError(f"Adapter {adapter!r} at {path} is not plain low-rank factors, or is merged.")
        found[path] = Factors(down=down.weight.detach(), up=up.weight.detach(), scale=layer.scaling[adapter])
    return found


@contextmanager
def with_factors(layer: Any, parts: Sequence[tuple[int, int, Factors]], tokens: int) -> Iterator[None]:
    """Within this context the layer adds to each part of its input's rows the part's low-rank product.

    Args:
        layer: a linear layer, or PEFT's layer around one (whose own adapters are then left out).
        parts: (first row, behind the last row, factors).
        tokens: rows that the input must have.
    """
    base = getattr(layer, "base_layer", None) or layer.forward
    before = vars(layer).get("forward")  # accelerate, for one, may have put its own there

    def forward(x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = base(x)
        rows, sums = x.view(-1, x.shape[-1]), out.view(-1, out.shape[-1])
        if len(rows) != tokens:  # an expert's layer, say, that sees some of the tokens only
            raise SnapshotError(f"A layer with an adapter was given {len(rows)} of {tokens} tokens.")
        for start, end, factors in parts:
            low = linear(rows[start:end].to(factors.down.dtype), factors.down)
            if factors.up.dtype == sums.dtype:
                sums[start:end].addmm_(low, factors.up.T, alpha=factors.scale)
            else:
                sums[start:end] += (linear(low, factors.up) * factors.scale).to(sums.dtype)
        return out

    layer.forward = forward
    try:
        yield
    finally:
        del layer.forward
        if before is not None:
            layer.forward = before
