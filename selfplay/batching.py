"""Rows to tensors in TRL's layout, and the split into micro-batches.

Prompts are padded on the left and completions on the right. Rows come in the order of their packs, shortest first,
and are cut where the tokens are shared out evenly, so that a micro-batch holds rows of similar length and little
padding. All of them contribute to the same optimiser step, so the order changes nothing but the cost.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import torch

from selfplay.packing import Pack, Packed, to_packed
from selfplay.trajectories import Row

Batch: TypeAlias = dict[str, Any]
"""Tensors by TRL's key."""

PER_ROW = (
    "prompt_ids",
    "prompt_mask",
    "completion_ids",
    "completion_mask",
    "tool_mask",
    "advantages",
    "old_per_token_logps",
    "ref_per_token_logps",
    "groups",
)


def to_batch(
    rows: Sequence[Row],
    advantages: Sequence[Sequence[float]],
    groups: Sequence[int],
    *,
    pad_id: int,
    device: torch.device | str,
) -> Batch:
    """All rows as one padded batch.

    Args:
        rows: R rows, at least one.
        advantages: for each row, one number per completion token.
        groups: for each row, the number of its (game, role), to sum metrics by.
        pad_id: fills the padding; never attended to.
        device: where the tensors go.

    Returns:
        `prompt_ids`, `prompt_mask` (R, P); `completion_ids`, `completion_mask`, `tool_mask` (1 on the learner's own
        tokens), `advantages`, `old_per_token_logps` (of the sampler; 0 elsewhere) (R, T); `groups` (R,);
        `num_items_in_batch`, the number of the learner's tokens.
    """
    p = max(len(row.prompt_ids) for row in rows)
    t = max(len(row.completion_ids) for row in rows)

    def left(values: Sequence[int], fill: int) -> list[int]:
        return [fill] * (p - len(values)) + list(values)

    def right(values: Sequence[Any], fill: Any) -> list[Any]:
        return list(values) + [fill] * (t - len(values))

    def ones(values: Sequence[int]) -> list[int]:
        return [1] * len(values)

    def integers(table: list[list[int]]) -> torch.Tensor:
        return torch.tensor(table, dtype=torch.long, device=device)

    def floats(table: list[list[float]]) -> torch.Tensor:
        return torch.tensor(table, dtype=torch.float32, device=device)

    batch: Batch = {
        "prompt_ids": integers([left(row.prompt_ids, pad_id) for row in rows]),
        "prompt_mask": integers([left(ones(row.prompt_ids), 0) for row in rows]),
        "completion_ids": integers([right(row.completion_ids, pad_id) for row in rows]),
        "completion_mask": integers([right(ones(row.completion_ids), 0) for row in rows]),
        "tool_mask": integers([right(row.loss_mask, 0) for row in rows]),
        "advantages": floats([right(values, 0.0) for values in advantages]),
        "old_per_token_logps": floats([right(row.logprobs, 0.0) for row in rows]),
        "groups": torch.tensor(list(groups), dtype=torch.long, device=device),
    }
    batch["num_items_in_batch"] = batch["tool_mask"].sum()
    return batch


@dataclass(frozen=True, kw_only=True)
class Share:
    """What one micro-batch computes.

    Attributes:
        first, rows: consecutive rows of the batch.
        height: rows after padding: as many as the largest of the micro-batches that the ranks compute at one time.
        packed: the rows in packed form.
        empty: whether the rows are others' and carry no loss; they are there because every micro-batch must compute.
    """

    first: int
    rows: int
    height: int
    packed: Packed
    empty: bool


def shares(
    rows: Sequence[Row],
    packs: Sequence[Pack],
    parts: int,
    *,
    pad_id: int,
    device: torch.device | str,
    rank: int = 0,
    ranks: int = 1,
) -> list[Share]:
    """Share the packs out over micro-batches; one that would be empty repeats the first pack, marked so.

    The ranks' micro-batches of one time are neighbours in the list of packs, which is sorted by length: so they cost
    about the same, and no rank waits long for another.

    Args:
        rows: what the packs' indices refer to.
        packs: all packs, in the order of the batch's rows.
        parts: number of micro-batches on each rank.
        pad_id: fills short sequences.
        device: where the tensors go.
        rank: whose micro-batches are returned.
        ranks: number of processes.
    """
    made = []
    bounds = cuts([pack.length for pack in packs], parts * ranks)
    for number in range(rank, parts * ranks, ranks):
        together = [packs[start:stop] or packs[:1] for start, stop in bounds[number - rank :][:ranks]]
        start, stop = bounds[number]
        empty, mine = start == stop, together[rank]
        made.append(
            Share(
                first=0 if empty else _count(packs[:start]),
                rows=_count(mine),
                height=max(map(_count, together)),
                packed=to_packed(rows, mine, pad_id=pad_id, device=device),
                empty=empty,
            )
        )
    return made


def _count(packs: Sequence[Pack]) -> int:
    """Rows of the packs."""
    return sum(len(pack.rows) for pack in packs)


def cuts(lengths: Sequence[int], parts: int) -> list[tuple[int, int]]:
    """Split a list into `parts` consecutive ranges of about equal sums; none is empty unless items are fewer."""
    count = len(lengths)
    middles = [end - length / 2 for end, length in zip(accumulate(lengths), lengths, strict=True)]
    bounds = [0]
    for number in range(1, parts):
        even = bisect_right(middles, sum(lengths) * number / parts)
        least = min(number, count)
        bounds.append(min(max(even, least), max(count - (parts - number), least)))
    return list(pairwise([*bounds, count]))


def part(batch: Batch, start: int, stop: int, height: int = 0) -> Batch:
    """Rows `start` to `stop`, at least one, without the columns that only other rows need.

    Args:
        batch: all rows.
        start: the first row.
        stop: the row behind the last.
        height: rows of zeros are added up to this number; they are masked.
    """
    made = {key: value[start:stop] if key in PER_ROW else value for key, value in batch.items()}
    p = int(made["prompt_mask"].sum(1).max())
    t = int(made["completion_mask"].sum(1).max())
    for key, value in made.items():
        if key in PER_ROW and value.dim() == 2:
            made[key] = value[:, value.shape[1] - p :] if key.startswith("prompt") else value[:, :t]
    missing = height - (stop - start)
    if missing > 0:
        made |= {
            key: torch.cat([value, value.new_zeros(missing, *value.shape[1:])])
            for key, value in made.items()
            if key in PER_ROW
        }
    return made
