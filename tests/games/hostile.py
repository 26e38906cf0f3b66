"""A million hostile replies over the parsers of all written games, half from the corpus, half made by hypothesis.

python tests/games/hostile.py                      # 1,000,000, over all cores
python tests/games/hostile.py --strings 20000 chess go

Prints how many were said, by whom they were made, how long it took, and every reply that was misunderstood; exit code 1
if there is one. `arena games check --written --nightly` says as many, from the corpus alone.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from arena.workers import run_all
from games import State, get_game
from games.conformance.hostile import NOISE, TRAPS, Reply, different, hostile_replies, reply_faults, usable
from games.conformance.probe import playthrough, sample_moves, snapshot
from games.shelf import VARIANTS, WRITTEN
from games.types import Seat

PER_POSITION = 20
EXAMPLE = 10
"""Replies in one example of hypothesis: starting an example takes longer than making a reply."""


@dataclass(frozen=True)
class Task:
    """A share of the replies to one game."""

    game: str
    maker: str
    seed: int
    count: int


def positions(game_id: str, seed: int) -> list[tuple[State, Seat, list[str]]]:
    """Early positions of one match: the state, a seat to move, and some of its answers."""
    found = []
    for ply, state in playthrough(get_game(game_id), seed):
        for seat in state.to_move() if ply < 8 else ():
            moves = sample_moves(state, seat, random.Random(seed), limit=8)
            found.append((state.clone(), seat, different(move.answer for move in moves)))
        if ply == 8:
            break
    return found


def replies(answers: list[str]) -> st.SearchStrategy[str]:
    """Anything at all, and pieces that mean something to parsers in any order."""
    pieces = [*NOISE, *TRAPS, *answers, *(f"[{answer}]" for answer in answers), "\n", " or ", "\\text{", "> ", '"']
    made_of_pieces = st.lists(st.sampled_from(pieces), max_size=6).map("".join)
    brackets = st.text(alphabet='[]{}\\boxed>"“” \n.,:$-0123456789ab', max_size=30)
    framed = st.builds("{}[{}]{}".format, st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
    return st.one_of(st.text(max_size=40), made_of_pieces, brackets, framed)


def hear(state: State, seat: Seat, answers: list[str], *, key: int, examples: int) -> tuple[int, list[str]]:
    """Let hypothesis talk in one position. Returns how much was said, and the first fault."""
    said = 0

    @seed(key)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(replies(answers), min_size=EXAMPLE, max_size=EXAMPLE))
    def listen(texts: list[str]) -> None:
        nonlocal said
        for text in texts:
            said += 1
            faults = [*reply_faults(state, seat, Reply(text=text), answers), *usable(state, seat, text)]
            assert not faults, faults[0]

    before = snapshot(state)
    faults = []
    try:
        listen()
    except Exception as error:  # noqa: BLE001 - a crash is what is looked for
        faults.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
    if snapshot(state) != before:
        faults.append("parsing hostile replies changed the state")
    return said, faults


def by_hypothesis(task: Task) -> tuple[int, list[str]]:
    """Say the replies of one task in several positions."""
    said, faults = 0, []
    found = positions(task.game, task.seed)
    number = 0
    while said < task.count and not faults:
        state, seat, answers = found[number % len(found)]
        examples = min(-(-task.count // EXAMPLE // len(found)), -(-(task.count - said) // EXAMPLE))
        more, new = hear(state, seat, answers, key=1000 * task.seed + number, examples=examples)
        said += more
        faults += new
        number += 1
    return said, faults


def work(task: Task) -> tuple[int, list[str]]:
    """Say the replies of one task. Returns how many, and the faults."""
    if task.maker == "hypothesis":
        said, faults = by_hypothesis(task)
        return said, [f"{task.game}: {fault}" for fault in faults]
    first = task.seed * 1_000_000
    seeds = range(first, first - (-task.count // PER_POSITION))
    faults = [f"{task.game} (seed {n}): {fault}" for n, fault in hostile_replies(get_game(task.game), seeds)]
    return len(seeds) * PER_POSITION, faults


def main() -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description="Hostile replies over all parsers.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--strings", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int)
    given_args = parser.parse_args()
    games = given_args.games or [*sorted(WRITTEN), *sorted(VARIANTS)]
    chunk = 5_000
    share = -(-given_args.strings // (2 * len(games)))
    tasks = [
        Task(game, maker, 1 + first // chunk, min(chunk, share - first))
        for first in range(0, share, chunk)
        for game in games
        for maker in ("corpus", "hypothesis")
    ]
    begun, said, faults = time.monotonic(), {"corpus": 0, "hypothesis": 0}, []
    for number, done in enumerate(run_all(work, tasks, processes=given_args.processes), start=1):
        count, found = done.result if done.result is not None else (0, [f"{done.item}: {done.error}"])
        said[done.item.maker] += count
        faults += found
        if number % 20 == 0 or number == len(tasks):
            left = (time.monotonic() - begun) / number * (len(tasks) - number)
            sys.stderr.write(f"{sum(said.values()):,} said, {len(faults)} faults, {left:.0f} s to go\n")
    for fault in faults[:50]:
        print(fault)
    print(
        f"{sum(said.values()):,} hostile replies to {len(games)} games ({said['corpus']:,} from the corpus, "
        f"{said['hypothesis']:,} by hypothesis) in {time.monotonic() - begun:.0f} s: {len(faults)} faults."
    )
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
