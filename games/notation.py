"""Answers that follow a pattern and are too many to list."""

from __future__ import annotations

from collections.abc import Callable


class Notation(frozenset[str]):
    """Stands for every text that `reads` accepts, where a set of known answers is asked for.

    Only membership is meant to be asked; as a collection it is empty.
    """

    def __new__(cls, reads: Callable[[str], bool]) -> Notation:
        """Of the texts that `reads` accepts."""
        made = super().__new__(cls)
        made._reads = reads
        return made

    _reads: Callable[[str], bool]

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self._reads(text)
