"""Seeing that a run is stuck, and answering it.

A signal (`impasse_signals`) that stays beyond its threshold for `patience` updates in a row is an impasse. It is told
in metrics.jsonl and in the live view, with matches that show it; and the config's answers are given one after the
other, each time the impasse has outlasted the last one by another `patience` updates. It ends when no signal has lasted
for `patience` updates; the next one starts with the first answer again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from selfplay.impasse_signals import Signal
from selfplay.sections import ImpasseConfig, OpponentConfig

LASTING = frozenset({"reshape", "widen", "temperature"})
"""Answers that stay in force until the impasse ends."""

_BELOW = frozenset({"outcome_entropy", "token_entropy", "advantage_spread", "past_score"})
_SHARES = frozenset({"draws", "one_sided", "repeated", "past_score"})
_WORDS = {
    "outcome_entropy": "outcome entropy",
    "draws": "draws",
    "one_sided": "wins of one seat",
    "token_entropy": "token entropy",
    "reply_change": "change of reply length",
    "advantage_spread": "advantage spread",
    "repeated": "the same transcript",
    "past_score": "score against its past",
}
_ANSWERS = {
    "reshape": "advantages are reshaped",
    "widen": "more past opponents",
    "temperature": "a higher temperature",
    "rollback": "back to an earlier snapshot",
    "stop": "the run stops",
}


@dataclass(frozen=True, kw_only=True)
class Stuck:
    """One signal of one game that has lasted: since which update, and what shows it now."""

    game: str
    name: str
    value: float
    threshold: float
    since: int
    matches: tuple[str, ...]

    def __str__(self) -> str:
        shown = f"{self.value:.0%}" if self.name in _SHARES else f"{self.value:.3g}"
        return f"{self.game}: {_WORDS[self.name]} {shown} since update {self.since}"


@dataclass(frozen=True, kw_only=True)
class Report:
    """What an update showed.

    Attributes:
        signals: every value, by game and name.
        stuck: those that have lasted.
        active: whether an impasse is on.
        answer: the answer to be given now, None if none.
        in_force: answers that hold for the next update.
    """

    signals: Mapping[str, Mapping[str, Signal]]
    stuck: tuple[Stuck, ...] = ()
    active: bool = False
    answer: str | None = None
    in_force: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """A sentence for people; empty without an impasse."""
        if not self.active:
            return ""
        what = "; ".join(map(str, self.stuck)) or "waning"
        keys = [key for stuck in self.stuck for key in stuck.matches]
        shown = f" (see match {keys[0]})" if keys else ""
        named = dict.fromkeys([*self.in_force, *([self.answer] if self.answer else [])])
        answered = f"; answered by: {', '.join(_ANSWERS[name] for name in named)}" if named else ""
        return f"Impasse, {what}{shown}{answered}"

    def to_json(self) -> dict[str, Any]:
        """For metrics.jsonl."""
        return {
            "active": self.active,
            "signals": {
                game: {name: signal.value for name, signal in named.items()} for game, named in self.signals.items()
            },
            "stuck": [
                {
                    "game": s.game,
                    "signal": s.name,
                    "value": s.value,
                    "threshold": s.threshold,
                    "since": s.since,
                    "matches": list(s.matches),
                }
                for s in self.stuck
            ],
            "answer": self.answer,
            "in_force": list(self.in_force),
        }


@dataclass
class ImpasseWatch:
    """Follows the signals of a run; all it remembers is in `state_dict`."""

    config: ImpasseConfig
    since: dict[str, int] = field(default_factory=dict)
    first_lengths: dict[str, list[float]] = field(default_factory=dict)
    active: bool = False
    calm: int = 0
    answered: int = 0
    answered_at: int = 0
    in_force: list[str] = field(default_factory=list)
    text: str = ""

    def observe(self, update: int, found: Mapping[str, Mapping[str, Signal]]) -> Report:
        """Take the signals of an update (its number counts from 1) and say what they come to."""
        stuck = [
            item
            for game, named in found.items()
            for name, signal in self._watched(game, named).items()
            if (item := self._lasting(update, game, name, signal)) is not None
        ]
        self.calm = 0 if stuck else self.calm + 1
        if self.active and self.calm >= self.config.patience:
            self.active, self.in_force, self.answered = False, [], 0
        answer = None
        if stuck and (not self.active or update - self.answered_at >= self.config.patience):
            self.active = True
            self.answered_at = update
            if self.answered < len(self.config.answers):
                answer = self.config.answers[self.answered]
                self.answered += 1
                if answer in LASTING:
                    self.in_force.append(answer)
        report = Report(
            signals=found, stuck=tuple(stuck), active=self.active, answer=answer, in_force=tuple(self.in_force)
        )
        self.text = report.text
        return report

    def _watched(self, game: str, named: Mapping[str, Signal]) -> dict[str, Signal]:
        """The signals with the change of reply length in place of the length."""
        watched = dict(named)
        length = watched.pop("reply_tokens", None)
        if length is not None and length.value > 0:
            first = self.first_lengths.setdefault(game, [])
            if len(first) < self.config.patience:
                first.append(length.value)
            ratio = length.value / (sum(first) / len(first))
            watched["reply_change"] = Signal(value=max(ratio, 1 / ratio), matches=length.matches)
        return watched

    def _lasting(self, update: int, game: str, name: str, signal: Signal) -> Stuck | None:
        key = f"{name}/{game}"
        threshold: float = getattr(self.config, name)
        if name in _BELOW:
            raised = signal.value < threshold
        else:
            raised = signal.value > threshold and not (name == "reply_change" and threshold == 0)
        if not raised:
            self.since.pop(key, None)
            return None
        since = self.since.setdefault(key, update)
        if update - since + 1 < self.config.patience:
            return None
        return Stuck(game=game, name=name, value=signal.value, threshold=threshold, since=since, matches=signal.matches)

    def opponents(self, usual: OpponentConfig) -> OpponentConfig:
        """Shares of the opponents in the next update."""
        others = usual.latest + sum(usual.fixed.values())
        wanted = self.config.widen_to / (1 - self.config.widen_to) * others
        if "widen" not in self.in_force or usual.pool >= wanted:
            return usual
        return usual.model_copy(update={"past": usual.past + wanted - usual.pool})

    def temperature(self, usual: float) -> float:
        """Sampling temperature in the next update."""
        return usual * self.config.temperature_factor if "temperature" in self.in_force else usual

    def state_dict(self) -> dict[str, Any]:
        """Everything but the config, as JSON data."""
        return {
            "since": dict(self.since),
            "first_lengths": {game: list(values) for game, values in self.first_lengths.items()},
            "active": self.active,
            "calm": self.calm,
            "answered": self.answered,
            "answered_at": self.answered_at,
            "in_force": list(self.in_force),
            "text": self.text,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Inverse of `state_dict`."""
        self.since = {str(key): int(value) for key, value in state["since"].items()}
        self.first_lengths = {str(k): [float(v) for v in values] for k, values in state["first_lengths"].items()}
        self.active, self.calm = bool(state["active"]), int(state["calm"])
        self.answered, self.answered_at = int(state["answered"]), int(state["answered_at"])
        self.in_force, self.text = [str(name) for name in state["in_force"]], str(state["text"])


def snapshot_before(sign: int, pool: Sequence[str]) -> str | None:
    """The last snapshot from before the first sign of an impasse, else the oldest; None without any.

    Args:
        sign: update that first showed it.
        pool: names of snapshots, oldest first.
    """
    before = [name for name in pool if int(name.rpartition("@")[2]) < sign]
    return [*pool[:1], *before][-1] if pool else None
