"""The state of a chess match: legal moves as coordinates, any notation read, the position told whole."""

from __future__ import annotations

from typing import Any

import pyspiel

from games.chess_notation import LegalMove, fitting, is_notation
from games.openspiel import SpielState
from games.parsing import final_answer, shown, tidy
from games.types import Event, Issue, Parsed, Seat

COLOURS = ("Black", "White")
"""By seat: OpenSpiel numbers them in this order, though White moves first."""

BLACK, WHITE = 0, 1
CASTLING_ACTIONS = {4672: "O-O-O", 4673: "O-O"}
"""OpenSpiel's numbers for castling, the same for both colours."""

_PIECES = ".KQRBNP"
_PROMOTIONS = " kqrbn"
_QUIET_LIMIT = 100


class ChessState(SpielState):
    """One match."""

    _check = False

    # --- moves ---------------------------------------------------------------------------------------------------

    def answers(self, seat: Seat) -> dict[int, str]:
        """Coordinates by legal action."""
        board = self.pyspiel_state.board()
        return {action: self._coordinates(action, board) for action in self.actions(seat)}

    def answer(self, seat: Seat, action: int) -> str:
        """Coordinates of a legal move."""
        return self._coordinates(action, self.pyspiel_state.board())

    def _coordinates(self, action: int, board: Any) -> str:
        if action in CASTLING_ACTIONS and self._game.spec.params["chess960"]:
            return CASTLING_ACTIONS[action]  # the king's squares may be those of a plain king move
        return str(pyspiel.chess.action_to_move(action, board).to_lan())

    def described(self) -> list[LegalMove]:
        """Legal moves as notation can tell them apart."""
        board = self.pyspiel_state.board()
        cells = self.cells()
        return [self._described(action, board, cells) for action in self.actions(self._player)]

    def _described(self, action: int, board: Any, cells: dict[str, str]) -> LegalMove:
        move = pyspiel.chess.action_to_move(action, board)
        origin, target = _square(move.from_square), _square(move.to_square)
        castling = CASTLING_ACTIONS.get(action, "")
        return LegalMove(
            action=action,
            piece=_PIECES[move.piece.type.value],
            origin=origin,
            target=target,
            promotion=_PROMOTIONS[move.promotion_type.value].strip(),
            takes=not castling and (target in cells or (move.piece.type.value == 6 and origin[0] != target[0])),
            castling=castling,
        )

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Read a reply: coordinates, or any other chess notation.

        `B1d2` is both a bishop's move in SAN and coordinates with a capital: where both are legal it is ambiguous.
        """
        parsed = super().parse(seat, text, truncated=truncated)
        if parsed.issue in (Issue.NO_ANSWER, Issue.TRUNCATED) or not self.legal(seat):
            return parsed
        found = final_answer(text, truncated=truncated)
        given = "" if isinstance(found, Parsed) else tidy(found.text)
        if (parsed.move is not None and parsed.move.answer == given) or not is_notation(given):
            return parsed
        fits = {move.action for move in fitting(given, self.described())}
        if parsed.move is not None and parsed.move.action is not None:
            fits.add(parsed.move.action)
        matches = [move for move in self.legal(seat) if move.action in fits]
        if len(matches) == 1:
            return Parsed(raw=text, issue=Issue.OK, move=matches[0])
        if not matches:
            hint = parsed.hint.replace("not an answer here", "not allowed now")
            return parsed._replace(issue=Issue.ILLEGAL, hint=hint)
        fitting_moves = " ".join(f"[{move.answer}]" for move in matches)
        hint = f"[{shown(given)}] fits more than one move: {fitting_moves}."
        return Parsed(raw=text, issue=Issue.MALFORMED, hint=hint)

    def action_event(self, seat: Seat, action: int) -> Event:
        """The move in both notations; SAN tells captures and checks."""
        return Event(text=f"{COLOURS[seat]}: {self.answer(seat, action)} ({self._san(action)}).")

    def _san(self, action: int) -> str:
        return str(self.pyspiel_state.action_to_string(action))

    def step(self, action: int) -> None:
        """One move, or the drawing of a start position."""
        legal = action in self.actions(self._player)
        check = legal and self._player >= 0 and self._san(action)[-1] in "+#"
        super().step(action)
        self._check = check

    def clone(self) -> ChessState:
        """An independent copy."""
        copy = super().clone()
        assert isinstance(copy, ChessState)
        copy._check = self._check
        return copy

    # --- text ----------------------------------------------------------------------------------------------------

    def fen(self) -> list[str]:
        """The six fields of the position's FEN: pieces, side to move, castling, en passant, quiet plies, number."""
        return str(self.pyspiel_state).split()

    def cells(self) -> dict[str, str]:
        """Pieces by square, as FEN letters."""
        found = {}
        for row, line in enumerate(_ranks(self.fen()[0])):
            for column, piece in enumerate(line):
                if piece != ".":
                    found["abcdefgh"[column] + str(8 - row)] = piece
        return found

    def facts(self, seat: Seat) -> str:
        """The start position, where it was drawn."""
        if not self._game.spec.params["chess960"]:
            return ""
        start = str(self._game.pyspiel_game.new_initial_state().child(self.pyspiel_state.history()[0]))
        return f"Back ranks at the start, a to h: {' '.join(_ranks(start.split()[0])[7])}."

    def board(self, seat: Seat) -> str:
        """Ranks 8 to 1 with coordinates, then all else that the rules depend on."""
        fen = self.fen()
        lines = [f"{8 - row} {' '.join(line)}" for row, line in enumerate(_ranks(fen[0]))]
        return "\n".join([*lines, "  a b c d e f g h", self._status(fen)])

    def _status(self, fen: list[str]) -> str:
        state = self.pyspiel_state
        colour = COLOURS[WHITE if fen[1] == "w" else BLACK]
        if state.is_terminal():
            return self._ending(fen, colour)
        parts = [f"{colour} to move{', in check' if self._check else ''}."]
        if fen[2] != "-":
            parts.append(f"Castling rights: {fen[2]}.")
        if fen[3] != "-":
            parts.append(f"En passant square: {fen[3]}.")
        if int(fen[4]):
            parts.append(f"Plies without capture or pawn move: {fen[4]} of {_QUIET_LIMIT}.")
        times = state.num_repetitions(state)
        if times > 1:
            parts.append(f"This position has come up {times} times.")
        return " ".join(parts)

    def _ending(self, fen: list[str], colour: str) -> str:
        state = self.pyspiel_state
        if state.returns()[0]:
            return f"Checkmate: {colour} has lost."
        if state.is_repetition_draw():
            return "Draw: the position has come up 3 times."
        if not state.board().has_legal_moves():
            return "Draw: stalemate."
        if int(fen[4]) >= _QUIET_LIMIT:
            return "Draw: 50 moves by each side without capture or pawn move."
        return "Draw: too little material to mate."


def _ranks(pieces: str) -> list[str]:
    """FEN's first field as eight texts of eight characters, `.` for an empty square."""
    return ["".join("." * int(c) if c.isdigit() else c for c in rank) for rank in pieces.split("/")]


def _square(square: Any) -> str:
    return "abcdefgh"[square.x] + str(square.y + 1)
