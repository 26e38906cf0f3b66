"""The realisation-weighted average of several policies: in games of perfect recall, what mixing them amounts to.

A player that draws one of K policies before the match and keeps to it does at information state I what

    σ̄(a | I) = Σₖ wₖ rₖ(I) σₖ(a | I) / Σₖ wₖ rₖ(I)

says, where rₖ(I) is what the player's own choices contribute to the probability of reaching I under policy k (Zinkevich
et al., Regret Minimization in Games with Incomplete Information, 2007, eq. 4). It is what fictitious play and regret
minimisation converge by; averaging the probabilities as they are is another policy, and a worse one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from eval.infostates import Decision
from eval.policies import Policy
from games import Seat

Step = tuple[str, int]
"""(information state, action) of a seat's own earlier choice."""


def own_past(decision: Decision) -> tuple[Step, ...]:
    """The seat's own choices on the way to a decision, in order; with perfect recall, all ways there share them."""
    node = decision.state.game.pyspiel_game.new_initial_state()
    steps: list[Step] = []
    for action in decision.state.to_json()["history"]:
        if node.current_player() == decision.seat:
            steps.append((node.information_state_string(decision.seat), action))
        node.apply_action(action)
    return tuple(steps)


def own_reaches(decisions: Sequence[Decision], policies: Sequence[Policy]) -> list[list[float]]:
    """For each policy, per decision, the probability that the seat's own earlier choices lead there."""
    table: dict[tuple[Seat, str], int] = {(d.seat, d.key): number for number, d in enumerate(decisions)}
    pasts = [[(table[d.seat, key], action) for key, action in own_past(d)] for d in decisions]
    return [
        [math.prod(policy.probabilities[at].get(action, 0.0) for at, action in past) for past in pasts]
        for policy in policies
    ]


def average_policy(decisions: Sequence[Decision], policies: Sequence[Policy]) -> Policy:
    """The policy of a player that draws one of these with equal probability before each match.

    Where none of them ever comes by its own choice, their plain mean: it changes no value.

    Args:
        decisions: every information state of a game.
        policies: at least one, each over these decisions.

    Raises:
        ValueError: no policy.
    """
    if not policies:
        raise ValueError("An average needs at least one policy.")
    reaches = own_reaches(decisions, policies)
    probabilities, illegal = [], []
    for number, decision in enumerate(decisions):
        weights = [reach[number] for reach in reaches]
        if (total := math.fsum(weights)) <= 0:
            weights, total = [1.0] * len(policies), float(len(policies))
        probabilities.append(
            {
                action: math.fsum(
                    w * p.probabilities[number].get(action, 0.0) for w, p in zip(weights, policies, strict=True)
                )
                / total
                for action in decision.answers
            }
        )
        illegal.append(math.fsum(w * p.illegal[number] for w, p in zip(weights, policies, strict=True)) / total)
    return Policy(
        probabilities=tuple(probabilities), illegal=tuple(illegal), exact=all(policy.exact for policy in policies)
    )
