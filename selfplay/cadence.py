"""When to save and when to end, asked after every update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transformers import TrainerCallback


class Cadence(TrainerCallback):
    """Decides after every update whether to write a checkpoint and whether to end.

    Args:
        save_now: asked after update n.
        stop_now: asked after every update.
        steps: optimiser steps of an update; between them nothing is saved and nothing ends.
    """

    def __init__(self, save_now: Callable[[int], bool], stop_now: Callable[[], bool], *, steps: int = 1) -> None:
        self._save_now = save_now
        self._stop_now = stop_now
        self._steps = steps

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """Called by transformers after each optimiser step."""
        if state.global_step % self._steps:
            return control
        if self._stop_now():
            control.should_training_stop = True
        control.should_save = control.should_training_stop or self._save_now(state.global_step // self._steps)
        return control
