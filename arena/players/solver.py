"""`solver`: exact play of small two-player games, solved once per process and game.

Nothing hidden: backward induction over all positions (chance averaged). Something hidden: CFR+ by OpenSpiel
(O. Tammelin, "Solving large imperfect information games using CFR+", 2014); a seat's move then depends only on that
seat's information state. In Kuhn poker the result's NashConv is below 1e-4.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from arena.players.mcts import say
from arena.players.scripted import ScriptedPlayer
from games import Dynamics, Game, Information, Seat, State, Utility
from games.openspiel import SpielGame, SpielState

MAX_NODES = 100_000
"""Positions (perfect information) or histories (imperfect) beyond which a game counts as too large."""

MAX_LENGTH = 200
"""Moves and draws of the longest match; longer games are not walked through to find out that they are too large."""

CFR_NODE_VISITS = 10_000_000
"""Work spent on CFR+: histories times iterations, about six seconds."""

CFR_ITERATIONS = (200, 5_000)
"""Iterations at least and at most."""

_EQUAL = 1e-9
"""Values closer than this are the same value."""

Policy = Callable[[SpielState, Seat], list[tuple[int, float]]]
"""Actions with their probabilities for the seat to move."""


class NotSolvableError(Exception):
    """The walk through a game found why it cannot be solved here; the text continues "<game> …"."""


_TOO_LARGE = f"is too large to solve here (limit {MAX_NODES:,} positions)"


class SolverPlayer(ScriptedPlayer):
    """Plays the solved game; among equally good moves of a game without hidden information it draws one."""

    def reply(self, state: State, seat: Seat, rng: random.Random) -> str:
        """A move drawn from the solution."""
        if not isinstance(state, SpielState):
            raise TypeError(f"{self.name} plays OpenSpiel games only")
        choices = solve(state.game)(state, seat)
        actions, weights = zip(*choices, strict=True)
        return say(state, seat, rng.choices(actions, weights)[0])

    def refusal(self, game: Game) -> str | None:
        """Larger games, more than two players and mixed motives are refused."""
        spec = game.spec
        if not isinstance(game, SpielGame):
            return f"{spec.id} is not played on OpenSpiel's rules, which the solver needs"
        if spec.seats != 2 or spec.utility not in (Utility.ZERO_SUM, Utility.CONSTANT_SUM):
            return f"{spec.id} is not a two-player game of opposed interests, so it has no single solution"
        if spec.dynamics is not Dynamics.TURNS:
            return f"{spec.id} has simultaneous moves"
        reason = obstacle(game)
        return None if reason is None else f"{spec.id} {reason}"


@lru_cache(maxsize=64)
def obstacle(game: SpielGame) -> str | None:
    """Why the game cannot be walked through completely, or None when it can."""
    if game.pyspiel_game.max_game_length() > MAX_LENGTH:
        return _TOO_LARGE
    root = game.pyspiel_game.new_initial_state()
    try:
        if game.spec.information is Information.PERFECT:
            position_values(root)
        else:
            count_histories(root)
    except NotSolvableError as error:
        return str(error)
    return None


@lru_cache(maxsize=16)
def solve(game: SpielGame) -> Policy:
    """The solution of a small game."""
    if game.spec.information is Information.PERFECT:
        return _backward_induction(game)
    return _cfr_plus(game)


# --- perfect information -----------------------------------------------------------------------------------------


def position_key(node: Any) -> Any:
    """Identity of a position; legal actions and mover stand beside the text, which may leave them out."""
    return node.current_player(), str(node), tuple(node.legal_actions())


def position_values(root: Any) -> dict[Any, float]:
    """Value of every position to the first seat under best play.

    Raises:
        NotSolvableError: more than MAX_NODES positions, or positions that repeat within a match.
    """
    values: dict[Any, float] = {}
    above: set[Any] = set()

    def value(node: Any) -> float:
        result: float
        if node.is_terminal():
            return float(node.returns()[0])
        key = position_key(node)
        if key in values:
            return values[key]
        if key in above:
            raise NotSolvableError("has positions that repeat, which backward induction cannot order")
        if len(values) + len(above) >= MAX_NODES:
            raise NotSolvableError(_TOO_LARGE)
        above.add(key)
        if node.is_chance_node():
            result = sum((p * value(node.child(action)) for action, p in node.chance_outcomes()), 0.0)
        else:
            best = max if node.current_player() == 0 else min
            result = best(value(node.child(action)) for action in node.legal_actions())
        above.remove(key)
        values[key] = result
        return result

    value(root)
    return values


def _backward_induction(game: SpielGame) -> Policy:
    values = position_values(game.pyspiel_game.new_initial_state())

    def worth(node: Any) -> float:
        return float(node.returns()[0]) if node.is_terminal() else values[position_key(node)]

    def policy(state: SpielState, seat: Seat) -> list[tuple[int, float]]:
        node = state.pyspiel_state
        sign = 1.0 if seat == 0 else -1.0
        gains = [(action, sign * worth(node.child(action))) for action in node.legal_actions()]
        best = max(gain for _, gain in gains)
        return [(action, 1.0) for action, gain in gains if gain > best - _EQUAL]

    return policy


# --- imperfect information ---------------------------------------------------------------------------------------


def count_histories(root: Any) -> int:
    """Number of nodes of the game tree. Raises NotSolvableError beyond MAX_NODES."""
    count = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        count += 1
        if count > MAX_NODES:
            raise NotSolvableError(_TOO_LARGE)
        if not node.is_terminal():
            waiting += [node.child(action) for action in node.legal_actions()]
    return count


def _cfr_plus(game: SpielGame) -> Policy:
    import pyspiel

    histories = count_histories(game.pyspiel_game.new_initial_state())
    low, high = CFR_ITERATIONS
    solver = pyspiel.CFRPlusSolver(game.pyspiel_game)
    for _ in range(min(max(CFR_NODE_VISITS // histories, low), high)):
        solver.evaluate_and_update_policy()
    average = solver.tabular_average_policy()

    def policy(state: SpielState, seat: Seat) -> list[tuple[int, float]]:
        own_view = state.pyspiel_state.information_state_string(seat)
        return [(action, p) for action, p in average.get_state_policy(own_view) if p > 0]

    return policy
