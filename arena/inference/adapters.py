"""Adapters over one base model: loaded on demand within a byte budget, mixed within a batch, never trained here.

PEFT's `set_adapter` makes the chosen adapter trainable and the others not, so it is never called: which adapter a
row uses is passed along with the batch (PEFT's `adapter_names`). Names are immutable; only the trainer's own adapter
changes its weights, and says so through `bump`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.errors import SnapshotError
from games.suggest import unknown

_BASE = "__base__"
"""PEFT's name for "no adapter" in a mixed batch."""


class AdapterBank:
    """The adapters that are in memory.

    Args:
        base: the plain model.
        peft_model: the PeftModel around it, if a trainer owns one; its adapters are never evicted.
        budget_bytes: memory for adapters loaded from folders.
    """

    def __init__(self, base: Any, peft_model: Any = None, *, budget_bytes: int) -> None:
        self._base = base
        self._peft = peft_model
        self._budget = budget_bytes
        self._folders: dict[str, Path] = {}
        self._loaded: OrderedDict[str, int] = OrderedDict()
        self._versions: dict[str, int] = {}
        self._resident = set(peft_model.peft_config) if peft_model is not None else set()

    @property
    def model(self) -> Any:
        """The model to call: PEFT's when there are adapters, else the base."""
        return self._peft if self._peft is not None else self._base

    @property
    def nbytes(self) -> int:
        """Memory of the adapters loaded from folders."""
        return sum(self._loaded.values())

    def add(self, name: str, folder: Path) -> None:
        """Make an adapter known; it is read from its folder when first used.

        Raises:
            SnapshotError: the name stands for another folder already. Names are immutable.
        """
        known = self._folders.setdefault(name, folder)
        if known != folder:
            raise SnapshotError(f"Adapter {name!r} is {known}; it cannot also be {folder}. Names are immutable.")

    def weights(self, name: str | None) -> str:
        """Identity of the weights behind a name right now."""
        return _BASE if name is None else f"{name}#{self._versions.get(name, 0)}"

    def bump(self, name: str) -> str:
        """The adapter's weights changed in place. Returns the identity they had."""
        old = self.weights(name)
        self._versions[name] = self._versions.get(name, 0) + 1
        return old

    @contextmanager
    def using(self, names: Sequence[str | None]) -> Iterator[Any]:
        """A callable model that applies `names[i]` to row i."""
        used = {name for name in names if name is not None}
        if not used and self._peft is None:
            yield self._base
            return
        for name in sorted(used):
            self._ensure(name, keep=used)
        rows = [_BASE if name is None else name for name in names]

        def call(**inputs: Any) -> Any:
            return self._peft(**inputs, adapter_names=rows)

        yield call

    def _ensure(self, name: str, keep: set[str]) -> None:
        if name in self._resident:
            return
        if name in self._loaded:
            self._loaded.move_to_end(name)
            return
        if name not in self._folders:
            raise SnapshotError(unknown("adapter", name, [*self._folders, *self._resident]))
        self._load(name, self._folders[name])
        while self.nbytes > self._budget:
            victim = next((other for other in self._loaded if other not in keep), None)
            if victim is None:  # everything loaded is needed by this very batch
                return
            self._peft.delete_adapter(victim)
            del self._loaded[victim]

    def _load(self, name: str, folder: Path) -> None:
        from peft import PeftModel

        if self._peft is None:
            self._peft = PeftModel.from_pretrained(self._base, str(folder), adapter_name=name, is_trainable=False)
        else:
            training = {n for n, p in self._peft.named_parameters() if p.requires_grad}
            self._peft.load_adapter(str(folder), adapter_name=name, is_trainable=False)
            for parameter_name, parameter in self._peft.named_parameters():
                parameter.requires_grad_(parameter_name in training)
        self._peft.eval()
        tag = f".{name}."
        size = sum(p.numel() * p.element_size() for n, p in self._peft.named_parameters() if tag in n)
        self._loaded[name] = size
