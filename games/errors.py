"""Errors of the rules layer. Each also inherits from the standard error a caller would expect to catch."""

from __future__ import annotations


class GameError(Exception):
    """Base of every error raised by the rules layer; its text can be shown to a user as it is."""


class UnknownGameError(GameError, KeyError):
    """A game id that the registry does not know."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])


class ParameterError(GameError, ValueError):
    """A game parameter that does not exist, has the wrong type, or lies outside its bounds."""


class IllegalMoveError(GameError, ValueError):
    """A move that the rules do not allow for this seat in this position."""


class GameOverError(GameError, RuntimeError):
    """A move, or a question only a live game can answer, after the game has ended."""
