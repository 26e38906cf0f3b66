"""Don't say it: each seat has a secret word, and whoever says the other's word loses.

| fact | value |
|---|---|
| seats | 2 |
| information | imperfect: one's own word only; all talk is public |
| a turn | free talk, any text; there are no actions |
| a word is said | whole, in any case, also as plural or possessive (`games.inflection`) |
| end | somebody says the other's word, or after `turns` turns; one's own word is free |
| returns | +1 to the other, −1 to who said it; 0 when the turns run out |
| outcome classes | p0, p1, draw |

A turn that says both words loses. Both words are told at the end.
Reference: the parlour game of forbidden words, as in SPIRAL's and TextArena's DontSayIt; our own rules and words.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, cast

from games.inflection import mentions
from games.joint import JointGame
from games.talk import TalkState
from games.talk_bots import ask_for, small_talk
from games.types import (
    Bot,
    GameSpec,
    Information,
    Move,
    Observation,
    Param,
    ParamValue,
    RandomStream,
    Seat,
    State,
    Utility,
)
from games.words import LISTS, group_of, words_of


class DontSayItState(TalkState):
    """One match.

    Attributes:
        words: the secret word of each seat.
    """

    def __init__(self, game: JointGame, seed: int) -> None:
        super().__init__(game, seed)
        first, second = random.Random(f"{seed}/deal").sample(self.dont_say_it.words, 2)
        self.words = (first, second)

    @property
    def dont_say_it(self) -> DontSayIt:
        """The game, by its own type."""
        return cast("DontSayIt", self._game)

    def take(self, seat: Seat, move: Move) -> None:
        """Saying the other's word loses."""
        other = 1 - seat
        if mentions(move.speech, self.words[other]):
            self.end(other, f"Player {seat} said player {other}'s word.")

    def reveal(self) -> str:
        """Both words."""
        return f"Player 0's word was {self.words[0]}, player 1's was {self.words[1]}."

    def observe(self, seat: Seat) -> Observation:
        """Own word and the talk."""
        return Observation(f"Your word: {self.words[seat]}.", self.events(seat), "", self.due(seat))

    def render(self, seat: Seat | None) -> str:
        """Words that may be seen, and how far the match is."""
        rows = [f"P{s}  {self.words[s] if seat in (None, s) or self.ended else '?'}" for s in (0, 1)]
        return "\n".join([*rows, f"Turn {self.turn} of {self._game.spec.max_turns}"])


class DontSayIt(JointGame):
    """Make the other say your word, without saying theirs."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "turns": Param(default=20, low=2, high=100, help="turns of both seats together"),
            "words": Param(default="common", choices=tuple(LISTS), help="kind of nouns that are dealt"),
        }
    )
    state_class = DontSayItState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.groups = LISTS[str(params["words"])]
        self.words = words_of(self.groups)
        self.spec = GameSpec(
            id="dont_say_it",
            title="Don't say it",
            summary="Make the other say your secret word, without saying theirs.",
            roles=("opener", "responder"),
            utility=Utility.ZERO_SUM,
            information=Information.IMPERFECT,
            min_return=-1.0,
            max_return=1.0,
            outcomes=("p0", "p1", "draw"),
            max_turns=int(params["turns"]),
            params=MappingProxyType(dict(params)),
            reference="DontSayIt of SPIRAL (arXiv 2506.24119), in our own rules",
        )

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """The same match with another word of the other seat, which nobody has said."""
        if not isinstance(state, DontSayItState):
            return ()
        free = state.unsaid(self.words, but=state.words)
        if not free:
            return ()
        variant = state.clone()
        other = str(rng.choice(free))
        variant.words = (state.words[0], other) if seat == 0 else (other, state.words[1])
        return (variant,)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        return (
            f"Two players talk in turn, player 0 first. Each has a secret {self.spec.params['words']} noun, not the "
            "same. Whoever says the other's word loses at once: the whole word in any case, also as a plural or "
            "possessive. Your own word is free. So get the other to say yours without saying theirs. All that you "
            f"write is said to the other. After {self.spec.max_turns} turns it is a draw.\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random` also names any words; `greedy` asks for words like its own and names none."""
        return {"random": random_bot, "greedy": greedy_bot}


def _own(state: State) -> DontSayItState:
    if not isinstance(state, DontSayItState):
        raise TypeError("this bot plays dont_say_it only")
    return state


def random_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Small talk, or three words of the list, whosever they are."""
    words = _own(state).dont_say_it.words
    if rng.random() < 0.5:
        return small_talk(rng)
    first, second, third = (rng.choice(words) for _ in range(3))
    return f"I think of {first}, {second} and {third}."


def greedy_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Asks for words of its own word's kind, and answers with small talk."""
    match = _own(state)
    if rng.random() < 0.3:
        return small_talk(rng)
    return ask_for(group_of(match.dont_say_it.groups, match.words[seat]), rng)
