"""Experiment trackers by name: what transformers' `report_to` knows, and the package each needs.

Imports nothing heavy: a config is checked against this before anything is loaded. A test holds the names to
transformers' own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from arena.display.telemetry import part_of
from arena.errors import ConfigError

EXTRAS = ("tensorboard", "trackio", "wandb")
"""Trackers that are extras of this package."""

TRACKERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "azure_ml": (("azureml",), "azureml-sdk"),
    "clearml": (("clearml",), "clearml"),
    "codecarbon": (("codecarbon",), "codecarbon"),
    "comet_ml": (("comet_ml",), "comet-ml"),
    "dagshub": (("dagshub",), "dagshub mlflow"),
    "dvclive": (("dvclive",), "dvclive"),
    "flyte": (("flytekit",), "flytekit"),
    "kubeflow": (("kubeflow",), "kubeflow"),
    "mlflow": (("mlflow",), "mlflow"),
    "neptune": (("neptune",), "neptune"),
    "swanlab": (("swanlab",), "swanlab"),
    "tensorboard": (("tensorboard", "tensorboardX"), "tensorboard"),
    "trackio": (("trackio",), "trackio"),
    "wandb": (("wandb",), "wandb"),
}
"""By name: modules of which one must be there, and what to install."""


def check_installed(trackers: Sequence[str]) -> None:
    """Refuse trackers whose package is missing.

    Raises:
        ConfigError: names the command that installs it.
    """
    for name in trackers:
        modules, package = TRACKERS[name]
        if not any(find_spec(module) for module in modules):
            wanted = f"'selfplay-arena[{name}]'" if name in EXTRAS else package
            raise ConfigError(
                f"trackers names {name!r}, but its package is not installed. Install it with: pip install {wanted}; "
                "or take it out of trackers (metrics.jsonl is always written)."
            )


def scalars(line: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a line of metrics.jsonl by path: `kuhn_poker/first/lambda`, `kuhn_poker/signal/draws`.

    What is about no game is below `policy/` (KL, entropy, times) and `tokens/`. Loss, gradient norm and learning rate
    are left out: the trainer tells them itself. So is what is not finite.
    """
    left_out = {"schema", "update", "updates", "loss", "grad_norm", "learning_rate"}
    made = {f"policy/{name}": value for name, value in line.items() if name not in left_out}
    made |= {f"tokens/{name}": value for name, value in part_of(line, "tokens").items()}
    for game, told in part_of(line, "games").items():
        made |= {f"{game}/{name}": value for name, value in told.items()}
        for role, values in part_of(told, "roles").items():
            made |= {f"{game}/{role}/{name}": value for name, value in values.items()}
        for part in ("outcomes", "measures", "past", "payoff"):
            made |= {f"{game}/{part}/{name}": value for name, value in part_of(told, part).items()}
        signals = part_of(part_of(part_of(line, "impasse"), "signals"), game)
        made |= {f"{game}/signal/{name}": value for name, value in signals.items()}
    made["policy/impasse"] = float(bool(part_of(line, "impasse").get("active")))
    return {
        name: float(value)
        for name, value in made.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }
