"""What a user is told when something goes wrong, and the exit code that goes with it."""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

from arena.errors import ArenaError
from games.errors import GameError

INTERRUPTED = 130
USAGE = 2
FAILED = 1


def report(error: BaseException, *, debug: bool = False) -> int | None:
    """Tell the user of an error on stderr.

    Returns:
        The exit code; None for what the command-line library handles itself (usage, exit, a closed pipe).
    """
    if isinstance(error, KeyboardInterrupt | EOFError):
        _say("\nInterrupted.")
        return INTERRUPTED
    if isinstance(error, ArenaError):
        _trace(error, debug)
        _say(str(error) if error.exit_code == INTERRUPTED else f"Error: {error}")
        return error.exit_code
    if isinstance(error, GameError):
        _trace(error, debug)
        _say(f"Error: {error}")
        return USAGE
    if not isinstance(error, Exception) or isinstance(error, BrokenPipeError) or _handled_by_typer(error):
        return None
    _trace(error, debug)
    words = f"Unexpected error: {type(error).__name__}: {error}"
    _say(words if debug else f"{words}\nThe traceback is in {_write_traceback(error)}; --debug shows it here.")
    return FAILED


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _trace(error: BaseException, debug: bool) -> None:
    if debug:
        traceback.print_exception(error)


def _handled_by_typer(error: Exception) -> bool:
    from typer.exceptions import Abort, Exit

    return isinstance(error, Abort | Exit) or type(error).__module__.startswith(("typer.", "click."))


def _write_traceback(error: Exception) -> Path:
    text = "".join(traceback.format_exception(error))
    name = f"arena-error-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-"
    with tempfile.NamedTemporaryFile("w", prefix=name, suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write(f"{sys.argv}\n\n{text}")
    return Path(file.name)
