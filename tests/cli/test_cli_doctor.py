"""`arena doctor`: on this machine, and on machines that lack something."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Done

from arena.cli import doctor
from arena.errors import ArenaError

Arena = Callable[..., Done]


def test_this_machine_can_do_it_all(arena: Arena) -> None:
    done = arena("doctor")
    assert (done.code, done.err) == (0, "")
    names = [line[6:].split("  ")[0].strip() for line in done.out.splitlines() if not line.startswith("      ")]
    assert {"python", "torch", "threads", "memory", "device", "rules", "model pocket", "write access"} <= set(names)
    assert "(ok)" in next(line for line in done.out.splitlines() if "model pocket" in line)


def test_a_model_that_does_not_load_is_a_failure_with_advice(arena: Arena) -> None:
    done = arena("doctor", "--model", "no/such-model", "--json")
    assert done.code == 1
    told = json.loads(done.out)
    assert told["ok"] is False
    failed = [check for check in told["checks"] if check["status"] == "fail"]
    assert [check["name"] for check in failed] == ["model no/such-model"]
    assert failed[0]["advice"]


@pytest.fixture
def requirements(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def require(*lines: str, python: str = ">=3.11") -> None:
        message = Message()
        message["Requires-Python"] = python
        for line in lines:
            message["Requires-Dist"] = line
        monkeypatch.setattr(metadata, "metadata", lambda name: message)

    return require


def test_versions_outside_the_tested_range(requirements: Callable[..., None]) -> None:
    requirements("rich>=1", "typer<0.1", "no-such-package>=2", "pytest>=1; extra == 'dev'", python=">=99")
    assert doctor.python().status == doctor.WARN
    rich, typer, missing = doctor.packages()
    assert (rich.status, typer.status, missing.status) == (doctor.OK, doctor.WARN, doctor.FAIL)
    assert typer.advice == "tested with <0.1; pip install 'typer<0.1'"
    assert (missing.found, missing.advice) == ("not installed", "pip install 'no-such-package>=2'")


def test_a_source_tree_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "DISTRIBUTION", "no-such-distribution")
    with pytest.raises(ArenaError, match="pip install -e"):
        doctor.packages()


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda self, **settings: "MemTotal: 1 kB\nMemAvailable:  1048576 kB\n")
    low = doctor.memory()
    assert (low.status, low.found) == (doctor.WARN, "1.0 GB free")

    def gone(self: Path, **settings: Any) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", gone)
    assert doctor.memory().found == "unknown on this system"


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert doctor.threads().found.endswith("OMP_NUM_THREADS 1")


def test_findings_are_told_with_their_advice(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor, "attempts", lambda model: [doctor.Check(name="x", status="fail", found="a\x1b", advice="do")]
    )
    done = arena("doctor")
    assert done.code == 1
    assert done.out.splitlines()[-2:] == ["FAIL  x                a\\x1b", "      " + " " * 17 + "do"]


def test_python_dash_m_works() -> None:
    done = subprocess.run([sys.executable, "-m", "arena.cli", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("arena ")
