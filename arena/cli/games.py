"""`arena games`: what can be played, by which rules, and whether a game keeps its promises."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.group import ArenaTyper
from arena.cli.output import Json, params_from, print_json, say

if TYPE_CHECKING:
    from games import Game, GameSpec

Params = Annotated[list[str] | None, typer.Option("--param", "-p", metavar="KEY=VALUE", help="A game parameter.")]
"""The `--param` option."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = ArenaTyper()
    group.command("list", epilog=_LIST)(list_games)
    group.command("show", epilog=_SHOW)(show_game)
    group.command("check", epilog=_CHECK)(check_games)
    app.add_typer(group, name="games", help="Games: list them, show their rules, check them.", epilog=_GROUP)


_GROUP = """Examples:

  arena games list

  arena games show kuhn_poker
"""
_LIST = """Examples:

  arena games list

  arena games list --all

  arena games list --json
"""
_SHOW = """Examples:

  arena games show simple_negotiation

  arena games show kuhn_poker --param players=3 --seat 1

  arena games show openspiel/connect_four
"""
_CHECK = """Examples:

  arena games check tic_tac_toe

  arena games check openspiel/hex --matches 20
"""


def list_games(
    everything: Annotated[bool, typer.Option("--all", help="The games of OpenSpiel too.")] = False,
    as_json: Json = False,
) -> None:
    """List the games."""
    from games import list_games as specs
    from games.openspiel_catalog import generic_ids

    written = specs()
    others = sorted(generic_ids()) if everything else []
    if as_json:
        print_json(games=[spec_json(spec) for spec in written], openspiel=others)
        return
    from arena.cli.sheet import Column, Sheet

    columns = [Column("game"), Column("seats", right=True), Column("information"), Column("", shrink=True)]
    rows = [[spec.id, str(spec.seats), spec.information.value, spec.summary] for spec in written]
    Sheet(columns=columns, rows=rows).print()
    say()
    if others:
        from arena.display.safe import wrap

        for row in wrap("  ".join(others), 78):
            say(row)
    else:
        say(f"Also: {len(generic_ids())} turn-based games of OpenSpiel as openspiel/NAME (--all lists them).")


def show_game(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Id of a game.")],
    params: Params = None,
    seat: Annotated[int, typer.Option(min=0, help="The seat whose rules are shown.")] = 0,
    as_json: Json = False,
) -> None:
    """Show a game: its facts, parameters, rules as a player is told them, and a first position."""
    from arena.errors import UsageError
    from arena.prompts import turn_prompt
    from games import get_game

    loaded = get_game(game, params_from(params))
    if seat >= loaded.spec.seats:
        raise UsageError(f"{game} has seats 0 to {loaded.spec.seats - 1}; there is no seat {seat}.")
    state = loaded.new_state(0)
    mover = (*state.to_move(), 0)[0]
    first = turn_prompt(state.observe(mover), mover)
    if as_json:
        print_json(
            game=spec_json(loaded.spec),
            params=params_json(loaded),
            seat=seat,
            rules=loaded.rules(seat),
            bots=sorted(loaded.bots()),
            first_question=first,
        )
        return
    from arena.display.safe import clean, wrap

    spec = loaded.spec
    say(f"{spec.title}  ({spec.id})")
    say(clean(spec.summary))
    say()
    facts = {
        "seats": ", ".join(f"{number} {role}" for number, role in enumerate(spec.roles)),
        "kind": _kind(spec),
        "returns": f"{spec.min_return:g} to {spec.max_return:g}",
        "outcomes": ", ".join(spec.outcomes),
        "length": f"at most {spec.max_turns} turns",
        "bots": ", ".join(sorted(loaded.bots())),
        "source": spec.reference,
    }
    for name, value in facts.items():
        if value:
            say(f"  {name:<10}{clean(value)}")
    for name, told in params_json(loaded).items():
        say(f"  --param {name}={told['value']}   {told['allowed']} {told['help']}".rstrip())
    say()
    say(f"Rules, as seat {seat} ({spec.roles[seat]}) is told them:")
    for row in wrap(clean(loaded.rules(seat)), 76):
        say(f"  {row}")
    say()
    say(f"The first question of a match, to seat {mover}:")
    for row in clean(first).split("\n"):
        say(f"  {row}")


def check_games(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Id of a game.")],
    params: Params = None,
    matches: Annotated[int, typer.Option(min=1, help="Matches that are played to their end.")] = 50,
    seeds: Annotated[int, typer.Option(min=1, help="Matches whose every position is looked at.")] = 5,
    as_json: Json = False,
) -> None:
    """Hold a game to everything it declares, by playing it. Exit code 1 if it breaks something."""
    from games import get_game
    from games.conformance import CHECKS, check_game

    loaded = get_game(game, params_from(params))
    findings = check_game(loaded, seeds=range(seeds), matches=matches)
    if as_json:
        print_json(
            game=loaded.spec.id,
            params=dict(loaded.spec.params),
            checks=list(CHECKS),
            findings=[asdict(f) for f in findings],
        )
    else:
        from arena.display.draw import plural
        from arena.display.safe import one_line

        for finding in findings:
            say(f"  {one_line(str(finding), 1_000)}")
        verdict = plural(len(findings), "finding") if findings else "keeps everything it declares"
        say(f"{loaded.spec.id}: {verdict} ({len(CHECKS)} checks, {plural(matches, 'match', 'matches')}).")
    if findings:
        raise typer.Exit(1)


def spec_json(spec: GameSpec) -> dict[str, Any]:
    """A game's facts as plain data."""
    return {
        "id": spec.id,
        "title": spec.title,
        "summary": spec.summary,
        "seats": spec.seats,
        "roles": list(spec.roles),
        "utility": spec.utility.value,
        "information": spec.information.value,
        "dynamics": spec.dynamics.value,
        "min_return": spec.min_return,
        "max_return": spec.max_return,
        "outcomes": list(spec.outcomes),
        "max_turns": spec.max_turns,
        "params": dict(spec.params),
        "reference": spec.reference,
    }


def params_json(game: Game) -> dict[str, dict[str, Any]]:
    """Parameters: value in force, default, what is allowed, and what it means."""
    made = {}
    for name, value in game.spec.params.items():
        param = game.PARAMS.get(name)
        allowed = ""
        if param is not None and param.choices:
            allowed = "one of " + ", ".join(map(str, param.choices))
        elif param is not None and (param.low is not None or param.high is not None):
            allowed = f"{_bound(param.low)} to {_bound(param.high)}"
        made[name] = {
            "value": value,
            "default": value if param is None else param.default,
            "allowed": f"({allowed})" if allowed else "",
            "help": "" if param is None else param.help,
        }
    return made


def _bound(value: float | None) -> str:
    return "any" if value is None else f"{value:g}"


def _kind(spec: GameSpec) -> str:
    words = [spec.utility.value.replace("_", "-"), f"{spec.information.value} information"]
    return ", ".join(words if spec.dynamics.value == "turns" else [*words, spec.dynamics.value])
