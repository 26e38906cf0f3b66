"""`arena selfplay`: train by self-play from the command line. Imports nothing heavy until it trains."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.output import Json, print_json, say
from arena.errors import ArenaError, Interrupted
from games.errors import GameError
from selfplay.ranks import is_leader, leave_ranks

if TYPE_CHECKING:
    from selfplay.config import SelfPlayConfig
    from selfplay.run import Summary

EPILOG = """Examples:

  arena selfplay demo --run demo

  arena selfplay kuhn --run kuhn updates=20 optim.beta=0.1

  arena selfplay kuhn --run kuhn --resume

  arena selfplay demo --dry-run
"""


def register(app: typer.Typer) -> None:
    """Add the command to the `arena` application."""
    app.command("selfplay", epilog=EPILOG)(one_voice()(selfplay))


def selfplay(
    config: Annotated[str, typer.Argument(metavar="CONFIG", help="TOML file, or a preset: demo, kuhn, league, dept.")],
    overrides: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Changes to the config.")] = None,
    run: Annotated[str, typer.Option(help="Run name or path; the config's name by default.")] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Continue this run from its last checkpoint.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and stop.")] = False,
    seed: Annotated[int | None, typer.Option(help="Instead of the config's seed.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    as_json: Json = False,
) -> None:
    """Train a LoRA adapter by self-play: snapshots, metrics and records go to a run directory."""
    from arena.config import load_config
    from arena.display import open_display
    from arena.rundir import RunDir
    from selfplay.config import SelfPlayConfig
    from selfplay.run import refuse_impossible, run_selfplay

    settings = load_config(
        config,
        overrides or [],
        SelfPlayConfig,
        kind="selfplay",
        defaults={} if seed is None else {"seed": seed},
    )
    name = run or Path(config).stem
    if dry_run:
        refuse_impossible(settings, name)
        if as_json:
            print_json(**plan(settings, name))
        else:
            say(plan_text(settings, name))
        return
    again = resume_command(config, overrides or [], name, seed)
    with open_display(
        kind="selfplay",
        title=name,
        total=settings.updates,
        unit="updates",
        run_dir=RunDir.locate(name) if is_leader() else None,
        quiet=quiet or not is_leader(),
        seed=settings.seed,
        details={"model": settings.model, "estimator": settings.estimator.name, "beta": settings.optim.beta},
    ) as display:
        try:
            with interruptible(display.note) as stop:
                summary = run_selfplay(
                    settings,
                    name,
                    resume=resume,
                    resume_command=again,
                    observer=display.observer,
                    emit=display.emit,
                    stop=stop,
                )
        except KeyboardInterrupt:
            if not (RunDir.locate(name) / "run.json").is_file():
                raise Interrupted("Ended before anything was written; the same command begins again.") from None
            raise Interrupted(f"Ended at once; the last checkpoint stands. Continue with: {again}") from None
    if not is_leader():
        return
    if as_json:
        print_json(**result(summary))
    else:
        say(result_text(summary))


@contextmanager
def one_voice() -> Iterator[None]:
    """Of several ranks only the first says why it ended; the others end with the same exit code."""
    try:
        yield
        leave_ranks()
    except (ArenaError, GameError) as error:
        leave_ranks()
        if is_leader():
            raise
        raise typer.Exit(getattr(error, "exit_code", 2)) from None


def resume_command(config: str, overrides: list[str], name: str, seed: int | None) -> str:
    """The command that continues this run."""
    words = ["arena", "selfplay", config, *overrides, "--run", name]
    words += [] if seed is None else ["--seed", str(seed)]
    return shlex.join([*words, "--resume"])


@contextmanager
def interruptible(note: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """A first Ctrl-C asks to stop where the state can be saved; a second one ends at once.

    Args:
        note: takes the sentence that says so.
    """
    asked: list[int] = []

    def handle(number: int, frame: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        note("Stopping; the state is being saved. Ctrl-C once more ends at once.")

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


# --- what is said --------------------------------------------------------------------------------------------------


def opponent_shares(settings: SelfPlayConfig) -> dict[str, float]:
    """Share of the matches against each kind of opponent, once there are snapshots."""
    opponents = settings.opponents
    weights = {kind: getattr(opponents, kind) for kind in ("latest", "past", "recent", "pfsp")} | opponents.fixed
    return {kind: weight / sum(weights.values()) for kind, weight in weights.items() if weight > 0}


def plan(settings: SelfPlayConfig, name: str) -> dict[str, Any]:
    """What a run would do.

    Raises:
        ConfigError: an opponent that cannot sit down.
    """
    from selfplay.league import check_fixed

    games = settings.loaded_games()
    check_fixed(settings.opponents.fixed, games, name)
    return {
        "run": name,
        "model": settings.model,
        "updates": settings.updates,
        "matches": {game.spec.id: n for game, n in zip(games, settings.shares(), strict=True)},
        "roles": {game.spec.id: list(game.spec.roles) for game in games},
        "opponents": opponent_shares(settings),
        "snapshots": -(-settings.updates // settings.snapshot_every),
        "config": settings.model_dump(mode="json"),
    }


def plan_text(settings: SelfPlayConfig, name: str) -> str:
    """The plan for people."""
    made = plan(settings, name)
    matches = ", ".join(f"{n} {game} ({'/'.join(made['roles'][game])})" for game, n in made["matches"].items())
    met = ", ".join(
        f"{share:.0%} {'itself' if kind == 'latest' else kind}" for kind, share in made["opponents"].items()
    )
    return (
        f"Would train {made['model']} as run {name}: {made['updates']} updates of {matches};\n"
        f"opponents {met};\n"
        f"{made['snapshots']} snapshots, estimator {settings.estimator.name}, KL weight {settings.optim.beta}, "
        f"seed {settings.seed}. Nothing was written."
    )


def result(summary: Summary) -> dict[str, Any]:
    """What a run came to, as data."""
    return {
        "run": str(summary.path),
        "updates": summary.updates,
        "snapshots": list(summary.snapshots),
        "metrics": dict(summary.metrics),
        "notes": list(summary.notes),
    }


def result_text(summary: Summary) -> str:
    """The result for people: the last update by game and role, and what to do next."""
    games = summary.metrics.get("games", {})
    wide = max([20, *map(len, games)]) + 2
    role_wide = max([10, *(len(role) for values in games.values() for role in values["roles"])]) + 2
    head = f"{'return':>8}{'win':>7}{'draw':>7}{'loss':>7}{'invalid':>9}"
    lines = [*summary.notes, f"{'game':<{wide}}{'role':<{role_wide}}{head}"]
    for game, values in games.items():
        lines += [
            f"{game:<{wide}}{role:<{role_wide}}{line['mean_return']:>+8.2f}{line['win']:>7.0%}{line['draw']:>7.0%}"
            f"{line['loss']:>7.0%}{line['invalid']:>9.1%}"
            for role, line in values["roles"].items()
        ]
    lines.append(f"{summary.path}: {summary.updates} updates, snapshots {', '.join(summary.snapshots)}")
    return "\n".join(lines)
