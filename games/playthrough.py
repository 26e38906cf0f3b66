"""Golden playthroughs: one match told in full, so that a change of any rule, word or number shows up as a difference.

python -m games.playthrough kuhn_poker                     # show one
python -m games.playthrough --write tests/games/golden     # write them all
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from games.registry import get_game
from games.shelf import VARIANTS, WRITTEN
from games.suggest import unknown
from games.types import Game, ParamValue, Seat, State

GOLDEN: Mapping[str, tuple[str, Mapping[str, ParamValue]]] = MappingProxyType(
    {
        **{game_id: (game_id, {}) for game_id in [*WRITTEN, *VARIANTS]},
        "kuhn_poker.players-3": ("kuhn_poker", {"players": 3}),
        "openspiel.connect_four": ("openspiel/connect_four", {"rows": 4, "columns": 4, "x_in_row": 3}),
        "openspiel.leduc_poker": ("openspiel/leduc_poker", {}),
        "openspiel.pig": ("openspiel/pig", {"winscore": 20}),
    }
)
"""File name (without `.txt`) to game and parameters: every written game, and generic texts of several kinds."""

FAULTS = ("", "[no such answer]", "[1] [2]")
"""Unusable replies whose hints are shown at the first turns."""


def playthrough_text(game: Game, seed: int = 0) -> str:
    """One match between the game's bots, with everything each seat is told, every hint and every state."""
    return "\n".join(_lines(game, seed)) + "\n"


def _lines(game: Game, seed: int) -> Iterator[str]:
    spec = game.spec
    yield "Made by python -m games.playthrough; not to be edited."
    yield ""
    for name in ("id", "title", "summary", "roles", "utility", "information", "dynamics"):
        yield f"{name}: {getattr(spec, name)}"
    for name in ("min_return", "max_return", "outcomes", "max_turns", "reference"):
        yield f"{name}: {getattr(spec, name)}"
    yield f"params: {dict(spec.params)}"
    yield f"forfeits: {[game.forfeit_returns(seat) for seat in range(spec.seats)]}"
    for seat in range(spec.seats):
        yield from ("", f"== rules for player {seat}", game.rules(seat))
    rng = random.Random(f"playthrough/{seed}")
    names = sorted(game.bots())
    state = game.new_state(seed)
    turn = 0
    while seats := state.to_move():
        yield from ("", f"== turn {turn}", *_position(state))
        moves = {}
        for seat in seats:
            if turn < 2:
                yield from _faults(state, seat)
            bot = names[(seat + seed) % len(names)]
            reply = game.bots()[bot](state, seat, rng)
            parsed = state.parse(seat, reply)
            yield f"player {seat} ({bot}): {reply!r} -> {parsed.issue} {parsed.move}"
            if parsed.move is not None:
                moves[seat] = parsed.move
        state.apply(moves)
        turn += 1
    yield from ("", "== end", *_position(state), f"outcome: {state.outcome()}", f"returns: {state.returns()}")


def _position(state: State) -> Iterator[str]:
    yield f"state: {json.dumps(state.to_json(), sort_keys=True)}"
    yield from (f"| {line}" for line in state.render(None).split("\n"))
    for seat in range(state.game.spec.seats):
        seen = state.observe(seat)
        yield f"player {seat} sees:"
        for event in seen.events[-2:]:
            yield f"    {'*' if event.speaker is None else f'player {event.speaker} says:'} {event.text}"
        for text in (seen.facts, seen.board, seen.ask):
            yield from (f"    {line}" for line in text.split("\n") if text)
        if seen.legal is not None:
            yield f"    allowed: {' '.join(f'[{answer}]' for answer in seen.legal)}"


def _faults(state: State, seat: Seat) -> Iterator[str]:
    for reply in FAULTS:
        parsed = state.parse(seat, reply)
        yield f"player {seat}, if it said {reply!r}: {parsed.issue}. {parsed.hint}"


def main(argv: Sequence[str] | None = None) -> int:
    """Show or write golden playthroughs. Returns the exit status."""
    parser = argparse.ArgumentParser(description="Golden playthroughs of games.", prog="python -m games.playthrough")
    parser.add_argument("names", nargs="*", help="which (default: all)", metavar="NAME")
    parser.add_argument(
        "--write", type=Path, metavar="FOLDER", help="write NAME.txt files there instead of showing them"
    )
    args = parser.parse_args(argv)
    for name in args.names:
        if name not in GOLDEN:
            parser.error(unknown("playthrough", name, GOLDEN))
    for name in args.names or GOLDEN:
        game_id, params = GOLDEN[name]
        text = playthrough_text(get_game(game_id, params))
        if args.write is None:
            sys.stdout.write(text)
        else:
            args.write.mkdir(parents=True, exist_ok=True)
            (args.write / f"{name}.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
