"""Strict configs: TOML plus `key=value` overrides; errors name what was given, what is allowed, what is near."""

from __future__ import annotations

import os
import tomllib
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from arena.errors import ConfigError
from games.suggest import nearest
from games.types import ParamValue

_PRESETS = (Path(__file__).parent / "presets", Path(__file__).parent.parent / "configs")


class StrictModel(BaseModel):
    """Base of every config section: unknown keys are refused, nothing is coerced, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class SamplingConfig(StrictModel):
    """How models sample their replies."""

    temperature: float = Field(default=1.0, ge=0, le=10)
    top_p: float = Field(default=1.0, gt=0, le=1)
    top_k: int = Field(default=0, ge=0)
    max_tokens: int = Field(default=32, ge=1, le=100_000)


class GameConfig(StrictModel):
    """A game and its parameters."""

    id: str
    params: dict[str, ParamValue] = Field(default_factory=dict)


class TournamentConfig(StrictModel):
    """Everything that decides a tournament.

    Attributes:
        name: name of the run; the command line's `--run` comes first.
        players: names as on the command line; `RUN@all` stands for every snapshot of a run.
        games: what is played, each as a table of its own.
        model: base model under `base` and the snapshots.
        device: where the model runs.
        pairs: deals per table and group of players; each is played once per rotation of the seats.
        seed: of the whole tournament.
        concurrency: matches in flight; changes no result of scripted players.
        show_legal: whether prompts list the legal answers.
        retries: how often an unusable reply may be repeated before it forfeits.
        turn_limit: replies after which a match is stopped without a winner.
        sampling: how models sample.
        store_tokens: keep token ids and log-probabilities in the records.
        bootstrap: resamples behind every interval.
    """

    name: str = ""
    players: list[str] = Field(min_length=2)
    games: list[GameConfig] = Field(min_length=1)
    model: str = "pocket"
    device: str = "auto"
    pairs: int = Field(default=50, ge=1, le=1_000_000)
    seed: int = Field(default=0, ge=0)
    concurrency: int = Field(default=128, ge=1, le=100_000)
    show_legal: bool = True
    retries: int = Field(default=1, ge=0, le=100)
    turn_limit: int | None = Field(default=None, ge=1)
    sampling: SamplingConfig = Field(default_factory=SamplingConfig)
    store_tokens: bool = True
    bootstrap: int = Field(default=1000, ge=10, le=1_000_000)

    @model_validator(mode="after")
    def _no_repeats(self) -> TournamentConfig:
        twice = sorted({name for name in self.players if self.players.count(name) > 1})
        if twice:
            raise ValueError(f"players lists {', '.join(twice)} twice; a player is never rated against itself")
        tables = [(game.id, sorted(game.params.items())) for game in self.games]
        again = sorted({game_id for game_id, params in tables if tables.count((game_id, params)) > 1})
        if again:
            raise ValueError(f"games lists {', '.join(again)} twice with the same params; raise `pairs` instead")
        return self


ConfigT = TypeVar("ConfigT", bound=StrictModel)


def preset_names() -> list[str]:
    """Names of the presets that come along, like `selfplay/demo`."""
    files = ((root, path) for root in _PRESETS if root.is_dir() for path in root.rglob("*.toml"))
    return sorted({path.relative_to(root).with_suffix("").as_posix() for root, path in files})


def find_config(given: str, kind: str = "") -> Path:
    """The file a CONFIG argument means: a path, or a preset (`selfplay/demo`, or `demo` where `kind` says which).

    Raises:
        ConfigError: neither; names the nearest preset.
    """
    path = Path(given)
    if os.path.isfile(path):  # unlike Path.is_file, it takes names of any length
        return path
    name = str(path.with_suffix("")) if path.suffix == ".toml" else given
    name = name.removeprefix("configs/")
    for root in _PRESETS:
        for candidate in (root / f"{name}.toml", root / kind / f"{name}.toml"):
            if os.path.isfile(candidate):
                return candidate
    names = preset_names()
    short = [preset.removeprefix(f"{kind}/") for preset in names if kind and preset.startswith(f"{kind}/")]
    guess = nearest(name, short) or nearest(name, names)
    hint = f" Did you mean {guess!r}?" if guess else ""
    raise ConfigError(f"No config {given!r}: no such file, and no such preset.{hint} Presets: {', '.join(names)}.")


def load_config(
    given: str,
    overrides: Sequence[str],
    model: type[ConfigT],
    *,
    kind: str = "",
    defaults: Mapping[str, Any] | None = None,
) -> ConfigT:
    """Read a config file, apply overrides, and check everything.

    Args:
        given: path or preset name.
        overrides: `key=value`, dotted keys allowed; the value is TOML, or a bare string.
        model: the config class.
        kind: folder of presets to look in first.
        defaults: values put in before the overrides (command-line options).

    Raises:
        ConfigError: with file, key, what was given, what is allowed.
    """
    path = find_config(given, kind)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    for key, value in (defaults or {}).items():
        data[key] = value
    for override in overrides:
        _override(data, override)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        source = f"{path}" + (f" with {' '.join(map(_short, overrides))}" if overrides else "")
        raise ConfigError(f"{source}: {_explain_all(model, error)}") from error


def parse_value(text: str) -> Any:
    """A TOML value; text that is none is taken as a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _override(data: dict[str, Any], override: str) -> None:
    """Put one `a.b.0.c=value` into the raw config; numbers index lists."""
    key, separator, text = override.partition("=")
    parts = key.strip().split(".")
    if not separator or not all(parts):
        raise ConfigError(f"Override {override!r} is not of the form key=value (like seed=3 or sampling.top_p=0.9).")
    place: Any = data
    for part in parts[:-1]:
        place = place[_index(place, part, override)] if isinstance(place, list) else place.setdefault(part, {})
        if not isinstance(place, dict | list):
            raise ConfigError(f"Override {override!r}: {part!r} is a value, not a section.")
    last = _index(place, parts[-1], override) if isinstance(place, list) else parts[-1]
    place[last] = parse_value(text.strip())


