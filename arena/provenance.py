"""What a result was made with: package versions and source commit."""

from __future__ import annotations

import platform
import subprocess
from importlib import metadata
from pathlib import Path

from arena import __version__

_PACKAGES = ("torch", "transformers", "peft", "trl", "open_spiel", "numpy")


def versions() -> dict[str, str]:
    """Versions of what decides results."""
    found = {"selfplay-arena": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def _git(*arguments: str) -> str:
    """Output of git in this package's folder; empty where there is no git, or no repository."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments
            ["git", "-C", str(Path(__file__).parent), *arguments],  # noqa: S607 - git from PATH
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def git_commit() -> str | None:
    """Commit of the source tree this package runs from, with `+changes` if it was edited; None if it is installed.

    A package in a virtual environment inside somebody's repository is not part of that repository.
    """
    if not _git("ls-files", "--", Path(__file__).name):
        return None
    commit = _git("rev-parse", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "..")
    return (commit + ("+changes" if changed else "")) or None
