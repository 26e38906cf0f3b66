"""The match core loads neither torch nor transformers nor peft; scripted play does not either."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import arena.config, arena.engine, arena.pairing, arena.players.factory, arena.players.scripted, arena.provenance
import arena.records, arena.results, arena.rundir, arena.runner, arena.standings, arena.tournament, arena.types
import arena.players.mcts, arena.players.solver
from arena.config import GameConfig, TournamentConfig
from arena.players.factory import PlayerFactory
from arena.tournament import make_plan
make_plan(TournamentConfig(players=["random", "solver"], games=[GameConfig(id="kuhn_poker")]), PlayerFactory())
print(sorted({"torch", "transformers", "peft", "trl", "scipy", "typer", "rich"} & set(sys.modules)))
"""


def test_no_heavy_library_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
