"""`arena selfplay`: train by self-play from the command line. Imports nothing heavy until it trains."""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.config import load_config
from selfplay.config import SelfPlayConfig
from selfplay.run import Summary, run_selfplay

EPILOG = """Examples:

  arena selfplay demo --run demo

  arena selfplay kuhn --run kuhn updates=20 optim.beta=0.1

  arena selfplay kuhn --run kuhn --resume

  arena selfplay demo --dry-run
"""


def register(app: typer.Typer) -> None:
    """Add the command to the `arena` application."""
    app.command("selfplay", epilog=EPILOG)(selfplay)


def selfplay(
    config: Annotated[str, typer.Argument(help="TOML file, or a preset: demo, kuhn.")],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Changes to the config.")
    ] = None,
    run: Annotated[str, typer.Option(help="Run name or path; the config's name by default.")] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Continue this run from its last checkpoint.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and stop.")] = False,
    seed: Annotated[int | None, typer.Option(help="Instead of the config's seed.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as a JSON object.")] = False,
) -> None:
    """Train a LoRA adapter by self-play: snapshots, metrics and records go to a run directory."""
    settings = load_config(
        config,
        overrides or [],
        SelfPlayConfig,
        kind="selfplay",
        defaults={} if seed is None else {"seed": seed},
    )
    name = run or Path(config).stem
    if dry_run:
        typer.echo(json.dumps(plan(settings, name), indent=1) if as_json else plan_text(settings, name))
        return
    with interruptible() as stop:
        summary = run_selfplay(
            settings,
            name,
            resume=resume,
            resume_command=resume_command(config, overrides or [], name, seed),
            emit=_silent if quiet else progress,
            stop=stop,
        )
    typer.echo(json.dumps(result(summary)) if as_json else result_text(summary))


def resume_command(config: str, overrides: list[str], name: str, seed: int | None) -> str:
    """The command that continues this run."""
    words = ["arena", "selfplay", config, *overrides, "--run", name]
    words += [] if seed is None else ["--seed", str(seed)]
    return shlex.join([*words, "--resume"])


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """A first Ctrl-C asks to stop where the state can be saved; a second one ends at once."""
    asked: list[int] = []

    def handle(number: int, frame: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        typer.echo("Stopping; the state is being saved. Once more to end at once.", err=True)

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


# --- what is said ------------------------------------------------------------------------------------------------------


def plan(settings: SelfPlayConfig, name: str) -> dict[str, Any]:
    """What a run would do."""
    games = settings.loaded_games()
    return {
        "schema": 1,
        "run": name,
        "model": settings.model,
        "updates": settings.updates,
        "matches": {game.spec.id: n for game, n in zip(games, settings.shares(), strict=True)},
        "roles": {game.spec.id: list(game.spec.roles) for game in games},
        "snapshots": -(-settings.updates // settings.snapshot_every),
        "config": settings.model_dump(mode="json"),
    }


def plan_text(settings: SelfPlayConfig, name: str) -> str:
    """The plan for people."""
    made = plan(settings, name)
    matches = ", ".join(f"{n} {game} ({'/'.join(made['roles'][game])})" for game, n in made["matches"].items())
    return (
        f"Would train {made['model']} as run {name}: {made['updates']} updates of {matches};\n"
        f"{made['snapshots']} snapshots, estimator {settings.estimator.name}, KL weight {settings.optim.beta}, "
        f"seed {settings.seed}. Nothing was written."
    )


def _silent(event: Mapping[str, Any]) -> None:
    pass


def progress(event: Mapping[str, Any]) -> None:
    """A line per update on stderr."""
    if event["t"] == "metrics":
        parts = [
            f"{game} "
            + " ".join(f"{role} {line['mean_return']:+.2f}" for role, line in values["roles"].items())
            + f" invalid {max(line['invalid'] for line in values['roles'].values()):.0%}"
            for game, values in event["games"].items()
            if values["roles"]
        ]
        typer.echo(
            f"update {event['update']}/{event['updates']}  {'  |  '.join(parts)}  ({event['total_s']:.1f} s)", err=True
        )
    elif event["t"] == "snapshot":
        typer.echo(f"snapshot {event['name']}", err=True)


def result(summary: Summary) -> dict[str, Any]:
    """What a run came to, as data."""
    return {
        "schema": 1,
        "run": str(summary.path),
        "updates": summary.updates,
        "snapshots": list(summary.snapshots),
        "metrics": dict(summary.metrics),
        "notes": list(summary.notes),
    }


def result_text(summary: Summary) -> str:
    """The result for people: the last update by game and role, and what to do next."""
    lines = [*summary.notes, f"{'game':<22}{'role':<12}{'return':>8}{'win':>7}{'draw':>7}{'loss':>7}{'invalid':>9}"]
    for game, values in summary.metrics.get("games", {}).items():
        lines += [
            f"{game:<22}{role:<12}{line['mean_return']:>+8.2f}{line['win']:>7.0%}{line['draw']:>7.0%}"
            f"{line['loss']:>7.0%}{line['invalid']:>9.1%}"
            for role, line in values["roles"].items()
        ]
    lines.append(f"{summary.path}: {summary.updates} updates, snapshots {', '.join(summary.snapshots)}")
    return "\n".join(lines)
