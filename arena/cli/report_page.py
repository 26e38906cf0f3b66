"""A report as Markdown and as one HTML page that needs nothing else: no network, no script, readable on a phone.

All texts are of any origin: control characters are written out (`display.safe`), then HTML or Markdown is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from arena.cli.report_parts import Report, Told
from arena.cli.sheet import Column, Sheet
from arena.display.safe import clean, one_line
from arena.display.svg import line_chart

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 0 auto; padding: 1rem;
  max-width: 70rem; overflow-wrap: anywhere; }
h1, h2 { line-height: 1.2; }
figure { margin: 0; overflow-x: auto; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); gap: 1rem; }
svg { width: 100%; height: auto; border: 1px solid #ddd; border-radius: 4px; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
.right { text-align: right; white-space: nowrap; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .1rem 1rem; }
dt { color: #555; } dd { margin: 0; }
details { margin: .5rem 0; } pre { white-space: pre-wrap; margin: .2rem 0; font: 14px/1.4 ui-monospace, monospace; }
@media (max-width: 40rem) {
  dl { display: block; } dd { margin: 0 0 .5rem; }
  th, td { padding: .25rem .35rem; font-size: 14px; }
  svg { min-width: 36rem; } /* its smallest letters stay readable; the chart is moved sideways */
}
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html_page(report: Report) -> str:
    """The whole page."""
    body = "\n".join(_body(report))
    title = _text(f"Self-play run {report.name}")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )


def _body(report: Report) -> Iterator[str]:
    facts = "".join(f"<dt>{_text(what)}</dt><dd>{_text(which, 2_000)}</dd>" for what, which in report.facts)
    yield f"<dl>{facts}</dl>"
    yield _table(report.roles)
    yield "<h2>Impasses</h2>"
    yield _table(report.impasses, title=False) if report.impasses.rows else "<p>No signal lasted.</p>"
    yield from (_match(report.name, told) for told in report.matches)
    yield "<h2>Curves over updates</h2>"
    charts = [line_chart(chart.title, "update", chart.y_label, chart.series) for chart in report.charts]
    yield f'<div class="charts">{"".join(f"<figure>{chart}</figure>" for chart in charts)}</div>'
    yield from (_table(sheet) for sheet in (report.snapshots, report.evaluations) if sheet.rows)


def _table(sheet: Sheet, *, title: bool = True) -> str:
    marks = ['<td class="right">' if column.right else "<td>" for column in sheet.columns]
    head = "".join(
        f'<th scope="col"{" class=right" if column.right else ""}>{_text(column.name)}</th>' for column in sheet.columns
    )
    rows = "".join(
        f"<tr>{''.join(f'{mark}{_text(cell, 1_000)}</td>' for mark, cell in zip(marks, row, strict=True))}</tr>\n"
        for row in sheet.rows
    )
    above = f"<h2>{_text(sheet.title)}</h2>\n" if title else ""
    return f'{above}<div class="table"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>'


def _match(run: str, told: Told) -> str:
    turns = "".join(f"<pre><b>{_text(who)}</b> {escape(clean(said))}</pre>" for who, said in told.turns)
    summary = f"<summary>{_text(told.key[:8])} {_text(told.heading)}</summary>"
    return f"<details>{summary}{turns}<p><code>arena replay {_text(run)} {_text(told.key)}</code></p></details>"


def _text(text: str, limit: int = 300) -> str:
    return escape(one_line(text, limit))


def markdown_page(report: Report) -> str:
    """The same without curves; of each curve its first and last value."""
    facts = Sheet(columns=_columns("what", "which"), rows=[list(fact) for fact in report.facts])
    ends = []
    for chart in report.charts:
        for one in chart.series:
            values = [f"{y:.4g}" for _, y in one.points if math.isfinite(y)]
            ends.append([chart.title, one.label, values[0], values[-1]])
    curves = Sheet(title="Curves: first and last value", columns=_columns("curve", "line", "first", "last"), rows=ends)
    parts = [f"# Self-play run {_marked(report.name)}\n", facts.markdown(), report.roles.markdown()]
    if report.impasses.rows:
        parts.append(report.impasses.markdown())
        parts += [
            f"- `arena replay {report.name} {_marked(told.key)}`: {_marked(told.heading)}" for told in report.matches
        ]
        parts.append("")
    else:
        parts.append("### Impasses\n\nNo signal lasted.\n")
    parts += [sheet.markdown() for sheet in (report.snapshots, report.evaluations, curves) if sheet.rows]
    return "\n".join(parts)


def _columns(*names: str) -> list[Column]:
    return [Column(name) for name in names]


def _marked(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace("<", "&lt;").replace("`", "'").replace("[", "\\[")
