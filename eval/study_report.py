"""A study for people: tables on the terminal and in report.md, and a chart for everything that was measured."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from arena.cli.sheet import Column, Sheet
from arena.display.svg import Series, line_chart
from arena.rundir import write_json
from eval.study_results import TAIL, Estimate, Study

POINTS = 60
"""Points of a line at most; of longer ones each point is the mean of a block."""

_AXIS = {
    "nashconv": "NashConv",
    "average": "NashConv of the average policy",
    "late_average": "NashConv of the average of the last half",
    "score": "score",
}


def sheets(study: Study) -> list[Sheet]:
    """A table for every evaluation and metric, and one of the cells' times."""
    return [*(_result_sheet(study, name) for name in study.names), _time_sheet(study)]


def _result_sheet(study: Study, name: str) -> Sheet:
    config = study.plan.config
    tail = f", mean of the last {100 // TAIL} % of the updates" if study.is_metric(name) else ", last snapshot"
    rows = []
    for arm in config.arms:
        final = study.final(name, arm)
        apart = study.difference(name, arm) if arm != config.against else None
        rows.append(
            [arm, str(final.n) if final else "0", _mean(final), _range(final), _mean(apart, "+"), _range(apart, "+")]
        )
    return Sheet(
        title=f"{name}{tail}",
        columns=[
            Column("arm"),
            *(Column(c, right=True) for c in ("seeds", "mean", "95 %", f"− {config.against}", "95 %")),
        ],
        rows=rows,
    )


def _time_sheet(study: Study) -> Sheet:
    config = study.plan.config
    notes = [f"{cell} is missing: {why}" for cell, why in study.failed.items()]
    if study.cells:
        notes += [f"No cell's metrics.jsonl has {name}." for name in study.untold]
    if len(config.seeds) > 1:
        notes.insert(0, "Intervals are Student's over seeds; differences are taken seed by seed.")
    return Sheet(
        title="Minutes a cell",
        columns=[
            Column("arm"),
            Column("cells", right=True),
            Column("minutes", right=True),
            Column("updates", right=True),
        ],
        rows=[
            [
                arm,
                str(took.n) if took else "0",
                f"{took.mean:.1f}" if took else "",
                str(study.plan.settings[arm]["updates"]),
            ]
            for arm in config.arms
            for took in [study.minutes(arm)]
        ],
        notes=notes,
    )


def _mean(estimate: Estimate | None, sign: str = "") -> str:
    return "" if estimate is None else _number(estimate.mean, sign)


def _range(estimate: Estimate | None, sign: str = "") -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{_number(estimate.low, sign)} … {_number(estimate.high, sign)}"


def _number(value: float, sign: str) -> str:
    return f"{value:{sign}.4f}" if abs(value) < 1000 else f"{value:{sign}.4g}"


def charts(study: Study) -> dict[str, str]:
    """By file name, a chart of every evaluation and metric: mean over seeds with the interval around it."""
    return {f"{_file(name)}.svg": _chart(study, name) for name in study.names}


def _file(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)


def _chart(study: Study, name: str) -> str:
    lines = []
    for arm in study.plan.config.arms:
        curve = study.curve(name, arm)
        size = -(-len(curve) // POINTS) or 1
        blocks = [curve[start : start + size] for start in range(0, len(curve), size)]
        points = [(block[-1][0], sum(e.mean for _, e in block) / len(block)) for block in blocks]
        band = [
            (block[-1][0], sum(low for low, _ in known) / len(known), sum(high for _, high in known) / len(known))
            for block in blocks
            if (known := [(e.low, e.high) for _, e in block if e.low is not None and e.high is not None])
        ]
        lines.append(Series(arm, points, band))
    seeds = len(study.plan.config.seeds)
    over = f", mean over {seeds} seeds with 95 % interval" if seeds > 1 else ""
    return line_chart(f"{name}{over}", "update", _AXIS.get(name.partition(":")[0], name), lines)


def write_study(study: Study, folder: Path) -> list[str]:
    """study.json, report.md and charts/*.svg. Returns the names of what was written."""
    write_json(folder / "study.json", study.to_json())
    drawn = charts(study)
    (folder / "charts").mkdir(exist_ok=True)
    for file, text in drawn.items():
        (folder / "charts" / file).write_text(text, encoding="utf-8")
    (folder / "report.md").write_text(markdown(study), encoding="utf-8")
    return ["study.json", "report.md", *(f"charts/{file}" for file in drawn)]


def markdown(study: Study) -> str:
    """report.md: every table with its chart, and what the study was run with."""
    config, made = study.plan.config, study.made_with
    parts = [
        f"# Study {study.name}",
        "",
        f"{len(config.arms)} arms × {len(config.seeds)} seeds on `{config.base}`:",
        "",
    ]
    for arm in config.arms:
        words = next((cell.overrides for cell in study.plan.cells if cell.arm == arm), ())
        parts.append(f"- **{arm}**: {f'`{shlex.join(words)}`' if words else 'as it is'}")
    *tables, times = sheets(study)
    for name, table in zip(study.names, tables, strict=True):
        parts += ["", table.markdown(), f"![{name}](charts/{_file(name)}.svg)"]
    parts += ["", times.markdown(), "### Run with", ""]
    parts += [f"- {what}: {version}" for what, version in made["versions"].items()]
    parts += [f"- source: {made['git_commit'] or 'installed package'}", f"- device: {', '.join(made['devices'])}", ""]
    return "\n".join(parts)
