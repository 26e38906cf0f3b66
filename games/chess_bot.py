"""A simple chess player: mate in one, else the best exchange of material two plies deep."""

from __future__ import annotations

from typing import Any

import pyspiel

from games.chess_state import ChessState
from games.types import RandomStream, Seat, State

_BY_TYPE = (0, 0, 9, 5, 3, 3, 1)  # OpenSpiel's piece types: empty, king, queen, rook, bishop, knight, pawn
_BY_LETTER = {"q": 9, "r": 5, "b": 3, "n": 3, "p": 1, "k": 0}
_MATE = 1000


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Mates in one; avoids being mated; else takes the most it can keep. Avoids draws when ahead, seeks them behind."""
    if not isinstance(state, ChessState):
        raise TypeError("this bot plays chess only")
    balance = sum(
        value if piece.isupper() == bool(seat) else -value
        for piece, value in ((piece, _BY_LETTER[piece.lower()]) for piece in state.cells().values())
    )
    scores = {move.answer: _score(state.pyspiel_state, move.action, seat, balance) for move in state.legal(seat)}
    best = max(scores.values())
    return f"[{rng.choice([answer for answer, score in scores.items() if score == best])}]"


def _score(position: Any, action: int | None, seat: Seat, balance: int) -> int:
    """Material gained by the move less the most that one reply wins back."""
    gain = _gain(position.board(), action)
    after = position.child(action)
    if after.is_terminal():
        result = after.returns()[seat]
        return _MATE if result > 0 else -balance
    board = after.board()
    return gain - max(_reply(after, board, reply) for reply in after.legal_actions())


def _reply(position: Any, board: Any, action: int) -> int:
    """What a reply wins; only captures, promotions and checks are looked at, the rest wins nothing."""
    if str(position.action_to_string(action)).endswith("#"):
        return _MATE
    return _gain(board, action)


def _gain(board: Any, action: int | None) -> int:
    """Value of what a move captures, and what a promotion adds."""
    move = pyspiel.chess.action_to_move(action, board)
    if move.is_castling():
        return 0
    taken = _BY_TYPE[board.at(move.to_square).type.value]
    if move.piece.type == pyspiel.chess.PieceType.PAWN:
        if not taken and move.from_square.x != move.to_square.x:
            taken = 1  # en passant
        if move.promotion_type != pyspiel.chess.PieceType.EMPTY:
            taken += _BY_TYPE[move.promotion_type.value] - 1
    return taken
