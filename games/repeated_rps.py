"""Rock-paper-scissors over several rounds: OpenSpiel's matrix game `matrix_rps`, repeated by OpenSpiel.

| fact | value |
|---|---|
| seats | 2, who choose at the same time |
| information | perfect: both choices are shown after each round |
| returns | rounds won minus rounds lost, −`rounds` … +`rounds` |
| outcome classes | p0, p1, draw |
| value | 0; the only equilibrium of a round is one third each |

Reference: OpenSpiel `matrix_rps` and `create_repeated_game`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import pyspiel

from games.bots import random_bot
from games.openspiel import SpielGame, SpielState
from games.openspiel_catalog import spec_of
from games.types import Bot, Event, Param, ParamValue, RandomStream, Seat, State

SIGNS = ("rock", "paper", "scissors")
"""By action; each beats the one before it."""


def beats(one: int, other: int) -> bool:
    """Whether the first sign wins against the second."""
    return (one - other) % 3 == 1


class RepeatedRpsState(SpielState):
    """One match."""

    def rounds(self) -> list[tuple[int, int]]:
        """Choices by seat, round by round."""
        history = self.pyspiel_state.history()
        return list(zip(history[::2], history[1::2], strict=True))

    def wins(self, seat: Seat) -> int:
        """Rounds that a seat has won."""
        return sum(beats(made[seat], made[1 - seat]) for made in self.rounds())

    def answer(self, seat: Seat, action: int) -> str:
        """The sign."""
        return SIGNS[action]

    def aliases(self, seat: Seat) -> Mapping[str, int]:
        """The singular that people say, and initials."""
        return {"scissor": 2, **{sign[0]: action for action, sign in enumerate(SIGNS)}}

    def joint_events(self, actions: Mapping[Seat, int]) -> tuple[Event, ...]:
        """Both choices and who won the round."""
        first, second = actions[0], actions[1]
        how = "a tie" if first == second else f"player {0 if beats(first, second) else 1} wins"
        number = len(self.rounds()) + 1
        return (Event(text=f"Round {number}: player 0 {SIGNS[first]}, player 1 {SIGNS[second]}; {how}."),)

    def board(self, seat: Seat) -> str:
        """Which round it is, and the score."""
        rounds = self._game.spec.params["rounds"]
        now = min(len(self.rounds()) + 1, int(rounds))
        return f"Round {now} of {rounds}. Rounds won: you: {self.wins(seat)}, player {1 - seat}: {self.wins(1 - seat)}."

    def render(self, seat: Seat | None) -> str:
        """Rounds so far and the score; nothing is hidden."""
        return "\n".join([*(event.text for event in self._events), f"Score {self.wins(0)} to {self.wins(1)}"])


class RepeatedRps(SpielGame):
    """Rock-paper-scissors, again and again."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {"rounds": Param(default=5, low=1, high=100, help="rounds of a match")}
    )
    state_class = RepeatedRpsState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        rounds = int(params["rounds"])
        # OpenSpiel's `recall` is how many rounds its own strings show; ours come from the history.
        loaded: Any = pyspiel.create_repeated_game("matrix_rps", {"num_repetitions": rounds, "recall": rounds})
        super().__init__(
            loaded,
            spec_of(
                "repeated_rps",
                loaded,
                "Rock-paper-scissors",
                params=params,
                summary="Rock-paper-scissors over several rounds, both choices shown after each.",
                reference="OpenSpiel matrix_rps, repeated",
            ),
        )

    @property
    def openspiel_name(self) -> str:
        """The game that is repeated."""
        return "matrix_rps"

    @cached_property
    def known_answers(self) -> frozenset[str]:
        """The three signs."""
        return frozenset(SIGNS)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        rounds = int(self.spec.params["rounds"])
        return (
            f"Rock-paper-scissors for 2 players, {rounds} round{'' if rounds == 1 else 's'}. In each round both choose "
            "at the same time, then both choices are shown: rock beats scissors, scissors beat paper, paper beats "
            "rock, equal signs tie. Your result is rounds won minus rounds lost. "
            "Answer with your choice in brackets, like [rock].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` beats what the other has chosen most often."""
        return {"random": random_bot, "greedy": greedy_bot}


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Beats the other's most frequent choice so far, one of them at random where several lead; else random."""
    if not isinstance(state, RepeatedRpsState):
        raise TypeError("this bot plays repeated_rps only")
    counts = Counter(made[1 - seat] for made in state.rounds())
    most = max(counts.values(), default=0)
    expected = rng.choice([action for action in range(3) if counts[action] == most])
    return f"[{SIGNS[(expected + 1) % 3]}]"
