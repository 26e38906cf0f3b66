"""Sparklines of the metrics, the ones that tell of trouble first."""

from __future__ import annotations

from rich.text import Text

from arena.display.draw import line, number, percent, rule, sparkline
from arena.display.model import LiveModel
from arena.display.safe import one_line, pad

_FIRST = ("invalid", "draws", "spread", "kl", "entropy", "reply tokens", "sampler_kl", "grad_norm", "loss")
_SHARES = frozenset({"invalid", "draws"})
_NAME, _VALUE = 13, 9


def trends_panel(model: LiveModel, width: int, most: int = 8) -> list[Text]:
    """Up to `most` series, two a line where there is room."""
    lambdas = [name for name in model.series if name.startswith("λ ")]
    names = [*lambdas, *(name for name in _FIRST if name in model.series)]
    names += sorted(set(model.series) - set(names))
    names = [name for name in names if not name.endswith("_s")][:most]
    if not names:
        return []
    columns = 2 if width >= 76 else 1
    cell = width // columns
    cells = [_cell(model, name, cell - 1) for name in names]
    rows = [cells[i : i + columns] for i in range(0, len(cells), columns)]
    return [rule("trends", width), *(line(" ", Text(" ").join(row), width=width) for row in rows)]


def _cell(model: LiveModel, name: str, width: int) -> Text:
    series = model.series[name]
    latest = percent(series[-1]) if name in _SHARES else number(series[-1])
    room = max(4, width - _NAME - _VALUE - 2)
    course = sparkline(series, room)
    return Text.assemble(
        (pad(one_line(name), _NAME), "dim"), " ", (pad(course, room), "cyan"), " ", pad(latest, _VALUE, right=True)
    )
