"""What a seat may choose at one position: its legal moves, and the answers that name them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from games.types import Move


class Menu(NamedTuple):
    """Legal moves in a fixed order, and the answer of each at the same place."""

    moves: tuple[Move, ...]
    answers: tuple[str, ...]

    @classmethod
    def of(cls, moves: Iterable[Move]) -> Menu:
        """The menu of these moves."""
        listed = tuple(moves)
        return cls(listed, tuple([move.answer for move in listed]))

    def chosen(self, reply: str) -> Move | None:
        """The move whose answer, spelt as listed and in brackets, is the whole reply; None where more must be read."""
        if (answer := reply[1:-1]) in self.answers and reply[:1] == "[" and reply[-1:] == "]":
            return self.moves[self.answers.index(answer)]
        return None


NOTHING: Final = Menu((), ())
"""The menu of a seat that is not to move."""
