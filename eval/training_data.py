"""Which questions of the generated tasks the base model was trained on, where its maker left word of it.

The embedded model's folder holds `pocket.json` with the recipe it was made by: tasks per family in each phase. Phase
p of n of a recipe with seed s was trained on items with seed s·n + p (`arena.models.build_pocket.phase_rows`).
"""

from __future__ import annotations

import json
from pathlib import Path

from arena.models.registry import folder_of
from arena.tasks import items

RECIPE = "pocket.json"


def trained_items(folder: Path) -> list[tuple[int, int]] | None:
    """(items, seed) of each phase of training, the same for every task family; None where nothing is known."""
    path = folder / RECIPE
    if not path.is_file():
        return None
    recipe = json.loads(path.read_text(encoding="utf-8"))["recipe"]
    first = recipe["seed"] * len(recipe["phases"])
    return [(phase["mix"]["tasks"], first + number) for number, phase in enumerate(recipe["phases"])]


def trained_questions(model: str, family: str) -> frozenset[str] | None:
    """Every question of a family that the base model saw in training; None where nothing is known.

    Args:
        model: name of the base model, as it was asked for.
        family: task family.
    """
    folder = folder_of(model)
    phases = trained_items(folder) if folder is not None else None
    if phases is None:
        return None
    return frozenset(item.question for n, seed in phases if n for item in items(family, n, seed))
