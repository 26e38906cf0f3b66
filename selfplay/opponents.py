"""Which matches an update plays: a function of (config, update, snapshots and payoffs so far) and of nothing else.

Against itself (`latest`) the learner holds every seat. Against somebody else it plays the same deal once from each
seat, the opponent holding all others: so its seats are even and the luck of the deal cancels. With `repeats` every
such match is played several times over.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from arena.pairing import derive_seed
from arena.types import MatchSpec, Sampling
from games import Game
from selfplay.config import SelfPlayConfig
from selfplay.league import draw
from selfplay.payoff import PayoffMatrix
from selfplay.sections import OpponentConfig


def learner_name(run: str, update: int) -> str:
    """Name of the live weights after `update` optimiser steps: those that play update `update`."""
    return f"{run}@{update:06d}+live"


def update_specs(
    config: SelfPlayConfig,
    run: str,
    update: int,
    past: Sequence[str],
    payoff: PayoffMatrix | None = None,
    *,
    opponents: OpponentConfig | None = None,
    temperature: float | None = None,
) -> list[MatchSpec]:
    """The matches of one update, in canonical order.

    Args:
        config: the run's config.
        run: run name.
        update: optimiser steps taken so far.
        past: names of the snapshots so far, oldest first. While there are none, their matches are against itself.
        payoff: the learner's scores so far; nothing is known by default.
        opponents: in place of the config's, while an impasse is answered.
        temperature: likewise.
    """
    plan = _Plan(config, run, update, past, payoff or PayoffMatrix(), opponents or config.opponents)
    sampling = Sampling(
        temperature=config.sampling.temperature if temperature is None else temperature,
        max_tokens=config.sampling.max_tokens,
    )
    return [
        spec
        for game, matches in zip(config.loaded_games(), config.shares(), strict=True)
        for spec in plan.specs(game, matches, sampling)
    ]


class _Plan:
    """One update's matches, game by game."""

    def __init__(
        self,
        config: SelfPlayConfig,
        run: str,
        update: int,
        past: Sequence[str],
        payoff: PayoffMatrix,
        opponents: OpponentConfig,
    ) -> None:
        self.config, self.update, self.past, self.payoff, self.opponents = config, update, past, payoff, opponents
        self.learner = learner_name(run, update)

    def specs(self, game: Game, matches: int, sampling: Sampling) -> Iterator[MatchSpec]:
        """The matches of one game: deal by deal, the kinds of opponents mixed."""
        config, game_id, seats = self.config, game.spec.id, game.spec.seats
        rng = random.Random(f"opponents/{config.seed}/{self.update}/{game_id}")
        size = seats * config.repeats
        others = draw(
            self.opponents,
            rng,
            groups=matches / size,
            most=matches // size,
            past=self.past,
            payoff=self.payoff,
            game=game_id,
        )
        left = matches - len(others) * size
        deals = [(self.learner, min(config.repeats, left - i)) for i in range(0, left, config.repeats)]
        deals += [(other, config.repeats) for other in others]
        rng.shuffle(deals)  # no block of one kind at the end, which a moving average would remember best
        for number, (other, times) in enumerate(deals):
            for mine in range(seats) if other != self.learner else (0,):
                for again in range(times):
                    yield MatchSpec(
                        game=game_id,
                        params=game.spec.params,
                        seed=derive_seed(config.seed, "selfplay", self.update, game_id, number),
                        players=tuple(self.learner if seat == mine else other for seat in range(seats)),
                        pair=f"{self.update}/{game_id}/{number}" + (f"/{again}" if again else ""),
                        show_legal=config.show_legal,
                        retries=config.retries,
                        sampling=sampling,
                        tag=f"update-{self.update:06d}",
                    )
