"""Games of other packages: a real package on the path is found, played and listed; a broken one stops nothing."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest

from games import ParameterError, UnknownGameError, get_game, list_games, plugins, registry
from games.conformance import check_game
from games.errors import GameError, PluginError

HERE = Path(__file__).parent

HAGGLE = """
from dataclasses import replace
from typing import Any
from pile_game import PileGame
from games import get_game

print("Thank you for loading acme-games!")

class Haggle(PileGame):
    def __init__(self, params: Any) -> None:
        super().__init__(params)
        self.spec = replace(self.spec, id="acme/haggle", title="Haggle")

    def __reduce__(self) -> tuple[Any, ...]:
        return get_game, (self.spec.id, dict(self.spec.params))

class Renamed(PileGame):
    pass

class Specless(PileGame):
    def __init__(self, params: Any) -> None:
        self.spec = "acme/specless"

class Explosive(PileGame):
    def __init__(self, params: Any) -> None:
        raise RuntimeError("no licence")

class Params(PileGame):
    PARAMS = {"stones": 7}

NUMBER = 7

def function(params: Any) -> None: ...
"""

ENTRIES = """
[arena.games]
acme/haggle = acme_games:Haggle
acme/renamed = acme_games:Renamed
acme/specless = acme_games:Specless
acme/explosive = acme_games:Explosive
acme/params = acme_games:Params
acme/function = acme_games:function
acme/number = acme_games:NUMBER
acme/missing = acme_games:No
acme/absent = acme_nowhere:Game
acme/raises = acme_raises:Game
acme/exits = acme_exits:Game
acme/twice = acme_games:Haggle
chess = acme_games:Haggle
Acme/Haggle = acme_games:Haggle
haggle = acme_games:Haggle
openspiel/hex = acme_games:Haggle
"""

ERRORS = {
    "acme/renamed": "its spec.id is 'pile'; it must be the name of the entry point",
    "acme/specless": "its spec is of type str; a games.GameSpec is needed",
    "acme/explosive": "it cannot be made with {'stones': 7}: RuntimeError: no licence",
    "acme/params": "Params.PARAMS must map names to games.Param",
    "acme/function": "acme_games:function is of type function; a subclass of games.Game is needed",
    "acme/number": "acme_games:NUMBER is of type int; a subclass of games.Game is needed",
    "acme/missing": "acme_games:No cannot be imported: AttributeError: module 'acme_games' has no attribute 'No'",
    "acme/absent": "acme_nowhere:Game cannot be imported: ModuleNotFoundError: No module named 'acme_nowhere'",
    "acme/raises": "acme_raises:Game cannot be imported: ZeroDivisionError: division by zero",
    "acme/exits": "acme_exits:Game cannot be imported: SystemExit: 3",
    "acme/twice": "it is offered more than once: acme-games 1.2; other-games 0.1",
    "chess": "a name must be like acme/haggle: lower case, the owner, a slash, the game",
    "Acme/Haggle": "a name must be like acme/haggle: lower case, the owner, a slash, the game",
    "haggle": "a name must be like acme/haggle: lower case, the owner, a slash, the game",
    "openspiel/hex": "names that begin with openspiel/ or textarena/ are ours",
}


def install(folder: Path, name: str, version: str, entries: str) -> None:
    """What pip leaves behind of a package with entry points."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entries, encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path with two packages that offer games."""
    folder = tmp_path / "site"
    install(folder, "acme-games", "1.2", ENTRIES)
    install(folder, "other-games", "0.1", "[arena.games]\nacme/twice = acme_games:Haggle\n")
    (folder / "acme_games.py").write_text(HAGGLE, encoding="utf-8")
    (folder / "acme_raises.py").write_text("1 / 0\n", encoding="utf-8")
    (folder / "acme_exits.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    _forget()
    yield folder
    for name in [name for name in sys.modules if name.startswith("acme_")]:
        del sys.modules[name]
    _forget()


def _forget() -> None:
    invalidate_caches()
    for cached in (plugins.plugin_class, plugins._examined, registry._cached):
        cached.cache_clear()


def test_a_plugin_is_a_game_like_any_other(site: Path, capsys: pytest.CaptureFixture[str]):
    game = get_game("acme/haggle", {"stones": 5})
    assert (game.spec.id, game.spec.params) == ("acme/haggle", {"stones": 5})
    assert game is get_game("acme/haggle", {"stones": 5})
    assert pickle.loads(pickle.dumps(game)) is game
    assert check_game(game, seeds=range(2), matches=5) == []
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "Thank you for loading acme-games!\n")
    with pytest.raises(ParameterError, match=r"acme/haggle: Unknown parameter 'stone'\. Did you mean 'stones'\?"):
        get_game("acme/haggle", {"stone": 5})


