"""`openspiel/<name>`: any OpenSpiel game that can be played here, its text made of OpenSpiel's per-seat strings."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property

import pyspiel

from games.errors import GameError, ParameterError, UnknownGameError
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import NO_SUCH_GAME, game_types, generic_ids, refusal, spec_of
from games.openspiel_params import checked_parameters
from games.parsing import normalise, tidy
from games.suggest import unknown
from games.types import Dynamics, Event, Information, ParamValue, Seat, Utility

_BRACKETS = str.maketrans({"[": "(", "]": ")", "{": "(", "}": ")", "\\": "/", "\n": " "})
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # twixt colours its board
_AIM = {
    Utility.ZERO_SUM: "One player's gain is the others' loss.",
    Utility.CONSTANT_SUM: "The players share out a fixed total.",
    Utility.GENERAL_SUM: "Each player is after a high result of its own.",
    Utility.COOPERATIVE: "All players get the same result.",
}
MAX_PAYOFFS = 81
"""Joint choices of a one-shot game up to which the rules list what each pays."""

TRIAL_MOVES = 20
"""Moves made with parameters other than the defaults, before the game is handed out."""


class GenericState(SpielState):
    """One match with the generic text."""

    def answers(self, seat: Seat) -> dict[int, str]:
        """OpenSpiel's strings, made fit for brackets; its numbers instead, for all of them, where two look alike."""
        own = re.compile(rf"\[P{seat}\]|p{seat}:")  # whose move it is, is known
        actions = self.actions(seat)
        texts = [str(self.pyspiel_state.action_to_string(seat, action)) for action in actions]
        texts = [tidy(own.sub("", text, count=1).translate(_BRACKETS)) for text in texts]
        if len(set(texts)) < len(texts) or "" in texts:
            texts = [str(action) for action in actions]
        return dict(zip(actions, texts, strict=True))

    def answer(self, seat: Seat, action: int) -> str:
        """Canonical answer for a legal action."""
        return next(move.answer for move in self.menu(seat).moves if move.action == action)

    def action_event(self, seat: Seat, action: int) -> Event | None:
        """The move, where all information is public; elsewhere the views tell what may be known of it."""
        if self._game.spec.information is not Information.PERFECT:
            return None
        return Event(text=f"Player {seat}: {self.answer(seat, action)}.")

    def board(self, seat: Seat) -> str:
        """OpenSpiel's string for this seat.

        With perfect information the position (observation) says all; otherwise the information state is preferred,
        which remembers what the seat has seen. A one-shot game has no position.
        """
        kind = self._game.pyspiel_game.get_type()
        if kind.information == pyspiel.GameType.Information.ONE_SHOT:
            return ""
        remember = self._game.spec.information is Information.IMPERFECT or not kind.provides_observation_string
        if remember and kind.provides_information_state_string:
            text = str(self.pyspiel_state.information_state_string(seat))
        else:
            text = str(self.pyspiel_state.observation_string(seat))
        return _ESCAPES.sub("", text).strip()

    def information_key(self, seat: Seat) -> str | None:
        """OpenSpiel's; None for open simultaneous games, whose information states tell less than moves, or more."""
        spec = self._game.spec
        together = spec.dynamics is Dynamics.SIMULTANEOUS
        return None if together and spec.information is Information.PERFECT else super().information_key(seat)


