"""`solver`: exact play of small games, solved once per game and kept.

| game | how |
|---|---|
| nothing hidden, two seats, turns | backward induction over all positions (`arena.players.induction`) |
| something hidden, or simultaneous moves | CFR+ (`arena.players.equilibrium`); a move depends on the seat's view only |
| a repeated one-shot game | the equilibrium of one round, every round (exact, as the game is zero-sum) |

NashConv of the result is below 1e-4 in Kuhn poker, with two and with three seats, and in Leduc poker; 0.003 in liar's
dice with one die each.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from arena.players.equilibrium import count_histories, equilibrium, with_turns
from arena.players.induction import TOO_LARGE, NotSolvableError, position_value, position_values
from arena.players.mcts import say
from arena.players.scripted import ScriptedPlayer
from games import Dynamics, Game, Information, Seat, State, Utility
from games.openspiel import NO_CHOICE, SpielGame, SpielState

MAX_LENGTH = 200
"""Moves and draws of the longest match; longer games are not walked through to find out that they are too large."""

_EQUAL = 1e-9
"""Values closer than this are the same value."""

Policy = Callable[[SpielState, Seat], list[tuple[int, float]]]
"""Actions with their probabilities for a seat that is to move."""


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
        """Larger games, mixed motives, and three seats without an equilibrium are refused."""
        spec = game.spec
        if not isinstance(game, SpielGame):
            return f"{spec.id} is not played on OpenSpiel's rules, which the solver needs"
        if spec.seats < 2 or spec.utility not in (Utility.ZERO_SUM, Utility.CONSTANT_SUM):
            return f"{spec.id} is not a two-player game of opposed interests, so it has no single solution"
        reason = obstacle(game)
        if reason is None:
            return None
        sizes = [name for name, value in spec.params.items() if type(value) is int]
        less = f"; it may be solved with less of {', '.join(sizes)}" if sizes and TOO_LARGE in reason else ""
        return f"{spec.id} {reason}{less}"


@lru_cache(maxsize=64)
def obstacle(game: SpielGame) -> str | None:
    """Why the game cannot be solved, or None when it can."""
    try:
        if _by_induction(game):
            if game.spec.seats > 2:
                raise NotSolvableError("is not a two-player game, and hides nothing, so it has no single solution")
            _require_short(game.pyspiel_game)
            position_values(game.pyspiel_game.new_initial_state())
            return None
        rules = _rules(game)
        _require_short(rules)
        if not rules.get_type().provides_information_state_string:
            raise NotSolvableError("has no information states in OpenSpiel, which CFR+ needs")
        count_histories(rules)
        if game.spec.seats > 2:
            equilibrium(rules)
    except NotSolvableError as error:
        return str(error)
    return None


def _require_short(rules: Any) -> None:
    if rules.max_game_length() > MAX_LENGTH:
        raise NotSolvableError(f"{TOO_LARGE} (limit {MAX_LENGTH} moves)")


def _by_induction(game: SpielGame) -> bool:
    return game.spec.information is Information.PERFECT and game.spec.dynamics is Dynamics.TURNS


def _rules(game: SpielGame) -> Any:
    """What CFR+ works on: the game with turns; of a repeated game, the one that is repeated."""
    import pyspiel

    return with_turns(pyspiel.load_game(game.openspiel_name) if _is_repeated(game) else game.pyspiel_game)


def _is_repeated(game: SpielGame) -> bool:
    return str(game.pyspiel_game.get_type().short_name) == "repeated_game"


@lru_cache(maxsize=16)
def solve(game: SpielGame) -> Policy:
    """The solution of a small game."""
    return _induction_policy(game) if _by_induction(game) else _equilibrium_policy(game)


def _induction_policy(game: SpielGame) -> Policy:
    values = position_values(game.pyspiel_game.new_initial_state())

    def policy(state: SpielState, seat: Seat) -> list[tuple[int, float]]:
        node = state.pyspiel_state
        sign = 1.0 if seat == 0 else -1.0
        gains = [(action, sign * position_value(values, node.child(action))) for action in node.legal_actions()]
        best = max(gain for _, gain in gains)
        return [(action, 1.0) for action, gain in gains if gain > best - _EQUAL]

    return policy


def _equilibrium_policy(game: SpielGame) -> Policy:
    rules = _rules(game)
    table = equilibrium(rules)
    repeated = _is_repeated(game)
    together = game.spec.dynamics is Dynamics.SIMULTANEOUS

    def policy(state: SpielState, seat: Seat) -> list[tuple[int, float]]:
        node = state.pyspiel_state
        if together:
            node = _before_seat(rules, [] if repeated else state.pyspiel_state.history(), seat)
        own_view = node.information_state_string(seat)
        return [(action, p) for action, p in table[own_view] if p > 0]

    return policy


def _before_seat(rules: Any, history: list[int], seat: Seat) -> Any:
    """The position in the game with turns in which `seat` chooses; what others choose before it, it does not see."""
    node = rules.new_initial_state()
    for action in history:
        if action != NO_CHOICE:
            node.apply_action(action)
    while node.current_player() != seat:
        node.apply_action(node.legal_actions()[0])
    return node
