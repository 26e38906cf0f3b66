"""A display from opening to end, and everything that may break in it without breaking the run."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from display_helpers import METRICS, Clock, Terminal

from arena.display import Standing, open_display
from arena.display.capture import Held, held_stderr
from arena.display.events import EventTail
from arena.display.session import Display
from arena.display.views import NoView, PlainView, ScreenView, view_for
from arena.engine import play_match
from arena.errors import Interrupted
from arena.players.scripted import BotPlayer
from arena.types import Ended, MatchSpec

SHOWN = {"TERM": "xterm-256color"}


def display(stream: Any, **more: Any) -> Display:
    settings: dict[str, Any] = {"kind": "tournament", "title": "first", "total": 10, "unit": "matches", "tick_s": None}
    return Display(**{**settings, **more}, stream=stream)


def play(observer: Any, seed: int = 0) -> Ended:
    spec = MatchSpec(game="tic_tac_toe", seed=seed, players=("random", "greedy"))
    return asyncio.run(play_match(spec, [BotPlayer("random"), BotPlayer("greedy")], observer)).ended


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    return Terminal()


def test_the_alternate_screen_is_left_with_the_last_frame_in_the_scrollback(terminal: Terminal) -> None:
    with display(terminal) as shown:
        play(shown.observer)
        shown.progress(1, 10)
        shown.tick()
        drawn = terminal.getvalue()
        assert "\x1b[?1049h" in drawn
        assert "\x1b[?25l" in drawn
        assert "tic_tac_toe" in drawn
    rest = terminal.getvalue()[len(drawn) :]
    assert "\x1b[?1049l" in rest
    assert "\x1b[?25h" in rest
    last = rest[rest.index("\x1b[?1049l") :]
    assert "1/10 matches" in last
    assert "done" in last


def test_nothing_happens_before_the_first_word(tmp_path: Path, terminal: Terminal) -> None:
    with pytest.raises(ValueError, match="refused"), display(terminal, run_dir=tmp_path):
        raise ValueError("refused")
    assert terminal.getvalue() == ""
    assert list(tmp_path.iterdir()) == []


def test_events_are_written_whatever_is_shown(tmp_path: Path) -> None:
    with display(io.StringIO(), run_dir=tmp_path, quiet=True, seed=3, details={"model": "pocket"}) as shown:
        shown.stage("play", "all")
        assert play(shown.observer) is Ended.TERMINAL
        shown.progress(1, 10)
        shown.metrics({"loss": 0.5})
        shown.standings([Standing("random", 0, 0, 1, 0)])
        shown.note("careful")
        shown.emit({"t": "snapshot", "name": "first@000001"})
        shown.emit({"t": "progress", "done": 2})
    events = EventTail(tmp_path / "events.jsonl").read()
    kinds = [event["t"] for event in events]
    assert kinds[:3] == ["open", "stage", "start"]
    assert kinds[-1] == "close"
    assert {"turn", "end", "progress", "metrics", "standings", "note", "snapshot", "counts"} < set(kinds)
    assert events[0]["details"] == {"model": "pocket"}
    assert [event["done"] for event in events if event["t"] == "progress"] == [1, 2]
    assert all(isinstance(event["time_s"], float | int) for event in events)
    assert next(event for event in events if event["t"] == "counts")["matches"] == 1


def test_a_run_directory_that_appears_later_gets_its_events(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with display(io.StringIO(), run_dir=folder) as shown:
        folder.mkdir()
        shown.stage("play")
    assert (folder / "events.jsonl").exists()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, "done"),
        (Interrupted("go on with x"), "interrupted"),
        (KeyboardInterrupt(), "interrupted"),
        (RuntimeError("boom"), "failed"),
    ],
)
def test_the_end_says_how_it_came(tmp_path: Path, error: BaseException | None, status: str) -> None:
    def run() -> None:
        with display(io.StringIO(), run_dir=tmp_path) as shown:
            shown.stage("play")
            if error is not None:
                raise error

    if error is None:
        run()
    else:
        with pytest.raises(type(error)):
            run()
    last = EventTail(tmp_path / "events.jsonl").read()[-1]
    assert (last["t"], last["status"]) == ("close", status)
    assert str(error or "") in last["message"]


def test_plain_lines_in_a_pipe() -> None:
    stream, clock = io.StringIO(), Clock()
    with display(stream, clock=clock) as shown:
        shown.progress(0, 10)
        shown.tick()
        clock.now += 5
        shown.progress(5)
        shown.tick()
    assert stream.getvalue().splitlines() == [
        "tournament first, 10 matches",
        "5/10 matches (50 %)  0:05  ETA 0:05",
        "done after 0:05",
    ]


def test_quiet_says_nothing() -> None:
    stream = io.StringIO()
    with display(stream, quiet=True) as shown:
        shown.progress(1, 10)
        shown.tick()
    assert stream.getvalue() == ""


def test_frequent_calls_are_drawn_and_written_rarely(tmp_path: Path) -> None:
    clock = Clock()
    called = []
    with display(io.StringIO(), run_dir=tmp_path, clock=clock) as shown:
        for done in range(1000):
            shown.progress(done, 1000)
            shown.standings(lambda: called.append(1) or [Standing("a", len(called), 0, 0)])
        clock.now += 1.0
        shown.standings(lambda: [Standing("a", 7, 0, 0)])
    events = EventTail(tmp_path / "events.jsonl").read()
    assert [event["done"] for event in events if event["t"] == "progress"] == [0, 999]
    assert [event["rows"] for event in events if event["t"] == "standings"] == [
        [["a", 1, 0, 0, 0]],
        [["a", 7, 0, 0, 0]],
    ]


def test_its_own_thread_draws(terminal: Terminal) -> None:
    with display(terminal, tick_s=0.01) as shown:
        shown.stage("play")
        deadline = time.monotonic() + 5
        while "play" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "play" in terminal.getvalue()


class Broken:
    """A view that breaks where it is told to."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.finished: list[Any] = []

    def _break(self, where: str) -> None:
        if where == self.where:
            raise RuntimeError(f"broken {where}")

    def start(self, told: Any) -> None:
        self._break("start")

    def prepare(self, model: Any, now_s: float) -> object:
        self._break("prepare")
        return None

    def show(self, prepared: object) -> None:
        self._break("show")

    def finish(self, model: Any, now_s: float) -> None:
        self.finished.append(model)
        self._break("finish")


