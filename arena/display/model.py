"""What a view knows of a run: built from events alone, so it is the same in the process and from another terminal."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.display import Standing
from arena.display.events import Event
from arena.display.telemetry import mean_lambda, number_of, part_of, reshapings, signal_values

RATE_WINDOW_S = 90.0
"""The speed behind the ETA is that of the last so many seconds."""

SERIES_LENGTH = 240
NOTES_KEPT = 100


@dataclass(frozen=True, kw_only=True)
class Say:
    """A turn in the match that is shown."""

    seat: int
    move: str | None
    tries: tuple[Mapping[str, str], ...]
    tokens: int = 0
    latency_s: float = 0.0


@dataclass(kw_only=True)
class ShownMatch:
    """The match in focus.

    Attributes:
        joined: turns that were played before it was followed.
        end: the event of its end, None while it is played.
    """

    key: str
    game: str
    players: tuple[str, ...]
    roles: tuple[str, ...]
    seed: int
    joined: int = 0
    turns: list[Say] = field(default_factory=list)
    board: str = ""
    end: Event | None = None


class LiveModel:
    """The state of a view. `feed` takes events of any age and shape; what it does not know, it leaves alone."""

    def __init__(self) -> None:
        self._reset({})

    def _reset(self, event: Event) -> None:
        self.opened: Event = event
        self.kind = str(event.get("kind", ""))
        self.title = str(event.get("title", ""))
        self.unit = str(event.get("unit", ""))
        self.total: int | None = event.get("total")
        self.start_s: float | None = event.get("time_s")
        self.last_s: float | None = self.start_s
        self.done = 0
        self.note = ""
        self.stage = ""
        self.stage_note = ""
        self.counts: Event = {}
        self.standings: list[Standing] = []
        self.metrics: Event = {}
        self.series: dict[str, deque[float]] = {}
        self.snapshots: list[str] = []
        self.notes: deque[str] = deque(maxlen=NOTES_KEPT)
        self.noted = 0
        self.banner = ""
        self.match: ShownMatch | None = None
        self.status = "running"
        self.message = ""
        self._progress: deque[tuple[float, int]] = deque(maxlen=2_000)

    def feed(self, event: Event) -> None:
        """Take one event. Raises KeyError, TypeError or ValueError for one that is malformed."""
        kind = event["t"]
        if isinstance(event.get("time_s"), int | float):
            self.last_s = event["time_s"]
        handler = getattr(self, f"_on_{kind}", None)
        if handler is not None:
            handler(event)

    # --- questions ---------------------------------------------------------------------------------------------------

    def elapsed_s(self, now_s: float) -> float:
        """Since the view was opened; until its last event once it is over."""
        if self.start_s is None:
            return 0.0
        end = now_s if self.status == "running" else self.last_s or now_s
        return max(0.0, end - self.start_s)

    def rate(self) -> float | None:
        """Units per second lately; None before there is anything to tell it from."""
        points = self._progress
        if len(points) < 2:
            return None
        late = [point for point in points if point[0] >= points[-1][0] - RATE_WINDOW_S]
        first = late[0] if len(late) > 1 else points[-2]
        span = points[-1][0] - first[0]
        return (points[-1][1] - first[1]) / span if span > 0 else None

    def eta_s(self, now_s: float) -> float | None:
        """Seconds until everything is done, at the latest speed."""
        rate = self.rate()
        if self.status != "running" or not rate or self.total is None or rate <= 0:
            return None
        waited = max(0.0, now_s - self._progress[-1][0])
        return max(0.0, (self.total - self.done) / rate - waited)

    @property
    def invalid(self) -> float | None:
        """Share of replies that could not be used; None before the first reply."""
        replies = self.counts.get("replies", 0)
        return sum(self.counts.get("issues", {}).values()) / replies if replies else None

    # --- events ------------------------------------------------------------------------------------------------------

    def _on_open(self, event: Event) -> None:
        self._reset(event)

    def _on_stage(self, event: Event) -> None:
        self.stage = str(event["stage"])
        self.stage_note = str(event.get("note", ""))

    def _on_progress(self, event: Event) -> None:
        done, at = int(event["done"]), float(event.get("time_s") or self.last_s or 0.0)
        if event.get("total") is not None:
            self.total = int(event["total"])
        self.note = str(event.get("note", ""))
        if done > self.done or not self._progress:  # the first is where this start began: what was resumed took no time
            self._progress.append((at, done))
        self.done = done

    def _on_counts(self, event: Event) -> None:
        self.counts = event

    def _on_standings(self, event: Event) -> None:
        self.standings = [Standing(str(row[0]), *(int(n) for n in row[1:5])) for row in event["rows"]]

    def _on_metrics(self, event: Event) -> None:
        self.metrics = event
        for name, value in series_values(event).items():
            self.series.setdefault(name, deque(maxlen=SERIES_LENGTH)).append(value)

    def _on_snapshot(self, event: Event) -> None:
        self.snapshots.append(str(event["name"]))

    def _on_start(self, event: Event) -> None:
        self.match = ShownMatch(
            key=str(event["key"]),
            game=str(event["game"]),
            players=tuple(map(str, event["players"])),
            roles=tuple(map(str, event["roles"])),
            seed=int(event["seed"]),
            joined=int(event.get("joined", 0)),
        )

    def _on_turn(self, event: Event) -> None:
        match = self.match
        if match is None or match.key != event["key"]:
            return
        match.turns.append(
            Say(
                seat=int(event["seat"]),
                move=event["move"],
                tries=tuple(event["tries"]),
                tokens=int(event.get("tokens", 0)),
                latency_s=float(event.get("latency_s", 0.0)),
            )
        )
        match.board = event.get("board") or match.board

    def _on_end(self, event: Event) -> None:
        match = self.match
        if match is not None and match.key == event["key"]:
            match.end = event
            match.board = event.get("board") or match.board

    def _on_note(self, event: Event) -> None:
        self.notes.append(str(event["text"]))
        self.noted += 1

    def _on_impasse(self, event: Event) -> None:
        self.banner = str(event["text"])

    def _on_close(self, event: Event) -> None:
        self.status = str(event["status"])
        self.message = str(event.get("message", ""))


_NOT_A_TREND = frozenset({"schema", "update", "updates", "time_s", "rows", "trajectories", "learning_rate"})


def series_values(metrics: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a metrics line worth a sparkline: its own, means over the roles of its games, λ of each game."""
    values = {name: number_of(metrics, name) for name in metrics if name not in _NOT_A_TREND}
    roles = [role for game in _games(metrics) for role in part_of(game, "roles").values() if isinstance(role, Mapping)]
    seats = sum(role.get("seats", 0) for role in roles)
    if seats:
        for name, key in (("invalid", "invalid"), ("draws", "draw"), ("reply tokens", "reply_tokens")):
            values[name] = sum(role.get(key, 0.0) * role.get("seats", 0) for role in roles) / seats
    values |= {f"λ {told.game}": mean_lambda(told) for told in reshapings(metrics)}
    spreads = [told["advantage_spread"] for told in signal_values(metrics).values() if "advantage_spread" in told]
    if spreads:
        values["spread"] = sum(spreads) / len(spreads)
    return {name: value for name, value in values.items() if math.isfinite(value)}


def _games(metrics: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    games = metrics.get("games")
    return [game for game in games.values() if isinstance(game, Mapping)] if isinstance(games, Mapping) else []
