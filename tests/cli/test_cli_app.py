"""What holds for every command: help, examples, errors, exit codes, commands from other packages."""

from __future__ import annotations

import logging
import os
import resource
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from cli_helpers import Done
from typer.testing import CliRunner

from arena import __version__
from arena.cli.commands import build
from arena.cli.group import ArenaTyper
from arena.errors import ArenaError, ConfigError, Interrupted
from games.errors import UnknownGameError

Arena = Callable[..., Done]


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group with its words."""
    yield path, command
    if hasattr(command, "list_commands"):
        context = command.context_class(command, info_name="arena")
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))


ALL = [(" ".join(path), command) for path, command in commands(typer.main.get_command(build()))]


def examples(command: Any) -> list[list[str]]:
    lines = [line.strip() for line in (command.epilog or "").splitlines()]
    return [shlex.split(line) for line in lines if line.startswith("arena")]


def parse(command: Any, words: list[str], parent: Any = None) -> Any:
    """Parse a command line without running it; raises for what the command line would refuse."""
    context = command.make_context(words[0], words[1:], parent=parent)
    if hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, inner, others = command.resolve_command(context, rest)
        return parse(inner, [name, *others], context)
    return context


def test_the_commands_of_the_architecture_are_there() -> None:
    names = {name for name, _ in ALL}
    assert names >= {
        "games list", "games show", "games check", "play", "selfplay", "tournament run", "tournament report",
        "watch", "replay", "report", "snapshots list", "snapshots show", "snapshots verify", "doctor",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "command"), ALL, ids=[name or "arena" for name, _ in ALL])
def test_every_help_page_ends_with_examples_that_parse(name: str, command: Any) -> None:
    root = ALL[0][1]
    found = examples(command)
    assert found
    for words in found:
        assert words[: 1 + len(name.split())] == ["arena", *name.split()] or not name
        parse(root, words)


@pytest.mark.parametrize("name", [name for name, _ in ALL])
def test_help_pages_read_well(name: str, arena: Arena) -> None:
    done = arena(*name.split(), "--help")
    assert done.code == 0
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0].startswith(f"Usage: arena {name}".rstrip())
    assert lines[-1].strip().startswith("arena ")
    assert not any("\x1b" in line for line in lines)
    examples_at = lines.index("Examples:")
    assert all(len(line) <= 80 for line in lines[:examples_at])


def test_help_answers_at_once_and_without_torch() -> None:
    code = "import sys; from arena.cli.app import run; run(['--help']); print({'torch', 'peft'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
    costs = []
    for _ in range(3):  # processor time: on an idle machine it is the time one waits, and other tests do not count
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "arena.cli", "--help"], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(costs) < 0.3


def test_version(arena: Arena) -> None:
    assert arena("--version") == Done(0, f"arena {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["gmaes"], "Did you mean 'games'?"),
        (["games", "lst"], "Did you mean 'list'?"),
        (["games", "show"], "Missing argument"),
        (["games", "list", "--jsn"], "--json"),
        (["play", "tic_tac_toe", "--retries", "many"], "'--retries'"),
        (["games", "show", "kuhn_pokre"], "Unknown game 'kuhn_pokre'. Did you mean 'kuhn_poker'?"),
        (["games", "show", "kuhn_poker", "-p", "plyers=3"], "Did you mean 'players'?"),
        (["games", "show", "kuhn_poker", "-p", "players=9"], "players=9 is outside 2 … 3"),
        (["games", "show", "kuhn_poker", "-p", "players"], "'players' is not of the form key=value"),
        (["games", "show", "kuhn_poker", "--seat", "2"], "there is no seat 2"),
        (["play", "kuhn_poker", "--seat0", "randm"], "Unknown player 'randm'. Did you mean 'random'?"),
        (["play", "kuhn_poker", "--seat0", "mcts:x"], "like 'mcts:1000'"),
        (["play", "kuhn_poker", "--seat0", "mcts:10"], "mcts:10 cannot play kuhn_poker"),
        (["play", "kuhn_poker", "--seat2", "random"], "--seat2 cannot be filled"),
        (["tournament", "run", "nothing"], "No config 'nothing'"),
        (["tournament", "run", "btos"], "Did you mean 'bots'?"),
        (["tournament", "run", "bots.toml", "pairz=3"], "unknown key 'pairz'. Did you mean 'pairs'?"),
        (["tournament", "run", "bots.toml", "pairs=none"], "pairs = 'none'"),
        (["tournament", "run", "bots.toml", "pairs"], "'pairs' is not of the form key=value"),
        (["tournament", "run", "bots.toml", 'players=["random", "gredy"]'], "Did you mean 'greedy'?"),
        (["tournament", "run", "bots.toml", "--resume"], "No run 'bots'"),
        (["tournament", "report", "missing"], "No run 'missing'"),
        (["watch", "missing"], "No run 'missing'"),
        (["replay", "missing"], "No run 'missing'"),
        (["snapshots", "list", "missing"], "No run 'missing'"),
        (["snapshots", "show", "missing@latest"], "No run 'missing'"),
        (["snapshots", "verify", "missing"], "is not a snapshot. Write RUN@000120"),
        ([], "Usage: arena"),
    ],
)
def test_what_cannot_be_understood_is_exit_code_2(words: list[str], told: str, arena: Arena) -> None:
    done = arena(*words)
    assert done.code == 2
    assert told in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


class Extra:
    """Commands as another package brings them."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error

    def load(self, app: typer.Typer) -> dict[str, str]:
        @app.command("boom", epilog="Examples:\n\n  arena boom\n")
        def boom(number: Annotated[int, typer.Option()] = 0) -> None:
            """Raise."""
            if self.error is not None:
                raise self.error
            typer.echo(number)

        return {"broken": "ImportError: no such module"}


