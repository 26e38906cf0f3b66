"""Frames: nothing overlaps, nothing is wider or higher than the terminal, and what matters is there."""

from __future__ import annotations

from typing import Any

import pytest
from display_helpers import METRICS, OPEN, START, end, fed, plain, turn, widest

from arena.display.draw import bar, duration, number, percent, plural, signed, sparkline
from arena.display.frame import frame
from arena.display.model import LiveModel
from arena.display.panels.match import match_panel, verdict

SIZES = [(80, 24), (120, 40), (200, 60), (40, 10), (20, 5), (1, 1)]
BOARD = "X 1 2\n3 O 5\n6 7 8"
STANDINGS = {"t": "standings", "rows": [["random", 5, 0, 15, 2], ["greedy", 15, 0, 5, 0]]}
EVIL = "\x1b[2J[bold]你好 \u202e" + "x" * 5_000 + "\n" * 50


def tournament() -> LiveModel:
    moves = [turn(seat, f"[{move}]", str(move)) for seat, move in ((0, 0), (1, 4))]
    return fed(OPEN, {"t": "progress", "done": 25, "time_s": 1001.0}, STANDINGS, START, *moves, end(board=BOARD))


def selfplay() -> LiveModel:
    said = turn(0, "I want ore. [Offer: 1 Wood -> 2 Ore]", "Offer: 1 Wood -> 2 Ore", board="P0 has " + "1 Wood, " * 30)
    bad = turn(1, "no idea", None, issue="no_answer", hint="Give it in square brackets.")
    return fed({**OPEN, "kind": "selfplay", "unit": "updates"}, METRICS, START, said, bad)


def evil() -> LiveModel:
    names = {"players": [EVIL, EVIL], "roles": [EVIL, EVIL], "game": EVIL}
    return fed(
        {**OPEN, "title": EVIL, "details": {EVIL: EVIL}},
        {"t": "stage", "stage": EVIL, "note": EVIL},
        {"t": "standings", "rows": [[EVIL, 1, 1, 1, 1]]},
        {**METRICS, EVIL: 3.0, "games": {EVIL: {"roles": {EVIL: {"seats": 1}}}}},
        {**START, **names},
        turn(0, EVIL, EVIL, board=EVIL, thought=EVIL),
        turn(1, EVIL, None, issue="malformed", hint=EVIL),
        {"t": "note", "text": EVIL},
        {"t": "impasse", "text": EVIL},
        end(ended="void", error=EVIL),
    )


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("make", [LiveModel, tournament, selfplay, evil])
def test_a_frame_has_exactly_the_size_of_the_terminal(make: Any, width: int, height: int) -> None:
    lines = frame(make(), width, height, 1002.0, hint="Ctrl-C leaves")
    assert len(lines) == height
    assert widest(lines) <= width
    assert not any(char < " " or char == "\u202e" for line in lines for char in line.plain)
    assert widest(frame(make(), width, None, 1002.0)) <= width


def test_a_tournament_at_80_columns() -> None:
    shown = plain(frame(tournament(), 80, 24, 1002.0))
    assert shown.split("\n")[:9] == [
        " arena tournament first                    seed 7 · cpu · model pocket  running",
        " " + "━" * 12 + "─" * 38 + "  25/100 matches  25 %  0:02",
        "",
        "─ tic_tac_toe  match abcdef01  seed 3 ──────────────────────────────────────────",
        " P0 X random   P1 O greedy",
        " X 1 2    P0 [0]  P1 [4]",
        " 3 O 5",
        " 6 7 8",
        " ▸ P0 wins   P0 +1  P1 −1  2 turns",
    ]
    assert shown.rstrip().split("\n")[-4:] == [
        "─ standings ────────────────────────────────────────────────────────────────────",
        "  # player  W-D-L  score              forfeits",
        "  1 greedy 15-0-5   75 %  ████████··         0",
        "  2 random 5-0-15   25 %  ██········         2",
    ]


def test_selfplay_shows_roles_baselines_and_trends() -> None:
    shown = plain(frame(selfplay(), 80, 30, 1002.0))
    assert " kuhn_poker first   +0.25  +0.12  50 %  25 %  25 %    6.2 %   3.0 %" in shown
    assert " kuhn_poker second  −0.25      –  50 %  25 %  25 %    6.2 %   3.0 %" in shown
    assert "vs past snapshots  kuhn_poker 62 %" in shown
    assert " invalid       ▁" in shown
    assert "P0 I want ore. [Offer: 1 Wood -> 2 Ore]" in shown
    assert "   → Offer: 1 Wood -> 2 Ore" in shown
    assert "✗ no answer: Give it in square brackets." in shown


def test_numbers_stand_beside_the_match_only_where_both_fit() -> None:
    beside = plain(frame(tournament(), 120, 40, 1002.0)).split("\n")
    assert any("tic_tac_toe" in line and "standings" in line for line in beside)
    assert not any(
        "tic_tac_toe" in line and "standings" in line for line in plain(frame(tournament(), 90, 40, 0)).split("\n")
    )


def test_evaluation_without_matches_shows_its_numbers() -> None:
    model = fed({**OPEN, "kind": "eval", "unit": "items"}, {"t": "metrics", "chain_sum": 0.25, "gcd": 0.5})
    shown = plain(frame(model, 80, 24, 1002.0))
    assert "chain_sum" in shown
    assert "0.500" in shown


