"""Exact play: how much a best responder wins against a player, by walking the whole game (OpenSpiel's C++).

NashConv is the sum over seats of what a best response gains over the player's own value; 0 at equilibrium. A
language model is scored, not sampled: at every information state, the probabilities of the legal replies, given the
very conversation it would have there. Replies outside the rules have no place in the tree; their probability is
reported beside the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyspiel

from arena.types import Player
from eval.infostates import Decision, decisions
from eval.policies import Policy, PolicySource, policy_of
from games import Dynamics, GameError, get_game
from games.openspiel import SpielGame


@dataclass(frozen=True, kw_only=True)
class ExactPlay:
    """Result of exact evaluation.

    Attributes:
        game: registry id. player: name.
        nash_conv: sum over seats of best-response value minus own value.
        values: the player's value against itself, per seat.
        best_responses: value of a best response in each seat, against the player in the others.
        information_states: how many there are.
        illegal_mean, illegal_max: probability of a reply outside the rules, over information states.
        exact: false where the player's policy was estimated by asking it.
        policy: for each seat and information state, what it does, by canonical answer.
    """

    game: str
    player: str
    nash_conv: float
    values: tuple[float, ...]
    best_responses: tuple[float, ...]
    information_states: int
    illegal_mean: float
    illegal_max: float
    exact: bool
    policy: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "game": self.game,
            "player": self.player,
            "nash_conv": self.nash_conv,
            "values": list(self.values),
            "best_responses": list(self.best_responses),
            "information_states": self.information_states,
            "illegal_mean": self.illegal_mean,
            "illegal_max": self.illegal_max,
            "exact": self.exact,
            "policy": list(self.policy),
        }


def load_exact_game(game_id: str) -> SpielGame:
    """A game that exact evaluation can walk.

    Raises:
        UnknownGameError: no such game.
        GameError: not a game on OpenSpiel's rules; says what is needed.
    """
    game = get_game(game_id)
    if not isinstance(game, SpielGame):
        raise GameError(f"{game_id} is not played on OpenSpiel's rules, which exact play needs; try kuhn_poker.")
    if game.spec.dynamics is not Dynamics.TURNS:
        raise GameError(f"{game_id}: its seats move at the same time, and exact play needs turns; try kuhn_poker.")
    if not game.pyspiel_game.get_type().provides_information_state_string:
        raise GameError(f"{game_id}: OpenSpiel gives no information states for it, which exact play needs.")
    return game


def tabular(decisions_: Sequence[Decision], policy: Policy) -> Any:
    """The policy as OpenSpiel's TabularPolicy."""
    table = {
        decision.key: sorted(distribution.items())
        for decision, distribution in zip(decisions_, policy.probabilities, strict=True)
    }
    return pyspiel.TabularPolicy(table)


def evaluate(player: Player, game_id: str, *, show_legal: bool = False) -> ExactPlay:
    """NashConv of a player in a small game.

    Args:
        player: a language model, a bot or the solver.
        game_id: registry id, default parameters.
        show_legal: whether prompts list the allowed answers.

    Raises:
        GameTooLargeError: the tree is too large.
        NotScoreableError: the player gives no probabilities.
    """
    return evaluate_policy(player.name, partial(policy_of, player), game_id, show_legal=show_legal)


def evaluate_policy(name: str, source: PolicySource, game_id: str, *, show_legal: bool = False) -> ExactPlay:
    """NashConv of anything that has a policy.

    Args:
        name: of the policy.
        source: gives the policy at all decisions of the game.
        game_id: registry id, default parameters.
        show_legal: whether prompts list the allowed answers.

    Raises:
        GameTooLargeError: the tree is too large.
    """
    game = load_exact_game(game_id)
    found = decisions(game, show_legal=show_legal)
    policy = source(found)
    table = tabular(found, policy)
    rules = game.pyspiel_game
    root = rules.new_initial_state()
    values = tuple(pyspiel.expected_returns(root, table, -1, True))
    responses = tuple(
        pyspiel.TabularBestResponse(rules, seat, table).value_from_state(root) for seat in range(game.spec.seats)
    )
    return ExactPlay(
        game=game_id,
        player=name,
        nash_conv=pyspiel.nash_conv(rules, table),
        values=values,
        best_responses=responses,
        information_states=len(found),
        illegal_mean=sum(policy.illegal) / len(policy.illegal),
        illegal_max=max(policy.illegal),
        exact=policy.exact,
        policy=tuple(
            {
                "seat": decision.seat,
                "state": decision.key,
                "answers": {decision.answers[a].strip("[]"): p for a, p in distribution.items()},
                "illegal": illegal,
            }
            for decision, distribution, illegal in zip(found, policy.probabilities, policy.illegal, strict=True)
        ),
    )
