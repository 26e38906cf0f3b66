"""A running batch: rows that grow together, each a conversation so far.

Rows of similar length share a group, in which they are right-aligned: they end at the same column, so their own tokens
are contiguous and a decoding step writes one column. The tokens of a forward pass are packed by adapter, without
padding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from arena.inference.adapters import AdapterBank, Stretch
from arena.inference.attention import GroupStep, packed_attention
from arena.inference.kv import Stored, Workspace

GROUP_SPREAD, GROUP_SLACK = 1.25, 16
"""A group's longest row has at most GROUP_SPREAD × its shortest + GROUP_SLACK tokens."""

PIECE_SPREAD, PIECE_SLACK = 1.5, 8
"""The same for the new tokens of the rows of a group that attend together in the first pass."""

Ints = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(kw_only=True)
class Row:
    """One sequence in a batch.

    Attributes:
        ids: its tokens; those that are not stored are computed by the first pass.
        adapter: its adapter.
        stored: states of the first of them.
        started: all of them are stored and the next one is chosen already; the first pass leaves the row out.
    """

    ids: Sequence[int]
    adapter: str | None
    stored: Stored | None = None
    started: bool = False

    @property
    def known(self) -> int:
        """Tokens whose states are used; the last one is computed again if need be, for its logits."""
        if self.stored is None:
            return 0
        return len(self.ids) if self.started else min(len(self.stored.ids), len(self.ids) - 1)


class _Group:
    """Rows of similar length, their keys and values side by side, by how many new tokens they have."""

    def __init__(self, rows: Sequence[Row], members: Sequence[int], room: int) -> None:
        self.members = sorted(members, key=lambda i: len(rows[i].ids) - rows[i].known)
        lengths = np.array([len(rows[i].ids) for i in self.members], dtype=np.int64)
        self.fresh: Ints = lengths - np.array([rows[i].known for i in self.members], dtype=np.int64)
        self.end = int(lengths.max())
        self.starts = self.end - lengths
        self.size = (len(self.members), self.end + room)
        self.data: torch.Tensor  # (L, 2, b, H, W, D)

    def fill(self, data: torch.Tensor, rows: Sequence[Row]) -> None:
        """Put the stored states of the rows where they belong."""
        self.data = data
        # What is never written must be finite: a weight of zero times NaN is NaN.
        data[:, :, :, :, : int(self.starts.max())] = 0
        for slot, i in enumerate(self.members):
            at, left = int(self.starts[slot]), rows[i].known
            stored = rows[i].stored
            for part in stored.parts if stored is not None else ():
                n = min(part.shape[3], left)
                data[:, :, slot, :, at : at + n] = part[:, :, :, :n]
                at, left = at + n, left - n

    def new(self, slots: slice) -> Iterator[tuple[int, int]]:
        """Rows in these slots, each with the number of its new tokens."""
        return zip(self.members[slots], self.fresh[slots].tolist(), strict=True)

    def pieces(self, tokens: int) -> Iterator[slice]:
        """Ranges of slots with something new, similar in how much, with at most about `tokens` new tokens."""
        first = int(np.searchsorted(self.fresh, 1))
        size = 0
        for slot in range(first, len(self.members)):
            n = int(self.fresh[slot])
            if slot > first and (size + n > tokens or n > PIECE_SPREAD * int(self.fresh[first]) + PIECE_SLACK):
                yield slice(first, slot)
                first, size = slot, 0
            size += n
        if first < len(self.members):
            yield slice(first, len(self.members))

    def step(self, slots: slice, offsets: Ints, fresh: Ints, end: int) -> GroupStep:
        """Plan of a pass in which the row in slot i has `fresh[i]` new tokens, packed from `offsets[i]` on."""
        data = self.data[:, :, slots]
        n = int(fresh.max())
        column = np.arange(n) - (n - fresh[:, None])  # (b, n): which of the row's new tokens; negative is padding
        take = torch.from_numpy(offsets[:, None] + column.clip(0)).to(data.device)
        real = None
        if int(fresh.min()) < n:
            row_index, column_index = (torch.from_numpy(a).to(data.device) for a in np.nonzero(column >= 0))
            real = (row_index, column_index)
        columns = torch.arange(data.shape[4] if n == 1 else end, device=data.device)
        starts = torch.from_numpy(self.starts[slots]).to(data.device)
        hidden = (columns < starts[:, None])[:, None]  # (b, 1, W)
        if n > 1:
            queries = columns[end - n : end, None]
            # A padding position sees itself: attention over nothing is NaN.
            hidden = (hidden | (columns > queries)) & (columns != queries)
        mask = torch.zeros(hidden.shape, dtype=data.dtype, device=data.device).masked_fill_(hidden, -torch.inf)
        return GroupStep(data=data, take=take, real=real, mask=mask[:, None], end=end)


