"""Rules by OpenSpiel, text by us.

`SpielGame` and `SpielState` adapt any game of pyspiel, with turns or simultaneous moves, to the contract of
`games.types`; a written game overrides the text methods, and `games.openspiel_generic` has texts for all others. Chance
is drawn from a counter-based stream (seed, index of the draw), so there is no generator state to store. pyspiel's
`apply_action` does not check legality in general, so it is checked here; `str(state)` shows every secret, so no player
is ever given it.

A stored history is pyspiel's flat list of actions: one for a move in turn or a draw, one per seat in seat order where
seats move together, with NO_CHOICE for a seat that has nothing to choose there.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Final

from games.bots import first_legal_bot, random_bot
from games.errors import GameOverError, IllegalMoveError
from games.menu import NOTHING, Menu
from games.openspiel_catalog import generic_ids, spec_of
from games.parsing import normalise, parse_choice
from games.types import (
    Bot,
    Event,
    Game,
    GameSpec,
    Issue,
    Json,
    Move,
    Observation,
    Param,
    Parsed,
    RandomStream,
    Seat,
    State,
)

__all__ = ["SpielGame", "SpielState", "generic_ids", "spec_of"]

CHANCE: Final = -1
"""pyspiel's `current_player()` where chance decides."""

TOGETHER: Final = -2
"""pyspiel's `current_player()` where several seats move at the same time."""

NO_CHOICE: Final = -1
"""pyspiel's action of a seat that has nothing to choose while others move at the same time."""

# Where pyspiel can draw another history with the same information state, and does so quickly.
_RESAMPLES = frozenset({"bargaining", "kuhn_poker", "leduc_poker", "oh_hell", "universal_poker"})


class SpielGame(Game):
    """An OpenSpiel game, with turns or simultaneous moves.

    Attributes:
        pyspiel_game: the loaded game, for solvers and exact evaluation.
        moves: every move by action, where an action has the same answer all through the game, else None.
    """

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType({})
    state_class: ClassVar[type[SpielState]]
    moves: Sequence[Move] | Mapping[int, Move] | None = None

    def __init__(self, pyspiel_game: Any, spec: GameSpec) -> None:
        self.pyspiel_game = pyspiel_game
        self.spec = spec

    @property
    def openspiel_name(self) -> str:
        """OpenSpiel's name of the rules."""
        return str(self.pyspiel_game.get_type().short_name)

    def new_state(self, seed: int) -> SpielState:
        """The start of a match, chance nodes at the root already drawn."""
        state = self.state_class(self, self.pyspiel_game.new_initial_state(), seed)
        state.draw_chance()
        return state

    def state_from_json(self, obj: Json) -> SpielState:
        """Replay the stored actions, chance included. Raises IllegalMoveError where one is not legal."""
        state = self.state_class(self, self.pyspiel_game.new_initial_state(), obj["seed"])
        state.replay(obj["history"])
        return state

    def __reduce__(self) -> tuple[Any, ...]:
        from games.registry import get_game

        return get_game, (self.spec.id, dict(self.spec.params))

    @cached_property
    def readings(self) -> Mapping[str, tuple[int, Parsed]]:
        """What replies mean that are one of `moves` in brackets, spelt as listed, and the action to be legal for it."""
        moves = self.moves or ()
        listed = moves.values() if isinstance(moves, Mapping) else moves
        texts = ((f"[{move.answer}]", move) for move in listed)
        return {text: (move.action, Parsed(text, Issue.OK, move)) for text, move in texts if move.action is not None}

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Normalised answers that are legal somewhere in the game; empty where they cannot be listed."""
        return frozenset()

    def bots(self) -> Mapping[str, Bot]:
        """`random`, and `greedy` (here: the first legal move, a fixed anchor)."""
        return {"random": random_bot, "greedy": first_legal_bot}

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """A history drawn anew from the seat's information state, where pyspiel can do that."""
        if not isinstance(state, SpielState) or self.pyspiel_game.get_type().short_name not in _RESAMPLES:
            return ()
        other = state.pyspiel_state.resample_from_infostate(seat, rng.random)
        return (self.state_from_json({"seed": state.seed, "history": other.history()}),)


