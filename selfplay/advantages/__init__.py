"""Advantage estimators, one a file, all fed the same rollouts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from arena.errors import ConfigError
from games.suggest import unknown
from selfplay.advantages.base import Estimator, MatchResult, SeatAdvantage, Telemetry, result_of
from selfplay.advantages.batch_mean import BatchMean
from selfplay.advantages.dept import DualScaleTraining
from selfplay.advantages.group import GroupRelative
from selfplay.advantages.none import NoBaseline
from selfplay.advantages.rae import RoleConditionedAdvantage
from selfplay.advantages.rebn import ReturnBatchNormalisation
from selfplay.advantages.turn_level import TurnLevel

ESTIMATORS: Mapping[str, Callable[..., Estimator]] = {
    "batch_mean": BatchMean,
    "dept": DualScaleTraining,
    "group": GroupRelative,
    "none": NoBaseline,
    "rae": RoleConditionedAdvantage,
    "rebn": ReturnBatchNormalisation,
    "turn_level": TurnLevel,
}

__all__ = ["ESTIMATORS", "Estimator", "MatchResult", "SeatAdvantage", "Telemetry", "make_estimator", "result_of"]


def make_estimator(name: str, options: Mapping[str, Any]) -> Estimator:
    """The estimator of this name.

    Raises:
        ConfigError: no such estimator, or an option it does not take or with a value it refuses.
    """
    if name not in ESTIMATORS:
        raise ConfigError(unknown("estimator", name, ESTIMATORS))
    known = inspect.signature(ESTIMATORS[name]).parameters
    for option, value in options.items():
        if option not in known:
            raise ConfigError(f"estimator {name}: " + unknown("option", option, known))
        wanted = type(known[option].default)
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise ConfigError(f"estimator {name}: {option} = {value!r} must be of type {wanted.__name__}.")
    try:
        return ESTIMATORS[name](**options)
    except ValueError as error:
        raise ConfigError(f"estimator {name}: {error}") from error
