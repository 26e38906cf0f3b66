r"""Text of players, models and files is untrusted: what it may do to a terminal, and how wide it may be.

Everything a display shows passes through here. Terminal escapes, other control characters, direction marks,
zero-width and unassigned characters are written out as escapes (`\x1b`, `\u202e`), so they are seen and do nothing.
Markup of the display library is harmless by construction: texts are never handed to it as markup.
"""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len, chop_cells, set_cell_size

LIMIT = 4_000
"""Characters of one text at most; what is beyond is counted, not shown."""

MARKS = 2
"""Combining marks that may stand on one character; more reach into other lines."""


def clean(text: str, limit: int = LIMIT) -> str:
    """Printable characters and line ends; everything else as a visible escape.

    Args:
        text: anything.
        limit: characters kept.
    """
    beyond = len(text) - limit
    if beyond > 0:
        text = text[:limit]
    if not (text.isascii() and text.isprintable()):
        text = _written_out(text.replace("\r\n", "\n").expandtabs(4))
    return f"{text}… (+{beyond:,} characters)" if beyond > 0 else text


def _written_out(text: str) -> str:
    out: list[str] = []
    marks = 0
    for char in text:
        if char.isascii() and (char.isprintable() or char == "\n"):
            marks = 0
            out.append(char)
        elif unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
            # Variation selectors change the width of what they follow, and no two terminals agree by how much.
            marks += 1
            if marks <= MARKS and not 0xFE00 <= ord(char) <= 0xFE0F:
                out.append(char)
        else:
            marks = 0
            out.append(char if char.isprintable() else _escape(char))
    return "".join(out)


def _escape(char: str) -> str:
    if unicodedata.category(char) == "Zs":
        return " "
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str, limit: int = 300) -> str:
    """`clean`, with line ends shown as `⏎`."""
    return clean(text, limit).replace("\n", " ⏎ ")


def fit(text: str, width: int) -> str:
    """One line of at most `width` cells; what is cut off is marked by `…`. The text must be clean."""
    if width <= 0:
        return ""
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip(" ") + "…"


def pad(text: str, width: int, *, right: bool = False) -> str:
    """One line of exactly `width` cells, cut or filled with blanks (on the left if `right`)."""
    text = fit(text, width)
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` cells, broken between words where possible. The text must be clean."""
    width = max(width, 2)
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            joined = f"{line} {word}" if line else word
            if cell_len(joined) <= width:
                line = joined
                continue
            if line:
                lines.append(line)
            *full, line = chop_cells(word, width) or [""]
            lines += full
        lines.append(line)
    return lines


def tail(lines: list[str], height: int) -> list[str]:
    """The last `height` lines; the first of them says how many are missing."""
    if len(lines) <= height:
        return lines
    if height <= 0:
        return []
    return [f"… {len(lines) - height + 1} lines above", *lines[len(lines) - height + 1 :]]
