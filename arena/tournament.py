"""A round robin in a run directory: planned, played, resumed, rated.

Equal configs and seeds give equal records, byte for byte (fields named `*_s` aside), however many matches are in
flight. Every finished match is on file before the next one is awaited; what is missing when a run ends early is
played on resume, and nothing is played twice.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from arena.config import TournamentConfig
from arena.errors import Interrupted, UsageError
from arena.pairing import round_robin, table_size
from arena.players.factory import ArenaPlayer
from arena.records import RecordLog
from arena.results import read_results, result_of
from arena.rundir import RunDir, write_json
from arena.runner import run_matches
from arena.standings import Standings, Tally, compute_standings
from arena.types import Ended, MatchRecord, MatchSpec, Observer, Sampling
from games import Game, get_game

logger = logging.getLogger(__name__)

HARMLESS = frozenset({"name", "concurrency", "bootstrap"})
"""Config keys that may differ on resume, since they change no match."""

STANDINGS = "standings.json"


class Players(Protocol):
    """What a tournament needs of a player factory."""

    def __call__(self, name: str) -> ArenaPlayer:
        """The player of this name."""

    def expand(self, names: Sequence[str]) -> list[str]:
        """Single players behind names like `RUN@all`."""

    def reference(self, name: str) -> str:
        """How to ask for a player again from another process."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a tournament will play.

    Attributes:
        config: the settings. players: single players, in order. games: loaded.
        skipped: `game`, `player` and `reason` of each combination that is left out.
    """

    config: TournamentConfig
    players: tuple[str, ...]
    games: tuple[Game, ...]
    skipped: tuple[Mapping[str, str], ...]

    def may_play(self, player: str, game: Game) -> bool:
        """Whether the player takes part in the game."""
        mine = {"game": game.spec.id, "player": player}
        return not any(mine.items() <= entry.items() for entry in self.skipped)

    @property
    def total(self) -> int:
        """Number of matches."""
        found = 0
        for game in self.games:
            players = sum(self.may_play(player, game) for player in self.players)
            size = table_size(players, game.spec.seats)
            found += size and math.comb(players, size) * size * self.config.pairs
        return found

    def specs(self) -> Iterator[MatchSpec]:
        """The matches, in the order in which they are recorded."""
        config = self.config
        return round_robin(
            self.players,
            self.games,
            pairs=config.pairs,
            seed=config.seed,
            show_legal=config.show_legal,
            retries=config.retries,
            sampling=Sampling(**config.sampling.model_dump()),
            turn_limit=config.turn_limit,
            tag="tournament",
            may_play=self.may_play,
        )


@dataclass(frozen=True, kw_only=True)
class Progress:
    """After a match.

    Attributes:
        done: matches on file. total: matches in all. resumed: how many were on file at the start.
        record: the match. tally: all results so far; `compute_standings(tally)` makes standings of them at any time.
    """

    done: int
    total: int
    resumed: int
    record: MatchRecord
    tally: Tally


def make_plan(config: TournamentConfig, factory: Players, players: Sequence[str] | None = None) -> Plan:
    """Who plays what. Loads the players, since only they can say what they refuse.

    Args:
        config: the settings.
        factory: makes players.
        players: single players, if already known; else those of the config.

    Raises:
        UsageError: unknown game or player, or nothing is left to play.
    """
    names = tuple(players or factory.expand(config.players))
    if len(names) < 2:
        raise UsageError(f"A tournament needs two different players; {', '.join(config.players)} gives {len(names)}.")
    games = load_games(config)
    skipped = [
        {"game": game.spec.id, "player": name, "reason": reason}
        for game in games
        for name in names
        if (reason := factory(name).refusal(game)) is not None
    ]
    plan = Plan(config=config, players=names, games=games, skipped=tuple(skipped))
    if plan.total == 0:
        reasons = "; ".join(f"{entry['player']}: {entry['reason']}" for entry in skipped)
        raise UsageError(f"Nothing to play: no game has enough players that play it. {reasons}")
    return plan


def load_games(config: TournamentConfig) -> tuple[Game, ...]:
    """The games of a config, loaded.

    Raises:
        UnknownGameError, ParameterError: from the registry.
        UsageError: a game for one player.
    """
    games = tuple(get_game(entry.id, entry.params) for entry in config.games)
    for game in games:
        if game.spec.seats < 2:
            raise UsageError(f"{game.spec.id} has one seat; a tournament needs games with two or more.")
    return games


def open_run(config: TournamentConfig, factory: Players, name: str, *, resume: bool = False) -> RunDir:
    """The locked run directory of a tournament, made or continued.

    Which snapshots `RUN@all` and `RUN@latest` are is decided once, when the run is made, and kept in run.json.

    Raises:
        UsageError: the run exists and `resume` is not set; or an unknown game or player.
        ConfigError: the run to resume was made with other settings.
        RunNotFoundError, RunBusyError: no such run; another process writes to it.
    """
    settings = config.model_dump(mode="json")
    if resume:
        return RunDir.resume(name, "tournament", settings, harmless=HARMLESS)
    load_games(config)
    players = {player: factory.reference(player) for player in factory.expand(config.players)}
    run = RunDir.create(name, "tournament", settings, seed=config.seed, device=config.device)
    run.write({**run.read(), "players": players})
    return run


def run_tournament(
    config: TournamentConfig,
    run: RunDir,
    factory: Players,
    *,
    observer: Observer | None = None,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
    resume_command: str = "",
) -> Standings:
    """Play what is owed, rate everything, write standings.json, and release the run directory.

    Args:
        config: the settings.
        run: from `open_run`.
        factory: makes players.
        observer: watches every match.
        progress: called after every match, with the record on file.
        stop: asked before every match; once true, the tournament ends as if by Ctrl-C.
        resume_command: told to the user when interrupted.

    Returns:
        The standings. Void matches, if any, are counted as owed, and the run's status is then `failed`: resume it.

    Raises:
        Interrupted: Ctrl-C or `stop`; everything finished is on file, and the message says how to go on.
        UsageError, SnapshotError: a player cannot be made.
    """
    status = "failed"
    try:
        listed = run.read().get("players") or {}
        plan = make_plan(config, factory, factory.expand(list(listed.values())) or None)
        for entry in plan.skipped:
            logger.info("%(player)s does not play %(game)s: %(reason)s", entry)
        done = asyncio.run(_play(plan, run, factory, observer, progress, stop))
        if done < plan.total:
            raise KeyboardInterrupt
        standings = compute_standings(
            read_results(run.matches), bootstrap=config.bootstrap, seed=config.seed, skipped=plan.skipped
        )
        write_json(run.path / STANDINGS, standings.to_json())
        status = "failed" if standings.owed else "done"
        return standings
    except KeyboardInterrupt:
        status = "interrupted"
        more = resume_command or f"the same command with --run {run.name} --resume"
        raise Interrupted(f"Stopped. Every finished match is in {run.matches}. Continue with: {more}") from None
    finally:
        run.set_status(status)
        run.unlock()


async def _play(
    plan: Plan,
    run: RunDir,
    factory: Players,
    observer: Observer | None,
    progress: Callable[[Progress], None] | None,
    stop: Callable[[], bool],
) -> int:
    """Play every match that is not on file. Returns how many were played or tried, and on file before."""
    log = RecordLog(run.matches, store_tokens=plan.config.store_tokens)
    try:
        if log.torn:
            logger.warning("%s; its match is played again", log.torn)
        tally = Tally()
        finished: set[str] = set()
        for result in read_results(run.matches):
            if result.ended is not Ended.VOID:
                tally.add(result)
                finished.add(result.key)
        done = resumed = len(finished)
        total = plan.total
        owed = (spec for spec in plan.specs() if spec.match_key not in finished)
        matches = run_matches(owed, factory, concurrency=plan.config.concurrency, observer=observer, stop=stop)
        async with aclosing(matches):
            async for record in matches:
                log.append(record)
                tally.add(result_of(record))
                done += 1
                if progress is not None:
                    progress(Progress(done=done, total=total, resumed=resumed, record=record, tally=tally))
        return done
    finally:
        log.close()
