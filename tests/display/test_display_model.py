"""The state behind a view, from events alone."""

from __future__ import annotations

import pytest
from display_helpers import METRICS, OPEN, START, end, fed, turn

from arena.display import Standing
from arena.display.model import LiveModel, series_values


def progress(done: int, time_s: float, **more: object) -> dict[str, object]:
    return {"t": "progress", "done": done, "time_s": time_s, **more}


def test_eta_comes_from_the_latest_speed() -> None:
    model = fed(OPEN, progress(0, 1000.0), progress(10, 1010.0), progress(20, 1020.0))
    assert model.rate() == 1.0
    assert model.eta_s(1020.0) == 80.0
    assert model.eta_s(1025.0) == 75.0
    assert model.elapsed_s(1025.0) == 25.0
    for second in range(1, 11):  # ten times faster now, for longer than the window
        model.feed(progress(20 + second, 1100.0 + 10 * second))
    assert model.rate() == pytest.approx(0.1)


def test_what_was_resumed_took_no_time() -> None:
    model = fed(OPEN, progress(90, 1001.0), progress(92, 1003.0))
    assert model.rate() == 1.0
    assert model.eta_s(1003.0) == 8.0


def test_slow_updates_still_have_an_eta() -> None:
    model = fed({**OPEN, "total": 4}, progress(0, 1000.0), progress(1, 1300.0), progress(2, 1500.0))
    assert model.rate() == pytest.approx(1 / 200)
    assert model.eta_s(1500.0) == pytest.approx(400)


def test_no_eta_without_speed_total_or_life() -> None:
    assert fed(OPEN).eta_s(1000.0) is None
    assert fed(OPEN, progress(5, 1001.0)).eta_s(1000.0) is None
    assert fed({**OPEN, "total": None}, progress(1, 1.0), progress(5, 9.0)).eta_s(9.0) is None
    assert fed(OPEN, progress(1, 1.0), progress(5, 9.0), {"t": "close", "status": "done"}).eta_s(9.0) is None
    assert fed(OPEN, progress(1, 5.0), progress(5, 5.0)).rate() is None


def test_a_match_grows_turn_by_turn_and_strangers_are_left_alone() -> None:
    model = fed(OPEN, START, turn(0, "[4]", "4", board="X"), {**turn(1, "[0]", "0"), "key": "other"}, end(board="XO"))
    assert model.match is not None
    assert [(say.seat, say.move) for say in model.match.turns] == [(0, "4")]
    assert model.match.board == "XO"
    assert model.match.end is not None
    model.feed({**START, "key": "next"})
    assert model.match.turns == []


def test_everything_else() -> None:
    model = fed(
        OPEN,
        {"t": "stage", "stage": "train", "note": "update 3"},
        {"t": "counts", "matches": 3, "replies": 8, "issues": {"illegal": 1, "no_answer": 1}},
        {"t": "standings", "rows": [["a", 1, 2, 3, 4]]},
        METRICS,
        {"t": "snapshot", "name": "r@000010", "update": 10},
        {"t": "note", "text": "careful"},
        {"t": "impasse", "text": "all draws"},
        {"t": "unheard of"},
        {"t": "close", "status": "interrupted", "message": "again with x", "time_s": 1100.0},
    )
    assert (model.stage, model.stage_note) == ("train", "update 3")
    assert model.invalid == 0.25
    assert model.standings == [Standing("a", 1, 2, 3, 4)]
    assert model.snapshots == ["r@000010"]
    assert list(model.notes) == ["careful"]
    assert model.banner == "all draws"
    assert (model.status, model.message) == ("interrupted", "again with x")
    assert model.elapsed_s(9999.0) == 100.0
    model.feed(OPEN)
    assert (model.status, model.notes, model.match) == ("running", type(model.notes)([], 100), None)


def test_series_weigh_roles_by_seats_and_leave_times_of_day_out() -> None:
    values = series_values(METRICS)
    assert values == {
        "loss": 0.5,
        "kl": 0.01,
        "total_s": 2.0,
        "invalid": 0.0625,
        "draws": 0.25,
        "reply tokens": 4.0,
    }
    assert series_values({"t": "metrics", "loss": float("nan"), "ok": True, "games": "odd"}) == {}
    assert list(fed(OPEN, METRICS, {**METRICS, "loss": 0.25}).series["loss"]) == [0.5, 0.25]


def test_no_replies_no_share() -> None:
    assert LiveModel().invalid is None
    assert LiveModel().elapsed_s(5.0) == 0.0
