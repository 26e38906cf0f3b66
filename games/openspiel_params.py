"""Parameters of `openspiel/<name>`: checked here, before OpenSpiel acts on them.

OpenSpiel allocates what it is told to, and some wrong sizes end the process (a negative board, two seats' stacks for
three players) instead of raising an error. So whole numbers have bounds, and what still crashes is not offered.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from games.errors import ParameterError
from games.suggest import unknown
from games.types import ParamValue

_SEATS = frozenset({"players", "num_players", "numPlayers"})

MAX_AUTOMATIC = 1000
"""Largest value of a whole number that OpenSpiel chooses itself unless told: go's longest match has 722 moves."""

_BOUNDS: Mapping[tuple[str, str], tuple[int, int]] = MappingProxyType(
    {
        ("blotto", "coins"): (1, 30),  # the number of choices grows with coins ** fields
        ("blotto", "fields"): (1, 4),
        ("bridge", "dealer"): (0, 3),
        ("go_fish", "initial_cards"): (1, 13),
        ("gomoku", "dims"): (1, 3),
        ("gomoku", "size"): (1, 20),
        ("hanabi", "colors"): (4, 5),  # a smaller deck is dealt out before all have a hand
        ("hanabi", "hand_size"): (1, 5),
        ("hanabi", "ranks"): (4, 5),
        ("hex", "board_size"): (2, 26),
        ("hex", "num_cols"): (2, 26),
        ("hex", "num_rows"): (2, 26),
        ("leduc_poker", "starting_player"): (0, 1),
        ("mnk", "m"): (1, 30),
        ("mnk", "n"): (1, 30),
        ("yacht", "dice_sides"): (2, 8),  # chance has dice_sides ** num_dice outcomes
        ("yacht", "num_dice"): (1, 5),
    }
)
"""By game and parameter: inclusive bounds, where OpenSpiel cannot bear the general ones."""

_OFFERED: Mapping[str, tuple[frozenset[str], str]] = MappingProxyType(
    {
        "universal_poker": (
            frozenset({"betting", "bettingAbstraction"}),
            "it must fit the others, and OpenSpiel ends the whole process where it does not",
        )
    }
)
"""By game: the parameters that can be changed, and why the others cannot."""


def checked_parameters(game_id: str, kind: Any, params: Mapping[str, ParamValue]) -> None:
    """Names, types and sizes.

    Args:
        game_id: for messages.
        kind: `pyspiel.GameType` of the game.
        params: as given.

    Raises:
        ParameterError: unknown name, wrong type, or a size that cannot be; says what the game has.
    """
    allowed: Mapping[str, ParamValue] = kind.parameter_specification
    for key, value in params.items():
        if key not in allowed:
            raise ParameterError(f"{game_id}: " + unknown("parameter", key, allowed))
        _check(game_id, kind, key, value, allowed[key])


def _check(game_id: str, kind: Any, key: str, value: ParamValue, default: ParamValue) -> None:
    wanted = type(default)
    if type(value) is not wanted and not (wanted is float and type(value) is int):
        raise ParameterError(f"{game_id}: {key}={value!r} must be of type {wanted.__name__} (default {default!r}).")
    offered, why = _OFFERED.get(kind.short_name, (None, ""))
    if offered is not None and key not in offered and value != default:
        raise ParameterError(f"{game_id}: {key} cannot be changed here (default {default!r}): {why}.")
    if type(value) is int and type(default) is int and value != default:
        low, high = bounds(kind, key, default)
        if not low <= value <= high:
            raise ParameterError(f"{game_id}: {key}={value!r} is outside {low} … {high} (default {default}).")


def bounds(kind: Any, key: str, default: int) -> tuple[int, int]:
    """Inclusive bounds of a whole number.

    The seats that the game can have; else up to ten times the default, and up to MAX_AUTOMATIC where the default of 0
    or -1 lets OpenSpiel choose.
    """
    if key in _SEATS:
        return kind.min_num_players, kind.max_num_players
    high = max(100, 10 * default) if default > 0 else MAX_AUTOMATIC
    return _BOUNDS.get((kind.short_name, key), (min(1, default), high))