class Batch:
    """Rows and their states while they run.

    Args:
        model: the causal language model.
        adapters: applied to the rows.
        rows: what to run; not empty.
        groups: of the rows, filled.
        room: tokens that each row can grow by.
    """

    def __init__(
        self, model: Any, adapters: AdapterBank, rows: Sequence[Row], groups: Sequence[_Group], room: int
    ) -> None:
        self._model, self._adapters, self._groups = model, adapters, groups
        self.rows, self.room = rows, room
        self._device = groups[0].data.device
        self._place = {i: (group, slot) for group in self._groups for slot, i in enumerate(group.members)}

    @classmethod
    @contextmanager
    def of(
        cls, model: Any, adapters: AdapterBank, workspace: Workspace, rows: Sequence[Row], *, room: int = 0
    ) -> Iterator[Batch]:
        """A batch of these rows; its states are gone when the context ends."""
        groups = [_Group(rows, members, room) for members in _similar([len(row.ids) for row in rows])]
        with workspace.lend([group.size for group in groups]) as memory:
            for group, data in zip(groups, memory, strict=True):
                group.fill(data, rows)
            yield cls(model, adapters, rows, groups, room)

    def first(self, *, tokens: int, keep: Sequence[int] | None = None) -> list[torch.Tensor]:
        """Compute all tokens that are not stored.

        Args:
            tokens: at most about so many in one forward pass.
            keep: for each row, how many of its last positions to return logits of; one unless given.

        Returns:
            For each row, logits (k, V).
        """
        logits: list[torch.Tensor] = [torch.empty(0)] * len(self.rows)
        for pieces in self._chunks(tokens):
            members = [(i, n) for group, slots in pieces for i, n in group.new(slots)]
            order, fresh, offsets = self._packed(members)
            lengths = [len(self.rows[i].ids) for i in order]
            counts = [1 if keep is None else keep[i] for i in order]
            ids = [token for i, n in zip(order, fresh, strict=True) for token in self.rows[i].ids[-n:]]
            positions = np.concatenate([np.arange(m - n, m) for m, n in zip(lengths, fresh, strict=True)])
            wanted = np.concatenate([np.arange(e - c, e) for e, c in zip(offsets + fresh, counts, strict=True)])
            where = {i: k for k, i in enumerate(order)}
            plan = []
            for group, slots in pieces:
                packed = [where[i] for i in group.members[slots]]
                plan.append(group.step(slots, offsets[packed], fresh[packed], group.end))
            with self._ready(self._stretches(order, fresh), plan):
                made = self._forward(torch.tensor(ids), torch.from_numpy(positions), torch.from_numpy(wanted))
            for i, part in zip(order, torch.split(made, counts), strict=True):
                logits[i] = part
        return logits

    @contextmanager
    def decoding(self) -> Iterator[Callable[[torch.Tensor], torch.Tensor]]:
        """Yields a function from one further token of each row (B,) to the logits (B, V) behind it."""
        order, fresh, offsets = self._packed([(i, 1) for i in range(len(self.rows))])
        where = {i: k for k, i in enumerate(order)}
        plan = []
        for group in self._groups:
            packed = [where[i] for i in group.members]
            plan.append(group.step(slice(None), offsets[packed], fresh[packed], group.end))
        index = torch.tensor(order, device=self._device)
        back = torch.argsort(index)
        positions = torch.tensor([len(self.rows[i].ids) for i in order], device=self._device)

        def step(tokens: torch.Tensor) -> torch.Tensor:
            for part in plan:
                part.end += 1
            logits = self._forward(tokens.to(self._device)[index], positions, None)
            positions.add_(1)
            return logits[back]

        with self._ready(self._stretches(order, fresh), plan):
            yield step

    def states(self, row: int, start: int, end: int) -> torch.Tensor:
        """A copy of the states of a row's tokens [start, end): (L, 2, H, end-start, D)."""
        group, slot = self._place[row]
        first = int(group.starts[slot])
        return group.data[:, :, slot, :, first + start : first + end].clone()

    def _forward(self, ids: torch.Tensor, positions: torch.Tensor, wanted: torch.Tensor | None) -> torch.Tensor:
        device = self._device
        output = self._model(
            input_ids=ids[None].to(device),
            position_ids=positions[None].to(device),
            use_cache=False,
            logits_to_keep=0 if wanted is None else wanted.to(device),
        )
        logits: torch.Tensor = output.logits[0]
        return logits

    @contextmanager
    def _ready(self, stretches: Sequence[Stretch], plan: Sequence[GroupStep]) -> Iterator[None]:
        with self._adapters.using(stretches), packed_attention(self._model, plan):
            yield

    def _chunks(self, tokens: int) -> Iterator[list[tuple[_Group, slice]]]:
        """Pieces of groups that are computed together."""
        chunk: list[tuple[_Group, slice]] = []
        size = 0
        for group in self._groups:
            for slots in group.pieces(tokens):
                more = int(group.fresh[slots].sum())
                if chunk and size + more > tokens:
                    yield chunk
                    chunk, size = [], 0
                chunk.append((group, slots))
                size += more
        if chunk:
            yield chunk

    def _packed(self, members: list[tuple[int, int]]) -> tuple[list[int], Ints, Ints]:
        """Packed order of (row, new tokens), by adapter: the rows, their new tokens, and where those begin."""
        members = sorted(members, key=lambda member: (self.rows[member[0]].adapter or "", member[0]))
        fresh = np.array([n for _, n in members], dtype=np.int64)
        return [i for i, _ in members], fresh, np.cumsum(fresh) - fresh

    def _stretches(self, order: Sequence[int], fresh: Ints) -> list[Stretch]:
        stretches: list[Stretch] = []
        at = 0
        for i, n in zip(order, fresh.tolist(), strict=True):
            name = self.rows[i].adapter
            if stretches and stretches[-1][0] == name:
                stretches[-1] = (name, stretches[-1][1], at + n)
            else:
                stretches.append((name, at, at + n))
            at += n
        return stretches


def _similar(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices by length, cut where a group would waste too much on padding."""
    group: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if group and lengths[i] > GROUP_SPREAD * lengths[group[0]] + GROUP_SLACK:
            yield group
            group = []
        group.append(i)
    yield group
