"""Rules by OpenSpiel, text by us.

`SpielGame` and `SpielState` adapt any turn-based game of pyspiel to the contract of `games.types`. A written game
overrides the text methods; `openspiel/<name>` uses the generic text below. Chance is drawn from a counter-based
stream (seed, index of the draw), so there is no generator state to store. pyspiel's `apply_action` does not check
legality in general, so it is checked here; `str(state)` shows every secret, so no player is ever given it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import first_legal_bot, random_bot
from games.errors import GameError, GameOverError, IllegalMoveError, ParameterError, UnknownGameError
from games.parsing import normalise, parse_choice
from games.suggest import unknown
from games.types import (
    Bot,
    Event,
    Game,
    GameSpec,
    Information,
    Json,
    Move,
    Observation,
    Param,
    ParamValue,
    Parsed,
    Seat,
    State,
    Utility,
)

_UTILITY = {
    pyspiel.GameType.Utility.ZERO_SUM: Utility.ZERO_SUM,
    pyspiel.GameType.Utility.CONSTANT_SUM: Utility.CONSTANT_SUM,
    pyspiel.GameType.Utility.GENERAL_SUM: Utility.GENERAL_SUM,
    pyspiel.GameType.Utility.IDENTICAL: Utility.COOPERATIVE,
}
_BRACKETS = str.maketrans({"[": "(", "]": ")", "\n": " "})


class SpielGame(Game):
    """A turn-based OpenSpiel game.

    Attributes:
        pyspiel_game: the loaded game, for solvers and exact evaluation.
    """

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType({})
    state_class: ClassVar[type[SpielState]]

    def __init__(self, pyspiel_game: Any, spec: GameSpec) -> None:
        self.pyspiel_game = pyspiel_game
        self.spec = spec

    def new_state(self, seed: int) -> SpielState:
        """The start of a match, chance nodes at the root already drawn."""
        state = self.state_class(self, self.pyspiel_game.new_initial_state(), seed)
        state._draw_chance()
        return state

    def state_from_json(self, obj: Json) -> SpielState:
        """Replay the stored actions, chance included."""
        state = self.state_class(self, self.pyspiel_game.new_initial_state(), obj["seed"])
        for action in obj["history"]:
            state._step(action)
        return state

    def __reduce__(self) -> tuple[Any, ...]:
        from games.registry import get_game

        return get_game, (self.spec.id, dict(self.spec.params))

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Normalised answers that are legal somewhere in the game; empty where they cannot be listed."""
        return frozenset()

    def bots(self) -> Mapping[str, Bot]:
        """`random`, and `greedy` (here: the first legal move, a fixed anchor)."""
        return {"random": random_bot, "greedy": first_legal_bot}

    def rules(self, seat: Seat) -> str:
        """Generic rules: name, parameters, seat and answer form."""
        spec = self.spec
        params = ", ".join(f"{key}={value}" for key, value in spec.params.items())
        settings = f" Settings: {params}." if params else ""
        return (
            f"We play {spec.title}.{settings} You are player {seat} of {spec.seats}; "
            "the others are called by their numbers. Answer with one allowed move in square brackets."
        )


