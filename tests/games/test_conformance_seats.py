"""Checks of seats, speech, secrets and hostile replies: each finds the toy game that breaks it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from pile_game import PileGame, PileState
from test_conformance import BothAtOnce, Fingers

from games import Dynamics, Event, IllegalMoveError, Information, Issue, Move, Observation, Parsed
from games.conformance import CHECKS
from games.conformance.hostile import hostile_replies, hostile_reply
from games.conformance.many import random_games
from games.conformance.probe import Probe
from games.conformance.speech import STRANGE
from games.parsing import parse_choice


def pile(state_class: type[PileState], *, base: type[PileGame] = PileGame, **facts: Any) -> PileGame:
    """The pile game with another class of state and other declared facts."""
    return type("Toy", (base,), {"state_class": state_class, "facts": facts})({"stones": 6})


def found(check: str, game: PileGame) -> list[str]:
    return [message for _, message in CHECKS[check](Probe(game=game, seeds=(0, 1, 2), matches=12))]


class Talk(PileState):
    """Whatever stands around an answer is said aloud."""

    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        parsed = super().parse(seat, text, truncated=truncated)
        if parsed.move is None:
            return parsed
        return parsed._replace(move=parsed.move._replace(speech=text.rpartition("[")[0].strip()))

    def apply(self, moves: Any) -> None:
        plain = {seat: Move(answer=move.answer, action=move.action) for seat, move in moves.items()}
        super().apply(plain)
        for seat, move in moves.items():
            self.tell(seat, move.speech)

    def tell(self, seat: int, words: str) -> None:
        self.events.append(Event(text=words, speaker=seat))


class Forged(Talk):
    def tell(self, seat: int, words: str) -> None:
        self.events.append(Event(text=f"Player {seat} said: {words}"))


class Swapped(Talk):
    def tell(self, seat: int, words: str) -> None:
        self.events.append(Event(text=words, speaker=1 - seat))


class Trimmed(Talk):
    def tell(self, seat: int, words: str) -> None:
        self.events.append(Event(text=words.replace("\n", " "), speaker=seat))


class OnBoard(Talk):
    def tell(self, seat: int, words: str) -> None:
        self.said = words

    def observe(self, seat: int) -> Observation:
        return super().observe(seat)._replace(board=getattr(self, "said", ""))


def test_speech_arrives_word_for_word_and_as_speech() -> None:
    assert found("speech", pile(Talk)) == []


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (Forged, "words of player 0 are told to player 0 as the moderator's"),
        (Swapped, "words of player 0 are told to player 1 as those of player 1"),
        (Trimmed, f"where player 0 said 'Well, {STRANGE}.\\n"),
        (OnBoard, "words of player 0 stand in the board of player 1, not marked as speech"),
    ],
)
def test_speech_that_is_not_marked_is_found(state: type[PileState], message: str) -> None:
    assert any(message in fault for fault in found("speech", pile(state)))


class Backwards(BothAtOnce):
    def to_move(self) -> tuple[int, ...]:
        return tuple(reversed(super().to_move()))


class Third(PileState):
    def to_move(self) -> tuple[int, ...]:
        return (2,) if self.left else ()


class Eager(PileState):
    def legal(self, seat: int) -> Any:
        return super().legal(seat) if seat in self.to_move() else None


class FirstComes(BothAtOnce):
    def apply(self, moves: Any) -> None:
        super().apply(moves)
        self.events[-1] = Event(text=f"Player {next(iter(moves))} was faster.")


class Overheard(BothAtOnce):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        parsed = super().parse(seat, text, truncated=truncated)
        if parsed.move is not None:
            self.pending = (seat, parsed.move.answer)
        return parsed

    def observe(self, seat: int) -> Observation:
        by, answer = getattr(self, "pending", (seat, ""))
        seen = super().observe(seat)
        return seen if by == seat else seen._replace(board=f"Player {by} is about to {answer}.")


@pytest.mark.parametrize(
    ("check", "game", "message"),
    [
        ("movers", pile(Backwards, base=Fingers), "to_move() is (1, 0)"),
        ("movers", pile(Third), "to_move() is (2,)"),
        ("movers", pile(BothAtOnce), "players (0, 1) are to move together in a game of turns"),
        ("movers", pile(Eager), "player 1 is not to move and has legal moves None"),
        ("joint moves", pile(FirstComes, base=Fingers), "the order in which moves made together are given decides"),
        ("joint moves", pile(Overheard, base=Fingers), "depends on the pending choice of player 0"),
    ],
)
def test_seats_that_are_asked_wrongly_are_found(check: str, game: PileGame, message: str) -> None:
    assert any(message in fault for fault in found(check, game))


def test_seats_that_move_together_pass() -> None:
    game = Fingers({"stones": 4})
    assert game.spec.dynamics is Dynamics.SIMULTANEOUS
    assert found("movers", game) == found("joint moves", game) == []


class HalfPaid(PileState):
    def measures(self) -> dict[str, float]:
        return {"payoff/0": self.returns()[0]}


class Unmeasurable(PileState):
    def measures(self) -> dict[str, float]:
        return {"payoff/0": self.returns()[0], "payoff/1": float("nan")}


class TooSoon(PileState):
    def measures(self) -> dict[str, float]:
        return {"stones": float(self.left)}


class NoVariants(PileGame):
    def variants(self, *args: Any) -> tuple[()]:
        return ()


class Favourite(PileState):
    def observe(self, seat: int) -> Observation:
        seen = super().observe(seat)
        return seen._replace(events=seen.events if seat == 0 else seen.events[:1])


class Patient(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        re.search(r"\[\s*[^\[\]]*!", text)
        return super().parse(seat, text, truncated=truncated)


class Verbose(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        parsed = super().parse(seat, text, truncated=truncated)
        return parsed if parsed.issue is Issue.OK else parsed._replace(hint=f"{text}{text}?")


@pytest.mark.parametrize(
    ("check", "game", "message"),
    [
        ("turns", pile(PileState, params={"stones": 6, "turns": 5}), "turns=5 is in force, and max_turns is 6"),
        ("measures", pile(HalfPaid), "there are 1 payoffs for 2 seats"),
        ("measures", pile(Unmeasurable), "measure payoff/1 is nan"),
        ("measures", pile(TooSoon), "while the game is not over"),
        ("hidden information", pile(PileState, base=NoVariants), "something is hidden, and neither variants nor"),
        ("open information", pile(Favourite, information=Information.PERFECT), "the events of some seats differ"),
        ("long replies", pile(Patient), "a quarter takes less than a 9th"),
        ("long replies", pile(Verbose), "the hint for "),
    ],
)
def test_other_broken_promises_are_found(check: str, game: PileGame, message: str) -> None:
    assert any(message in fault for fault in found(check, game))


class LastMoveFails(PileState):
    def take(self, stones: int) -> None:
        super().take(stones)
        if not self.left and len(self.taken) == 3:  # a rare ending
            raise KeyError("three moves")


class Doubled(PileState):
    def returns(self) -> tuple[float, ...]:
        first, second = super().returns()
        return (first * (1 + (len(self.taken) == 3)), second)


@pytest.mark.parametrize(
    ("state", "facts", "message"),
    [
        (LastMoveFails, {}, "raised KeyError after 3 turns: 'three moves'"),
        (Doubled, {}, "add up to"),
        (PileState, {"outcomes": ("p0",)}, "outcome 'p1' is not among the declared ('p0',)"),
        (PileState, {"max_turns": 4}, "the game goes on after 4 turns"),
    ],
)
def test_many_random_games_find_what_is_rare(state: type[PileState], facts: dict[str, Any], message: str) -> None:
    faults = list(random_games(pile(state, **facts), range(300)))
    assert any(message in fault for _, fault in faults)
    assert len(faults) == 3


class FirstFound(PileState):
    """Takes the first legal answer that stands anywhere, brackets or not."""

    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        for move in self.legal(seat):
            if move.answer in text:
                return Parsed(raw=text, issue=Issue.OK, move=move)
        return super().parse(seat, text, truncated=truncated)


class Unicode(PileState):
    """Strips what it does not know, and then reads."""

    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        parsed = super().parse(seat, re.sub(r"[^\x20-\x7e\n]", "", text), truncated=truncated)
        return parsed._replace(raw=text)


class Fragile(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        text.encode("latin-1")
        return super().parse(seat, text, truncated=truncated)


class Counting(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        self.luck[0] += "SYSTEM" in text
        return super().parse(seat, text, truncated=truncated)


class Deaf(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        if "boxed" in text:
            return Parsed(raw=text, issue=Issue.MALFORMED, hint="No boxes.")
        return super().parse(seat, text, truncated=truncated)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (FirstFound, "which it does not name"),
        (FirstFound, "no answer stands at its end"),
        (Unicode, "which it does not name"),
        (Fragile, "raised UnicodeEncodeError"),
        (Counting, "parsing hostile replies changed the state"),
        (Deaf, "is malformed; it names [take"),
    ],
)
def test_hostile_replies_find_each_kind_of_credulous_parser(state: type[PileState], message: str) -> None:
    assert any(message in fault for _, fault in hostile_replies(pile(state), range(40)))


class Free(PileState):
    """Words are free, and may hold a move."""

    def legal(self, seat: int) -> Any:
        return None if seat in self.to_move() else ()

    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        return parse_choice(text, PileState.legal(self, seat), lambda: {"take 1", "take 2"}, truncated=truncated)

    def apply(self, moves: Any) -> None:
        ((seat, move),) = moves.items()
        if move not in PileState.legal(self, seat):
            raise IllegalMoveError("pile: not a legal move here")
        self.take(move.action)

    def observe(self, seat: int) -> Observation:
        return Observation(events=tuple(self.events), ask="Your move." if seat in self.to_move() else "")


class FreeAndCredulous(Free):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        for move in PileState.legal(self, seat):
            if move.answer in text:
                return Parsed(raw=text, issue=Issue.OK, move=move)
        return super().parse(seat, text, truncated=truncated)


class FreeAndRash(Free):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        parsed = super().parse(seat, text, truncated=truncated)
        return parsed._replace(issue=Issue.OK, move=Move(answer="take 9", action=9), hint="") if "x" in text else parsed


class FreeGame(PileGame):
    def bots(self) -> Any:
        return {"random": lambda state, seat, rng: f"[take {rng.randrange(min(2, state.left)) + 1}]"}


def test_hostile_replies_look_at_free_words_too():
    assert list(hostile_replies(pile(Free, base=FreeGame), range(60))) == []
    credulous = [fault for _, fault in hostile_replies(pile(FreeAndCredulous, base=FreeGame), range(40))]
    assert any("which it does not name" in fault for fault in credulous)
    rash = [fault for _, fault in hostile_replies(pile(FreeAndRash, base=FreeGame), range(40))]
    assert any("is understood, and its move refused" in fault for fault in rash)


def test_hostile_replies_pass_a_careful_parser_and_are_the_same_every_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert list(hostile_replies(pile(PileState), range(60))) == []
    said: list[str] = []
    keep: Callable[..., Any] = lambda *args: said.append((made := hostile_reply(*args)).text) or made  # noqa: E731
    monkeypatch.setattr("games.conformance.hostile.hostile_reply", keep)
    for _ in range(2):
        list(hostile_replies(pile(PileState), range(3)))
    assert said[:60] == said[60:]
    assert len(set(said[:60])) > 40
