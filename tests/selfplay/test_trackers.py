"""Trackers get what metrics.jsonl gets, cannot end a run that is going, and are refused before it begins."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from selfplay_helpers import kuhn_config, lines
from transformers import TrainerCallback
from transformers.integrations import integration_utils

from arena.errors import ArenaError, ConfigError
from selfplay.config import SelfPlayConfig
from selfplay.run import refuse_impossible, run_selfplay
from selfplay.sections import EstimatorConfig
from selfplay.tracked import EXTRAS, TRACKERS, check_installed, scalars
from selfplay.trackers import Tracker, make_trackers


class Recorder(TrainerCallback):
    """A tracker that keeps what it gets; it fails at a step, or at once, if asked to."""

    logged: list[dict[str, float]]
    fails_at: int | None = None
    name: str | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if Recorder.fails_at == 0:
            raise OSError("no network")
        Recorder.name = args.run_name

    def on_log(self, args: Any, state: Any, control: Any, *, logs: dict[str, float], **kwargs: Any) -> None:
        if state.global_step == Recorder.fails_at:
            raise OSError("no network")
        Recorder.logged.append({**logs, "step": state.global_step})


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> type[Recorder]:
    """In the place of a tracker that is not installed here, in transformers' own table."""
    monkeypatch.setitem(integration_utils.INTEGRATION_TO_CALLBACK, "swanlab", Recorder)
    monkeypatch.setattr("selfplay.tracked.TRACKERS", {**TRACKERS, "swanlab": (("json",), "swanlab")})
    Recorder.logged, Recorder.fails_at, Recorder.name = [], None, None
    return Recorder


def config(tiny: str, **changes: Any) -> SelfPlayConfig:
    return kuhn_config(tiny, estimator=EstimatorConfig(name="dept"), trackers=["swanlab"], **changes)


def test_the_names_are_those_of_transformers() -> None:
    assert set(TRACKERS) == set(integration_utils.INTEGRATION_TO_CALLBACK)
    assert set(EXTRAS) < set(TRACKERS)


def test_a_tracker_gets_every_update_by_game_and_role(tiny: str, tmp_path: Path, recorder: type[Recorder]) -> None:
    run_selfplay(config(tiny), str(tmp_path / "r"))
    told = [logged for logged in recorder.logged if "loss" in logged]
    metrics = lines(tmp_path / "r" / "metrics.jsonl")
    assert recorder.name == "r"
    assert [logged["step"] for logged in told] == [1, 2, 3, 4]
    for logged, line in zip(told, metrics, strict=True):
        role = line["games"]["kuhn_poker"]["roles"]["first"]
        for name in ("lambda", "sigma", "mean_return", "win", "invalid", "reply_tokens", "spread_after"):
            assert logged[f"kuhn_poker/first/{name}"] == role[name]
        assert logged["kuhn_poker/outcome_entropy"] == line["games"]["kuhn_poker"]["outcome_entropy"]
        assert logged["policy/kl"] == line["kl"]
        assert logged["kuhn_poker/signal/one_sided"] == line["impasse"]["signals"]["kuhn_poker"]["one_sided"]
        assert logged["tokens/sampled"] == line["tokens"]["sampled"]


def test_several_passes_tell_an_update_once(tiny: str, tmp_path: Path, recorder: type[Recorder]) -> None:
    run_selfplay(config(tiny, updates=2, optim={"passes": 2, "micro_batches": 2}), str(tmp_path / "r"))
    assert [x["step"] for x in recorder.logged if "kuhn_poker/first/win" in x] == [2, 4]
    assert [x["step"] for x in recorder.logged if "loss" in x] == [1, 2, 3, 4]


