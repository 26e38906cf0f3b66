"""The repository itself: files that must be there, presets that load, modules that stay small."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config import StrictModel, TournamentConfig, load_config
from eval.study_config import StudyConfig
from selfplay.config import SelfPlayConfig

ROOT = Path(__file__).parent.parent
PRESETS = sorted((ROOT / "configs").rglob("*.toml"))
MODELS: dict[str, type[StrictModel]] = {
    "selfplay": SelfPlayConfig,
    "tournament": TournamentConfig,
    "study": StudyConfig,
}


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", ".ci/run"])
def test_conventional_files_are_there(name: str) -> None:
    assert (ROOT / name).stat().st_size > 100


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_preset_is_headed_by_its_command_and_loads(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert first.startswith("# arena ")
    assert path.stem in first
    load_config(str(path), [], MODELS[path.parent.name])


def test_modules_stay_small() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for package in ("games", "arena", "selfplay", "eval")
        for path in (ROOT / package).rglob("*.py")
        if (count := len(path.read_text().splitlines())) > 400
    }
    assert not long
