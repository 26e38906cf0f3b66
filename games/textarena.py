"""TextArena's environments as `textarena/<id>` (placeholder until the adapter below is complete)."""

from __future__ import annotations

from collections.abc import Mapping

from games.errors import UnknownGameError
from games.types import Game, ParamValue


def textarena_ids() -> tuple[str, ...]:
    """Every `textarena/<id>` that can be played."""
    return ()


def load_textarena(game_id: str, params: Mapping[str, ParamValue]) -> Game:
    """Load one."""
    raise UnknownGameError(f"{game_id} needs TextArena: pip install 'selfplay-arena[textarena]'.")
