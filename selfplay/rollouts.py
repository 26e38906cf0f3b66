"""Play the matches of an update, and turn them into rows with advantages."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from arena.inference.engine import LocalEngine
from arena.players.factory import PlayerFactory
from arena.players.model import ModelPlayer
from arena.runner import run_matches
from arena.snapshots import Snapshot
from arena.types import Ended, MatchRecord, MatchSpec, Observer, Player
from games import get_game
from selfplay.advantages import Estimator, SeatAdvantage, result_of
from selfplay.metrics import PlayedMatch
from selfplay.ranks import Ranks
from selfplay.trajectories import Row, rows, trajectories

ALONE = Ranks()


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """The matches of one update, and what is learnt from them.

    Attributes:
        matches: the finished ones, in canonical order.
        voids: number of void ones by game; they have no result and leave no trace in the estimator.
        rows: training rows of all trajectories. Rows whose advantages are all zero stay: a KL term acts on them too.
        advantages: for each row, one number per completion token.
        trajectories: number of (finished match, learner's seat) with at least one reply.
    """

    matches: tuple[PlayedMatch, ...]
    voids: Mapping[str, int]
    rows: tuple[Row, ...]
    advantages: tuple[tuple[float, ...], ...]
    trajectories: int


class Players:
    """Learner, frozen snapshots and fixed players over one engine; the learner's adapter is the trainer's own.

    Args:
        engine: samples for all that are models.
        adapter: the learner's, in the trainer's model.
        fixed: names of further players that may sit down.
    """

    def __init__(self, engine: LocalEngine, adapter: str, fixed: Collection[str] = ()) -> None:
        self._engine = engine
        self._fixed = frozenset(fixed)
        self._factory = PlayerFactory(engine=engine)
        self._adapter = adapter
        self._frozen: dict[str, ModelPlayer] = {}
        self._learner: ModelPlayer | None = None

    def add(self, snapshot: Snapshot) -> None:
        """Make a snapshot available as an opponent."""
        key = f"snapshot_{snapshot.step:06d}"  # a module's name: no dots
        self._engine.adapters.add(key, snapshot.folder)
        self._frozen[snapshot.name] = ModelPlayer(snapshot.name, self._engine, key)

    def learn_as(self, name: str) -> None:
        """The learner plays under this name from now on; its weights may have changed since it played last."""
        if self._learner is not None:
            self._engine.weights_changed(self._adapter)
        self._learner = ModelPlayer(name, self._engine, self._adapter)

    def __call__(self, name: str) -> Player:
        """The player of this name.

        Raises:
            KeyError: it is neither the learner now, nor a known snapshot, nor a fixed player.
        """
        if name in self._fixed:
            return self._factory(name)
        if self._learner is not None and name == self._learner.name:
            return self._learner
        return self._frozen[name]


def play(
    specs: Sequence[MatchSpec],
    players: Callable[[str], Player],
    *,
    concurrency: int,
    observer: Observer | None,
    stop: Callable[[], bool],
    ranks: Ranks = ALONE,
) -> tuple[list[MatchRecord], float]:
    """Play all matches, each on one of the ranks; a match's random numbers are its own, so it matters not on which.

    Returns:
        Records of all ranks in the order of `specs`, fewer of them if stopped; and the seconds it took.
    """

    async def collect() -> list[MatchRecord]:
        played = run_matches(ranks.share(specs), players, concurrency=concurrency, observer=observer, stop=stop)
        return [record async for record in played]

    start = time.perf_counter()
    records = ranks.merge(asyncio.run(collect()))
    return records, time.perf_counter() - start


def make_rollout(records: Sequence[MatchRecord], estimator: Estimator, learner: str) -> Rollout:
    """Rows and advantages of a batch of matches; folds their results into the estimator.

    Args:
        records: of the whole batch, in canonical order.
        estimator: gives the advantages.
        learner: name under which the policy in training played.
    """
    finished = [record for record in records if record.ended is not Ended.VOID]
    games = [get_game(record.spec.game, record.spec.params) for record in finished]
    results = [
        result_of(index, record, game, (learner,))
        for index, (record, game) in enumerate(zip(finished, games, strict=True))
    ]
    given = estimator.advantages(results)
    made: list[Row] = []
    advantages: list[tuple[float, ...]] = []
    count = 0
    for record, game, seats in zip(finished, games, given, strict=True):
        for trajectory in trajectories(record, game, (learner,)):
            count += 1
            for row in rows(trajectory):
                made.append(row)
                advantages.append(token_advantages(row, seats[trajectory.seat]))
    return Rollout(
        matches=tuple(
            PlayedMatch(record=record, game=game, advantages=seats, learner=result.learner)
            for record, game, seats, result in zip(finished, games, given, results, strict=True)
        ),
        voids=Counter(record.spec.game for record in records if record.ended is Ended.VOID),
        rows=tuple(made),
        advantages=tuple(advantages),
        trajectories=count,
    )


def token_advantages(row: Row, advantage: SeatAdvantage) -> tuple[float, ...]:
    """The advantage of every completion token: its decision's on the learner's tokens, 0 elsewhere."""
    if isinstance(advantage, tuple):
        return tuple(
            advantage[decision] if own else 0.0 for decision, own in zip(row.decisions, row.loss_mask, strict=True)
        )
    return tuple(advantage if own else 0.0 for own in row.loss_mask)
