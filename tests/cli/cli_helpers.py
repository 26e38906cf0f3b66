"""What a command line came to, for tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Done:
    """What a command came to."""

    code: int
    out: str
    err: str
