"""One run of several games: three seats, moves made together, dealt roles, returns that are no contest."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from selfplay_helpers import kuhn_config, lines

from selfplay.advantages import ESTIMATORS
from selfplay.run import run_selfplay

GAMES = [
    {"id": "kuhn_poker", "params": {"players": 3}, "weight": 2.0},
    {"id": "iterated_prisoners_dilemma"},
    {"id": "undercover"},
]


@pytest.fixture(scope="module")
def mixed(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mixed") / "r"
    opponents = {"latest": 1.0, "past": 1.0, "fixed": {"random": 0.5}}
    run_selfplay(
        kuhn_config(tiny, games=GAMES, updates=2, snapshot_every=1, matches=40, opponents=opponents,
                    estimator={"name": "dept"}),
        str(path),
    )  # fmt: skip
    return path


def test_games_are_mixed_by_weight_and_told_by_role(mixed: Path) -> None:
    for line in lines(mixed / "metrics.jsonl"):
        games = line["games"]
        assert {game: told["matches"] + told["void"] for game, told in games.items()} == {
            "kuhn_poker": 20,
            "iterated_prisoners_dilemma": 10,
            "undercover": 10,
        }
        assert set(games["kuhn_poker"]["roles"]) == {"first", "second", "third"}
        assert set(games["undercover"]["roles"]) == {"civilian", "undercover"}
        for game, told in games.items():
            assert told["void"] == 0
            for role, numbers in told["roles"].items():
                baseline = line["estimator"].get(f"baseline/{game}/{role}")
                assert numbers.get("baseline") == baseline


def test_roles_are_those_of_the_match_and_the_learner_sits_in_every_seat(mixed: Path) -> None:
    seats: Counter[tuple[str, int]] = Counter()
    dealt = set()
    for line in lines(mixed / "matches.jsonl"):
        names = line["spec"]["players"]
        learner = [seat for seat, name in enumerate(names) if name.endswith("+live")]
        assert len(learner) in (1, len(names))
        if len(learner) == 1:
            seats[line["spec"]["game"], learner[0]] += 1
            assert len(set(names)) == 2
        if line["spec"]["game"] == "undercover":
            dealt.add(tuple(line["roles"]))
    assert len(dealt) > 1
    for game in ("kuhn_poker", "iterated_prisoners_dilemma"):
        counts = {seats[game, seat] for seat in range(3 if game == "kuhn_poker" else 2)}
        assert len(counts) == 1
        assert counts != {0}


@pytest.mark.parametrize("name", sorted(set(ESTIMATORS) - {"dept"}))
def test_every_estimator_trains_every_kind_of_game(tiny: str, tmp_path: Path, name: str) -> None:
    changes: dict[str, Any] = {"repeats": 4} if name == "group" else {}
    path = tmp_path / "r"
    summary = run_selfplay(
        kuhn_config(tiny, games=GAMES, updates=1, snapshot_every=1, matches=32, estimator={"name": name}, **changes),
        str(path),
    )
    assert summary.updates == 1
    (line,) = lines(path / "metrics.jsonl")
    assert line["grad_norm"] > 0
    advantages = [role["advantage_std"] for told in line["games"].values() for role in told["roles"].values()]
    assert any(advantages)
