"""Tournaments: equal seeds give equal files, an end at any moment loses nothing, and what is owed is played once."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from arena_helpers import Says

from arena.config import GameConfig, TournamentConfig
from arena.errors import ConfigError, Interrupted, UnknownPlayerError, UsageError
from arena.players.factory import ArenaPlayer, PlayerFactory
from arena.rundir import RunDir
from arena.standings import Standings, compute_standings, read_standings
from arena.tournament import Progress, make_plan, open_run, run_tournament
from arena.types import ActRequest, Completion
from games import UnknownGameError

PLAYERS = ["random", "greedy", "solver", "mcts:5"]
GAMES = ["tic_tac_toe", "kuhn_poker", "simple_negotiation"]
TOTAL = 4 * 2 * (6 + 3 + 1)  # pairs, matches in a pair, pairings at each game


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def config(**rest: Any) -> TournamentConfig:
    settings = {"players": PLAYERS, "games": [GameConfig(id=g) for g in GAMES], "pairs": 4, "bootstrap": 50, **rest}
    return TournamentConfig(**settings)


def play(
    name: str = "cup", *, resume: bool = False, factory: Any = None, settings: Any = None, **rest: Any
) -> Standings:
    factory = factory or PlayerFactory()
    settings = settings or config()
    return run_tournament(settings, open_run(settings, factory, name, resume=resume), factory, **rest)


def timeless(name: str) -> bytes:
    """The records of a run, times aside."""
    return re.sub(rb'"(latency|duration)_s":[-+.e0-9]+', b"", Path("runs", name, "matches.jsonl").read_bytes())


def keys(name: str) -> list[str]:
    return [json.loads(line)["key"] for line in Path("runs", name, "matches.jsonl").read_text().splitlines()]


def test_the_same_seed_gives_the_same_files_alone_and_with_64_in_flight() -> None:
    one = play("one", settings=config(concurrency=1))
    many = play("many", settings=config(concurrency=64))
    assert timeless("one") == timeless("many")
    assert one == many
    assert Path("runs/one/standings.json").read_bytes() == Path("runs/many/standings.json").read_bytes()
    assert len(keys("one")) == len(set(keys("one"))) == TOTAL == one.matches
    play("other", settings=config(seed=1))
    assert timeless("other") != timeless("one")


def test_standings_rows_skips_and_status() -> None:
    seen: list[Progress] = []
    standings = play(progress=seen.append)
    assert [(p.done, p.total, p.resumed) for p in seen] == [(i + 1, TOTAL, 0) for i in range(TOTAL)]
    assert seen[-1].record.spec.tag == "tournament"
    assert compute_standings(seen[-1].tally, bootstrap=50).games == standings.games
    assert {(entry["game"], entry["player"]) for entry in standings.skipped} == {
        ("kuhn_poker", "mcts:5"),
        ("simple_negotiation", "mcts:5"),
        ("simple_negotiation", "solver"),
    }
    assert "hides information" in standings.skipped[0]["reason"]
    rows = {row.player: row for row in standings.table("tic_tac_toe").rows}
    assert rows["solver"].wdl.losses == 0
    assert rows["solver"].matches == 3 * 8
    assert next(iter(rows)) == "solver"
    stored = json.loads(Path("runs/cup/standings.json").read_text())
    assert (stored["schema"], stored["matches"]) == (1, TOTAL)
    run = RunDir.find("cup")
    assert run.read()["status"] == "done"
    assert not run.writer_alive()
    assert read_standings(run.matches, bootstrap=50).games == standings.games


def test_a_finished_tournament_that_is_resumed_plays_nothing() -> None:
    first = play()
    before = Path("runs/cup/matches.jsonl").read_bytes()
    seen: list[Progress] = []
    again = play(resume=True, progress=seen.append, settings=config(concurrency=2))
    assert (again, seen) == (first, [])
    assert Path("runs/cup/matches.jsonl").read_bytes() == before


# --- ended early -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [0, 1, 37])
def test_a_stopped_tournament_goes_on_where_it_was(after: int) -> None:
    whole = play("whole")
    done: list[Progress] = []
    with pytest.raises(Interrupted) as caught:
        play(
            progress=done.append,
            stop=lambda: len(done) >= after,
            settings=config(concurrency=3),
            resume_command="arena tournament run cup.toml --run cup --resume",
        )
    assert caught.value.exit_code == 130
    assert str(caught.value).endswith("Continue with: arena tournament run cup.toml --run cup --resume")
    assert RunDir.find("cup").read()["status"] == "interrupted"
    assert after <= len(keys("cup")) < TOTAL
    kept = timeless("cup")
    resumed: list[Progress] = []
    standings = play(resume=True, progress=resumed.append)
    assert timeless("cup").startswith(kept)
    assert sorted(timeless("cup").splitlines()) == sorted(timeless("whole").splitlines())
    assert standings == whole
    assert resumed[0].resumed == len(done)
    assert resumed[0].done == len(done) + 1


SCRIPT = """
import os, signal, sys
sys.path.insert(0, {helpers!r})
from arena.players.factory import PlayerFactory
from arena.tournament import open_run, run_tournament
from test_tournament import config
after, number, resume = int(sys.argv[1]), getattr(signal, sys.argv[2]), sys.argv[3] == "resume"
def progress(p):
    if p.done == after:
        os.kill(os.getpid(), number)
