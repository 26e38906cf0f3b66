"""Where a view goes: the alternate screen of a terminal, plain lines, or nowhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Protocol, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.display.capture import held_stderr
from arena.display.frame import frame
from arena.display.model import LiveModel
from arena.display.plain import PlainLines


class View(Protocol):
    """Shows a model."""

    def start(self, told: Callable[[str], None]) -> None:
        """Take the screen; `told` takes the lines that others write to it meanwhile."""

    def prepare(self, model: LiveModel, now_s: float) -> object:
        """What to show now. Called while the model stands still; writes nothing."""

    def show(self, prepared: object) -> None:
        """Write it. May block for as long as the terminal does."""

    def finish(self, model: LiveModel | None, now_s: float) -> None:
        """Give the screen back, with the last picture on it (none, if there is no model)."""


class NoView:
    """Shows nothing."""

    def start(self, told: Callable[[str], None]) -> None:
        """Nothing."""

    def prepare(self, model: LiveModel, now_s: float) -> object:
        """Nothing."""
        return None

    def show(self, prepared: object) -> None:
        """Nothing."""

    def finish(self, model: LiveModel | None, now_s: float) -> None:
        """Nothing."""


class PlainView:
    """A line whenever there is something to say.

    Args:
        stream: where to.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines = PlainLines()

    def start(self, told: Callable[[str], None]) -> None:
        """Nothing: lines and what others write may mix."""

    def prepare(self, model: LiveModel, now_s: float) -> object:
        """Lines that are due."""
        return self._lines.due(model, now_s)

    def show(self, prepared: object) -> None:
        """Write them."""
        if isinstance(prepared, list) and prepared:
            self._stream.write("".join(f"{row}\n" for row in prepared))
            self._stream.flush()

    def finish(self, model: LiveModel | None, now_s: float) -> None:
        """The last lines."""
        if model is not None:
            self.show(self._lines.last(model, now_s))


class ScreenView:
    """Frames on the alternate screen; the last one goes to the scrollback.

    Args:
        stream: the terminal.
        hint: last line of every frame.
    """

    def __init__(self, stream: TextIO, hint: str = "") -> None:
        self.console = Console(file=stream)
        self._hint = hint
        self._stack = ExitStack()
        self._live: Live | None = None

    def start(self, told: Callable[[str], None]) -> None:
        """Take the screen."""
        self._stack.enter_context(held_stderr(told))
        # What else is printed is held back by us, so that it survives the alternate screen.
        live = Live(console=self.console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
        self._live = self._stack.enter_context(live)

    def prepare(self, model: LiveModel, now_s: float) -> object:
        """A frame of the terminal's present size."""
        width, height = self.console.size
        return Text("\n", end="").join(frame(model, width, height, now_s, self._hint))

    def show(self, prepared: object) -> None:
        """Draw it."""
        if self._live is not None and isinstance(prepared, Text):
            self._live.update(prepared, refresh=True)

    def finish(self, model: LiveModel | None, now_s: float) -> None:
        """Restore the terminal, leave the last frame."""
        started = self._live is not None
        self._live = None
        self._stack.close()
        if started and model is not None:
            self.console.file.write("\r")  # the cursor is where it was left, perhaps behind a half-typed line
            for row in frame(model, self.console.size.width, None, now_s):
                self.console.print(row, no_wrap=True, crop=True, overflow="crop")
            self.console.print()


def view_for(stream: TextIO, *, quiet: bool, hint: str = "") -> View:
    """The view that suits a stream."""
    if quiet:
        return NoView()
    if stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb", "unknown"):
        return ScreenView(stream, hint)
    return PlainView(stream)