def test_all_are_listed_and_the_broken_ones_with_their_error(site: Path):
    found = {plugin.id: plugin for plugin in plugins.plugins()}
    assert set(found) == {"acme/haggle", *ERRORS}
    assert {game_id: plugin.error for game_id, plugin in found.items() if plugin.error} == ERRORS
    haggle = found["acme/haggle"]
    assert haggle.spec is not None
    assert (haggle.package, haggle.spec.title, haggle.error) == ("acme-games 1.2", "Haggle", "")
    assert found["acme/twice"].package == "acme-games 1.2; other-games 0.1"
    assert "acme/haggle" not in {spec.id for spec in list_games()}


@pytest.mark.parametrize("game_id", sorted(set(ERRORS) - {"chess", "openspiel/hex"}))
def test_asking_for_a_broken_one_says_why(site: Path, game_id: str):
    with pytest.raises(PluginError) as caught:
        get_game(game_id)
    assert str(caught.value) == f"The plug-in {game_id} cannot be used: {ERRORS[game_id]}."
    assert isinstance(caught.value, GameError | ImportError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_ours_cannot_be_replaced(site: Path):
    assert get_game("chess").spec.title == "Chess"
    assert get_game("openspiel/hex").spec.title == "Hex"


def test_they_are_named_when_something_else_was_meant(site: Path):
    with pytest.raises(UnknownGameError, match="Did you mean 'acme/haggle'"):
        get_game("acme/hagle")
    with pytest.raises(UnknownGameError, match="Did you mean 'acme/haggle'"):
        get_game("acmehaggle")


def test_nothing_is_imported_before_it_is_asked_for(site: Path):
    assert "acme/haggle" in plugins.plugin_ids()
    get_game("tic_tac_toe")
    assert "acme_games" not in sys.modules


def _arena(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path[:0] = [{str(site)!r}, {str(HERE)!r}]; from arena.cli.app import main; main()"
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=site, check=False)


def test_the_command_line_lists_shows_checks_and_plays_them(site: Path):
    listed = _arena(site, "games", "list")
    assert listed.returncode == 0
    assert [line.split()[:3] for line in listed.stdout.splitlines() if line.startswith("acme/haggle")] == [
        ["acme/haggle", "plug-in", "2"]
    ]
    assert f"Plug-in acme/exits (acme-games 1.2) is broken: {ERRORS['acme/exits']}" in listed.stdout
    told = json.loads(_arena(site, "games", "list", "--json").stdout)
    assert told["counts"]["plugins"] == 1
    assert {each["id"]: each["error"] for each in told["plugins"]} == {"acme/haggle": "", **ERRORS}
    assert "A pile of 9 stones" in _arena(site, "games", "show", "acme/haggle", "-p", "stones=9").stdout
    checked = _arena(site, "games", "check", "acme/haggle", "--matches", "5", "--seeds", "1")
    assert (checked.returncode, checked.stdout[:44]) == (0, "acme/haggle: keeps everything it declares (2")
    played = _arena(site, "play", "acme/haggle", "--seat0", "random", "--seat1", "random")
    assert played.returncode == 0, played.stderr
    broken = _arena(site, "play", "acme/raises", "--seat0", "random", "--seat1", "random")
    assert (broken.returncode, broken.stdout) == (2, "")
    assert "Error: The plug-in acme/raises cannot be used: " in broken.stderr
