"""Errors of the rules layer. Each also inherits from the standard error a caller would expect to catch."""

from __future__ import annotations


class GameError(Exception):
    """Base of every error raised by the rules layer; its text can be shown to a user as it is."""


class UnknownGameError(GameError, KeyError):
    """A game id that the registry does not know."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])


class PluginError(GameError, ImportError):
    """A game that another package offers and that cannot be used."""

    def __init__(self, game_id: str, why: str) -> None:
        super().__init__(f"The plug-in {game_id} cannot be used: {why}.")
        self.game_id = game_id
        self.why = why

    def __reduce__(self) -> tuple[type[PluginError], tuple[str, str]]:
        return type(self), (self.game_id, self.why)


class ParameterError(GameError, ValueError):
    """A game parameter that does not exist, has the wrong type, or lies outside its bounds."""


class IllegalMoveError(GameError, ValueError):
    """A move that the rules do not allow for this seat in this position."""


class GameOverError(GameError, RuntimeError):
    """A move, or a question only a live game can answer, after the game has ended."""
