"""Every game of OpenSpiel and what becomes of it here, as a table.

python -m games.openspiel_table                                  # show it
python -m games.openspiel_table --write docs/openspiel-games.md  # write it
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import pyspiel

from games.openspiel import SpielGame
from games.openspiel_catalog import game_types, refusal
from games.registry import get_game
from games.shelf import WRITTEN

_MOVES = {
    pyspiel.GameType.Dynamics.SEQUENTIAL: "turns",
    pyspiel.GameType.Dynamics.SIMULTANEOUS: "simultaneous",
    pyspiel.GameType.Dynamics.MEAN_FIELD: "mean field",
}
_INFORMATION = {
    pyspiel.GameType.Information.PERFECT_INFORMATION: "perfect",
    pyspiel.GameType.Information.IMPERFECT_INFORMATION: "imperfect",
    pyspiel.GameType.Information.ONE_SHOT: "one shot",
}
_UTILITY = {
    pyspiel.GameType.Utility.ZERO_SUM: "zero sum",
    pyspiel.GameType.Utility.CONSTANT_SUM: "constant sum",
    pyspiel.GameType.Utility.GENERAL_SUM: "general sum",
    pyspiel.GameType.Utility.IDENTICAL: "cooperative",
}
_FAULTY = frozenset({"quoridor"})
"""Games of which OpenSpiel itself says, when they are loaded, that they have known issues."""


@lru_cache(maxsize=1)
def written_on() -> Mapping[str, tuple[str, ...]]:
    """By OpenSpiel's name: the games of the shelf that are played on its rules."""
    found: dict[str, tuple[str, ...]] = {}
    for game_id in sorted(WRITTEN):
        game = get_game(game_id)
        if isinstance(game, SpielGame):
            name = game.openspiel_name
            found[name] = (*found.get(name, ()), game_id)
    return MappingProxyType(found)


def status(name: str) -> str:
    """What becomes of an OpenSpiel game here, in words."""
    own = [f"`{game_id}`" for game_id in written_on().get(name, ())]
    reason = refusal(name)
    generic = f"`openspiel/{name}`" if reason is None else f"refused: {reason}"
    if name in _FAULTY:
        generic += " (OpenSpiel warns of known issues in it)"
    if own and reason is None:
        return f"written here: {', '.join(own)}; also {generic}"
    return f"written here: {', '.join(own)}; {generic}" if own else generic


def table() -> str:
    """The whole page, in Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    kinds = game_types()
    playable = [name for name in kinds if refusal(name) is None]
    together = [name for name in playable if kinds[name].dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS]
    yield "# The games of OpenSpiel"
    yield ""
    yield "Made by `python -m games.openspiel_table --write docs/openspiel-games.md`; not to be edited."
    yield ""
    yield (
        f"Of {len(kinds)} games, {len(playable)} are playable as `openspiel/<name>` ({len(together)} of them with "
        f"simultaneous moves), with OpenSpiel's parameters as `key=value` and a generic text; {len(written_on())} have "
        f"a text written for a reader, under an id of their own; {len(kinds) - len(playable)} are refused, and why."
    )
    yield ""
    yield "| OpenSpiel | seats | moves | information | returns | here |"
    yield "|---|---|---|---|---|---|"
    for name, kind in sorted(kinds.items()):
        low, high = kind.min_num_players, kind.max_num_players
        facts = (
            str(low) if low == high else f"{low}–{high}",
            _MOVES[kind.dynamics],
            _INFORMATION[kind.information],
            _UTILITY.get(kind.utility, "unknown"),
        )
        yield f"| {name} | {' | '.join(facts)} | {status(name)} |"


def main(argv: Sequence[str] | None = None) -> int:
    """Show or write the table. Returns the exit status."""
    parser = argparse.ArgumentParser(description="The games of OpenSpiel.", prog="python -m games.openspiel_table")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write it there instead of showing it")
    args = parser.parse_args(argv)
    if args.write is None:
        sys.stdout.write(table())
    else:
        args.write.write_text(table(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
