"""Advantages and impasse signals of a training run, in frames and in plain lines: exact values at usual sizes."""

from __future__ import annotations

from typing import Any

import pytest
from display_helpers import METRICS, OPEN, ROLE, START, fed, plain, turn, widest

from arena.display.frame import frame
from arena.display.model import LiveModel, series_values
from arena.display.panels.advantages import advantages_panel
from arena.display.panels.impasse import impasse_panel, stuck_line
from arena.display.plain import PlainLines
from arena.display.telemetry import mean_lambda, reshapings

DEPT = {
    "fast": 0.125,
    "slow": -0.0625,
    "sigma": 0.98,
    "lambda": 0.63,
    "v_min": -0.1,
    "v_max": 0.4,
    "spread_before": 0.52,
    "spread_after": 0.61,
}
SIGNALS = {
    "outcome_entropy": 0.31,
    "draws": 0.94,
    "one_sided": 0.04,
    "token_entropy": 0.8123,
    "reply_tokens": 4.25,
    "advantage_spread": 0.52,
    "repeated": 0.03,
    "past_score": 0.5,
}
STUCK = {"game": "simple_negotiation", "signal": "draws", "value": 0.94, "threshold": 0.9, "since": 1, "matches": ["k"]}
GAME = {
    "outcome_entropy": 0.31,
    "dominant": "draw",
    "share_p1": 0.02,
    "share_draw": 0.94,
    "share_p0": 0.04,
    "roles": {"opener": {**ROLE, **DEPT}, "responder": {**ROLE, **DEPT, "lambda": 0.41, "draw": 0.75}},
}
TOLD = {
    **METRICS,
    "games": {"simple_negotiation": GAME},
    "impasse": {"active": True, "signals": {"simple_negotiation": SIGNALS}, "stuck": [STUCK]},
}
BANNER = {"t": "impasse", "text": "Impasse, simple_negotiation: draws 94% since update 1 (see match k)"}


def model(*more: dict[str, Any]) -> LiveModel:
    earlier = {**TOLD, "update": 2, "games": {"simple_negotiation": {**GAME, "roles": {"opener": {**ROLE, **DEPT}}}}}
    return fed({**OPEN, "kind": "selfplay", "unit": "updates"}, earlier, TOLD, *more)


def rows(lines: list[Any]) -> list[str]:
    return plain(lines).split("\n")


def test_everything_about_advantages_and_signals_at_120_by_40() -> None:
    shown = rows(frame(model(START, turn(0, "[4]", "4", board="X"), BANNER), 120, 40, 1002.0, hint="Ctrl-C leaves"))
    at = next(i for i, row in enumerate(shown) if row.startswith("─ advantages"))
    assert shown[3] == " ▲ Impasse, simple_negotiation: draws 94% since update 1 (see match k)"
    assert shown[at + 1 : at + 5] == [
        "                 λ     σ   fast   slow   bounds         spread, reshaped",
        " simple_negotiation  H 0.31  most: draw  draw 94 %, p0 4.0 %, p1 2.0 %",
        "   opener     0.63  0.98  +0.12  −0.06   −0.10 … +0.40  0.52→0.61",
        "   responder  0.41  0.98  +0.12  −0.06   −0.10 … +0.40  0.52→0.61",
    ]
    assert shown[at + 5].startswith("─ impasse signals ─")
    assert shown[at + 6 : at + 8] == [
        "                    entropy   draws  1 seat  tokens  length  spread repeats    past",
        " simple_negotiation   0.310   ▲94 %   4.0 %   0.812    4.25   0.520   3.0 %    50 %",
    ]
    assert shown[at + 8].startswith("─ trends ─")
    course = shown[at + 9].split()
    assert course == ["λ", "simple_neg…", "█▁", "0.520", "invalid", "▁▁", "6.2", "%"]
    assert shown[at + 10].split() == ["draws", "▁█", "50", "%", "spread", "▁▁", "0.520"]


