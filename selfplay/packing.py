"""Rows that begin alike, computed together: the beginning once, the rest side by side.

All rows of a game and seat start with the same rules, often most of the row. A pack is one sequence

    shared beginning | rest of row 1 | rest of row 2 | …

in which each rest sees the beginning and itself, at the positions it had in its own row. Every token gets the very
hidden state that it has in its own row, and so the same log-probability and gradient, up to rounding; only the
beginning is not computed once per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from selfplay.trajectories import Row

LENGTH = 192
"""Packs grow to this many tokens, or half again as long as their longest row: attention costs the square."""


@dataclass(frozen=True, kw_only=True)
class Pack:
    """Which rows share a sequence.

    Attributes:
        rows: indices of the rows.
        shared: how many leading tokens they have in common, all before any row's first sampled token.
        length: tokens of the sequence.
    """

    rows: tuple[int, ...]
    shared: int
    length: int


def common_prefix(a: Sequence[int], b: Sequence[int], limit: int) -> int:
    """How many leading elements are equal, at most `limit`."""
    end = min(limit, len(a), len(b))
    if a[:end] == b[:end]:
        return end
    return next(i for i in range(end) if a[i] != b[i])


def make_packs(rows: Sequence[Row]) -> list[Pack]:
    """Put rows that begin alike into packs, greedily along their sorted prompts; shortest packs first."""
    packs: list[Pack] = []
    open_pack: Pack | None = None
    for index in sorted(range(len(rows)), key=lambda i: (rows[i].prompt_ids, rows[i].length, i)):
        grown = None if open_pack is None else _grow(open_pack, index, rows)
        if grown is None:
            # The last prompt token predicts the first sampled one, so it stays with its row.
            grown = Pack(rows=(index,), shared=len(rows[index].prompt_ids) - 1, length=rows[index].length)
            packs.append(grown)
        else:
            packs[-1] = grown
        open_pack = grown
    return sorted(packs, key=lambda pack: pack.length)


def _grow(pack: Pack, index: int, rows: Sequence[Row]) -> Pack | None:
    """The pack with one more row, or None where it would be too long or share too little."""
    new = rows[index]
    first = rows[pack.rows[0]].prompt_ids
    shared = common_prefix(first, new.prompt_ids, min(pack.shared, len(new.prompt_ids) - 1))
    if 2 * shared < pack.shared:
        return None
    length = pack.length + (pack.shared - shared) * (len(pack.rows) - 1) + new.length - shared
    if length > max(LENGTH, max(rows[i].length for i in (*pack.rows, index)) * 3 // 2):
        return None
    return Pack(rows=(*pack.rows, index), shared=shared, length=length)


@dataclass(frozen=True, kw_only=True)
class Packed:
    """Packs as tensors, S sequences of L columns, and where each of M learner's tokens is found.

    Attributes:
        input_ids, position_ids: (S, L).
        mask: (S, 1, L, L), true where a column (last) is seen from a column (last but one).
        labels: (M,) the learner's tokens.
        source: (2, M) sequence and column whose hidden state predicts each of them.
        target: (2, M) row and completion position of each of them.
    """

    input_ids: torch.Tensor
    position_ids: torch.Tensor
    mask: torch.Tensor
    labels: torch.Tensor
    source: torch.Tensor
    target: torch.Tensor


def to_packed(rows: Sequence[Row], packs: Sequence[Pack], *, pad_id: int, device: torch.device | str) -> Packed:
    """Packs of rows as tensors.

    Args:
        rows: what the packs' indices refer to.
        packs: of exactly these rows, in their order: the first pack holds the first rows.
        pad_id: fills short sequences.
        device: where the tensors go.
    """
    width = max(pack.length for pack in packs)
    ids, positions, segments = [], [], []
    labels: list[int] = []
    source: list[tuple[int, int]] = []
    target: list[tuple[int, int]] = []
    number = 0
    for sequence, pack in enumerate(packs):
        shared = pack.shared
        line_ids = list(rows[pack.rows[0]].prompt_ids[:shared])
        line_positions = list(range(shared))
        line_segments = [0] * shared
        for segment, index in enumerate(pack.rows, start=1):
            row = rows[index]
            tokens = row.prompt_ids + row.completion_ids
            first = len(row.prompt_ids)
            start = len(line_ids)
            line_ids += tokens[shared:]
            line_positions += range(shared, len(tokens))
            line_segments += [segment] * (len(tokens) - shared)
            for t, own in enumerate(row.loss_mask):
                if own:
                    labels.append(row.completion_ids[t])
                    source.append((sequence, start + first + t - 1 - shared))
                    target.append((number, t))
            number += 1
        padding = width - len(line_ids)
        ids.append(line_ids + [pad_id] * padding)
        positions.append(line_positions + [0] * padding)
        segments.append(line_segments + [-1] * padding)
    segment_of = torch.tensor(segments, device=device)
    columns = torch.arange(width, device=device)
    seen = (segment_of[:, None, :] == 0) | (segment_of[:, None, :] == segment_of[:, :, None])
    return Packed(
        input_ids=torch.tensor(ids, device=device),
        position_ids=torch.tensor(positions, device=device),
        mask=(seen & (columns[None, None, :] <= columns[None, :, None]))[:, None],
        labels=torch.tensor(labels, dtype=torch.long, device=device),
        source=torch.tensor(source, dtype=torch.long, device=device).reshape(-1, 2).T,
        target=torch.tensor(target, dtype=torch.long, device=device).reshape(-1, 2).T,
    )
