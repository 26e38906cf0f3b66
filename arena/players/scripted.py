"""`random` and `greedy`: the game's own bots as players, each decision from its own random stream."""

from __future__ import annotations

import random

from arena.types import ActRequest, Completion
from games import Game, Seat, State


class ScriptedPlayer:
    """Base of players that compute their move from the state; they answer in the words a model would.

    Args:
        name: as on the command line; stands in every completion.
    """

    scripted = True

    def __init__(self, name: str) -> None:
        self.name = name

    async def act(self, request: ActRequest) -> Completion:
        """The reply; random choices come from the request's own stream, so nothing else influences them."""
        if request.state is None:
            raise ValueError(f"{self.name} needs the state it is to move in.")
        text = self.reply(request.state, request.seat, random.Random(request.stream_key))
        return Completion(text=text, snapshot=self.name)

    def reply(self, state: State, seat: Seat, rng: random.Random) -> str:
        """What to say as `seat` in `state`. Looks only at what the seat may see."""
        raise NotImplementedError

    def forget(self, match_key: str, seat: Seat) -> None:
        """Nothing is kept."""

    def refusal(self, game: Game) -> str | None:
        """Why this player cannot play a game, or None."""
        return None


class BotPlayer(ScriptedPlayer):
    """Plays with the bot of its own name that the game brings."""

    def reply(self, state: State, seat: Seat, rng: random.Random) -> str:
        """The bot's reply."""
        return state.game.bots()[self.name](state, seat, rng)

    def refusal(self, game: Game) -> str | None:
        """Why the game has no such bot, or None."""
        return None if self.name in game.bots() else f"{game.spec.id} has no bot named {self.name!r}"
