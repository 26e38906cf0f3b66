"""`arena games list`: what can be played, sorted by where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.output import Json, print_json, say

if TYPE_CHECKING:
    from games import GameSpec

EPILOG = """Examples:

  arena games list

  arena games list --all

  arena games list --json
"""


def list_games(
    everything: Annotated[bool, typer.Option("--all", help="The games of OpenSpiel too.")] = False,
    as_json: Json = False,
) -> None:
    """List the games: those with a text written for a reader, their variants, and those of other packages."""
    from games import list_games as specs
    from games.openspiel_catalog import generic_facts
    from games.plugins import plugins
    from games.registry import is_social
    from games.shelf import VARIANTS
    from games.textarena import textarena_ids

    written = [spec for spec in specs() if spec.id not in VARIANTS]
    variants = [spec for spec in specs() if spec.id in VARIANTS]
    generic, adapted, foreign = generic_facts(), textarena_ids(), plugins()
    if as_json:
        social = sum(is_social(spec.id) for spec in written)
        print_json(
            counts={
                "zero_sum": len(written) - social,
                "social": social,
                "variants": len(variants),
                "openspiel": len(generic),
                "textarena": len(adapted),
                "plugins": sum(not plugin.error for plugin in foreign),
            },
            games=[{**spec_json(spec), "kind": kind(spec.id)} for spec in written],
            variants=[{**spec_json(spec), "kind": kind(spec.id), "of": VARIANTS[spec.id][0]} for spec in variants],
            openspiel=generic,
            textarena=list(adapted),
            plugins=[
                {
                    "id": plugin.id,
                    "package": plugin.package,
                    "error": plugin.error,
                    **(spec_json(plugin.spec) if plugin.spec else {}),
                }
                for plugin in foreign
            ],
        )
        return
    from arena.cli.sheet import Column, Sheet
    from arena.display.safe import one_line

    columns = [Column("game"), Column("kind"), Column("seats", right=True), Column("", shrink=True)]
    listed = sorted([*written, *variants], key=lambda spec: (is_social(spec.id), spec.id))
    rows = [[spec.id, kind(spec.id), str(spec.seats), spec.summary] for spec in listed]
    rows += [[p.id, "plug-in", str(p.spec.seats), p.spec.summary] for p in foreign if p.spec is not None]
    Sheet(columns=columns, rows=rows).print()
    for plugin in foreign:
        if plugin.error:
            say(f"Plug-in {one_line(plugin.id)} ({one_line(plugin.package)}) is broken: {one_line(plugin.error, 500)}")
    say()
    if everything:
        from arena.display.safe import wrap

        for row in wrap("  ".join([*(facts["id"] for facts in generic), *adapted]), 78):
            say(row)
    else:
        more = f" and {len(adapted)} of TextArena as textarena/NAME" if adapted else ""
        say(f"Also: {len(generic)} games of OpenSpiel as openspiel/NAME{more} (--all lists them).")


def kind(game_id: str) -> str:
    """Of a written game or variant: `social` or `zero-sum`."""
    from games.registry import is_social

    return "social" if is_social(game_id) else "zero-sum"


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