def app(error: BaseException | None = None) -> ArenaTyper:
    made = ArenaTyper(plugins=Extra(error))

    @made.callback()
    def root() -> None:
        """All."""

    @made.command("built-in")
    def built_in() -> None:
        """Stay."""

    return made


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (ArenaError("it failed"), 1, "Error: it failed\n"),
        (ConfigError("bad key"), 2, "Error: bad key\n"),
        (UnknownGameError("no such game"), 2, "Error: no such game\n"),
        (Interrupted("Saved. Continue with: x"), 130, "Saved. Continue with: x\n"),
        (KeyboardInterrupt(), 130, "\nInterrupted.\n"),
        (EOFError(), 130, "\nInterrupted.\n"),
        (typer.Exit(3), 3, ""),
        (BrokenPipeError(32, "pipe"), 1, ""),
    ],
)
def test_errors_become_messages_and_exit_codes(error: BaseException, code: int, told: str) -> None:
    done = CliRunner().invoke(app(error), ["boom"])
    assert (done.exit_code, done.stderr, done.stdout) == (code, told, "")


def test_an_unexpected_error_leaves_its_traceback_in_a_file() -> None:
    done = CliRunner().invoke(app(ValueError("odd")), ["boom"])
    assert done.exit_code == 1
    assert done.stderr.startswith("Unexpected error: ValueError: odd\nThe traceback is in ")
    path = Path(done.stderr.split("The traceback is in ")[1].split(";")[0])
    assert "raise self.error\nValueError: odd" in path.read_text(encoding="utf-8")
    path.unlink()


@pytest.mark.parametrize("words", [["--debug", "boom"], ["boom", "--debug"]])
def test_debug_shows_the_traceback_here(words: list[str]) -> None:
    done = CliRunner().invoke(app(ValueError("odd")), words)
    assert done.exit_code == 1
    assert "Traceback (most recent call last)" in done.stderr
    assert "The traceback is in" not in done.stderr
    expected = CliRunner().invoke(app(ConfigError("bad")), ["boom"], env={"ARENA_DEBUG": "1"})
    assert "ConfigError: bad" in expected.stderr


def test_commands_of_other_packages_work_and_broken_ones_are_named() -> None:
    runner = CliRunner()
    assert runner.invoke(app(), ["boom", "--number", "7"]).stdout == "7\n"
    page = runner.invoke(app(), ["--help"]).stdout
    assert "boom" in page
    assert "Commands that cannot be loaded:\n  broken  ImportError: no such module" in page
    broken = runner.invoke(app(), ["broken"])
    assert broken.exit_code == 1
    assert "The command 'broken' cannot be loaded: ImportError: no such module" in broken.stderr
    assert runner.invoke(app(), ["built-in"]).exit_code == 0


def test_a_broken_entry_point_stops_nothing(monkeypatch: pytest.MonkeyPatch, arena: Arena) -> None:
    class Entry:
        name = "odd"

        def load(self) -> Any:
            raise ImportError("its library is missing")

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Entry()])
    assert "odd  ImportError: its library is missing" in arena("--help").out
    assert arena("games", "list").code == 0


def test_sigterm_is_taken_like_ctrl_c(process: Callable[..., subprocess.Popen[str]]) -> None:
    running = process("play", "tic_tac_toe", "--seed", "1", stdin=subprocess.PIPE)
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("Allowed"):
            break
    running.send_signal(signal.SIGTERM)
    assert running.wait(10) == 130


def test_a_closed_pipe_ends_quietly(place: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "arena.cli", "games", "list", "--all"], stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr


def test_warnings_are_told_on_stderr(place: Path) -> None:
    code = "import logging; from arena.cli.app import run; run(['games', 'list']); logging.warning('look out')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "WARNING: look out\n"
    assert logging.WARNING == 30
