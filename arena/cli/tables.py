"""Standings and crosstables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arena.cli.sheet import Column, Sheet
from arena.display.draw import plural, signed

if TYPE_CHECKING:
    from arena.bootstrap import WDL, Interval
    from arena.tables import GameTable, Row, Standings


def standings_sheets(standings: Standings, roles: Mapping[str, Sequence[str]] | None = None) -> list[Sheet]:
    """All tables of a tournament: overall, then per game the standings and the crosstable.

    Args:
        standings: what was found.
        roles: names of the seats by game id; they are numbered where this does not say.
    """
    sheets = [overall_sheet(standings)] if len(standings.games) != 1 else []
    for table in standings.games:
        names = list((roles or {}).get(table.game, ())) or [f"seat {seat}" for seat in range(table.seats)]
        sheets += [game_sheet(table, names), cross_sheet(table, names)]
    return sheets


def overall_sheet(standings: Standings) -> Sheet:
    """All games together."""
    notes = [*standings.notes]
    if standings.owed:
        broken = "; ".join(f"{count}× {error}" for error, count in list(standings.errors.items())[:3])
        notes.append(f"{plural(standings.owed, 'void match', 'void matches')} owed: {broken}")
    notes += skipped_notes(standings.skipped)
    return Sheet(
        title=f"Standings over all games: {standings.matches:,} matches",
        columns=[
            Column("#", right=True),
            Column("player", shrink=True),
            Column("rating", right=True),
            Column("95 %", right=True),
            Column("score", right=True),
            Column("95 %", right=True),
            Column("W-D-L", right=True),
            Column("forfeits", right=True),
        ],
        rows=[
            [str(place), row.player, _rating(row), _rating_interval(row), _share(row.score), _range(row.interval),
             _wdl(row.wdl), _forfeits(row)]
            for place, row in enumerate(standings.overall, start=1)
        ],
        keys=2,
        notes=notes,
    )  # fmt: skip


def game_sheet(table: GameTable, roles: Sequence[str]) -> Sheet:
    """One game: score with its interval, results by seat or dealt role, mean return, forfeits; what was measured."""
    names = list(table.roles) or roles
    places = [
        [row.by_role.get(role, (0, 0, 0)) for role in table.roles] or [row.by_seat[seat] for seat in range(table.seats)]
        for row in table.rows
    ]
    return Sheet(
        title=f"{table.label}",
        columns=[
            Column("#", right=True),
            Column("player", shrink=True),
            Column("rating", right=True),
            Column("score", right=True),
            Column("95 %", right=True),
            *(Column(f"as {role}", right=True) for role in names),
            Column("return", right=True),
            Column("forfeits", right=True),
        ],
        rows=[
            [str(place), row.player, _rating(row), _share(row.score), _range(row.interval),
             *map(_wdl, by), _signed(row.mean_return), _forfeits(row)]
            for place, (row, by) in enumerate(zip(table.rows, places, strict=True), start=1)
        ],
        keys=2,
        notes=[*table.notes, *_measured(table)],
    )  # fmt: skip


def _measured(table: GameTable) -> list[str]:
    """How dealt roles fared, and the means of what the game measures."""
    notes = []
    if table.roles:
        listed = (f"{role} {_wdl(line.wdl)} ({_signed(line.mean_return)})" for role, line in table.roles.items())
        notes.append(f"Matches by role, once a match, with the mean return: {', '.join(listed)}.")
    if table.measures:
        listed = (f"{name} {value:.2f}" for name, value in table.measures.items())
        notes.append(f"Means over matches played to their end: {', '.join(listed)}.")
    return notes


def cross_sheet(table: GameTable, roles: Sequence[str]) -> Sheet:
    """Everybody against everybody, seen from the left: W-D-L by seat, then whole pairs with their interval."""
    names = [row.player for row in table.rows]
    short, notes = _short_names(names)
    rows: list[list[str]] = []
    for row in table.rows:
        two = table.seats == 2
        labels = [f"as {role}" for role in roles] if two else ["all seats"]
        for index, label in enumerate([*labels, "pairs", "% of pairs"]):
            cells = [_cross(table, row.player, other, index if two else index - 1, two) for other in names]
            first = index == 0
            rows.append([short[row.player] if first else "", label, str(row.forfeits) if first else "", *cells])
    return Sheet(
        title=f"{table.label}, one against one: wins-draws-losses of the player on the left",
        columns=[
            # Nothing is cut: a name or an interval in part says less than nothing. What finds no room goes below.
            Column("player"),
            Column(""),
            Column("forfeits", right=True),
            *(Column(short[name], right=True) for name in names),
        ],
        rows=rows,
        keys=2,
        notes=["A pair is one deal, played once from each seat; it goes to the higher total return.", *notes],
    )


def _short_names(players: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Snapshots by their step alone, where all are of one run, and the sentence that says so."""
    runs = {name.rpartition("@")[0] for name in players if "@" in name}
    if len(runs) != 1 or not all(runs):
        return {name: name for name in players}, []
    return {name: name[name.rindex("@") :] if "@" in name else name for name in players}, [
        f"@ stands for {runs.pop()}@."
    ]


def _cross(table: GameTable, player: str, other: str, index: int, two: bool) -> str:
    if player == other:
        return "·"
    try:
        pairing = table.pairing(player, other)
    except KeyError:
        return "–"
    if two and index < 2:
        return _wdl(pairing.by_seat[index])
    if not two and index < 0:
        return _wdl(pairing.wdl)
    if index == (2 if two else 0):
        return _wdl(pairing.pair_wdl)
    return f"{_share(pairing.pair_score)} {_range(pairing.pair_interval)}".strip()


def skipped_notes(skipped: Sequence[Mapping[str, str]]) -> list[str]:
    """One sentence per player that sat out."""
    games: dict[tuple[str, str], list[str]] = {}
    for entry in skipped:
        reason = entry["reason"].replace(entry["game"], "it")
        games.setdefault((entry["player"], reason), []).append(entry["game"])
    return [f"{player} does not play {', '.join(names)}: {reason}" for (player, reason), names in games.items()]


def _wdl(wdl: WDL | tuple[Any, ...]) -> str:
    return "-".join(str(n) for n in wdl)


def _share(score: float | None) -> str:
    return "" if score is None else f"{100 * score:.0f} %"


def _range(interval: Interval | None) -> str:
    return "" if interval is None else f"{100 * interval.low:.0f}–{100 * interval.high:.0f}"


def _rating(row: Row) -> str:
    return "" if row.rating is None else _points(row.rating.points)


def _rating_interval(row: Row) -> str:
    if row.rating is None:
        return ""
    return f"{_points(row.rating.interval.low)}…{_points(row.rating.interval.high)}"


def _signed(value: float | None) -> str:
    return "" if value is None else signed(value)


def _points(value: float) -> str:
    return signed(value, 0)


def _forfeits(row: Row) -> str:
    """How many, and of which kinds."""
    if not row.forfeits:
        return "0"
    kinds = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in row.forfeit_kinds.items())
    return f"{row.forfeits} ({kinds})"
