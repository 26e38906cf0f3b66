"""How commands behave, whoever wrote them: errors, exit codes, help pages, commands from other packages."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import typer
from typer.core import TyperCommand, TyperGroup

from arena.cli.errors import report

ORDER = ("games", "play", "selfplay", "tournament", "watch", "replay", "eval", "study", "snapshots", "doctor")
"""Of commands on the help page; further ones come last."""

DEBUG = "ARENA_DEBUG"
"""Environment variable with the meaning of `--debug`."""


class Plugins(Protocol):
    """Commands that other packages bring."""

    def load(self, app: typer.Typer) -> Mapping[str, str]:
        """Register them; returns the errors of those that cannot be, by name."""


class _PlainEpilog:
    """Help pages whose examples stand as they were written, one a line."""

    epilog: str | None

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples."""
        if self.epilog:
            lines = [row.rstrip() for row in self.epilog.strip().splitlines() if row.strip()]
            formatter.write("\n" + "".join(f"{row}\n" for row in lines))


class ArenaCommand(_PlainEpilog, TyperCommand):
    """A command."""


class ArenaGroup(_PlainEpilog, TyperGroup):
    """A group of commands."""


class RootGroup(ArenaGroup):
    """The whole application: brings in other packages' commands when needed, and turns errors into exit codes."""

    app: ArenaTyper

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._broken: Mapping[str, str] | None = None
        self._debug = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`--debug` may stand anywhere."""
        if "--debug" in args:
            args = [word for word in args if word != "--debug"]
            self._debug = True
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """All commands, in the order in which one comes to need them."""
        self._load()
        return sorted(self.commands, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by name."""
        if cmd_name not in self.commands:
            broken = self._load()
            if cmd_name in broken:
                from arena.errors import ArenaError

                raise ArenaError(f"The command {cmd_name!r} cannot be loaded: {broken[cmd_name]}")
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, and what could not be loaded."""
        super().format_commands(ctx, formatter)
        if self._broken:
            with formatter.section("Commands that cannot be loaded"):
                formatter.write_dl(sorted(self._broken.items()))

    def invoke(self, ctx: Any) -> Any:
        """Run; errors become a message on stderr and an exit code."""
        logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", stream=sys.stderr)
        try:
            with terminate_like_ctrl_c():
                return super().invoke(ctx)
        except BaseException as error:
            code = report(error, debug=self._debug or bool(os.environ.get(DEBUG)))
            if code is None:
                raise
            raise typer.Exit(code) from None

    def _load(self) -> Mapping[str, str]:
        if self._broken is None:
            extra = ArenaTyper(plugins=None)
            self._broken = self.app.plugins.load(extra) if self.app.plugins is not None else {}
            for name, command in typer.main.get_group(extra).commands.items():
                self.commands.setdefault(name, command)
        return self._broken


class ArenaTyper(typer.Typer):
    """A Typer application with our conventions.

    Args:
        plugins: commands of other packages.
        settings: as for `typer.Typer`.
    """

    def __init__(self, *, plugins: Plugins | None = None, **settings: Any) -> None:
        self.plugins = plugins
        # A class of its own, since Typer makes the group itself and takes no further arguments for it.
        group = type("RootGroup", (RootGroup,), {"app": self}) if plugins is not None else ArenaGroup
        super().__init__(
            cls=group,
            rich_markup_mode=None,  # plain pages: they start three times faster, and read well in pipes
            no_args_is_help=True,
            add_completion=False,
            pretty_exceptions_enable=False,
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
            **settings,
        )

    def command(self, name: str | None = None, **settings: Any) -> Any:
        """Register a command with our help pages."""
        settings.setdefault("cls", ArenaCommand)
        return super().command(name, **settings)


@contextmanager
def terminate_like_ctrl_c() -> Iterator[None]:
    """SIGTERM takes the same way as Ctrl-C: state saved, terminal restored, resume command printed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
