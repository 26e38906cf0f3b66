"""What is measured of a cell's snapshots. Every number is on file as soon as it is there, and is not made twice.

Numbers are kept in `values.jsonl` under a hash of all that decides them (weights, prompts, deals), so a study that was
interrupted goes on where it was, and one that was given more seeds or evaluations measures only what is new.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, RecordError
from arena.jsonl import JsonLog, read_json_lines
from arena.pairing import rotations
from arena.players.factory import PlayerFactory
from arena.results import MatchResult, result_of
from arena.rundir import RunDir
from arena.runner import run_matches
from arena.snapshots import Snapshot, list_snapshots
from arena.types import Ended, Sampling
from eval.averages import average_policy
from eval.exact import evaluate_policy, load_exact_game
from eval.infostates import Decision, decisions
from eval.policies import Policy, policy_of
from eval.study_cells import Cell, Plan
from games import get_game

Curve = list[tuple[int, float]]
"""(updates seen, value); 0 is the base model."""

CONCURRENCY = 128


class Values:
    """The numbers of a study.

    Args:
        plan: the study.
        progress: told what is being measured.
    """

    def __init__(self, plan: Plan, progress: Callable[[str], None]) -> None:
        path = plan.folder / "values.jsonl"
        self._plan = plan
        self._progress = progress
        self._known: dict[str, Any] = {}
        for number, line in enumerate(read_json_lines(path), start=1):
            if "key" not in line or "value" not in line:
                raise RecordError(f"{path}, line {number}: no key and value. Delete the line; it is measured anew.")
            self._known[line["key"]] = line["value"]
        self._log = JsonLog(path)
        self._factories: dict[tuple[str, str], PlayerFactory] = {}
        self._decisions = cache(_decisions)

    def close(self) -> None:
        """Force the file to disk."""
        self._log.close()

    def curves(self, cell: Cell) -> dict[str, Curve]:
        """By evaluation, and by game for scores at several games, the curve of a finished cell.

        Raises:
            ArenaError: its last snapshot is gone.
        """
        snapshots = list_snapshots(RunDir(cell.path))
        if self._plan.evaluations and (not snapshots or snapshots[-1].step != cell.updates):
            raise ArenaError(
                f"The snapshot of update {cell.updates} is gone from {cell.path / 'snapshots'}. Restore it, or delete "
                f"{cell.path} to run the cell anew."
            )
        made: dict[str, Curve] = {}
        for evaluation in self._plan.evaluations:
            self._progress(f"{cell.name} {evaluation.name}")
            if evaluation.kind == "score":
                for game in self._plan.games:
                    name = evaluation.name if len(self._plan.games) == 1 else f"{evaluation.name}:{game['id']}"
                    made[name] = [
                        (
                            snapshot.step if snapshot else 0,
                            self._score(cell, snapshot, snapshots, evaluation.subject, game),
                        )
                        for snapshot in (None, *snapshots)
                        if snapshot or evaluation.subject != "base"
                    ]
            elif evaluation.kind == "nashconv":
                made[evaluation.name] = [
                    (snapshot.step if snapshot else 0, self._conv(cell, [snapshot], snapshots, evaluation.subject))
                    for snapshot in (None, *snapshots)
                ]
            else:
                late = evaluation.kind == "late_average"
                made[evaluation.name] = [
                    (
                        snapshots[n - 1].step,
                        self._conv(cell, list(snapshots[n // 2 if late else 0 : n]), snapshots, evaluation.subject),
                    )
                    for n in range(1, len(snapshots) + 1)
                ]
        return made

    # --- one number -------------------------------------------------------------------------------------------------

    def _conv(self, cell: Cell, of: Sequence[Snapshot | None], snapshots: Sequence[Snapshot], game: str) -> float:
        """NashConv of the average of some snapshots; None among them is the base model."""
        settings = self._plan.settings[cell.arm]
        parts = [self._identity(one, snapshots) for one in of]

        def measure() -> float:
            found = self._decisions(game, settings["show_legal"])
            policies = [self._policy(cell, one, snapshots, game) for one in of]
            mixed = policies[0] if len(policies) == 1 else average_policy(found, policies)
            return evaluate_policy(cell.name, lambda _: mixed, game, show_legal=settings["show_legal"]).nash_conv

        return float(self._once(measure, "nashconv", game, settings["show_legal"], parts))

    def _policy(self, cell: Cell, one: Snapshot | None, snapshots: Sequence[Snapshot], game: str) -> Policy:
        """What a snapshot does at every decision of a game."""
        settings = self._plan.settings[cell.arm]
        found = self._decisions(game, settings["show_legal"])

        def measure() -> list[Any]:
            policy = policy_of(self._factory(cell)(self._reference(cell, one)), found)
            probabilities = [
                [p[action] for action in d.answers] for d, p in zip(found, policy.probabilities, strict=True)
            ]
            return [probabilities, list(policy.illegal)]

        rows, illegal = self._once(measure, "policy", game, settings["show_legal"], self._identity(one, snapshots))
        return Policy(
            probabilities=tuple(dict(zip(d.answers, row, strict=True)) for d, row in zip(found, rows, strict=True)),
            illegal=tuple(illegal),
        )

    def _score(
        self, cell: Cell, one: Snapshot | None, snapshots: Sequence[Snapshot], opponent: str, game: Mapping[str, Any]
    ) -> float:
        """Share of points against a player, a draw being half a point; the deals belong to the cell's seed."""
        settings, pairs = self._plan.settings[cell.arm], self._plan.config.pairs
        how = {key: settings[key] for key in ("show_legal", "retries")}

        def measure() -> float:
            loaded, factory = get_game(game["id"], game["params"]), self._factory(cell)
            me, (them,) = self._reference(cell, one), factory.expand([opponent])
            specs = [
                spec
                for number in range(pairs)
                for spec in rotations(
                    (me, them),
                    loaded,
                    number,
                    seed=cell.seed,
                    sampling=Sampling(**settings["sampling"]),
                    tag="study",
                    **how,
                )
            ]

            async def play() -> list[MatchResult]:
                return [result_of(record) async for record in run_matches(specs, factory, concurrency=CONCURRENCY)]

            return mean_points(asyncio.run(play()), me, them)

        identity = self._identity(one, snapshots)
        return float(
            self._once(measure, "score", opponent, game, settings["sampling"], how, pairs, cell.seed, identity)
        )

    # --- what it is made of -----------------------------------------------------------------------------------------

    def _once(self, measure: Callable[[], Any], *decided_by: Any) -> Any:
        """A number from the file, or made and put there."""
        key = hashlib.sha256(json.dumps(decided_by, sort_keys=True).encode()).hexdigest()[:24]
        if key not in self._known:
            value = measure()
            self._log.append({"key": key, "what": f"{decided_by[0]}:{decided_by[1]}", "value": value})
            self._known[key] = value
        return self._known[key]

    def _factory(self, cell: Cell) -> PlayerFactory:
        settings = self._plan.settings[cell.arm]
        key = settings["model"], settings["device"]
        if key not in self._factories:
            self._factories[key] = PlayerFactory(model=key[0], device=key[1])
        return self._factories[key]

    def _reference(self, cell: Cell, one: Snapshot | None) -> str:
        """A name that the cell's factory knows."""
        return "base" if one is None else self._factory(cell).expand([f"{cell.path}@{one.step:06d}"])[0]

    def _identity(self, one: Snapshot | None, snapshots: Sequence[Snapshot]) -> list[Any]:
        """Hashes of a player's weights and words; of the base model alone where there is no snapshot."""
        info = (one or snapshots[0]).info
        return [info["base_sha256"], info["tokenizer_sha256"], info["sha256"] if one else None]


