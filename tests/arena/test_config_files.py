"""Strict configs: what is refused is refused with key, what was given, what is allowed and the nearest match."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

from arena import config
from arena.config import GameConfig, SamplingConfig, StrictModel, TournamentConfig, find_config, load_config
from arena.errors import ConfigError

GOOD = """
players = ["random", "greedy"]
pairs = 4
[sampling]
temperature = 0.5
[[games]]
id = "kuhn_poker"
params = { players = 3 }
[[games]]
id = "tic_tac_toe"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.toml"
    path.write_text(GOOD)
    return path


def load(file: Path, *overrides: str) -> TournamentConfig:
    return load_config(str(file), overrides, TournamentConfig)


def refused(file: Path, *overrides: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(file, *overrides)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_file_is_read_with_defaults_for_the_rest(file: Path) -> None:
    assert load(file) == TournamentConfig(
        players=["random", "greedy"],
        pairs=4,
        sampling=SamplingConfig(temperature=0.5),
        games=[GameConfig(id="kuhn_poker", params={"players": 3}), GameConfig(id="tic_tac_toe")],
        seed=0,
        retries=1,
    )


def test_overrides_are_toml_values_or_bare_words_with_dotted_keys(file: Path) -> None:
    made = load(
        file,
        "pairs=7",
        "name=cup-1",
        "sampling.top_p=0.9",
        "show_legal = false",
        'players=["solver", "random"]',
        "players.1=mcts:10",
        "games.0.params.players=2",
        "games.1.id=openspiel/hex",
        "games.1.params.board_size=3",
    )
    assert (made.pairs, made.name, made.sampling.top_p, made.show_legal) == (7, "cup-1", 0.9, False)
    assert made.players == ["solver", "mcts:10"]
    assert made.games[0].params == {"players": 2}
    assert made.games[1] == GameConfig(id="openspiel/hex", params={"board_size": 3})


def test_options_of_the_command_line_come_before_overrides(file: Path) -> None:
    made = load_config(str(file), ["seed=5"], TournamentConfig, defaults={"seed": 3, "pairs": 9})
    assert (made.seed, made.pairs) == (5, 9)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("pair=3", "unknown key 'pair'. Did you mean 'pairs'? Allowed here: bootstrap, concurrency, device, games, "),
        ("sampling.top=3", "unknown key 'sampling.top'. Did you mean 'top_p'? Allowed here: max_tokens, temperature"),
        ("games.1.parms={}", "unknown key 'games.1.parms'. Did you mean 'params'? Allowed here: id, params"),
        ("sampling.zzz=3", "unknown key 'sampling.zzz'. Allowed here: max_tokens, temperature, top_k, top_p"),
        ("pairs=0", "pairs = 0: input should be greater than or equal to 1"),
        ("pairs=two", "pairs = 'two': input should be a valid integer"),
        ("pairs=2.5", "pairs = 2.5: input should be a valid integer"),
        ("pairs=true", "pairs = True: input should be a valid integer"),
        ("seed='1'", "seed = '1': input should be a valid integer"),
        ("sampling.temperature=nan", "sampling.temperature = nan: input should be a finite number"),
        ("sampling.top_p=0", "sampling.top_p = 0: input should be greater than 0"),
        ("games.0.params.players=[1]", "games.0.params.players = [1]: must be a number, text, true or false"),
        ("players=[]", "players = []: list should have at least 2 items after validation, not 0"),
        ("players=['a','b','a']", "players lists a twice; a player is never rated against itself"),
        ("games.0={id='tic_tac_toe'}", "games lists tic_tac_toe twice with the same params; raise `pairs` instead"),
        ("pairs", "Override 'pairs' is not of the form key=value"),
        ("=3", "Override '=3' is not of the form key=value"),
        ("a..b=3", "Override 'a..b=3' is not of the form key=value"),
        ("pairs.x=3", "Override 'pairs.x=3': 'pairs' is a value, not a section"),
        ("games.7.id=x", "Override 'games.7.id=x': '7' is not an index into a list of 2 (from 0)"),
        ("players.x=3", "Override 'players.x=3': 'x' is not an index into a list of 2 (from 0)"),
    ],
)
def test_what_is_wrong_is_refused_by_key(file: Path, override: str, message: str) -> None:
    assert message in refused(file, override)


