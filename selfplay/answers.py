"""What a run does at an impasse: tells of it, and carries out the answer of its config."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from selfplay.advantages import Estimator
from selfplay.advantages.dept import DualScaleTraining
from selfplay.impasse import ImpasseWatch, Report, snapshot_before
from selfplay.impasse_signals import signals
from selfplay.metrics import Group, PlayedMatch, TokenStats
from selfplay.sections import ImpasseConfig


class Answers:
    """Watches a run and answers.

    Args:
        config: thresholds and answers.
        estimator: told whether to reshape.
        emit: takes events for the live view.
        go_back: puts the weights of a snapshot in place.
    """

    def __init__(
        self,
        config: ImpasseConfig,
        estimator: Estimator,
        *,
        emit: Callable[[Mapping[str, Any]], None],
        go_back: Callable[[str], None],
    ) -> None:
        self.watch = ImpasseWatch(config)
        self.given_up = False
        self._estimator, self._emit, self._go_back = estimator, emit, go_back
        self._told = ""

    def observe(self, update: int, matches: Sequence[PlayedMatch], tokens: Mapping[Group, TokenStats]) -> Report:
        """Take an update's matches; `give` what comes of it once its metrics are written."""
        return self.watch.observe(update, signals(matches, tokens))

    def give(self, report: Report, pool: Sequence[str]) -> None:
        """Tell, and do what is to hold from the next update on.

        Args:
            report: of the update.
            pool: names of the run's snapshots, oldest first.
        """
        if report.text != self._told:
            if report.answer or bool(report.text) != bool(self._told):
                self._note(report.text or "The impasse is over.")
            self._banner(report.text)
        if isinstance(self._estimator, DualScaleTraining):
            self._estimator.reshape("reshape" in report.in_force)
        if report.answer == "rollback":
            name = snapshot_before(min(stuck.since for stuck in report.stuck), pool)
            if name is not None:
                self._go_back(name)
            self._note(f"Went back to the weights of {name}." if name else "There is no snapshot to go back to yet.")
        self.given_up |= report.answer == "stop"

    def _banner(self, text: str) -> None:
        self._told = text
        self._emit({"t": "impasse", "text": text})

    def _note(self, text: str) -> None:
        self._emit({"t": "note", "text": text})

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as saved by `watch.state_dict`; an impasse that is on is told again."""
        self.watch.load_state_dict(state)
        if self.watch.text:
            self._banner(self.watch.text)
