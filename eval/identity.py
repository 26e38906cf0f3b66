"""What decides a player's answers, so that results are never taken over from another model of the same name."""

from __future__ import annotations

import hashlib
import json
from typing import TypeGuard

from arena.models.registry import hash_files
from arena.players.model import ModelPlayer
from arena.snapshots import FILES
from arena.types import Player


def is_language_model(player: Player) -> TypeGuard[ModelPlayer]:
    """Whether the player can be asked and scored token by token."""
    return isinstance(player, ModelPlayer)


def fingerprint(player: Player) -> str:
    """A language model: SHA-256 of base weights, number format, tokenizer and adapter. Anybody else: the name."""
    if not is_language_model(player):
        return player.name
    engine = player.engine
    parts = [engine.base.model_hash, engine.base.tokenizer_hash, str(engine.model.dtype)]
    folder = engine.adapters.folder(player.adapter)
    if folder is not None:
        parts.append(hash_files([folder / file for file in FILES]))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
