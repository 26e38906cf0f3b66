"""The processes of a run: each plays its share of the matches, all of them know all results.

`accelerate launch` (or torchrun) starts the same command once per rank. What must be done once, such as writing a
file, rank 0 does, and the others wait; what all decide by, such as Ctrl-C or the records of an update, is exchanged, so
that they decide alike. A run of one process exchanges nothing and imports nothing for it.

Gradients travel by DDP, under TRL's trainer; what is exchanged here are a few Python objects an update, over a group
of its own on the CPU.
"""

from __future__ import annotations

import copyreg
import os
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any, TypeVar

from arena.errors import ArenaError, UsageError

T = TypeVar("T")

PATIENCE = timedelta(hours=24)
"""How long a rank waits for the others; a dead one is noticed at once, a slow one plays long matches."""


def _freeze(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


# Frozen mappings, such as a record's parameters, travel as the dicts inside them.
copyreg.pickle(MappingProxyType, lambda frozen: (_freeze, (dict(frozen),)))


def is_leader() -> bool:
    """Whether this process is the one that speaks and writes, as the launcher's environment says; asks no library."""
    return os.environ.get("RANK", "0") == "0"


class Ranks:
    """A run of one process, and the interface of several.

    Attributes:
        rank: number of this process, from 0.
        size: number of processes.
    """

    rank = 0
    size = 1

    @property
    def leads(self) -> bool:
        """Whether this process writes the run's files."""
        return self.rank == 0

    def share(self, items: Sequence[T]) -> Sequence[T]:
        """This rank's items: every `size`-th one, from its own number on."""
        return items[self.rank :: self.size]

    def exchange(self, value: T) -> list[T]:
        """Everybody's value, in the order of ranks. All ranks must call this, as all methods below."""
        return [value]

    def merge(self, mine: Sequence[T]) -> list[T]:
        """Undo `share`: all items in their order; where a rank has lost its last ones, only what all have kept."""
        shares = self.exchange(list(mine))
        made: list[T] = []
        for number in range(sum(map(len, shares))):
            turn, rank = divmod(number, self.size)
            if turn >= len(shares[rank]):
                break
            made.append(shares[rank][turn])
        return made

    def any(self, flag: bool) -> bool:
        """Whether it holds on any rank."""
        return any(self.exchange(flag))

    def once(self, action: Callable[[], T]) -> T:
        """Rank 0 does it; all get its result, or its error.

        Args:
            action: its result must be picklable.

        Raises:
            ArenaError, OSError: what the action raised, on every rank.
        """
        return action()

    def first_then_others(self, action: Callable[[], T]) -> T:
        """All do it, rank 0 alone before the others: it may fill a cache that they use."""
        return action()

    def device(self, device: str) -> str:
        """The device of this rank, where all ranks were given the same.

        Raises:
            UsageError: there are fewer GPUs than processes.
        """
        return device


class ManyRanks(Ranks):
    """One of several processes, over `torch.distributed`.

    Args:
        on_cpu: whether the model is on the CPU.
    """

    def __init__(self, *, on_cpu: bool) -> None:
        import torch.distributed
        from accelerate import PartialState  # type: ignore[import-untyped]  # it publishes no types

        state = PartialState(cpu=on_cpu)
        self.rank, self.size = state.process_index, state.num_processes
        self._on_gpu = state.local_process_index
        self._torch = torch.distributed
        self._group: Any = torch.distributed.new_group(backend="gloo", timeout=PATIENCE)

    def exchange(self, value: T) -> list[T]:
        """Everybody's value, in the order of ranks."""
        everybody: list[Any] = [None] * self.size
        self._torch.all_gather_object(everybody, value, group=self._group)
        return everybody

    def once(self, action: Callable[[], T]) -> T:
        """Rank 0 does it; all get its result, or its error."""
        told: list[Any] = [None, None]
        if self.leads:
            try:
                told[0] = action()
            except (ArenaError, OSError) as error:  # anything else ends this process, and the launcher ends the others
                told[1] = error
        self._torch.broadcast_object_list(told, src=0, group=self._group)
        if told[1] is not None:
            raise told[1]
        result: T = told[0]
        return result

    def first_then_others(self, action: Callable[[], T]) -> T:
        """All do it, rank 0 alone before the others."""
        made: list[T] = []
        self.once(lambda: made.append(action()))
        return made[0] if self.leads else action()

    def device(self, device: str) -> str:
        """The device of this rank: with `cuda`, the one of its number on its machine."""
        import torch

        if device != "cuda":
            return device
        there, wanted = torch.cuda.device_count(), int(os.environ.get("LOCAL_WORLD_SIZE", self.size))
        if there < wanted:
            raise UsageError(
                f"{wanted} processes were started and there are {there} GPUs here. Start at most {there}, or give "
                f"device=cpu."
            )
        torch.cuda.set_device(self._on_gpu)
        return f"cuda:{self._on_gpu}"


def leave_ranks() -> None:
    """Close what `join_ranks` opened, where all ranks end alike; left to the end of the process, gloo may abort it."""
    distributed = sys.modules.get("torch.distributed")
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and distributed is not None and distributed.is_initialized():
        distributed.destroy_process_group()


def join_ranks(device: str) -> Ranks:
    """The ranks that the launcher started, or this process alone.

    Args:
        device: of the model, as `pick_device` gives it.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) <= 1:
        return Ranks()
    return ManyRanks(on_cpu=device == "cpu")
