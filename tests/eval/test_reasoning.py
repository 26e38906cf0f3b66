"""Reasoning tasks: items, reading, grading, and which questions a model was trained on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.models.pocket_data import Mix, documents
from arena.tasks import EVALUATION_SEED, TASK_FAMILIES, UnknownTaskError, evaluation_items, items, score
from eval.reasoning import Graded, extract, grade
from eval.training_data import trained_items, trained_questions


@pytest.mark.parametrize(
    ("reply", "answer", "issue"),
    [
        ("[7]", "7", ""),
        ("[ 7 ].", "7", ""),
        ("[7.]", "7", ""),
        ("so it is [7].", "7", ""),
        ("not [6] but I think [7]", "7", ""),
        (r"\boxed{7}", "7", ""),
        (r"\boxed{\text{Yes}}", "Yes", ""),
        ("[[7]]", "7", ""),
        ("[7]\n[7]", "7", ""),
        ("7", None, "no_answer"),
        ("", None, "no_answer"),
        ("<answer>7</answer>", None, "no_answer"),
        ("[6] or [7]", None, "malformed"),
        ("[7] or [", None, "malformed"),
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
    more = grade("p", item, f"[{item.answer} apples]", truncated=False, tokens=6)
    cut = grade("p", item, f"[{item.answer}] because", truncated=True, tokens=6)
    none = grade("p", item, f"It is {item.answer}, beca", truncated=True, tokens=6)
    assert (plain.right, plain.strict, plain.reason, plain.cut) == (True, True, "right", False)
    assert (wordy.right, wordy.strict, wordy.reason) == (True, False, "right")
    assert (wrong.right, wrong.strict, wrong.reason) == (False, False, "wrong")
    assert (more.right, more.strict, more.reason) == (False, False, "wrong")  # the right number among other words
    assert (cut.right, cut.strict, cut.reason, cut.cut) == (True, False, "right", True)
    assert (none.right, none.strict, none.reason, none.extracted) == (False, False, "truncated", None)


def test_case_is_tolerated_by_the_flexible_reading_only() -> None:
    item = evaluation_items("syllogism", 1, 0)[0]
    assert item.answer in ("Yes", "No")
    found = grade("p", item, f"[{item.answer.upper()}]", truncated=False, tokens=3)
    assert (found.right, found.strict) == (True, False)


@pytest.mark.parametrize("family", sorted(TASK_FAMILIES))
def test_items_are_equal_for_equal_seeds_and_right_against_themselves(family: str) -> None:
    first, again = items(family, 20, 5), items(family, 20, 5)
    assert [(i.question, i.answer) for i in first] == [(i.question, i.answer) for i in again]
    assert all(len(i.question.split()) <= 40 and len(i.answer) <= 12 for i in first)
    for item in first:
        assert grade("p", item, f"[{item.answer}]", truncated=False, tokens=1).right


@given(answer=st.text() | st.sampled_from(["1e999999999", "NaN", "sNaN", "-Infinity", "9" * 5000, "0.1" * 99, "１２"]))
def test_scorers_take_any_answer_at_once(answer: str) -> None:
    for family in TASK_FAMILIES:
        (item,) = evaluation_items(family, 1, 0)
        assert 0 <= score(item, answer) <= 1
        assert score(item, None) == 0


def test_evaluation_shares_no_item_with_training_or_between_its_seeds() -> None:
    seeds = [{item.seed + item.index for item in evaluation_items("gcd", 50, seed)} for seed in range(3)]
    assert min(seeds[0]) == EVALUATION_SEED
    assert len(set.union(*seeds)) == 150
    drawn = [{item.question for item in evaluation_items("syllogism", 50, seed)} for seed in range(2)]
    assert not drawn[0] & drawn[1]
    with pytest.raises(ValueError, match="reach into evaluation's"):
        items("gcd", 2, EVALUATION_SEED - 1)
    with pytest.raises(ValueError, match="seeds from 0 on"):
        evaluation_items("gcd", 2, -1)


def test_item_i_of_seed_s_is_item_0_of_seed_s_plus_i() -> None:
    """What blocks of seeds rest on; another version of reasoning-gym may do otherwise."""
    for family in TASK_FAMILIES:
        assert items(family, 3, 40)[2].question == items(family, 1, 42)[0].question


def test_unknown_families_name_the_nearest() -> None:
    with pytest.raises(UnknownTaskError, match="chain_sum"):
        items("chain_sums", 1, 0)


def test_what_a_model_was_trained_on_is_read_from_its_recipe(tmp_path: Path) -> None:
    sizes = (6, 4)
    recipe = {"seed": 3, "phases": [{"mix": {"tasks": n}} for n in sizes]}
    (tmp_path / "pocket.json").write_text(json.dumps({"recipe": recipe}))
    assert trained_items(tmp_path) == [(6, 6), (4, 7)]
    learnt = {
        message["content"]
        for number, n in enumerate(sizes)
        for document in documents(Mix(matches={}, tasks=n), seed=3 * len(sizes) + number)
        for message in document
        if message["role"] == "user"
    }
    assert set.union(*(set(trained_questions(str(tmp_path), family) or ()) for family in TASK_FAMILIES)) == learnt


def test_the_embedded_model_knows_what_it_was_trained_on_and_others_do_not(tmp_path: Path) -> None:
    known = trained_questions("pocket", "gcd")
    assert known is not None
    assert items("gcd", 1, 0)[0].question in known
    assert trained_questions(str(tmp_path), "gcd") is None
    assert trained_questions("some/model", "gcd") is None


def test_a_graded_item_survives_json() -> None:
    found = grade("p", evaluation_items("gcd", 1, 0)[0], "[7]", truncated=False, tokens=3)
    line = json.loads(json.dumps(found.to_json()))
    assert line["schema"] == 1
    assert line["key"] == found.key
    assert Graded.from_json(line) == found
