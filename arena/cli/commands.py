"""The application: its built-in commands, and those that other packages register.

Commands of other packages are found through the entry point group `arena.commands`; each is a function
`register(app)`. They are imported only when they may be needed: for help, or for a command that is not built in.
"""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

from arena.cli.group import ArenaTyper, Plugins

EPILOG = """Examples:

  arena games list

  arena play tic_tac_toe --seat0 human --seat1 greedy

  arena selfplay demo --run demo

  arena watch demo
"""

BUILT_IN = ("games", "play", "tournament", "watch", "replay", "report", "snapshots", "doctor")


class ArenaPlugins(Plugins):
    """Commands of other packages."""

    def load(self, app: typer.Typer) -> dict[str, str]:
        """Register what can be imported; a broken one stops nothing, and its error is kept for the help page."""
        from importlib.metadata import entry_points

        broken = {}
        for entry in sorted(entry_points(group="arena.commands"), key=lambda entry: entry.name):
            try:
                entry.load()(app)
            except Exception as error:  # noqa: BLE001 - it is reported, on the help page and where it is asked for
                broken[entry.name] = f"{type(error).__name__}: {error}"
        return broken


def build() -> ArenaTyper:
    """The application with its built-in commands."""
    app = ArenaTyper(plugins=ArenaPlugins(), epilog=EPILOG)
    app.callback()(root)
    for name in BUILT_IN:
        importlib.import_module(f"arena.cli.{name}").register(app)
    return app


def _version(asked: bool) -> None:
    if asked:
        from arena import __version__

        typer.echo(f"arena {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Language models learn by playing against themselves: matches, self-play, tournaments, evaluation.

    Every command takes --debug, which shows the traceback of an unexpected error.
    """