class SpielState(State):
    """One match of a `SpielGame`.

    Attributes:
        pyspiel_state: the live state, for solvers; never shown to a player.
    """

    def __init__(self, game: SpielGame, pyspiel_state: Any, seed: int) -> None:
        self._game = game
        self.pyspiel_state = pyspiel_state
        self.seed = seed
        self._draws = 0
        self._events: list[Event] = []

    @property
    def game(self) -> SpielGame:
        """The game this is a state of."""
        return self._game

    # --- rules ---------------------------------------------------------------------------------------------------

    def to_move(self) -> tuple[Seat, ...]:
        """The seat to move, or nobody."""
        player = self.pyspiel_state.current_player()
        return () if player < 0 else (player,)

    def legal(self, seat: Seat) -> tuple[Move, ...]:
        """Legal moves in OpenSpiel's order."""
        if self.pyspiel_state.current_player() != seat:
            return ()
        return tuple(
            Move(answer=self.answer(seat, action), action=action) for action in self.pyspiel_state.legal_actions()
        )

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Read a reply as one of the legal answers or their aliases."""
        moves = self.legal(seat)
        options = {normalise(move.answer): move for move in moves}
        for alias, action in self.aliases(seat).items():
            match = next((move for move in moves if move.action == action), None)
            if match is not None:
                options.setdefault(normalise(alias), match)
        return parse_choice(text, options, self._game.known_answers, truncated=truncated)

    def apply(self, moves: Mapping[Seat, Move]) -> None:
        """Make one seat's move, then draw whatever chance decides next."""
        if self.pyspiel_state.is_terminal():
            raise GameOverError(f"{self._game.spec.id}: the game is over; no move can be made.")
        player = self.pyspiel_state.current_player()
        if set(moves) != {player}:
            raise IllegalMoveError(f"{self._game.spec.id}: player {player} is to move, moves came from {set(moves)}.")
        move = moves[player]
        action = move.action if move.action is not None else self._action(player, move.answer)
        if action not in self.pyspiel_state.legal_actions():
            raise IllegalMoveError(f"{self._game.spec.id}: [{move.answer}] is not legal for player {player}.")
        self._step(action)
        self._draw_chance()

    def returns(self) -> tuple[float, ...]:
        """Final returns, in the game's own units."""
        self._require_over()
        return tuple(self.pyspiel_state.returns())

    def outcome(self) -> str:
        """`draw` where nobody is alone on top, else `p<seat>` of the seat with the best return."""
        returns = self.returns()
        best = max(returns)
        winners = [seat for seat, value in enumerate(returns) if value == best]
        return f"p{winners[0]}" if len(winners) == 1 else "draw"

    def to_json(self) -> Json:
        """Seed and actions so far, chance included."""
        return {"seed": self.seed, "history": list(self.pyspiel_state.history())}

    def clone(self) -> SpielState:
        """An independent copy."""
        copy = type(self)(self._game, self.pyspiel_state.clone(), self.seed)
        copy._draws = self._draws
        copy._events = list(self._events)
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._game, self.to_json())

    # --- text: what a written game overrides -----------------------------------------------------------------------

    def answer(self, seat: Seat, action: int) -> str:
        """Canonical answer for a legal action. Generic: OpenSpiel's string, or its number where strings clash."""
        texts = [self._string(seat, a) for a in self.pyspiel_state.legal_actions()]
        text = self._string(seat, action)
        clash = sum(normalise(other) == normalise(text) for other in texts) > 1
        return str(action) if clash or not normalise(text) else text

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """Other accepted spellings of actions, never shown."""
        return {}

    def action_event(self, seat: Seat, action: int) -> Event | None:
        """What everyone is told about a move, asked before it is made. Generic: nothing, the view tells it."""
        return None

    def facts(self, seat: Seat) -> str:
        """What the seat knows from the start."""
        return ""

    def board(self, seat: Seat) -> str:
        """The position as the seat sees it. Generic: OpenSpiel's own per-seat string."""
        kind = self._game.pyspiel_game.get_type()
        if kind.provides_information_state_string:
            return str(self.pyspiel_state.information_state_string(seat)).strip()
        return str(self.pyspiel_state.observation_string(seat)).strip()

    def observe(self, seat: Seat) -> Observation:
        """The seat's own view, and the question when it is to move."""
        mine = self.pyspiel_state.current_player() == seat
        return Observation(
            facts=self.facts(seat),
            events=tuple(self._events),
            board=self.board(seat),
            ask="Your move." if mine else "",
            legal=tuple(move.answer for move in self.legal(seat)) if mine else None,
        )

    def render(self, seat: Seat | None) -> str:
        """Picture for people. Generic: one view, or all views one below the other."""
        if seat is not None:
            return self.board(seat)
        views = dict.fromkeys(self.board(s) for s in range(self._game.spec.seats))
        return "\n\n".join(views)

    # --- inside ----------------------------------------------------------------------------------------------------

    def _string(self, seat: Seat, action: int) -> str:
        return str(self.pyspiel_state.action_to_string(seat, action)).translate(_BRACKETS).strip()

    def _action(self, seat: Seat, answer: str) -> int:
        wanted = normalise(answer)
        for move in self.legal(seat):
            if normalise(move.answer) == wanted and move.action is not None:
                return move.action
        raise IllegalMoveError(f"{self._game.spec.id}: [{answer}] is not legal for player {seat}.")

    def _step(self, action: int) -> None:
        player = self.pyspiel_state.current_player()
        if player < 0:
            self._draws += 1
        else:
            event = self.action_event(player, action)
            if event is not None:
                self._events.append(event)
        self.pyspiel_state.apply_action(action)

    def _draw_chance(self) -> None:
        while self.pyspiel_state.is_chance_node():
            outcomes = self.pyspiel_state.chance_outcomes()
            point = random.Random(f"{self.seed}/{self._draws}").random()
            drawn = outcomes[-1][0]  # rounding may leave the sum of probabilities just below the point
            for action, probability in outcomes:
                point -= probability
                if point < 0:
                    drawn = action
                    break
            self._step(drawn)

    def _require_over(self) -> None:
        if not self.pyspiel_state.is_terminal():
            raise GameOverError(f"{self._game.spec.id}: the game is not over yet.")


