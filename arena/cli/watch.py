"""`arena watch`: the live view of a run, from any terminal, at any time. Leaving it never touches the run."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.output import tell

if TYPE_CHECKING:
    from arena.display.follow import Follower
    from arena.display.views import View

EPILOG = """Examples:

  arena watch demo

  arena watch runs/demo --once

  arena watch demo --plain
"""

POLL_S = 0.25


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("watch", epilog=EPILOG)(watch)


def watch(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name or path of a run.")],
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the full view.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Print the present state, and stop.")] = False,
) -> None:
    """Watch a run: while it goes on, after its end, after its death. Exit code 1 if it failed or died."""
    from arena.display.follow import Follower
    from arena.display.safe import one_line
    from arena.display.views import PlainView, view_for
    from arena.rundir import RunDir

    follower = Follower(RunDir.find(run))
    if once:
        _once(follower, plain)
    else:
        view = (
            PlainView(sys.stdout) if plain else view_for(sys.stdout, quiet=False, hint="Ctrl-C leaves; the run goes on")
        )
        _follow(follower, view)
    if follower.model.message:
        tell(one_line(f"{follower.model.status}: {follower.model.message}", 2_000))
    if follower.model.status in ("failed", "died"):
        raise typer.Exit(1)


def _follow(follower: Follower, view: View) -> None:
    view.start(lambda text: None)
    try:
        while True:
            follower.poll()
            view.show(view.prepare(follower.model, time.time()))
            if follower.over:
                return
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        from arena.errors import Interrupted

        going = follower.model.status == "running"
        raise Interrupted("Left the view; the run goes on." if going else "Left the view.") from None
    finally:
        view.finish(follower.model, time.time())


def _once(follower: Follower, plain: bool) -> None:
    from arena.display.frame import frame
    from arena.display.plain import PlainLines

    follower.poll()
    while not follower.over and follower.model.status == "running" and not follower.run.writer_alive():
        follower.poll()
    now = time.time()
    if plain:
        for row in PlainLines().last(follower.model, now):
            sys.stdout.write(row + "\n")
        return
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False)
    for line in frame(follower.model, console.width, None, now):
        console.print(line, no_wrap=True, crop=True, overflow="crop")
