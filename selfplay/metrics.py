"""One line of metrics.jsonl per update, always split by game and role: an average over roles hides what happens.

Keys that end in `_s` are times; everything else is equal between equal runs.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.types import Attempt, Ended, MatchRecord
from games import Game, Issue, Seat
from selfplay.advantages import SeatAdvantage, Telemetry
from selfplay.measures import match_measures, seat_measures
from selfplay.payoff import LIVE, PayoffMatrix, against_past, by_opponent

if TYPE_CHECKING:
    from selfplay.rollouts import Rollout
    from selfplay.trainer import Trained

SCHEMA = 1

Group: TypeAlias = tuple[str, str]
"""(game id, role name)."""


@dataclass(frozen=True, kw_only=True)
class PlayedMatch:
    """A finished match with what the estimator made of it.

    Attributes:
        record: the match.
        game: its loaded game.
        advantages: per seat.
        learner: per seat, whether the learner held it.
    """

    record: MatchRecord
    game: Game
    advantages: tuple[SeatAdvantage, ...]
    learner: tuple[bool, ...]


@dataclass(frozen=True)
class TokenStats:
    """Sums over sampled tokens: number, entropy, KL to the reference and to the sampler (nats), clipped ratios."""

    tokens: float = 0.0
    entropy: float = 0.0
    kl: float = 0.0
    sampler_kl: float = 0.0
    clipped: float = 0.0

    def __add__(self, other: TokenStats) -> TokenStats:
        return TokenStats(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def means(self) -> dict[str, float]:
        """Per token; zeros when there is none."""
        count = self.tokens or 1.0
        return {name: value / count for name, value in asdict(self).items() if name != "tokens"}


def update_line(
    trained: Trained,
    rollout: Rollout,
    telemetry: Mapping[str, Telemetry],
    *,
    updates: int,
    payoff: PayoffMatrix | None = None,
) -> dict[str, Any]:
    """The line of one update, without its times.

    Args:
        trained: what the optimiser step reported.
        rollout: what it was made from.
        telemetry: of the estimator.
        updates: how many the run will have.
        payoff: the learner's estimated scores against everybody met so far.
    """
    games = games_metrics(rollout.matches, rollout.voids, trained.tokens, telemetry)
    for game, told in games.items():
        told["payoff"] = {} if payoff is None else payoff.table(game).get(LIVE, {})
    return {
        "schema": SCHEMA,
        "update": trained.update,
        "updates": updates,
        "loss": trained.loss,
        "grad_norm": trained.grad_norm,
        "learning_rate": trained.learning_rate,
        "rows": len(rollout.rows),
        "trajectories": rollout.trajectories,
        "tokens": token_counts(rollout.matches),
        **sum(trained.tokens.values(), TokenStats()).means(),
        "games": games,
        "estimator": dict(telemetry),
    }


def result_word(returns: Sequence[float], seat: Seat) -> str:
    """`win` for a best return that not all have (a team wins together), `draw` where all are equal, else `loss`."""
    if min(returns) == max(returns):
        return "draw"
    return "win" if returns[seat] == max(returns) else "loss"


def games_metrics(
    matches: Sequence[PlayedMatch],
    voids: Mapping[str, int],
    tokens: Mapping[Group, TokenStats],
    telemetry: Mapping[str, Telemetry],
) -> dict[str, Any]:
    """Metrics by game, and within a game by role.

    Args:
        matches: finished matches.
        voids: number of void ones by game.
        tokens: sums by (game, role).
        telemetry: of the estimator; `what/game/role` goes to its role, `what/game` to its game (a baseline of the game
            to each role).
    """
    made: dict[str, Any] = {}
    for game_id in sorted({match.game.spec.id for match in matches} | set(voids)):
        mine = [match for match in matches if match.game.spec.id == game_id]
        roles = list(dict.fromkeys(role for match in mine for role in match.record.roles_in(match.game)))
        made[game_id] = {
            "matches": len(mine),
            "void": voids.get(game_id, 0),
            "outcomes": dict(sorted(Counter(match.record.outcome for match in mine).items())),
            "mean_turns": _mean([len(match.record.turns) for match in mine]),
            "measures": match_measures([match.record for match in mine]),
            "past": against_past(mine),
            "opponents": by_opponent(mine),
            **{what: value for what, value in _told(telemetry, game_id).items() if what != "baseline"},
            "roles": {role: _role(mine, role, tokens.get((game_id, role)), telemetry) for role in roles},
        }
    return made


def _told(telemetry: Mapping[str, Telemetry], where: str) -> dict[str, Telemetry]:
    """What the estimator told about a game, or about a `game/role`, by name."""
    split = ((name.partition("/"), value) for name, value in telemetry.items())
    return {what: value for (what, _, place), value in split if place == where}


def _role(
    matches: Sequence[PlayedMatch], role: str, tokens: TokenStats | None, telemetry: Mapping[str, Telemetry]
) -> dict[str, Any]:
    """The learner in one role of one game."""
    seats = [
        (match, seat)
        for match in matches
        for seat, name in enumerate(match.record.roles_in(match.game))
        if name == role and match.learner[seat]
    ]
    words = Counter(result_word(match.record.returns, seat) for match, seat in seats)
    attempts = [attempt for match, seat in seats for attempt in _attempts(match.record, seat)]
    issues = Counter(attempt.issue.value for attempt in attempts if attempt.issue is not Issue.OK)
    forfeits = Counter(
        match.record.fault.issue.value
        for match, seat in seats
        if match.record.ended is Ended.FORFEIT and match.record.fault is not None and match.record.fault.seat == seat
    )
    advantages = [value for match, seat in seats for value in _flat(match.advantages[seat])]
    count, replies = len(seats) or 1, len(attempts) or 1
    line: dict[str, Any] = {
        "seats": len(seats),
        "mean_return": _mean([match.record.returns[seat] for match, seat in seats]),
        "measures": seat_measures([(match.record, seat) for match, seat in seats]),
        **{word: words[word] / count for word in ("win", "draw", "loss")},
        "invalid": sum(issues.values()) / replies,
        "issues": {name: number / replies for name, number in sorted(issues.items())},
        "forfeit": sum(forfeits.values()) / count,
        "forfeits": {name: number / count for name, number in sorted(forfeits.items())},
        "reply_tokens": _mean([len(attempt.completion.ids) for attempt in attempts]),
        "advantage_mean": _mean(advantages),
        "advantage_std": statistics.pstdev(advantages) if advantages else 0.0,
        **(tokens or TokenStats()).means(),
    }
    if matches:
        game_id = matches[0].game.spec.id
        baseline = _told(telemetry, game_id).get("baseline")
        line |= {} if baseline is None else {"baseline": baseline}
        line |= _told(telemetry, f"{game_id}/{role}")
    return line


def _attempts(record: MatchRecord, seat: Seat) -> list[Attempt]:
    return [attempt for turn in record.turns if turn.seat == seat for attempt in turn.attempts]


def _flat(advantage: SeatAdvantage) -> tuple[float, ...]:
    return advantage if isinstance(advantage, tuple) else (advantage,)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def token_counts(matches: Sequence[PlayedMatch]) -> dict[str, float]:
    """Tokens of the learner's requests: sampled, prompted, and the share of prompt tokens that was not recomputed."""
    said = [
        attempt.completion
        for match in matches
        for seat, learns in enumerate(match.learner)
        if learns
        for attempt in _attempts(match.record, seat)
    ]
    prompted = sum(len(completion.prompt_ids) for completion in said)
    cached = sum(completion.cached_tokens for completion in said)
    return {
        "sampled": sum(len(completion.ids) for completion in said),
        "prompted": prompted,
        "cached_share": cached / prompted if prompted else 0.0,
    }
