"""How advantages are reshaped: outcome shares, λ and what it comes from, by game and role."""

from __future__ import annotations

import math

from rich.text import Text

from arena.display.draw import line, percent, rule, signed
from arena.display.model import LiveModel
from arena.display.safe import one_line, pad
from arena.display.telemetry import Reshaping, reshapings

_NUMBERS = 58
"""Columns of the numbers behind a role."""


def advantages_panel(model: LiveModel, width: int, *, full: bool = True) -> list[Text]:
    """DEPT's telemetry.

    Args:
        model: the state.
        width: columns.
        full: with a heading and a line a role; else one line a game, to stand below the roles.
    """
    found = reshapings(model.metrics)
    if not found:
        return []
    if not full:
        return [line(f" {short(game)}", width=width) for game in found]
    names = [one_line(role) for game in found for role in game.roles]
    wide = max(6, min(max(map(len, names)), width - _NUMBERS - 4))
    head = f"   {'':{wide}} {'λ':>5}{'σ':>6}{'fast':>7}{'slow':>7}   {'bounds':<13}  spread, reshaped"
    lines = [rule("advantages", width), line((head, "dim"), width=width)]
    for game in found:
        lines.append(line(" ", (one_line(game.game), "bold"), f"  {outcomes(game)}", width=width))
        for role, told in game.roles.items():
            bounds = f"{_signed(told['v_min'])} … {_signed(told['v_max'])}"
            lines.append(
                line(
                    f"   {pad(one_line(role), wide)} ",
                    (f"{_two(told['lambda']):>5}", "bold" if told["lambda"] >= 0.5 else "cyan"),
                    f"{_two(told['sigma']):>6}{_signed(told['fast']):>7}{_signed(told['slow']):>7}   {bounds:<13}  "
                    f"{spreads(told['spread_before'], told['spread_after'])}",
                    width=width,
                )
            )
    return lines


def outcomes(game: Reshaping) -> str:
    """`H 0.31  most: draw  draw 94 %, p0 4.0 %`: entropy, dominant class, shares."""
    shares = ", ".join(f"{one_line(name)} {percent(share)}" for name, share in game.shares.items() if share > 0)
    return f"H {_two(game.entropy)}  most: {one_line(game.dominant) or '–'}  {shares}".rstrip()


def short(game: Reshaping) -> str:
    """A game in one line: entropy, the commonest class with its share, λ and spread of each role in their order."""
    most = next(iter(game.shares.items()), None)
    common = f"  {one_line(most[0])} {percent(most[1])}" if most and math.isfinite(most[1]) else ""
    told = list(game.roles.values())
    lambdas = " ".join(_two(role["lambda"]) for role in told)
    spread = " ".join(spreads(role["spread_before"], role["spread_after"]) for role in told)
    return f"{one_line(game.game)}  H {_two(game.entropy)}{common}  λ {lambdas}  spread {spread}"


def told_in_full(game: Reshaping) -> str:
    """Everything about a game in one line, for a log."""
    roles = [
        f"{one_line(role)}: λ {_two(told['lambda'])} σ {_two(told['sigma'])} fast {_signed(told['fast'])} "
        f"slow {_signed(told['slow'])} bounds {_signed(told['v_min'])} … {_signed(told['v_max'])} "
        f"spread {spreads(told['spread_before'], told['spread_after'])}"
        for role, told in game.roles.items()
    ]
    return "  ".join([one_line(game.game), outcomes(game), *roles])


def spreads(before: float, after: float) -> str:
    """`0.52→0.61`: standard deviation of the advantages before and after reshaping."""
    return f"{_two(before)}→{_two(after)}"


def _two(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "–"


def _signed(value: float) -> str:
    return signed(value) if math.isfinite(value) else "–"