def test_at_80_by_24_a_line_a_game_stands_for_the_roles_and_the_match_keeps_its_room() -> None:
    shown = rows(frame(model(START, turn(0, "[4]", "4", board="X"), BANNER), 80, 24, 1002.0, hint="Ctrl-C leaves"))
    assert shown[3].startswith(" ▲ Impasse, simple_negotiation: draws 94%")
    assert shown[6] == " X    P0 [4]"
    assert shown[15:22] == [
        " simple_negotiation opener     +0.25  +0.12  50 %  25 %  25 %    6.2 %   3.0 %",
        " simple_negotiation responder  +0.25  +0.12  50 %  75 %  25 %    6.2 %   3.0 %",
        " simple_negotiation  H 0.31  draw 94 %  λ 0.63 0.41  spread 0.52→0.61 0.52→0.61",
        "─ impasse signals ──────────────────────────────────────────────────────────────",
        "                entropy   draws  1 seat  tokens  length  spread repeats    past",
        " simple_negoti…   0.310   ▲94 %   4.0 %   0.812    4.25   0.520   3.0 %    50 %",
        "─ trends ───────────────────────────────────────────────────────────────────────",
    ]
    assert shown[22].split() == ["λ", "simple_neg…", "█▁", "0.520", "invalid", "▁▁", "6.2", "%"]
    assert shown[23] == " Ctrl-C leaves"


def test_without_a_match_the_roles_are_told_at_80_by_24_too() -> None:
    shown = plain(frame(model(), 80, 24, 1002.0))
    assert "   responder  0.41  0.98  +0.12  −0.06   −0.10 … +0.40  0.52→0.61" in shown
    assert "─ trends" in shown


def test_plain_lines_tell_advantages_and_what_is_stuck() -> None:
    lines = PlainLines().due(model(), 1002.0)
    role = "σ 0.98 fast +0.12 slow −0.06 bounds −0.10 … +0.40 spread 0.52→0.61"
    assert lines[2:] == [
        "  simple_negotiation  H 0.31  most: draw  draw 94 %, p0 4.0 %, p1 2.0 %"
        f"  opener: λ 0.63 {role}  responder: λ 0.41 {role}",
        "  stuck: simple_negotiation draws 94 %",
    ]


def test_series_have_lambda_by_game_and_the_spread() -> None:
    two = {"leduc_poker": {"roles": {"first": {"seats": 1, "lambda": 0.25}}}}
    signals = {"simple_negotiation": SIGNALS, "leduc_poker": {"advantage_spread": 0.22}}
    made = series_values({**TOLD, "games": {**TOLD["games"], **two}, "impasse": {"signals": signals}})
    assert made["λ simple_negotiation"] == pytest.approx(0.52)
    assert made["λ leduc_poker"] == 0.25
    assert made["spread"] == pytest.approx(0.37)


def test_runs_that_reshape_nothing_have_no_such_panel() -> None:
    assert advantages_panel(fed(OPEN, METRICS), 80) == []
    assert impasse_panel(fed(OPEN, METRICS), 80) == []
    assert PlainLines().due(fed(OPEN, METRICS), 1002.0)[2:] == []


def test_a_changed_reply_length_marks_the_length() -> None:
    stuck = {"game": "simple_negotiation", "signal": "reply_change"}
    changed = {**TOLD, "impasse": {**TOLD["impasse"], "stuck": [stuck]}}
    assert "  ▲4.25" in plain(impasse_panel(fed(OPEN, changed), 80))
    assert stuck_line(changed) == "stuck: simple_negotiation length 4.25"


@pytest.mark.parametrize(
    "odd",
    [
        {"games": {"g": 3}},
        {"games": {"g": {"roles": {"a": 1, "b": {"lambda": "x"}}}}},
        {"games": {"g": {"share_x": None, "dominant": 3, "roles": {"a": {"lambda": 0.5, "sigma": None}}}}},
        {"impasse": 1},
        {"impasse": {"signals": {"g": None, "h": {"draws": "many"}}, "stuck": [1, {"game": []}]}},
        {"impasse": {"signals": {"g": {"draws": float("nan")}}, "stuck": {}}},
    ],
)
def test_numbers_from_any_file_are_shown_or_passed_over(odd: dict[str, Any]) -> None:
    shown = fed({**OPEN, "kind": "selfplay"}, {"t": "metrics", "update": 1, **odd})
    for full in (True, False):
        assert widest(advantages_panel(shown, 40, full=full)) <= 40
    assert widest(impasse_panel(shown, 40)) <= 40
    assert isinstance(stuck_line(shown.metrics), str)


def test_missing_numbers_of_a_role_are_dashes() -> None:
    (game,) = reshapings({"games": {"g": {"roles": {"a": {"lambda": 0.5}, "b": {"lambda": 0.25}}}}})
    assert mean_lambda(game) == 0.375
    shown = fed(OPEN, {"t": "metrics", "games": {"g": {"roles": {"a": {"lambda": 0.5, "seats": 1}}}}})
    assert rows(advantages_panel(shown, 80))[2:] == [
        " g  H –  most: –",
        "   a       0.50     –      –      –   – … –          –→–",
    ]
