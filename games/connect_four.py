"""Connect four on OpenSpiel's rules.

| fact | value |
|---|---|
| seats | 2: player 0 is x and moves first |
| information | perfect, no chance |
| returns | +1 / −1, 0 for a full board |
| outcome classes | p0, p1, draw |
| value under perfect play | +1 for the first seat on 6×7 |

Columns are numbered from 1. Reference: V. Allis, "A knowledge-based approach of Connect-Four" (1988); OpenSpiel
`connect_four`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.errors import ParameterError
from games.lookahead import safe, winning
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Move, Param, ParamValue, RandomStream, Seat, State

MARKS = "xo"
_MOVES = tuple(Move(answer=str(column + 1), action=column) for column in range(20))
_TOLD = tuple(
    tuple(Event(text=f"Player {seat} dropped {mark} into column {move.answer}.") for move in _MOVES)
    for seat, mark in enumerate(MARKS)
)


class ConnectFourState(SpielState):
    """One match."""

    _game: ConnectFour

    def action_event(self, seat: Seat, action: int) -> Event:
        """The column, as everyone is told it."""
        return _TOLD[seat][action]

    def board(self, seat: Seat) -> str:
        """Rows from the top and the columns' numbers."""
        rows = " ".join(self.pyspiel_state.observation_string(0))
        return rows.replace(" \n", "\n").replace("\n ", "\n") + self._game.numbers


class ConnectFour(SpielGame):
    """Four in a row, dropped from above.

    Attributes:
        numbers: the line below the board.
    """

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "rows": Param(default=6, low=4, high=9, help="height of the board"),
            "columns": Param(default=7, low=4, high=9, help="width of the board"),
            "x_in_row": Param(default=4, low=3, high=9, help="how many in a row win"),
        }
    )
    state_class = ConnectFourState
    moves = _MOVES

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        rows, columns, wanted = (int(params[name]) for name in ("rows", "columns", "x_in_row"))
        if wanted > max(rows, columns):
            raise ParameterError(
                f"connect_four: x_in_row={wanted} fits neither rows={rows} nor columns={columns}; "
                f"give at most {max(rows, columns)}."
            )
        self.numbers = " ".join(str(column + 1) for column in range(columns))
        loaded: Any = pyspiel.load_game("connect_four", dict(params))
        super().__init__(
            loaded,
            spec_of(
                "connect_four",
                loaded,
                "Connect four",
                params=params,
                roles=("x", "o"),
                summary="Drop stones into columns; four in a row win.",
                reference="V. Allis (1988); OpenSpiel connect_four",
            ),
        )

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """All columns."""
        return frozenset(_MOVES[column].answer for column in range(int(self.spec.params["columns"])))

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        rows, columns, wanted = (self.spec.params[name] for name in ("rows", "columns", "x_in_row"))
        return (
            f"Connect four on {rows} rows and {columns} columns. Player 0 is x and moves first, player 1 is o. In turn "
            f"drop a stone into a column that has room; it falls to the lowest empty cell. {wanted} in a row, upright, "
            "level or diagonal, win; a full board without that is a draw. "
            "Answer with the column's number in brackets, like [3].\n"
            f"You are player {seat}, {MARKS[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` wins if it can, prevents a win at once if it can, and else likes the middle."""
        return {"random": random_bot, "greedy": greedy_bot}


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Looks two moves ahead; among what is left, the more central of two random columns."""
    if not isinstance(state, ConnectFourState):
        raise TypeError("this bot plays connect_four only")
    position = state.pyspiel_state
    good = winning(position, seat) or safe(position, seat) or position.legal_actions()
    middle = (int(state.game.spec.params["columns"]) - 1) / 2
    choice = min((rng.choice(good) for _ in range(2)), key=lambda column: abs(column - middle))
    return f"[{state.answer(seat, choice)}]"
