"""One table, three renderings: styled on a terminal, aligned text in a pipe, Markdown in a report."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len

from arena.display.safe import fit, one_line, pad, wrap

PIPE_WIDTH = 80
"""Columns of a table that goes into a pipe or a file, unless COLUMNS says otherwise."""

_GAP = "  "


@dataclass(frozen=True)
class Column:
    """A column: its heading, whether its cells are right-aligned, and whether it may be cut where room is short."""

    name: str
    right: bool = False
    shrink: bool = False


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table. Cells are plain text of any origin; they are cleaned here.

    Attributes:
        title: heading. columns: from left to right. rows: one cell per column.
        keys: how many columns on the left are repeated where the table must be broken into parts.
        notes: sentences below.
    """

    title: str = ""
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    keys: int = 1
    notes: Sequence[str] = field(default_factory=tuple)

    def text(self, width: int) -> str:
        """Aligned plain text of at most `width` columns where that is possible; broken into parts if it is not."""
        return "\n".join(row for row, _ in self._lines(width))

    def markdown(self) -> str:
        """A Markdown table."""
        head = [f"### {_escaped(self.title)}", ""] if self.title else []
        lines = [
            "| " + " | ".join(_escaped(column.name) or " " for column in self.columns) + " |",
            "|" + "|".join("---:" if column.right else "---" for column in self.columns) + "|",
            *("| " + " | ".join(map(_escaped, row)) + " |" for row in self.rows),
        ]
        notes = ["", *(f"{_escaped(note)}  " for note in self.notes)] if self.notes else []
        return "\n".join([*head, *lines, *notes, ""])

    def print(self) -> None:
        """To stdout, styled where that is a terminal."""
        lines = self._lines(shutil.get_terminal_size((PIPE_WIDTH, 24)).columns)
        if not sys.stdout.isatty():
            sys.stdout.write("".join(f"{row}\n" for row, _ in lines))
            return
        from rich.console import Console
        from rich.text import Text

        console = Console()
        for row, style in lines:
            console.print(Text(row, style=style), no_wrap=True, crop=True, overflow="crop")

    # --- layout ------------------------------------------------------------------------------------------------------

    def _lines(self, width: int) -> list[tuple[str, str]]:
        """Lines and their styles."""
        lines = [(one_line(self.title), "bold")] if self.title else []
        for number, part in enumerate(self._parts(width)):
            lines += [("", "")] if number else []
            widths = self._widths(part, width)
            lines.append((fit(self._line(part, widths, None), width), "dim"))
            lines += [(fit(self._line(part, widths, row), width), "") for row in self.rows]
        return [*lines, *((row, "italic") for note in self.notes for row in wrap(one_line(note), width))]

    def _widths(self, part: Sequence[int], width: int) -> list[int]:
        widths = [self._natural(index) for index in part]
        excess = sum(widths) + len(_GAP) * (len(part) - 1) - width
        for place, index in enumerate(part):
            if excess > 0 and self.columns[index].shrink:
                least = min(widths[place], max(8, len(self.columns[index].name)))
                cut = min(excess, widths[place] - least)
                widths[place] -= cut
                excess -= cut
        return widths

    def _natural(self, index: int) -> int:
        return max(cell_len(one_line(text)) for text in (self.columns[index].name, *(row[index] for row in self.rows)))

    def _parts(self, width: int) -> list[list[int]]:
        """Column numbers of each part: the keys, and as many others as fit."""
        everything = list(range(len(self.columns)))
        if sum(self._widths(everything, width)) + len(_GAP) * (len(everything) - 1) <= width:
            return [everything]
        parts: list[list[int]] = []
        keys = everything[: self.keys]
        current = list(keys)
        for index in everything[self.keys :]:
            wider = [*current, index]
            if sum(self._widths(wider, width)) + len(_GAP) * (len(wider) - 1) > width and len(current) > len(keys):
                parts.append(current)
                wider = [*keys, index]
            current = wider
        return [*parts, current]

    def _line(self, part: Sequence[int], widths: Sequence[int], row: Sequence[str] | None) -> str:
        cells = [
            pad(one_line(self.columns[i].name if row is None else row[i]), wide, right=self.columns[i].right)
            for i, wide in zip(part, widths, strict=True)
        ]
        return _GAP.join(cells).rstrip()


def _escaped(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
