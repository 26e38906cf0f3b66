"""A study's config: which runs differ in what, over which seeds, and what is measured of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, model_validator

from arena.config import StrictModel
from arena.errors import ConfigError, UsageError
from eval.benchmarks import Benchmark
from games.suggest import nearest, unknown

POLICIES = ("nashconv", "average", "late_average")
"""Kinds of evaluation of exact play: of each snapshot, of the average of all so far, of that of their last half."""

SIGNALS = (
    "advantage_spread",
    "draws",
    "one_sided",
    "outcome_entropy",
    "past_score",
    "repeated",
    "reply_tokens",
    "token_entropy",
)
"""Impasse signals in metrics.jsonl, by game."""

COLUMNS = ("clipped", "entropy", "grad_norm", "kl", "learning_rate", "loss", "rows", "sampler_kl", "trajectories")
"""Numbers of a whole update in metrics.jsonl."""

SECTIONS = ("games", "estimator", "tokens", "impasse")
"""Where a dotted name may lead: `games.kuhn_poker.roles.first.win`."""

_ARM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


class StudyConfig(StrictModel):
    """A study: every arm with every seed.

    Attributes:
        base: the self-play config that all arms start from, a preset or a path.
        seeds: of the cells; what is compared is compared seed by seed.
        jobs: cells trained at a time.
        arms: by name, what is changed in the base; empty for the base as it is.
        baseline: the arm that the others are compared with; the first one if empty.
        evaluations: `nashconv:GAME`, `average:GAME`, `late_average:GAME`, `score:PLAYER`.
        metrics: impasse signals, or numbers of metrics.jsonl by dotted name.
        pairs: seat-swapped deals behind each score.
    """

    base: str = Field(min_length=1)
    seeds: list[int] = Field(default_factory=lambda: [0], min_length=1)
    jobs: int = Field(default=1, ge=1, le=1024)
    arms: dict[str, dict[str, Any]] = Field(min_length=1)
    baseline: str = ""
    evaluations: list[str] = Field(default_factory=list)
    metrics: list[str] = Field(default_factory=list)
    pairs: int = Field(default=100, ge=1, le=1_000_000)

    @model_validator(mode="after")
    def _possible(self) -> StudyConfig:
        if self.baseline and self.baseline not in self.arms:
            raise ValueError(unknown("baseline", self.baseline, self.arms))
        for name in self.arms:
            if not _ARM.fullmatch(name):
                raise ValueError(
                    f"arms.{name}: use 1 to 40 letters, digits and . _ - and begin with a letter or digit (a cell's "
                    "folder is ARM-sSEED)"
                )
        if min(self.seeds) < 0:
            raise ValueError(f"seeds has {min(self.seeds)}; seeds are 0 or more")
        for what, listed in (("seeds", self.seeds), ("evaluations", self.evaluations), ("metrics", self.metrics)):
            twice = [item for number, item in enumerate(listed) if item in listed[:number]]
            if twice:
                raise ValueError(f"{what} lists {twice[0]} more than once")
        for name in self.metrics:
            _check_metric(name)
        return self

    @property
    def against(self) -> str:
        """The arm that the others are compared with."""
        return self.baseline or next(iter(self.arms))


def _check_metric(name: str) -> None:
    """Whether a name can be one of metrics.jsonl."""
    known = SECTIONS if "." in name else (*SIGNALS, *COLUMNS)
    if name.partition(".")[0] not in known:
        guess = nearest(name, (*SIGNALS, *COLUMNS))
        hint = f" Did you mean {guess!r}?" if guess else ""
        raise ValueError(
            f"metrics: unknown name {name!r}.{hint} Known: {', '.join((*SIGNALS, *COLUMNS))}, and dotted names that "
            f"begin with {', '.join(SECTIONS)}, like games.kuhn_poker.roles.first.win"
        )


def parse_evaluations(names: Sequence[str]) -> list[Benchmark]:
    """The evaluations that names stand for, with everything refused that can be before a model is loaded.

    Raises:
        UsageError: an unknown kind, or a player that is none or several.
        GameError: a game that exact play cannot walk.
    """
    from arena.players.factory import PlayerFactory
    from eval.exact import load_exact_game
    from eval.infostates import require_small

    made = []
    for name in names:
        kind, _, subject = name.partition(":")
        if kind in POLICIES and subject:
            require_small(load_exact_game(subject))
        elif kind == "score" and subject:
            if subject == "human" or len(PlayerFactory().expand([subject])) != 1 or subject.endswith("@latest"):
                raise UsageError(f"evaluations: {name}: give one player that stays the same, like score:random.")
        else:
            known = [*(f"{kind}:kuhn_poker" for kind in POLICIES), "score:random", "score:greedy"]
            raise UsageError(unknown("evaluation", name, known))
        made.append(Benchmark(kind=kind, subject=subject))
    return made


def check_players(evaluations: Sequence[Benchmark], games: Sequence[Mapping[str, Any]]) -> None:
    """Refuse scores against a player that does not play one of the games, before anything is trained for them.

    Raises:
        UsageError: names player and game.
    """
    from arena.players.factory import PlayerFactory
    from games import get_game

    factory = PlayerFactory()
    for one in evaluations:
        if one.kind != "score" or one.subject == "base" or "@" in one.subject:  # a language model plays anything
            continue
        for game in games:
            reason = factory.refusal(one.subject, get_game(game["id"], game["params"]))
            if reason:
                raise UsageError(f"evaluations: {one.name}: {reason}.")


def override_words(arm: str, changes: Mapping[str, Any]) -> list[str]:
    """An arm's table as `key=value` words of `arena selfplay`; tables inside it change single keys.

    An empty table stands for itself (`options = {}` clears), and a quoted dotted key for the key it spells.

    Raises:
        ConfigError: the seed, which is the study's; a key or value that a word cannot carry.
    """
    words = []
    for key, value in _flat(changes):
        if key == "seed":
            raise ConfigError(f"arms.{arm}.seed: seeds are the study's own; list them under `seeds`.")
        if "=" in key or key.startswith("-"):
            raise ConfigError(f"arms.{arm}: {key!r} is no key of a self-play config.")
        try:
            words.append(f"{key}={toml_value(value)}")
        except TypeError as error:
            raise ConfigError(f"arms.{arm}.{key}: {error}") from error
    return words


def _flat(table: Mapping[str, Any], where: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{where}{key}.")
        else:
            yield f"{where}{key}", value


def toml_value(value: Any) -> str:
    """A value on one line of TOML. Raises TypeError for dates and the like."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_value(str(key))} = {toml_value(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"{value} is a {type(value).__name__}; a config holds numbers, text, true, false, lists and tables")
