"""Run directories: one writer, everything resumable, everything said about how it was made.

`runs/NAME/` holds run.json, matches.jsonl, metrics.jsonl, events.jsonl, checkpoints/, snapshots/, eval/ and logs/.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from arena.errors import ConfigError, RecordError, RunBusyError, RunNotFoundError, UsageError
from arena.provenance import git_commit, versions
from games.suggest import nearest

RUNS = Path("runs")
"""Where runs named without a path lie, below the working directory."""

LOCK = ".lock"
"""Locked, and holding the writer's process id, while a run is written."""

LOCK_TRIES = 5

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def write_json(path: Path, obj: Mapping[str, Any]) -> None:
    """Write a JSON file so that readers see the old one or the new one, never half of one."""
    text = json.dumps(obj, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def digest(config: Mapping[str, Any]) -> str:
    """SHA-256 of a resolved config."""
    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()


def differences(old: Any, new: Any, where: str = "") -> list[str]:
    """Dotted keys at which two resolved configs differ, each with both values."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        found = []
        for key in [*old, *(key for key in new if key not in old)]:
            below = f"{where}.{key}" if where else str(key)
            found += differences(old.get(key, "(not set)"), new.get(key, "(not set)"), below)
        return found
    return [] if old == new else [f"{where} was {old!r}, is now {new!r}"]


class RunDir:
    """One run directory. Readers use `find`; the one writer comes from `create` or `resume` and holds the lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None

    @property
    def name(self) -> str:
        """The run's name, as snapshots carry it."""
        return self.path.name

    @property
    def matches(self) -> Path:
        """The records."""
        return self.path / "matches.jsonl"

    @property
    def metrics(self) -> Path:
        """One line per update."""
        return self.path / "metrics.jsonl"

    @property
    def events(self) -> Path:
        """What the live view shows; losable."""
        return self.path / "events.jsonl"

    @property
    def snapshots(self) -> Path:
        """Adapter folders, one per snapshot."""
        return self.path / "snapshots"

    @property
    def checkpoints(self) -> Path:
        """Complete training states."""
        return self.path / "checkpoints"

    @classmethod
    def locate(cls, name: str) -> Path:
        """Where a run of this name or path lies, or would."""
        path = Path(name)
        return path if len(path.parts) > 1 or path.is_absolute() else RUNS / name

    @classmethod
    def find(cls, name: str) -> RunDir:
        """An existing run by name or path.

        Raises:
            RunNotFoundError: names the nearest run and those there are.
        """
        path = cls.locate(name)
        if Path(name).name:  # `.` and the like name no folder of their own, only the one that holds the runs
            for place in (path, Path(name)):
                if os.path.isfile(place / "run.json"):  # unlike Path.is_file, it takes names of any length
                    return cls(place)
        parent = path.parent if Path(name).name else RUNS
        known = sorted(p.parent.name for p in parent.glob("*/run.json")) if parent.is_dir() else []
        guess = nearest(path.name, known)
        hint = f" Did you mean {guess!r}?" if guess else ""
        raise RunNotFoundError(f"No run {name!r}.{hint} Runs in {parent}/: {', '.join(known[-20:]) or 'none'}.")

    @classmethod
    def create(cls, name: str, kind: str, config: Mapping[str, Any], *, seed: int, device: str = "cpu") -> RunDir:
        """Make a new run directory and lock it.

        Raises:
            UsageError: a run of this name exists (says how to continue it), or the name is not allowed.
            RunBusyError: another process is writing there.
        """
        path = cls.locate(name)
        if not _NAME.fullmatch(Path(name).name):
            raise UsageError(
                f"Run name {Path(name).name or name!r}: use 1 to 100 letters, digits and . _ - only, and begin with a "
                "letter or digit (snapshots are NAME@STEP)."
            )
        if (path / "run.json").exists():
            raise UsageError(f"The run {path} exists. Add --resume to continue it, or choose another --run name.")
        path.mkdir(parents=True, exist_ok=True)
        run = cls(path)
        run.lock()
        if (path / "run.json").exists():  # made by another process since the check above
            run.unlock()
            raise UsageError(f"The run {path} exists. Add --resume to continue it, or choose another --run name.")
        run.write(
            {
                "schema": 1,
                "kind": kind,
                "name": run.name,
                "status": "running",
                "config": dict(config),
                "config_sha256": digest(config),
                "command": sys.argv,
                "versions": versions(),
                "git_commit": git_commit(),
                "seed": seed,
                "device": device,
                "created_unix_s": round(time.time(), 3),
            }
        )
        return run

    @classmethod
    def resume(cls, name: str, kind: str, config: Mapping[str, Any], *, harmless: frozenset[str]) -> RunDir:
        """Lock an existing run to continue it under the same config.

        Args:
            name: run name or path.
            kind: `selfplay` or `tournament`.
            config: the config as resolved now.
            harmless: top-level keys that may differ (they change no result).

        Raises:
            ConfigError: the run was made with other settings; names them.
            RunBusyError: another process is writing to it.
            RunNotFoundError: there is no such run.
        """
        run = cls.find(name)
        info = run.read()
        if info.get("kind") != kind:
            raise ConfigError(f"The run {run.path} is a {info.get('kind')} run, not a {kind} run.")
        if not isinstance(info.get("config"), dict):
            raise RecordError(f"{run.path / 'run.json'} holds no config. Restore the file, or start a new run.")
        old, new = info["config"], json.loads(json.dumps(config))
        old, new = ({k: v for k, v in c.items() if k not in harmless} for c in (old, new))
        changed = differences(old, new)
        if changed:
            raise ConfigError(
                f"The run {run.path} was started with other settings: {'; '.join(changed)}. "
                f"Continue with the old ones, or start a new run. May differ: {', '.join(sorted(harmless))}."
            )
        run.lock()
        run.write({**info, "status": "running", "config": dict(config), "config_sha256": digest(config)})
        return run

    def read(self) -> dict[str, Any]:
        """Contents of run.json. Raises RecordError when it is damaged."""
        try:
            obj = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise RecordError(f"{self.path / 'run.json'} cannot be read: {error}. Restore the file.") from error
        if not isinstance(obj, dict):
            raise RecordError(f"{self.path / 'run.json'} is not a JSON object. Restore the file.")
        return obj

    def write(self, info: Mapping[str, Any]) -> None:
        """Replace run.json."""
        write_json(self.path / "run.json", info)

    def set_status(self, status: str) -> None:
        """`running`, `interrupted`, `failed` or `done`."""
        self.write({**self.read(), "status": status})

    def lock(self) -> None:
        """Become the one writer; the lock ends with the process, however it ends.

        Raises:
            RunBusyError: another process is writing; names it.
        """
        file = (self.path / LOCK).open("a+")
        # A reader that asks whether anybody writes holds the lock for an instant: try again before giving up.
        for attempt in range(LOCK_TRIES):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if attempt < LOCK_TRIES - 1:
                    time.sleep(0.02)
        else:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            file.close()
            raise RunBusyError(
                f"The run {self.path} is being written by process {holder}. Wait for it or stop it first; "
                f"`arena watch {self.path}` shows it."
            )
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._lock = file

    def unlock(self) -> None:
        """Stop being the writer."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def writer_alive(self) -> bool:
        """Whether some process holds the run."""
        try:
            with (self.path / LOCK).open() as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False
