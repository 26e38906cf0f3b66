"""Chess on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2; as in OpenSpiel, player 1 is White and moves first, player 0 is Black |
| information | perfect; with `chess960` chance draws the start position |
| returns | +1 / −1, 0 for a draw |
| outcome classes | p0, p1, draw |
| draws | stalemate, third occurrence of a position, 50 moves, too little material; none has to be claimed |

Answers are shown as coordinates (`e2e4`, `e7e8q`) and also read as SAN (`Nf3`): see `games.chess_notation`.

Reference: FIDE Laws of Chess; OpenSpiel `chess`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.chess_bot import greedy_bot
from games.chess_notation import is_notation
from games.chess_state import COLOURS, ChessState
from games.notation import Notation
from games.openspiel import SpielGame
from games.openspiel_catalog import spec_of
from games.types import Bot, Param, ParamValue, Seat


class Chess(SpielGame):
    """Checkmate the king."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {"chess960": Param(default=False, help="draw the start position from the 960 of Fischer random chess")}
    )
    state_class = ChessState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        loaded: Any = pyspiel.load_game("chess", dict(params))
        super().__init__(
            loaded,
            spec_of(
                "chess",
                loaded,
                "Chess",
                params=params,
                roles=COLOURS,
                summary="Checkmate the king; player 1 is White and moves first.",
                reference="FIDE Laws of Chess; OpenSpiel chess",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Every move in any notation."""
        return Notation(is_notation)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        if self.spec.params["chess960"]:
            name = "Chess960 (the back rank is drawn at the start)"
            castling = "castling is O-O towards h, O-O-O towards a; king and rook end where they do in chess"
            rights = "Castling rights name the files of the rooks, capitals for White"
        else:
            name = "Chess"
            castling = "castling is the king's move, such as e1g1"
            rights = "Castling rights: KQ White's on the king's and queen's side, kq Black's"
        return (
            f"{name} by the usual rules. Player 1 is White and moves first, player 0 is Black. Checkmate wins. Draws: "
            "stalemate, the third time a position comes up, 50 moves by each side without capture or pawn move, too "
            "little material to mate. On the board capitals are White's pieces and small letters Black's: K king, "
            "Q queen, R rook, B bishop, N knight, P pawn. "
            f"{rights}. Answer in brackets with the squares from and to, like [{'e2e4' if seat else 'e7e5'}]; "
            f"{castling}; a promotion names the piece, such as e7e8q. SAN such as Nf3 is read too.\n"
            f"You are player {seat}, {COLOURS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` mates if it can, else wins material two plies deep."""
        return {"random": random_bot, "greedy": greedy_bot}
