"""The command line, in this process and as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Done

from arena.cli.app import run

BOTS = """
players = ["random", "greedy"]
pairs = 3
bootstrap = 20

[[games]]
id = "kuhn_poker"

[[games]]
id = "tic_tac_toe"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a small tournament config, `bots.toml`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("ARENA_DEBUG", raising=False)
    (tmp_path / "bots.toml").write_text(BOTS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def arena(place: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command line in this process."""

    def call(*words: str) -> Done:
        capsys.readouterr()
        code = run(words)
        told = capsys.readouterr()
        return Done(code, told.out, told.err)

    return call


@pytest.fixture
def process(place: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start a command line as a process of its own."""

    def start(*words: str, **settings: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "arena.cli", *words],
            cwd=place,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **settings,
        )

    return start
