"""`arena snapshots`: which there are, what they say of themselves, and whether they are whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.group import ArenaTyper
from arena.cli.output import Json, print_json, say

if TYPE_CHECKING:
    from arena.snapshots import Snapshot

_GROUP = """Examples:

  arena snapshots list demo

  arena snapshots verify demo@all
"""
_LIST = """Examples:

  arena snapshots list

  arena snapshots list demo --json
"""
_SHOW = """Examples:

  arena snapshots show demo@latest

  arena snapshots show demo@000010 --json
"""
_VERIFY = """Examples:

  arena snapshots verify demo@all

  arena snapshots verify demo@latest --base
"""

Reference = Annotated[str, typer.Argument(metavar="RUN@STEP", help="RUN@000120, RUN@latest or RUN@all.")]
"""The argument that names snapshots."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = ArenaTyper()
    group.command("list", epilog=_LIST)(list_all)
    group.command("show", epilog=_SHOW)(show)
    group.command("verify", epilog=_VERIFY)(verify)
    app.add_typer(group, name="snapshots", help="Snapshots: list, show and verify them.", epilog=_GROUP)


def list_all(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name or path of a run; all runs without it.")] = "",
    as_json: Json = False,
) -> None:
    """List the snapshots of a run, or of all runs here."""
    from arena.rundir import RUNS, RunDir
    from arena.snapshots import list_snapshots

    folders = [RunDir.find(run)] if run else [RunDir(path.parent) for path in sorted(RUNS.glob("*/run.json"))]
    found = [snapshot for folder in folders for snapshot in list_snapshots(folder)]
    if as_json:
        print_json(snapshots=[snapshot_json(snapshot) for snapshot in found])
        return
    if not found:
        say(f"No snapshots in {folders[0].path if run else RUNS}.")
        return
    from arena.cli.sheet import Column, Sheet

    names = ("snapshot", "base", "parent", "games")
    rows = [[s.name, _text(s, "base_model"), _text(s, "parent"), _listed(s.info.get("games"))] for s in found]
    Sheet(columns=[Column(name, shrink=name == "games") for name in names], rows=rows).print()


def show(reference: Reference, as_json: Json = False) -> None:
    """Show what snapshots say of themselves: parent, base model, games, metrics, hash."""
    from arena.display.draw import plural
    from arena.display.safe import clean
    from arena.snapshots import find_snapshots, tensor_shapes

    found = find_snapshots(reference)
    if as_json:
        print_json(snapshots=[snapshot_json(snapshot) for snapshot in found])
        return
    for snapshot in found:
        shapes = tensor_shapes(snapshot.folder / "adapter_model.safetensors")
        parameters = sum(_size(shape) for shape in shapes.values())
        say(f"{clean(snapshot.name)}  {clean(str(snapshot.folder))}")
        say(f"  {plural(len(shapes), 'tensor')}, {plural(parameters, 'parameter')}")
        for key, value in snapshot.info.items():
            if key not in ("schema", "name", "metrics"):
                say(f"  {clean(str(key)):<18}{clean(_listed(value))}")
        metrics = snapshot.info.get("metrics")
        for key, value in metrics.items() if isinstance(metrics, dict) else ():
            if isinstance(value, int | float):
                say(f"  metrics.{clean(str(key)):<18}{value:.6g}")


def verify(
    reference: Reference,
    base: Annotated[bool, typer.Option("--base", help="Load its base model too, and check that it fits.")] = False,
    as_json: Json = False,
) -> None:
    """Check that snapshots are whole and unaltered. Exit code 1 if one is not."""
    from arena.snapshots import find_snapshots, verify_snapshot

    bases: dict[str, Any] = {}
    results: dict[str, list[str]] = {}
    for snapshot in find_snapshots(reference):
        name = str(snapshot.info.get("base_model"))
        if base and name not in bases:
            from arena.models.registry import load_base

            bases[name] = load_base(name, device="cpu")
        results[snapshot.name] = verify_snapshot(snapshot, bases.get(name))
    if as_json:
        print_json(ok=not any(results.values()), snapshots=results)
    else:
        from arena.display.safe import one_line

        for name, problems in results.items():
            say(one_line(f"{name}  {'; '.join(problems) or 'ok'}"))
    if any(results.values()):
        raise typer.Exit(1)


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot as plain data."""
    return {"name": snapshot.name, "folder": str(snapshot.folder), "step": snapshot.step, "info": dict(snapshot.info)}


def _text(snapshot: Snapshot, key: str) -> str:
    return str(snapshot.info.get(key, ""))


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size
