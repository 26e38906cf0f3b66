"""`arena tournament`, `replay` and `watch` on real runs, interrupted ones included."""

from __future__ import annotations

import io
import json
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_helpers import Done

from arena.cli.tables import cross_sheet
from arena.display.events import EventTail
from arena.players.scripted import BotPlayer
from arena.results import result_of
from arena.rundir import RunDir
from arena.standings import compute_standings
from arena.types import Ended, MatchRecord, MatchSpec

Arena = Callable[..., Done]
RUN = ("tournament", "run", "bots.toml")


def keys(folder: Path) -> list[str]:
    return [json.loads(line)["key"] for line in (folder / "matches.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_tournament_ends_with_tables_and_files(arena: Arena, place: Path) -> None:
    done = arena(*RUN, "--run", "first", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert "Standings over all games: 12 matches" in done.out
    assert "kuhn_poker, one against one" in done.out
    assert "as X" in done.out
    assert "forfeits" in done.out
    assert done.out.splitlines()[-1] == "runs/first: matches.jsonl, standings.json, standings.md"
    assert all(len(line) <= 80 for line in done.out.splitlines())
    folder = place / "runs" / "first"
    assert len(set(keys(folder))) == 12
    report = (folder / "standings.md").read_text(encoding="utf-8")
    assert report.startswith("# Tournament first\n\n### Standings over all games: 12 matches")
    events = EventTail(folder / "events.jsonl").read()
    assert events[0]["title"] == "first"
    assert [event for event in events if event["t"] == "progress"][-1]["done"] == 12
    assert events[-1]["status"] == "done"
    report_again = arena("tournament", "report", "first")
    assert (report_again.code, report_again.out, report_again.err) == (0, done.out, "")


def test_progress_goes_to_stderr_in_plain_lines(arena: Arena) -> None:
    done = arena(*RUN)
    assert done.err.splitlines()[0].startswith("tournament bots, ")
    assert "12/12 matches (100 %)" in done.err
    assert "done after" in done.err


def test_json_is_the_standings(arena: Arena, place: Path) -> None:
    told = json.loads(arena(*RUN, "--seed", "3", "--quiet", "--json").out)
    assert (told["schema"], told["run"]) == (1, "runs/bots")
    assert told["standings"]["matches"] == 12
    assert json.loads((place / "runs" / "bots" / "standings.json").read_text(encoding="utf-8")) == told["standings"]
    assert RunDir.find("bots").read()["seed"] == 3
    assert json.loads(arena("tournament", "report", "bots", "--json").out) == told


def test_dry_run_counts_and_writes_nothing(arena: Arena, place: Path) -> None:
    words = (*RUN, 'players=["random", "greedy", "mcts:5"]', "--dry-run")
    done = arena(*words)
    assert "Would play 24 matches as run bots: 3 pairs per pairing and game, seed 0." in done.out
    assert "mcts:5 does not play kuhn_poker" in done.out
    told = json.loads(arena(*words, "--json").out)
    assert told["matches"] == 24
    assert told["games"]["kuhn_poker"] == ["random", "greedy"]
    assert not (place / "runs").exists()


def test_an_existing_run_is_not_overwritten_and_other_settings_not_mixed(arena: Arena) -> None:
    arena(*RUN, "--quiet")
    again = arena(*RUN, "--quiet")
    assert again.code == 2
    assert "Add --resume to continue it" in again.err
    other = arena(*RUN, "pairs=4", "--resume", "--quiet")
    assert other.code == 2
    assert "pairs was 3, is now 4" in other.err
    assert arena(*RUN, "--resume", "--quiet").code == 0


def test_void_matches_are_owed_and_played_again(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = BotPlayer.reply

    def broken(self: BotPlayer, state: object, seat: int, rng: object) -> str:
        raise RuntimeError("boom")

    monkeypatch.setattr(BotPlayer, "reply", broken)
    done = arena(*RUN, "--quiet")
    assert done.code == 1
    assert "12 void matches are owed. Continue with: arena tournament run bots.toml" in done.err
    monkeypatch.setattr(BotPlayer, "reply", reply)
    again = arena(*shlex.split(done.err.strip().split("Continue with: ")[1])[1:], "--quiet")
    assert (again.code, again.err) == (0, "")
    assert "12 matches" in again.out


def test_a_person_may_take_part(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("check\nfold\nbet\ncall\n" * 20))
    words = ('players=["human", "random"]', 'games=[{id="kuhn_poker"}]', "pairs=2", "concurrency=1")
    done = arena(*RUN, *words)
    assert done.code == 0
    assert "`arena watch` shows the tournament in another terminal" in done.err
    assert "player 1 (/help) >" in done.err
    assert "human" in done.out


def test_reports_need_a_tournament_with_matches(arena: Arena, place: Path) -> None:
    RunDir.create("learning", "selfplay", {}, seed=0).unlock()
    assert "is a selfplay run, not a tournament" in arena("tournament", "report", "learning").err
    RunDir.create("odd", "tournament", {"players": 3}, seed=0).unlock()
    assert "its config cannot be read" in arena("tournament", "report", "odd").err
    config = {"players": ["random", "greedy"], "games": [{"id": "kuhn_poker", "params": {}}]}
    RunDir.create("empty", "tournament", config, seed=0).unlock()
    done = arena("tournament", "report", "empty")
    assert (done.code, "no finished match yet" in done.err) == (2, True)


def test_a_report_of_an_unfinished_run_says_so(arena: Arena) -> None:
    arena(*RUN, "--quiet")
    RunDir.find("bots").set_status("interrupted")
    done = arena("tournament", "report", "bots")
    assert done.code == 0
    assert done.err == "The run is interrupted: these standings are of what is on file.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_saves_and_the_printed_command_finishes(
    number: signal.Signals, process: Callable[..., subprocess.Popen[str]], arena: Arena, place: Path
) -> None:
    running = process(*RUN, "pairs=400", "concurrency=4", "--run", "long")
    matches = place / "runs" / "long" / "matches.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (matches.exists() and matches.stat().st_size > 50_000):
        time.sleep(0.02)
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    command = err.strip().split("Continue with: ")[-1]
    assert command == "arena tournament run bots.toml pairs=400 concurrency=4 --run long --resume"
    before = keys(matches.parent)
    assert 0 < len(before) < 1600
    assert RunDir.find("long").read()["status"] == "interrupted"
    done = arena(*shlex.split(command)[1:], "--quiet")
    assert done.code == 0
    after = keys(matches.parent)
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) == 1600


# --- replay ----------------------------------------------------------------------------------------------------------


def test_replay(arena: Arena, place: Path) -> None:
    arena(*RUN, "--quiet")
    listed = arena("replay", "bots")
    assert listed.out.splitlines()[-1] == "12 matches. Replay one with: arena replay bots MATCH"
    some = keys(place / "runs" / "bots")
    for key in some:
        done = arena("replay", "bots", key[:10])
        assert (done.code, done.err) == (0, "")
        assert f"match {key}" in done.out
    assert "P0 first: random" in arena("replay", "bots", some[0]).out
    assert f"match {some[-1]}" in arena("replay", "bots", "latest").out
    prompts = arena("replay", "bots", some[0], "--prompts").out
    assert "    | Your card: " in prompts
    told = json.loads(arena("replay", "bots", some[0], "--json").out)
    assert told["match"]["key"] == some[0]


def test_replay_lists_by_game_and_as_json(arena: Arena) -> None:
    arena(*RUN, "pairs=20", "--quiet")
    assert "the last 20 of 40 matches." in arena("replay", "bots", "--game", "kuhn_poker").out
    told = json.loads(arena("replay", "bots", "--json").out)
    assert told["matches"] == 80
    assert len(told["latest"]) == 20
    assert set(told["latest"][0]) == {"key", "game", "players", "turns", "result"}


def test_replay_of_what_is_not_there(arena: Arena, place: Path) -> None:
    arena(*RUN, "pairs=20", "--quiet")
    many = arena("replay", "bots", "")
    assert many.code == 0
    digit = keys(place / "runs" / "bots")[0][0]
    assert f"begin with '{digit}'" in arena("replay", "bots", digit).err
    missing = arena("replay", "bots", "zzz")
    assert (missing.code, "`arena replay bots` lists some" in missing.err) == (2, True)
    RunDir.create("empty", "tournament", {}, seed=0).unlock()
    assert "it has no matches yet" in arena("replay", "empty", "abc").err


def test_a_match_under_changed_rules_still_shows_its_words(arena: Arena, place: Path) -> None:
    arena(*RUN, "--quiet")
    path = place / "runs" / "bots" / "matches.jsonl"
    last = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    last["turns"][0]["move"]["action"] = 77
    path.write_text(json.dumps(last) + "\n", encoding="utf-8")
    out = arena("replay", "bots", "latest").out
    assert "The rules of today refuse this move" in out
    assert out.count("P1 [") + out.count("P1 ") > 1


# --- watch -----------------------------------------------------------------------------------------------------------


def test_watch_after_the_end(arena: Arena, place: Path) -> None:
    arena(*RUN, "--quiet")
    once = arena("watch", "bots", "--once")
    assert once.code == 0
    assert once.out.splitlines()[0].split() == ["arena", "tournament", "bots", "seed", "0", "done"]
    assert "12/12 matches  100 %" in once.out
    assert "standings" in once.out
    plain = arena("watch", "bots", "--plain")
    assert plain.code == 0
    assert "12/12 matches (100 %)" in plain.out
    assert "done after" in plain.out
    assert "done after" in arena("watch", "bots", "--plain", "--once").out
    (place / "runs" / "bots" / "events.jsonl").unlock() if False else (
        place / "runs" / "bots" / "events.jsonl"
    ).unlink()
    lost = arena("watch", "runs/bots", "--once")
    assert "12 matches" in lost.out
    assert "▸ " in lost.out


def test_watch_of_a_dead_run_says_how_to_go_on(arena: Arena) -> None:
    arena(*RUN, "--quiet")
    run = RunDir.find("bots")
    run.write({**run.read(), "status": "running", "command": ["/bin/arena", *RUN]})
    done = arena("watch", "bots")
    assert done.code == 1
    assert "died" in done.out
    assert done.err == (
        "died: its process is gone; continue with: arena tournament run bots.toml --run bots --resume\n"
    )
    run.set_status("failed")
    assert arena("watch", "bots", "--once").code == 1


def test_watch_while_it_lives_and_leaving_touches_nothing(
    process: Callable[..., subprocess.Popen[str]], place: Path
) -> None:
    running = process(*RUN, "pairs=1500", "--run", "long", "--quiet")
    matches = place / "runs" / "long" / "matches.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (matches.exists() and matches.stat().st_size > 10_000):
        time.sleep(0.02)
    viewer = process("watch", "long", "--plain")
    assert viewer.stdout is not None
    assert viewer.stdout.readline().startswith("tournament long, ")
    viewer.send_signal(signal.SIGINT)
    assert viewer.wait(20) == 130
    assert viewer.stderr is not None
    assert viewer.stderr.read() == "Left the view; the run goes on.\n"
    assert running.poll() is None or running.returncode == 0
    second = process("watch", "long", "--plain")
    assert running.wait(120) == 0
    out, _ = second.communicate(timeout=60)
    assert second.returncode == 0
    assert "6,000/6,000 matches (100 %)" in out


def test_a_crosstable_cuts_no_name_and_no_interval() -> None:
    names = [*(f"demo-20261201-120000@{step:06d}" for step in (10, 20, 30)), "random", "solver"]
    records = [
        record_of(seat0, seat1, pair=f"{min(seat0, seat1)}/{max(seat0, seat1)}/{deal}")
        for seat0 in names
        for seat1 in names
        if seat0 != seat1
        for deal in range(3)
    ]
    table = compute_standings(map(result_of, records), bootstrap=20).games[0]
    sheet = cross_sheet(table, ["first", "second"])
    text = sheet.text(80)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert {line.split()[0] for line in text.splitlines() if " as first" in line} == {
        "@000010", "@000020", "@000030", "random", "solver"
    }  # fmt: skip
    assert "@ stands for demo-20261201-120000@." in text
    assert text.count("forfeits") == 1


def test_snapshots_of_two_runs_keep_their_names() -> None:
    records = [record_of("a@000010", "b@000010", pair="x"), record_of("b@000010", "a@000010", pair="x")]
    text = cross_sheet(compute_standings(map(result_of, records), bootstrap=20).games[0], ["first", "second"]).text(80)
    assert "a@000010" in text
    assert "stands for" not in text


def record_of(*players: str, pair: str) -> MatchRecord:
    """A match that its first seat won."""
    spec = MatchSpec(game="kuhn_poker", seed=0, players=players, pair=pair)
    return MatchRecord(spec=spec, systems=("", ""), turns=(), returns=(1.0, -1.0), outcome="p0", ended=Ended.TERMINAL)


def test_a_list_of_a_game_that_was_not_played_says_which_were(arena: Arena) -> None:
    arena(*RUN, "--run", "first", "--quiet")
    done = arena("replay", "first", "--game", "kuhn_pocker")
    assert (done.code, done.out) == (2, "")
    assert "Unknown game 'kuhn_pocker'. Did you mean 'kuhn_poker'? Known: kuhn_poker, tic_tac_toe." in done.err


def test_a_finished_tournament_that_is_resumed_still_says_what_it_holds(arena: Arena) -> None:
    arena(*RUN, "--run", "first", "--quiet")
    assert arena(*RUN, "--run", "first", "--quiet", "--resume").code == 0
    assert "12/12 matches" in arena("watch", "first", "--once", "--plain").out


def test_a_run_that_cannot_be_written_to_is_rated_all_the_same(arena: Arena, place: Path) -> None:
    arena(*RUN, "--run", "first", "--quiet")
    (place / "runs/first/standings.md").unlink()
    (place / "runs/first/standings.md").mkdir()
    done = arena("tournament", "report", "first")
    assert (done.code, "Standings over all games: 12 matches" in done.out) == (1, True)
    assert done.err == "Error: runs/first/standings.md: is a directory. A file is needed there.\n"


def test_an_edited_record_is_named_by_every_command_that_reads_it(arena: Arena, place: Path) -> None:
    arena(*RUN, "--run", "first", "--quiet")
    file = place / "runs/first/matches.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[4] = json.dumps({**json.loads(lines[4]), "returns": "x"})
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    resume = (*RUN, "--run", "first", "--quiet", "--resume")
    for words in (("replay", "first"), ("replay", "first", "latest"), ("tournament", "report", "first"), resume):
        done = arena(*words)
        assert done.code == 1
        assert "runs/first/matches.jsonl, line 5: Not a match record: returns is 'x'" in done.err
    file.write_text("\n".join(lines[:4] + lines[5:]) + "\n", encoding="utf-8")
    assert arena(*resume).code == 0
    assert len(keys(place / "runs/first")) == len(set(keys(place / "runs/first"))) == 12
