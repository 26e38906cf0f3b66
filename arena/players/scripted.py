"""`random` and `greedy`: the game's own bots as players, each decision from its own random stream."""

from __future__ import annotations

import random

from arena.types import ActRequest, Completion
from games import Game, Seat


class BotPlayer:
    """Plays with one of the bots that every game brings."""

    scripted = True

    def __init__(self, name: str) -> None:
        self.name = name

    async def act(self, request: ActRequest) -> Completion:
        """The bot's reply."""
        if request.state is None:
            raise ValueError(f"{self.name} needs the state it is to move in.")
        bot = request.game.bots()[self.name]
        return Completion(text=bot(request.state, request.seat, random.Random(request.stream_key)), snapshot=self.name)

    def forget(self, match_key: str, seat: Seat) -> None:
        """Nothing is kept."""

    def refusal(self, game: Game) -> str | None:
        """Why this bot cannot play a game, or None."""
        return None if self.name in game.bots() else f"{game.spec.id} has no bot named {self.name!r}"
