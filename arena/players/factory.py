"""Players by name: what every command, config and record means by `random`, `mcts:1000` or `demo@000120`.

| name | player |
|---|---|
| `random`, `greedy` | the game's own bots |
| `mcts:N` | tree search with N simulations a move |
| `solver` | exact play where the game is small |
| `human` | a person at the terminal |
| `base` | the base model without adapter |
| `RUN@000120`, `RUN@latest`, `RUN@all` | snapshots of a run (by name, or path of its directory) |
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from arena.errors import SnapshotError, UnknownPlayerError, UsageError
from arena.players.scripted import BotPlayer
from arena.rundir import RUNS
from arena.types import Player
from games import Game
from games.suggest import unknown

if TYPE_CHECKING:
    from arena.inference.engine import LocalEngine
    from arena.snapshots import Snapshot

MAX_SIMULATIONS = 10_000_000
"""Largest N in `mcts:N`."""

_PLAIN = ("random", "greedy", "solver", "base", "human")


class ArenaPlayer(Player, Protocol):
    """A player that can say why it does not play a game."""

    def refusal(self, game: Game) -> str | None:
        """Why this player cannot play `game`, or None."""


class PlayerFactory:
    """Makes every player once. Models are loaded when the first player that needs one is asked for.

    Args:
        model: base model for `base` and snapshots, by name, folder or hub id.
        device: where it runs; `auto` takes the GPU if there is one.
        dtype: `auto` is bfloat16 on a GPU and float32 on a CPU.
        engine: use this engine instead of loading a model.
    """

    def __init__(
        self, *, model: str = "pocket", device: str = "auto", dtype: str = "auto", engine: LocalEngine | None = None
    ) -> None:
        self._model = model
        self._device = device
        self._dtype = dtype
        self._engine = engine
        self._players: dict[str, ArenaPlayer] = {}
        self._snapshots: dict[str, Snapshot] = {}

    def __call__(self, name: str) -> ArenaPlayer:
        """The player of this name.

        Raises:
            UnknownPlayerError: nothing answers to the name; gives the nearest and the list.
            RunNotFoundError: a snapshot of a run that does not exist.
            SnapshotError: a snapshot that is missing, damaged, or made for another base model.
            UsageError: the base model cannot be loaded.
        """
        if name not in self._players:
            self._players[name] = self._make(name)
        return self._players[name]

    def refusal(self, name: str, game: Game) -> str | None:
        """Why the player of this name cannot play `game`, or None."""
        return self(name).refusal(game)

    def expand(self, names: Sequence[str]) -> list[str]:
        """Names of single players: `RUN@all` becomes its snapshots, `RUN@latest` the one it is now.

        Loads no model. Repeated players are kept once.

        Raises:
            UnknownPlayerError, RunNotFoundError, SnapshotError: as for `__call__`.
        """
        single: dict[str, None] = {}
        for name in names:
            if "@" in name and not name.startswith("openai:"):
                single.update(dict.fromkeys(self._find(name)))
            else:
                self._check(name)
                single[name] = None
        return list(single)

    def reference(self, name: str) -> str:
        """How to ask for the player again from another process: a snapshot with the path of its run."""
        snapshot = self._snapshots.get(name)
        return name if snapshot is None else f"{snapshot.folder.parent.parent}@{snapshot.step:06d}"

    @property
    def engine(self) -> LocalEngine:
        """The engine under all model players, loaded on first use."""
        if self._engine is None:
            from arena.inference.engine import LocalEngine
            from arena.models.registry import load_base

            self._engine = LocalEngine(load_base(self._model, device=self._device, dtype=self._dtype))
        return self._engine

    def _make(self, name: str) -> ArenaPlayer:
        if "@" in name and not name.startswith("openai:"):
            found = self._find(name)
            if len(found) > 1:
                raise UsageError(f"{name} stands for {len(found)} players where one is needed: {', '.join(found)}.")
            return self(found[0]) if found[0] != name else self._snapshot_player(self._snapshots[name])
        self._check(name)
        if name in ("random", "greedy"):
            return BotPlayer(name)
        if name == "solver":
            from arena.players.solver import SolverPlayer

            return SolverPlayer(name)
        if name == "base":
            from arena.players.model import ModelPlayer

            return ModelPlayer(name, self.engine, None)
        if name == "human":
            # By name: the person's seat belongs to the terminal, which this core does not import.
            player: ArenaPlayer = import_module("arena.players.human").HumanPlayer()
            return player
        from arena.players.mcts import MctsPlayer

        return MctsPlayer(name, _simulations(name))

    def _snapshot_player(self, snapshot: Snapshot) -> ArenaPlayer:
        from arena.players.model import ModelPlayer
        from arena.snapshots import verify_snapshot

        engine = self.engine
        problems = verify_snapshot(snapshot, engine.base)
        if problems:
            raise SnapshotError(f"{snapshot.name} cannot be used: {'; '.join(problems)}.")
        adapter = snapshot.name.replace(".", "_").replace("/", "_")  # torch allows no dot in a module's name
        engine.adapters.add(adapter, snapshot.folder)
        return ModelPlayer(snapshot.name, engine, adapter)

    def _find(self, reference: str) -> list[str]:
        """Names of the snapshots that a reference means, remembered with where they lie."""
        if reference in self._snapshots:
            return [reference]
        if reference.endswith("+live"):
            raise UnknownPlayerError(
                f"{reference} is a learner at work, which only its own run can play. Use a snapshot: "
                f"{reference.partition('@')[0]}@latest."
            )
        from arena.snapshots import find_snapshots

        found = find_snapshots(reference)
        for snapshot in found:
            known = self._snapshots.setdefault(snapshot.name, snapshot)
            if known.folder.resolve() != snapshot.folder.resolve():
                raise UsageError(
                    f"{snapshot.name} is both {known.folder} and {snapshot.folder}; two runs of one name cannot meet. "
                    "Rename one of the run directories."
                )
        return [snapshot.name for snapshot in found]

    def _check(self, name: str) -> None:
        """Refuse a name without snapshot part that nothing answers to."""
        if name in _PLAIN:
            return
        if name == "mcts" or name.startswith("mcts:"):
            _simulations(name)
            return
        if name.startswith("openai:"):
            raise UnknownPlayerError(f"{name}: remote players are not in this release. Known: {', '.join(_PLAIN)}.")
        runs = {f"{path.parents[1].name}@latest" for path in RUNS.glob("*/snapshots/*")}
        raise UnknownPlayerError(unknown("player", name, [*_PLAIN, "mcts:1000", "RUN@000120", *runs]))


def _simulations(name: str) -> int:
    digits = name.removeprefix("mcts").removeprefix(":")
    if not (digits.isascii() and digits.isdigit()) or not 1 <= int(digits) <= MAX_SIMULATIONS:
        raise UnknownPlayerError(
            f"{name!r}: tree search needs its simulations a move, 1 to {MAX_SIMULATIONS:,}, like 'mcts:1000'."
        )
    return int(digits)
