"""Games of other packages, found through the entry point group `arena.games`.

    [project.entry-points."arena.games"]
    "acme/haggle" = "acme_games.haggle:Haggle"

The name is the game's id, the class is what a written game is: it declares `PARAMS`, is made with the parameters in
force, and its `spec.id` is that name. A plug-in is imported when its game is asked for or games are listed. What is
broken is listed with its error and stops nothing else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from games.errors import ParameterError, PluginError
from games.types import Game, GameSpec, Param

if TYPE_CHECKING:
    from games.registry import GameClass

GROUP = "arena.games"
RESERVED = ("openspiel", "textarena")
"""First parts of ids that are ours."""

_NAME = re.compile(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*(-[a-z0-9_]+)?")


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """A game that a package offers, and whether it can be had.

    Attributes:
        id: the name of its entry point.
        package: name and version of the distribution.
        spec: its facts under default parameters; None where it is broken.
        error: why it is broken.
    """

    id: str
    package: str
    spec: GameSpec | None = None
    error: str = ""


def plugin_ids() -> tuple[str, ...]:
    """Ids that packages offer, sorted; nothing is imported."""
    return tuple(sorted({entry.name for entry in _offered()}))


def plugins() -> tuple[Plugin, ...]:
    """Every offered game, imported and made under its default parameters, or with its error."""
    return tuple(_examined(game_id) for game_id in plugin_ids())


@lru_cache(maxsize=128)
def plugin_class(game_id: str) -> GameClass:
    """The class of a plug-in game.

    Raises:
        PluginError: it is offered and cannot be used; says why.
    """
    entry = _only(game_id)
    try:
        with _to_stderr():
            cls = entry.load()
    except (Exception, SystemExit) as error:
        raise PluginError(game_id, f"{entry.value} cannot be imported: {_told(error)}") from error
    if not (isinstance(cls, type) and issubclass(cls, Game)):
        raise PluginError(game_id, f"{entry.value} is {_kind(cls)}; a subclass of games.Game is needed")
    declared: Any = cls.PARAMS
    if not isinstance(declared, Mapping) or not all(isinstance(param, Param) for param in declared.values()):
        raise PluginError(game_id, f"{cls.__name__}.PARAMS must map names to games.Param")
    return cls  # type: ignore[return-value] # a Game is made as cls(params), by convention


def make_plugin(game_id: str, params: Mapping[str, Any]) -> Game:
    """The game under the parameters in force.

    Raises:
        PluginError: it cannot be made, or calls itself by another name.
        ParameterError: it refuses the combination of parameters.
    """
    cls = plugin_class(game_id)
    try:
        with _to_stderr():
            game = cls(params)
    except ParameterError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(game_id, f"it cannot be made with {dict(params)}: {_told(error)}") from error
    spec: Any = getattr(game, "spec", None)
    if not isinstance(spec, GameSpec):
        raise PluginError(game_id, f"its spec is {_kind(spec)}; a games.GameSpec is needed")
    if spec.id != game_id:
        raise PluginError(game_id, f"its spec.id is {spec.id!r}; it must be the name of the entry point")
    return game


def _offered() -> tuple[EntryPoint, ...]:
    found = {(entry.name, entry.value, _package(entry)): entry for entry in entry_points(group=GROUP)}
    return tuple(found[key] for key in sorted(found))


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "unknown package"


def _only(game_id: str) -> EntryPoint:
    offered = [entry for entry in _offered() if entry.name == game_id]
    if not _NAME.fullmatch(game_id):
        raise PluginError(game_id, "a name must be like acme/haggle: lower case, the owner, a slash, the game")
    if game_id.split("/")[0] in RESERVED:
        raise PluginError(game_id, f"names that begin with {' or '.join(f'{own}/' for own in RESERVED)} are ours")
    if len(offered) != 1:
        raise PluginError(game_id, f"it is offered more than once: {'; '.join(map(_package, offered))}")
    return offered[0]


@lru_cache(maxsize=128)
def _examined(game_id: str) -> Plugin:
    from games.registry import get_game

    package = "; ".join(dict.fromkeys(_package(entry) for entry in _offered() if entry.name == game_id))
    try:
        plugin_class(game_id)  # refuses names that are ours
        return Plugin(id=game_id, package=package, spec=get_game(game_id).spec)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - reported in the list of games
        why = error.why if isinstance(error, PluginError) else _told(error)
        return Plugin(id=game_id, package=package, error=why)


@contextmanager
def _to_stderr() -> Iterator[None]:
    """What a plug-in prints must not end up in a result."""
    with redirect_stdout(sys.stderr):
        yield


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _kind(thing: Any) -> str:
    return f"the class {thing.__name__}" if isinstance(thing, type) else f"of type {type(thing).__name__}"
