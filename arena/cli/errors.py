"""What a user is told when something goes wrong, and the exit code that goes with it."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

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
    if isinstance(error, EOFError) or _by_ctrl_c(error):
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
    if not isinstance(error, Exception) or isinstance(error, BrokenPipeError):
        return None
    if _handled_by_typer(error):
        _say_what_was_given(error)
        return None
    _trace(error, debug)
    if isinstance(error, OSError) and error.errno is not None:
        _say(f"Error: {_of_the_system(error)}")
        return USAGE if error.errno == errno.ENAMETOOLONG else FAILED
    words = f"Unexpected error: {type(error).__name__}: {error}"
    _say(words if debug else f"{words}\nThe traceback is in {_write_traceback(error)}; --debug shows it here.")
    return FAILED


def _by_ctrl_c(error: BaseException | None) -> bool:
    """Whether it is Ctrl-C, or came of one: a module interrupted while it is loaded fails with an ImportError."""
    seen = 0
    while error is not None and seen < 20:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen += 1
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return False


_ADVICE = {
    errno.EACCES: "You may not read or write there; work in a folder that is yours.",
    errno.EPERM: "You may not read or write there; work in a folder that is yours.",
    errno.EROFS: "Nothing can be written there; work in another folder.",
    errno.ENOSPC: "Free some space, then give the same command again (with --resume, where it has one).",
    errno.ENOTDIR: "A folder is needed there.",
    errno.EISDIR: "A file is needed there.",
    errno.ENAMETOOLONG: "Take a shorter name.",
}


def _of_the_system(error: OSError) -> str:
    """What the operating system refused, with the file's name where there is one."""
    words = error.strerror or type(error).__name__
    place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{place}{words[:1].lower() + words[1:]}. {_ADVICE.get(error.errno or 0, '')}".rstrip()


def _say_what_was_given(error: Any) -> None:
    """The command-line library says what an option may be, but not what it was given."""
    details = getattr(error.__cause__, "errors", None)
    given = details()[0].get("input") if callable(details) else None
    if isinstance(given, str) and isinstance(getattr(error, "message", None), str):
        error.message = f"{given!r}. {error.message}."


def _say(text: str) -> None:
    """To stderr, with whatever a name or file brought along made visible."""
    from arena.display.safe import clean

    sys.stderr.write(clean(text, limit=20_000) + "\n")
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
