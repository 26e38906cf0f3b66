"""Splits of a pool as text, and back. Whole numbers only."""

from __future__ import annotations

import re
from typing import TypeAlias

from games.parsing import normalise, shown

KINDS = ("book", "hat", "ball")
Split: TypeAlias = tuple[int, ...]
"""Units per kind, in the order of KINDS."""

FORM = "Write what you would keep, like [Keep: 1 book, 1 hat], with whole numbers; the other gets the rest."
_NAMES = {form: i for i, kind in enumerate(KINDS) for form in (kind, f"{kind}s")}
_NAMES |= {"basketball": 2, "basketballs": 2}
_JOIN = re.compile(r"(?:\s*(?:,|\+|&|\band\b)\s*)+")
_ITEM = re.compile(r"(\d{1,4})\s*x?\s*([a-z]+)", re.ASCII)
_KEEP = re.compile(r"(?:i )?keep\s*:?\s*(.*)", re.DOTALL)


def amounts(split: Split, *, zeros: bool = False) -> str:
    """`2 books, 1 hat`; `nothing` for an empty split."""
    listed = [
        f"{units} {kind}{'' if units == 1 else 's'}" for units, kind in zip(split, KINDS, strict=True) if units or zeros
    ]
    return ", ".join(listed) or "nothing"


def keep_answer(split: Split) -> str:
    """The canonical answer that proposes to keep this: `Keep: 2 books, 1 hat`."""
    return f"Keep: {amounts(split)}"


def read_keep(text: str) -> Split | str:
    """The split in an answer, or what is wrong with it."""
    match = _KEEP.fullmatch(normalise(text))
    if match is None:
        return f"[{shown(text)}] is neither [Keep: …] nor [Accept]. {FORM}"
    if match[1] == "nothing":
        return (0,) * len(KINDS)
    counts: dict[int, int] = {}
    for part in _JOIN.split(match[1].strip()):
        item = _ITEM.fullmatch(part)
        if item is None:
            return f"{shown(part)!r} is not a number of items. {FORM}"
        kind = _NAMES.get(item[2])
        if kind is None:
            return f"{shown(item[2])!r} is not in the pool; there are books, hats and balls."
        if kind in counts:
            return f"There is more than one number of {KINDS[kind]}s. {FORM}"
        counts[kind] = int(item[1])
    return tuple(counts.get(kind, 0) for kind in range(len(KINDS)))
