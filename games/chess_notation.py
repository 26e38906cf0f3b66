"""Reading chess moves: coordinates (`e2e4`, `e7e8q`), SAN (`Nf3`, `exd5`, `O-O`, `e8=Q+`) and long forms (`Ng1-f3`).

One pattern reads all of them into what is claimed about the move; the claims are then held against the legal moves.
Nothing is guessed: a claim that fits two legal moves is ambiguous, a false one (`Nxf3` without a capture) fits none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

CASTLING = {"o-o": "O-O", "o-o-o": "O-O-O", "0-0": "O-O", "0-0-0": "O-O-O"}
_MOVE = re.compile(
    r"(?P<piece>[KQRBNkqrn])?(?P<file>[a-h])?(?P<rank>[1-8])?[-– ]?(?P<takes>[x×:])?"
    r"(?P<to>[a-h][1-8])=?(?P<promotion>[QRBNqrbn])?"
)


@dataclass(frozen=True, kw_only=True)
class LegalMove:
    """What notation can say about a legal move.

    Attributes:
        action: the rule engine's number.
        piece: `K`, `Q`, `R`, `B`, `N` or `P`.
        origin, target: squares, such as `e2`; in castling those of the king.
        promotion: `q`, `r`, `b`, `n`, or empty.
        takes: whether it captures.
        castling: `O-O`, `O-O-O`, or empty.
    """

    action: int
    piece: str
    origin: str
    target: str
    promotion: str = ""
    takes: bool = False
    castling: str = ""


def is_notation(text: str) -> bool:
    """Whether the text is a chess move in some notation, legal or not."""
    text = _trimmed(text)
    return text.casefold() in CASTLING or _MOVE.fullmatch(text) is not None


def fitting(text: str, moves: Iterable[LegalMove]) -> list[LegalMove]:
    """The legal moves that the text describes."""
    text = _trimmed(text)
    castling = CASTLING.get(text.casefold())
    if castling is not None:
        return [move for move in moves if move.castling == castling]
    claim = _MOVE.fullmatch(text)
    return [move for move in moves if _fits(claim, move)] if claim is not None else []


def _trimmed(text: str) -> str:
    """Without check marks and comments at the end, which say nothing about which move it is."""
    return text.strip().rstrip("+#!?").strip()


def _fits(claim: re.Match[str], move: LegalMove) -> bool:
    full_origin = claim["file"] is not None and claim["rank"] is not None
    piece = claim["piece"].upper() if claim["piece"] else None
    if piece is None and not full_origin:
        piece = "P"  # SAN names every piece but the pawn; coordinates name none
    return (
        claim["to"] == move.target
        and piece in (None, move.piece)
        and claim["file"] in (None, move.origin[0])
        and claim["rank"] in (None, move.origin[1])
        and (claim["promotion"] or "").lower() in ("", move.promotion)
        and (claim["takes"] is None or move.takes)
        and (not move.castling or (full_origin and piece is None))
    )
