"""Trackers as callbacks of the trainer, each kept from ending a run that it only watches."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from transformers import TrainerCallback
from transformers.integrations.integration_utils import TensorBoardCallback, get_reporting_integration_callbacks

from arena.errors import ArenaError

PROJECT = "selfplay-arena"
"""Project in trackers that have projects and are told of none by their environment."""


class Tracker(TrainerCallback):
    """Passes a run on to a tracker.

    A tracker that cannot begin ends the run before anything is played; one that fails later (a network that is gone,
    a full disk) is told of once and left out from then on. Checkpoints and snapshots are not passed on: they stay in
    the run directory.

    Args:
        name: of the tracker.
        callback: transformers' own for it.
        note: takes the sentence about a failure.
    """

    def __init__(self, name: str, callback: TrainerCallback, note: Callable[[str], None]) -> None:
        self._name, self._callback, self._note = name, callback, note
        self._failed = False

    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Called when the trainer is ready.

        Raises:
            ArenaError: the tracker cannot begin.
        """
        self._begin("on_init_end", args, state, control, **kwargs)

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Called before the first update of this process.

        Raises:
            ArenaError: the tracker cannot begin.
        """
        self._begin("on_train_begin", args, state, control, **kwargs)

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Called with the numbers of a step."""
        self._pass_on("on_log", args, state, control, **kwargs)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Called at the end."""
        self._pass_on("on_train_end", args, state, control, **kwargs)

    def _begin(self, event: str, *args: Any, **kwargs: Any) -> None:
        try:
            getattr(self._callback, event)(*args, **kwargs)
        except Exception as error:
            raise ArenaError(
                f"The tracker {self._name!r} cannot begin: {type(error).__name__}: {error}. Set it up as its own "
                "documentation says, or take it out of trackers (metrics.jsonl is always written)."
            ) from error

    def _pass_on(self, event: str, *args: Any, **kwargs: Any) -> None:
        if self._failed:
            return
        try:
            getattr(self._callback, event)(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - trackers raise anything, and a run must outlive them
            self._failed = True
            self._note(
                f"The tracker {self._name!r} failed ({type(error).__name__}: {error}) and is left out from now on; "
                "metrics.jsonl has everything."
            )


def make_trackers(names: Sequence[str], folder: Path, note: Callable[[str], None]) -> list[Tracker]:
    """Callbacks for the trainer.

    Args:
        names: of `tracked.TRACKERS`.
        folder: for what a tracker writes where transformers would put it beside the checkpoints.
        note: takes sentences about failures.

    Raises:
        ArenaError: a tracker whose package is broken.
    """
    made = []
    for name in names:
        try:
            (kind,) = get_reporting_integration_callbacks([name])  # type: ignore[no-untyped-call]  # untyped there
            callback = kind()
        except Exception as error:
            raise ArenaError(
                f"The tracker {name!r} cannot be loaded: {type(error).__name__}: {error}. Repair its package, or take "
                "it out of trackers (metrics.jsonl is always written)."
            ) from error
        if isinstance(callback, TensorBoardCallback) and "TENSORBOARD_LOGGING_DIR" not in os.environ:
            callback.logging_dir = str(folder / "tensorboard")
        made.append(Tracker(name, callback, note))
    return made
