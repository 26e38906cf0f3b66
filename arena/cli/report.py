"""`arena report`: what a self-play run came to, as report.md and one self-contained report.html."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.output import Json, print_json, say

EPILOG = """Examples:

  arena report demo

  arena report demo --json
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report", epilog=EPILOG)(report)


def report(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name or path of a self-play run.")],
    as_json: Json = False,
) -> None:
    """Write report.md and report.html (curves, impasses, tables; one file, no network) into a self-play run."""
    from arena.cli.report_page import html_page, markdown_page
    from arena.cli.report_parts import gather
    from arena.errors import UsageError
    from arena.rundir import RunDir

    folder = RunDir.find(run)
    kind = folder.read().get("kind")
    if kind != "selfplay":
        others = {
            "tournament": f"`arena tournament report {run}` is for it",
            "study": "its report.md is written by `arena study`, and each of its cells/ is a self-play run",
        }
        other = others.get(str(kind), "there is no report for it")
        raise UsageError(f"{folder.path} is a {kind} run, not a self-play run; {other}.")
    made = gather(folder)
    paths = {"md": folder.path / "report.md", "html": folder.path / "report.html"}
    paths["md"].write_text(markdown_page(made), encoding="utf-8", errors="backslashreplace")
    paths["html"].write_text(html_page(made), encoding="utf-8", errors="backslashreplace")
    if as_json:
        print_json(
            run=str(folder.path),
            facts=dict(made.facts),
            impasses=[
                dict(zip((c.name for c in made.impasses.columns), row, strict=True)) for row in made.impasses.rows
            ],
            files=[str(path) for path in paths.values()],
        )
        return
    made.roles.print()
    if made.impasses.rows:
        say()
        made.impasses.print()
    say(f"{paths['html']}, {paths['md'].name}")