factory = PlayerFactory()
settings = config(concurrency=4)
run_tournament(settings, open_run(settings, factory, "cup", resume=resume), factory, progress=progress)
"""


def in_process(after: int, how: str, resume: str = "new") -> subprocess.CompletedProcess[str]:
    script = SCRIPT.format(helpers=str(Path(__file__).parent))
    return subprocess.run(
        [sys.executable, "-c", script, str(after), how, resume], capture_output=True, text=True, check=False
    )


def test_killed_twice_and_resumed_equals_uninterrupted() -> None:
    whole = play("whole")
    assert in_process(20, "SIGKILL").returncode == -signal.SIGKILL
    assert len(keys("cup")) == 20
    path = Path("runs/cup/matches.jsonl")
    path.write_bytes(path.read_bytes() + b'{"schema":1,"ke')  # what a kill in the middle of a line leaves
    assert in_process(50, "SIGKILL", "resume").returncode == -signal.SIGKILL
    assert len(keys("cup")) == 50
    assert Path("runs/cup/matches.jsonl.torn").read_bytes() == b'{"schema":1,"ke\n'
    standings = play(resume=True)
    assert timeless("cup") == timeless("whole")
    assert standings == whole


def test_ctrl_c_ends_with_the_command_that_continues() -> None:
    done = in_process(20, "SIGINT")
    assert "arena.errors.Interrupted: Stopped. Every finished match is in runs/cup/matches.jsonl." in done.stderr
    assert "Continue with: the same command with --run cup --resume" in done.stderr
    assert 20 <= len(keys("cup")) < TOTAL
    assert RunDir.find("cup").read()["status"] == "interrupted"
    assert play(resume=True).matches == TOTAL
    assert len(set(keys("cup"))) == len(keys("cup")) == TOTAL


def test_a_torn_line_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    play()
    path = Path("runs/cup/matches.jsonl")
    path.write_bytes(path.read_bytes()[:-10])
    assert play(resume=True).matches == TOTAL
    assert "a torn last line of" in caplog.text
    assert "is played again" in caplog.text


def test_another_config_is_refused_on_resume() -> None:
    play()
    with pytest.raises(ConfigError, match=r"pairs was 4, is now 5.*May differ: bootstrap, concurrency, name"):
        play(resume=True, settings=config(pairs=5))


# --- void matches, forfeits, other players ---------------------------------------------------------------------------


class Cast:
    """Players of our own beside the scripted ones."""

    def __init__(self, **players: Any) -> None:
        self.factory = PlayerFactory()
        self.players = players

    def __call__(self, name: str) -> ArenaPlayer:
        made: ArenaPlayer = self.players[name] if name in self.players else self.factory(name)
        return made

    def expand(self, names: Sequence[str]) -> list[str]:
        return list(names)

    def reference(self, name: str) -> str:
        return name


class Flaky(Says):
    """A machine that fails at every third question, while it is broken."""

    def __init__(self) -> None:
        super().__init__("", name="flaky")
        self.broken = True
        self.questions = 0

    async def act(self, request: ActRequest) -> Completion:
        self.questions += 1
        if self.broken and self.questions % 3 == 0:
            raise ConnectionError("no route")
        return Completion(text="[fold]" if "fold" in request.user else "[check]")


def test_void_matches_are_owed_and_played_on_resume() -> None:
    flaky = Flaky()
    settings = config(players=["flaky", "random"], games=[GameConfig(id="kuhn_poker")], pairs=10)
    cast = Cast(flaky=flaky)
    first = play(factory=cast, settings=settings)
    assert first.owed > 0
    assert first.matches + first.owed == 20
    assert first.errors == {"ConnectionError: no route": first.owed}
    assert RunDir.find("cup").read()["status"] == "failed"
    rows = {row.player: row for row in first.overall}
    assert rows["flaky"].void == first.owed
    flaky.broken = False
    second = play(factory=cast, settings=settings, resume=True)
    assert (second.matches, second.owed, second.errors) == (20, 0, {})
    assert RunDir.find("cup").read()["status"] == "done"
    assert len(keys("cup")) == 20 + first.owed
    assert len(set(keys("cup"))) == 20


def test_a_player_that_never_answers_loses_by_forfeit() -> None:
    settings = config(players=["mute", "random"], games=[GameConfig(id="tic_tac_toe")], retries=0)
    standings = play(factory=Cast(mute=Says("…", name="mute")), settings=settings)
    row = standings.overall[1]
    assert (row.player, row.wdl, row.forfeits, row.forfeit_kinds) == ("mute", (0, 0, 8), 8, {"no_answer": 8})
    assert row.mean_return is None
    assert standings.table("tic_tac_toe").rows[1].mean_return == -1.0
    assert row.rating is not None
    assert row.rating.note == "winless"


def test_a_player_that_cannot_be_made_fails_the_run_and_frees_it() -> None:
    class Missing(Cast):
        def __call__(self, name: str) -> ArenaPlayer:
            if name == "gone":
                raise UsageError("gone cannot be loaded")
            return super().__call__(name)

    settings = config(players=["gone", "random"])
    with pytest.raises(UsageError, match="gone cannot be loaded"):
        play(factory=Missing(), settings=settings)
    run = RunDir.find("cup")
    assert run.read()["status"] == "failed"
    assert not run.writer_alive()


def test_which_snapshots_a_run_stands_for_is_decided_once() -> None:
    class Growing(Cast):
        def expand(self, names: Sequence[str]) -> list[str]:
            return [n for name in names for n in (self.snapshots if name == "run@all" else [name.split(":")[-1]])]

        def reference(self, name: str) -> str:
            return f"path:{name}"

    cast = Growing(s1=Says("[4]", name="s1"), s2=Says("[4]", name="s2"), s3=Says("[4]", name="s3"))
    settings = config(players=["run@all", "random"], games=[GameConfig(id="tic_tac_toe")], pairs=1, retries=0)
    cast.snapshots = ["s1", "s2"]
    first = play(factory=cast, settings=settings)
    assert RunDir.find("cup").read()["players"] == {"s1": "path:s1", "s2": "path:s2", "random": "path:random"}
    cast.snapshots = ["s1", "s2", "s3"]
    assert play(factory=cast, settings=settings, resume=True) == first


# --- what is refused before anything is written ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"players": ["random", "slover"]}, UnknownPlayerError, "Did you mean 'solver'?"),
        ({"games": [GameConfig(id="kuhn_pocker")]}, UnknownGameError, "Did you mean 'kuhn_poker'?"),
        ({"games": [GameConfig(id="openspiel/catch")]}, UsageError, "openspiel/catch has one seat"),
    ],
)
def test_unknown_names_leave_no_run_behind(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        open_run(config(**change), PlayerFactory(), "cup")
    assert message in str(caught.value)
    assert not Path("runs").exists()


def test_a_tournament_with_nothing_to_play_says_why() -> None:
    settings = config(players=["mcts:5", "random"], games=[GameConfig(id="kuhn_poker")])
    with pytest.raises(UsageError, match=r"Nothing to play.*mcts:5: kuhn_poker hides information"):
        make_plan(settings, PlayerFactory())
    with pytest.raises(UsageError, match="needs two different players; random, greedy gives 1"):
        make_plan(config(players=["random", "greedy"]), PlayerFactory(), ["random"])


def test_a_plan_counts_its_matches_without_playing() -> None:
    plan = make_plan(config(), PlayerFactory())
    assert plan.total == TOTAL == len(list(plan.specs()))
    three = make_plan(
        config(players=["random", "greedy", "solver"], games=[GameConfig(id="kuhn_poker", params={"players": 3})]),
        Cast(solver=Says("[bet]", name="solver")),
    )
    assert three.total == 4 * 3 == len(list(three.specs()))
    assert os.listdir() == []
