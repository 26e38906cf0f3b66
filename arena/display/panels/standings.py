"""Standings so far, and the learner by role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from arena.display import Standing
from arena.display.draw import line, percent, rule, signed
from arena.display.model import LiveModel
from arena.display.safe import one_line, pad

_BAR = 10

_NUMBERS = 50
"""Columns of the numbers behind a role."""


def standings_width(model: LiveModel) -> int:
    """Columns in which nothing need be cut; 0 without standings."""
    if not model.standings:
        return 0
    name = max(len(one_line(row.player)) for row in model.standings)
    results = max(len("-".join(map(str, row[1:4]))) for row in model.standings)
    return max(name, 6) + max(results, 5) + 36


def roles_width(model: LiveModel) -> int:
    """Columns in which nothing need be cut; 0 without roles."""
    names = [f"{one_line(game)} {one_line(role)}" for game, role, _ in _roles(model)]
    return max(map(len, names)) + _NUMBERS if names else 0


def standings_panel(model: LiveModel, width: int) -> list[Text]:
    """Players by their share of points so far. The final ratings, with intervals, come in the report."""
    if not model.standings:
        return []
    rows = sorted(model.standings, key=lambda row: (-_score(row), row.player))
    results = [f"{row.wins}-{row.draws}-{row.losses}" for row in rows]
    wide = max(5, *(len(result) for result in results))
    name_width = min(max(len(one_line(row.player)) for row in rows), max(8, width - wide - 30))
    head = f" {'#':>2} {pad('player', name_width)} {'W-D-L':>{wide}}  score  {'':{_BAR}}  forfeits"
    lines = [rule("standings", width), line((head.rstrip(), "dim"), width=width)]
    for place, (row, result) in enumerate(zip(rows, results, strict=True), start=1):
        score = _score(row)
        share = round(score * _BAR)
        lines.append(
            line(
                f" {place:>2} ",
                (pad(one_line(row.player), name_width), "bold" if place == 1 else ""),
                f" {result:>{wide}}  {100 * score:>3.0f} %  ",
                ("█" * share, "cyan"),
                ("·" * (_BAR - share), "dim"),
                (f"  {row.forfeits:>8,}", "bold" if row.forfeits else "dim"),
                width=width,
            )
        )
    return lines


def _score(row: Standing) -> float:
    matches = row.wins + row.draws + row.losses
    return (row.wins + row.draws / 2) / matches if matches else 0.0


def roles_panel(model: LiveModel, width: int) -> list[Text]:
    """The learner in every role of every game: return and its baseline, results, unusable replies."""
    rows = _roles(model)
    if not rows:
        return []
    name_width = min(roles_width(model) - _NUMBERS, max(10, width - _NUMBERS))
    head = f" {'':{name_width}} return   base   win  draw  loss  invalid forfeit"
    lines = [rule("learner by role", width), line((head, "dim"), width=width)]
    lines += [_role(game, role, values, name_width, width) for game, role, values in rows]
    games = model.metrics["games"].items()
    past = [f"{one_line(game)} {percent(told['past']['score'])}" for game, told in games if told.get("past")]
    if past:
        lines.append(line((" vs past snapshots  ", "dim"), "  ".join(past), width=width))
    return lines


def _roles(model: LiveModel) -> list[tuple[str, str, Mapping[str, Any]]]:
    games = model.metrics.get("games")
    if not isinstance(games, Mapping):
        return []
    return [(game, role, values) for game, told in games.items() for role, values in told.get("roles", {}).items()]


def _role(game: str, role: str, values: Mapping[str, Any], name_width: int, width: int) -> Text:
    baseline = values.get("baseline")
    base = "     –" if baseline is None else f"{signed(baseline):>6}"
    invalid = float(values.get("invalid", 0.0))
    shares = "".join(f"{100 * float(values.get(key, 0.0)):>4.0f} %" for key in ("win", "draw", "loss"))
    return line(
        f" {pad(one_line(f'{game} {role}'), name_width)} ",
        f"{signed(float(values.get('mean_return', 0.0))):>6} ",
        (base, "cyan"),
        shares,
        (f"{percent(invalid):>9}", "bold" if invalid > 0.05 else ""),
        f"{percent(float(values.get('forfeit', 0.0))):>8}",
        width=width,
    )
