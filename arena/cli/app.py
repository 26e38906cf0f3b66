"""`arena`: from the first instruction of the process to its exit code.

Nothing is imported here that takes time, so that Ctrl-C while the command is still being loaded, or a second one while
it says goodbye, is as quiet as any other.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

INTERRUPTED = 130
FAILED = 1


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code: 0 done, 1 failed, 2 usage, 130 interrupted."""
    from arena.cli.commands import build

    try:
        result = build()(args=None if arguments is None else list(arguments), prog_name="arena", standalone_mode=True)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return result if isinstance(result, int) else 0


def share_cores() -> None:
    """Let torch's threads give up a core that somebody else needs, unless the user has said otherwise.

    OpenMP's threads wait for one another by spinning, by default for so long that one other busy process can make
    training three times slower. Of an idle machine's speed a short spin costs about 2 %, where none at all
    (`OMP_WAIT_POLICY=PASSIVE`) costs 25 %. Read when the library is loaded, so it must stand before torch is imported.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "800")


def make_streams_usable() -> None:
    """No output can fail for want of a character, or of a stream.

    A process that was started without stdin, stdout or stderr (`>&-`) gets an empty one: else the next file that is
    opened takes the free number, and what a library prints goes into the records.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
        if number and "utf" not in getattr(sys, name).encoding.lower():
            getattr(sys, name).reconfigure(errors="replace")  # a terminal without these characters shows ? for them


def main() -> None:
    """Entry point of the `arena` script."""
    make_streams_usable()
    share_cores()
    try:
        code = run()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough (`| head`)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = FAILED
    except KeyboardInterrupt:
        _leave_in_peace()
        sys.stderr.write("\nInterrupted.\n")
        code = INTERRUPTED
    _leave_in_peace()
    sys.exit(code)


def _leave_in_peace() -> None:
    """All is done and said: a signal must not change the exit code any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
