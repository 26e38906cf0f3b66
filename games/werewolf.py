"""Werewolf: a few wolves among villagers; night actions in secret, talk and a vote by day.

| fact | value |
|---|---|
| seats | 5 to 9 (parameter `players`) |
| roles | `wolves`, `seers`, `doctors`, the rest villagers; dealt by the seed; wolves know one another |
| wolves at night | while two or more live, first send each other `wolf_talk` messages, at the same time |
| night | every living wolf names a victim, seer a suspect, doctor a patient, all at once; most wolves' choice dies, \
a tie or a patient does not |
| day | each living seat speaks `talk` times in turn, then all vote at once; most votes are out, a tie is nobody |
| told to all | who died, who was voted out, and their roles; who voted for whom |
| end | no wolf lives: villagers; as many wolves as others, or a wolf lives after day `days`: wolves |
| utility | general sum |
| returns | +1 for each seat of the winning team, −1 for each of the other, dead or alive |
| outcome classes | wolves, villagers |

The returns of teams of unequal size do not add up to zero. Sharing one loss among the villagers would do that, but a
villager wants its side to win as much as a wolf does, and a role's returns should not shrink as its team grows; so the
game is declared general-sum. What anybody is told at night goes to that seat alone, and the morning tells the same
whether the wolves disagreed or a doctor was right: nobody learns who acted, or that a role is gone. A dead seat is
never asked and never counts. A forfeit is lost by the team of its seat.

Reference: D. Davidoff's Mafia (1986), A. Plotkin's Werewolf (1997), in our own rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from types import MappingProxyType
from typing import ClassVar

from games.errors import ParameterError
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
from games.werewolf_bots import greedy_bot, random_bot
from games.werewolf_state import WerewolfState
from games.werewolf_text import cast_list


class Werewolf(JointGame):
    """Find the wolves by day, before they are as many as the others."""

    PARAMS: ClassVar[Mapping[str, Param]] = MappingProxyType(
        {
            "players": Param(default=6, low=5, high=9, help="number of seats"),
            "wolves": Param(default=1, low=1, high=3, help="how many are wolves"),
            "seers": Param(default=1, low=0, high=2, help="how many are seers"),
            "doctors": Param(default=1, low=0, high=2, help="how many are doctors"),
            "talk": Param(default=1, low=0, high=3, help="speeches of each seat a day"),
            "wolf_talk": Param(default=1, low=0, high=3, help="messages of each wolf to the others a night"),
            "days": Param(default=4, low=1, high=9, help="days after which living wolves win"),
        }
    )
    state_class = WerewolfState

    def __init__(self, params: Mapping[str, ParamValue]) -> None:
        self.settings = {name: int(value) for name, value in params.items()}
        p = self.settings
        dealt = {role: p[f"{role}s"] for role in ("seer", "doctor")}
        self.deck = ("wolf",) * p["wolves"] + tuple(role for role, count in dealt.items() for _ in range(count))
        if 2 * p["wolves"] >= p["players"] - 1 or len(self.deck) >= p["players"]:
            given = ", ".join(f"{name}={p[name]}" for name in ("players", "wolves", "seers", "doctors"))
            raise ParameterError(
                f"werewolf: {given}; after the first night the wolves must be fewer than the others, "
                "and a villager must be left when all roles are dealt."
            )
        self.deck += ("villager",) * (p["players"] - len(self.deck))
        self.spec = GameSpec(
            id="werewolf",
            title="Werewolf",
            summary="Find the wolves by day, before they are as many as the others.",
            roles=tuple(f"player {seat}" for seat in range(p["players"])),
            utility=Utility.GENERAL_SUM,
            information=Information.IMPERFECT,
            dynamics=Dynamics.SIMULTANEOUS,
            min_return=-1.0,
            max_return=1.0,
            outcomes=("wolves", "villagers"),
            max_turns=self._longest(),
            params=MappingProxyType(dict(params)),
            reference="D. Davidoff (1986); A. Plotkin (1997)",
        )

    def _longest(self) -> int:
        """Moves of the longest match: nobody is ever voted out, and nobody dies at night if that can be."""
        p = self.settings
        always_kills = p["wolves"] == 1 and not p["doctors"]  # the villagers first, whose death ends no actions
        living, turns = p["players"], 0
        for _ in range(p["days"]):
            seers = min(p["seers"], living - p["wolves"])
            howls = p["wolf_talk"] if p["wolves"] > 1 else 0
            turns += p["wolves"] * (1 + howls) + seers + p["doctors"]
            living -= always_kills
            if 2 * p["wolves"] >= living:
                break
            turns += living * (p["talk"] + 1)
        return turns

    def variants(self, state: State, seat: Seat, rng: RandomStream) -> tuple[State, ...]:
        """The same match with the roles of two other living seats exchanged, where the seat cannot know better."""
        if not isinstance(state, WerewolfState):
            return ()
        pairs = _exchangeable(state, seat)
        return (_exchanged(state, *rng.choice(pairs)),) if pairs else ()

    def rules(self, seat: Seat) -> str:
        """Rules for the seat."""
        p = self.settings
        example = (seat + 1) % p["players"]
        speak = f"all living players speak in turn ({p['talk']} time{'' if p['talk'] == 1 else 's'} each) and then"
        return (
            f"Werewolf for {p['players']} players with secret roles: {cast_list(self.deck)}. Wolves know one another. "
            f"At night, in secret: the wolves, if several, send each other {p['wolf_talk']} message"
            f"{'' if p['wolf_talk'] == 1 else 's'}; then each wolf chooses whom to Kill, and the one chosen by most "
            "wolves dies, on a tie nobody; a seer chooses whom to Inspect and learns whether it is a wolf; a doctor "
            f"chooses whom to Protect from death. By day {speak} vote at once; most votes are out, on a tie nobody. "
            "Roles of the dead are told to all. The villagers' side (all but the wolves) wins when no wolf lives. The "
            f"wolves win when they are as many as the others, or if one lives after day {p['days']}. You win with "
            "your side, dead or alive. When you speak, all that you say is heard. When you choose, answer in brackets, "
            f"like [Vote: {example}].\n"
            f"You are player {seat}."
        )

    def bots(self) -> Mapping[str, Bot]:
        """`random`; `greedy` follows accusations, and as a seer makes them known."""
        return {"random": random_bot, "greedy": greedy_bot}


def _exchangeable(state: WerewolfState, seat: Seat) -> list[tuple[Seat, Seat]]:
    """Pairs of other living seats of different roles that could have each other's, for all that the seat knows."""
    told = set(state.living) if state.dealt[seat] == "wolf" else set(state.findings(seat))
    others = [other for other in state.living if other != seat]
    return [
        (a, b)
        for a, b in combinations(others, 2)
        if state.dealt[a] != state.dealt[b] and (state.team(a) == state.team(b) or not told & {a, b})
    ]


def _exchanged(state: WerewolfState, a: Seat, b: Seat) -> WerewolfState:
    """The same match with the roles of two seats exchanged, and with them what was told to each alone."""
    variant = state.clone()
    swap = {a: b, b: a}
    variant.dealt = tuple(state.dealt[swap.get(seat, seat)] for seat in range(len(state.dealt)))
    variant.inspected = [(swap.get(seer, seer), found) for seer, found in state.inspected]
    variant.readdress(swap)
    return variant
