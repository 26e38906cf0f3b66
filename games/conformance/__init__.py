"""The public conformance suite: any game, ours or a third party's, is held to the one contract.

    findings = check_game(get_game("kuhn_poker"), seeds=range(10), matches=200)

An empty list means that the game keeps everything it declares. A check that itself raises is a finding as well. A new
check is a function from a `Probe` to faults, entered in `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from games.conformance import endings, hidden, length, replies, speech, states, teams, texts, together
from games.conformance.probe import Fault, Probe
from games.types import Game

__all__ = ["CHECKS", "Finding", "check_game"]

Check = Callable[[Probe], Iterator[Fault]]

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "facts": endings.facts,
        "endings": endings.endings,
        "turns": endings.turns,
        "roles and forfeits": teams.roles_and_forfeits,
        "measures": teams.measures,
        "determinism": states.determinism,
        "global random numbers": states.global_random_numbers,
        "round trip": states.round_trip,
        "clone": states.clones,
        "events": states.events_grow,
        "movers": together.movers,
        "joint moves": together.joint_moves,
        "speech": speech.speech,
        "wrong moves": replies.wrong_moves,
        "own answers": replies.own_answers,
        "hostile replies": replies.hostile_replies,
        "long replies": length.long_replies,
        "observations": texts.observations,
        "rules by seat": texts.rules_by_seat,
        "rules by parameter": texts.rules_by_parameter,
        "examples": texts.examples,
        "hidden information": hidden.hidden_information,
        "open information": hidden.open_information,
    }
)
PER_CHECK = 3
"""Findings reported per check: a broken rule shows in every match, and one is enough to find it."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One way in which a game breaks its contract.

    Attributes:
        check: which check, a key of CHECKS.
        message: what was found and what was expected.
        seed: of the match that shows it, where one match does.
    """

    check: str
    message: str
    seed: int | None = None

    def __str__(self) -> str:
        return f"{self.check}{'' if self.seed is None else f' (seed {self.seed})'}: {self.message}"


def check_game(game: Game, *, seeds: Iterable[int] = range(5), matches: int = 20) -> list[Finding]:
    """Hold a game to its contract by playing it at random and with its own bots.

    Args:
        game: any loaded game.
        seeds: of the matches whose positions are looked at closely; must not be empty.
        matches: how many matches are played for their endings.

    Returns:
        What was found, at most PER_CHECK of a kind; empty when the game passes.

    Raises:
        ValueError: no seeds.
    """
    probe = Probe(game=game, seeds=tuple(seeds), matches=matches)
    if not probe.seeds:
        raise ValueError("check_game needs at least one seed.")
    found: list[Finding] = []
    for name, check in CHECKS.items():
        found += _run(name, check, probe)
    return found


def _run(name: str, check: Check, probe: Probe) -> list[Finding]:
    found: list[Finding] = []
    try:
        for seed, message in check(probe):
            finding = Finding(check=name, message=message, seed=seed)
            if message not in {known.message for known in found}:
                found.append(finding)
            if len(found) == PER_CHECK:
                break
    except Exception as error:  # noqa: BLE001 - a third party's game may raise anything, and that is what is reported
        found.append(Finding(check=name, message=f"raised {type(error).__name__}: {error}"))
    return found
