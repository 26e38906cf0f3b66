"""`arena tournament`: a round robin in a run directory, and its report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.group import ArenaTyper
from arena.cli.output import Json, print_json, say, tell

if TYPE_CHECKING:
    from arena.config import TournamentConfig
    from arena.display import Standing
    from arena.tables import Standings
    from arena.tally import Tally
    from arena.tournament import Plan

_GROUP = """Examples:

  arena tournament run bots --run first

  arena tournament report first
"""
_RUN = """Examples:

  arena tournament run bots --run first

  arena tournament run bots --run quick pairs=10 'players=["random", "greedy"]'

  arena tournament run bots --run first --resume

  arena tournament run bots --dry-run
"""
_REPORT = """Examples:

  arena tournament report first

  arena tournament report first --json
"""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = ArenaTyper()
    group.command("run", epilog=_RUN)(run)
    group.command("report", epilog=_REPORT)(report)
    app.add_typer(group, name="tournament", help="Tournaments: play and resume them, report on them.", epilog=_GROUP)


def run(
    config: Annotated[str, typer.Argument(metavar="CONFIG", help="TOML file, or name of a preset.")],
    overrides: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Changes to the config.")] = None,
    run: Annotated[str, typer.Option(metavar="NAME", help="Name or path of the run; the config's own otherwise.")] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Continue this run.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be played, and stop.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the config's seed.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: Json = False,
) -> None:
    """Play everybody against everybody, in seat-swapped pairs, and rate them."""
    from arena.config import TournamentConfig, load_config
    from arena.display import open_display
    from arena.errors import Interrupted
    from arena.players.factory import PlayerFactory
    from arena.rundir import RunDir
    from arena.tournament import make_plan, open_run, run_tournament

    defaults = {} if seed is None else {"seed": seed}
    settings = load_config(config, overrides or [], TournamentConfig, kind="tournament", defaults=defaults)
    name = run or settings.name or Path(config).stem
    factory = PlayerFactory(model=settings.model, device=settings.device)
    if dry_run:
        _dry_run(make_plan(settings, factory), name, as_json)
        return
    if "human" in settings.players and not quiet:
        quiet = True
        tell("A person plays, so the screen is theirs: `arena watch` shows the tournament in another terminal.")
    folder = open_run(settings, factory, name, resume=resume)
    again = resume_command(config, overrides or [], name, seed)
    display = open_display(
        kind="tournament",
        title=name,
        unit="matches",
        run_dir=RunDir.locate(name),
        quiet=quiet,
        seed=settings.seed,
        device="" if settings.device == "auto" else settings.device,
    )
    with display:
        display.stage("prepare")
        began = False

        def progressed(progress: Any) -> None:
            nonlocal began
            if not began:
                began = True
                display.stage("play")
                display.progress(progress.resumed, progress.total)
            display.progress(progress.done, progress.total)
            display.standings(lambda: standing_rows(progress.tally))

        try:
            standings = run_tournament(
                settings, folder, factory, observer=display.observer, progress=progressed, resume_command=again
            )
        except KeyboardInterrupt:  # a second one, while the first was being dealt with
            raise Interrupted(f"Ended at once. Every match on file stands. Continue with: {again}") from None
        if not began:  # nothing was owed: say what is there
            display.progress(standings.matches, standings.matches)
    write_report(RunDir.find(name).path, standings, settings)
    show(standings, settings, RunDir.find(name).path, as_json)
    if standings.owed:
        from arena.display.draw import plural
        from arena.errors import ArenaError

        owed = plural(standings.owed, "void match is", "void matches are")
        raise ArenaError(f"{owed} owed. Continue with: {again}")


def report(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name or path of a tournament's run.")],
    as_json: Json = False,
) -> None:
    """Rate what is on file, write standings.json and standings.md, and print the tables."""
    from arena.config import TournamentConfig
    from arena.display.safe import one_line
    from arena.errors import ConfigError, UsageError
    from arena.results import read_results
    from arena.rundir import RunDir
    from arena.standings import compute_standings

    folder = RunDir.find(run)
    info = folder.read()
    if info.get("kind") != "tournament":
        raise UsageError(f"{folder.path} is a {info.get('kind')} run, not a tournament; `arena watch {run}` shows it.")
    try:
        settings = TournamentConfig.model_validate(info["config"])
    except (ValueError, KeyError) as error:
        raise ConfigError(f"{folder.path / 'run.json'}: its config cannot be read: {error}") from error
    standings = compute_standings(
        read_results(folder.matches), bootstrap=settings.bootstrap, seed=settings.seed, skipped=_skipped(folder.path)
    )
    status = one_line(str(info.get("status")))
    if not standings.matches:
        raise UsageError(f"{folder.path} has no finished match yet; there is nothing to report.")
    refused = None
    try:
        write_report(folder.path, standings, settings)
    except OSError as error:  # somebody else's run may be looked at all the same
        refused = error
    show(standings, settings, folder.path, as_json)
    if status != "done":
        tell(f"The run is {status}: these standings are of what is on file.")
    if refused is not None:
        raise refused


def resume_command(config: str, overrides: list[str], name: str, seed: int | None) -> str:
    """The command that continues this run."""
    words = ["arena", "tournament", "run", config, *overrides, "--run", name]
    words += [] if seed is None else ["--seed", str(seed)]
    return shlex.join([*words, "--resume"])


def standing_rows(tally: Tally) -> list[Standing]:
    """Results so far, over all games."""
    from arena.display import Standing

    found: dict[str, list[int]] = {}
    for game in tally.games.values():
        for name, player in game.players.items():
            row = found.setdefault(name, [0, 0, 0, 0])
            for wdl in player.by_seat.values():
                for index in range(3):
                    row[index] += wdl[index]
            row[3] += player.forfeits.total()
    return [Standing(name, *row) for name, row in found.items()]


def write_report(folder: Path, standings: Standings, settings: TournamentConfig) -> None:
    """standings.json and standings.md."""
    from arena.cli.tables import standings_sheets
    from arena.rundir import write_json
    from arena.tournament import STANDINGS

    write_json(folder / STANDINGS, standings.to_json())
    sheets = standings_sheets(standings, _roles(settings))
    text = f"# Tournament {folder.name}\n\n" + "\n".join(sheet.markdown() for sheet in sheets)
    (folder / "standings.md").write_text(text, encoding="utf-8")


def show(standings: Standings, settings: TournamentConfig, folder: Path, as_json: bool) -> None:
    """The result on stdout."""
    if as_json:
        print_json(run=str(folder), standings=standings.to_json())
        return
    from arena.cli.tables import standings_sheets

    for sheet in standings_sheets(standings, _roles(settings)):
        sheet.print()
        say()
    say(f"{folder}: matches.jsonl, standings.json, standings.md")


def _roles(settings: TournamentConfig) -> dict[str, tuple[str, ...]]:
    from games import get_game

    return {game.id: get_game(game.id, game.params).spec.roles for game in settings.games}


def _skipped(folder: Path) -> list[dict[str, str]]:
    """Combinations that were not played, as the run itself wrote them down."""
    import json

    from arena.tournament import STANDINGS

    try:
        told = json.loads((folder / STANDINGS).read_text(encoding="utf-8"))["skipped"]
        return [{key: str(entry[key]) for key in ("game", "player", "reason")} for entry in told]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return []


def _dry_run(plan: Plan, name: str, as_json: bool) -> None:
    games = {game.spec.id: [p for p in plan.players if plan.may_play(p, game)] for game in plan.games}
    if as_json:
        print_json(
            run=name,
            matches=plan.total,
            players=list(plan.players),
            games=games,
            skipped=[dict(entry) for entry in plan.skipped],
            config=plan.config.model_dump(mode="json"),
        )
        return
    from arena.cli.tables import skipped_notes

    pairs, seed = plan.config.pairs, plan.config.seed
    say(f"Would play {plan.total:,} matches as run {name}: {pairs} pairs per pairing and game, seed {seed}.")
    for game, players in games.items():
        say(f"  {game}: {', '.join(players)}")
    for note in skipped_notes(plan.skipped):
        say(f"  {note}")
    say("Nothing was written.")
