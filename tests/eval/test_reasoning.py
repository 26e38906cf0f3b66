"""Reasoning tasks: reading, grading, denominators, resuming."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.players.factory import PlayerFactory
from arena.tasks import EVALUATION_SEED, TASK_FAMILIES, UnknownTaskError, items
from eval.benchmarks import parse_benchmarks
from eval.reasoning import Graded, contamination, evaluation_items, extract, grade
from eval.run import run_evaluation


@pytest.mark.parametrize(
    ("reply", "answer", "issue"),
    [
        ("[7]", "7", ""),
        ("so it is [7].", "7", ""),
        ("not [6] but I think [7]", "7", ""),
        (r"\boxed{7}", "7", ""),
        ("7", None, "no_answer"),
        ("", None, "no_answer"),
        ("[6] or [7]", None, "malformed"),
        ("> [7]", None, "no_answer"),
    ],
)
def test_the_last_explicit_answer_is_read(reply: str, answer: str | None, issue: str) -> None:
    assert extract(reply, truncated=False) == (answer, issue)


def test_a_reply_that_was_cut_off_is_its_own_fault() -> None:
    assert extract("I think [", truncated=True) == (None, "truncated")


def test_grading_strictly_and_flexibly() -> None:
    item = evaluation_items("chain_sum", 1, 0)[0]
    plain = grade("p", item, f"[{item.answer}]", truncated=False, tokens=3)
    wordy = grade("p", item, f"It is [{item.answer}].", truncated=False, tokens=6)
    wrong = grade("p", item, f"{item.answer} no, [999]", truncated=False, tokens=6)
    assert (plain.right, plain.strict, plain.reason) == (True, True, "right")
    assert (wordy.right, wordy.strict, wordy.reason) == (True, False, "right")
    assert (wrong.right, wrong.strict, wrong.reason) == (False, False, "wrong")


@pytest.mark.parametrize("family", sorted(TASK_FAMILIES))
def test_items_are_equal_for_equal_seeds_and_right_against_themselves(family: str) -> None:
    first, again = items(family, 20, 5), items(family, 20, 5)
    assert [(i.question, i.answer) for i in first] == [(i.question, i.answer) for i in again]
    assert all(len(i.question.split()) <= 60 and len(i.answer) <= 12 for i in first)
    for item in first:
        assert grade("p", item, f"[{item.answer}]", truncated=False, tokens=1).right


def test_evaluation_has_its_own_seeds() -> None:
    assert all(item.seed >= EVALUATION_SEED for item in evaluation_items("gcd", 3, 0))
    assert 0 <= contamination("chain_sum", 50, 0, trained=500) < 0.5


def test_unknown_families_name_the_nearest() -> None:
    with pytest.raises(UnknownTaskError, match="chain_sum"):
        items("chain_sums", 1, 0)


def test_an_evaluation_goes_on_where_it_was(tmp_path: Path) -> None:
    factory = PlayerFactory(model="pocket")
    wanted = parse_benchmarks(["reasoning:chain_sum", "nashconv:kuhn_poker"])

    def run(folder: Path) -> dict[str, object]:
        notes: list[int] = []
        run_evaluation(
            ["base", "random"], wanted, factory, folder, limit=120, seed=0, show_legal=False,
            progress=lambda done, note: notes.append(done),
        )  # fmt: skip
        assert notes[-1] == 242
        loaded: dict[str, object] = json.loads((folder / "summary.json").read_text())
        return loaded

    whole = run(tmp_path / "whole")
    part = tmp_path / "part"
    part.mkdir()
    lines = (tmp_path / "whole" / "results.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) == 120
    (part / "results.jsonl").write_text("".join(lines[:50]) + lines[50][:20])  # killed while writing the 51st
    assert run(part)["results"] == whole["results"]
    assert (part / "results.jsonl").read_text().splitlines(keepends=True) == lines
    assert whole["skipped"] == ["random on reasoning:chain_sum: it is not a language model"]
    results = whole["results"]
    assert isinstance(results, list)
    assert results[0]["n"] == 120  # every item is in the denominator
    assert Graded.from_json(json.loads(lines[0])).to_json() == json.loads(lines[0])
