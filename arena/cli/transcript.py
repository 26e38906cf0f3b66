"""A match for reading: turn by turn, with the board where there is one, every reply and what it was taken for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from arena.display.draw import seat_style
from arena.display.model import LiveModel, ShownMatch
from arena.display.panels.match import say_lines, verdict
from arena.display.safe import clean, one_line
from arena.display.spectator import end_event, turn_event

if TYPE_CHECKING:
    from arena.types import MatchRecord, MatchSpec, Turn
    from games import State


class Transcript:
    """Writes a match to stdout as it goes.

    Args:
        spec: the match. roles: names of its seats.
    """

    def __init__(self, spec: MatchSpec, roles: Sequence[str]) -> None:
        self._console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
        self._model = LiveModel()
        self._board = ""
        self._feed(
            {
                "t": "start",
                "key": spec.match_key,
                "game": spec.game,
                "players": list(spec.players),
                "roles": list(roles),
                "seed": spec.seed,
            }
        )
        params = "".join(f"  {key}={value}" for key, value in sorted(spec.params.items()))
        self._print(Text.assemble((one_line(spec.game), "bold"), one_line(f"{params}  seed {spec.seed}")))
        self._print(Text(f"match {spec.match_key}", "dim"))
        for seat, name in enumerate(spec.players):
            role = roles[seat] if seat < len(roles) else ""
            self._print(Text(one_line(f"P{seat} {role}: {name}"), seat_style(seat)))

    @property
    def _match(self) -> ShownMatch:
        assert self._model.match is not None
        return self._model.match

    def board(self, picture: str) -> None:
        """The position, if it is not the one that was shown last."""
        if picture and picture != self._board:
            self._board = picture
            self._print(Text())
            for row in clean(picture, 20_000).split("\n"):
                self._print(Text(f"    {row}"))
            self._print(Text())

    def turn(self, turn: Turn, *, system: str | None = None, full: bool = False) -> None:
        """A turn; with `full` also what was asked."""
        self._feed(turn_event(self._match.key, turn))
        if full:
            for attempt in turn.attempts:
                self._print(Text(f"    | {one_line(attempt.user)}", "dim"))
        width = min(self._console.width, 120)
        for row in say_lines(self._match.turns[-1], width, None):
            self._print(row)

    def end(self, record: MatchRecord) -> None:
        """How it ended."""
        self._feed(end_event(record))
        if self._match.turns and self._match.turns[-1].move is None:
            self._print(Text())
        self._print(Text.assemble(*verdict(self._match)))

    def remark(self, text: str) -> None:
        """A line of ours."""
        self._print(Text(one_line(text), "italic"))

    def _feed(self, event: Mapping[str, Any]) -> None:
        self._model.feed(event)

    def _print(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True)


class Narrator:
    """An observer that writes the match it watches.

    Args:
        transcript: where to.
        start: the state before the first turn.
    """

    def __init__(self, transcript: Transcript, start: State) -> None:
        self._transcript = transcript
        self._waiting = len(start.to_move())

    def match_started(self, spec: MatchSpec) -> None:
        """Nothing: the transcript has its head."""

    def turn_played(self, spec: MatchSpec, turn: Turn, state: State) -> None:
        """The turn; and the position, once all seats that move together have their turn told."""
        self._transcript.turn(turn)
        self._waiting -= 1
        if not self._waiting:
            self._waiting = len(state.to_move())
            self._transcript.board(state.render(None))

    def match_ended(self, record: MatchRecord) -> None:
        """How it ended."""
        self._transcript.end(record)
