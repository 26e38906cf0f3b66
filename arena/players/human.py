"""`human`: a person at the terminal. The rest of the process goes on while they think.

The person is told what a model in this seat is told. What they type is checked before it is given as their answer, so
that a slip of the finger costs no forfeit. Lines that begin with `/` are for the program.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable

from arena.types import ActRequest, Completion
from games import Game, Issue, Seat, State

HELP = "/legal  what you may answer    /rules  the rules    /board  the board    /quit  leave the match"

MAX_LINE = 100_000
"""Bytes of a line that are read at most."""


class LineReader:
    """Lines of a file descriptor, awaited without blocking the event loop.

    A thread that blocks on stdin could not be ended on Ctrl-C, so the loop waits for the descriptor instead. Files
    that cannot be waited for (they never block) are read at once.

    Args:
        descriptor: where to read.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False

    async def line(self) -> str | None:
        """The next line without its end; None when there is no more."""
        while b"\n" not in self._buffer and not self._ended and len(self._buffer) < MAX_LINE:
            await self._readable()
            data = os.read(self._descriptor, 4096)
            self._ended = not data
            self._buffer += data
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", errors="replace").rstrip("\r")

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(self._descriptor, ready.set)
        except (PermissionError, NotImplementedError):
            return  # a regular file: reading it never waits
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._descriptor)


class HumanPlayer:
    """A person.

    Args:
        read: the next line typed, None at the end of input; stdin by default.
        write: shows text; stderr by default, since stdout is for results.
    """

    name = "human"
    scripted = True  # the person's program may look at the state, and shows no more of it than the seat may see

    def __init__(self, read: LineReader | None = None, write: Callable[[str], object] | None = None) -> None:
        self._read = read
        self._write = write or sys.stderr.write
        self._turn = asyncio.Lock()  # one question at a time, however many matches

    async def act(self, request: ActRequest) -> Completion:
        """Ask until the answer is usable.

        Raises:
            EOFError: there is nobody to answer.
            KeyboardInterrupt: the person left the match.
        """
        state = request.state
        if state is None:
            raise ValueError("human needs the state it is to move in.")
        async with self._turn:
            self._show(request)
            while True:
                self._tell(f"player {request.seat} (/help) > ", end="")
                typed = await self._line()
                if typed is None:
                    raise EOFError("human: the input ended before the match did.")
                words = typed.strip()
                if words.startswith("/"):
                    self._command(words, request, state)
                elif words:
                    text = bracketed(words, request.seat, state)
                    parsed = state.parse(request.seat, text)
                    if parsed.issue is Issue.OK:
                        return Completion(text=text, snapshot=self.name)
                    self._tell(f"That cannot be used. {parsed.hint}")

    async def _line(self) -> str | None:
        if self._read is None:
            try:
                self._read = LineReader(sys.stdin.fileno())
            except (OSError, ValueError, AttributeError):  # stdin is no file, as under test runners
                return sys.stdin.readline().rstrip("\n") or None
        return await self._read.line()

    def _show(self, request: ActRequest) -> None:
        """The rules with the first question; then what a model would be told."""
        if not request.history:
            self._tell(f"\n{request.system}")
        self._tell(f"\n{request.user}")

    def _command(self, words: str, request: ActRequest, state: State) -> None:
        match words:
            case "/quit" | "/q" | "/exit":
                raise KeyboardInterrupt
            case "/rules":
                self._tell(request.system)
            case "/board":
                self._tell(state.render(request.seat))
            case "/legal":
                moves = state.legal(request.seat)
                free = "Anything: talk, and the actions that the rules name."
                self._tell(free if moves is None else " ".join(f"[{move.answer}]" for move in moves))
            case _:
                self._tell(HELP)

    def _tell(self, text: str, end: str = "\n") -> None:
        from arena.display.safe import clean

        self._write(clean(text, 20_000) + end)
        if self._write == sys.stderr.write:
            sys.stderr.flush()

    def forget(self, match_key: str, seat: Seat) -> None:
        """Nothing is kept."""

    def refusal(self, game: Game) -> str | None:
        """A person plays anything."""
        return None


def bracketed(words: str, seat: Seat, state: State) -> str:
    """The answer in brackets, where the person left them out: nobody who types `4` means to talk about it."""
    if "[" in words or "\\boxed" in words:
        return words
    text = f"[{words}]"
    if state.legal(seat) is None and state.parse(seat, text).issue in (Issue.NO_ANSWER, Issue.MALFORMED):
        return words  # talk
    return text