def test_a_missing_key_and_several_faults_are_all_named(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text("players = ['a', 'b']\nseed = -1\n")
    message = refused(path)
    assert message == f"{path}: games is missing. seed = -1: input should be greater than or equal to 0."


def test_a_fault_says_which_overrides_were_given(file: Path) -> None:
    assert refused(file, "seed=1", "pairs=0").startswith(f"{file} with seed=1 pairs=0: pairs = 0")


def test_the_keys_of_a_section_are_listed_once(file: Path) -> None:
    message = refused(file, "pair=0", "sampling.top=1", "sed=1")
    assert message.count("Allowed here: bootstrap, ") == 1
    assert message.count("Allowed here: max_tokens, ") == 1
    assert "unknown key 'pair'. Did you mean 'pairs'? unknown key" in message


def test_a_value_in_the_place_of_a_section_is_told_its_keys(file: Path) -> None:
    message = refused(file, "sampling=3")
    assert message.endswith("sampling = 3: must be a section with the keys max_tokens, temperature, top_k, top_p.")


def test_a_file_nested_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text("a = " + "[" * 5000 + "]" * 5000)
    assert "not TOML" in refused(path)


def test_a_name_too_long_for_a_file_is_no_config() -> None:
    with pytest.raises(ConfigError, match="no such file, and no such preset"):
        find_config("x" * 300)


def test_a_long_value_is_cut_in_the_message(file: Path) -> None:
    message = refused(file, f"pairs={'x' * 500}")
    assert len(message) < 200 + len(str(file))
    assert "xxx…: input should be a valid integer" in message


def test_a_file_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text("players = [")
    assert f"{path}: not TOML" in refused(path)
    path.write_bytes(b"a = '\xff'")
    assert f"{path}: not TOML" in refused(path)


def test_sections_inside_optional_and_listed_types_are_found() -> None:
    class Inner(StrictModel):
        kind: Literal["a", "b"] = "a"

    class Outer(StrictModel):
        maybe: Inner | None = None
        many: list[Inner] = Field(default_factory=list)

    assert set(config._fields_at(Outer, ("maybe", "x"))) == {"kind"}
    assert set(config._fields_at(Outer, ("many", 0, "x"))) == {"kind"}
    assert set(config._fields_at(Outer, ("nowhere", "x"))) == {"maybe", "many"}


def test_configs_cannot_be_changed_after_they_were_read(file: Path) -> None:
    with pytest.raises(Exception, match="frozen"):
        load(file).pairs = 3  # type: ignore[misc]


# --- presets -------------------------------------------------------------------------------------------------------


@pytest.fixture
def presets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "configs"
    (root / "tournament").mkdir(parents=True)
    (root / "tournament" / "cup.toml").write_text(GOOD)
    (root / "top.toml").write_text(GOOD)
    monkeypatch.setattr(config, "_PRESETS", (tmp_path / "missing", root))
    monkeypatch.chdir(tmp_path)
    return root


@pytest.mark.parametrize("given", ["tournament/cup", "cup", "tournament/cup.toml", "configs/tournament/cup"])
def test_a_preset_is_found_by_name(presets: Path, given: str) -> None:
    assert find_config(given, "tournament") == presets / "tournament" / "cup.toml"


def test_a_file_comes_before_a_preset(presets: Path) -> None:
    Path("top").write_text(GOOD)
    assert find_config("top") == Path("top")


def test_an_unknown_preset_is_refused_with_the_nearest(presets: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        find_config("tournament/cpu", "tournament")
    assert str(caught.value) == (
        "No config 'tournament/cpu': no such file, and no such preset. Did you mean 'tournament/cup'? "
        "Presets: top, tournament/cup."
    )
