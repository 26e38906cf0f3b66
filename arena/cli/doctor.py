"""`arena doctor`: whether this machine and this installation can do what the other commands need."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from email.message import Message
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.output import Json, print_json, say
from arena.errors import ArenaError

EPILOG = """Examples:

  arena doctor

  arena doctor --json

  arena doctor --model pocket
"""

DISTRIBUTION = "selfplay-arena"

OK, WARN, FAIL = "ok", "warn", "fail"

MEMORY_NEEDED_GB = 2.5


@dataclass(frozen=True, kw_only=True)
class Check:
    """One finding: what was looked at, `ok`, `warn` or `fail`, what was found, and what to do about it."""

    name: str
    status: str
    found: str
    advice: str = ""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", epilog=EPILOG)(doctor)


def doctor(
    model: Annotated[str, typer.Option(help="The base model that is tried.")] = "pocket", as_json: Json = False
) -> None:
    """Check that this machine can run everything.

    Looks at Python, packages and their tested ranges, threads, memory, device and write access, plays a match between
    bots, and lets the base model answer. Exit code 1 if something fails.
    """
    checks = [python(), *packages(), threads(), memory(), *attempts(model)]
    if as_json:
        print_json(ok=not any(check.status == FAIL for check in checks), checks=[asdict(check) for check in checks])
    else:
        from arena.display.safe import one_line

        marks = {OK: "ok  ", WARN: "warn", FAIL: "FAIL"}
        for check in checks:
            say(f"{marks[check.status]}  {check.name:<16} {one_line(check.found)}")
            if check.advice:
                say(f"      {'':<16} {one_line(check.advice)}")
    if any(check.status == FAIL for check in checks):
        raise typer.Exit(1)


def python() -> Check:
    """The interpreter."""
    have, wanted = ".".join(map(str, sys.version_info[:3])), str(_metadata()["Requires-Python"] or "")
    return _version("python", have, wanted, "install a Python of that range")


def packages() -> list[Check]:
    """Installed packages against the ranges that this version was tested with."""
    from importlib import metadata

    from packaging.requirements import Requirement

    checks = []
    for text in _metadata().get_all("Requires-Dist") or ():
        need = Requirement(str(text))
        if need.marker is not None and not need.marker.evaluate({"extra": ""}):
            continue
        advice = f"pip install '{need.name}{need.specifier}'"
        try:
            checks.append(_version(need.name, metadata.version(need.name), str(need.specifier), advice))
        except metadata.PackageNotFoundError:
            checks.append(Check(name=need.name, status=FAIL, found="not installed", advice=advice))
    return checks


def _metadata() -> Message:
    from importlib import metadata

    try:
        return metadata.metadata(DISTRIBUTION)  # type: ignore[return-value] # typed as a protocol that Message fulfils
    except metadata.PackageNotFoundError:
        raise ArenaError(
            f"{DISTRIBUTION} is not installed as a package; run `pip install -e .` in its folder."
        ) from None


def _version(name: str, have: str, specifier: str, advice: str) -> Check:
    from packaging.specifiers import SpecifierSet

    if SpecifierSet(specifier).contains(have, prereleases=True):
        return Check(name=name, status=OK, found=have)
    return Check(name=name, status=WARN, found=have, advice=f"tested with {specifier}; {advice}")


def threads() -> Check:
    """Cores, and how many threads torch may take of them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("OMP_NUM_THREADS")
    return Check(name="threads", status=OK, found=f"{cores} cores, OMP_NUM_THREADS {limit or 'not set'}")


def memory() -> Check:
    """Memory that is free."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) / 2**20
    except (OSError, StopIteration, ValueError, IndexError):
        return Check(name="memory", status=WARN, found="unknown on this system")
    status = OK if free >= MEMORY_NEEDED_GB else WARN
    advice = "" if status == OK else f"a demo run takes up to {MEMORY_NEEDED_GB} GB"
    return Check(name="memory", status=status, found=f"{free:.1f} GB free", advice=advice)


def attempts(model: str) -> list[Check]:
    """What can only be known by trying it."""
    tries: list[tuple[str, Callable[[], str], str]] = [
        ("device", device, "reinstall torch"),
        ("rules", rules, "reinstall open_spiel"),
        (f"model {model}", lambda: answer(model), "reinstall the package; its weights come with it"),
        ("write access", write_access, "change to a folder you may write to"),
    ]
    checks = []
    for name, attempt, advice in tries:
        try:
            checks.append(Check(name=name, status=OK, found=attempt()))
        except Exception as error:  # noqa: BLE001 - whatever breaks here is the finding
            checks.append(Check(name=name, status=FAIL, found=f"{type(error).__name__}: {error}", advice=advice))
    return checks


def device() -> str:
    """Where models run."""
    import torch

    if torch.cuda.is_available():
        name, total = torch.cuda.get_device_name(0), torch.cuda.get_device_properties(0).total_memory
        return f"cuda: {name}, {total / 2**30:.0f} GB"
    return f"cpu, {torch.get_num_threads()} threads (no GPU)"


def rules() -> str:
    """A match between bots."""
    import asyncio

    from arena.engine import play_match
    from arena.players.factory import PlayerFactory
    from arena.types import MatchSpec

    spec = MatchSpec(game="kuhn_poker", params={"players": 2}, seed=0, players=("random", "greedy"))
    factory = PlayerFactory()
    record = asyncio.run(play_match(spec, [factory(name) for name in spec.players]))
    if record.error is not None:
        raise RuntimeError(record.error)
    return f"a match of {spec.game} in {len(record.turns)} turns"


def answer(model: str) -> str:
    """A reply of the base model in a match."""
    import asyncio
    import time

    from arena.engine import play_match
    from arena.players.factory import PlayerFactory
    from arena.types import MatchSpec, Sampling

    start = time.perf_counter()
    player = PlayerFactory(model=model)("base")
    loaded = time.perf_counter() - start
    spec = MatchSpec(
        game="tic_tac_toe",
        seed=0,
        players=("base", "base"),
        turn_limit=1,
        sampling=Sampling(temperature=0, max_tokens=16),
    )
    record = asyncio.run(play_match(spec, [player, player]))
    if record.error is not None:
        raise RuntimeError(record.error)
    attempt = record.turns[0].attempts[-1]
    return f"loaded in {loaded:.1f} s, says {attempt.completion.text!r} ({attempt.issue.value})"


def write_access() -> str:
    """A file in the folder of runs."""
    import tempfile

    from arena.rundir import RUNS

    place = RUNS if RUNS.is_dir() else Path()
    with tempfile.NamedTemporaryFile(dir=place):
        return str(place.resolve())