@pytest.mark.parametrize("where", ["start", "prepare", "show", "finish"])
def test_a_broken_view_never_fails_the_run(where: str, caplog: pytest.LogCaptureFixture) -> None:
    shown = display(io.StringIO())
    view = Broken(where)
    shown._view = view
    with caplog.at_level(logging.ERROR), shown:
        for seed in range(3):
            assert play(shown.observer, seed) is Ended.TERMINAL
            shown.tick()
            shown.progress(seed, 10)
            shown.metrics(METRICS)
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1
    assert f"broken {where}" in caplog.text
    assert len(view.finished) == 1


@pytest.mark.parametrize("event", [{"t": "stage"}, {"t": "progress"}, {"t": "standings", "rows": 3}, {}])
def test_malformed_events_switch_the_display_off_and_nothing_else(
    event: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with display(io.StringIO()) as shown:
        shown.emit(event)
        assert play(shown.observer) is Ended.TERMINAL
    assert "switched off; the run goes on" in caplog.text


def test_standings_that_cannot_be_made_are_no_trouble(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> list[Standing]:
        raise RuntimeError("boom")

    with display(io.StringIO()) as shown:
        shown.standings(broken)
        shown.standings(broken)
        assert play(shown.observer) is Ended.TERMINAL
    assert caplog.text.count("The standings cannot be shown") == 1


def test_lines_that_others_write_are_shown_and_kept(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    real = io.StringIO()
    monkeypatch.setattr(sys, "stderr", real)
    logger = logging.getLogger("test.display")
    handler = logging.StreamHandler(real)
    logger.addHandler(handler)
    try:
        with display(terminal) as shown:
            shown.stage("play")
            sys.stderr.write("half ")
            sys.stderr.write("a line\n  10%|#\r 100%|##\n")
            logger.warning("from logging")
            shown.tick()
            assert real.getvalue() == ""
            frame = terminal.getvalue()
            assert "half a line" in frame or "from logging" in frame
    finally:
        logger.removeHandler(handler)
    assert real.getvalue() == "half a line\n  10%|#\r 100%|##\nfrom logging\n"
    assert sys.stderr is real
    assert handler.stream is real


def test_held_lines_are_bounded() -> None:
    told: list[str] = []
    held = Held(told.append)
    for number in range(1000):
        held.write(f"{number}\n")
    held.write("part")
    assert held.writable()
    assert len(told) == 1000
    assert held.rest().startswith("500\n")
    assert held.rest().endswith("999\npart")


def test_the_stream_is_given_back_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    real = io.StringIO()
    monkeypatch.setattr(sys, "stderr", real)
    with pytest.raises(RuntimeError), held_stderr(lambda text: None):
        raise RuntimeError
    assert sys.stderr is real


def test_a_note_may_come_from_a_signal_handler() -> None:
    with display(io.StringIO()) as shown:
        before = signal.signal(signal.SIGUSR1, lambda number, frame: shown.note("asked to stop"))
        try:
            with shown._lock:
                signal.raise_signal(signal.SIGUSR1)
        finally:
            signal.signal(signal.SIGUSR1, before)
        shown.tick()
        assert list(shown._model.notes) == ["asked to stop"]


def test_views_suit_their_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(view_for(Terminal(), quiet=False), ScreenView)
    assert isinstance(view_for(Terminal(), quiet=True), NoView)
    assert isinstance(view_for(io.StringIO(), quiet=False), PlainView)
    for dumb in ("dumb", ""):
        monkeypatch.setenv("TERM", dumb)
        assert isinstance(view_for(Terminal(), quiet=False), PlainView)


def test_no_color_is_respected(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with display(terminal) as shown:
        play(shown.observer)
        shown.tick()
    colours = [code for code in terminal.getvalue().split("\x1b[") if code[:3] in ("96m", "93m", "36m", "32m")]
    assert colours == []


def test_open_display_is_the_way_in(tmp_path: Path) -> None:
    with open_display(kind="play", title="x", run_dir=tmp_path, stream=io.StringIO()) as shown:
        shown.stage("go")
    assert json.loads((tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()[0])["title"] == "x"