def test_a_tracker_that_fails_is_left_out_and_changes_nothing(
    tiny: str, tmp_path: Path, recorder: type[Recorder]
) -> None:
    recorder.fails_at = 2
    events: list[Any] = []
    assert run_selfplay(config(tiny), str(tmp_path / "r"), emit=events.append).updates == 4
    assert [logged["step"] for logged in recorder.logged] == [1]
    notes = [event["text"] for event in events if event["t"] == "note"]
    assert notes == [
        "The tracker 'swanlab' failed (OSError: no network) and is left out from now on; metrics.jsonl has everything."
    ]
    run_selfplay(config(tiny).model_copy(update={"trackers": []}), str(tmp_path / "o" / "r"))
    assert lines(tmp_path / "o" / "r" / "metrics.jsonl") == lines(tmp_path / "r" / "metrics.jsonl")


def test_a_tracker_that_cannot_begin_is_an_error_that_says_so(
    tiny: str, tmp_path: Path, recorder: type[Recorder]
) -> None:
    recorder.fails_at = 0
    with pytest.raises(ArenaError, match="'swanlab' cannot begin: OSError: no network"):
        run_selfplay(config(tiny), str(tmp_path / "r"))
    recorder.fails_at = None
    assert run_selfplay(config(tiny), str(tmp_path / "r"), resume=True).updates == 4


def test_a_missing_package_is_refused_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfplay.tracked.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'selfplay-arena\[tensorboard\]'"):
        check_installed(["tensorboard"])
    with pytest.raises(ConfigError, match=r"pip install dagshub mlflow;"):
        check_installed(["dagshub"])
    with pytest.raises(ConfigError, match="'wandb'"):
        refuse_impossible(kuhn_config("pocket", trackers=["wandb"]), "r")


def test_a_broken_package_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> TrainerCallback:
        raise RuntimeError("half installed")

    monkeypatch.setitem(integration_utils.INTEGRATION_TO_CALLBACK, "neptune", broken)
    with pytest.raises(ArenaError, match="'neptune' cannot be loaded: RuntimeError: half installed"):
        make_trackers(["neptune"], Path("x"), print)


@pytest.mark.parametrize(
    ("trackers", "message"),
    [(["tensorbord"], "Did you mean 'tensorboard'"), (["wandb", "wandb"], "name each of them once")],
)
def test_names_are_checked_with_the_config(trackers: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kuhn_config("pocket", trackers=trackers)


def test_scalars_are_finite_numbers_only() -> None:
    line = {
        "update": 3,
        "loss": 1.0,
        "kl": 0.5,
        "games": {"g": {"dominant": "draw", "outcomes": {"draw": 4}, "roles": {"a": {"win": float("nan"), "loss": 1}}}},
        "impasse": {"active": True, "signals": {"g": {"draws": 0.25}}},
    }
    assert scalars(line) == {
        "policy/kl": 0.5,
        "policy/impasse": 1.0,
        "g/outcomes/draw": 4.0,
        "g/a/loss": 1.0,
        "g/signal/draws": 0.25,
    }


@pytest.mark.skipif(importlib.util.find_spec("tensorboard") is None, reason="the extra tensorboard is not installed")
def test_tensorboard_writes_into_the_run(tiny: str, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run_selfplay(config(tiny).model_copy(update={"trackers": ["tensorboard"]}), str(tmp_path / "r"))
    events = EventAccumulator(str(tmp_path / "r" / "logs" / "tensorboard"))
    events.Reload()
    got = [(event.step, event.value) for event in events.Scalars("train/kuhn_poker/first/lambda")]
    told = [x["games"]["kuhn_poker"]["roles"]["first"]["lambda"] for x in lines(tmp_path / "r" / "metrics.jsonl")]
    assert [step for step, _ in got] == [1, 2, 3, 4]
    assert [value for _, value in got] == pytest.approx(told, rel=1e-6)


def test_a_tracker_that_failed_is_not_asked_again() -> None:
    said: list[str] = []
    Recorder.logged, Recorder.fails_at = [], None
    tracker = Tracker("x", Recorder(), said.append)
    tracker.on_log(None, None, None, logs={})  # there is no state to read a step from
    tracker.on_log(None, None, None, logs={})
    assert len(said) == 1
