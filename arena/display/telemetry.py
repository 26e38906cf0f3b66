"""What a metrics line tells about advantages and impasses, read with care: it may come from any file.

An estimator like DEPT tells, by game, the shares P of the outcome classes, their entropy H and the dominant class; by
role λ, σ, two averages of the return, bounds, and the spread of the advantages before and after reshaping
(`selfplay/advantages/dept.py`). Every run tells its impasse signals by game (`selfplay/impasse_signals.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SIGNALS = {
    "outcome_entropy": "entropy",
    "draws": "draws",
    "one_sided": "one seat",
    "token_entropy": "tokens",
    "reply_tokens": "length",
    "advantage_spread": "spread",
    "repeated": "repeats",
    "past_score": "past",
}
"""Names of the signals, and how they are headed."""

SHARES = frozenset({"draws", "one_sided", "repeated", "past_score"})


@dataclass(frozen=True, kw_only=True)
class Reshaping:
    """A game's advantages in one update.

    Attributes:
        game: its id.
        entropy: H in [0, 1], of the outcome classes.
        dominant: the one most common class; empty without one.
        shares: P by class, the largest first.
        roles: numbers by role, of `lambda`, `sigma`, `fast`, `slow`, `v_min`, `v_max`, `spread_before`,
            `spread_after`; nan where one is not told.
    """

    game: str
    entropy: float
    dominant: str
    shares: Mapping[str, float]
    roles: Mapping[str, Mapping[str, float]]


def number_of(values: Mapping[str, Any], key: str) -> float:
    """A number; nan where there is none, or one beyond what a float holds."""
    value = values.get(key)
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan


def part_of(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """What is below a key; empty where that is no mapping."""
    below = values.get(key)
    return below if isinstance(below, Mapping) else {}


def reshapings(metrics: Mapping[str, Any]) -> list[Reshaping]:
    """Games whose advantages are reshaped, or could be: those with a λ."""
    made = []
    for game, told in part_of(metrics, "games").items():
        if not isinstance(told, Mapping):
            continue
        roles = {
            role: _Numbers(values)
            for role, values in part_of(told, "roles").items()
            if isinstance(values, Mapping) and math.isfinite(number_of(values, "lambda"))
        }
        if not roles:
            continue
        shares = {key.removeprefix("share_"): number_of(told, key) for key in told if key.startswith("share_")}
        made.append(
            Reshaping(
                game=game,
                entropy=number_of(told, "outcome_entropy"),
                dominant=str(told.get("dominant") or ""),
                shares=dict(sorted(shares.items(), key=lambda item: -item[1])),
                roles=roles,
            )
        )
    return made


class _Numbers(dict[str, float]):
    """Numbers of a role; a missing one is nan."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__({key: number_of(values, key) for key in values})

    def __missing__(self, key: str) -> float:
        return math.nan


def mean_lambda(reshaping: Reshaping) -> float:
    """λ of a game: the mean over its roles."""
    return sum(role["lambda"] for role in reshaping.roles.values()) / len(reshaping.roles)


def signal_values(metrics: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Impasse signals by game and name."""
    return {
        game: {name: number_of(told, name) for name in SIGNALS if math.isfinite(number_of(told, name))}
        for game, told in part_of(part_of(metrics, "impasse"), "signals").items()
        if isinstance(told, Mapping)
    }


def stuck_signals(metrics: Mapping[str, Any]) -> set[tuple[str, str]]:
    """(game, name) of the signals that have lasted; reply length for its change."""
    told = part_of(metrics, "impasse").get("stuck")
    rows = [row for row in told if isinstance(row, Mapping)] if isinstance(told, list) else []
    named = {(str(row.get("game")), str(row.get("signal"))) for row in rows}
    return {(game, "reply_tokens" if name == "reply_change" else name) for game, name in named}
