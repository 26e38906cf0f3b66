"""Rectangular boards as text: cells in rows from the top, a number before each row, a letter under each column."""

from __future__ import annotations

from collections.abc import Sequence


def square(row: int, column: int) -> str:
    """`c2` for row 2 and the third column; rows are given as they are named, columns counted from 0."""
    return f"{chr(ord('a') + column)}{row}"


def letters(columns: int) -> str:
    """`a b c`."""
    return " ".join(chr(ord("a") + column) for column in range(columns))


def draw(rows: Sequence[Sequence[str]], numbers: Sequence[int], *, under: str | None = None) -> str:
    """The board.

    Args:
        rows: cells of each row, the top one first.
        numbers: names of the rows in the same order.
        under: the line below the columns, letters unless given.
    """
    width = max(len(str(number)) for number in numbers)
    lines = [f"{number:>{width}} {' '.join(row)}" for number, row in zip(numbers, rows, strict=True)]
    return "\n".join([*lines, f"{' ' * width} {letters(len(rows[0])) if under is None else under}"])
