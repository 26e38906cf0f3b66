"""Tables: aligned text, Markdown, and what happens where they do not fit."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from rich.cells import cell_len

from arena.cli.sheet import Column, Sheet
from arena.cli.tables import skipped_notes, standings_sheets
from arena.results import MatchResult
from arena.standings import compute_standings
from arena.types import Ended, Fault
from games import Issue

SHEET = Sheet(
    title="Title",
    columns=[Column("name", shrink=True), Column("n", right=True)],
    rows=[["a", "1"], ["bb|\x1b", "22"]],
    notes=["A note."],
)


def test_text_is_aligned_and_clean() -> None:
    assert SHEET.text(80).split("\n") == ["Title", "name      n", "a         1", "bb|\\x1b  22", "A note."]


def test_markdown_escapes() -> None:
    assert SHEET.markdown() == "### Title\n\n| name | n |\n|---|---:|\n| a | 1 |\n| bb\\|\\\\x1b | 22 |\n\nA note.  \n"


def test_names_shrink_before_anything_is_lost() -> None:
    sheet = Sheet(columns=[Column("name", shrink=True), Column("n", right=True)], rows=[["x" * 50, "12345"]])
    assert sheet.text(20) == "name               n\n" + "x" * 12 + "…  12345"


def test_wide_tables_are_broken_into_parts() -> None:
    columns = [Column("who"), *(Column(f"column {n}", right=True) for n in range(8))]
    text = Sheet(columns=columns, rows=[["me", *map(str, range(8))]]).text(40)
    assert all(cell_len(row) <= 40 for row in text.split("\n"))
    assert text.count("who") == 3
    assert text.split("\n\n")[1].split("\n")[1].split() == ["me", "3", "4", "5"]


def test_a_terminal_gets_style(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    SHEET.print()
    out = capsys.readouterr().out
    assert "\x1b[1mTitle" in out
    assert "bb|\\x1b  22" in out


def result(key: int, players: tuple[str, ...], returns: tuple[float, ...], **more: Any) -> MatchResult:
    return MatchResult(
        key=f"{key:016x}",
        game=more.pop("game", "kuhn_poker"),
        params=(("players", len(players)),),
        players=players,
        pair=f"pair {key // 2}",
        returns=returns,
        ended=more.pop("ended", Ended.TERMINAL),
        **more,
    )


def test_standings_in_one_table_per_question() -> None:
    fault = Fault(seat=1, issue=Issue.NO_ANSWER)
    results = [
        result(0, ("a", "b"), (1.0, -1.0)),
        result(1, ("b", "a"), (1.0, -1.0)),
        result(2, ("a", "b"), (2.0, -2.0), ended=Ended.FORFEIT, fault=fault),
        result(3, ("b", "a"), (-2.0, 2.0)),
        result(4, ("a", "b"), (), ended=Ended.VOID, error="boom"),
    ]
    standings = compute_standings(results, bootstrap=20)
    game, cross = standings_sheets(standings, {"kuhn_poker": ("first", "second")})
    assert [column.name for column in game.columns][5:7] == ["as first", "as second"]
    a, b = game.rows
    assert (a[1], a[3], a[5], a[6], a[7], a[8]) == ("a", "75 %", "2-0-0", "1-0-1", "+1.00", "0")
    assert (b[1], b[8]) == ("b", "1 (1 no answer)")
    assert [row[:2] for row in cross.rows[:4]] == [
        ["a", "as first"],
        ["", "as second"],
        ["", "pairs"],
        ["", "% of pairs"],
    ]
    assert [row[4] for row in cross.rows[:3]] == ["2-0-0", "1-0-1", "1-1-0"]
    assert cross.rows[0][2:4] == ["0", "·"]
    assert cross.rows[4][2] == "1"
    assert all(len(line) <= 80 for sheet in (game, cross) for line in sheet.text(80).split("\n"))


def test_several_games_come_with_a_table_of_all_and_what_was_not_played() -> None:
    results = [
        result(0, ("a", "b"), (1.0, -1.0)),
        result(1, ("b", "c"), (1.0, -1.0), game="tic_tac_toe"),
        result(2, ("a", "b"), (), ended=Ended.VOID, error="boom"),
    ]
    skipped = [{"game": "tic_tac_toe", "player": "a", "reason": "it hides"}]
    overall, *rest = standings_sheets(compute_standings(results, bootstrap=20, skipped=skipped))
    assert len(rest) == 4
    assert overall.title == "Standings over all games: 2 matches"
    assert "1 void match owed: 1× boom" in overall.notes
    assert "a does not play tic_tac_toe: it hides" in overall.notes
    assert [row[1] for row in overall.rows] == ["a", "b", "c"]


def test_three_seats_are_told_all_seats_together() -> None:
    players = ("a", "b", "c")
    results = [
        MatchResult(
            key=f"{n:016x}", game="kuhn_poker", params=(("players", 3),),
            players=players[n:] + players[:n], pair="p", returns=(2.0, -1.0, -1.0), ended=Ended.TERMINAL,
        )
        for n in range(3)
    ]  # fmt: skip
    _, cross = standings_sheets(compute_standings(results, bootstrap=20))
    assert [row[1] for row in cross.rows[:3]] == ["all seats", "pairs", "% of pairs"]
    assert cross.rows[0][4] == "1-1-1"


def test_players_who_never_met_are_not_compared() -> None:
    results = [result(0, ("a", "b"), (1.0, -1.0)), result(2, ("c", "d"), (1.0, -1.0))]
    _, cross = standings_sheets(compute_standings(results, bootstrap=20))
    assert "–" in cross.rows[0]


def test_one_sentence_per_player_that_sits_out() -> None:
    entries = [{"game": g, "player": "mcts:5", "reason": f"{g} hides"} for g in ("x", "y")]
    assert skipped_notes(entries) == ["mcts:5 does not play x, y: it hides"]
