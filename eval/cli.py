"""`arena eval`: measure players. Imports nothing heavy until it measures."""

from __future__ import annotations

import hashlib
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.output import Json, print_json, tell

if TYPE_CHECKING:
    from eval.run import Evaluation, Line

EPILOG = """Examples:

  arena eval base random --benchmark nashconv:kuhn_poker

  arena eval base demo@latest --benchmark nashconv:kuhn_poker --benchmark reasoning --run demo

  arena eval base --benchmark reasoning:chain_sum --limit 50 --json
"""


def register(app: typer.Typer) -> None:
    """Add the command to the `arena` application."""
    app.command("eval", epilog=EPILOG)(evaluate)


def evaluate(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="base, RUN@000120, RUN@all, random, …")],
    benchmark: Annotated[list[str], typer.Option(help="nashconv:GAME, reasoning, reasoning:FAMILY; may be repeated.")],
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="Items per task family.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of the items.")] = 0,
    model: Annotated[str, typer.Option(help="Base model: pocket, a folder, or a hub id.")] = "pocket",
    show_legal: Annotated[bool, typer.Option(help="Whether prompts of exact play list the allowed answers.")] = False,
    run: Annotated[str, typer.Option(metavar="RUN", help="Put the results into this run's directory.")] = "",
    out: Annotated[str, typer.Option(metavar="DIR", help="Put the results into this folder.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: Json = False,
) -> None:
    """Evaluate players: exact exploitability in small games, accuracy on generated reasoning tasks.

    Results are kept item by item: the same command after an interruption asks only what is still open.
    """
    from arena.display import open_display
    from arena.errors import Interrupted, UsageError
    from arena.players.factory import PlayerFactory
    from arena.rundir import RUNS, RunDir
    from eval.benchmarks import parse_benchmarks
    from eval.run import run_evaluation, total_items

    if run and out:
        raise UsageError("--run and --out both say where results go; give one of them.")
    wanted = parse_benchmarks(benchmark)
    factory = PlayerFactory(model=model)
    names = factory.expand(players)
    parent = Path(out) if out else RunDir.find(run).path / "eval" if run else RUNS / "eval"
    settings = [names, [b.name for b in wanted], limit, seed, model, show_legal]
    folder = parent / hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:8]
    words = ["arena", "eval", *players, *(w for b in benchmark for w in ("--benchmark", b))]
    words += ["--limit", str(limit), "--seed", str(seed), "--model", model, *(["--show-legal"] if show_legal else [])]
    words += ["--run", run] if run else ["--out", out] if out else []
    with open_display(
        kind="eval",
        title=", ".join(names),
        total=total_items(names, wanted, limit),
        unit="items",
        quiet=quiet,
        seed=seed,
    ) as display:
        try:
            found = run_evaluation(
                names,
                wanted,
                factory,
                folder,
                limit=limit,
                seed=seed,
                show_legal=show_legal,
                progress=lambda done, note: display.progress(done, note=note),
            )
        except KeyboardInterrupt:
            raise Interrupted(f"Stopped; finished items are kept. Continue with: {shlex.join(words)}") from None
    if as_json:
        print_json(folder=str(folder), results=[line.to_json() for line in found.lines], skipped=list(found.skipped))
    else:
        _show(found)


def _show(found: Evaluation) -> None:
    """Tables for people: one for exact play, one for reasoning."""
    from arena.cli.sheet import Column, Sheet

    exact = [line for line in found.lines if line.benchmark.startswith("nashconv:")]
    tasks = [line for line in found.lines if not line.benchmark.startswith("nashconv:")]
    if exact:
        Sheet(
            title="Exact play: what a best responder gains (0 is unbeatable)",
            columns=[
                Column("player", shrink=True),
                Column("game"),
                *(Column(c, right=True) for c in ("NashConv", "own value", "illegal", "worst", "states")),
            ],
            rows=[
                [
                    line.player,
                    line.benchmark.partition(":")[2],
                    ("" if line.detail["exact"] else "≈") + f"{line.value:.4f}",
                    f"{line.detail['values'][0]:+.4f}",
                    f"{line.detail['illegal_mean']:.2%}",
                    f"{line.detail['illegal_max']:.2%}",
                    str(line.n),
                ]
                for line in exact
            ],
            notes=["Own value is the first seat's, player against itself. ≈ marks a bot that was asked many times."],
        ).print()
    if tasks:
        players = list(dict.fromkeys(line.player for line in tasks))
        families = list(dict.fromkeys(line.benchmark.partition(":")[2] for line in tasks))
        cell = {(line.player, line.benchmark.partition(":")[2]): line for line in tasks}
        Sheet(
            title=f"Reasoning: share of right answers, 95 % Wilson interval, {tasks[0].n} items each",
            columns=[Column("family"), *(Column(player, right=True, shrink=True) for player in players)],
            rows=[
                [
                    family,
                    *(
                        f"{line.value:.0%} ({line.low:.0%}–{line.high:.0%})"
                        for line in (cell[player, family] for player in players)
                    ),
                ]
                for family in families
            ],
            notes=[_faults(player, [line for line in tasks if line.player == player]) for player in players],
        ).print()
    for reason in found.skipped:
        tell(f"Left out: {reason}")
    tell(f"Written: {found.folder}/results.jsonl, {found.folder}/summary.json")


def _faults(player: str, lines: list[Line]) -> str:
    """Unread answers of a player, which count as wrong."""
    total = dict.fromkeys(("no_answer", "malformed", "truncated"), 0)
    for line in lines:
        for key in total:
            total[key] += line.detail[key]
    return f"{player}: counted wrong without a readable answer: " + ", ".join(
        f"{count} {key.replace('_', ' ')}" for key, count in total.items()
    )