def _index(items: list[Any], part: str, override: str) -> int:
    if not (part.isascii() and part.isdigit()) or int(part) >= len(items):
        raise ConfigError(f"Override {override!r}: {part!r} is not an index into a list of {len(items)} (from 0).")
    return int(part)


def _fields_at(model: type[BaseModel], location: Sequence[int | str]) -> dict[str, Any]:
    """Fields of the section that holds the last key of `location`."""
    current: type[BaseModel] = model
    for part in location[:-1]:
        if isinstance(part, int):
            continue
        field = current.model_fields.get(part)
        if field is None:
            continue
        inner = _section(field.annotation)
        if inner is not None:
            current = inner
    return dict(current.model_fields)


def _section(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is not None:
        for inner in typing.get_args(annotation):
            found = _section(inner)
            if found is not None:
                return found
    return None


_UNION_TAGS = {"int", "float", "str", "bool"}


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"


def _explain_all(model: type[BaseModel], error: ValidationError) -> str:
    """All errors, each once; what is allowed in a section is listed once, after the last of its unknown keys."""
    found = list(dict.fromkeys(_explain(model, e) for e in error.errors()))
    sections = [allowed for _, allowed in found]
    said = [
        text + (f" Allowed here: {allowed}." if allowed and allowed not in sections[number + 1 :] else "")
        for number, (text, allowed) in enumerate(found)
    ]
    return " ".join(said)


def _explain(model: type[BaseModel], error: Any) -> tuple[str, str]:
    """One pydantic error in our words: key, what was given, what is allowed; and the keys allowed in its section."""
    location = tuple(error["loc"])
    message: str = error["msg"].removeprefix("Value error, ").removesuffix(".")
    if len(location) > 1 and location[-1] in _UNION_TAGS:  # pydantic reports every member of a union by itself
        location, message = location[:-1], "must be a number, text, true or false"
    where = ".".join(str(part) for part in location)
    if error["type"] == "extra_forbidden":
        known = sorted(_fields_at(model, location))
        guess = nearest(str(location[-1]), known)
        return f"unknown key {where!r}." + (f" Did you mean {guess!r}?" if guess else ""), ", ".join(known)
    if error["type"] == "missing":
        return f"{where} is missing.", ""
    if not where:
        return f"{message}.", ""
    if error["type"] == "model_type":
        message = f"must be a section with the keys {', '.join(sorted(_fields_at(model, (*location, '*'))))}"
    return f"{where} = {_short(repr(error.get('input')))}: {message[:1].lower() + message[1:]}.", ""
