"""`arena games`: what can be played, by which rules, and whether a game keeps its promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import games_check, games_list
from arena.cli.group import ArenaTyper
from arena.cli.output import Json, Params, params_from, print_json, say

if TYPE_CHECKING:
    from games import Game, GameSpec


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = ArenaTyper()
    group.command("list", epilog=games_list.EPILOG)(games_list.list_games)
    group.command("show", epilog=_SHOW)(show_game)
    group.command("check", epilog=games_check.EPILOG)(games_check.check_games)
    app.add_typer(group, name="games", help="Games: list them, show their rules, check them.", epilog=_GROUP)


_GROUP = """Examples:

  arena games list

  arena games show kuhn_poker
"""
_SHOW = """Examples:

  arena games show simple_negotiation

  arena games show kuhn_poker --param players=3 --seat 1

  arena games show openspiel/connect_four
"""


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
            game=games_list.spec_json(loaded.spec),
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
