"""Who meets whom: seats balanced, deals shared by all pairings, seeds independent of names and order."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.pairing import deal_seed, derive_seed, groups, rotations, round_robin, sides, table_size
from arena.types import Sampling
from games import get_game

KUHN = get_game("kuhn_poker")
KUHN3 = get_game("kuhn_poker", {"players": 3})
TTT = get_game("tic_tac_toe")
WEREWOLF = get_game("werewolf")
TWO_WOLVES = get_game("werewolf", {"players": 7, "wolves": 2})


def test_derived_seeds_are_fixed_for_ever() -> None:
    assert derive_seed(0, "kuhn_poker", [("players", 2)], 0) == 238042923456621
    assert 0 <= derive_seed("x") < 2**48
    assert derive_seed(1, 23) != derive_seed(12, 3)


def test_two_players_swap_seats_on_the_same_deal() -> None:
    first, second = rotations(["b", "a"], KUHN, 5, seed=1)
    assert (first.players, second.players) == (("b", "a"), ("a", "b"))
    assert first.seed == second.seed == deal_seed(1, KUHN, 5)
    assert first.pair == second.pair == "kuhn_poker/a~b/5"
    assert first.match_key != second.match_key


def test_three_players_rotate_through_all_seats() -> None:
    made = rotations(["a", "b", "c"], KUHN3, 0, seed=1)
    a, b, c = made[0].players
    assert {a, b, c} == {"a", "b", "c"}
    assert [spec.players for spec in made] == [(a, b, c), (b, c, a), (c, a, b)]
    assert {spec.seed for spec in made} == {deal_seed(1, KUHN3, 0)}


def test_orders_belong_to_the_deal_and_not_to_the_names() -> None:
    names = "abcdef"
    other = dict(zip(names, "uvwxyz", strict=True))
    for number in range(20):
        made = rotations(names, WEREWOLF, number, seed=1)
        renamed = rotations([other[name] for name in names], WEREWOLF, number, seed=1)
        assert [tuple(other[name] for name in spec.players) for spec in made] == [spec.players for spec in renamed]


def test_everybody_meets_everybody_on_either_side_and_in_either_team() -> None:
    """Rotations of one order alone would seat b behind a in all matches, and never a behind b."""
    deals = 400
    behind: Counter[tuple[str, str]] = Counter()
    wolves: Counter[frozenset[str]] = Counter()
    for number in range(deals):
        for spec in rotations("abcdefg", TWO_WOLVES, number, seed=0):
            behind.update(zip(spec.players, spec.players[1:], strict=False))
            roles = TWO_WOLVES.new_state(spec.seed).roles()
            wolves[frozenset(name for name, role in zip(spec.players, roles, strict=True) if role == "wolf")] += 1
    assert len(behind) == 42
    assert all(abs(count - deals) < 224 for count in behind.values())  # five standard deviations
    assert len(wolves) == 21
    assert all(abs(count - deals / 3) < 48 for count in wolves.values())


def test_every_pairing_meets_the_same_deals_whatever_the_names() -> None:
    made = list(round_robin(["a", "b", "c"], [KUHN, TTT], pairs=4, seed=9))
    by_pairing: dict[tuple[str, frozenset[str]], list[int]] = {}
    for spec in made:
        by_pairing.setdefault((spec.game, frozenset(spec.players)), []).append(spec.seed)
    assert len(by_pairing) == 6
    assert len({tuple(seeds) for (game, _), seeds in by_pairing.items() if game == "kuhn_poker"}) == 1
    others = list(round_robin(["x", "y"], [KUHN], pairs=4, seed=9))
    assert [spec.seed for spec in others] == by_pairing[("kuhn_poker", frozenset({"a", "b"}))]


def test_games_parameters_and_event_seeds_have_deals_of_their_own() -> None:
    seeds = {deal_seed(s, game, n) for s in (0, 1) for game in (KUHN, KUHN3, TTT) for n in range(10)}
    assert len(seeds) == 60


@pytest.mark.parametrize(("game", "per_group"), [(KUHN, 2), (KUHN3, 3)])
def test_everybody_sits_in_every_seat_equally_often(game: object, per_group: int) -> None:
    made = list(round_robin(["a", "b", "c", "d"], [game], pairs=5, seed=0))  # type: ignore[list-item]
    seated = Counter((name, seat) for spec in made for seat, name in enumerate(spec.players))
    assert len(set(seated.values())) == 1
    assert len(made) == 5 * per_group * len(list(groups("abcd", per_group)))
    assert len({spec.match_key for spec in made}) == len(made)


def test_deals_come_one_after_the_other_so_that_a_part_compares_everybody() -> None:
    made = list(round_robin(["a", "b", "c"], [KUHN, TTT], pairs=3, seed=0))
    first = made[: len(made) // 3]
    assert {(spec.game, frozenset(spec.players)) for spec in first} == {
        (game, frozenset(pair)) for game in ("kuhn_poker", "tic_tac_toe") for pair in ("ab", "ac", "bc")
    }


def test_players_that_do_not_play_a_game_are_left_out() -> None:
    made = round_robin(
        ["a", "b", "c"], [KUHN, TTT], pairs=1, seed=0, may_play=lambda name, game: (name, game) != ("b", KUHN)
    )
    assert Counter((spec.game, *sorted(spec.players)) for spec in made) == {
        ("kuhn_poker", "a", "c"): 2,
        ("tic_tac_toe", "a", "b"): 2,
        ("tic_tac_toe", "a", "c"): 2,
        ("tic_tac_toe", "b", "c"): 2,
    }


def test_settings_are_passed_on() -> None:
    sampling = Sampling(temperature=0.3)
    (spec, _) = rotations("ab", TTT, 0, seed=0, show_legal=False, retries=4, sampling=sampling, turn_limit=7, tag="cup")
    assert (spec.show_legal, spec.retries, spec.sampling, spec.turn_limit, spec.tag) == (False, 4, sampling, 7, "cup")


@pytest.mark.parametrize("players", [["a"], ["a", "a"], ["a", "b", "c"]])
def test_a_table_needs_as_many_different_players_as_seats(players: list[str]) -> None:
    with pytest.raises(ValueError, match="tic_tac_toe needs 2 different players"):
        rotations(players, TTT, 0, seed=0)


def test_two_players_take_the_two_teams_of_a_deal_in_turn() -> None:
    for number in range(10):
        first, second = rotations(["a", "b"], TWO_WOLVES, number, seed=3)
        assert first.seed == second.seed
        roles = TWO_WOLVES.new_state(first.seed).roles()
        for spec in (first, second):
            wolves = {name for name, role in zip(spec.players, roles, strict=True) if role == "wolf"}
            others = {name for name, role in zip(spec.players, roles, strict=True) if role != "wolf"}
            assert len(wolves) == len(others) == 1
            assert wolves != others
        assert all(one != other for one, other in zip(first.players, second.players, strict=True))


def test_two_players_share_the_seats_of_a_game_without_teams() -> None:
    assert sides(KUHN3, 1) == ({0, 2}, {1})
    first, second = rotations(["a", "b"], KUHN3, 0, seed=3)
    assert {first.players, second.players} == {("a", "b", "a"), ("b", "a", "b")}


def test_fewer_players_than_seats_meet_two_at_a_time() -> None:
    assert [table_size(players, 6) for players in (0, 1, 2, 3, 6, 7)] == [0, 0, 2, 2, 6, 6]
    made = list(round_robin(["a", "b", "c"], [WEREWOLF], pairs=2, seed=0))
    assert Counter(frozenset(spec.players) for spec in made) == {frozenset(duo): 4 for duo in ("ab", "ac", "bc")}
    assert len({spec.match_key for spec in made}) == len(made)
    assert len(list(round_robin("abcdef", [WEREWOLF], pairs=2, seed=0))) == 12
    with pytest.raises(ValueError, match="werewolf needs 6 different players, or two, got"):
        rotations(["a", "b", "c"], WEREWOLF, 0, seed=0)
