"""Results: one line per player and benchmark, differences between players, and the folder they go to."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.exact import ExactPlay
from eval.reasoning import Graded
from eval.stats import paired_bootstrap, wilson

FAULTS = ("no_answer", "malformed", "truncated")
"""Why a reply holds no readable answer. Such items are wrong, and counted apart."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One player's result on one benchmark.

    Attributes:
        player, benchmark: who, on what.
        value: NashConv, or the share of right answers. low, high: 95 % interval, where it is a sample.
        n: items, or information states.
        detail: what else was found.
    """

    player: str
    benchmark: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int = 0
    detail: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "player": self.player,
            "benchmark": self.benchmark,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            **self.detail,
        }


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How much more often a player is right than another, on the same items of all families asked.

    Attributes:
        player, baseline: who, compared with whom.
        value: mean of right − right over the items. low, high: 95 % percentile interval of the paired bootstrap.
        n: items.
    """

    player: str
    baseline: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """All results, and what was left out with the reason."""

    lines: tuple[Line, ...]
    differences: tuple[Difference, ...]
    skipped: tuple[str, ...]
    folder: Path


def folder_name(settings: Mapping[str, Any]) -> str:
    """Eight hex digits of everything that decides the results; another model of the same name goes elsewhere."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:8]


def exact_line(found: ExactPlay) -> Line:
    """The line of an exact evaluation."""
    detail = found.to_json()
    return Line(
        player=detail.pop("player"),
        benchmark=f"nashconv:{detail.pop('game')}",
        value=detail.pop("nash_conv"),
        n=detail.pop("information_states"),
        detail=detail,
    )


def share_line(player: str, benchmark: str, graded: Sequence[Graded], trained: Set[str] | None) -> Line:
    """The line of a reasoning task.

    Args:
        player: who.
        benchmark: on what.
        graded: every item, at least one.
        trained: questions that the base model was trained on; None where nothing is known.
    """
    n = len(graded)
    low, high = wilson(sum(item.right for item in graded), n)
    unseen = None if trained is None else [item for item in graded if item.prompt not in trained]
    return Line(
        player=player,
        benchmark=benchmark,
        value=sum(item.right for item in graded) / n,
        low=low,
        high=high,
        n=n,
        detail={
            "right": sum(item.right for item in graded),
            "strict": sum(item.strict for item in graded) / n,
            "constant": max(Counter(item.reference for item in graded).values()) / n,
            "unseen": None if unseen is None else _share(unseen),
            "tokens_per_answer": sum(item.tokens for item in graded) / n,
            "cut": sum(item.cut for item in graded),
            **{fault: sum(item.reason == fault for item in graded) for fault in FAULTS},
        },
    )


def _share(graded: Sequence[Graded]) -> dict[str, Any]:
    """Right answers among some of the items, which may be none."""
    right, n = sum(item.right for item in graded), len(graded)
    low, high = wilson(right, n)
    return {"n": n, "right": right, "value": right / n if n else None, "low": low, "high": high}


def differences(graded: Mapping[str, Sequence[Graded]], seed: int) -> tuple[Difference, ...]:
    """Every player against the first one.

    Args:
        graded: by player, the same items in the same order.
        seed: of the bootstrap.
    """
    scores = {player: [float(item.right) for item in items] for player, items in graded.items()}
    baseline, *others = scores or [""]
    made = []
    for player in others:
        value, low, high = paired_bootstrap(scores[baseline], scores[player], seed=seed)
        n = len(scores[player])
        made.append(Difference(player=player, baseline=baseline, value=value, low=low, high=high, n=n))
    return tuple(made)