class GenericGame(SpielGame):
    """`openspiel/<name>` with the generic text."""

    state_class = GenericState

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """Normalised answers met in a fixed sample of random play (at most 20,000): a good part of the vocabulary."""
        seen: Counter[str] = Counter()
        budget = 20_000
        for playout in range(10):
            rng = random.Random(f"known answers/{playout}")
            state = self.new_state(playout)
            while (seats := state.to_move()) and budget > 0:
                moves = {}
                for seat in seats:
                    legal = state.legal(seat)
                    seen.update(normalise(move.answer) for move in legal)
                    budget -= len(legal)
                    moves[seat] = rng.choice(legal)
                state.apply(moves)
        return frozenset(seen)

    @cached_property
    def _examples(self) -> tuple[str, ...]:
        """By seat, its first legal answer in a fixed match (marks may differ by seat); empty if it never moved."""
        found = [""] * self.spec.seats
        rng = random.Random("examples")
        state = self.new_state(0)
        for _ in range(100):
            if not (seats := state.to_move()) or all(found):
                break
            moves = {}
            for seat in seats:
                legal = state.legal(seat)
                found[seat] = found[seat] or legal[0].answer
                moves[seat] = rng.choice(legal)
            state.apply(moves)
        return tuple(found)

    @cached_property
    def _payoffs(self) -> str:
        """What every joint choice of a small one-shot game pays, else nothing."""
        state = self.new_state(0)
        choices = [state.legal(seat) for seat in range(self.spec.seats)]
        if self.spec.max_turns > self.spec.seats or math.prod(map(len, choices)) > MAX_PAYOFFS:
            return ""
        lines = []
        for joint in itertools.product(*choices):
            end = state.clone()
            end.apply(dict(enumerate(joint)))
            paid = ", ".join(f"{value:g}" for value in end.returns())
            lines.append(f"{' / '.join(move.answer for move in joint)}: {paid}")
        seats = " / ".join(f"player {seat}" for seat in range(self.spec.seats))
        return f"Payoffs by choices of {seats}:\n" + "\n".join(lines) + "\n"

    def rules(self, seat: Seat) -> str:
        """Name, parameters, aim and answer form."""
        spec = self.spec
        settings = ", ".join(f"{key}={value}" for key, value in spec.params.items())
        players = f"{spec.seats} players" if spec.seats > 1 else "1 player"
        together = " All players choose at the same time." if spec.dynamics is Dynamics.SIMULTANEOUS else ""
        example = self._examples[seat]
        return (
            f"{spec.title}, {players}, by the usual rules.{f' Settings: {settings}.' if settings else ''} "
            f"{_AIM[spec.utility]}{together} Answer with one allowed move in brackets.\n{self._payoffs}"
            f"You are player {seat}.{f' Answer like [{example}].' if example else ''}"
        )


def load_generic(game_id: str, params: Mapping[str, ParamValue]) -> GenericGame:
    """Load `openspiel/<name>` with the given parameters.

    Raises:
        UnknownGameError: OpenSpiel has no such game, or it cannot be offered; says why.
        ParameterError: unknown parameter, wrong type, absurd size, or refused by OpenSpiel; says what it has.
    """
    name = game_id.removeprefix("openspiel/")
    reason = refusal(name)
    if reason == NO_SUCH_GAME:
        raise UnknownGameError(unknown("game", game_id, generic_ids()))
    if reason is not None:
        raise UnknownGameError(f"{game_id} cannot be played here: {reason}.")
    kind = game_types()[name]
    checked_parameters(game_id, kind, params)
    allowed: Mapping[str, ParamValue] = kind.parameter_specification
    try:
        loaded = pyspiel.load_game(name, dict(params))
        reported = loaded.get_parameters()
        in_force = {k: v for k, v in reported.items() if k in allowed and isinstance(v, int | float | str | bool)}
        game = GenericGame(loaded, spec_of(game_id, loaded, kind.long_name, params={**in_force, **params}))
        if params:
            _try_out(game)
    except (
        ArithmeticError,
        GameError,
        LookupError,
        RuntimeError,
        ValueError,
    ) as error:  # whatever pyspiel lets through
        defaults = ", ".join(f"{key}={value}" for key, value in sorted(allowed.items()))
        why = re.sub(r"^\S+\.\w+:\d+ ", "", "; ".join(str(error).split("\n")))  # without the place in its source
        raise ParameterError(f"{game_id}: OpenSpiel refuses {dict(params)}: {why}. Defaults: {defaults}.") from error
    return game


def _try_out(game: GenericGame) -> None:
    """Make a few moves: OpenSpiel finds out about many impossible parameters only when it is played."""
    state = game.new_state(0)
    rng = random.Random("try out")
    if not state.to_move():
        raise ValueError("the game is over before anyone has moved")
    for _ in range(TRIAL_MOVES):
        for seat in range(game.spec.seats):
            state.observe(seat)
        if not (seats := state.to_move()):
            return
        state.apply({seat: rng.choice(state.legal(seat)) for seat in seats})
