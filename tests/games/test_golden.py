"""Golden playthroughs: any change of a rule, a word or a number shows. CONTRIBUTING.md tells how to make them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from games import get_game, list_games
from games.playthrough import GOLDEN, main, playthrough_text

FOLDER = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", GOLDEN)
def test_replays_word_for_word(name: str):
    game_id, params = GOLDEN[name]
    assert playthrough_text(get_game(game_id, params)) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_none_is_missing_and_none_is_left_over():
    assert {spec.id for spec in list_games()} <= set(GOLDEN)
    assert {path.stem for path in FOLDER.iterdir()} == set(GOLDEN)


def test_the_command_writes_and_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["tic_tac_toe", "--write", str(tmp_path / "new")]) == 0
    written = (tmp_path / "new" / "tic_tac_toe.txt").read_text(encoding="utf-8")
    assert main(["tic_tac_toe"]) == 0
    assert capsys.readouterr().out == written == (FOLDER / "tic_tac_toe.txt").read_text(encoding="utf-8")
    with pytest.raises(SystemExit, match="2"):
        main(["tictactoe"])
    assert "Unknown playthrough 'tictactoe'. Did you mean 'tic_tac_toe'?" in capsys.readouterr().err
