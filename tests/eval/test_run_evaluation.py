"""A whole evaluation: lines, denominators, resuming, and never another model's results."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from peft import LoraConfig, get_peft_model

from arena.errors import RecordError, RunBusyError, UsageError
from arena.models.registry import load_base
from arena.players.factory import PlayerFactory
from arena.rundir import RunDir
from arena.snapshots import save_snapshot
from arena.tasks import TASK_FAMILIES, evaluation_items
from eval.benchmarks import known_benchmarks, parse_benchmarks
from eval.identity import fingerprint
from eval.reasoning import Graded, grade
from eval.results import differences, share_line
from eval.run import Plan, run_evaluation
from games import GameError


def quiet(done: int, note: str) -> None:
    """No progress."""


def graded(replies: list[str], player: str = "p") -> list[Graded]:
    asked = evaluation_items("syllogism", len(replies), 0)
    return [grade(player, item, reply, truncated=False, tokens=2) for item, reply in zip(asked, replies, strict=True)]


def test_every_item_is_in_the_denominator() -> None:
    right = [f"[{item.answer}]" for item in evaluation_items("syllogism", 10, 0)]
    found = graded([*right[:4], "no idea", "", "[yes] or [no]", "[maybe]", right[8].lower(), f"so {right[9]}"])
    line = share_line("p", "reasoning:syllogism", found, trained={found[0].prompt, found[4].prompt})
    assert (line.n, line.value, line.detail["right"], line.detail["strict"]) == (10, 0.6, 6, 0.4)
    assert (line.detail["no_answer"], line.detail["malformed"], line.detail["truncated"]) == (2, 1, 0)
    assert line.detail["unseen"]["n"] == 8
    assert line.detail["unseen"]["right"] == 5
    references = [item.reference for item in found]
    assert line.detail["constant"] == max(references.count("Yes"), references.count("No")) / 10


def test_nothing_unseen_and_nothing_known() -> None:
    found = graded(["[Yes]", "[Yes]"])
    every = share_line("p", "b", found, trained={item.prompt for item in found}).detail["unseen"]
    assert every == {"n": 0, "right": 0, "value": None, "low": 0.0, "high": 1.0}
    assert share_line("p", "b", found, trained=None).detail["unseen"] is None


def test_differences_are_to_the_first_player_on_the_same_items() -> None:
    right = [f"[{item.answer}]" for item in evaluation_items("syllogism", 40, 0)]
    scores = {"a": graded(right[:20] + ["-"] * 20), "b": graded(right[:30] + ["-"] * 10), "c": graded(["-"] * 40)}
    better, worse = differences(scores, seed=0)
    assert (better.player, better.baseline, better.value, better.n) == ("b", "a", 0.25, 40)
    assert 0 < better.low < 0.25 < better.high < 0.5
    assert (worse.player, worse.value) == ("c", -0.5)
    assert differences(scores, seed=0) == (better, worse)
    assert differences({}, seed=0) == ()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("reasonig", "Did you mean 'reasoning'?"),
        ("reasoning:chain_sums", "Did you mean 'reasoning:chain_sum'?"),
        ("nashconv:kuhn_pokre", "Did you mean 'nashconv:kuhn_poker'?"),
        ("nashconv", "Unknown benchmark"),
    ],
)
def test_unknown_benchmarks_name_the_nearest(name: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_benchmarks([name])
    assert told in str(caught.value)


def test_benchmarks_are_measured_once_each() -> None:
    found = parse_benchmarks(["reasoning:gcd", "reasoning", "nashconv:kuhn_poker", "nashconv:kuhn_poker"])
    assert [b.name for b in found][:2] == ["reasoning:gcd", "reasoning:chain_sum"]
    assert len(found) == len(TASK_FAMILIES) + 1
    assert {b.name for b in found} < set(known_benchmarks())


def test_an_evaluation_goes_on_where_it_was(tmp_path: Path) -> None:
    factory = PlayerFactory(model="pocket")
    wanted = tuple(parse_benchmarks(["reasoning:chain_sum", "nashconv:kuhn_poker"]))
    plan = Plan(players=("base", "random"), benchmarks=wanted, limit=120)
    notes: list[int] = []
    whole = run_evaluation(plan, factory, tmp_path / "whole", lambda done, note: notes.append(done))
    assert notes[-1] == plan.steps == 242
    assert notes == sorted(notes)
    lines = (whole.folder / "results.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) == 120

    folder = tmp_path / "part" / whole.folder.name
    folder.mkdir(parents=True)
    (folder / "results.jsonl").write_text("".join(lines[:50]) + lines[50][:20])  # killed while writing the 51st
    part = run_evaluation(plan, factory, tmp_path / "part", quiet)
    assert part == replace(whole, folder=folder)
    assert (folder / "results.jsonl").read_text().splitlines(keepends=True) == lines
    summary = json.loads((folder / "summary.json").read_text())
    assert summary == json.loads((whole.folder / "summary.json").read_text())
    assert summary["schema"] == 1
    assert summary["skipped"] == ["random on reasoning: it is not a language model"]
    assert [line["n"] for line in summary["results"]] == [120, 12, 12]

    again = run_evaluation(plan, factory, tmp_path / "part", quiet)  # nothing is left to ask
    assert again == part
    assert (folder / "results.jsonl").read_text().splitlines(keepends=True) == lines


def test_other_settings_go_to_another_folder(tmp_path: Path) -> None:
    wanted = tuple(parse_benchmarks(["nashconv:kuhn_poker"]))
    plan = Plan(players=("random",), benchmarks=wanted)
    plans = [plan, replace(plan, seed=1), replace(plan, limit=7), replace(plan, max_tokens=9)]
    folders = {run_evaluation(each, PlayerFactory(), tmp_path, quiet).folder for each in [*plans, plan]}
    assert len(folders) == 4


def test_only_one_process_writes(tmp_path: Path) -> None:
    plan = Plan(players=("random",), benchmarks=tuple(parse_benchmarks(["nashconv:kuhn_poker"])))
    place = RunDir(run_evaluation(plan, PlayerFactory(), tmp_path, quiet).folder)
    place.lock()
    with pytest.raises(RunBusyError, match="Another process is running this evaluation"):
        run_evaluation(plan, PlayerFactory(), tmp_path, quiet)
    place.unlock()
    run_evaluation(plan, PlayerFactory(), tmp_path, quiet)


def test_a_game_that_cannot_be_walked_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    wanted = tuple(parse_benchmarks(["reasoning:gcd", "nashconv:simple_negotiation"]))
    with pytest.raises(GameError, match="not played on OpenSpiel's rules"):
        run_evaluation(Plan(players=("base",), benchmarks=wanted), PlayerFactory(), tmp_path, quiet)
    assert not list(tmp_path.iterdir())


def test_models_of_one_name_are_told_apart_by_their_weights(tmp_path: Path) -> None:
    marks = []
    for number, scale in enumerate((0.0, 0.1)):
        base = load_base("pocket", device="cpu")
        config = LoraConfig(r=2, target_modules=["q_proj"], task_type="CAUSAL_LM")
        model = get_peft_model(base.model, config)
        for name, parameter in model.named_parameters():
            if "lora_" in name:
                parameter.data.fill_(scale)
        (tmp_path / str(number)).mkdir()
        run = RunDir.create(str(tmp_path / str(number) / "same"), "selfplay", {}, seed=0)
        save_snapshot(model, run, 1, base, meta={})
        run.unlock()
        factory = PlayerFactory()
        (name,) = factory.expand([f"{run.path}@latest"])
        assert name == "same@000001"
        marks += [fingerprint(factory(name)), fingerprint(factory("base"))]
    assert marks[1] == marks[3]
    assert len(set(marks)) == 3
    assert fingerprint(PlayerFactory()("random")) == "random"


@pytest.mark.parametrize("change", [{"key": ...}, {"right": "yes"}, {"prompt": None}, {"index": "1"}, {"more": 1}])
def test_an_edited_item_is_named_with_its_line(tmp_path: Path, change: dict[str, object]) -> None:
    plan = Plan(benchmarks=tuple(parse_benchmarks(["reasoning:gcd"])), players=("base",), limit=2)
    factory = PlayerFactory(model=plan.model)
    file = run_evaluation(plan, factory, tmp_path, quiet).folder / "results.jsonl"
    good = file.read_text(encoding="utf-8").splitlines()
    edited = {key: value for key, value in {**json.loads(good[1]), **change}.items() if value is not ...}
    file.write_text(f"{good[0]}\n{json.dumps(edited)}\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 2: not a graded item"):
        run_evaluation(plan, factory, tmp_path, quiet)
    file.write_text(f"{good[0]}\n", encoding="utf-8")
    assert run_evaluation(plan, factory, tmp_path, quiet).lines[0].n == 2
