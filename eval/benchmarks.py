"""Benchmarks by name: `nashconv:kuhn_poker`, `reasoning`, `reasoning:chain_sum`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.errors import UsageError
from arena.tasks import TASK_FAMILIES
from games import list_games
from games.suggest import unknown

EXACT_GAMES = ("kuhn_poker",)
"""Written games small enough for exact play; `openspiel/<name>` is tried when asked for."""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """What to measure: kind `nashconv` with a game id, or kind `reasoning` with a task family.

    In a study: one of `study_config.POLICIES` of a game, or `score` against a player.
    """

    kind: str
    subject: str

    @property
    def name(self) -> str:
        """As it is asked for."""
        return f"{self.kind}:{self.subject}"


def known_benchmarks() -> list[str]:
    """Names to offer."""
    return [*(f"nashconv:{game}" for game in EXACT_GAMES), "reasoning", *(f"reasoning:{f}" for f in TASK_FAMILIES)]


def parse_benchmarks(names: Sequence[str]) -> list[Benchmark]:
    """The benchmarks that names stand for, each once; `reasoning` is all families.

    Raises:
        UsageError: an unknown one; names the nearest.
    """
    found: dict[str, Benchmark] = {}
    for name in names:
        kind, _, subject = name.partition(":")
        if kind == "nashconv" and (subject.startswith("openspiel/") or subject in {s.id for s in list_games()}):
            made = [Benchmark(kind=kind, subject=subject)]
        elif name == "reasoning":
            made = [Benchmark(kind=kind, subject=family) for family in TASK_FAMILIES]
        elif kind == "reasoning" and subject in TASK_FAMILIES:
            made = [Benchmark(kind=kind, subject=subject)]
        else:
            raise UsageError(unknown("benchmark", name, known_benchmarks()))
        found.update({benchmark.name: benchmark for benchmark in made})
    return list(found.values())
