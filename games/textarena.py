"""TextArena's environments as `textarena/<id>` (`textarena/TicTacToe-v0`), where the extra `textarena` is installed.

The rules, the words and the reading of replies are TextArena's own. What that library cannot promise is not promised
here either:

| contract | kept? |
|---|---|
| equal seeds give equal matches, global generators left alone | yes: they are seeded for every step and put back |
| JSON, pickle | yes, by making all moves again |
| clone, and a reply that changes nothing | yes, by copying the whole environment: slow |
| declared sums and bounds | yes: returns are cut to −1 … 1, and for two seats are half the difference of the rewards; \
the rewards themselves are the measures `payoff/<seat>` |
| declared length | yes: after `max_turns` moves the match is over, and nobody gets anything |
| illegal told apart from malformed | no: TextArena does not, both are illegal |
| the last answer counts, quotations do not | no: many environments take the first bracket found anywhere |
| speech word for word | no: TextArena removes tags that look like roles |
| rules derived from the parameters, the same for every seat | no: its prompt holds both, and comes as the facts |
| listed legal moves, `greedy`, a `random` bot that always finds a move | no: TextArena lists no moves |
| hidden information tested | no: TextArena has no name for what a seat knows |

Environments that need word lists, keys or files that are not there are refused with the reason. Nothing is downloaded.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import random
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

from games.errors import ParameterError, UnknownGameError
from games.registry import resolve_params
from games.suggest import unknown
from games.textarena_state import TextArenaState, bracket_bot
from games.types import Bot, Dynamics, Game, GameSpec, Information, Json, Param, ParamValue, Seat, Utility

MOST_SEATS = 15
LIBRARY = "textarena"
MISSING = "TextArena is not installed: pip install 'selfplay-arena[textarena]'"

__all__ = ["TextArenaGame", "load_textarena", "textarena_ids"]


@contextlib.contextmanager
def isolated(key: str) -> Iterator[None]:
    """Run TextArena's code with the global generators seeded by `key`, its prints kept back, and nothing downloaded."""
    numpy, nltk = sys.modules.get("numpy"), sys.modules.get("nltk")
    kept = random.getstate(), numpy.random.get_state() if numpy else None, nltk.download if nltk else None
    random.seed(key)
    if numpy:
        numpy.random.seed(random.Random(key).randrange(2**32))
    if nltk:
        nltk.download = lambda *args, **settings: False  # type: ignore[attr-defined]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        random.setstate(kept[0])
        if numpy:
            numpy.random.set_state(kept[1])
        if nltk:
            nltk.download = kept[2]  # type: ignore[attr-defined]


@lru_cache(maxsize=1)
def _library() -> Any:
    """The imported library, or None."""
    if importlib.util.find_spec(LIBRARY) is None:
        return None
    if importlib.util.find_spec("nltk") is not None:  # so that `isolated` can keep it from downloading
        importlib.import_module("nltk")
    importlib.import_module("numpy")
    with isolated("import"):
        return importlib.import_module(LIBRARY)


def textarena_ids() -> tuple[str, ...]:
    """Every registered `textarena/<id>`, sorted; empty where TextArena is not installed. Some refuse to load."""
    library = _library()
    if library is None:
        return ()
    known = library.envs.registration.ENV_REGISTRY
    return tuple(f"textarena/{name}" for name in sorted(known) if f"{name}-raw" in known)


class TextArenaGame(Game):
    """One environment with its number of seats."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "players": Param(default=2, low=1, high=MOST_SEATS, help="number of seats"),
            "max_turns": Param(default=200, low=1, high=10_000, help="moves after which the match is over"),
        }
    )

    def __init__(self, game_id: str, params: Mapping[str, ParamValue]) -> None:
        self.name = game_id.removeprefix("textarena/")
        seats = int(params["players"])
        title = self.name.rpartition("-v")[0] or self.name
        self.spec = GameSpec(
            id=game_id,
            title=f"{title} (TextArena)",
            summary=f"{title}, rules and text by TextArena.",
            roles=tuple(f"player {seat}" for seat in range(seats)),
            utility=Utility.ZERO_SUM if seats == 2 else Utility.GENERAL_SUM,
            information=Information.IMPERFECT,
            dynamics=Dynamics.TURNS,
            min_return=-1.0,
            max_return=1.0,
            outcomes=("solved", "unsolved") if seats == 1 else (*(f"p{seat}" for seat in range(seats)), "draw"),
            max_turns=int(params["max_turns"]),
            params=MappingProxyType(dict(params)),
            reference="TextArena",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        from games.registry import get_game

        return get_game, (self.spec.id, dict(self.spec.params))

    def start(self, seed: int) -> Any:
        """A fresh environment, without TextArena's wrappers for conversations."""
        with isolated(f"{seed}/start"):
            environment = _library().make(f"{self.name}-raw")
            environment.reset(num_players=self.spec.seats, seed=seed)
        return environment

    def new_state(self, seed: int) -> TextArenaState:
        """The start of a match."""
        return TextArenaState(self, seed, self.start(seed))

    def state_from_json(self, obj: Json) -> TextArenaState:
        """Start again and make the stored moves."""
        state = self.new_state(obj["seed"])
        for text in obj["moves"]:
            state.make(text)
        return state

    def rules(self, seat: Seat) -> str:
        """What is said about every environment; its own prompt comes with the facts."""
        spec = self.spec
        players = f"{spec.seats} players" if spec.seats > 1 else "1 player"
        return (
            f"{spec.title}, {players}, at most {spec.max_turns} moves. The rules come with what you are told first; "
            f"put actions in brackets, as they say.\nYou are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random` says something in brackets that it was told and that is allowed."""
        return {"random": bracket_bot}


def load_textarena(game_id: str, params: Mapping[str, ParamValue]) -> TextArenaGame:
    """Load `textarena/<id>`.

    Raises:
        UnknownGameError: TextArena is not installed, has no such environment, or cannot start it; says why.
        ParameterError: a parameter or number of seats that it does not take.
    """
    if _library() is None:
        raise UnknownGameError(f"{game_id}: {MISSING}.")
    if game_id not in textarena_ids():
        raise UnknownGameError(unknown("game", game_id, textarena_ids()))
    given = resolve_params(game_id, TextArenaGame.PARAMS, params)
    reasons = {}
    for seats in [int(given["players"])] if "players" in params else [2, 1, *range(3, MOST_SEATS + 1)]:
        game = TextArenaGame(game_id, {**given, "players": seats})
        try:
            state = game.start(0).state
            if state.num_players != seats:
                raise ValueError(f"it is played by {state.num_players}")
        except Exception as error:  # noqa: BLE001 - TextArena refuses by whatever goes wrong
            reasons[seats] = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            continue
        return game
    if "players" in params:
        raise ParameterError(f"{game_id}: players={given['players']} is refused ({reasons[int(given['players'])]}).")
    raise UnknownGameError(f"{game_id} cannot be played here: {reasons[2]}.")
