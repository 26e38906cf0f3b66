"""The guide to adding a game, followed step by step in a copy of the rules; in the end it is played by name."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
LINES = 120


def guide() -> list[tuple[str, str]]:
    """(language, content) of the blocks of the chapter, in order."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    chapter = text.partition("## Adding a game")[2].partition("\n## ")[0]
    return [(language, textwrap.dedent(content)) for _, language, content in BLOCK.findall(chapter)]


def commands() -> list[str]:
    return [line for language, content in guide() if language == "bash" for line in content.splitlines()]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the rules after steps 1 and 2."""
    folder = tmp_path_factory.mktemp("guide")
    shutil.copytree(ROOT / "games", folder / "games", ignore=shutil.ignore_patterns("__pycache__"))
    game, line = [content for language, content in guide() if language == "python"]
    assert len(game.splitlines()) <= LINES
    (folder / "games" / "count_up.py").write_text(game, encoding="utf-8")
    shelf = folder / "games" / "shelf.py"
    before = shelf.read_text(encoding="utf-8")
    after = before.replace(
        "ZERO_SUM: dict[str, str] = {\n", "ZERO_SUM: dict[str, str] = {\n" + textwrap.indent(line, "    ")
    )
    assert after.count("count_up") == 2
    shelf.write_text(after, encoding="utf-8")
    return folder


def follow(copy: Path, command: str, *more: str) -> subprocess.CompletedProcess[str]:
    """One line of the guide, where the copy's rules come first."""
    words = shlex.split(command)
    start = ["-m", "arena.cli"] if words[0] == "arena" else []
    path = os.pathsep.join([str(copy), str(ROOT)])
    done = subprocess.run(
        [sys.executable, *start, *words[1:], *more],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_guide_has_all_its_steps():
    assert [language for language, _ in guide()] == ["python", "python", "bash", "bash", "bash", "toml"]
    assert [command.split()[2] for command in commands() if command.startswith("arena games")] == 3 * ["check"] + [
        "show"
    ]


def test_the_game_keeps_the_contract(copy: Path):
    first, changed, nightly = [command for command in commands() if "check" in command]
    assert "count_up: keeps everything it declares" in follow(copy, first).stdout
    assert "count_up: keeps everything it declares" in follow(copy, changed).stdout
    fewer = ("--random-games", "500", "--hostile", "2000", "--quiet")  # the whole takes a minute
    assert "500 random games, 2,000 hostile replies" in follow(copy, nightly, *fewer).stdout


def test_its_playthrough_is_written_and_replays(copy: Path):
    (command,) = [command for command in commands() if "playthrough" in command]
    follow(copy, command)
    written = (copy / "tests/games/golden/count_up.txt").read_text(encoding="utf-8")
    assert "Count up to 21 from 0. In turn, add 1 to 3, never beyond 21" in written
    assert follow(copy, "python -m games.playthrough count_up").stdout == written


def test_it_is_played_by_name(copy: Path):
    show, play = [command for command in commands() if "show" in command or "play " in command]
    assert "You are player 1." in follow(copy, show).stdout
    assert "Total: 21 of 21." in follow(copy, play).stdout
    assert "count_up" in follow(copy, "arena games list").stdout


def test_the_game_passes_our_own_linters(copy: Path):
    file = str(copy / "games" / "count_up.py")
    for tool in (["ruff", "check", "--config", str(ROOT / "pyproject.toml")], ["ruff", "format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", *tool, file], capture_output=True, text=True, check=False, cwd=ROOT
        )
        assert done.returncode == 0, done.stdout
