from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.config import load_config
from arena.errors import ConfigError
from selfplay.config import SelfPlayConfig

BASE = """
updates = 10
[[games]]
id = "kuhn_poker"
"""


def load(tmp_path: Path, text: str, *overrides: str) -> SelfPlayConfig:
    path = tmp_path / "c.toml"
    path.write_text(text)
    return load_config(str(path), overrides, SelfPlayConfig)


def test_defaults_are_spirals(tmp_path: Path) -> None:
    config = load(tmp_path, BASE)
    assert (config.estimator.name, config.estimator.options) == ("rae", {})
    assert (config.opponents.latest, config.opponents.past) == (1.0, 0.0)
    assert config.optim.loss_type == "dr_grpo"


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("sampling.temperature=0", "must explore"),
        ("sampling.top_p=0.9", "leave them at 1.0 and 0"),
        ("sampling.top_k=5", "leave them at 1.0 and 0"),
        ("snapshot_every=11", "only 10 updates"),
        ("opponents.latest=0", "give at least one of them weight"),
        ("opponents.pasd=1", "Did you mean 'past'"),
        ("opponents.pfsp_weighting=hrad", "'hard' or 'even'"),
        ("opponents.fixed={random=-1.0}", "must not be negative"),
        ("estimator.name=group", "set repeats to 4"),
        ("repeats=97", "has only 96 matches"),
        ("opponents.pfsp=1", "lower snapshot_every or set past to 0"),
        ("opponents.past=1", "lower snapshot_every or set past to 0"),
        ("optim.warmup=10", "it must be fewer"),
        ("optim.micro_batches=97", "lower it"),
        ("optim.loss_type=grppo", "'dr_grpo', 'grpo'"),
        ("optim.loss_type=cispo", "set it to 5.0"),
        ("optim.loss_type=luspo", "importance = 'sequence'"),
        ("optim.importance=sequence", "use loss_type 'grpo'"),
        ("optim.ratio_cap=1.1", "above the clip range"),
        ("optim={loss_type='sapo', ratio_cap=3.0}", "has its own limit"),
        ("optim={beta=0.0, magnet_every=10}", "set beta above 0"),
        ("optim.magnet_every=7", "make it a multiple of 10"),
        ("impasse.answers=['reshap']", "'reshape'"),
        ("impasse.answers=['stop', 'stop']", "more than once"),
        ("impasse.answers=['reshape']", "only_at_impasse = true"),
        ("impasse.answers=['widen']", "lower snapshot_every"),
        ("impasse.drawz=0.5", "Did you mean 'draws'"),
        ("impasse.reply_change=0.5", "a factor above 1"),
        ("optim.learning_rat=1", "Did you mean"),
        ("matchs=3", "Did you mean 'matches'"),
        ("lora.r=0", "greater than or equal to 1"),
    ],
)
def test_what_cannot_work_is_refused_with_the_way_out(tmp_path: Path, override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, BASE, override)


def test_a_game_twice_or_without_matches_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="kuhn_poker more than once"):
        load(tmp_path, BASE + '[[games]]\nid = "kuhn_poker"\n')
    with pytest.raises(ConfigError, match="none for tic_tac_toe"):
        load(tmp_path, BASE + '[[games]]\nid = "tic_tac_toe"\nweight = 0.001\n')


def test_unknown_games_and_parameters_are_config_errors(tmp_path: Path) -> None:
    config = load(tmp_path, BASE.replace("kuhn_poker", "kuhn_pokr"))
    with pytest.raises(ConfigError, match="Did you mean 'kuhn_poker'"):
        config.loaded_games()
    config = load(tmp_path, BASE + "params = { player = 2 }\n")
    with pytest.raises(ConfigError, match="Did you mean 'players'"):
        config.loaded_games()


@pytest.mark.parametrize(
    ("weights", "matches", "shares"),
    [
        ([1, 1, 1], 96, [32, 32, 32]),
        ([1, 1, 1], 10, [4, 3, 3]),
        ([3, 1], 10, [8, 2]),
        ([0.5, 0.25, 0.25], 7, [3, 2, 2]),
    ],
)
def test_shares_add_up(weights: list[float], matches: int, shares: list[int]) -> None:
    games: list[dict[str, Any]] = [
        {"id": name, "weight": float(w)}
        for name, w in zip(("kuhn_poker", "tic_tac_toe", "simple_negotiation"), weights, strict=False)
    ]
    config = SelfPlayConfig.model_validate({"games": games, "matches": matches, "updates": 10})
    assert config.shares() == shares


def test_light_modules_import_no_torch() -> None:
    names = ["cli", "config", "opponents", "trajectories", "advantages", "metrics", "checkpoint", "run"]
    code = "import sys\n" + "".join(f"import selfplay.{name}\n" for name in names)
    code += "heavy = {'torch', 'transformers', 'peft', 'trl'} & set(sys.modules)\nassert not heavy, heavy\n"
    subprocess.run([sys.executable, "-c", code], check=True)
