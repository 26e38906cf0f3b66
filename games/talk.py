"""What games share in which two seats talk in turn: turns of speech, perhaps with one action in brackets.

All that a seat says reaches the other verbatim, as speech; brackets that are no action of the game are speech too.
Which brackets mean an action is said by the game's `Actions`: one that begins like an action and cannot be read is
refused with a hint, never guessed and never taken for speech. Brackets behind an action are refused whatever they hold,
since they may be meant to take it back.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from games.inflection import mentions
from games.joint import JointGame, JointState, read_speech
from games.parsing import MAX_LENGTH, Answer, find_answers, in_final_position, normalise, shown, tidy
from games.types import Issue, Move, Parsed, Seat

_PUNCTUATION = re.compile(r"[\s.,;:!*_~`$\"'“”]*")
_UNCLOSED = re.compile(
    r"\[\s*+(?P<bracket>[^\[\]]*+)(?=\[|\Z) | \\boxed\s*+\{(?:\s*+\\text\s*+\{)?\s*+(?P<box>[^{}]*+)(?=\{|\Z)",
    re.VERBOSE,
)  # possessive, or blanks after a bracket are tried at every length


_ALONE = ((0,), (1,))


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """An action that was meant but cannot be read."""

    hint: str


@dataclass(frozen=True, kw_only=True)
class Actions:
    """The actions of a game: what is one, and what it says.

    Attributes:
        begins: how every action begins, tried on the content of brackets from its start; all else is speech.
        read: gives the canonical answer of a content that begins so, or what is wrong with it.
        after: what may follow the brackets of an action and belongs to it (`[Propose] $1`), tried right behind them.
        example: a legal action, for hints, without brackets.
    """

    begins: re.Pattern[str]
    read: Callable[[str], str | Unreadable]
    after: re.Pattern[str] | None = None
    example: str


def read_turn(raw: str, actions: Actions, *, truncated: bool = False) -> Parsed:
    """Read speech with at most one action; the last action counts, and two in final position are ambiguous."""
    text = raw[-MAX_LENGTH:]
    found = find_answers(text)
    meant = tuple(_whole(text, one, actions) for one in found.answers if actions.begins.match(tidy(one.text)))
    end = meant[-1].end if meant else 0
    if (meant and found.broken_off) or (_may_open(text, end) and _left_open(text, end, actions)):
        issue = Issue.TRUNCATED if truncated else Issue.MALFORMED
        hint = f"The action's bracket is not closed. Write it like [{actions.example}]."
        return Parsed(raw=raw, issue=issue, hint=hint)
    if not meant:
        return read_speech(raw, truncated=truncated)
    last = found.answers[-1]
    if last.start >= end:
        hint = f"[{shown(last.text)}] stands behind the action and is none. End with the one action that you mean."
        return Parsed(raw=raw, issue=Issue.MALFORMED, hint=hint)
    final = in_final_position(text, meant)
    readings = {one.text: actions.read(one.text) for one in final}
    if (
        len(final) > 1
        and len({reading if isinstance(reading, str) else normalise(one) for one, reading in readings.items()}) > 1
    ):
        given = " ".join(f"[{shown(one)}]" for one in list(readings)[:4])
        return Parsed(raw=raw, issue=Issue.MALFORMED, hint=f"{given} is more than one action; take at most one.")
    reading = readings[meant[-1].text]
    if isinstance(reading, Unreadable):
        return Parsed(raw=raw, issue=Issue.MALFORMED, hint=reading.hint)
    return Parsed(raw, Issue.OK, Move(reading, None, words_around(raw, meant[-1])))


def _may_open(text: str, end: int) -> bool:
    return text.find("[", end) >= 0 or text.find("\\boxed", end) >= 0


def _left_open(text: str, end: int, actions: Actions) -> bool:
    """Whether an action is begun behind `end` whose bracket is not closed."""
    left_open = (left["bracket"] or left["box"] or "" for left in _UNCLOSED.finditer(text, end))
    return any(actions.begins.match(content) for content in left_open)


def _whole(text: str, one: Answer, actions: Actions) -> Answer:
    """The action with what belongs to it behind its brackets, where it says too little within them."""
    if actions.after is None or not isinstance(actions.read(one.text), Unreadable):
        return one
    behind = actions.after.match(text, one.end)
    if behind is None or not behind[0].strip():
        return one
    return Answer(text=f"{one.text} {behind[0].strip()}", start=one.start, end=behind.end())


def words_around(raw: str, action: Answer) -> str:
    """The words around an action, without it; nothing where only its punctuation is left."""
    if action.start == 0 and action.end == len(raw):
        return ""
    skipped = max(0, len(raw) - MAX_LENGTH)  # positions count from where reading began
    parts = (raw[: skipped + action.start].strip(), raw[skipped + action.end :].strip())
    speech = " ".join(part for part in parts if part)
    return "" if _PUNCTUATION.fullmatch(speech) else speech


class TalkState(JointState):
    """Two seats talk in turn, player 0 first, for at most the declared number of turns.

    A subclass says what a turn does (`take`), calls `end` when the match is decided, and tells at the end what was
    secret (`reveal`). The winner is paid +1 and the loser −1; nobody wins where the turns run out.
    """

    def __init__(self, game: JointGame, seed: int) -> None:
        super().__init__(game, seed)
        self.ended = False
        self.winner: Seat | None = None

    @abstractmethod
    def take(self, seat: Seat, move: Move) -> None:
        """Carry out the move of one turn, whose speech has been told."""

    @abstractmethod
    def reveal(self) -> str:
        """What is told to both when the match is over, or nothing."""

    @property
    def turn(self) -> int:
        """Turns taken."""
        return len(self._log)

    def to_move(self) -> tuple[Seat, ...]:
        """Seats alternate."""
        return () if self.ended else _ALONE[len(self._log) % 2]

    def legal(self, seat: Seat) -> tuple[Move, ...] | None:
        """Free words while the seat is to move."""
        return None if seat in self.to_move() else ()

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Nothing but speech."""
        return read_speech(text, truncated=truncated)

    def refusal(self, seat: Seat, move: Move) -> str | None:
        """Speech that is not empty."""
        return None if move.speech and not move.answer else "say something; there is no action to take."

    def make(self, moves: Mapping[Seat, Move]) -> None:
        """Tell the speech, carry out the turn, and end when it was the last."""
        ((seat, move),) = moves.items()
        if move.speech:
            self.tell(move.speech, speaker=seat)
        self.take(seat, move)
        if not self.ended and self.turn == self._game.spec.max_turns:
            self.end(None, f"That was turn {self.turn}, the last.")

    def end(self, winner: Seat | None, how: str) -> None:
        """The match is over: tell how, and what was secret."""
        self.ended = True
        self.winner = winner
        self.tell(f"{how} {self.reveal()}".strip())

    def unsaid(self, words: Iterable[str], *, but: Collection[str]) -> list[str]:
        """The words that nobody has said or been told so far, without `but`: secrets that fit as well."""
        said = [event.text for event in self.events(None)]
        return [word for word in words if word not in but and not any(mentions(text, word) for text in said)]

    def due(self, seat: Seat) -> str:
        """`Turn 3 of 20.` where the seat is to move, else nothing."""
        turn = len(self._log)
        return "" if self.ended or seat != turn % 2 else f"Turn {turn + 1} of {self._game.spec.max_turns}."

    def returns(self) -> tuple[float, ...]:
        """+1 and −1, or zeros."""
        self.require_over()
        if self.winner is None:
            return 0.0, 0.0
        return (1.0, -1.0) if self.winner == 0 else (-1.0, 1.0)

    def outcome(self) -> str:
        """`p0`, `p1` or `draw`."""
        self.require_over()
        return "draw" if self.winner is None else f"p{self.winner}"
