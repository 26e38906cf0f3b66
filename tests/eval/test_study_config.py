"""Studies are refused early: with the key, what was given, what is allowed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.config import load_config
from arena.errors import ConfigError, UsageError
from eval import study_cells, study_config
from eval.infostates import GameTooLargeError
from eval.study_cells import make_plan
from eval.study_config import StudyConfig, override_words, parse_evaluations, toml_value
from selfplay import config as selfplay_config
from selfplay import impasse_signals
from selfplay.config import SelfPlayConfig

KUHN = {"base": "kuhn", "arms": {"a": {}}}


def written(folder: Path, text: str) -> str:
    (folder / "s.toml").write_text(text)
    return str(folder / "s.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeds = [0]\n[arms.a]", "base is missing"),
        ('base = "kuhn"', "arms is missing"),
        ('base = "kuhn"\nseds = [0]\n[arms.a]', "unknown key 'seds'. Did you mean 'seeds'"),
        ('base = "kuhn"\nseeds = []\n[arms.a]', "seeds = "),
        ('base = "kuhn"\nseeds = [-1]\n[arms.a]', "seeds has -1"),
        ('base = "kuhn"\nseeds = [1, 2, 1]\n[arms.a]', "seeds lists 1 more than once"),
        ('base = "kuhn"\njobs = 0\n[arms.a]', "jobs = 0"),
        ('base = "kuhn"\nbaseline = "rea"\n[arms.rae]', "Unknown baseline 'rea'. Did you mean 'rae'"),
        ('base = "kuhn"\n[arms."a b"]', "arms.a b: use 1 to 40 letters"),
        ('base = "kuhn"\nmetrics = ["draw"]\n[arms.a]', "unknown name 'draw'. Did you mean 'draws'"),
        ('base = "kuhn"\nmetrics = ["game.x"]\n[arms.a]', "dotted names that begin with games"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(written(tmp_path, text), [], StudyConfig, kind="study")


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("nashcon:kuhn_poker", UsageError, "Did you mean 'nashconv:kuhn_poker'"),
        ("score:", UsageError, "Unknown evaluation"),
        ("score:human", UsageError, "one player that stays the same"),
        ("score:rondom", UsageError, "Did you mean 'random'"),
        ("average:openspiel/chess", GameTooLargeError, "too large"),
    ],
)
def test_evaluations_that_cannot_be_made_are_refused(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_evaluations([name])


def test_names_of_metrics_are_those_that_self_play_writes() -> None:
    assert set(study_config.SIGNALS) == {*impasse_signals._MEASURES, "token_entropy"}
    assert study_cells.HARMLESS == selfplay_config.HARMLESS


def test_an_arm_is_what_selfplay_takes_as_words() -> None:
    changes: dict[str, Any] = {
        "updates": 20,
        "show_legal": True,
        "model": 'a "folder" with ~ and \x7f',
        "estimator": {"name": "dept", "options": {"alpha_fast": 0.5, "only_at_impasse": True}},
        "opponents": {"fixed": {"random": 0.5}},
        "games.0.weight": 2.0,
        "impasse": {"answers": ["widen", "reshape"]},
    }
    words = override_words("a", changes)
    assert words[0] == "updates=20"
    assert "estimator.options.alpha_fast=0.5" in words
    made = load_config("kuhn", words, SelfPlayConfig, kind="selfplay")
    assert (made.updates, made.show_legal, made.model) == (20, True, changes["model"])
    assert (made.estimator.name, made.estimator.options) == ("dept", changes["estimator"]["options"])
    assert made.opponents.fixed == {"random": 0.5}
    assert made.games[0].weight == 2.0
    assert made.impasse.answers == ["widen", "reshape"]


def test_an_empty_table_clears() -> None:
    words = override_words("a", {"estimator": {"name": "rae", "options": {}}})
    made = load_config("dept", words, SelfPlayConfig, kind="selfplay")
    assert made.estimator.options == {}
    assert load_config("dept", [], SelfPlayConfig, kind="selfplay").estimator.options != {}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 3}, "arms.a.seed: seeds are the study's own"),
        ({"a=b": 3}, "'a=b' is no key"),
        ({"--quiet": 3}, "'--quiet' is no key"),
        ({"updates": object()}, "arms.a.updates: .* is a object"),
    ],
)
def test_what_no_word_can_carry_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        override_words("a", changes)


def test_values_are_written_as_toml() -> None:
    assert toml_value([{"a": 1.5, "b c": [True]}, "x"]) == '[{"a" = 1.5, "b c" = [true]}, "x"]'


def test_arms_that_selfplay_refuses_are_named(tmp_path: Path) -> None:
    config = StudyConfig.model_validate({**KUHN, "arms": {"bad": {"estimator": {"name": "rea"}}}})
    with pytest.raises(ConfigError, match=r"arms\.bad: Unknown estimator 'rea'. Did you mean 'rae'"):
        make_plan(config, tmp_path / "s")
    assert list(tmp_path.iterdir()) == []


def test_players_that_do_not_play_the_games_are_refused_before_anything_is_trained(tmp_path: Path) -> None:
    config = StudyConfig.model_validate({**KUHN, "evaluations": ["score:solver", "score:base"]})
    make_plan(config, tmp_path)
    config = StudyConfig.model_validate({**KUHN, "evaluations": ["score:solver", "score:mcts:10"]})
    with pytest.raises(UsageError, match=r"evaluations: score:mcts:10: kuhn_poker hides information"):
        make_plan(config, tmp_path)


def test_arms_that_would_end_by_themselves_are_refused(tmp_path: Path) -> None:
    config = StudyConfig.model_validate({**KUHN, "arms": {"a": {"impasse": {"answers": ["stop"]}}}})
    with pytest.raises(ConfigError, match="compared at full length"):
        make_plan(config, tmp_path)


def test_a_cell_of_other_settings_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "cells/a-s6"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"config": {"matches": 3, "threads": 7}, "status": "done"}))
    with pytest.raises(ConfigError, match="cells/a-s6 was run with other settings: matches was 3, is now") as refused:
        make_plan(StudyConfig.model_validate({**KUHN, "seeds": [5, 6]}), tmp_path)
    assert "threads" not in str(refused.value)
