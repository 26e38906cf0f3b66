"""The table of OpenSpiel's games: complete, true, and the same as the stored page."""

from __future__ import annotations

from pathlib import Path

import pyspiel
import pytest

from games import get_game
from games.openspiel_catalog import generic_ids
from games.openspiel_table import main, status, table, written_on

PAGE = Path(__file__).parents[2] / "docs" / "openspiel-games.md"


# What is written in Python is registered once another test imports it.
OF_THE_LIBRARY = [name for name in pyspiel.registered_names() if not name.startswith(("python_", "chat_game"))]


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == table(), (
        "python -m games.openspiel_table --write docs/openspiel-games.md"
    )


def test_every_game_has_a_row_and_none_is_silent():
    rows = [line for line in table().split("\n") if line.startswith("| ")][1:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == sorted(OF_THE_LIBRARY)
    for row in rows:
        here = row.split(" | ")[-1].removesuffix(" |")
        assert "`openspiel/" in here or "refused: " in here
        assert len(row.split(" | ")) == 6


def test_what_the_table_says_is_so():
    for name in OF_THE_LIBRARY:
        assert (f"`openspiel/{name}`" in status(name)) == (f"openspiel/{name}" in generic_ids())
    for name, own in written_on().items():
        for game_id in own:
            assert get_game(game_id).openspiel_name == name  # type: ignore[attr-defined]
    assert written_on()["matrix_rps"] == ("repeated_rps",)
    assert status("leduc_poker") == "written here: `leduc_poker`; also `openspiel/leduc_poker`"
    assert status("oshi_zumo") == "`openspiel/oshi_zumo`"
    assert status("negotiation").startswith("refused: it draws its chance inside the game object")


def test_at_least_sixty_are_playable():
    assert len(generic_ids()) >= 100
    assert f"{len(generic_ids())} are playable as `openspiel/<name>`" in table()


def test_the_command_shows_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([]) == 0
    assert main(["--write", str(tmp_path / "page.md")]) == 0
    assert capsys.readouterr().out == (tmp_path / "page.md").read_text(encoding="utf-8") == table()
