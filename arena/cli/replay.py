"""`arena replay`: a recorded match again, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.output import Json, print_json, say

if TYPE_CHECKING:
    from arena.rundir import RunDir
    from arena.types import MatchRecord, Turn
    from games import Game

EPILOG = """Examples:

  arena replay demo

  arena replay demo 3f9a

  arena replay demo latest --prompts

  arena replay demo 3f9a --json
"""

LISTED = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replay", epilog=EPILOG)(replay)


def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name or path of a run.")],
    match: Annotated[
        str, typer.Argument(metavar="MATCH", help="Beginning of a match's key, or `latest`; without it, lists some.")
    ] = "",
    prompts: Annotated[bool, typer.Option("--prompts", help="Show what the players were asked, too.")] = False,
    game: Annotated[str, typer.Option(help="List only matches of this game.")] = "",
    as_json: Json = False,
) -> None:
    """Replay a match of a run: boards, replies, verdicts. Without MATCH, list the latest matches."""
    from arena.records import record_from_json
    from arena.rundir import RunDir
    from games import get_game

    folder = RunDir.find(run)
    if not match:
        _list(folder, game, as_json)
        return
    obj = find_match(folder, match)
    if as_json:
        print_json(match=obj)
        return
    record = record_from_json(obj)
    write_match(record, get_game(record.spec.game, record.spec.params), prompts=prompts)


def stored(folder: RunDir) -> Iterator[dict[str, Any]]:
    """The records of a run, as they are on file."""
    from arena.records import read_stored

    return read_stored(folder.matches)


def find_match(folder: RunDir, key: str) -> dict[str, Any]:
    """The stored record whose key begins with `key` (the last one on file, where a void match was played again).

    Raises:
        UsageError: none, or several matches; names some.
    """
    from arena.errors import UsageError

    found: dict[str, dict[str, Any]] = {}
    latest: dict[str, Any] | None = None
    for obj in stored(folder):
        latest = obj
        if str(obj["key"]).startswith(key):
            found[obj["key"]] = obj
    if key == "latest" and latest is not None:
        return latest
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        some = ", ".join(list(found)[:5])
        raise UsageError(f"{len(found)} matches of {folder.path} begin with {key!r}: {some}… Give more of the key.")
    hint = f"`arena replay {folder.name}` lists some" if latest is not None else "it has no matches yet"
    raise UsageError(f"No match {key!r} in {folder.path}; {hint}.")


def write_match(record: MatchRecord, game: Game, *, prompts: bool = False) -> None:
    """Play the recorded moves again and write everything down.

    Rules that have changed since the match was played cannot show its boards; its words are shown all the same.
    """
    from arena.cli.transcript import Transcript
    from games import GameError

    transcript = Transcript(record.spec, record.roles_in(game))
    state = game.new_state(record.spec.seed)
    boards = True
    transcript.board(state.render(None))
    for _, together in groupby(record.turns, key=lambda turn: turn.ply):
        turns: list[Turn] = list(together)
        for turn in turns:
            transcript.turn(turn, full=prompts)
        moves = {turn.seat: turn.move for turn in turns if turn.move is not None}
        if boards and len(moves) == len(turns):
            try:
                state.apply(moves)
            except GameError as error:
                boards = False
                transcript.remark(f"The rules of today refuse this move ({error}); no more boards.")
            else:
                transcript.board(state.render(None))
    transcript.end(record)


def _list(folder: RunDir, game: str, as_json: bool) -> None:
    from collections import deque

    from arena.cli.sheet import Column, Sheet
    from arena.errors import UsageError
    from games.suggest import unknown

    latest: deque[dict[str, Any]] = deque(maxlen=LISTED)
    count = 0
    games: set[str] = set()
    for obj in stored(folder):
        games.add(obj["spec"]["game"])
        if not game or obj["spec"]["game"] == game:
            count += 1
            latest.append(obj)
    if games and not count:
        raise UsageError(unknown("game", game, games) + f" These were played in {folder.path}.")
    rows = [
        [
            str(obj["key"])[:8],
            obj["spec"]["game"],
            " – ".join(obj["spec"]["players"]),
            str(len(obj["turns"])),
            _result(obj),
        ]
        for obj in latest
    ]
    if as_json:
        names = ("key", "game", "players", "turns", "result")
        print_json(run=str(folder.path), matches=count, latest=[dict(zip(names, row, strict=True)) for row in rows])
        return
    if not count:
        say(f"{folder.path} has no matches yet.")
        return
    columns = [
        Column("match"),
        Column("game", shrink=True),
        Column("players", shrink=True),
        Column("turns", right=True),
    ]
    Sheet(columns=[*columns, Column("result")], rows=rows).print()
    shown = f"the last {len(rows)} of " if count > len(rows) else ""
    say(f"{shown}{count:,} matches. Replay one with: arena replay {folder.name} MATCH")


def _result(obj: dict[str, Any]) -> str:
    returns = " ".join(f"{value:+g}" for value in obj["returns"])
    return returns if obj["ended"] == "terminal" else f"{obj['ended'].replace('_', ' ')} {returns}".strip()
