"""Rules: one file a game, pure and free of models, clocks and global random numbers."""

from games.errors import GameError, GameOverError, IllegalMoveError, ParameterError, UnknownGameError
from games.registry import get_game, list_games
from games.types import (
    Bot,
    Dynamics,
    Event,
    Game,
    GameSpec,
    Information,
    Issue,
    Move,
    Observation,
    Param,
    Parsed,
    Seat,
    State,
    Utility,
)

__all__ = [
    "Bot",
    "Dynamics",
    "Event",
    "Game",
    "GameError",
    "GameOverError",
    "GameSpec",
    "IllegalMoveError",
    "Information",
    "Issue",
    "Move",
    "Observation",
    "Param",
    "ParameterError",
    "Parsed",
    "Seat",
    "State",
    "UnknownGameError",
    "Utility",
    "get_game",
    "list_games",
]
