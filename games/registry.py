"""Games by name: written ones from `games.shelf`, OpenSpiel's as `openspiel/<name>`, those of other packages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Protocol, cast

from games.errors import ParameterError, UnknownGameError
from games.plugins import make_plugin, plugin_class, plugin_ids
from games.shelf import SOCIAL, VARIANTS, WRITTEN
from games.suggest import unknown
from games.types import Game, GameSpec, Param, ParamValue


def resolve_params(
    game_id: str, declared: Mapping[str, Param], given: Mapping[str, ParamValue]
) -> dict[str, ParamValue]:
    """All parameters in force, checked.

    Raises:
        ParameterError: unknown name, wrong type, or out of bounds; says what is allowed.
    """
    for name in given:
        if name not in declared:
            raise ParameterError(f"{game_id}: " + unknown("parameter", name, declared))
    return {name: _checked(game_id, name, spec, given.get(name, spec.default)) for name, spec in declared.items()}


def _checked(game_id: str, name: str, spec: Param, value: ParamValue) -> ParamValue:
    wanted = type(spec.default)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise ParameterError(f"{game_id}: {name}={value!r} must be of type {wanted.__name__}.")
    if spec.choices and value not in spec.choices:
        allowed = ", ".join(map(repr, spec.choices))
        raise ParameterError(f"{game_id}: {name}={value!r} is not one of {allowed}.")
    if isinstance(value, int | float) and not isinstance(value, bool):
        low = -math.inf if spec.low is None else spec.low
        high = math.inf if spec.high is None else spec.high
        if not low <= value <= high:
            raise ParameterError(f"{game_id}: {name}={value!r} is outside {low:g} … {high:g}.")
    return value


OURS = ("openspiel/", "textarena/")
"""Beginnings of ids whose rules are adapted from a library, which tells their parameters itself."""


class GameClass(Protocol):
    """A written game's class: declares its parameters and is made with those in force."""

    PARAMS: Mapping[str, Param]

    def __call__(self, params: Mapping[str, ParamValue]) -> Game:
        """Make the game."""


def game_class(game_id: str) -> GameClass:
    """The class of a written game, variant or plug-in, imported on first use."""
    game_id, _ = VARIANTS.get(game_id, (game_id, {}))
    if game_id not in WRITTEN:
        return plugin_class(game_id)
    module, _, name = WRITTEN[game_id].partition(":")
    return cast("GameClass", getattr(import_module(module), name))


def is_social(game_id: str) -> bool:
    """Whether a written game or variant is one of the social language games."""
    return VARIANTS.get(game_id, (game_id, {}))[0] in SOCIAL


def get_game(game_id: str, params: Mapping[str, ParamValue] | None = None) -> Game:
    """The game with this id and parameters; equal parameters in force give the same object.

    Raises:
        UnknownGameError: no such game; names the nearest.
        PluginError: a game of another package that cannot be used; says why.
        ParameterError: a parameter it does not have, or a value it does not allow.
    """
    given = dict(params or {})
    for name, value in given.items():
        if not isinstance(value, int | float | str | bool):
            raise ParameterError(f"{game_id}: {name}={value!r} must be a number, a text, true or false.")
    if game_id in WRITTEN or game_id in VARIANTS or _is_plugin(game_id):
        _, changed = VARIANTS.get(game_id, (game_id, {}))
        return _cached(game_id, _key(resolve_params(game_id, game_class(game_id).PARAMS, {**changed, **given})))
    return _cached(game_id, _key(_cached(game_id, _key(given)).spec.params))  # the library tells which are in force


def _key(params: Mapping[str, ParamValue]) -> tuple[tuple[str, str, ParamValue], ...]:
    """Hashable content; types are named, because 1 == True == 1.0."""
    return tuple((name, type(value).__name__, value) for name, value in sorted(params.items()))


@lru_cache(maxsize=512)
def _cached(game_id: str, key: tuple[tuple[str, str, ParamValue], ...]) -> Game:
    params = {name: value for name, _, value in key}
    if game_id in WRITTEN:
        return game_class(game_id)(params)
    if game_id in VARIANTS:
        game = game_class(game_id)(params)
        game.spec = replace(game.spec, id=game_id)
        return game
    if game_id.startswith("openspiel/"):
        from games.openspiel_generic import load_generic

        return load_generic(game_id, params)
    if game_id.startswith("textarena/"):
        from games.textarena import load_textarena

        return load_textarena(game_id, params)
    if _is_plugin(game_id):
        return make_plugin(game_id, params)
    from games.openspiel_catalog import generic_ids

    raise UnknownGameError(unknown("game", game_id, [*WRITTEN, *VARIANTS, *plugin_ids(), *generic_ids()]))


def _is_plugin(game_id: str) -> bool:
    """Whether a package offers it, under a name that is not ours."""
    return game_id not in WRITTEN and not game_id.startswith(OURS) and game_id in plugin_ids()


def list_games() -> tuple[GameSpec, ...]:
    """Specs of the written games and their variants with their default parameters, by id."""
    return tuple(get_game(game_id).spec for game_id in sorted([*WRITTEN, *VARIANTS]))
