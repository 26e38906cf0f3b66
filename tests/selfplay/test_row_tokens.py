"""What a dialogue costs to train on, in tokens that go through the model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from selfplay_helpers import rollout
from test_trainer import step, trainer

from arena.inference.engine import LocalEngine
from arena.models.registry import load_base
from arena.players.model import ModelPlayer
from arena.types import Ended, MatchRecord, MatchSpec, Sampling
from games import get_game
from selfplay.packing import make_packs
from selfplay.rollouts import play
from selfplay.trajectories import Row, Trajectory, rows, trajectories

LEARNER = "run@000000+live"
TALK = get_game("dont_say_it", {"turns": 10})


def dialogues(model: str, count: int) -> list[MatchRecord]:
    """Matches of ten moves, five a seat, said by the model itself."""
    player = ModelPlayer(LEARNER, LocalEngine(load_base(model, device="cpu")), None)
    specs = [
        MatchSpec(
            game=TALK.spec.id,
            params=TALK.spec.params,
            seed=seed,
            players=(LEARNER, LEARNER),
            show_legal=False,
            sampling=Sampling(max_tokens=16),
        )
        for seed in range(count)
    ]
    records, _ = play(specs, lambda name: player, concurrency=count, observer=None, stop=lambda: False)
    return [record for record in records if record.ended is Ended.TERMINAL and len(record.turns) == 10]


def one_row_a_turn(trajectory: Trajectory) -> list[Row]:
    """The plain way: each reply behind its whole prompt."""
    return [
        row
        for reply in trajectory.replies
        for row in rows(
            Trajectory(
                match_key=trajectory.match_key,
                game=trajectory.game,
                role=trajectory.role,
                seat=trajectory.seat,
                replies=(reply,),
            )
        )
    ]


def tokens(made: Sequence[Row]) -> int:
    return sum(row.length for row in made)


def test_a_dialogue_of_ten_moves_needs_a_third_of_the_tokens_of_one_row_a_turn() -> None:
    played = dialogues("pocket", 16)
    assert len(played) >= 8
    talks = [talk for record in played for talk in trajectories(record, TALK, (LEARNER,))]
    long = [row for talk in talks for row in rows(talk)]
    short = [row for talk in talks for row in one_row_a_turn(talk)]
    assert len(long) == len(talks)
    assert len(short) == 5 * len(talks)
    assert sum(sum(row.loss_mask) for row in long) == sum(sum(row.loss_mask) for row in short)
    packed = sum(pack.length for pack in make_packs(long))
    assert tokens(short) >= 3 * tokens(long)
    assert packed <= tokens(long)
    one = [row for talk in talks[:2] for row in rows(talk)]
    plain = [row for talk in talks[:2] for row in one_row_a_turn(talk)]
    assert tokens(plain) / tokens(one) == pytest.approx(tokens(short) / tokens(long), rel=0.2)


@pytest.mark.parametrize("loss_type", ["dr_grpo", "dapo"])
def test_a_played_dialogue_teaches_in_one_row_what_it_teaches_in_one_row_a_turn(tmp_path: Path, loss_type: str) -> None:
    talks = [talk for record in dialogues("pocket", 6)[:2] for talk in trajectories(record, TALK, (LEARNER,))]
    assert len(talks) == 4
    signs = [0.7, -0.4, 1.1, -0.9]
    found = []
    for cut in (rows, one_row_a_turn):
        made = [(row, sign) for talk, sign in zip(talks, signs, strict=True) for row in cut(talk)]
        played = rollout([row for row, _ in made], [sign for _, sign in made], len(talks))
        found.append(step(trainer("pocket", tmp_path, played, beta=0.2, loss_type=loss_type, micro_batches=2)))
    (loss, gradients), (expected, wanted) = found
    assert loss == pytest.approx(expected, abs=1e-5)
    assert max(float(gradient.abs().max()) for gradient in wanted.values()) > 1e-3
    for name, gradient in wanted.items():
        torch.testing.assert_close(gradients[name], gradient, atol=1e-5, rtol=1e-5)
