"""Plain lines: enough to follow a log, never a flood."""

from __future__ import annotations

from display_helpers import METRICS, OPEN, START, fed

from arena.display.model import LiveModel
from arena.display.plain import PlainLines


def progress(done: int, time_s: float, **more: object) -> dict[str, object]:
    return {"t": "progress", "done": done, "time_s": time_s, **more}


def test_a_tournament_is_told_now_and_then_with_its_eta() -> None:
    lines = PlainLines()
    model = fed(OPEN)
    assert lines.due(model, 1000.0) == ["tournament first, 100 matches, seed 7, cpu, model pocket"]
    model.feed(progress(0, 1000.0))
    model.feed(progress(5, 1002.0))
    assert lines.due(model, 1002.0) == []
    model.feed(progress(20, 1004.0))
    assert lines.due(model, 1004.0) == ["20/100 matches (20 %)  0:04  ETA 0:16"]
    assert lines.due(model, 1030.0) == []
    model.feed(progress(21, 1020.0, note="slow"))
    model.feed({"t": "counts", "replies": 100, "issues": {"illegal": 2}, "forfeits": 1, "void": 3})
    model.feed({"t": "standings", "rows": [["random", 1, 0, 9, 0], ["greedy", 9, 0, 1, 0]]})
    (line,) = lines.due(model, 1020.0)
    assert line.endswith("invalid 2.0 %  1 forfeit  3 void  slow  leads: greedy")


def test_the_end_is_told_once() -> None:
    lines = PlainLines()
    model = fed(OPEN, progress(0, 1000.0), progress(100, 1009.0))
    lines.due(model, 1000.5)
    model.feed({"t": "close", "status": "done", "time_s": 1010.0})
    assert lines.last(model, 1010.0) == ["100/100 matches (100 %)  0:10", "done after 0:10"]
    model.feed({"t": "close", "status": "interrupted", "message": "again: x", "time_s": 1010.0})
    assert lines.last(model, 1010.0) == ["interrupted after 0:10"]  # the command itself says why


def test_a_line_per_update_with_roles_and_baselines() -> None:
    lines = PlainLines()
    model = fed({**OPEN, "kind": "selfplay", "total": 40, "unit": "updates"}, METRICS)
    assert lines.due(model, 1001.0)[1:] == [
        "update 3/40  kuhn_poker: first +0.25 (base +0.12), second −0.25  invalid 6.2 %  draws 25 %"
    ]
    assert lines.due(model, 1002.0) == []
    model.feed({"t": "stage", "stage": "train", "note": "update 4"})
    model.feed({"t": "snapshot", "name": "r@000010"})
    model.feed({"t": "note", "text": "odd\x1b"})
    assert lines.due(model, 1003.0) == ["snapshot r@000010", "note: odd\\x1b"]
    model.feed({"t": "stage", "stage": "load model", "note": "pocket"})
    assert lines.due(model, 1004.0) == ["load model pocket"]


def test_names_and_numbers_of_an_evaluation() -> None:
    model = fed({**OPEN, "kind": "eval", "total": None, "unit": ""}, {"t": "metrics", "gcd": 0.5, "who": "base"})
    assert PlainLines().due(model, 1000.0) == ["eval first, seed 7, cpu, model pocket", "gcd 0.500"]


def test_another_start_is_told_from_its_beginning() -> None:
    lines = PlainLines()
    model = fed(OPEN, {"t": "note", "text": "one"})
    assert len(lines.due(model, 1000.0)) == 2
    model.feed({**OPEN, "title": "second", "time_s": 2000.0})
    model.feed(START)
    assert lines.due(model, 2000.0) == ["tournament second, 100 matches, seed 7, cpu, model pocket"]


def test_nothing_known_nothing_said() -> None:
    assert PlainLines().due(LiveModel(), 0.0) == []
    assert PlainLines().last(LiveModel(), 0.0) == []
