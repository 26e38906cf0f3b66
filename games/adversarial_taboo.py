"""Adversarial taboo: the attacker makes the defender say a word that the defender does not know.

| fact | value |
|---|---|
| seats | 2: attacker (player 0), defender (player 1) |
| information | imperfect: the attacker alone knows the target word |
| a turn | free talk; the defender may add one action, `[I know: river]` |
| a word is said | whole, in any case, also as plural or possessive (`games.inflection`) |
| end | the target word is said or announced, or after `turns` turns |
| returns | +1 to the winner, −1 to the loser; 0 when the turns run out |
| outcome classes | p0, p1, draw |

Who says the target word loses, the attacker as well as the defender. An announcement is judged before the words around
it: right wins for the defender, wrong loses. It names one word, so that nobody announces many at once.
Reference: "Self-playing Adversarial Language Game Enhances LLM Reasoning" (arXiv 2404.10642); our own rules and words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, cast

from games.adversarial_taboo_bots import greedy_bot, random_bot
from games.inflection import mentions
from games.joint import JointGame
from games.parsing import normalise, shown
from games.talk import Actions, TalkState, Unreadable, read_turn
from games.talk_bots import article
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
from games.words import LISTS, words_of

ATTACKER, DEFENDER = 0, 1
EXAMPLE = "I know: river"
_ANNOUNCED = re.compile(r"(?:i know|i guess|guess)\s*:\s*(?:the |an? )?['\"“‘]?([^\W_]+)['\"”’]?")


def read_announcement(text: str) -> str | Unreadable:
    """`I know: river`, in canonical form."""
    found = _ANNOUNCED.fullmatch(normalise(text))
    if found is None:
        return Unreadable(hint=f"[{shown(text)}] does not announce one word. Write it like [{EXAMPLE}].")
    return f"I know: {found[1]}"


ACTIONS = Actions(
    begins=re.compile(r"i\s+know\b|(?:i\s+)?guess\s*:", re.IGNORECASE), read=read_announcement, example=EXAMPLE
)


class TabooState(TalkState):
    """One match.

    Attributes:
        target: the word, known to the attacker.
    """

    def __init__(self, game: JointGame, seed: int) -> None:
        super().__init__(game, seed)
        self.target = random.Random(f"{seed}/deal").choice(self.taboo.words)

    @property
    def taboo(self) -> AdversarialTaboo:
        """The game, by its own type."""
        return cast("AdversarialTaboo", self._game)

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Speech, and an announcement of the defender."""
        if seat == DEFENDER:
            return read_turn(text, ACTIONS, truncated=truncated)
        return super().parse(seat, text, truncated=truncated)

    def refusal(self, seat: Seat, move: Move) -> str | None:
        """The defender alone announces, in canonical form."""
        if not move.answer:
            return super().refusal(seat, move)
        if seat == ATTACKER:
            return "only the defender announces a word."
        reading = read_announcement(move.answer)
        if isinstance(reading, Unreadable):
            return reading.hint
        return None if reading == move.answer else f"[{move.answer}] must be written [{reading}]."

    def take(self, seat: Seat, move: Move) -> None:
        """An announcement decides; else saying the target word loses."""
        if move.answer:
            word = move.answer.partition(": ")[2]
            right = mentions(word, self.target)
            result = "That is right." if right else "That is wrong."
            self.end(DEFENDER if right else ATTACKER, f"Player {seat} announces the word {word}. {result}")
        elif mentions(move.speech, self.target):
            self.end(1 - seat, f"Player {seat} said the target word.")

    def reveal(self) -> str:
        """The word."""
        return f"The target word was {self.target}."

    def observe(self, seat: Seat) -> Observation:
        """The talk, and the word for the attacker."""
        told = f"The target word: {self.target}." if seat == ATTACKER else "You do not know the target word."
        return Observation(facts=told, events=self.events(seat), ask=self.due(seat))

    def render(self, seat: Seat | None) -> str:
        """The word where it may be seen, and how far the match is."""
        word = self.target if seat != DEFENDER or self.ended else "?"
        return f"Target word: {word}\nTurn {self.turn} of {self._game.spec.max_turns}"


class AdversarialTaboo(JointGame):
    """Make the other say a word, or find out which."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "turns": Param(default=20, low=2, high=100, help="turns of both seats together"),
            "words": Param(default="common", choices=tuple(LISTS), help="kind of nouns of which one is the target"),
        }
    )
    state_class = TabooState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.groups = LISTS[str(params["words"])]
        self.words = words_of(self.groups)
        self.spec = GameSpec(
            id="adversarial_taboo",
            title="Adversarial taboo",
            summary="Make the other say a word that it does not know, or find out which it is.",
            roles=("attacker", "defender"),
            utility=Utility.ZERO_SUM,
            information=Information.IMPERFECT,
            min_return=-1.0,
            max_return=1.0,
            outcomes=("p0", "p1", "draw"),
            max_turns=int(params["turns"]),
            params=MappingProxyType(dict(params)),
            reference="adversarial taboo of SPAG (arXiv 2404.10642), in our own rules",
        )

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """For the defender, the same match with another word that nobody has said."""
        if not isinstance(state, TabooState) or seat == ATTACKER:
            return ()
        free = state.unsaid(self.words, but=(state.target,))
        if not free:
            return ()
        variant = state.clone()
        variant.target = str(rng.choice(free))
        return (variant,)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        words = self.spec.params["words"]
        return (
            f"Player 0, the attacker, knows a target word, {article(f'{words} noun')}; player 1, the defender, does "
            "not. They talk in turn, the attacker first; all that you write is said to the other. Whoever says "
            "the target word loses at once: the whole word in any case, also as a plural or possessive. So the "
            "attacker tries to make the defender say it unaware. When sure of the word, the defender announces it in "
            f"brackets, like [{EXAMPLE}]: right wins, wrong loses. After {self.spec.max_turns} turns it is a draw.\n"
            f"You are player {seat}, the {self.spec.roles[seat]}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` attacks with questions, and defends by saying little and ruling words out."""
        return {"random": random_bot, "greedy": greedy_bot}
