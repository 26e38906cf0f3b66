"""A slice of the million hostile replies (`python tests/games/hostile.py`), for every game of the shelf."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hostile import Task, positions, work

from games import Issue
from games.conformance.hostile import NOISE, TRAPS, hostile_reply
from games.parsing import MAX_LENGTH
from games.shelf import VARIANTS, WRITTEN

EVERY = (*sorted(WRITTEN), *sorted(VARIANTS))


@pytest.mark.parametrize("game_id", EVERY)
def test_hypothesis_finds_no_reply_that_is_misunderstood(game_id: str):
    said, faults = work(Task(game_id, "hypothesis", 0, 200))
    assert (said, faults) == (200, [])


@pytest.mark.parametrize("game_id", EVERY)
def test_replies_of_the_corpus_alone_are_no_moves(game_id: str):
    for state, seat, _ in positions(game_id, 0):
        if state.legal(seat) is None:
            continue
        for text in (*NOISE, *TRAPS, *(f"{noise}{trap}" for noise in NOISE[:12] for trap in TRAPS)):
            assert state.parse(seat, text).issue is not Issue.OK, text


@pytest.mark.parametrize("game_id", EVERY)
def test_an_answer_counts_at_the_end_of_an_endless_reply_and_nowhere_else(game_id: str):
    for state, seat, answers in positions(game_id, 0)[:2]:
        if state.legal(seat) is None:
            continue
        noise = " nothing to see here;" * (MAX_LENGTH // 20)
        assert state.parse(seat, f"[{answers[0]}]{noise}").issue is Issue.NO_ANSWER
        taken = state.parse(seat, f"{noise}\n[{answers[0]}]").move
        assert taken is not None
        assert taken.answer == answers[0]


def test_the_corpus_reaches_every_kind_of_reply():
    rng = random.Random("kinds")
    made = [hostile_reply(rng, ["check", "bet"]) for _ in range(4_000)]
    assert {reply.names for reply in made} == {None, -1, 0, 1}
    assert max(len(reply.text) for reply in made) > 90_000
    assert sum(len(reply.text) > 90_000 for reply in made) < 40


def test_the_command_counts_what_was_said(tmp_path: Path):
    script = Path(__file__).with_name("hostile.py")
    words = [sys.executable, str(script), "--strings", "400", "--processes", "1", "kuhn_poker", "werewolf"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=script.parents[2])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("400 hostile replies to 2 games (200 from the corpus, 200 by hypothesis) in ")
    assert done.stdout.endswith(" s: 0 faults.\n")
