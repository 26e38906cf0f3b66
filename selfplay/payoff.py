"""The payoff matrix: how the learner, and every snapshot when it was taken, scored against whom, by game and seat.

Only matches of the learner against somebody else count: a player is never rated against itself. A score is 1 for a
win, ½ for a draw, 0 for a loss; where returns are no contest (general-sum, cooperative games) it is the return's
place between the game's bounds. A forfeit scores 0 for the offender and 1 for the others. Scores are averaged by
seat first, so an uneven number of matches per seat does not tilt them. Older matches fade, because the learner
changes: each update they count `memory` times what they did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arena.types import Ended, MatchRecord
from games import Game, Seat, Utility

if TYPE_CHECKING:
    from selfplay.metrics import PlayedMatch

LIVE = "live"
"""Row of the learner as it is now."""

PRIOR = 2.0
"""Imagined matches of score ½ per opponent: what is unknown is taken for even."""

Cell = dict[str, list[float]]
"""By seat (as text, for JSON): faded number of matches and of points."""


def seat_score(record: MatchRecord, game: Game, seat: Seat) -> float:
    """What a finished match was worth to a seat, in [0, 1]."""
    if record.ended is Ended.FORFEIT and record.fault is not None:
        return 0.0 if record.fault.seat == seat else 1.0
    spec, mine = game.spec, record.returns[seat]
    if spec.utility in (Utility.GENERAL_SUM, Utility.COOPERATIVE):
        span = spec.max_return - spec.min_return
        return min(1.0, max(0.0, (mine - spec.min_return) / span)) if span else 0.5
    best = max((value for other, value in enumerate(record.returns) if other != seat), default=mine)
    return 0.5 if mine == best else float(mine > best)


def learner_scores(match: PlayedMatch) -> list[float]:
    """Score of every seat that the learner held."""
    return [seat_score(match.record, match.game, seat) for seat, learns in enumerate(match.learner) if learns]


def others(match: PlayedMatch) -> list[str]:
    """Names of those that held the other seats."""
    names = match.record.spec.players
    return sorted({name for name, learns in zip(names, match.learner, strict=True) if not learns})


def meets_own_past(match: PlayedMatch) -> bool:
    """Whether the learner met a snapshot of its own run."""
    names = match.record.spec.players
    own = {name.rpartition("@")[0] for name, learns in zip(names, match.learner, strict=True) if learns}
    return any(name.rpartition("@")[0] in own for name in others(match))


def by_opponent(matches: Sequence[PlayedMatch]) -> dict[str, dict[str, float]]:
    """By frozen opponent: the learner's matches against it and its mean score in them."""
    scores: dict[str, list[float]] = {}
    for match in matches:
        for other in others(match):
            scores.setdefault(other, []).extend(learner_scores(match))
    return {name: {"matches": len(mine), "score": sum(mine) / len(mine)} for name, mine in sorted(scores.items())}


def against_past(matches: Sequence[PlayedMatch]) -> dict[str, float] | None:
    """Matches against snapshots of the same run and the learner's mean score in them; None where there were none."""
    scores = [score for match in matches if meets_own_past(match) for score in learner_scores(match)]
    return {"matches": len(scores), "score": sum(scores) / len(scores)} if scores else None


class PayoffMatrix:
    """Rows are the learner and its snapshots, columns whom they met; one matrix per game.

    Args:
        memory: what a match of the update before still counts, in [0, 1].
    """

    def __init__(self, memory: float = 1.0) -> None:
        self.memory = memory
        self._games: dict[str, dict[str, dict[str, Cell]]] = {}

    def add(self, matches: Sequence[PlayedMatch]) -> None:
        """Fold in the finished matches of an update."""
        for game in self._games.values():
            for cell in game.get(LIVE, {}).values():
                for counts in cell.values():
                    counts[:] = [value * self.memory for value in counts]
        for match in matches:
            for seat, learns in enumerate(match.learner):
                for other in others(match) if learns else ():
                    row = self._games.setdefault(match.game.spec.id, {}).setdefault(LIVE, {})
                    counts = row.setdefault(other, {}).setdefault(str(seat), [0.0, 0.0])
                    counts[0] += 1.0
                    counts[1] += seat_score(match.record, match.game, seat)

    def name_row(self, snapshot: str) -> None:
        """The learner was just saved under this name: its row as it stands becomes the snapshot's."""
        for game in self._games.values():
            if LIVE in game:
                game[snapshot] = {
                    other: {seat: list(c) for seat, c in cell.items()} for other, cell in game[LIVE].items()
                }

    def score(self, game: str, other: str, row: str = LIVE) -> float:
        """Estimated score of a row's player against another, seats weighing the same; ½ where nothing is known."""
        cell = self._games.get(game, {}).get(row, {}).get(other, {})
        prior = PRIOR / max(1, len(cell))
        seats = [(points + prior / 2) / (number + prior) for number, points in cell.values()]
        return sum(seats) / len(seats) if seats else 0.5

    def table(self, game: str) -> dict[str, dict[str, float]]:
        """Estimated scores by row and column, where they have met."""
        rows = self._games.get(game, {})
        return {row: {other: self.score(game, other, row) for other in sorted(cells)} for row, cells in rows.items()}

    def state_dict(self) -> dict[str, Any]:
        """Everything, as JSON data."""
        return {"games": self._games}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Inverse of `state_dict`."""
        self._games = {
            str(game): {
                str(row): {
                    str(other): {str(seat): [float(n), float(points)] for seat, (n, points) in cell.items()}
                    for other, cell in cells.items()
                }
                for row, cells in rows.items()
            }
            for game, rows in state["games"].items()
        }
