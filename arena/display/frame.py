"""A whole frame: the parts put together for the size of the terminal."""

from __future__ import annotations

from rich.text import Text

from arena.display.draw import beside, height_to, line
from arena.display.model import LiveModel
from arena.display.panels.advantages import advantages_panel
from arena.display.panels.header import header
from arena.display.panels.impasse import impasse_panel
from arena.display.panels.match import match_panel
from arena.display.panels.standings import roles_panel, roles_width, standings_panel, standings_width
from arena.display.panels.trends import trends_panel
from arena.display.safe import one_line

MATCH_COLUMNS = 60
"""What the match needs beside it for the numbers to stand there rather than below."""

_MATCH_LEAST = 9
_SHORTER = ((True, 8), (True, 4), (False, 8), (False, 4), (False, 2), (False, 0))
"""What the numbers give up one after the other for the match: a line per role of the advantages, and trends."""

_NATURAL_MATCH = 24


def frame(model: LiveModel, width: int, height: int | None, now_s: float, hint: str = "") -> list[Text]:
    """The lines of a frame.

    Args:
        model: the state.
        width: columns; no line is wider.
        height: exactly so many lines; as many as the contents need, if None.
        now_s: Unix time.
        hint: last line, dimmed: what the keys do.
    """
    top = header(model, width, now_s)
    bottom = _notes(model, width, 6 if height is None else 2)
    if hint:
        bottom.append(line((f" {hint}", "dim"), width=width))
    room = None if height is None else max(0, height - len(top) - len(bottom))
    side = max(standings_width(model), roles_width(model))
    wide = model.match is not None and side and width - side - 2 >= MATCH_COLUMNS
    body = _beside(model, width, side, room) if wide else _stacked(model, width, room)
    lines = [*top, *body, *bottom]
    return lines if height is None else height_to(lines, height)


def _side(model: LiveModel, width: int, room: int | None = None) -> list[Text]:
    """Everything but the match, as much of it as goes into `room` lines; the last try may be longer."""
    for full, trends in _SHORTER:
        lines = [
            *standings_panel(model, width),
            *roles_panel(model, width),
            *advantages_panel(model, width, full=full),
            *impasse_panel(model, width),
            *trends_panel(model, width, trends),
        ]
        if room is None or len(lines) <= room:
            break
    return lines


def _beside(model: LiveModel, width: int, right: int, room: int | None) -> list[Text]:
    left = width - right - 2
    side = _side(model, right, room)
    if room is None:
        return beside(match_panel(model, left)[:_NATURAL_MATCH], side, left, width)
    return beside(match_panel(model, left, room), side[:room], left, width)


def _stacked(model: LiveModel, width: int, room: int | None) -> list[Text]:
    if room is None:
        return [*match_panel(model, width), *_side(model, width)]
    if model.match is None:
        return height_to(_side(model, width, room), room)
    # The match is what people watch: numbers take what it leaves.
    most = max(0, room - _MATCH_LEAST)
    side = _side(model, width, most)[:most]
    return [*match_panel(model, width, room - len(side)), *side]


def _notes(model: LiveModel, width: int, most: int) -> list[Text]:
    """The latest notes."""
    return [line((" ! ", "bold yellow"), one_line(note), width=width) for note in list(model.notes)[-most:]]
