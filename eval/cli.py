"""`arena eval`: measure players; brings `arena study` along. Imports nothing heavy until it measures."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.output import Json, print_json, say, tell
from eval import study_cli

EPILOG = """Examples:

  arena eval base random --benchmark nashconv:kuhn_poker

  arena eval base demo@latest --benchmark nashconv:kuhn_poker --benchmark reasoning --run demo

  arena eval base --benchmark reasoning:chain_sum --limit 50 --json
"""


def register(app: typer.Typer) -> None:
    """Add the commands of this package to the `arena` application."""
    app.command("eval", epilog=EPILOG)(evaluate)
    study_cli.register(app)


def evaluate(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER", help="base, RUN@000120, RUN@all, random, …")],
    benchmark: Annotated[list[str], typer.Option(help="nashconv:GAME, reasoning, reasoning:FAMILY; may be repeated.")],
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="Items per task family.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of the items.")] = 0,
    model: Annotated[str, typer.Option(help="Base model: pocket, a folder, or a hub id.")] = "pocket",
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply to a reasoning task.")] = 24,
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
    from arena.errors import ArenaError, Interrupted, UsageError
    from arena.players.factory import PlayerFactory
    from arena.rundir import RUNS, RunDir
    from eval.benchmarks import parse_benchmarks
    from eval.run import Plan, run_evaluation
    from eval.tables import sheets

    if run and out:
        raise UsageError("--run and --out both say where results go; give one of them.")
    factory = PlayerFactory(model=model)
    plan = Plan(
        benchmarks=tuple(parse_benchmarks(benchmark)),
        players=tuple(factory.expand(players)),
        limit=limit,
        seed=seed,
        model=model,
        show_legal=show_legal,
        max_tokens=max_tokens,
    )
    parent = Path(out) if out else RunDir.find(run).path / "eval" if run else RUNS / "eval"
    with open_display(
        kind="eval", title=", ".join(plan.players), total=plan.steps, unit="items", quiet=quiet, seed=seed
    ) as display:
        try:
            found = run_evaluation(plan, factory, parent, lambda done, note: display.progress(done, note=note))
        except KeyboardInterrupt:
            words = ["arena", "eval", *players, *(w for b in benchmark for w in ("--benchmark", b))]
            words += ["--limit", str(limit), "--seed", str(seed), "--model", model, "--max-tokens", str(max_tokens)]
            words += ["--show-legal"] if show_legal else []
            words += ["--run", run] if run else ["--out", out] if out else []
            raise Interrupted(f"Stopped; finished items are kept. Continue with: {shlex.join(words)}") from None
    if as_json:
        print_json(
            folder=str(found.folder),
            results=[line.to_json() for line in found.lines],
            differences=[asdict(difference) for difference in found.differences],
            skipped=list(found.skipped),
        )
    for number, sheet in enumerate([] if as_json else sheets(found)):
        if number:
            say()
        sheet.print()
    for reason in found.skipped:
        tell(f"Left out: {reason}")
    tell(f"Written: {found.folder}/results.jsonl, {found.folder}/summary.json")
    if not found.lines:
        raise ArenaError("Nothing was measured: no player given can take part in any benchmark given.")
