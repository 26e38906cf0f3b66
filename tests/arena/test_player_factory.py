"""Player names: what answers to them, what is refused, and what snapshots stand for."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest
from arena_helpers import Says, play

from arena.errors import RunNotFoundError, SnapshotError, UnknownPlayerError, UsageError
from arena.players.factory import PlayerFactory
from arena.rundir import RunDir
from games import get_game


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["random", "greedy", "solver", "mcts:7"])
def test_scripted_players_are_made_once_and_play(name: str) -> None:
    factory = PlayerFactory()
    player = factory(name)
    assert factory(name) is player
    assert (player.name, player.scripted) == (name, True)
    record = play([player, Says("[4]", "[0]", "[8]", "[2]", "[6]", "[1]", "[3]", "[5]", "[7]")], retries=8)
    assert all(t.attempts[-1].completion.snapshot == name for t in record.turns if t.seat == 0)


def test_scripted_players_need_the_state() -> None:
    record = play([_unscripted(PlayerFactory()("random")), Says("[4]")])
    assert record.error == "ValueError: random needs the state it is to move in."


def _unscripted(player: Any) -> Any:
    player.scripted = False
    return player


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rndom", "Unknown player 'rndom'. Did you mean 'random'? Known: RUN@000120, base, demo@latest, greedy, human"),
        ("demo", "Unknown player 'demo'. Did you mean 'demo@latest'?"),
        ("mcts", "'mcts': tree search needs its simulations a move, 1 to 10,000,000, like 'mcts:1000'."),
        ("mcts:0", "'mcts:0': tree search needs"),
        ("mcts:x", "'mcts:x': tree search needs"),
        ("mcts:٣", "tree search needs"),
        ("openai:gpt@http://x", "remote players are not in this release"),
        ("demo@000003+live", "is a learner at work, which only its own run can play. Use a snapshot: demo@latest."),
    ],
)
def test_unknown_names_are_refused_with_the_nearest_and_the_list(name: str, message: str) -> None:
    RunDir.create("cup", "tournament", {}, seed=0).unlock()  # has no snapshots, so none is offered
    run = RunDir.create("demo", "selfplay", {}, seed=0)
    run.unlock()
    (run.snapshots / "000001").mkdir(parents=True)
    factory = PlayerFactory()
    for ask in (factory, lambda n: factory.expand([n])):
        with pytest.raises(UnknownPlayerError) as caught:
            ask(name)
        assert message in str(caught.value)
        assert caught.value.exit_code == 2


def test_a_bot_that_a_game_does_not_have_is_refused() -> None:
    from arena_helpers import Pennies

    assert PlayerFactory().refusal("greedy", Pennies()) == "pennies has no bot named 'greedy'"
    assert PlayerFactory().refusal("greedy", get_game("kuhn_poker")) is None


def test_a_snapshot_of_a_missing_run_is_refused() -> None:
    with pytest.raises(RunNotFoundError, match=r"No run 'nope'"):
        PlayerFactory().expand(["nope@latest"])


def test_the_persons_seat_is_loaded_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = types.ModuleType("arena.players.human")
    module.HumanPlayer = lambda: Says("[4]", name="human")
    monkeypatch.setitem(sys.modules, "arena.players.human", module)
    assert PlayerFactory()("human").name == "human"


# --- snapshots, with a small engine in the place of a model -----------------------------------------------------------


class Engine:
    """Records which adapters it was given."""

    def __init__(self) -> None:
        self.base = types.SimpleNamespace(name="pocket")
        self.added: dict[str, Path] = {}
        self.adapters = self

    def add(self, name: str, folder: Path) -> None:
        self.added[name] = folder


@pytest.fixture
def snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three snapshots of `demo`, found as arena.snapshots finds them."""
    module = pytest.importorskip("arena.snapshots")
    run = RunDir.create("demo", "selfplay", {}, seed=0)
    run.unlock()
    for step in (10, 20, 30):
        folder = run.snapshots / f"{step:06d}"
        folder.mkdir(parents=True)
        for name in module.FILES:
            (folder / name).write_text("{}")
        (folder / "snapshot.json").write_text(f'{{"schema": 1, "step": {step}}}')
    monkeypatch.setattr(module, "verify_snapshot", lambda snapshot, base: [])


def test_a_run_stands_for_its_snapshots(snapshots: None) -> None:
    factory = PlayerFactory()
    assert factory.expand(["base", "demo@all", "demo@latest", "demo@20", "random"]) == [
        "base",
        "demo@000010",
        "demo@000020",
        "demo@000030",
        "random",
    ]
    assert factory.reference("random") == "random"
    assert factory.reference("demo@000020") == "runs/demo@000020"
    assert PlayerFactory().expand(["runs/demo@000020"]) == ["demo@000020"]
    with pytest.raises(SnapshotError, match="demo@000010, demo@000020, demo@000030"):
        factory.expand(["demo@000011"])


def test_snapshot_players_share_one_engine_under_immutable_names(snapshots: None) -> None:
    engine = Engine()
    factory = PlayerFactory(engine=engine)  # type: ignore[arg-type]
    last = factory("demo@latest")
    assert last is factory("demo@000030")
    assert (last.name, last.scripted, last.refusal(get_game("kuhn_poker"))) == ("demo@000030", False, None)
    assert factory("base").name == "base"
    assert engine.added == {"demo@000030": Path("runs/demo/snapshots/000030")}
    with pytest.raises(UsageError, match="demo@all stands for 3 players where one is needed"):
        factory("demo@all")


def test_a_damaged_snapshot_is_refused(snapshots: None, monkeypatch: pytest.MonkeyPatch) -> None:
    import arena.snapshots

    monkeypatch.setattr(arena.snapshots, "verify_snapshot", lambda snapshot, base: ["made for another base model"])
    with pytest.raises(SnapshotError, match="demo@000010 cannot be used: made for another base model"):
        PlayerFactory(engine=Engine())("demo@000010")  # type: ignore[arg-type]


def test_two_runs_of_one_name_cannot_meet(snapshots: None, tmp_path: Path) -> None:
    import shutil

    shutil.copytree("runs/demo", "other/demo")
    with pytest.raises(UsageError, match="two runs of one name cannot meet"):
        PlayerFactory().expand(["demo@10", "other/demo@10"])
