"""What phantom games share: board games of OpenSpiel in which the opponent's pieces are found only by trying.

A try on a square that the other holds fails and shows it to the one who tried, and to nobody else. In the classical
version the same player tries again; in the abrupt one the turn is lost. Under `reveal-nothing` a seat hears nothing of
the other's tries; under `reveal-numturns` it hears that one was made, not where.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.openspiel import SpielGame, SpielState
from games.types import Event, RandomStream, Seat, State

REVEALED = {
    "reveal-nothing": "You hear nothing of the other's tries",
    "reveal-numturns": "You are told of each try of the other, but not where it was",
}
MARKS = "xo"
"""By seat, as OpenSpiel writes them."""

_ATTEMPTS = 60


class PhantomState(SpielState):
    """One match; each seat has events of its own."""

    def __init__(self, game: SpielGame, pyspiel_state: Any, seed: int) -> None:
        super().__init__(game, pyspiel_state, seed)
        self._told: tuple[list[Event], list[Event]] = ([], [])

    def view(self, seat: Seat) -> str:
        """What the seat knows of each square, row by row: `x`, `o`, or `.` where it has not tried."""
        lines = str(self.pyspiel_state.observation_string(seat)).split("\nTotal turns")[0]
        return lines.replace("\n", "").lower()

    def tries_again(self) -> bool:
        """Whether a failed try leaves the turn with the one who tried."""
        return str(self._game.spec.params["gameversion"])[0] == "c"

    def step(self, action: int) -> None:
        """One try; what came of it is told to the seat that tried."""
        seat = self.pyspiel_state.current_player()
        super().step(action)
        where = self.answer(seat, action)
        if self.view(seat)[action] == MARKS[seat]:
            told = f"You took {where}."
        elif self.tries_again():
            told = f"{where} is held by the other; try another."
        else:
            told = f"{where} is held by the other; your turn is lost."
        self._told[seat].append(Event(text=told))
        if self._game.spec.params["obstype"] == "reveal-numturns":
            self._told[1 - seat].append(Event(text=f"Player {seat} made a try."))

    def events(self, seat: Seat) -> tuple[Event, ...]:
        """What the seat's own tries have shown it, and perhaps that the other tried."""
        return tuple(self._told[seat])

    def information_key(self, seat: Seat) -> str:
        """The seat's view and its tries; with `reveal-numturns` also when the other tried.

        OpenSpiel's own string for dark hex counts the other's tries under `reveal-nothing` too.
        """
        silent = self._game.spec.params["obstype"] == "reveal-nothing"
        steps = [
            str(step.action) if step.player == seat else "?"
            for step in self.pyspiel_state.full_history()
            if step.player == seat or not silent
        ]
        return f"{self.view(seat)} {' '.join(steps)}"

    def clone(self) -> PhantomState:
        """An independent copy."""
        copy = super().clone()
        assert isinstance(copy, PhantomState)
        copy._told = (list(self._told[0]), list(self._told[1]))
        return copy


def other_histories(state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
    """Up to two matches that look the same to the seat, found by letting the other try elsewhere at random."""
    if not isinstance(state, PhantomState) or not state.to_move():
        return ()
    found: dict[str, State] = {}
    for _ in range(_ATTEMPTS):
        other = _another(state, seat, rng)
        if other is not None and other.to_json() != state.to_json():
            found[str(other.to_json()["history"])] = other
        if len(found) == 2:
            break
    return tuple(found.values())


def _another(state: PhantomState, seat: Seat, rng: RandomStream) -> PhantomState | None:
    """One match in which the seat makes the same tries; None as soon as it would see anything else."""
    known = state.view(seat)
    mine = [step.action for step in state.pyspiel_state.full_history() if step.player == seat]
    other = state.game.new_state(state.seed)
    assert isinstance(other, PhantomState)
    waits_for_me = state.to_move() == (seat,)
    while other.to_move() and (mine or (waits_for_me and other.to_move() != (seat,))):
        if other.to_move() == (seat,):
            action = mine.pop(0)
            other.step(action)
            if other.view(seat)[action] != known[action]:
                return None
        else:
            other.step(rng.choice(_free(other, 1 - seat, known, mine)))
    same = other.to_move() == state.to_move() and other.information_key(seat) == state.information_key(seat)
    return other if same else None


def _free(state: PhantomState, seat: Seat, known: str, to_come: Sequence[int]) -> list[int]:
    """Actions of the seat that do not take a square which the other is still going to take, if there are any."""
    legal: list[int] = list(state.pyspiel_state.legal_actions())
    own = MARKS[1 - seat]
    return [action for action in legal if not (action in to_come and known[action] == own)] or legal
