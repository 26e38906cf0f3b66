"""Who meets whom: every pairing on the same deals, every deal with the seats swapped.

A seed belongs to (tournament seed, game, parameters, pair number) and not to the players, so all pairings meet the
same deals and luck cancels in comparisons. With more than two seats the players rotate through all seats, and are
ordered anew for every deal: in rotations alone the same two would always be neighbours, or always dealt the same team.
Where fewer players than seats take part, they meet two at a time, each on one side of the table: of two dealt teams
one each, then the other.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from arena.types import MatchSpec, Sampling
from games import Game, Seat


def derive_seed(*parts: object) -> int:
    """A 48-bit seed from the content of `parts`."""
    text = json.dumps([str(part) for part in parts])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def deal_seed(seed: int, game: Game, number: int) -> int:
    """Seed of deal `number` of a game in an event; the same for every group of players."""
    return derive_seed(seed, game.spec.id, sorted(game.spec.params.items()), number)


def rotations(
    players: Sequence[str],
    game: Game,
    number: int,
    *,
    seed: int,
    show_legal: bool = True,
    retries: int = 1,
    sampling: Sampling | None = None,
    turn_limit: int | None = None,
    tag: str = "",
) -> list[MatchSpec]:
    """One deal, played once per rotation of the seats: with two players a pair with the seats, or sides, swapped.

    Every player sits in every seat equally often. The order that is rotated belongs to the deal and not to the names,
    so all groups meet in the same ones; over many deals everybody sits beside everybody, on either side.

    Args:
        players: as many different ones as the game has seats, in any order; or two, of which each takes one side.
        game: the loaded game.
        number: which deal.
        seed: of the whole event.
        show_legal: passed on to the matches.
        retries: passed on to the matches.
        sampling: passed on to the matches.
        turn_limit: passed on to the matches.
        tag: passed on to the matches.
    """
    return [
        MatchSpec(
            game=game.spec.id,
            params=game.spec.params,
            seed=deal_seed(seed, game, number),
            players=seated,
            pair=f"{game.spec.id}/{'~'.join(sorted(players))}/{number}",
            show_legal=show_legal,
            retries=retries,
            sampling=sampling or Sampling(),
            turn_limit=turn_limit,
            tag=tag,
        )
        for seated in _seatings(players, game, number, seed)
    ]


def _seatings(players: Sequence[str], game: Game, number: int, seed: int) -> list[tuple[str, ...]]:
    """Players by seat, in every match of a deal."""
    seats = game.spec.seats
    if len(set(players)) != len(players) or len(players) not in (2, seats):
        raise ValueError(f"{game.spec.id} needs {seats} different players, or two, got {list(players)}.")
    order = list(players)
    if len(order) < seats:
        first, _ = sides(game, deal_seed(seed, game, number))
        by_side = [int(seat not in first) for seat in range(seats)]
        return [tuple(order[side ^ turn] for side in by_side) for turn in range(2)]
    if seats > 2:
        random.Random(derive_seed(seed, game.spec.id, "order", number)).shuffle(order)
    return [(*order[turn:], *order[:turn]) for turn in range(seats)]


def sides(game: Game, deal: int) -> tuple[frozenset[Seat], frozenset[Seat]]:
    """The seats of a deal in two sides: the two teams, where there are two; else every other seat.

    Seats are of one team when a forfeit by either pays both the same, and the others something else.
    """
    state = game.new_state(deal)
    seats = range(game.spec.seats)
    paid = [state.forfeit_returns(seat) for seat in seats]
    teams = {frozenset(other for other in seats if paid[seat][other] == paid[seat][seat]) for seat in seats}
    if len(teams) == 2 and sum(map(len, teams)) == len(seats):
        first, second = sorted(teams, key=min)
        return first, second
    return frozenset(seats[::2]), frozenset(seats[1::2])


def table_size(players: int, seats: int) -> int:
    """How many of `players` meet at a game with `seats`; 0 where nobody can."""
    return seats if players >= seats else 2 if players >= 2 else 0


def groups(players: Sequence[str], seats: int) -> Iterator[tuple[str, ...]]:
    """Every group of different players that meet at a table, once: the pairings of a round robin."""
    size = table_size(len(players), seats)
    yield from combinations(players, size) if size else ()


def round_robin(
    players: Sequence[str],
    games: Sequence[Game],
    *,
    pairs: int,
    seed: int,
    show_legal: bool = True,
    retries: int = 1,
    sampling: Sampling | None = None,
    turn_limit: int | None = None,
    tag: str = "",
    may_play: Callable[[str, Game], bool] = lambda name, game: True,
) -> Iterator[MatchSpec]:
    """Every group of players meets at every game on the same deals, seats rotated.

    Deal by deal rather than group by group, so that a tournament cut short has compared everybody.

    Args:
        players: names, all different.
        games: loaded games.
        pairs: deals per game and group.
        seed: of the whole event.
        show_legal: passed on to the matches.
        retries: passed on to the matches.
        sampling: passed on to the matches.
        turn_limit: passed on to the matches.
        tag: passed on to the matches.
        may_play: leaves out players that cannot play a game.
    """
    tables = [
        (game, group)
        for game in games
        for group in groups([name for name in players if may_play(name, game)], game.spec.seats)
    ]
    for number in range(pairs):
        for game, group in tables:
            yield from rotations(
                group,
                game,
                number,
                seed=seed,
                show_legal=show_legal,
                retries=retries,
                sampling=sampling,
                turn_limit=turn_limit,
                tag=tag,
            )
