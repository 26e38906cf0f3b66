"""Who is drawn as an opponent: the run's own snapshots by several rules, and fixed players by name."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from arena.errors import ArenaError, ConfigError
from arena.players.factory import PlayerFactory
from arena.rundir import RunDir
from games import Game
from selfplay.payoff import PayoffMatrix
from selfplay.sections import OpponentConfig

OWN = ("past", "recent", "pfsp")
"""Kinds of opponents that are snapshots of the run itself."""


def check_fixed(fixed: Mapping[str, float], games: Sequence[Game], run: str) -> None:
    """Refuse fixed opponents that cannot sit down, before anything is written. Loads no model.

    Args:
        fixed: weight by player name.
        games: every game of the run.
        run: name or path of the run.

    Raises:
        ConfigError: an unknown name (gives the nearest), one that is several players or none in particular, a player
            that does not play one of the games.
    """
    factory = PlayerFactory()
    for name in fixed:
        if name == "human":
            raise ConfigError("opponents.fixed.human: nobody can answer that many questions; name another player.")
        prefix, at, _ = name.rpartition("@")
        is_snapshot = bool(at) and not name.startswith("openai:")
        if is_snapshot and RunDir.locate(prefix).resolve() == RunDir.locate(run).resolve():
            raise ConfigError(
                f"opponents.fixed.{name} is a snapshot of this very run; give opponents.past, recent or pfsp weight."
            )
        try:
            found = factory.expand([name])
        except ArenaError as error:
            raise ConfigError(f"opponents.fixed.{name}: {error}") from error
        if is_snapshot and found != [factory_name(prefix, name)]:
            raise ConfigError(
                f"opponents.fixed.{name} may be another player when the run is resumed; write {found[-1]}."
            )
        if is_snapshot or name == "base":
            continue  # a language model plays anything
        for game in games:
            reason = factory.refusal(name, game)
            if reason:
                raise ConfigError(f"opponents.fixed.{name} does not play {game.spec.id}: {reason}")


def factory_name(prefix: str, name: str) -> str:
    """The immutable name that a reference with a step number has: `demo@000040` for `runs/demo@40`."""
    step = name.rpartition("@")[2]
    run = RunDir.locate(prefix).name
    return f"{run}@{int(step):06d}" if step.isascii() and step.isdigit() else ""


def draw(
    settings: OpponentConfig,
    rng: random.Random,
    *,
    groups: float,
    most: int,
    past: Sequence[str],
    payoff: PayoffMatrix,
    game: str,
) -> list[str]:
    """Opponents for one game's matches of an update, one for each group of matches against somebody else.

    How many of each kind is as even as can be: the expected number, rounded up or down at random.

    Args:
        settings: shares.
        rng: of this update and game alone.
        groups: how many groups the game's matches would make if none were against itself.
        most: largest number of groups that fits.
        past: the run's snapshots, oldest first.
        payoff: the learner's scores, for PFSP.
        game: registry id.
    """
    weights = {kind: getattr(settings, kind) if past else 0.0 for kind in OWN}
    weights |= dict(sorted(settings.fixed.items()))
    total = settings.latest + settings.pool + sum(settings.fixed.values())
    kinds = [kind for kind, weight in weights.items() if weight > 0]
    rng.shuffle(kinds)  # where the last group does not fit, no kind is always the one that loses it
    drawn: list[str] = []
    reach = rng.random()
    for kind in kinds:
        before = min(math.floor(reach), most)
        reach += groups * weights[kind] / total
        number = min(math.floor(reach), most) - before
        drawn += [_one(kind, settings, rng, past, payoff, game) for _ in range(number)]
    return drawn


def _one(
    kind: str,
    settings: OpponentConfig,
    rng: random.Random,
    past: Sequence[str],
    payoff: PayoffMatrix,
    game: str,
) -> str:
    if kind == "past":
        return rng.choice(past)
    if kind == "recent":
        return rng.choice(past[-settings.window :])
    if kind == "pfsp":
        scores = [payoff.score(game, name) for name in past]
        return rng.choices(past, pfsp_weights(scores, settings.pfsp_weighting, settings.pfsp_power))[0]
    return kind


def pfsp_weights(scores: Sequence[float], weighting: str, power: float) -> list[float]:
    """Unnormalised probabilities of meeting opponents against whom the learner scores so.

    Args:
        scores: in [0, 1].
        weighting: `hard`: (1 − x)^power; `even`: x (1 − x).
        power: of `hard`.
    """
    made = [(1 - x) ** power if weighting == "hard" else x * (1 - x) for x in scores]
    return made if any(made) else [1.0] * len(made)  # beaten for good, all of them: none is harder than another
