"""Run benchmarks for players into a folder, item by item, so that an interrupted evaluation goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from arena.jsonl import JsonLog, read_json_lines
from arena.provenance import versions
from arena.rundir import write_json
from arena.types import Player
from eval.benchmarks import Benchmark
from eval.exact import ExactPlay, evaluate
from eval.policies import NotScoreableError
from eval.reasoning import Graded, ask, evaluation_items, item_key
from eval.stats import wilson

CHUNK = 100
"""Items asked at a time: they run as one batch, and are on disk before the next begin."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One player's result on one benchmark.

    Attributes:
        player, benchmark: who, on what.
        value: NashConv, or the share of right answers. low, high: 95 % interval, where it is a sample.
        n: items, or information states.
        detail: what else was found.
    """

    player: str
    benchmark: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int = 0
    detail: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "player": self.player,
            "benchmark": self.benchmark,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            **self.detail,
        }


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """All results, and what was left out with the reason."""

    lines: tuple[Line, ...]
    skipped: tuple[str, ...]
    folder: Path


def total_items(players: Sequence[str], benchmarks: Sequence[Benchmark], limit: int) -> int:
    """Steps of progress: items of reasoning tasks, one for an exact evaluation."""
    return len(players) * sum(limit if b.kind == "reasoning" else 1 for b in benchmarks)


def run_evaluation(
    players: Sequence[str],
    benchmarks: Sequence[Benchmark],
    resolve: Callable[[str], Player],
    folder: Path,
    *,
    limit: int,
    seed: int,
    show_legal: bool,
    progress: Callable[[int, str], None],
) -> Evaluation:
    """Evaluate every player on every benchmark.

    Args:
        players: names of single players.
        benchmarks: what to measure.
        resolve: player by name.
        folder: gets `results.jsonl` (one line an item) and `summary.json`; items found there are not asked again.
        limit: items per task family.
        seed: of the items.
        show_legal: whether prompts of exact play list the allowed answers.
        progress: called with steps done and a note.
    """
    log = JsonLog(folder / "results.jsonl")
    known = {obj["key"]: Graded.from_json(obj) for obj in read_json_lines(folder / "results.jsonl")}
    lines: list[Line] = []
    skipped: list[str] = []
    done = 0
    try:
        for name in players:
            player = resolve(name)
            for benchmark in benchmarks:
                if benchmark.kind == "nashconv":
                    try:
                        lines.append(_exact_line(evaluate(player, benchmark.subject, show_legal=show_legal)))
                    except NotScoreableError as error:
                        skipped.append(f"{name} on {benchmark.name}: {error}")
                    done += 1
                elif hasattr(player, "answer_ids"):
                    report = partial(_report, progress, done, name)
                    graded = _reason(player, benchmark, limit, seed, known, log, report)
                    lines.append(_share_line(name, benchmark, graded))
                    done += limit
                else:
                    skipped.append(f"{name} on {benchmark.name}: it is not a language model")
                    done += limit
                progress(done, f"{name} {benchmark.name}")
    finally:
        log.close()
    write_json(
        folder / "summary.json",
        {
            "schema": 1,
            "players": list(players),
            "benchmarks": [benchmark.name for benchmark in benchmarks],
            "limit": limit,
            "seed": seed,
            "show_legal": show_legal,
            "versions": versions(),
            "results": [line.to_json() for line in lines],
            "skipped": skipped,
        },
    )
    return Evaluation(lines=tuple(lines), skipped=tuple(skipped), folder=folder)


def _report(progress: Callable[[int, str], None], before: int, name: str, items: int) -> None:
    progress(before + items, name)


def _reason(
    player: Player,
    benchmark: Benchmark,
    limit: int,
    seed: int,
    known: dict[str, Graded],
    log: JsonLog,
    progress: Callable[[int], None],
) -> list[Graded]:
    """All items of a family, those already on disk not asked again."""
    todo = evaluation_items(benchmark.subject, limit, seed)
    keys = [item_key(player.name, item.family, item.index, item.seed) for item in todo]
    open_items = [item for item, key in zip(todo, keys, strict=True) if key not in known]
    progress(limit - len(open_items))
    for start in range(0, len(open_items), CHUNK):
        chunk = open_items[start : start + CHUNK]
        for graded in ask(player, chunk):  # type: ignore[arg-type]  # run_evaluation has seen that it is a model
            log.append(graded.to_json())
            known[graded.key] = graded
        progress(limit - len(open_items) + start + len(chunk))
    return [known[key] for key in keys]


def _exact_line(found: ExactPlay) -> Line:
    detail = found.to_json()
    return Line(
        player=detail.pop("player"),
        benchmark=f"nashconv:{detail.pop('game')}",
        value=detail.pop("nash_conv"),
        n=detail.pop("information_states"),
        detail=detail,
    )


def _share_line(player: str, benchmark: Benchmark, graded: Sequence[Graded]) -> Line:
    n = len(graded)
    right = sum(item.right for item in graded)
    low, high = wilson(right, n)
    reasons = {r: sum(item.reason == r for item in graded) for r in ("no_answer", "malformed", "truncated")}
    return Line(
        player=player,
        benchmark=benchmark.name,
        value=right / n,
        low=low,
        high=high,
        n=n,
        detail={
            "right": right,
            "strict": sum(item.strict for item in graded) / n,
            "tokens_per_answer": sum(item.tokens for item in graded) / n,
            **reasons,
        },
    )
