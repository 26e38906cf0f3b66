"""The policy of a player at every information state, exactly where the player allows it."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from arena.players.scripted import BotPlayer
from arena.players.solver import SolverPlayer, solve
from arena.types import Player
from eval.infostates import Decision
from games import GameError

Distribution: TypeAlias = Mapping[int, float]
"""Probability per legal action; sums to 1."""


class PolicySource(Protocol):
    """Anything that has a policy: `policy_of` for a player, or a table of one's own."""

    def __call__(self, decisions: Sequence[Decision]) -> Policy:
        """What it does at each decision, in their order."""


BOT_DRAWS = 2000
"""How often a bot that draws its moves is asked, to estimate what it does."""


class NotScoreableError(GameError, ValueError):
    """A player whose move probabilities cannot be had."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a player does at each of a list of decisions.

    Attributes:
        probabilities: per decision, over legal actions, normalised.
        illegal: per decision, the probability of any reply but the canonical ones. Other
            spellings that a match would accept (`[Bet]`) are among them, so it bounds illegal replies from above.
        exact: whether the probabilities are exact, or estimated by asking.
    """

    probabilities: tuple[Distribution, ...]
    illegal: tuple[float, ...]
    exact: bool = True


def policy_of(player: Player, decisions: Sequence[Decision]) -> Policy:
    """The player's policy.

    Raises:
        NotScoreableError: it gives no probabilities (a person, tree search, a remote model).
    """
    if isinstance(player, SolverPlayer):
        return _fixed([dict(solve(d.state.game)(d.state, d.seat)) for d in decisions])
    if isinstance(player, BotPlayer):
        if player.name == "random":
            return _fixed([{action: 1 / len(d.answers) for action in d.answers} for d in decisions])
        return _asked(player, decisions)
    if not player.scripted and hasattr(player, "answer_ids"):
        return _scored(player, decisions)
    raise NotScoreableError(
        f"{player.name} gives no probabilities of its moves. Exact play takes language models, bots and the solver."
    )


def _fixed(distributions: list[dict[int, float]]) -> Policy:
    return Policy(probabilities=tuple(distributions), illegal=(0.0,) * len(distributions))


def _asked(player: BotPlayer, decisions: Sequence[Decision]) -> Policy:
    """A bot's policy from many draws."""
    made = []
    for decision in decisions:
        bot = decision.state.game.bots()[player.name]
        action_of = {answer: action for action, answer in decision.answers.items()}
        counts = dict.fromkeys(decision.answers, 0.0)
        rng = random.Random(f"policy/{player.name}/{decision.key}")
        for _ in range(BOT_DRAWS):
            counts[action_of[bot(decision.state.clone(), decision.seat, rng)]] += 1 / BOT_DRAWS
        made.append(counts)
    return Policy(probabilities=tuple(made), illegal=(0.0,) * len(made), exact=False)


def _scored(player: Player, decisions: Sequence[Decision]) -> Policy:
    """A language model's policy: the probability of each legal reply, end of turn included, renormalised."""
    from arena.inference.scoring import score_continuations
    from arena.players.model import ModelPlayer

    assert isinstance(player, ModelPlayer), "only model players have answer_ids"
    prompts = [player.prompt_ids(d.system, d.user, d.history) for d in decisions]
    replies = [[player.answer_ids(answer) for answer in d.answers.values()] for d in decisions]
    scores = score_continuations(player.engine, player.adapter, prompts, replies)
    probabilities, illegal = [], []
    for decision, logs in zip(decisions, scores, strict=True):
        top = max(logs)
        weights = [math.exp(value - top) for value in logs]  # relative to the likeliest, so nothing underflows
        total = sum(weights)
        probabilities.append(dict(zip(decision.answers, (w / total for w in weights), strict=True)))
        illegal.append(max(0.0, 1.0 - math.exp(top) * total))
    return Policy(probabilities=tuple(probabilities), illegal=tuple(illegal))
