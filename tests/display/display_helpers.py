"""Synthetic events, clocks and terminals for the tests of the display."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from arena.display.model import LiveModel

OPEN = {
    "t": "open",
    "kind": "tournament",
    "title": "first",
    "total": 100,
    "unit": "matches",
    "run": "first",
    "seed": 7,
    "device": "cpu",
    "pid": 1,
    "details": {"model": "pocket"},
    "time_s": 1000.0,
}

START = {
    "t": "start",
    "key": "abcdef0123456789",
    "game": "tic_tac_toe",
    "players": ["random", "greedy"],
    "roles": ["X", "O"],
    "seed": 3,
    "joined": 0,
}


def turn(seat: int, said: str, move: str | None, *, issue: str = "ok", hint: str = "", **more: Any) -> dict[str, Any]:
    tries = [{"said": said, "thought": more.pop("thought", ""), "issue": issue, "hint": hint}]
    return {"t": "turn", "key": START["key"], "index": 0, "seat": seat, "move": move, "tries": tries, **more}


def end(**more: Any) -> dict[str, Any]:
    told = {"ended": "terminal", "outcome": "p0", "returns": [1.0, -1.0], "fault": None, "error": None, "turns": 2}
    return {"t": "end", "key": START["key"], **told, **more}


ROLE = {
    "seats": 48,
    "mean_return": 0.25,
    "baseline": 0.125,
    "win": 0.5,
    "draw": 0.25,
    "loss": 0.25,
    "invalid": 0.0625,
    "forfeit": 0.03,
    "reply_tokens": 4.0,
}

METRICS = {
    "t": "metrics",
    "schema": 1,
    "update": 3,
    "updates": 40,
    "loss": 0.5,
    "kl": 0.01,
    "total_s": 2.0,
    "games": {
        "kuhn_poker": {
            "matches": 48,
            "past": {"matches": 10, "score": 0.625},
            "roles": {"first": ROLE, "second": {**ROLE, "mean_return": -0.25, "baseline": None}},
        }
    },
}


def fed(*events: Mapping[str, Any]) -> LiveModel:
    model = LiveModel()
    for event in events:
        model.feed(event)
    return model


def plain(lines: Iterable[Text]) -> str:
    return "\n".join(line.plain.rstrip() for line in lines)


def widest(lines: Iterable[Text]) -> int:
    return max((cell_len(line.plain) for line in lines), default=0)


class Clock:
    """Stands still unless told otherwise."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True
