"""`arena study`: compare ways to train, over seeds. Imports nothing heavy until it measures."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.output import Json, print_json, say, tell

if TYPE_CHECKING:
    from arena.display.session import Display
    from eval.study_cells import Plan
    from eval.study_results import Study

EPILOG = """Examples:

  arena study kuhn --dry-run

  arena study kuhn --run kuhn-study

  arena study kuhn --run quick 'seeds=[0]' 'evaluations=["nashconv:kuhn_poker"]'

  arena study kuhn --run kuhn-study --resume
"""

HARMLESS = frozenset({"jobs", "seeds", "arms", "baseline", "evaluations", "metrics", "pairs"})
"""Keys that a resumed study may change; each cell and each number is held to its own settings all the same."""


def register(app: typer.Typer) -> None:
    """Add the command to the `arena` application."""
    app.command("study", epilog=EPILOG)(study)


def study(
    config: Annotated[str, typer.Argument(metavar="CONFIG", help="TOML file, or a preset: kuhn, impasse.")],
    overrides: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Changes to the config.")] = None,
    run: Annotated[str, typer.Option(metavar="NAME", help="Name or path of the study; the config's otherwise.")] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Continue this study.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check and list all cells, and stop.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: Json = False,
) -> None:
    """Train every arm with every seed, measure all snapshots, and compare the arms seed by seed."""
    from arena.config import load_config
    from arena.display import open_display
    from arena.errors import ArenaError, Interrupted
    from arena.rundir import RunDir
    from eval.study_cells import make_plan, refuse_busy
    from eval.study_config import StudyConfig
    from eval.study_report import write_study

    settings = load_config(config, overrides or [], StudyConfig, kind="study")
    name = run or f"{Path(config).stem}-study"
    folder = RunDir.locate(name)
    plan = make_plan(settings, folder)
    if dry_run:
        _dry_run(plan, name, as_json)
        return
    again = shlex.join(["arena", "study", config, *(overrides or []), "--run", name, "--resume"])
    place = _open(plan, name, resume)
    status = "failed"
    try:
        refuse_busy(plan.cells)
        with open_display(
            kind="study", title=name, total=plan.total, unit="updates", run_dir=folder, quiet=quiet
        ) as display:
            try:
                found = _train_and_measure(plan, name, display)
            except KeyboardInterrupt:
                status = "interrupted"
                raise Interrupted(f"Stopped; every cell's state is saved. Continue with: {again}") from None
        written = write_study(found, folder)
        status = "failed" if found.failed else "done"
    finally:
        place.set_status(status)
        place.unlock()
    _show(found, written, as_json)
    if found.failed:
        why = "; ".join(f"{cell}: {words}" for cell, words in found.failed.items())
        raise ArenaError(f"{len(found.failed)} of {len(plan.cells)} cells failed. {why}. Continue with: {again}")


def _open(plan: Plan, name: str, resume: bool) -> Any:
    from arena.rundir import RunDir

    settings = plan.config.model_dump(mode="json")
    if resume:
        return RunDir.resume(name, "study", settings, harmless=HARMLESS)
    return RunDir.create(name, "study", settings, seed=plan.config.seeds[0])


def _train_and_measure(plan: Plan, name: str, display: Display) -> Study:
    from eval.study_results import Study, cell_result, made_with
    from eval.study_run import train_cells
    from eval.study_values import Values

    display.stage("train cells")
    display.progress(sum(cell.updates_done() for cell in plan.cells), plan.total)
    failed = train_cells(
        plan.cells,
        plan.folder / "logs",
        jobs=plan.config.jobs,
        progress=lambda done, note: display.progress(done, plan.total, note=note),
    )
    display.stage("measure")
    trained = sum(cell.updates_done() for cell in plan.cells)
    values = Values(plan, lambda what: display.progress(trained, plan.total, note=what))
    try:
        cells = tuple(cell_result(cell, plan, values) for cell in plan.cells if cell.name not in failed)
    finally:
        values.close()
    return Study(name=Path(name).name, plan=plan, cells=cells, failed=failed, made_with=made_with(cells))


def _show(found: Study, written: list[str], as_json: bool) -> None:
    if as_json:
        data = found.to_json()
        print_json(folder=str(found.plan.folder), **{key: value for key, value in data.items() if key != "schema"})
        return
    from eval.study_report import sheets

    for sheet in sheets(found):
        sheet.print()
        say()
    tell(f"Written to {found.plan.folder}: {', '.join(written)}")


def _dry_run(plan: Plan, name: str, as_json: bool) -> None:
    listed = [
        {
            "cell": cell.name,
            "arm": cell.arm,
            "seed": cell.seed,
            "updates": cell.updates,
            "updates_done": cell.updates_done(),
            "state": "done" if cell.done else "to continue" if cell.begun else "to run",
            "command": shlex.join(["arena", "selfplay", *cell.words]),
        }
        for cell in plan.cells
    ]
    if as_json:
        print_json(study=name, folder=str(plan.folder), cells=listed, config=plan.config.model_dump(mode="json"))
        return
    say(f"Would train {len(listed)} cells, {plan.total:,} updates, in {plan.folder}/cells, {plan.config.jobs} at once:")
    for one in listed:
        say(f"  {one['cell']}: {one['updates_done']}/{one['updates']} updates, {one['state']}: {one['command']}")
    say(f"Would measure: {', '.join((*plan.config.evaluations, *plan.config.metrics)) or 'nothing'}.")
    say("Nothing was written.")