def test_the_head_drops_facts_before_it_drops_the_status() -> None:
    lines = plain(frame(tournament(), 44, 24, 1002.0)).split("\n")
    assert lines[0] == " arena tournament first     seed 7  running"


def test_banner_and_notes() -> None:
    model = fed(OPEN, {"t": "impasse", "text": "98 % draws"}, *({"t": "note", "text": f"n{i}"} for i in range(9)))
    lines = plain(frame(model, 80, 24, 1002.0)).split("\n")
    assert lines[3] == " ▲ 98 % draws"
    assert lines[-2:] == [" ! n7", " ! n8"]
    assert plain(frame(model, 80, None, 1002.0)).count(" ! ") == 6


def test_an_ended_run_says_how() -> None:
    model = fed(OPEN, {"t": "close", "status": "interrupted", "message": "go on with x", "time_s": 1062.0})
    lines = plain(frame(model, 80, 24, 5000.0)).split("\n")
    assert lines[0].endswith("interrupted")
    assert "1:02" in lines[1]
    assert lines[2].startswith(" go on with x")


def test_long_dialogues_show_their_end() -> None:
    says = [turn(i % 2, f"word {i} " * 10, "") for i in range(40)]
    lines = plain(match_panel(fed(OPEN, START, *says), 60, 12)).split("\n")
    assert len(lines) == 12
    assert lines[2].startswith(" … ")
    assert "word 39" in "\n".join(lines)


def test_a_match_that_was_joined_says_so() -> None:
    model = fed(OPEN, {**START, "joined": 4}, turn(0, "[4]", "4"))
    assert "… followed from turn 5 on" in plain(match_panel(model, 60))


def test_long_replies_are_cut() -> None:
    shown = plain(match_panel(fed(OPEN, START, turn(0, "\n".join(map(str, range(30))), "")), 60))
    assert "… 25 more lines" in shown
    assert "talk only" in shown


def test_many_seats() -> None:
    model = fed(OPEN, {**START, "players": ["a", "b", "c", "d"], "roles": ["first"]}, end(returns=[1, 1, -1, -1]))
    assert "P0 first a   P1 b   P2 c   P3 d" in plain(match_panel(model, 60))
    long = fed(OPEN, {**START, "players": ["a" * 50, "b" * 50]})
    assert len(match_panel(long, 60)) == 3


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (end(), "P0 wins   P0 +1  P1 −1  2 turns"),
        (end(returns=[0.0, 0.0], turns=1), "draw   P0 +0  P1 +0  1 turn"),
        (end(returns=[0.5, -0.25]), "P0 wins   P0 +0.50  P1 −0.25  2 turns"),
        (end(returns=[1, 1, -1]), "shared first place   P0 +1  P1 +1  P2 −1  2 turns"),
        (end(returns=[1, 1, -1], outcome="villagers"), "villagers   P0 +1  P1 +1  P2 −1  2 turns"),
        (end(returns=[0, 0], outcome="no_deal"), "no deal   P0 +0  P1 +0  2 turns"),
        (end(ended="turn_limit", returns=[0.0, 0.0]), "stopped at the turn limit   P0 +0  P1 +0  2 turns"),
        (
            end(ended="forfeit", fault={"seat": 0, "issue": "no_answer"}, returns=[-1.0, 1.0]),
            "P0 forfeits (no answer)   P0 −1  P1 +1  2 turns",
        ),
        (end(ended="void", error="boom"), "void, to be played again: boom  2 turns"),
    ],
)
def test_verdicts(event: dict[str, Any], words: str) -> None:
    model = fed(OPEN, START, event)
    assert model.match is not None
    assert "".join(text for text, _ in verdict(model.match)) == words


def test_a_match_in_play_has_no_verdict_yet() -> None:
    model = fed(OPEN, START)
    assert model.match is not None
    assert verdict(model.match) == [("in play", "dim")]


def test_numbers_for_people() -> None:
    assert [duration(s) for s in (0, 72.4, 3600 + 65)] == ["0:00", "1:12", "1:01:05"]
    assert [percent(x) for x in (0, 0.004, 0.0995, 0.123, 1)] == ["0 %", "0.4 %", "10 %", "12 %", "100 %"]
    assert [signed(x) for x in (0.5, -0.5, -0.001)] == ["+0.50", "−0.50", "+0.00"]
    assert [number(x) for x in (1234, 6.687, 0.0213, 1.7e-13, 1234.5)] == [
        "1,234",
        "6.69",
        "0.021",
        "1.7e-13",
        "1.2e+03",
    ]
    assert [plural(1, "match", "matches"), plural(2000, "turn")] == ["1 match", "2,000 turns"]


def test_sparklines_and_bars() -> None:
    assert sparkline([], 5) == ""
    assert sparkline([1, 1, 1], 5) == "▁▁▁"
    assert sparkline([0, 1], 5) == "▁█"
    assert sparkline(range(100), 4) == "▁▃▆█"
    assert bar(0.5, 4).plain == "━━──"
    assert bar(7, 4).plain == "━━━━"
