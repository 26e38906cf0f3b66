"""Many games held to their contract at once: the work of `arena games check`, in parts that any core can do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.workers import run_all
from games import Game, conformance, get_game
from games.conformance.hostile import hostile_replies
from games.conformance.many import random_games
from games.types import ParamValue

PER_POSITION = 20
"""Hostile replies said in one position."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much of a game is looked at.

    Attributes:
        seeds: matches whose positions are looked at closely.
        matches: matches played for their endings, by all bots.
        random_games: further matches at random, held to sums, bounds, classes and length.
        hostile: hostile replies, a multiple of PER_POSITION.
    """

    seeds: int
    matches: int
    random_games: int = 0
    hostile: int = 0


QUICK = Size(seeds=2, matches=10, random_games=20, hostile=200)
NORMAL = Size(seeds=5, matches=50)
NIGHTLY = Size(seeds=10, matches=200, random_games=10_000, hostile=30_000)
NIGHTLY_GENERIC = Size(seeds=3, matches=20, random_games=50, hostile=400)
"""For games with a generic text: there are a hundred, and some take a second a match."""

_CHUNK = {"random games": 1_000, "hostile replies": 6_000}


@dataclass(frozen=True, kw_only=True)
class Part:
    """One task: the checks of a game, or a share of its random games or hostile replies."""

    game: str
    params: tuple[tuple[str, ParamValue], ...]
    kind: str
    size: Size
    seeds: range = range(0)


@dataclass(kw_only=True)
class Verdict:
    """What was found out about one game.

    Attributes:
        game: its id.
        params: those that were given.
        size: what was looked at.
        findings: ways in which it breaks its contract; empty when it passes.
        seconds: of processor time, over all parts.
    """

    game: str
    params: dict[str, ParamValue] = field(default_factory=dict)
    size: Size
    findings: list[conformance.Finding] = field(default_factory=list)
    seconds: float = 0.0


def check_many(
    sizes: Mapping[str, Size],
    *,
    params: Mapping[str, ParamValue] | None = None,
    processes: int | None = None,
    limit_s: float = 1800.0,
) -> Iterator[Verdict]:
    """Check games, and yield each verdict as it is complete, in no order.

    Args:
        sizes: how much to look at, by game id.
        params: of every game.
        processes: how many at the same time (default: one per core).
        limit_s: longest time that one part may take.
    """
    given = tuple(sorted((params or {}).items()))
    parts = [part for game, size in sizes.items() for part in parts_of(game, given, size)]
    verdicts = {game: Verdict(game=game, params=dict(given), size=size) for game, size in sizes.items()}
    owed = {game: sum(part.game == game for part in parts) for game in sizes}
    for done in run_all(examine, parts, processes=processes, limit_s=limit_s):
        verdict = verdicts[done.item.game]
        if done.result is None:
            verdict.findings.append(conformance.Finding(check=done.item.kind, message=done.error))
        else:
            findings, seconds = done.result
            verdict.findings += findings
            verdict.seconds += seconds
        owed[verdict.game] -= 1
        if not owed[verdict.game]:
            yield verdict


def check_here(game: str, params: Mapping[str, ParamValue], size: Size) -> Verdict:
    """One game, in this process."""
    parts = [examine(part) for part in parts_of(game, tuple(params.items()), size)]
    findings = [finding for found, _ in parts for finding in found]
    return Verdict(
        game=game, params=dict(params), size=size, findings=findings, seconds=sum(seconds for _, seconds in parts)
    )


def parts_of(game: str, params: Sequence[tuple[str, ParamValue]], size: Size) -> list[Part]:
    """The tasks of one game."""
    parts = [Part(game=game, params=tuple(params), kind="checks", size=size)]
    for kind, count in (("random games", size.random_games), ("hostile replies", size.hostile)):
        step = _CHUNK[kind]
        for first in range(0, count, step):
            seeds = range(first, min(first + step, count))
            if kind == "hostile replies":
                seeds = range(first // PER_POSITION, seeds.stop // PER_POSITION)
            parts.append(Part(game=game, params=tuple(params), kind=kind, size=size, seeds=seeds))
    return parts


def examine(part: Part) -> tuple[list[conformance.Finding], float]:
    """Do one task: what was found, and the processor time it took."""
    begun = time.process_time()
    game = get_game(part.game, dict(part.params))
    if part.kind == "checks":
        found = conformance.check_game(game, seeds=range(part.size.seeds), matches=part.size.matches)
    else:
        found = _few(part.kind, game, part.seeds)
    return found, time.process_time() - begun


def _few(kind: str, game: Game, seeds: range) -> list[conformance.Finding]:
    search: Any = random_games if kind == "random games" else hostile_replies
    found: list[conformance.Finding] = []
    for seed, message in search(game, seeds):
        if len(found) < 3:
            found.append(conformance.Finding(check=kind, message=message, seed=seed))
    return found
