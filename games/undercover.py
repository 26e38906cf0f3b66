"""Undercover: all share a word but one, whose word is a near one; clues and votes tell who it is.

| fact | value |
|---|---|
| seats | 4 to 8 (parameter `players`) |
| roles | one undercover, the rest civilians, dealt by the seed; nobody is told its role, only its word |
| words | two near ones of a list (parameter `words`), see `games.words` |
| `blank` | the undercover has no word, and so knows |
| a clue | each seat left in turn, at most `clue_words` words and never its own word |
| a vote | all seats left at once; most votes are out, a tie is nobody |
| told to all | clues, votes, and whether who is out was the undercover |
| end | the undercover is out: civilians; 2 seats are left, or `rounds` are over: undercover |
| utility | general sum |
| returns | +1 for each seat of the winning side, −1 for each of the other, in or out |
| outcome classes | civilians, undercover |

The returns of one against many do not add up to zero. Shares of one loss would, but being one of seven civilians makes
losing no smaller a loss to that seat; so the game is declared general-sum. A forfeit is lost by the side of its seat.

Reference: the party game Undercover ("Who is the spy", 谁是卧底), in our own rules and with our own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from games.joint import JointGame
from games.types import (
    Bot,
    Dynamics,
    GameSpec,
    Information,
    Param,
    ParamValue,
    RandomStream,
    Seat,
    State,
    Utility,
)
from games.undercover_bots import greedy_bot, random_bot
from games.undercover_state import UndercoverState
from games.words import LISTS, group_of


class Undercover(JointGame):
    """Find the one whose word is not yours, or hide that it is you."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "players": Param(default=5, low=4, high=8, help="number of seats"),
            "words": Param(default="common", choices=tuple(LISTS), help="list of words"),
            "blank": Param(default=False, help="the undercover has no word instead of a near one"),
            "rounds": Param(default=4, low=1, high=12, help="rounds after which the undercover wins"),
            "clue_words": Param(default=12, low=5, high=50, help="most words of a clue"),
        }
    )
    state_class = UndercoverState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.settings = {name: int(value) for name, value in params.items() if name != "words"}
        self.words = str(params["words"])
        self.blank = bool(params["blank"])
        players = self.settings["players"]
        self.spec = GameSpec(
            id="undercover",
            title="Undercover",
            summary="Find the one whose word is not yours, or hide that it is you.",
            roles=tuple(f"player {seat}" for seat in range(players)),
            utility=Utility.GENERAL_SUM,
            information=Information.IMPERFECT,
            dynamics=Dynamics.SIMULTANEOUS,
            min_return=-1.0,
            max_return=1.0,
            outcomes=("civilians", "undercover"),
            max_turns=2 * players * self.settings["rounds"],  # nobody is ever voted out
            params=MappingProxyType(dict(params)),
            reference="the party game Undercover, in our own rules",
        )

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """The same match with another undercover, another word of the others, or both, as far as the seat can tell."""
        if not isinstance(state, UndercoverState):
            return ()
        variant = state.clone()
        own = state.word(seat)
        near = LISTS[self.words][group_of(LISTS[self.words], state.words[0])]
        other = rng.choice([word for word in near if word not in state.words])
        suspects = [one for one in state.living if not self.blank or one != seat]
        if self.blank and state.undercover == seat:
            suspects = [seat]
        variant.undercover = rng.choice(suspects)
        if self.blank:
            common = other if own is None else own
            variant.words = (common, state.words[1] if variant.undercover == seat else other)
        else:
            variant.words = (str(other), str(own)) if variant.undercover == seat else (str(own), str(other))
        return (variant,)

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        p = self.settings
        if self.blank:
            dealt = f"All get the same {self.words} word but one, the undercover, who gets none."
        else:
            dealt = (
                f"All get the same {self.words} word but one, the undercover, who gets a near one. Nobody is "
                "told whether it is the undercover."
            )
        example = (seat + 1) % p["players"]
        return (
            f"Undercover for {p['players']} players. {dealt} In a round, all players left give a clue to their word "
            f"in turn: at most {p['clue_words']} words, never the word itself; all that you say is heard. Then all "
            "vote at once; most votes are out, on a tie nobody. Whether it was the undercover is told. The civilians "
            "(all others) win when the undercover is out. The undercover wins when 2 players are left, or after "
            f"round {p['rounds']}. You win with your side, in or out. Vote in brackets, like [Vote: {example}].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` counts letters in its clues, and votes for whose count differs."""
        return {"random": random_bot, "greedy": greedy_bot}
