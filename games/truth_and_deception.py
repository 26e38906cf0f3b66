"""Truth and deception: one knows which of two statements is true, the other has to find out by talking.

| fact | value |
|---|---|
| seats | 2: deceiver (player 0), guesser (player 1) |
| information | imperfect: both see the statements, the deceiver alone knows the true one |
| a turn | free talk; the last turn is the guesser's answer, `[Fact 1]` or `[Fact 2]`, and nothing else |
| end | exactly `turns` turns, an even number |
| returns | +1 and −1: the guesser wins with the true statement, the deceiver with the false one |
| outcome classes | p0, p1 |
| `facts` | `general` knowledge, or `generated` from the seed: arithmetic and the calendar |

An answer that names both is no answer but a fault. Brackets before the last turn are talk.
Reference: TruthAndDeception of TextArena, in our own rules and with our own facts.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from games.errors import ParameterError
from games.joint import JointGame, read_speech
from games.parsing import parse_choice
from games.talk import TalkState
from games.truth_bots import greedy_bot, random_bot
from games.truth_facts import GENERAL
from games.truth_generated import generated_fact
from games.types import (
    Bot,
    GameSpec,
    Information,
    Move,
    Observation,
    Param,
    ParamValue,
    Parsed,
    RandomStream,
    Seat,
    State,
    Utility,
)

DECEIVER, GUESSER = 0, 1
ANSWERS: Final = (Move(answer="Fact 1", action=0), Move(answer="Fact 2", action=1))
_KNOWN: Final = frozenset({"fact 1", "fact 2"})
_SPELLINGS: Final = MappingProxyType(
    {
        form.format(action + 1): action
        for action in (0, 1)
        for form in ("{}", "fact{}", "fact: {}", "fact #{}", "fact {} is true", "statement {}")
    }
)


class TruthState(TalkState):
    """One match.

    Attributes:
        facts: the two statements in the order shown.
        truth: index of the true one.
    """

    def __init__(self, game: JointGame, seed: int) -> None:
        super().__init__(game, seed)
        deal = random.Random(f"{seed}/deal")
        generated = game.spec.params["facts"] == "generated"
        true, false = generated_fact(deal) if generated else deal.choice(GENERAL)
        self.truth = deal.randrange(2)
        self.facts = (false, true) if self.truth else (true, false)

    @property
    def answering(self) -> bool:
        """Whether the guesser's answer is due."""
        return not self.ended and self.turn == self._game.spec.max_turns - 1

    def legal(self, seat: Seat) -> tuple[Move, ...] | None:
        """Free talk, and two answers at the end."""
        return ANSWERS if self.answering and seat == GUESSER else super().legal(seat)

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Talk, or the answer."""
        listed = self.legal(seat)
        if listed is None:
            return read_speech(text, truncated=truncated)
        repeated = {f"fact {index + 1}: {fact}": index for index, fact in enumerate(self.facts)}
        return parse_choice(text, listed, lambda: _KNOWN, aliases={**_SPELLINGS, **repeated}, truncated=truncated)

    def refusal(self, seat: Seat, move: Move) -> str | None:
        """Talk before the last turn, an answer in it."""
        if not self.answering:
            return super().refusal(seat, move)
        return None if move in ANSWERS else f"[{move.answer}] is neither [Fact 1] nor [Fact 2]."

    def take(self, seat: Seat, move: Move) -> None:
        """The answer decides."""
        if move.action is not None:
            winner = GUESSER if move.action == self.truth else DECEIVER
            self.end(winner, f"Player {seat} answers {move.answer}.")

    def reveal(self) -> str:
        """Which was true."""
        return f"Fact {self.truth + 1} is true."

    def observe(self, seat: Seat) -> Observation:
        """Both statements, the talk, and for the deceiver which is true."""
        lines = [f"Fact {number}: {fact}" for number, fact in enumerate(self.facts, start=1)]
        if seat == DECEIVER:
            lines.append(f"Only fact {self.truth + 1} is true.")
        listed = self.legal(seat)
        return Observation(
            facts="\n".join(lines),
            events=self.events(seat),
            ask=self.due(seat) + (" Answer which fact is true." if listed else ""),
            legal=tuple(move.answer for move in listed) if listed else None,
        )

    def render(self, seat: Seat | None) -> str:
        """The statements, which is true where that may be seen, and how far the match is."""
        shown = self.ended or seat != GUESSER
        marks = [f"  {'(true)' if self.truth == index else '(false)'}" if shown else "" for index in (0, 1)]
        rows = [f"Fact {index + 1}: {fact}{marks[index]}" for index, fact in enumerate(self.facts)]
        return "\n".join([*rows, f"Turn {self.turn} of {self._game.spec.max_turns}"])


class TruthAndDeception(JointGame):
    """Talk the other into a false fact, or find the true one."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "turns": Param(default=6, low=2, high=60, help="turns of both seats together, an even number"),
            "facts": Param(default="general", choices=("general", "generated"), help="where the facts are from"),
        }
    )
    state_class = TruthState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        turns = int(params["turns"])
        if turns % 2:
            raise ParameterError(f"truth_and_deception: turns={turns} must be even, since the guesser has the last.")
        self.spec = GameSpec(
            id="truth_and_deception",
            title="Truth and deception",
            summary="One knows which of two facts is true; the other asks and decides.",
            roles=("deceiver", "guesser"),
            utility=Utility.ZERO_SUM,
            information=Information.IMPERFECT,
            min_return=-1.0,
            max_return=1.0,
            outcomes=("p0", "p1"),
            max_turns=turns,
            params=MappingProxyType(dict(params)),
            reference="TruthAndDeception of TextArena, in our own rules",
        )

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """For the guesser, the same match with the other statement true."""
        if not isinstance(state, TruthState) or seat == DECEIVER:
            return ()
        variant = state.clone()
        variant.truth = 1 - state.truth
        return (variant,)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        facts = (
            "general knowledge"
            if self.spec.params["facts"] == "general"
            else "arithmetic and the calendar, generated for this match"
        )
        return (
            f"Both players see two facts of {facts}. One is true, one is false. Player 0, the deceiver, knows which; "
            "player 1, the guesser, does not. They talk in turn, the deceiver first, and may say what they like, true "
            f"or not. After {self.spec.max_turns} turns all is over: in the last, the guesser answers in brackets "
            "which fact is true, like [Fact 1]. The guesser wins with the true fact, the deceiver with the false one.\n"
            f"You are player {seat}, the {self.spec.roles[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` mostly vouches for the false fact, and believes the opposite of what is vouched for."""
        return {"random": random_bot, "greedy": greedy_bot}
