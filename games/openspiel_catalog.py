"""What OpenSpiel has, what of it can be played here, and its declared facts in our words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import pyspiel

from games.errors import GameError
from games.types import Dynamics, GameSpec, Information, ParamValue, Utility

_UTILITY = {
    pyspiel.GameType.Utility.ZERO_SUM: Utility.ZERO_SUM,
    pyspiel.GameType.Utility.CONSTANT_SUM: Utility.CONSTANT_SUM,
    pyspiel.GameType.Utility.GENERAL_SUM: Utility.GENERAL_SUM,
    pyspiel.GameType.Utility.IDENTICAL: Utility.COOPERATIVE,
}
_FIXED_SUM = (pyspiel.GameType.Utility.ZERO_SUM, pyspiel.GameType.Utility.CONSTANT_SUM)
NO_SUCH_GAME = "OpenSpiel has no such game"
_IN_PYTHON = ("python_", "chat_game")
_UNFIT = {"crossword": "its moves have no numbers"}
"""Refused for what OpenSpiel's declared facts do not tell."""


@lru_cache(maxsize=1)
def game_types() -> Mapping[str, Any]:
    """`pyspiel.GameType` of every game that OpenSpiel's library itself registers, by name.

    Games written in Python are registered only once somebody imports them; left out, the shelf does not depend on that.
    """
    kinds = pyspiel.registered_games()
    return {kind.short_name: kind for kind in kinds if not kind.short_name.startswith(_IN_PYTHON)}


def refusal(name: str) -> str | None:
    """Why an OpenSpiel game cannot be offered with the generic text, or None when it can."""
    kind = game_types().get(name)
    if kind is None:
        return NO_SUCH_GAME
    if any(isinstance(value, dict) for value in kind.parameter_specification.values()):
        return "it is made of another game, which cannot be given as key=value"
    if not kind.default_loadable:
        return "it is read from a file and has no rules of its own"
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        return "it is a mean-field game: one player against a distribution of players, not a match"
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its chance inside the game object, so equal seeds would not give equal matches"
    if name in _UNFIT:
        return _UNFIT[name]
    if kind.utility not in _UTILITY:
        return "it does not say how the players' returns relate"
    if not (kind.provides_information_state_string or kind.provides_observation_string):
        return "it gives no text for a seat's own view"
    return None


def generic_ids() -> tuple[str, ...]:
    """Every `openspiel/<name>` that can be played, sorted."""
    return tuple(f"openspiel/{name}" for name in sorted(game_types()) if refusal(name) is None)


def generic_facts() -> list[dict[str, Any]]:
    """What OpenSpiel declares of each of them, by its registry alone: id, title, seats, utility, information, moves."""
    facts = []
    for game_id in generic_ids():
        kind = game_types()[game_id.removeprefix("openspiel/")]
        hidden = kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
        together = kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
        facts.append(
            {
                "id": game_id,
                "title": kind.long_name,
                "seats": [kind.min_num_players, kind.max_num_players],
                "utility": _UTILITY[kind.utility].value,
                "information": (Information.IMPERFECT if hidden else Information.PERFECT).value,
                "dynamics": (Dynamics.SIMULTANEOUS if together else Dynamics.TURNS).value,
            }
        )
    return facts


def spec_of(
    game_id: str,
    loaded: Any,
    title: str,
    *,
    params: Mapping[str, ParamValue],
    roles: tuple[str, ...] = (),
    outcomes: tuple[str, ...] = (),
    summary: str = "",
    reference: str = "",
) -> GameSpec:
    """Declared facts of a loaded OpenSpiel game.

    Raises:
        GameError: OpenSpiel declares a utility that has no counterpart here.
    """
    kind = loaded.get_type()
    seats = loaded.num_players()
    if kind.utility not in _UTILITY:
        raise GameError(f"{game_id}: OpenSpiel declares an unknown utility {kind.utility}.")
    # One-shot games hide nothing but the choice that is being made: the dynamics tell that.
    hidden = kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    together = kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return GameSpec(
        id=game_id,
        title=title,
        summary=summary or f"{title}, rules by OpenSpiel.",
        roles=roles or tuple(f"player {seat}" for seat in range(seats)),
        utility=_UTILITY[kind.utility],
        information=Information.IMPERFECT if hidden else Information.PERFECT,
        dynamics=Dynamics.SIMULTANEOUS if together else Dynamics.TURNS,
        min_return=loaded.min_utility(),
        max_return=loaded.max_utility(),
        return_sum=loaded.utility_sum() or 0.0 if kind.utility in _FIXED_SUM else 0.0,
        outcomes=outcomes or (*(f"p{seat}" for seat in range(seats)), *(("draw",) if seats > 1 else ())),
        max_turns=loaded.max_game_length() * (seats if together else 1),
        params=MappingProxyType(dict(params)),
        reference=reference or f"OpenSpiel {kind.short_name}",
    )
