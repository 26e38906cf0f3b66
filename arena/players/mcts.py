"""`mcts:N`: Monte Carlo tree search with N simulations a move, by OpenSpiel.

UCT with random rollouts (L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning", 2006). It searches the real
state, so it plays only games in which nothing is hidden.
"""

from __future__ import annotations

import random

from arena.players.scripted import ScriptedPlayer
from games import Dynamics, Game, Information, Seat, State
from games.openspiel import SpielGame, SpielState

UCT_C = 2.0
"""Weight of exploration, OpenSpiel's usual one for returns in [-1, 1]."""


class MctsPlayer(ScriptedPlayer):
    """Searches anew for every move, from the move's own seed.

    Args:
        name: `mcts:N`.
        simulations: per move.
    """

    def __init__(self, name: str, simulations: int) -> None:
        super().__init__(name)
        self.simulations = simulations

    def reply(self, state: State, seat: Seat, rng: random.Random) -> str:
        """The move visited most."""
        import pyspiel

        if not isinstance(state, SpielState):
            raise TypeError(f"{self.name} plays OpenSpiel games only")
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=rng.getrandbits(31))
        bot = pyspiel.MCTSBot(
            state.game.pyspiel_game,
            evaluator,
            UCT_C,
            self.simulations,
            max_memory_mb=512,
            solve=True,
            seed=rng.getrandbits(31),
            verbose=False,
        )
        return say(state, seat, bot.step(state.pyspiel_state))

    def refusal(self, game: Game) -> str | None:
        """Hidden information, simultaneous moves and rules outside OpenSpiel are refused."""
        if not isinstance(game, SpielGame):
            return f"{game.spec.id} is not played on OpenSpiel's rules, which the search needs"
        if game.spec.information is not Information.PERFECT:
            return f"{game.spec.id} hides information, and the search would see it; solver plays such games if small"
        if game.spec.dynamics is not Dynamics.TURNS:
            return (
                f"{game.spec.id} has simultaneous moves, which the search cannot make; solver plays such games if small"
            )
        return None


def say(state: State, seat: Seat, action: int) -> str:
    """The answer, in brackets, that makes the move with this action number."""
    for move in state.legal(seat) or ():
        if move.action == action:
            return f"[{move.answer}]"
    raise ValueError(f"{state.game.spec.id}: action {action} is not legal for player {seat}.")
