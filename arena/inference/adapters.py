"""Adapters over one base model: loaded on demand within a byte budget, mixed within a batch, never trained here.

A batch is one sequence of tokens in which each adapter has a stretch of its own; a layer adds the adapter's low-rank
product to that stretch. The factors are read from PEFT's files, or, for the trainer's own adapter, from the layers
that it trains, as they are at that moment. PEFT's state is never touched: its `set_adapter` makes the chosen adapter
trainable and the others not, and its own mixed batches cost twice as much.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from arena.errors import SnapshotError
from arena.inference.lowrank import Factors, live_factors, lora_layers, read_factors, with_factors
from games.suggest import unknown

Stretch = tuple[str | None, int, int]
"""Adapter (None: the base), first token, behind the last token."""


class AdapterBank:
    """The adapters that a model can be used with.

    Args:
        model: the causal language model.
        live: names of the adapters that a trainer keeps in the model's layers; never evicted.
        budget_bytes: memory for adapters loaded from folders.
    """

    def __init__(self, model: Any, live: Sequence[str] = (), *, budget_bytes: int) -> None:
        self._model = model
        self._live = frozenset(live)
        self._budget = budget_bytes
        self._folders: dict[str, Path] = {}
        self._loaded: OrderedDict[str, Mapping[str, Factors]] = OrderedDict()
        self._versions: dict[str, int] = {}
        self._injected: tuple[str, ...] | None = None
        self._layers: tuple[Mapping[str, Any], Sequence[str]] = ({}, ())

    @property
    def nbytes(self) -> int:
        """Memory of the adapters loaded from folders."""
        return sum(factors.nbytes for adapter in self._loaded.values() for factors in adapter.values())

    @property
    def loaded(self) -> tuple[str, ...]:
        """Adapters in memory, least recently used first."""
        return tuple(self._loaded)

    def add(self, name: str, folder: Path) -> None:
        """Make an adapter known; it is read from its folder when first used.

        Raises:
            SnapshotError: the name stands for another folder already. Names are immutable.
        """
        if name in self._live:
            raise SnapshotError(f"{name!r} is the adapter in training; give the snapshot another name.")
        known = self._folders.setdefault(name, folder)
        if known != folder:
            raise SnapshotError(f"Adapter {name!r} is {known}; it cannot also be {folder}. Names are immutable.")

    def remove(self, name: str) -> str:
        """Forget an adapter loaded from a folder. Returns the identity of its weights."""
        if name not in self._folders:
            raise SnapshotError(unknown("adapter", name, self._folders))
        del self._folders[name]
        self._loaded.pop(name, None)
        return self.bump(name)

    def folder(self, name: str | None) -> Path | None:
        """Where an adapter is read from; None for the base and for an adapter in training."""
        return None if name is None else self._folders.get(name)

    def weights(self, name: str | None) -> str:
        """Identity of the weights behind a name right now."""
        return "base" if name is None else f"{name}#{self._versions.get(name, 0)}"

    def bump(self, name: str) -> str:
        """The adapter's weights changed in place. Returns the identity they had."""
        old = self.weights(name)
        self._versions[name] = self._versions.get(name, 0) + 1
        return old

    def ensure(self, name: str | None) -> None:
        """Load an adapter, so that one that cannot be read fails whoever asks for it, and not a whole batch.

        Raises:
            SnapshotError: it is not known, or its folder is damaged or of another kind.
        """
        if name is not None and name not in self._live:
            self._factors(name, keep={name: None})

    @contextmanager
    def using(self, stretches: Sequence[Stretch]) -> Iterator[None]:
        """Within this context the model applies to each stretch of a packed batch its adapter.

        Args:
            stretches: cover the batch, in order.
        """
        used = dict.fromkeys(name for name, _, _ in stretches if name is not None)
        factors = {name: self._factors(name, keep=used) for name in used}
        # Layers that hold a trainer's adapter are replaced even where no stretch wants one: on their own they would
        # apply the adapter that PEFT has active.
        modules, wrapped = self._tree()
        plan: dict[str, list[tuple[int, int, Factors]]] = {path: [] for path in wrapped}
        for name, start, end in stretches:
            if name is not None:
                for path, pair in factors[name].items():
                    plan.setdefault(path, []).append((start, end, pair))
        tokens = stretches[-1][2]
        with ExitStack() as stack:
            for path, parts in plan.items():
                stack.enter_context(with_factors(modules[path], parts, tokens))
            yield

    def _tree(self) -> tuple[Mapping[str, Any], Sequence[str]]:
        """The model's modules by path, and which of them PEFT has put adapters into; looked up again when it has."""
        injected = tuple(getattr(self._model, "peft_config", None) or ())
        if injected != self._injected:
            self._injected = injected
            self._layers = dict(self._model.named_modules()), lora_layers(self._model)
        return self._layers

    def _factors(self, name: str, keep: Mapping[str, None]) -> Mapping[str, Factors]:
        if name in self._live:
            return live_factors(self._model, name)
        if name in self._loaded:
            self._loaded.move_to_end(name)
            return self._loaded[name]
        if name not in self._folders:
            raise SnapshotError(unknown("adapter", name, [*self._folders, *self._live]))
        factors = self._loaded[name] = read_factors(self._folders[name], self._model)
        while self.nbytes > self._budget:
            victim = next((other for other in self._loaded if other not in keep), None)
            if victim is None:  # everything loaded is needed by this very batch
                break
            del self._loaded[victim]
        return factors
