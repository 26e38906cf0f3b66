"""Run benchmarks for players into a folder, item by item, so that an interrupted evaluation goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from arena.errors import RecordError, RunBusyError
from arena.jsonl import JsonLog, read_json_lines
from arena.players.model import ModelPlayer
from arena.provenance import versions
from arena.rundir import RunDir, write_json
from arena.tasks import evaluation_items, task_system
from arena.types import Player
from eval.benchmarks import Benchmark
from eval.exact import evaluate, load_exact_game
from eval.identity import fingerprint, is_language_model
from eval.infostates import require_small
from eval.policies import NotScoreableError
from eval.reasoning import MAX_TOKENS, SCHEMA, Graded, ask, item_key
from eval.results import Evaluation, Line, differences, exact_line, folder_name, share_line
from eval.training_data import trained_questions

CHUNK = 100
"""Items asked at a time: they run as one batch, and are on disk before the next begin."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is evaluated, and how.

    Attributes:
        players: names of single players. benchmarks: what to measure.
        limit: items per task family. seed: of the items.
        model: name of the base model.
        show_legal: whether prompts of exact play list the allowed answers.
        max_tokens: longest reply to a reasoning task.
    """

    players: tuple[str, ...]
    benchmarks: tuple[Benchmark, ...]
    limit: int = 100
    seed: int = 0
    model: str = "pocket"
    show_legal: bool = False
    max_tokens: int = MAX_TOKENS

    @property
    def steps(self) -> int:
        """Steps of progress: items of reasoning tasks, one for an exact evaluation."""
        return len(self.players) * sum(self.limit if b.kind == "reasoning" else 1 for b in self.benchmarks)

    def settings(self) -> dict[str, Any]:
        """Everything that decides the results, but for the weights."""
        return {
            **asdict(replace(self, benchmarks=())),
            "players": list(self.players),
            "benchmarks": [benchmark.name for benchmark in self.benchmarks],
            "task_system": task_system(),
            "reasoning_gym": version("reasoning-gym"),
        }


def run_evaluation(
    plan: Plan, resolve: Callable[[str], Player], parent: Path, progress: Callable[[int, str], None]
) -> Evaluation:
    """Evaluate every player on every benchmark.

    Players are loaded and games are looked up before anything is measured.

    Args:
        plan: what to do.
        resolve: player by name.
        parent: gets a folder named after the settings and the models' weights, with `results.jsonl` (one line an
            item; those found there are not asked again) and `summary.json`.
        progress: called with steps done and a note.

    Raises:
        GameError: a game that exact play cannot walk.
        RunBusyError: the same evaluation is being run by another process.
    """
    for benchmark in plan.benchmarks:
        if benchmark.kind == "nashconv":
            require_small(load_exact_game(benchmark.subject))
    players = [resolve(name) for name in plan.players]
    weights = [fingerprint(player) for player in players]
    folder = parent / folder_name({"schema": SCHEMA, **plan.settings(), "weights": weights})
    folder.mkdir(parents=True, exist_ok=True)
    place = RunDir(folder)
    try:
        place.lock()
    except RunBusyError:
        raise RunBusyError(f"Another process is running this evaluation in {folder}. Wait for it.") from None
    log = JsonLog(folder / "results.jsonl")
    try:
        known = _known(folder / "results.jsonl")
        run = _Run(plan, known, log, progress)
        for player in players:
            run.measure(player)
    finally:
        log.close()
        place.unlock()
    found = Evaluation(
        lines=tuple(run.lines),
        differences=differences(run.graded, plan.seed),
        skipped=tuple(dict.fromkeys(run.skipped)),
        folder=folder,
    )
    write_json(folder / "summary.json", _summary(plan, weights, found))
    return found


def _known(path: Path) -> dict[str, Graded]:
    """Items on file by key.

    Raises:
        RecordError: a line that is no graded item; names file and line.
    """
    known: dict[str, Graded] = {}
    for number, obj in enumerate(read_json_lines(path), start=1):
        try:
            known[str(obj["key"])] = Graded.from_json(obj)
        except (KeyError, TypeError) as error:
            raise RecordError(
                f"{path}, line {number}: not a graded item. It was changed after it was written: restore the file, or "
                "delete this line, and its item is asked again."
            ) from error
    return known


def _summary(plan: Plan, weights: Sequence[str], found: Evaluation) -> dict[str, Any]:
    return {
        "schema": 1,
        **plan.settings(),
        "weights": dict(zip(plan.players, weights, strict=True)),
        "versions": versions(),
        "results": [line.to_json() for line in found.lines],
        "differences": [asdict(difference) for difference in found.differences],
        "skipped": list(found.skipped),
    }


class _Run:
    """One evaluation as it goes."""

    def __init__(
        self, plan: Plan, known: dict[str, Graded], log: JsonLog, progress: Callable[[int, str], None]
    ) -> None:
        self.plan = plan
        self.lines: list[Line] = []
        self.skipped: list[str] = []
        self.graded: dict[str, list[Graded]] = {}
        self._log = log
        self._known = known
        self._progress = progress
        self._done = 0
        self._trained = cache(trained_questions)  # not for longer than this evaluation: it is large

    def measure(self, player: Player) -> None:
        """Every benchmark for one player."""
        for benchmark in self.plan.benchmarks:
            if benchmark.kind == "nashconv":
                self._exact(player, benchmark)
            elif is_language_model(player):
                self._reason(player, benchmark)
            else:
                self.skipped.append(f"{player.name} on {benchmark.kind}: it is not a language model")
                self._done += self.plan.limit
            self._progress(self._done, f"{player.name} {benchmark.name}")

    def _exact(self, player: Player, benchmark: Benchmark) -> None:
        try:
            self.lines.append(exact_line(evaluate(player, benchmark.subject, show_legal=self.plan.show_legal)))
        except NotScoreableError as error:
            self.skipped.append(f"{player.name} on {benchmark.name}: {error}")
        self._done += 1

    def _reason(self, player: ModelPlayer, benchmark: Benchmark) -> None:
        """All items of a family, those already on disk not asked again."""
        plan = self.plan
        wanted = evaluation_items(benchmark.subject, plan.limit, plan.seed)
        keys = [item_key(player.name, item.family, item.index, item.seed) for item in wanted]
        todo = [item for item, key in zip(wanted, keys, strict=True) if key not in self._known]
        self._done += plan.limit - len(todo)
        for start in range(0, len(todo), CHUNK):
            chunk = todo[start : start + CHUNK]
            for graded in ask(player, chunk, max_tokens=plan.max_tokens):
                self._log.append(graded.to_json())
                self._known[graded.key] = graded
            self._done += len(chunk)
            self._progress(self._done, f"{player.name} {benchmark.name}")
        graded_items = [self._known[key] for key in keys]
        self.graded.setdefault(player.name, []).extend(graded_items)
        trained = self._trained(plan.model, benchmark.subject)
        self.lines.append(share_line(player.name, benchmark.name, graded_items, trained))
