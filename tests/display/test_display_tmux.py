"""A real terminal: tmux shows what a person would see."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

CONFIG = """
players = ["random", "greedy"]
pairs = 10
concurrency = 8
bootstrap = 20

[[games]]
id = "tic_tac_toe"

[[games]]
id = "simple_negotiation"
"""

PATIENCE_S = 120.0
"""For a machine that is busy with other tests."""


EXIT = re.compile(r"^exit=\d", re.MULTILINE)


class Tmux:
    """One window of a tmux server of its own."""

    def __init__(self, folder: Path, width: int, height: int) -> None:
        self._socket = str(folder / "tmux")
        self.width = width
        # Test runners set COLUMNS for their workers; inherited, it would pin the width that the window is to decide.
        outer = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        env = {**outer, "OMP_NUM_THREADS": "1", "TERM": "xterm-256color", "SHELL": "/bin/sh", "PS1": "$ "}
        size = ["-x", str(width), "-y", str(height)]
        self("-f", "/dev/null", "new-session", "-d", "-s", "t", *size, "-c", str(folder), "/bin/sh", env=env)

    def __call__(self, *words: str, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(["tmux", "-S", self._socket, *words], capture_output=True, text=True, check=True, env=env)
        return done.stdout

    def type(self, line: str) -> None:
        self("send-keys", "-t", "t", line, "Enter")

    def arena(self, *words: str) -> None:
        self.type(shlex.join([sys.executable, "-m", "arena.cli", *words]) + "; echo exit=$?")

    def screen(self, *, scrollback: bool = False) -> str:
        return self("capture-pane", "-p", "-t", "t", *(["-S", "-"] if scrollback else []))

    def value(self, name: str) -> str:
        return self("display-message", "-p", "-t", "t", f"#{{{name}}}").strip()

    def wait(self, ready: Callable[[str], object], *, scrollback: bool = False) -> str:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            shown = self.screen(scrollback=scrollback)
            if ready(shown):
                return shown
            time.sleep(0.05)
        raise AssertionError(f"never came:\n{self.screen(scrollback=True)}")


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Callable[[int, int], Tmux]]:
    (tmp_path / "bots.toml").write_text(CONFIG, encoding="utf-8")
    opened: list[Tmux] = []

    def window(width: int, height: int) -> Tmux:
        opened.append(Tmux(tmp_path, width, height))
        return opened[-1]

    yield window
    for one in opened:
        one("kill-server")


def test_a_tournament_while_it_goes_on_until_ctrl_c(tmux: Callable[[int, int], Tmux]) -> None:
    window = tmux(80, 24)
    window.arena("tournament", "run", "bots.toml", "pairs=100000", "--run", "long")
    whole = re.compile(r"ETA(.|\n)*▸(.|\n)*standings.*\n.*\n  1 .*\n  2 ")
    live = window.wait(whole.search)
    assert window.value("alternate_on") == "1"
    lines = live.rstrip("\n").split("\n")
    assert len(lines) <= 24
    assert lines[0].split() == ["arena", "tournament", "long", "seed", "0", "running"]
    assert "/400,000 matches" in lines[1]
    assert any("P0 " in line and "P1 " in line for line in lines)
    window("resize-window", "-t", "t", "-x", "120", "-y", "40")
    window.wait(lambda shown: len(shown.split("\n")[1]) > 100 and "standings" in shown)
    window("resize-window", "-t", "t", "-x", "80", "-y", "24")
    window.wait(lambda shown: max(map(len, shown.split("\n"))) <= 80 and whole.search(shown))

    window("send-keys", "-t", "t", "C-c")
    ended = window.wait(EXIT.search, scrollback=True)
    assert "exit=130" in ended
    assert "interrupted" in ended
    assert "pairs=100000--runlong--resume" in "".join(ended.split())  # wherever the terminal broke the line
    assert ended.count("arena tournament long") == 1
    assert (window.value("alternate_on"), window.value("cursor_flag")) == ("0", "1")


def test_the_last_frame_and_the_tables_stay_in_the_scrollback(tmux: Callable[[int, int], Tmux]) -> None:
    window = tmux(100, 30)
    window.arena("tournament", "run", "bots.toml", "pairs=10", "--run", "short")
    ended = window.wait(EXIT.search, scrollback=True)
    assert "exit=0" in ended
    assert (window.value("alternate_on"), window.value("cursor_flag")) == ("0", "1")
    assert ended.index("40/40 matches  100 %") < ended.index("tic_tac_toe, one against one")
    assert ended.count("arena tournament short") == 1


def test_watching_a_run_that_is_killed(tmux: Callable[[int, int], Tmux], tmp_path: Path) -> None:
    words = [sys.executable, "-m", "arena.cli", "tournament", "run", "bots.toml", "pairs=100000", "--run", "long", "-q"]
    run = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        events = tmp_path / "runs" / "long" / "events.jsonl"
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and not events.exists():
            time.sleep(0.05)
        window = tmux(100, 30)
        window.arena("watch", "long")
        window.wait(lambda shown: "standings" in shown and "Ctrl-C leaves; the run goes on" in shown)
        window("send-keys", "-t", "t", "C-c")
        window.wait(lambda shown: "exit=130" in shown)
        assert run.poll() is None
        window.type("clear")
        window.arena("watch", "long")
        window.wait(lambda shown: "standings" in shown and "Ctrl-C" in shown)
    finally:
        run.kill()
        run.wait()
    ended = window.wait(lambda shown: "exit=1\n" in shown)
    assert "died" in ended
    assert "--runlong-q--resume" in "".join(ended.split())  # wherever the terminal broke the line
    assert (window.value("alternate_on"), window.value("cursor_flag")) == ("0", "1")