class SpielState(State):
    """One match of a `SpielGame`.

    Attributes:
        pyspiel_state: the live state, for solvers, who must not move in it; never shown to a player.
        seed: of the match; with the index of a draw it decides what chance does.
    """

    def __init__(self, game: SpielGame, pyspiel_state: Any, seed: int) -> None:
        self._game = game
        self.pyspiel_state = pyspiel_state
        self.seed = seed
        self._draws = 0
        self._events: list[Event] = []
        self._facts: dict[Seat, str] = {}
        self._arrive()

    def _arrive(self) -> None:
        """Note who acts at the position just reached, and forget what was worked out for the one before."""
        self._player: int = self.pyspiel_state.current_player()
        self._actions: list[int] | None = None
        self._menus: dict[Seat, Menu] = {}

    @property
    def game(self) -> SpielGame:
        """The game this is a state of."""
        return self._game

    # --- rules ---------------------------------------------------------------------------------------------------

    def to_move(self) -> tuple[Seat, ...]:
        """The seat to move, all seats with a choice where they move together, or nobody."""
        if self._player == TOGETHER:
            return tuple(seat for seat in range(self._game.spec.seats) if self.pyspiel_state.legal_actions(seat))
        return () if self._player < 0 else (self._player,)

    def is_to_move(self, seat: Seat) -> bool:
        """Whether `seat` is to move, alone or with others."""
        return self._player == seat or (self._player == TOGETHER and seat in self.to_move())

    def legal(self, seat: Seat) -> tuple[Move, ...]:
        """Legal moves in OpenSpiel's order."""
        return self.menu(seat).moves

    def menu(self, seat: Seat) -> Menu:
        """Legal moves and their answers; worked out once a position."""
        found = self._menus.get(seat)
        if found is None:
            found = self._menus[seat] = self.choices(seat) if self.is_to_move(seat) else NOTHING
        return found

    def actions(self, player: int) -> list[int]:
        """OpenSpiel's legal actions of a seat that is to move, or of chance; not to be changed."""
        if player != self._player:  # several move together
            return list(self.pyspiel_state.legal_actions(player))
        if self._actions is None:
            self._actions = self.pyspiel_state.legal_actions()
        return self._actions

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Read a reply as one of the legal answers or their aliases."""
        if (plain := self._game.readings.get(text)) is not None:
            action, reading = plain
            if seat == self._player and action in self.actions(seat):
                return reading
        menu = self.menu(seat)
        move = menu.chosen(text)
        if move is not None:
            return Parsed(text, Issue.OK, move)
        aliases = self.aliases(seat)
        return parse_choice(text, menu.moves, lambda: self._game.known_answers, aliases=aliases, truncated=truncated)

    def apply(self, moves: Mapping[Seat, Move]) -> None:
        """Make the moves of the seats to move, then draw whatever chance decides next."""
        player = self._player
        if player >= 0 and len(moves) == 1 and player in moves:
            self.step(self._action(player, moves[player]))
        else:
            self._apply_together(moves)
        if self._player < 0:
            self.draw_chance()

    def _apply_together(self, moves: Mapping[Seat, Move]) -> None:
        """Moves of several seats at once. Raises like `apply`."""
        seats = self.to_move()
        if not seats:
            raise GameOverError(f"{self._game.spec.id}: the game is over; no move can be made.")
        if moves.keys() != set(seats):
            who = f"player {seats[0]} is" if len(seats) == 1 else f"players {', '.join(map(str, seats))} are"
            raise IllegalMoveError(f"{self._game.spec.id}: {who} to move; moves came from {sorted(moves)}.")
        everybody = range(self._game.spec.seats)
        self.step_together([self._action(s, moves[s]) if s in moves else NO_CHOICE for s in everybody])

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

    def information_key(self, seat: Seat) -> str | None:
        """OpenSpiel's information state string, where the game has one."""
        if not self._game.pyspiel_game.get_type().provides_information_state_string:
            return None
        return str(self.pyspiel_state.information_state_string(seat))

    def clone(self) -> SpielState:
        """An independent copy."""
        copy = type(self)(self._game, self.pyspiel_state.clone(), self.seed)
        copy._draws = self._draws
        copy._events = list(self._events)
        copy._facts, copy._menus = dict(self._facts), dict(self._menus)
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._game, self.to_json())

    # --- text: what a written game overrides -----------------------------------------------------------------------

    def answer(self, seat: Seat, action: int) -> str:
        """Canonical answer for a legal action, unlike all others that are legal now; the game's `moves` have it."""
        if self._game.moves is None:
            raise NotImplementedError
        return self._game.moves[action].answer

    def answers(self, seat: Seat) -> dict[int, str]:
        """Canonical answers of a seat that is to move, by legal action."""
        return {action: self.answer(seat, action) for action in self.actions(seat)}

    def choices(self, seat: Seat) -> Menu:
        """The menu of a seat that is to move: the game's `moves`, else made of `answers`; asked once a position."""
        moves = self._game.moves
        if moves is not None:
            return Menu.of([moves[action] for action in self.actions(seat)])
        return Menu.of([Move(answer=answer, action=action) for action, answer in self.answers(seat).items()])

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """Other accepted spellings of actions, never shown."""
        return {}

    def action_event(self, seat: Seat, action: int) -> Event | None:
        """What everyone is told about a move; asked before it is made."""
        return None

    def joint_events(self, actions: Mapping[Seat, int]) -> tuple[Event, ...]:
        """What everyone is told once several seats have moved together; asked before the moves are made."""
        told = (self.action_event(seat, action) for seat, action in actions.items())
        return tuple(event for event in told if event is not None)

    def chance_event(self, action: int) -> Event | None:
        """What everyone is told about a draw; asked before it is made."""
        return None

    def events(self, seat: Seat) -> tuple[Event, ...]:
        """What the seat has been told so far; the same for everyone unless a game keeps accounts by seat."""
        return tuple(self._events)

    def facts(self, seat: Seat) -> str:
        """What the seat knows from the start; asked once, and again after a draw."""
        return ""

    def board(self, seat: Seat) -> str:
        """The position as the seat sees it."""
        raise NotImplementedError

    def observe(self, seat: Seat) -> Observation:
        """The seat's own view, and the question when it is to move."""
        facts = self._facts.get(seat)
        if facts is None:
            facts = self._facts[seat] = self.facts(seat)
        if seat != self._player and not self.is_to_move(seat):
            return Observation(facts, self.events(seat), self.board(seat))
        return Observation(facts, self.events(seat), self.board(seat), "Your move.", self.menu(seat).answers)

    def render(self, seat: Seat | None) -> str:
        """Picture for people: one view, or all that differ, one below the other."""
        if seat is not None:
            return self.board(seat)
        return "\n\n".join(dict.fromkeys(self.board(s) for s in range(self._game.spec.seats)))

    # --- inside ----------------------------------------------------------------------------------------------------

    def step(self, action: int) -> None:
        """One action of a player or of chance. Raises IllegalMoveError, the state unchanged, if it is not legal."""
        player = self._player
        if player == TOGETHER or action not in self.actions(player):
            who = "chance" if player < 0 else f"player {player}"
            raise IllegalMoveError(f"{self._game.spec.id}: action {action!r} is not legal for {who} here.")
        if player < 0:
            self._draws += 1
            self._facts = {}  # a draw may be a deal
        event = self.chance_event(action) if player < 0 else self.action_event(player, action)
        if event is not None:
            self._events.append(event)
        self.pyspiel_state.apply_action(action)
        self._arrive()

    def step_together(self, actions: Sequence[int]) -> None:
        """One action of every seat at once. Raises IllegalMoveError, the state unchanged, where one is not legal."""
        if len(actions) != self._game.spec.seats:
            raise IllegalMoveError(f"{self._game.spec.id}: {len(actions)} actions for {self._game.spec.seats} seats.")
        for seat, action in enumerate(actions):
            if action not in (self.pyspiel_state.legal_actions(seat) or (NO_CHOICE,)):
                raise IllegalMoveError(f"{self._game.spec.id}: action {action!r} is not legal for player {seat} here.")
        self._events += self.joint_events({seat: action for seat, action in enumerate(actions) if action != NO_CHOICE})
        self.pyspiel_state.apply_actions(list(actions))
        self._arrive()

    def replay(self, history: Sequence[int]) -> None:
        """Make stored actions anew, chance included. Raises IllegalMoveError where one is not legal."""
        done = 0
        while done < len(history):
            together = self._player == TOGETHER
            count = self._game.spec.seats if together else 1
            if together:
                self.step_together(history[done : done + count])
            else:
                self.step(history[done])
            done += count

    def draw_chance(self) -> None:
        """Draw until a player is to move or the game is over."""
        while self._player == CHANCE or (self._player == TOGETHER and not self.to_move()):
            if self._player == CHANCE:
                self.step(self._drawn_action())
            else:  # nobody has a choice, and the game goes on
                self.step_together([NO_CHOICE] * self._game.spec.seats)

    def _drawn_action(self) -> int:
        """What chance decides here."""
        outcomes = self.pyspiel_state.chance_outcomes()
        point = random.Random(f"{self.seed}/{self._draws}").random()
        for action, probability in outcomes:
            point -= probability
            if point < 0:
                return int(action)
        return int(outcomes[-1][0])  # rounding may leave the sum of probabilities just below the point

    def _action(self, seat: Seat, move: Move) -> int:
        """The action of a move, found by its answer where it comes without."""
        if move.action is not None:
            return move.action
        wanted = normalise(move.answer)
        for action, text in self.answers(seat).items():
            if normalise(text) == wanted:
                return action
        raise IllegalMoveError(f"{self._game.spec.id}: [{move.answer}] is not legal for player {seat}.")

    def _require_over(self) -> None:
        if not self.pyspiel_state.is_terminal():
            raise GameOverError(f"{self._game.spec.id}: the game is not over yet.")


def _restore(game: SpielGame, obj: Json) -> SpielState:
    return game.state_from_json(obj)
