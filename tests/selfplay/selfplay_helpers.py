"""Hand-made matches, rows and rollouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.types import Attempt, Completion, Ended, Fault, MatchRecord, MatchSpec, Turn
from games import Issue, Move
from selfplay.advantages import MatchResult
from selfplay.config import LoraSettings, OptimSettings, SelfPlayConfig, TrainedGame
from selfplay.rollouts import Rollout
from selfplay.trajectories import Row

LEARNER = "run@000003+live"


def result(
    returns: Sequence[float],
    *,
    game: str = "g",
    roles: Sequence[str] = ("first", "second"),
    fault: int | None = None,
    learner: Sequence[bool] | None = None,
    index: int = 0,
    outcome: str = "p0",
    outcomes: Sequence[str] = ("p0", "p1"),
    seed: int | None = None,
    turns: Sequence[int] | None = None,
) -> MatchResult:
    """A match's result; all seats learn, unless said otherwise."""
    seats = len(roles)
    return MatchResult(
        index=index,
        game=game,
        roles=tuple(roles),
        returns=tuple(returns),
        outcome="forfeit" if fault is not None else outcome,
        outcomes=tuple(outcomes),
        fault_seat=fault,
        seed=index if seed is None else seed,
        players=tuple("abcdefgh"[:seats]),
        learner=tuple(learner or (True,) * seats),
        turns=tuple(turns or (1,) * seats),
    )


def reply(prompt: Sequence[int], ids: Sequence[int], snapshot: str = LEARNER, issue: Issue = Issue.OK) -> Attempt:
    return Attempt(
        user="?",
        completion=Completion(
            text="[bet]",
            prompt_ids=tuple(prompt),
            ids=tuple(ids),
            logprobs=tuple(-0.5 - 0.01 * i for i in ids),
            snapshot=snapshot,
            cached_tokens=len(prompt) // 2,
        ),
        issue=issue,
    )


def record(
    turns: Sequence[tuple[int, Sequence[Attempt]]],
    *,
    players: tuple[str, str] = (LEARNER, LEARNER),
    returns: Sequence[float] = (1.0, -1.0),
    outcome: str = "p0",
    ended: Ended = Ended.TERMINAL,
    fault: Fault | None = None,
    seed: int = 1,
    measures: Mapping[str, float] | None = None,
    roles: Sequence[str] = (),
) -> MatchRecord:
    return MatchRecord(
        spec=MatchSpec(game="kuhn_poker", params={"players": 2}, seed=seed, players=players),
        systems=("s0", "s1"),
        turns=tuple(
            Turn(index=i, ply=i, seat=seat, attempts=tuple(attempts), move=Move(answer="bet", action=1))
            for i, (seat, attempts) in enumerate(turns)
        ),
        returns=tuple(returns),
        outcome=outcome,
        ended=ended,
        fault=fault,
        measures=measures or {},
        roles=tuple(roles),
    )


def row(prompt: Sequence[int], completion: Sequence[int], mask: Sequence[int], role: str = "first") -> Row:
    return Row(
        match_key="m",
        game="kuhn_poker",
        role=role,
        seat=0,
        prompt_ids=tuple(prompt),
        completion_ids=tuple(completion),
        loss_mask=tuple(mask),
        logprobs=tuple(-3.0 if own else 0.0 for own in mask),
        decisions=tuple(0 for _ in mask),
    )


def rollout(rows: Sequence[Row], advantages: Sequence[float], trajectories: int | None = None) -> Rollout:
    return Rollout(
        matches=(),
        voids={},
        rows=tuple(rows),
        advantages=tuple(
            tuple(value if own else 0.0 for own in r.loss_mask) for r, value in zip(rows, advantages, strict=True)
        ),
        trajectories=len(rows) if trajectories is None else trajectories,
    )


def kuhn_config(model: str, **changes: Any) -> SelfPlayConfig:
    """A run of seconds."""
    values: dict[str, Any] = {
        "model": model,
        "games": [TrainedGame(id="kuhn_poker")],
        "updates": 4,
        "matches": 12,
        "snapshot_every": 2,
        "checkpoint_every": 2,
        "lora": LoraSettings(r=2, alpha=4.0),
        "optim": OptimSettings(learning_rate=0.02, micro_batches=2),
        "sampling": {"temperature": 1.0, "max_tokens": 3},
        "threads": 1,
    }
    return SelfPlayConfig.model_validate({**values, **changes})


def untimed(value: Any) -> Any:
    """Plain data without what is named `*_s`."""
    if isinstance(value, dict):
        return {key: untimed(item) for key, item in value.items() if not key.endswith("_s")}
    return [untimed(item) for item in value] if isinstance(value, list) else value


def lines(path: Path) -> list[Any]:
    from arena.jsonl import read_json_lines

    return [untimed(line) for line in read_json_lines(path)]
