"""`arena report`: a page that stands alone, says what the files say, and lets no player's text become markup."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Done

EVIL = "<script>alert(1)</script> [bold red]x[/] \x1b[2J `code` | <img src=//evil.example/a.png>"
KEY = "abcdef0123456789"


def role(**changes: Any) -> dict[str, Any]:
    told = {"seats": 4, "mean_return": 0.5, "win": 0.75, "draw": 0.25, "loss": 0.0, "invalid": 0.125, "forfeit": 0.0}
    return {**told, "reply_tokens": 4.0, "entropy": 0.5, "kl": 0.25, **changes}


def line(update: int, **changes: Any) -> dict[str, Any]:
    game = {"roles": {"opener": role(**{"lambda": update / 4}), EVIL: role(mean_return=-0.5)}}
    signals = {"outcome_entropy": 1 - update / 4, "advantage_spread": 0.5, "reply_tokens": 4.0}
    stuck = [{"game": "haggle", "signal": "draws", "value": 0.95, "threshold": 0.9, "since": 1, "matches": [KEY]}]
    impasse = {"signals": {"haggle": signals}, "stuck": stuck if update > 1 else [], "answer": None}
    return {
        "schema": 1,
        "update": update,
        "kl": 0.1 * update,
        "sampler_kl": 0.0,
        "entropy": 0.5,
        "tokens": {"sampled": 100 * update},
        "games": {"haggle": game},
        "impasse": impasse | changes,
        "total_s": 1.5,
    }


@pytest.fixture
def evil(place: Path) -> Path:
    """A run of three updates, with an impasse, an evaluation, and players that would like to be markup."""
    run = place / "runs" / "learning"
    (run / "eval" / "12345678").mkdir(parents=True)
    config = {"updates": 3, "matches": 4, "model": EVIL, "games": [{"id": "haggle"}], "estimator": {"name": "dept"}}
    info = {"kind": "selfplay", "status": "done", "config": config, "command": ["arena", EVIL], "seed": 7}
    (run / "run.json").write_text(json.dumps(info))
    lines = [line(1), line(2, answer="reshape"), line(3)]
    (run / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines) + '{"update": 4, "torn')
    said = {"seat": 0, "attempts": [{"text": EVIL}, {"text": "y" * 1_000}]}
    match = {"key": KEY, "spec": {"game": "haggle", "players": [EVIL, "base"]}, "outcome": "draw", "returns": [0, 0]}
    (run / "matches.jsonl").write_text(json.dumps({**match, "turns": [said] * 20}) + "\n")
    result = {"player": EVIL, "benchmark": "gcd", "value": 0.25, "low": 0.125, "high": 0.5, "n": 8}
    (run / "eval" / "12345678" / "summary.json").write_text(json.dumps({"results": [result]}))
    return run


class Page(HTMLParser):
    """Tags, attributes and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_what_the_report_says(arena: Callable[..., Done], evil: Path) -> None:
    done = arena("report", "learning")
    assert done.code == 0, done.err
    assert "+0.50  75 %  25 %   0 %     12 %      0 %" in done.out
    markdown = (evil / "report.md").read_text()
    for row in (
        "| updates | 3 of 3, 4 matches each |",
        "| haggle | opener | +0.50 | 75 % | 25 % | 0 % | 12 % | 0 % | 4 | 0.5 | 0.25 | 0.75 |",
        f"| haggle | draws | 1–3 | 0.95 | 0.9 | reshape (2) | {KEY} |",
        "| haggle: λ | opener | 0.25 | 0.75 |",
        "| Outcome entropy | haggle | 0.75 | 0.25 |",
        "| KL | kl | 0.1 | 0.3 |",
        "| Tokens sampled | sampled | 100 | 300 |",
        "| gcd | 0.25 | 0.125 – 0.500 | 8 |",
    ):
        assert row in markdown
    assert f"arena replay learning {KEY}" in markdown


def test_the_page_stands_alone_and_holds_the_curves(arena: Callable[..., Done], evil: Path) -> None:
    assert arena("report", "learning").code == 0
    page = Page((evil / "report.html").read_text())
    assert page.tags.count("svg") == 10
    assert not {"script", "img", "link", "iframe", "object", "a", "base", "form"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "href", "style")]
    assert ("content", "width=device-width, initial-scale=1") in page.attributes
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes
    assert {"haggle: λ", "Outcome entropy", "Advantage spread", "KL", "Reply length", "Tokens sampled"} <= set(
        page.texts
    )


def test_texts_of_players_stay_text(arena: Callable[..., Done], evil: Path) -> None:
    done = arena("report", "learning")
    html, markdown = (evil / "report.html").read_text(), (evil / "report.md").read_text()
    shown = EVIL.replace("\x1b", "\\x1b")
    assert sum(shown in text for text in Page(html).texts) > 5  # read back as it was said
    assert "[bold red]x[/]" in html
    assert f"{'y' * 400}… (+600 characters)" in html
    assert "16 more" in html
    for text in (html, markdown, done.out):
        assert "\x1b" not in text
    assert "<script" not in html + markdown
    assert "<img" not in html + markdown


def test_data_for_programs(arena: Callable[..., Done], evil: Path) -> None:
    told = json.loads(arena("report", "learning", "--json").out)
    assert told["schema"] == 1
    assert told["impasses"][0] == {
        "game": "haggle",
        "signal": "draws",
        "updates": "1–3",
        "last value": "0.95",
        "threshold": "0.9",
        "answers (update)": "reshape (2)",
        "matches": KEY,
    }
    assert told["files"] == ["runs/learning/report.md", "runs/learning/report.html"]


@pytest.mark.parametrize(
    "metrics",
    [
        "",
        '{"update": 1}\n',
        '{"update": 1, "games": 3, "impasse": {"stuck": [1, {}]}}\n',
        f'{{"update": 1, "kl": 1{"0" * 400}}}\n{{"update": 1{"0" * 400}}}\n',
    ],
)
def test_little_or_odd_metrics_still_make_a_report(arena: Callable[..., Done], place: Path, metrics: str) -> None:
    run = place / "runs" / "r"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps({"kind": "selfplay", "config": {"games": None}}))
    (run / "metrics.jsonl").write_text(metrics)
    (run / "eval" / "bad").mkdir(parents=True)
    (run / "eval" / "bad" / "summary.json").write_text('{"results": [3]}')
    done = arena("report", "r")
    assert done.code == 0, done.err
    assert "No signal lasted." in (run / "report.html").read_text()
    assert "cannot be read" in (run / "report.md").read_text()


def test_other_runs_are_refused_with_what_is_for_them(arena: Callable[..., Done], place: Path) -> None:
    run = place / "runs" / "cup"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps({"kind": "tournament"}))
    done = arena("report", "cup")
    assert done.code == 2
    assert "`arena tournament report cup` is for it" in " ".join(done.err.split())
    (run / "run.json").write_text(json.dumps({"kind": "study"}))
    assert "its report.md is written by `arena study`" in " ".join(arena("report", "cup").err.split())
    assert arena("report", "missing").code == 2


@pytest.mark.parametrize(
    "rest",
    [{}, {"spec": {"game": "g", "players": []}, "outcome": "draw", "returns": ["x"], "turns": []}],
)
def test_a_damaged_record_is_named(arena: Callable[..., Done], evil: Path, rest: dict[str, Any]) -> None:
    (evil / "matches.jsonl").write_text(json.dumps({"key": KEY, **rest}) + "\n")
    done = arena("report", "learning")
    assert done.code == 1
    assert f"match {KEY} is no record" in " ".join(done.err.split())
