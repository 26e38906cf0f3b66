"""`arena games check`: whether games keep what they declare, one or all of them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.output import Json, Params, params_from, print_json, say, tell

if TYPE_CHECKING:
    from arena.gamecheck import Size, Verdict
    from games.types import ParamValue

EPILOG = """Examples:

  arena games check tic_tac_toe

  arena games check kuhn_poker openspiel/hex --matches 20

  arena games check --written --quick

  arena games check --all --nightly
"""

_Ids = Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Ids of games.")]
_All = Annotated[bool, typer.Option("--all", help="All written games, their variants, and all of OpenSpiel.")]
_Written = Annotated[bool, typer.Option("--written", help="All written games and their variants.")]
_Quick = Annotated[bool, typer.Option("--quick", help="A glance: few matches, some hostile replies.")]
_Nightly = Annotated[
    bool, typer.Option("--nightly", help="Thorough: 10,000 random games and 30,000 hostile replies per written game.")
]


def check_games(
    games: _Ids = None,
    every: _All = False,
    written: _Written = False,
    params: Params = None,
    quick: _Quick = False,
    nightly: _Nightly = False,
    matches: Annotated[int | None, typer.Option(min=1, help="Matches that are played to their end.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Matches whose every position is looked at.")] = None,
    random_games: Annotated[int | None, typer.Option(min=0, help="Further random games, for facts only.")] = None,
    hostile: Annotated[int | None, typer.Option(min=0, help="Hostile replies, in steps of 20.")] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="Processes (default: one per core).")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
    as_json: Json = False,
) -> None:
    """Hold games to everything they declare, by playing them. Exit code 1 if one breaks something."""
    from arena.errors import UsageError

    if quick and nightly:
        raise UsageError("--quick and --nightly exclude each other; give one of them.")
    given = params_from(params)
    ids = _chosen(games or [], every=every, written=written)
    if given and len(ids) != 1:
        raise UsageError(f"--param needs exactly one game; {len(ids)} are to be checked.")
    wanted = {"seeds": seeds, "matches": matches, "random_games": random_games, "hostile": hostile}
    changed = {name: value for name, value in wanted.items() if value is not None}
    sizes = {game: _size(game, quick=quick, nightly=nightly, changed=changed) for game in ids}
    begun = time.monotonic()
    verdicts = _check(sizes, given, processes, quiet=quiet)
    if as_json:
        _print_json(verdicts)
    else:
        _print(verdicts, time.monotonic() - begun)
    if any(verdict.findings for verdict in verdicts):
        raise typer.Exit(1)


def _chosen(games: Sequence[str], *, every: bool, written: bool) -> list[str]:
    """Ids without repetition; unknown ones are refused before anything is played."""
    from arena.errors import UsageError
    from games import get_game
    from games.openspiel_catalog import generic_ids
    from games.shelf import VARIANTS, WRITTEN

    if not games and not every and not written:
        raise UsageError("Say what to check: ids of games, --written or --all.")
    for game in games:
        get_game(game)
    shelf = [*sorted(WRITTEN), *sorted(VARIANTS)] if every or written else []
    return list(dict.fromkeys([*games, *shelf, *(generic_ids() if every else ())]))


def _size(game: str, *, quick: bool, nightly: bool, changed: dict[str, int]) -> Size:
    from dataclasses import replace

    from arena.gamecheck import NIGHTLY, NIGHTLY_GENERIC, NORMAL, QUICK
    from games.registry import OURS

    size = QUICK if quick else NORMAL
    if nightly:
        size = NIGHTLY_GENERIC if game.startswith(OURS) else NIGHTLY
    return replace(size, **changed)


def _check(
    sizes: dict[str, Size], params: Mapping[str, ParamValue], processes: int | None, *, quiet: bool
) -> list[Verdict]:
    """All verdicts, in the order asked for; a line of progress for each as it comes."""
    from arena.display.draw import duration, plural
    from arena.gamecheck import check_here, check_many

    few = len(sizes) == 1 and not any(size.random_games or size.hostile for size in sizes.values())
    if few:  # starting a process takes longer
        return [check_here(game, params, size) for game, size in sizes.items()]
    begun = time.monotonic()
    verdicts: dict[str, Verdict] = {}
    for done, verdict in enumerate(check_many(sizes, params=params, processes=processes), start=1):
        verdicts[verdict.game] = verdict
        if not quiet:
            left = (time.monotonic() - begun) / done * (len(sizes) - done)
            result = plural(len(verdict.findings), "finding") if verdict.findings else "ok"
            tell(f"[{done}/{len(sizes)}] {verdict.game}: {result}  ({duration(left)} to go)")
    return [verdicts[game] for game in sizes]


def _print(verdicts: Sequence[Verdict], wall_s: float) -> None:
    from arena.display.draw import duration, plural
    from arena.display.safe import one_line
    from games.conformance import CHECKS

    if len(verdicts) > 1:
        _print_table(verdicts)
    for verdict in verdicts:
        if len(verdicts) > 1 and verdict.findings:
            say(f"\n{verdict.game}:")
        for finding in verdict.findings:
            say(f"  {one_line(str(finding), 1_000)}")
    if len(verdicts) == 1:
        (verdict,) = verdicts
        size = verdict.size
        told = plural(len(verdict.findings), "finding") if verdict.findings else "keeps everything it declares"
        looked = [plural(len(CHECKS), "check"), plural(size.matches, "match", "matches"), *_more(verdicts)]
        say(f"{verdict.game}: {told} ({', '.join(looked)}).")
        return
    broken = sum(bool(verdict.findings) for verdict in verdicts)
    told = f"{plural(broken, 'game')} with findings" if broken else "all keep what they declare"
    looked = [plural(sum(v.size.matches for v in verdicts), "match", "matches"), *_more(verdicts)]
    say(f"\n{plural(len(verdicts), 'game')} checked in {duration(wall_s)}, {', '.join(looked)}: {told}.")


def _more(verdicts: Iterable[Verdict]) -> list[str]:
    from arena.display.draw import plural

    sizes = [verdict.size for verdict in verdicts]
    counts = {"random game": sum(s.random_games for s in sizes), "hostile reply": sum(s.hostile for s in sizes)}
    return [plural(count, name, name.replace("reply", "replie") + "s") for name, count in counts.items() if count]


def _print_table(verdicts: Sequence[Verdict]) -> None:
    from arena.cli.sheet import Column, Sheet

    names = ("findings", "matches", "random games", "hostile", "CPU s")
    rows = [
        [
            verdict.game,
            str(len(verdict.findings) or "-"),
            f"{verdict.size.matches:,}",
            f"{verdict.size.random_games:,}",
            f"{verdict.size.hostile:,}",
            f"{verdict.seconds:.1f}",
        ]
        for verdict in verdicts
    ]
    Sheet(columns=[Column("game", shrink=True), *(Column(name, right=True) for name in names)], rows=rows).print()


def _print_json(verdicts: Sequence[Verdict]) -> None:
    from games.conformance import CHECKS

    print_json(
        checks=list(CHECKS),
        findings=sum(len(verdict.findings) for verdict in verdicts),
        hostile=sum(verdict.size.hostile for verdict in verdicts),
        random_games=sum(verdict.size.random_games for verdict in verdicts),
        games=[
            {
                "id": verdict.game,
                "params": verdict.params,
                **asdict(verdict.size),
                "seconds": round(verdict.seconds, 2),
                "findings": [asdict(finding) for finding in verdict.findings],
            }
            for verdict in verdicts
        ],
    )