def _decisions(game: str, show_legal: bool) -> list[Decision]:
    return decisions(load_exact_game(game), show_legal=show_legal)


def mean_points(results: Sequence[MatchResult], me: str, them: str) -> float:
    """Mean of 1 for a win, ½ for a draw, 0 for a loss over finished matches.

    Raises:
        ArenaError: none was finished.
    """
    points = [((result.between(me, them) or 0) + 1) / 2 for result in results if result.ended is not Ended.VOID]
    if not points:
        errors = sorted({result.error for result in results if result.error})
        raise ArenaError(f"No match of {me} against {them} could be finished. {' '.join(errors[:3])}".rstrip())
    return sum(points) / len(points)


def metric_curves(path: Path, names: Sequence[str], games: Sequence[str]) -> dict[str, Curve]:
    """Numbers of a metrics.jsonl by update. A signal at several games is a curve for each (`draws:tic_tac_toe`)."""
    made: dict[str, Curve] = {}
    for line in read_json_lines(path):
        signals = line.get("impasse", {}).get("signals", {})
        for name in names:
            found = {name if len(games) == 1 else f"{name}:{game}": signals.get(game, {}).get(name) for game in games}
            if not any(value is not None for value in found.values()):
                found = {name: _dotted(line, name)}
            for label, value in found.items():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    made.setdefault(label, []).append((line["update"], float(value)))
    return made


def _dotted(line: Mapping[str, Any], name: str) -> Any:
    value: Any = line
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
