"""What shows that play is stuck: numbers by game, each with the matches that show it best.

| signal | of one update |
|---|---|
| `outcome_entropy` | entropy of the outcome classes / log K, K = the classes that the rules allow |
| `draws` | share of draws, or of matches that ended without the agreement they were about |
| `one_sided` | share that the luckiest seat won |
| `token_entropy` | mean entropy of the policy over its own tokens, nats |
| `reply_tokens` | mean length of a reply |
| `advantage_spread` | standard deviation of the advantages of the learner's decisions |
| `repeated` | share of the commonest transcript (the moves of all seats, whatever was dealt) |
| `past_score` | mean score against the run's own snapshots |

The first three and `repeated` look at matches that the learner played against itself to the end, if there are any: an
opponent's play says nothing about the learner's. A signal that a game or a batch has no numbers for is left out.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from arena.types import Ended
from selfplay.metrics import Group, PlayedMatch, TokenStats, result_word
from selfplay.payoff import learner_scores, meets_own_past

SHOWN = 3
"""Matches named per signal."""


@dataclass(frozen=True, kw_only=True)
class Signal:
    """A number, and keys of matches that show what it says."""

    value: float
    matches: tuple[str, ...] = ()


def signals(matches: Sequence[PlayedMatch], tokens: Mapping[Group, TokenStats]) -> dict[str, dict[str, Signal]]:
    """Signals by game and name.

    Args:
        matches: finished matches of an update.
        tokens: sums over the learner's tokens by (game, role).
    """
    made: dict[str, dict[str, Signal]] = {}
    for game in sorted({match.game.spec.id for match in matches}):
        mine = [match for match in matches if match.game.spec.id == game]
        stats = sum((value for (name, _), value in tokens.items() if name == game), TokenStats())
        found = {name: measure(mine) for name, measure in _MEASURES.items()}
        found["token_entropy"] = (
            Signal(value=stats.entropy / stats.tokens, matches=_surest(mine)) if stats.tokens else None
        )
        made[game] = {name: signal for name, signal in sorted(found.items()) if signal is not None}
    return made


def _by_the_rules(matches: Sequence[PlayedMatch]) -> list[PlayedMatch]:
    ended = [match for match in matches if match.record.ended is Ended.TERMINAL]
    return [match for match in ended if all(match.learner)] or ended


def _keys(matches: Sequence[PlayedMatch]) -> tuple[str, ...]:
    return tuple(match.record.spec.match_key for match in matches[:SHOWN])


def _outcome_entropy(matches: Sequence[PlayedMatch]) -> Signal | None:
    mine = _by_the_rules(matches)
    classes = len(matches[0].game.spec.outcomes)
    if not mine or classes < 2:
        return None
    counts = Counter(match.record.outcome for match in mine)
    entropy = -math.fsum(n / len(mine) * math.log(n / len(mine)) for n in counts.values())
    common = max(sorted(counts), key=lambda name: counts[name])
    shown = [match for match in mine if match.record.outcome == common]
    return Signal(value=min(1.0, max(0.0, entropy / math.log(classes))), matches=_keys(shown))


def _draws(matches: Sequence[PlayedMatch]) -> Signal | None:
    mine = _by_the_rules(matches)
    possible = "draw" in matches[0].game.spec.outcomes or any("agreement" in match.record.measures for match in mine)
    if not mine or not possible:
        return None
    drawn = [m for m in mine if m.record.outcome == "draw" or m.record.measures.get("agreement") == 0.0]
    return Signal(value=len(drawn) / len(mine), matches=_keys(drawn))


def _one_sided(matches: Sequence[PlayedMatch]) -> Signal | None:
    mine = _by_the_rules(matches)
    seats = matches[0].game.spec.seats
    if not mine or seats < 2:
        return None
    won = [[m for m in mine if result_word(m.record.returns, seat) == "win"] for seat in range(seats)]
    most = max(won, key=len)
    return Signal(value=len(most) / len(mine), matches=_keys(most))


def _repeated(matches: Sequence[PlayedMatch]) -> Signal | None:
    mine = _by_the_rules(matches)
    if not mine:
        return None
    told = [tuple((t.seat, t.move.answer, t.move.speech) for t in m.record.turns if t.move) for m in mine]
    common, number = max(Counter(told).items(), key=lambda item: (item[1], repr(item[0])))
    return Signal(
        value=number / len(mine), matches=_keys([m for m, said in zip(mine, told, strict=True) if said == common])
    )


def _replies(match: PlayedMatch) -> list[int]:
    return [
        len(attempt.completion.ids)
        for turn in match.record.turns
        if match.learner[turn.seat]
        for attempt in turn.attempts
        if attempt.completion.ids
    ]


def _reply_tokens(matches: Sequence[PlayedMatch]) -> Signal | None:
    lengths = [(match, _replies(match)) for match in matches]
    every = [length for _, replies in lengths for length in replies]
    if not every:
        return None
    longest = sorted(lengths, key=lambda item: -max(item[1], default=0))
    return Signal(value=statistics.fmean(every), matches=_keys([match for match, _ in longest]))


def _advantage_spread(matches: Sequence[PlayedMatch]) -> Signal | None:
    values = [
        value
        for match in matches
        for seat, given in enumerate(match.advantages)
        if match.learner[seat]
        for value in (given if isinstance(given, tuple) else (given,))
    ]
    return Signal(value=statistics.pstdev(values), matches=_keys(matches)) if values else None


def _past_score(matches: Sequence[PlayedMatch]) -> Signal | None:
    scores = [(score, match) for match in matches if meets_own_past(match) for score in learner_scores(match)]
    if not scores:
        return None
    worst = [match for _, match in sorted(scores, key=lambda item: item[0])]
    return Signal(value=statistics.fmean(score for score, _ in scores), matches=_keys(worst))


def _surest(matches: Sequence[PlayedMatch]) -> tuple[str, ...]:
    """Matches whose sampled tokens were the most probable."""

    def surprise(match: PlayedMatch) -> float:
        logprobs = [
            value
            for turn in match.record.turns
            if match.learner[turn.seat]
            for attempt in turn.attempts
            for value in attempt.completion.logprobs
        ]
        return -statistics.fmean(logprobs) if logprobs else math.inf

    return _keys(sorted(matches, key=surprise))


_MEASURES: Mapping[str, Callable[[Sequence[PlayedMatch]], Signal | None]] = {
    "outcome_entropy": _outcome_entropy,
    "draws": _draws,
    "one_sided": _one_sided,
    "repeated": _repeated,
    "reply_tokens": _reply_tokens,
    "advantage_spread": _advantage_spread,
    "past_score": _past_score,
}
