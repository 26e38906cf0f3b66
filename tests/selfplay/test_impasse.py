"""Signals of an impasse, when it is one, and what a run then does."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from selfplay_helpers import LEARNER, kuhn_config, lines, record, reply
from test_run import left_behind

from arena.errors import Interrupted
from arena.types import Ended, Fault
from games import Issue, get_game
from selfplay.advantages.base import SeatAdvantage
from selfplay.config import SelfPlayConfig
from selfplay.impasse import ImpasseWatch, snapshot_before
from selfplay.impasse_signals import Signal, signals
from selfplay.metrics import PlayedMatch, TokenStats
from selfplay.run import run_selfplay
from selfplay.sections import ImpasseConfig, OpponentConfig


def match(
    outcome: str = "p0",
    *,
    game: str = "tic_tac_toe",
    seed: int = 0,
    players: tuple[str, str] = (LEARNER, LEARNER),
    advantages: tuple[SeatAdvantage, ...] = (0.0, 0.0),
    words: Sequence[int] = (2, 9),
    **changes: Any,
) -> PlayedMatch:
    returns = {"p0": (1.0, -1.0), "p1": (-1.0, 1.0)}.get(outcome, (0.0, 0.0))
    made = record([(0, [reply([1], words)])], players=players, returns=returns, outcome=outcome, seed=seed, **changes)
    return PlayedMatch(
        record=made, game=get_game(game), advantages=advantages, learner=tuple(name == LEARNER for name in players)
    )


def values(matches: Sequence[PlayedMatch], tokens: Any = None) -> dict[str, float]:
    (found,) = signals(matches, tokens or {}).values()
    return {name: signal.value for name, signal in found.items()}


def test_outcomes_of_matches_against_oneself() -> None:
    mine = [match("draw", seed=i) for i in range(6)] + [match("p0", seed=6), match("p1", seed=7)]
    others = [match("p1", seed=8, players=(LEARNER, "random"))]
    fault = Fault(seat=1, issue=Issue.ILLEGAL)
    lost = [match("forfeit", seed=9, ended=Ended.FORFEIT, fault=fault)]
    found = signals([*mine, *others, *lost], {})["tic_tac_toe"]
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.125))
    assert found["outcome_entropy"].value == pytest.approx(entropy / math.log(3))
    assert found["draws"].value == 0.75
    assert found["one_sided"].value == 0.125
    drawn = {m.record.spec.match_key for m in mine[:6]}
    assert len(found["draws"].matches) == 3
    assert set(found["draws"].matches) <= drawn
    assert set(found["outcome_entropy"].matches) <= drawn
    assert found["one_sided"].matches == (mine[6].record.spec.match_key,)
    assert values(others)["one_sided"] == 1.0  # nothing else to look at


def test_a_game_without_draws_has_no_such_signal_and_no_deal_counts_as_one() -> None:
    assert "draws" not in values([match(game="kuhn_poker")])
    failed = match("p0", game="iterated_prisoners_dilemma", measures={"agreement": 0.0})
    agreed = match("p0", game="iterated_prisoners_dilemma", measures={"agreement": 1.0})
    assert values([failed, agreed])["draws"] == 0.5


def test_the_commonest_transcript_whatever_was_dealt() -> None:
    same = [match(seed=i) for i in range(3)]
    other = record([(1, [reply([1], [2])]), (0, [reply([1], [2])])])
    found = signals([*same, PlayedMatch(record=other, game=get_game("tic_tac_toe"), advantages=(0.0, 0.0),
                                        learner=(True, True))], {})  # fmt: skip
    assert found["tic_tac_toe"]["repeated"].value == 0.75
    assert set(found["tic_tac_toe"]["repeated"].matches) == {m.record.spec.match_key for m in same}


def test_spread_length_entropy_and_score_against_the_past() -> None:
    own = "run@000001"
    found = signals(
        [
            match("p0", seed=1, players=(LEARNER, own), advantages=(1.0, 0.0), words=(1, 2, 3, 4)),
            match("p1", seed=2, players=(LEARNER, own), advantages=((3.0, 3.0), 0.0)),
            match("p1", seed=3, players=(LEARNER, "other@000001"), advantages=(1.0, 9.0)),
        ],
        {
            ("tic_tac_toe", "X"): TokenStats(tokens=3, entropy=0.6),
            ("tic_tac_toe", "O"): TokenStats(tokens=1, entropy=0.2),
            ("kuhn_poker", "first"): TokenStats(tokens=1, entropy=9.0),
        },
    )["tic_tac_toe"]
    assert found["advantage_spread"].value == pytest.approx(1.0)  # of 1, 3, 3, 1
    assert found["reply_tokens"].value == pytest.approx(8 / 3)
    assert found["token_entropy"].value == pytest.approx(0.2)
    assert found["past_score"].value == 0.5  # one of two; another run is not its past
    assert found["past_score"].matches[0] == match("p1", seed=2, players=(LEARNER, own)).record.spec.match_key
    assert "past_score" not in values([match()])


def watch(**settings: Any) -> ImpasseWatch:
    return ImpasseWatch(ImpasseConfig(patience=2, **settings))


def drawn(share: float) -> dict[str, dict[str, Signal]]:
    return {"g": {"draws": Signal(value=share, matches=("m1", "m2"))}}


def test_an_impasse_is_a_signal_that_lasts_and_ends_when_none_does() -> None:
    seen = watch()
    active = [seen.observe(i + 1, drawn(share)).active for i, share in enumerate([1, 0, 1, 1, 1, 0, 0, 0, 1, 1])]
    assert active == [False, False, False, True, True, True, False, False, False, True]
    report = seen.observe(11, drawn(1.0))
    (stuck,) = report.stuck
    assert (stuck.game, stuck.name, stuck.value, stuck.threshold, stuck.since) == ("g", "draws", 1.0, 0.95, 9)
    assert report.text == "Impasse, g: draws 100% since update 9 (see match m1)"
    told = report.to_json()
    assert told["signals"] == {"g": {"draws": 1.0}}
    assert told["stuck"][0]["matches"] == ["m1", "m2"]
    json.dumps(told)


def test_answers_come_one_after_the_other_and_start_again() -> None:
    seen = watch(answers=["widen", "temperature", "rollback", "stop"])
    reports = [seen.observe(update, drawn(1.0)) for update in range(1, 11)]
    assert [r.answer for r in reports] == [
        None,
        "widen",
        None,
        "temperature",
        None,
        "rollback",
        None,
        "stop",
        None,
        None,
    ]
    assert reports[-1].in_force == ("widen", "temperature")
    assert "more past opponents, a higher temperature" in reports[-1].text
    for update in (11, 12):
        report = seen.observe(update, drawn(0.0))
    assert (report.active, report.in_force, report.text) == (False, (), "")
    assert [seen.observe(update, drawn(1.0)).answer for update in (13, 14)] == [None, "widen"]


@pytest.mark.parametrize(
    ("name", "fine", "odd", "off"),
    [
        ("outcome_entropy", 0.5, 0.01, {"outcome_entropy": 0.0}),
        ("token_entropy", 0.5, 0.01, {"token_entropy": 0.0}),
        ("advantage_spread", 0.5, 0.0, {"advantage_spread": 0.0}),
        ("past_score", 0.5, 0.1, {"past_score": 0.0}),
        ("draws", 0.5, 1.0, {"draws": 1.0}),
        ("one_sided", 0.5, 1.0, {"one_sided": 1.0}),
        ("repeated", 0.5, 1.0, {"repeated": 1.0}),
    ],
)
def test_every_threshold_has_its_side_and_can_be_switched_off(
    name: str, fine: float, odd: float, off: Mapping[str, float]
) -> None:
    def active(value: float, **settings: Any) -> bool:
        seen = watch(**settings)
        return [seen.observe(update, {"g": {name: Signal(value=value)}}) for update in (1, 2)][-1].active

    assert not active(fine)
    assert active(odd)
    assert not active(odd, **off)


@pytest.mark.parametrize("later", [31.0, 3.0])
def test_replies_that_grow_or_shrink_are_compared_with_the_first_ones(later: float) -> None:
    def lengths(seen: ImpasseWatch) -> list[bool]:
        course = [10.0, 10.0, 12.0, later, later]
        return [
            seen.observe(i + 1, {"g": {"reply_tokens": Signal(value=v)}}).active for i, v in enumerate(course)
        ]  # fmt: skip

    assert lengths(watch(reply_change=3.0)) == [False, False, False, False, True]
    assert not any(lengths(watch()))


def test_what_is_in_force_changes_opponents_and_temperature() -> None:
    seen = watch(answers=["widen", "temperature"], widen_to=0.75, temperature_factor=2.0)
    usual = OpponentConfig(latest=1.0, past=0.5, fixed={"random": 1.0})
    assert seen.opponents(usual) == usual
    assert seen.temperature(0.5) == 0.5
    for update in range(1, 5):
        seen.observe(update, drawn(1.0))
    wider = seen.opponents(usual)
    assert wider.pool / (wider.pool + 2.0) == pytest.approx(0.75)
    assert seen.temperature(0.5) == 1.0
    rich = OpponentConfig(latest=0.0, pfsp=1.0)
    assert seen.opponents(rich) == rich


def test_the_watch_survives_json() -> None:
    seen = watch(answers=["widen", "stop"], reply_change=2.0)
    course = [{**drawn(1.0)["g"], "reply_tokens": Signal(value=v)} for v in (3.0, 4.0, 5.0, 20.0, 20.0, 3.0, 3.0)]
    for cut in range(len(course)):
        one, two = (
            watch(answers=["widen", "stop"], reply_change=2.0),
            watch(answers=["widen", "stop"], reply_change=2.0),
        )
        for update, named in enumerate(course[:cut], start=1):
            one.observe(update, {"g": named})
        two.load_state_dict(json.loads(json.dumps(one.state_dict())))
        for update, named in enumerate(course[cut:], start=cut + 1):
            assert one.observe(update, {"g": named}) == two.observe(update, {"g": named})
    assert seen.state_dict()["in_force"] == []


def test_the_way_back_goes_to_before_the_first_sign() -> None:
    pool = ["r@000002", "r@000004", "r@000006"]
    assert snapshot_before(5, pool) == "r@000004"
    assert snapshot_before(6, pool) == "r@000004"  # the sixth update itself showed it
    assert snapshot_before(1, pool) == "r@000002"
    assert snapshot_before(1, []) is None


# --- in a run --------------------------------------------------------------------------------------------------------


def stuck_config(tiny: str, answers: list[str], **changes: Any) -> SelfPlayConfig:
    """A run in which every update counts as stuck, and each one is answered."""
    impasse = {"patience": 1, "token_entropy": 100.0, "answers": answers, "widen_to": 0.8, "temperature_factor": 1.5}
    return kuhn_config(
        tiny, updates=6, snapshot_every=1, checkpoint_every=1, matches=20, impasse=ImpasseConfig(**impasse), **changes
    )  # fmt: skip


@pytest.fixture(scope="module")
def answered(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Mapping[str, Any]]]:
    path = tmp_path_factory.mktemp("stuck") / "r"
    events: list[Mapping[str, Any]] = []
    run_selfplay(stuck_config(tiny, ["widen", "temperature", "rollback"]), str(path), emit=events.append)
    return path, events


def test_a_run_tells_of_its_impasse_and_answers_it(answered: tuple[Path, list[Mapping[str, Any]]]) -> None:
    path, events = answered
    told = [line["impasse"] for line in lines(path / "metrics.jsonl")]
    assert [item["answer"] for item in told] == ["widen", "temperature", "rollback", None, None, None]
    assert told[0]["stuck"][0]["signal"] == "token_entropy"
    keys = {line["key"] for line in lines(path / "matches.jsonl")}
    assert set(told[0]["stuck"][0]["matches"]) <= keys
    banners = [event["text"] for event in events if event["t"] == "impasse"]
    assert banners[0].startswith("Impasse, kuhn_poker: token entropy")
    notes = [event["text"] for event in events if event["t"] == "note"]
    assert "Went back to the weights of r@000001." in notes
    by_update: dict[str, list[Any]] = {}
    for line in lines(path / "matches.jsonl"):
        by_update.setdefault(line["spec"]["tag"], []).append(line["spec"])
    shares = [
        sum(len(set(spec["players"])) > 1 for spec in specs) / len(specs) for _, specs in sorted(by_update.items())
    ]
    assert shares == [0.0, 0.8, 0.8, 0.8, 0.8, 0.8]
    temperatures = [specs[0]["sampling"]["temperature"] for _, specs in sorted(by_update.items())]
    assert temperatures == [1.0, 1.0, 1.5, 1.5, 1.5, 1.5]
    assert max(line["sampler_kl"] for line in lines(path / "metrics.jsonl")) < 1e-9  # trained as it was sampled


def test_going_back_takes_the_old_weights(answered: tuple[Path, list[Mapping[str, Any]]]) -> None:
    from safetensors.torch import load_file

    path, _ = answered
    one, three = (load_file(path / "snapshots" / step / "adapter_model.safetensors") for step in ("000001", "000003"))
    assert all((one[name] == three[name]).all() for name in one)


class PowerCutError(Exception):
    """The process is gone."""


@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_an_answered_impasse_is_resumed_as_if_nothing_had_happened(
    tiny: str, tmp_path: Path, answered: tuple[Path, list[Mapping[str, Any]]], at: int
) -> None:
    path = tmp_path / "r"
    config = stuck_config(tiny, ["widen", "temperature", "rollback"])

    def crash(event: Mapping[str, Any]) -> None:
        if event["t"] == "stage" and event.get("update") == at and event["stage"] == "train":
            raise PowerCutError

    with pytest.raises(PowerCutError):
        run_selfplay(config, str(path), emit=crash)
    run_selfplay(config, str(path), resume=True)
    assert left_behind(path) == left_behind(answered[0])


def test_a_run_may_stop_itself_and_be_sent_on(tiny: str, tmp_path: Path) -> None:
    path = tmp_path / "r"
    config = stuck_config(tiny, ["stop"])
    with pytest.raises(Interrupted, match=r"Impasse, kuhn_poker: token entropy .* Stopped after update 1 of 6"):
        run_selfplay(config, str(path))
    assert json.loads((path / "run.json").read_text())["status"] == "interrupted"
    assert run_selfplay(config, str(path), resume=True).updates == 6  # said once; whoever resumes wants to go on


def test_dept_reshapes_once_there_is_an_impasse(tiny: str, tmp_path: Path) -> None:
    path = tmp_path / "r"
    estimator = {"name": "dept", "options": {"only_at_impasse": True}}
    run_selfplay(stuck_config(tiny, ["reshape"], estimator=estimator), str(path))
    told = [line["estimator"] for line in lines(path / "metrics.jsonl")]
    assert told[0]["lambda/kuhn_poker/first"] == 0.0
    later = [line["lambda/kuhn_poker/first"] for line in told[1:] if line["dominant/kuhn_poker"]]
    assert later
    assert all(value > 0 for value in later)


def test_a_magnet_is_one_of_the_runs_own_snapshots(tiny: str, tmp_path: Path) -> None:
    path = tmp_path / "r"
    optim = {"learning_rate": 0.02, "micro_batches": 2, "beta": 0.5, "magnet_every": 2}
    run_selfplay(kuhn_config(tiny, updates=5, snapshot_every=1, optim=optim), str(path))
    kls = [line["kl"] for line in lines(path / "metrics.jsonl")]
    assert kls[0] == 0.0  # update 1 starts at the base model
    assert kls[2] < 1e-9  # and update 3 at the snapshot of update 2, its magnet
    assert min(kls[1], kls[3]) > 1e-6
