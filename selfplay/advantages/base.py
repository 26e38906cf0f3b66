"""What an advantage estimator is given, and what it owes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from arena.types import Ended, MatchRecord
from games import Game, Seat

SeatAdvantage: TypeAlias = float | tuple[float, ...]
"""One number for all of a seat's decisions in a match, or one per decision."""

Telemetry: TypeAlias = float | str | None
"""A logged value: a number, or the name of an outcome class."""


@dataclass(frozen=True, kw_only=True)
class MatchResult:
    """How one match of the batch ended, as estimators see it.

    Attributes:
        index: position in the batch, in canonical match order.
        game: registry id. roles: role name per seat.
        returns: per seat, by the rules; for a forfeit those of `Game.forfeit_returns`.
        outcome: outcome class; `forfeit` for a forfeit.
        outcomes: every class the game can end in by its rules.
        fault_seat: the seat that forfeited, or None. Its return is a penalty, the others' are no game result.
        seed: of the match; equal seeds are the same deal.
        players: who held the seats.
        learner: per seat, whether the policy in training held it.
        turns: decisions per seat.
    """

    index: int
    game: str
    roles: tuple[str, ...]
    returns: tuple[float, ...]
    outcome: str
    outcomes: tuple[str, ...]
    fault_seat: Seat | None
    seed: int
    players: tuple[str, ...]
    learner: tuple[bool, ...]
    turns: tuple[int, ...]

    def counts(self, seat: Seat) -> bool:
        """Whether a seat's return says something about the learner.

        A frozen opponent's return does not. After a forfeit only the offender's penalty does: nothing that the
        other seats did earned them theirs.
        """
        return self.learner[seat] and self.fault_seat in (None, seat)


def result_of(index: int, record: MatchRecord, game: Game, learners: Collection[str]) -> MatchResult:
    """The estimators' view of a finished match.

    Args:
        index: position in the batch.
        record: the match.
        game: its loaded game.
        learners: player names that are the policy in training.

    Raises:
        ValueError: the match is void; it has no result.
    """
    if record.ended is Ended.VOID:
        raise ValueError(f"match {record.spec.match_key} is void and has no result")
    return MatchResult(
        index=index,
        game=game.spec.id,
        roles=record.roles_in(game),
        returns=record.returns,
        outcome=record.outcome,
        outcomes=game.spec.outcomes,
        fault_seat=None if record.fault is None else record.fault.seat,
        seed=record.spec.seed,
        players=record.spec.players,
        learner=tuple(name in learners for name in record.spec.players),
        turns=tuple(sum(turn.seat == seat for turn in record.turns) for seat in range(game.spec.seats)),
    )


class Estimator(Protocol):
    """Turns the results of a batch into one advantage per (match, seat).

    It sees every finished, non-void match of the batch in canonical order, whatever rows are later trained on, and
    folds each of them into its state exactly once.
    """

    name: str

    def advantages(self, batch: Sequence[MatchResult]) -> Sequence[tuple[SeatAdvantage, ...]]:
        """Advantage of every seat of every match, in order (0 for seats that do not count); updates the state."""

    def telemetry(self) -> Mapping[str, Telemetry]:
        """What to log after the last batch, named `what/game` or `what/game/role`."""

    def state_dict(self) -> dict[str, Any]:
        """Everything to be saved, as JSON data."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Inverse of `state_dict`."""