def _restore(game: SpielGame, obj: Json) -> SpielState:
    return game.state_from_json(obj)


class GenericGame(SpielGame):
    """`openspiel/<name>` with the generic text."""

    state_class = SpielState


def refusal(name: str) -> str | None:
    """Why an OpenSpiel game cannot be offered, or None when it can."""
    if name not in pyspiel.registered_names():
        return "OpenSpiel has no such game"
    kind = next(t for t in pyspiel.registered_games() if t.short_name == name)
    if not kind.default_loadable:
        return "it cannot be loaded with default parameters"
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        return "its moves are simultaneous, which this release does not offer for generic games"
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its chance inside the game object, so equal seeds would not give equal matches"
    if not (kind.provides_information_state_string or kind.provides_observation_string):
        return "it gives no text for a seat's own view"
    return None


def generic_ids() -> tuple[str, ...]:
    """Every `openspiel/<name>` that can be played."""
    return tuple(f"openspiel/{name}" for name in sorted(pyspiel.registered_names()) if refusal(name) is None)


def load_generic(game_id: str, params: Mapping[str, ParamValue]) -> GenericGame:
    """Load `openspiel/<name>` with the given parameters.

    Raises:
        UnknownGameError: OpenSpiel has no such game, or it cannot be offered; says why.
        ParameterError: OpenSpiel refuses the parameters; says which it has.
    """
    name = game_id.removeprefix("openspiel/")
    reason = refusal(name)
    if reason == "OpenSpiel has no such game":
        raise UnknownGameError(unknown("game", game_id, generic_ids()))
    if reason is not None:
        raise UnknownGameError(f"{game_id} cannot be played here: {reason}.")
    kind = next(t for t in pyspiel.registered_games() if t.short_name == name)
    allowed = kind.parameter_specification
    for key in params:
        if key not in allowed:
            raise ParameterError(f"{game_id}: " + unknown("parameter", key, allowed))
    try:
        loaded = pyspiel.load_game(name, dict(params))
    except (pyspiel.SpielError, TypeError) as error:
        raise ParameterError(f"{game_id}: OpenSpiel refuses {dict(params)}: {error}") from error
    in_force = {k: v for k, v in loaded.get_parameters().items() if isinstance(v, int | float | str | bool)}
    return GenericGame(loaded, spec_of(game_id, loaded, kind.long_name, params={**in_force, **params}))


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
    """Declared facts of a loaded OpenSpiel game."""
    kind = loaded.get_type()
    seats = loaded.num_players()
    if kind.utility not in _UTILITY:
        raise GameError(f"{game_id}: OpenSpiel declares an unknown utility {kind.utility}.")
    perfect = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    return GameSpec(
        id=game_id,
        title=title,
        summary=summary or f"{title}, rules by OpenSpiel.",
        roles=roles or tuple(f"player {seat}" for seat in range(seats)),
        utility=_UTILITY[kind.utility],
        information=Information.PERFECT if perfect else Information.IMPERFECT,
        min_return=loaded.min_utility(),
        max_return=loaded.max_utility(),
        outcomes=outcomes or (*(f"p{seat}" for seat in range(seats)), "draw"),
        max_turns=loaded.max_game_length(),
        params=MappingProxyType(dict(params)),
        reference=reference or f"OpenSpiel {kind.short_name}",
    )
