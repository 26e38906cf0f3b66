"""Texts: what is asked and when, rules that are the same for every seat and follow the parameters, legal examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from games.conformance.probe import Fault, Probe, playthrough, positions
from games.errors import ParameterError
from games.parsing import find_answers
from games.registry import resolve_params
from games.types import Game, Issue, Observation, Param, ParamValue

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_INSIDES = re.compile(r"<[\w.]+ object|object at 0x|pyspiel\.")


def observations(probe: Probe) -> Iterator[Fault]:
    """Seats to move are asked, others are not; listed moves are the legal ones; no control characters or reprs."""
    for seed, state in positions(probe):
        movers = state.to_move()
        for seat in probe.seats:
            seen, moves = state.observe(seat), state.legal(seat)
            if bool(seen.ask) != (seat in movers):
                yield seed, f"player {seat} is asked {seen.ask!r} while {movers} are to move"
            listed = tuple(move.answer for move in moves) if moves else None
            if seen.legal != listed:
                yield seed, f"player {seat} is shown {seen.legal} while {listed} are legal"
            if moves is not None and len({move.answer for move in moves}) < len(moves):
                yield seed, f"two legal moves of player {seat} have the same answer"
            for text in _moderator_texts(seen):
                if _CONTROL.search(text) or _INSIDES.search(text):
                    yield seed, f"text for player {seat} is not for reading: {text!r}"


def _moderator_texts(seen: Observation) -> tuple[str, ...]:
    return (seen.facts, seen.board, seen.ask, *(event.text for event in seen.events if event.speaker is None))


def _masked(game: Game, text: str) -> str:
    """Rules without what names a seat: its number, its role, and the example."""
    text = re.sub(r"\[[^\]]*\]", "[…]", text)
    text = re.sub(r"(?i)\bplayers? \d+", "player …", text)
    for role in sorted(game.spec.roles, key=len, reverse=True):
        text = re.sub(rf"\b{re.escape(role)}\b", "…", text)
    return text


def rules_by_seat(probe: Probe) -> Iterator[Fault]:
    """Every seat is told who it is, and otherwise the same."""
    texts = [probe.game.rules(seat) for seat in probe.seats]
    first = _masked(probe.game, texts[0])
    for seat, text in enumerate(texts):
        if not re.search(rf"(?i)\bplayer {seat}\b", text):
            yield None, f"the rules for player {seat} do not say who it is"
        if _masked(probe.game, text) != first:
            yield None, f"the rules for player {seat} differ from those for player 0 by more than its name"
        if texts.index(text) != seat:
            yield None, f"the rules for player {seat} are word for word those for player {texts.index(text)}"


def rules_by_parameter(probe: Probe) -> Iterator[Fault]:
    """Parameters in force stand in the rules, and the rules change with them."""
    game = probe.game
    text = game.rules(0)
    for name, value in game.spec.params.items():
        if not isinstance(value, bool) and not re.search(rf"(?<![\w.]){re.escape(str(value))}(?![\w.]*\w)", text):
            yield None, f"the rules do not mention {name}={value!r}"
        param = game.PARAMS.get(name)
        for other in _other_values(param, value) if param is not None else ():
            changed = _with(game, {**game.spec.params, name: other})
            if changed is not None and changed.rules(0) == text:
                yield None, f"the rules are the same for {name}={value!r} and {name}={other!r}"


def _other_values(param: Param, value: ParamValue) -> Iterator[ParamValue]:
    if isinstance(value, bool):
        yield not value
    elif param.choices:
        yield from (choice for choice in param.choices if choice != value)
    elif isinstance(value, int | float):
        for near in (value - 1, value + 1):
            if (param.low is None or near >= param.low) and (param.high is None or near <= param.high):
                yield near


def _with(game: Game, params: Mapping[str, ParamValue]) -> Game | None:
    """The same game under other parameters, where those can be combined."""
    cls = type(game)
    try:
        return cls(resolve_params(game.spec.id, cls.PARAMS, params))  # type: ignore[call-arg] # the convention of Game
    except ParameterError:
        return None


def examples(probe: Probe) -> Iterator[Fault]:
    """What the rules show in brackets is a legal answer of that seat in some position."""
    settings = " ".join(map(str, probe.game.spec.params.values()))  # may hold brackets that are no examples
    waiting = {
        (seat, answer.text): f"[{answer.text}]"
        for seat in probe.seats
        for answer in find_answers(probe.game.rules(seat)).answers
        if f"[{answer.text}]" not in settings
    }
    for seed in dict.fromkeys((0, *probe.seeds, *range(probe.matches))):
        if not waiting:
            return
        for _, state in playthrough(probe.game, seed):
            for seat in state.to_move():
                for key in [key for key in waiting if key[0] == seat]:
                    if state.parse(seat, waiting[key]).issue is Issue.OK:
                        del waiting[key]
    yield from ((None, f"the example {text} for player {seat} was never legal") for (seat, _), text in waiting.items())
