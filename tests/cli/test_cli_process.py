"""The process from its first instruction to its exit code: signals at any moment, closed streams, refusals."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_helpers import Done

from arena.cli.errors import report
from arena.errors import Interrupted, UsageError

Arena = Callable[..., Done]

SIGNAL_WHILE_LOADING = """
import os, signal, sys
class Ask:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Ask())
sys.argv = ["arena", "games", "list"]
from arena.cli.app import main
main()
"""

SIGNAL_AT_THE_END = """
import atexit, os, signal, sys
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
atexit.register(lambda: os.kill(os.getpid(), signal.SIGTERM))
sys.argv = ["arena", "--version"]
from arena.cli.app import main
main()
"""


def python(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False)


def test_ctrl_c_while_the_command_is_being_loaded_is_quiet(place: Path) -> None:
    done = python(SIGNAL_WHILE_LOADING, place)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\nInterrupted.\n")


def test_a_signal_after_the_work_is_done_does_not_change_the_exit_code(place: Path) -> None:
    done = python(SIGNAL_AT_THE_END, place)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_import_that_ctrl_c_broke_is_an_interruption(capsys: pytest.CaptureFixture[str]) -> None:
    error = ImportError("initialization failed")
    error.__cause__ = KeyboardInterrupt()
    assert report(error) == 130
    told = UsageError("No.")
    told.__context__, told.__suppress_context__ = KeyboardInterrupt(), True
    assert report(told) == 2  # what was raised on purpose stands
    assert report(Interrupted("Continue with: x")) == 130
    assert capsys.readouterr().err == "\nInterrupted.\nError: No.\nContinue with: x\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_stop_nothing(place: Path, closed: str) -> None:
    words = f'"{sys.executable}" -m arena.cli tournament run bots.toml --run cup'
    done = subprocess.run(["bash", "-c", f"{words} {closed}"], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert '"status": "done"' in (place / "runs/cup/run.json").read_text(encoding="utf-8")
    assert len((place / "runs/cup/matches.jsonl").read_text(encoding="utf-8").splitlines()) == 12


def test_a_terminal_without_these_characters_is_no_reason_to_fail(place: Path) -> None:
    for words in (["games", "list"], ["play", "kuhn_poker", "--seat0", "random", "--seed", "1"]):
        done = subprocess.run(
            [sys.executable, "-m", "arena.cli", *words],
            cwd=place,
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "40"},
            check=False,
        )
        assert (done.returncode, done.stderr, done.stdout.isascii()) == (0, b"", True)


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (errno.EACCES, 1, "x/y: permission denied. You may not read or write there; work in a folder that is yours."),
        (errno.ENOSPC, 1, "x/y: no space left on device. Free some space, then give the same command again"),
        (errno.ENAMETOOLONG, 2, "x/y: file name too long. Take a shorter name."),
        (errno.ENOTDIR, 1, "x/y: not a directory. A folder is needed there."),
    ],
)
def test_what_the_system_refuses_is_said(
    number: int, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(OSError(number, os.strerror(number), "x/y")) == code
    assert words in capsys.readouterr().err


def test_a_run_below_a_file_is_refused_in_words(arena: Arena) -> None:
    done = arena("tournament", "run", "bots.toml", "--run", "bots.toml/x", "-q")
    assert (done.code, done.err) == (1, "Error: bots.toml/x: not a directory. A folder is needed there.\n")


def test_control_characters_of_an_argument_do_nothing_to_the_terminal(arena: Arena) -> None:
    done = arena("tournament", "run", "bots.toml", "pairs=\x1b[31m", "--dry-run")
    assert done.code == 2
    assert "\x1b" not in done.err
    assert "\\x1b[31m" in done.err


def test_a_refused_option_says_what_was_given(arena: Arena) -> None:
    done = arena("play", "kuhn_poker", "--seed", "1e3")
    assert (done.code, "Invalid value for '--seed': '1e3'." in done.err) == (2, True)


def test_two_ctrl_c_in_a_row_lose_nothing_and_leave_the_run_to_be_resumed(
    process: Callable[..., subprocess.Popen[str]], place: Path, arena: Arena
) -> None:
    run = process("tournament", "run", "bots.toml", "pairs=2000", "--run", "cup", "-q")
    records = place / "runs/cup/matches.jsonl"
    while not records.exists() or not records.stat().st_size:
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "Traceback" not in err
    assert "arena tournament run bots.toml pairs=2000 --run cup --resume" in err
