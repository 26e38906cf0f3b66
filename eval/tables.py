"""An evaluation as tables for people: exact play, reasoning, and reasoning on questions that are new to the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arena.cli.sheet import Column, Sheet
from eval.results import FAULTS, Difference, Evaluation, Line


def sheets(found: Evaluation) -> list[Sheet]:
    """The tables that there is something for."""
    exact = [line for line in found.lines if line.benchmark.startswith("nashconv:")]
    tasks = [line for line in found.lines if not line.benchmark.startswith("nashconv:")]
    known = [line for line in tasks if line.detail["unseen"] is not None]
    made = []
    if exact:
        made.append(_exact(exact))
    if tasks:
        made.append(_tasks(tasks, found.differences))
    if known:
        made.append(_unseen(known))
    return made


def _exact(lines: Sequence[Line]) -> Sheet:
    return Sheet(
        title="Exact play: what a best responder gains (0 is unbeatable)",
        columns=[
            Column("player", shrink=True),
            Column("game"),
            *(Column(c, right=True) for c in ("NashConv", "own value", "illegal", "worst", "states")),
        ],
        rows=[
            [
                line.player,
                _subject(line),
                ("" if line.detail["exact"] else "≈") + f"{line.value:.4f}",
                f"{line.detail['values'][0]:+.4f}",
                f"{line.detail['illegal_mean']:.2%}",
                f"{line.detail['illegal_max']:.2%}",
                str(line.n),
            ]
            for line in lines
        ],
        notes=["Own value is the first seat's, player against itself. ≈ marks a bot that was asked many times."],
    )


def _tasks(lines: Sequence[Line], differences: Sequence[Difference]) -> Sheet:
    players = list(dict.fromkeys(line.player for line in lines))
    return _by_family(
        lines,
        title=f"Reasoning: share of right answers, 95 % Wilson interval, {lines[0].n} items each",
        extra=("constant", lambda line: f"{line.detail['constant']:.0%}"),
        cell=lambda line: f"{line.value:.0%} ({line.low:.0%}–{line.high:.0%})",
        notes=[
            "Constant: always giving the most frequent answer would be right this often.",
            *(_faults(player, [line for line in lines if line.player == player]) for player in players),
            *(
                f"{d.player} − {d.baseline}: {100 * d.value:+.1f} points ({100 * d.low:+.1f} to {100 * d.high:+.1f}, "
                f"paired bootstrap over {d.n} items)"
                for d in differences
            ),
        ],
    )


def _unseen(lines: Sequence[Line]) -> Sheet:
    def cell(line: Line) -> str:
        found: dict[str, Any] = line.detail["unseen"]
        return f"{found['value']:.0%} ({found['low']:.0%}–{found['high']:.0%})" if found["n"] else "–"

    return _by_family(
        lines,
        title="Only questions that the base model was not trained on, word for word",
        extra=("items", lambda line: str(line.detail["unseen"]["n"])),
        cell=cell,
        notes=[],
    )


def _by_family(
    lines: Sequence[Line],
    *,
    title: str,
    extra: tuple[str, Callable[[Line], str]],
    cell: Callable[[Line], str],
    notes: Sequence[str],
) -> Sheet:
    """A row per task family, a column per player, and one of what is the same for all players."""
    players = list(dict.fromkeys(line.player for line in lines))
    rows: dict[str, dict[str, Line]] = {}
    for line in lines:
        rows.setdefault(_subject(line), {})[line.player] = line
    name, shared = extra
    return Sheet(
        title=title,
        columns=[Column("family"), Column(name, right=True), *(Column(p, right=True, shrink=True) for p in players)],
        rows=[
            [family, shared(next(iter(of.values()))), *(cell(of[player]) for player in players)]
            for family, of in rows.items()
        ],
        notes=notes,
    )


def _faults(player: str, lines: Sequence[Line]) -> str:
    """Unread answers of a player, which count as wrong, and how strict reading would have it."""
    n = sum(line.n for line in lines)
    counts = ", ".join(f"{sum(line.detail[fault] for line in lines)} {fault.replace('_', ' ')}" for fault in FAULTS)
    flexible = sum(line.value * line.n for line in lines) / n
    strict = sum(line.detail["strict"] * line.n for line in lines) / n
    return f"{player}: {flexible:.1%} right in all, {strict:.1%} read strictly; wrong without an answer: {counts}"


def _subject(line: Line) -> str:
    return line.benchmark.partition(":")[2]
