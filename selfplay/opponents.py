"""Which matches an update plays: a function of (config, update, snapshots so far) and of nothing else.

Against itself (`latest`) the learner holds every seat. Against a past snapshot it plays the same deal once from each
seat, the snapshot holding the others: so its seats are even and the luck of the deal cancels.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from arena.pairing import derive_seed
from arena.types import MatchSpec, Sampling
from games import Game
from selfplay.config import SelfPlayConfig


def learner_name(run: str, update: int) -> str:
    """Name of the live weights after `update` optimiser steps: those that play update `update`."""
    return f"{run}@{update:06d}+live"


def update_specs(config: SelfPlayConfig, run: str, update: int, past: Sequence[str]) -> list[MatchSpec]:
    """The matches of one update, in canonical order.

    Args:
        config: the run's config.
        run: run name.
        update: optimiser steps taken so far.
        past: names of the snapshots so far, oldest first. While there are none, all matches are against itself.
    """
    return [
        spec
        for game, matches in zip(config.loaded_games(), config.shares(), strict=True)
        for spec in _game_specs(config, game, matches, run, update, past)
    ]


def _game_specs(
    config: SelfPlayConfig, game: Game, matches: int, run: str, update: int, past: Sequence[str]
) -> Iterator[MatchSpec]:
    rng = random.Random(f"opponents/{config.seed}/{update}/{game.spec.id}")
    seats = game.spec.seats
    learner = learner_name(run, update)
    weights = config.opponents
    share = weights.past / (weights.past + weights.latest) if past else 0.0
    # A group is one deal from every seat; the fraction of a group is drawn, so that the share holds on average.
    groups = min(int(matches * share / seats + rng.random()), matches // seats)
    opponents = [rng.choice(past) for _ in range(groups)] + [learner] * (matches - groups * seats)
    rng.shuffle(opponents)  # no block of one kind at the end, which a moving average would remember best
    for number, opponent in enumerate(opponents):
        for mine in range(seats) if opponent != learner else (0,):
            yield MatchSpec(
                game=game.spec.id,
                params=game.spec.params,
                seed=derive_seed(config.seed, "selfplay", update, game.spec.id, number),
                players=tuple(learner if seat == mine else opponent for seat in range(seats)),
                pair=f"{update}/{game.spec.id}/{number}",
                show_legal=config.show_legal,
                retries=config.retries,
                sampling=Sampling(temperature=config.sampling.temperature, max_tokens=config.sampling.max_tokens),
                tag=f"update-{update:06d}",
            )
