"""Counting, intervals and tables: every match once, forfeits apart, voids owed, pairs kept together."""

from __future__ import annotations

import asyncio
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student_t

from arena.bootstrap import WDL, Interval, Sums, mean_interval, resample, score_interval, student, wilson
from arena.errors import RecordError
from arena.jsonl import JsonLog
from arena.pairing import round_robin
from arena.players.factory import PlayerFactory
from arena.records import record_to_json
from arena.results import MatchResult, read_results, result_from_json, result_of
from arena.runner import run_matches
from arena.standings import Tally, compute_standings, read_standings
from arena.types import Ended, Fault, MatchRecord, MatchSpec
from games import Issue, get_game

NUMBER = iter(range(10**9))


def result(players: str, returns: tuple[float, ...], *, pair: str = "", game: str = "g", **rest: Any) -> MatchResult:
    ended = rest.pop("ended", Ended.FORFEIT if "fault" in rest else Ended.TERMINAL)
    return MatchResult(
        key=f"{next(NUMBER):016x}",
        game=game,
        params=rest.pop("params", ()),
        players=tuple(players),
        pair=pair,
        returns=returns,
        ended=ended,
        **rest,
    )


def pair(players: str, first: float, second: float, name: str, **rest: Any) -> list[MatchResult]:
    """Two matches on one deal; `first` and `second` are player 0's returns in each seat."""
    a, b = players
    return [
        result(a + b, (first, -first), pair=name, **rest),
        result(b + a, (-second, second), pair=name, **rest),
    ]


MIXED = [
    *pair("ab", 1, 1, "ab/0"),
    *pair("ab", 1, -1, "ab/1"),
    *pair("ab", 0, 1, "ab/2"),
    *pair("ab", 2, 0, "ab/3"),
    *pair("ac", 1, 0, "ac/0"),
    *pair("bc", 1, -1, "bc/0"),
]


def test_rows_and_pairings_by_hand() -> None:
    table = compute_standings(MIXED, bootstrap=50).table("g")
    rows = {row.player: row for row in table.rows}
    assert rows["a"].wdl == (6, 3, 1)
    assert rows["a"].by_seat == (WDL(4, 1, 0), WDL(2, 2, 1))
    assert rows["a"].score == (6 + 1.5) / 10
    assert rows["a"].mean_return == pytest.approx((2 + 0 + 1 + 2 + 1) / 10)
    assert rows["c"].wdl == (1, 1, 2)
    assert sum(row.matches for row in table.rows) == 2 * len(MIXED)
    assert sum(row.wdl.wins for row in table.rows) == sum(row.wdl.losses for row in table.rows)
    ab = table.pairing("a", "b")
    assert (ab.wdl, ab.pairs, ab.by_seat) == (WDL(5, 2, 1), 4, (WDL(3, 1, 0), WDL(2, 1, 1)))
    assert ab.score == 0.75
    assert ab.mean_returns == (0.625, -0.625)
    ba = table.pairing("b", "a")
    assert (ba.wdl, ba.by_seat, ba.score) == (WDL(1, 2, 5), (WDL(1, 1, 2), WDL(0, 1, 3)), 0.25)
    assert ba.interval == Interval(1 - ab.interval.high, 1 - ab.interval.low)  # type: ignore[union-attr]
    assert ba.mean_returns == (-0.625, 0.625)
    assert ba.return_intervals == ab.return_intervals[::-1]  # type: ignore[index]
    assert ba.swapped() == ab
    assert [row.player for row in table.rows] == ["a", "c", "b"]  # c met the strong a less often than b did
    with pytest.raises(KeyError, match="x and a did not meet at g"):
        table.pairing("x", "a")


def test_whole_pairs_are_compared_by_the_returns_over_the_deal() -> None:
    results = [
        *pair("ab", 2, -1, "0"),  # one match each, but the larger one is a's
        *pair("ab", 1, -1, "1"),
        *pair("ab", -2, 1, "2"),
        *pair("ab", 0.1 + 0.2, -0.3, "3"),  # equal but for rounding
        *pair("ab", 0, 1, "4"),
    ]
    made = compute_standings(results, bootstrap=400).table("g").pairing("a", "b")
    assert (made.wdl, made.score) == (WDL(5, 1, 4), 0.55)
    assert (made.pair_wdl, made.pair_score) == (WDL(2, 2, 1), 0.6)
    assert made.pair_interval is not None
    assert made.pair_interval.low < 0.6 < made.pair_interval.high
    back = made.swapped()
    assert (back.pair_wdl, back.pair_score) == (WDL(1, 2, 2), 0.4)
    assert back.pair_interval == made.pair_interval.mirrored()


def test_a_pair_with_a_forfeit_that_costs_both_the_same_is_not_split() -> None:
    results = [
        result("ab", (-1.0, -1.0), pair="0", fault=Fault(seat=1, issue=Issue.ILLEGAL)),
        result("ba", (0.0, 0.0), pair="0"),
    ]
    assert compute_standings(results, bootstrap=10).table("g").pairing("a", "b").pair_wdl == (1, 0, 0)


def test_the_kuhn_equilibrium_beats_random_play_by_pairs_and_chips_though_not_by_hands() -> None:
    specs = list(round_robin(["solver", "random"], [get_game("kuhn_poker")], pairs=1500, seed=3))

    async def collect() -> list[MatchResult]:
        return [result_of(record) async for record in run_matches(specs, PlayerFactory())]

    made = compute_standings(asyncio.run(collect()), bootstrap=200).table("kuhn_poker").pairing("solver", "random")
    assert made.score is not None
    assert made.score < 0.52
    assert made.pair_interval is not None
    assert made.pair_interval.low > 0.6
    assert made.return_intervals is not None
    assert made.return_intervals[0].low > 0.08


def test_a_pairing_that_forfeits_decide_is_remarked_on() -> None:
    fault = Fault(seat=0, issue=Issue.ILLEGAL)
    results = [result("ab", (-1.0, 1.0), fault=fault), *(result("ab", (1.0, -1.0)) for _ in range(4))]
    table = compute_standings(results, bootstrap=10).table("g")
    assert table.pairing("a", "b").forfeit_share == 0.2
    assert "a against b: 20% of the matches were decided by forfeit, not by play." in table.notes
    assert compute_standings([*results, result("ab", (1.0, -1.0))], bootstrap=10).table("g").notes == ()


def test_overall_adds_the_games_up_each_match_once() -> None:
    results = [*MIXED, *pair("ab", -1, -1, "ab/0", game="h")]
    standings = compute_standings(results, bootstrap=20)
    rows = {row.player: row for row in standings.overall}
    assert standings.matches == 14
    assert rows["a"].wdl == (6, 3, 3)
    assert rows["a"].score == (6 + 1.5) / 12
    assert (rows["a"].mean_return, rows["a"].by_seat) == (None, ())
    assert [table.label for table in standings.games] == ["g", "h"]
    with pytest.raises(KeyError, match="no z in g, h"):
        standings.table("z")


def test_nothing_depends_on_order_of_matches() -> None:
    base = compute_standings(MIXED, bootstrap=100, seed=3).to_json()
    for seed in range(5):
        shuffled = MIXED[:]
        random.Random(f"{seed}").shuffle(shuffled)
        assert compute_standings(shuffled, bootstrap=100, seed=3).to_json() == base


def test_names_change_no_rating() -> None:
    renamed = [
        MatchResult(**{**_fields(r), "players": tuple({"a": "z", "b": "m", "c": "b"}[p] for p in r.players)})
        for r in MIXED
    ]
    one = {row.player: row.rating.points for row in compute_standings(MIXED, bootstrap=10).overall if row.rating}
    two = {row.player: row.rating.points for row in compute_standings(renamed, bootstrap=10).overall if row.rating}
    assert [two["z"], two["m"], two["b"]] == pytest.approx([one["a"], one["b"], one["c"]], abs=1e-9)
    assert sum(one.values()) == pytest.approx(0, abs=1e-9)


def _fields(made: MatchResult) -> dict[str, Any]:
    return {name: getattr(made, name) for name in MatchResult.__slots__}


def test_a_forfeit_is_a_loss_and_stands_in_a_column_of_its_own() -> None:
    results = [
        result("ab", (-1.0, 1.0), fault=Fault(seat=0, issue=Issue.ILLEGAL)),
        result("ab", (-1.0, 1.0), fault=Fault(seat=0, issue=Issue.NO_ANSWER)),
        result("ba", (-1.0, 1.0), fault=Fault(seat=0, issue=Issue.ILLEGAL)),
        result("ba", (1.0, -1.0)),
    ]
    table = compute_standings(results, bootstrap=10).table("g")
    rows = {row.player: row for row in table.rows}
    assert (rows["a"].forfeits, rows["a"].forfeit_kinds) == (2, {"illegal": 1, "no_answer": 1})
    assert (rows["b"].forfeits, rows["b"].forfeit_kinds) == (1, {"illegal": 1})
    assert rows["a"].wdl == (1, 0, 3)
    assert table.pairing("a", "b").forfeits == (2, 1)
    assert table.pairing("b", "a").forfeits == (1, 2)


def test_a_forfeit_that_costs_everybody_the_same_is_no_draw() -> None:
    """In games of mixed motives the rules may pay all seats their worst return."""
    one = result("ab", (-1.0, -1.0), fault=Fault(seat=1, issue=Issue.TRUNCATED))
    assert (one.place(0), one.place(1)) == (1, -1)
    three = result("abc", (-1.0, -1.0, -1.0), fault=Fault(seat=1, issue=Issue.TRUNCATED))
    assert [three.place(seat) for seat in range(3)] == [0, -1, 0]
    assert [three.comparison(0, other) for other in (1, 2)] == [1, 0]


def test_a_void_match_counts_for_nobody_and_is_owed() -> None:
    results = [*pair("ab", 1, 1, "0"), result("ab", (), ended=Ended.VOID, error="OSError: gone")]
    standings = compute_standings(results, bootstrap=10)
    assert (standings.matches, standings.owed, standings.errors) == (2, 1, {"OSError: gone": 1})
    row = standings.table("g").rows[0]
    assert (row.player, row.matches, row.void) == ("a", 2, 1)
    assert standings.table("g").pairing("a", "b").void == 1


def test_players_with_nothing_but_void_matches_are_listed_unrated() -> None:
    standings = compute_standings([result("ab", (), ended=Ended.VOID)], bootstrap=10)
    for row in (*standings.table("g").rows, *standings.overall):
        assert (row.matches, row.score, row.interval, row.rating, row.mean_return) == (0, None, None, None, None)
    assert standings.table("g").pairing("b", "a").score is None
    assert standings.errors == {"unknown": 1}
    assert math.isnan(WDL().score)


def test_a_match_against_oneself_is_not_rated() -> None:
    standings = compute_standings([*MIXED, result("aa", (1.0, -1.0))], bootstrap=10)
    assert standings.matches == len(MIXED)
    assert not result("aa", (1.0, -1.0)).rated
    assert result("ab", (1.0, -1.0)).rated
    assert not result("ab", (), ended=Ended.VOID).rated


def test_matches_stopped_by_their_limit_are_counted() -> None:
    standings = compute_standings([result("ab", (0.0, 0.0), ended=Ended.TURN_LIMIT)], bootstrap=10)
    assert [(row.stopped, row.wdl.draws) for row in standings.overall] == [(1, 1), (1, 1)]


def test_incomplete_pairs_count_as_they_are_and_a_tally_can_go_on() -> None:
    tally = Tally()
    first, second = pair("ab", 1, 1, "0")
    tally.add(first)
    assert compute_standings(tally, bootstrap=10).table("g").pairing("a", "b").wdl == (1, 0, 0)
    tally.add(second)
    made = compute_standings(tally, bootstrap=10).table("g").pairing("a", "b")
    assert (made.wdl, made.pairs) == (WDL(2, 0, 0), 1)


def test_three_seats_compare_everybody_and_a_match_weighs_one() -> None:
    seats = ["abc", "bca", "cab"]
    results = []
    for number in range(20):
        for players in seats:
            returns = tuple({"a": 2.0, "b": -1.0, "c": -1.0}[p] for p in players)
            results.append(result(players, returns, pair=f"{number}"))
    table = compute_standings(results, bootstrap=20).table("g")
    rows = {row.player: row for row in table.rows}
    assert rows["a"].wdl == (60, 0, 0)
    assert rows["b"].wdl == (0, 0, 60)
    assert (rows["a"].score, rows["b"].score) == (1.0, 0.25)
    assert rows["b"].return_interval is None
    assert table.pairing("b", "c").wdl == (0, 60, 0)
    assert table.pairing("c", "b").by_seat == table.pairing("b", "c").by_seat
    assert rows["b"].rating.points == pytest.approx(rows["c"].rating.points)  # type: ignore[union-attr]


def team(players: str, wolves: str, won: str, **rest: Any) -> MatchResult:
    """A match of two teams: the named players are wolves, all others villagers."""
    roles = tuple("wolf" if player in wolves else "villager" for player in players)
    returns = tuple(1.0 if (role == "wolf") == (won == "wolves") else -1.0 for role in roles)
    return result(players, returns, roles=roles, outcome=won, **rest)


def test_a_team_wins_together_and_is_not_compared_with_itself() -> None:
    one = team("abcd", "a", "villagers")
    assert [one.place(seat) for seat in range(4)] == [-1, 1, 1, 1]
    assert (one.between("b", "a"), one.between("a", "b"), one.between("b", "c")) == (1, -1, None)
    results = [team(players, "a", "villagers", pair="0") for players in ("abcd", "bcda", "cdab", "dabc")]
    results += [team(players, "b", "wolves", pair="1") for players in ("abcd", "bcda", "cdab", "dabc")]
    table = compute_standings(results, bootstrap=20).table("g")
    rows = {row.player: row for row in table.rows}
    assert rows["b"].wdl == (8, 0, 0)
    assert (rows["a"].wdl, rows["c"].wdl) == ((0, 0, 8), (4, 0, 4))
    assert rows["c"].by_role == {"villager": WDL(4, 0, 4)}
    assert table.pairing("b", "a").wdl == (8, 0, 0)
    assert (table.pairing("a", "c").wdl, table.pairing("c", "d").wdl) == (WDL(0, 0, 4), WDL())
    assert table.pairing("c", "d").score is None
    assert rows["c"].rating.points == pytest.approx(rows["d"].rating.points)  # type: ignore[union-attr]
    assert table.roles["wolf"].wdl == (4, 0, 4)
    assert (table.roles["villager"].wdl, table.roles["villager"].mean_return) == (WDL(4, 0, 4), 0.0)


def test_a_forfeit_is_lost_by_the_whole_team_and_by_nobody_more_than_its_own_seat() -> None:
    fault = Fault(seat=0, issue=Issue.NO_ANSWER)
    one = result("abcd", (-1.0, -1.0, 1.0, 1.0), fault=fault, roles=("wolf", "wolf", "seer", "villager"))
    assert [one.place(seat) for seat in range(4)] == [-1, -1, 1, 1]
    assert (one.between("b", "a"), one.between("b", "c"), one.between("c", "d")) == (1, -1, None)
    alone = result("abc", (-1.0, 1.0, 1.0), fault=fault, roles=("wolf", "seer", "villager"))
    assert [alone.place(seat) for seat in range(3)] == [-1, 1, 1]


def test_two_players_that_hold_a_team_each_are_compared_as_two() -> None:
    results = [
        team("abbb", "a", "wolves", pair="0"),
        team("baaa", "b", "villagers", pair="0"),
        team("babb", "a", "villagers", pair="1"),
    ]
    standings = compute_standings(results, bootstrap=10)
    table = standings.table("g")
    rows = {row.player: row for row in table.rows}
    assert (rows["a"].wdl, rows["b"].wdl) == (WDL(2, 0, 1), WDL(1, 0, 2))
    assert rows["a"].by_role == {"villager": WDL(1, 0, 0), "wolf": WDL(1, 0, 1)}
    assert (rows["a"].mean_return, table.pairing("a", "b").pairs) == (1 / 3, 2)
    assert table.pairing("a", "b").pair_wdl == (1, 0, 1)
    forfeit = result("abbb", (1.0, -1.0, -1.0, -1.0), fault=Fault(seat=2, issue=Issue.ILLEGAL))
    assert (forfeit.rank("a"), forfeit.rank("b")) == (1, -1)
    assert compute_standings([forfeit], bootstrap=10).table("g").pairing("a", "b").forfeits == (0, 1)
    assert all(one.rated for one in (*results, forfeit))


def test_payoffs_welfare_and_agreement_are_averaged() -> None:
    def deal(first: float, second: float, agreed: float) -> MatchResult:
        measures = (("agreement", agreed), ("payoff/0", first), ("payoff/1", second))
        return result("ab", (first, second), measures=measures)

    stopped = result("ab", (0.0, 0.0), ended=Ended.TURN_LIMIT)
    table = compute_standings([deal(8, 6, 1), deal(0, 0, 0), deal(4, 6, 1), stopped], bootstrap=10).table("g")
    assert table.measures == pytest.approx({"agreement": 2 / 3, "payoff/0": 4, "payoff/1": 4, "welfare": 8})
    assert table.roles == {}


def test_groups_that_never_met_are_not_put_on_one_scale() -> None:
    results = [*pair("ab", 1, -1, "0"), *pair("ab", 1, 1, "1"), *pair("cd", 1, 0, "0"), *pair("cd", 0, -1, "1")]
    standings = compute_standings(results, bootstrap=10)
    rows = {row.player: row for row in standings.overall}
    assert [rows[name].rating.group for name in "abcd"] == [0, 0, 1, 1]  # type: ignore[union-attr]
    for group in ("ab", "cd"):
        assert sum(rows[name].rating.points for name in group) == pytest.approx(0, abs=1e-9)  # type: ignore[union-attr]
    assert standings.notes == ("Ratings are not comparable between groups that never met: a, b; c, d.",)


def test_the_unbeaten_and_the_winless_are_named() -> None:
    standings = compute_standings([*pair("ab", 1, 1, "0"), *pair("bc", 1, 1, "0")], bootstrap=10)
    rows = {row.player: row for row in standings.overall}
    assert [rows[name].rating.note for name in "abc"] == ["unbeaten", "", "winless"]  # type: ignore[union-attr]
    assert "a: unbeaten, so the rating is held finite by the ridge alone." in standings.notes
    assert "c: winless, so the rating is held finite by the ridge alone." in standings.notes


def test_one_game_under_several_parameters_has_several_tables() -> None:
    results = [*pair("ab", 1, 1, "0", params=(("n", 1),)), *pair("ab", 1, 1, "0", params=(("n", 2),))]
    assert [table.label for table in compute_standings(results, bootstrap=10).games] == ["g(n=1)", "g(n=2)"]


def test_no_results_make_empty_standings() -> None:
    standings = compute_standings([], bootstrap=10)
    assert (standings.matches, standings.games, standings.overall) == (0, (), ())


def test_standings_are_plain_json() -> None:
    obj = compute_standings(MIXED, bootstrap=10, skipped=[{"game": "g", "player": "x", "reason": "no"}]).to_json()
    assert json.loads(json.dumps(obj, allow_nan=False)) == obj
    assert next(iter(obj)) == "schema"
    assert obj["games"][0]["rows"][0]["wdl"] == {"wins": 6, "draws": 3, "losses": 1}
    assert set(obj["games"][0]["rows"][0]["rating"]["interval"]) == {"low", "high"}
    assert obj["skipped"] == [{"game": "g", "player": "x", "reason": "no"}]


# --- intervals -----------------------------------------------------------------------------------------------------


def test_pairs_are_resampled_whole() -> None:
    """Pairs that always split one to one leave no doubt about the score; single matches would."""
    samples = resample({WDL(1, 0, 1): 40}, 200, 0)
    assert (samples == [40, 0, 40]).all()
    mixed = resample({WDL(2, 0, 0): 30, WDL(0, 0, 2): 10}, 4000, 0)
    assert set(mixed[:, 0] % 2) == {0.0}
    assert (mixed.sum(axis=1) == 80).all()
    shares = mixed[:, 0] / 80
    assert shares.mean() == pytest.approx(0.75, abs=0.005)
    assert shares.std() == pytest.approx(math.sqrt(0.75 * 0.25 / 40), rel=0.05)
    assert (
        resample({WDL(2, 0, 0): 3, WDL(0, 0, 2): 3}, 9, 1) == resample({WDL(0, 0, 2): 3, WDL(2, 0, 0): 3}, 9, 1)
    ).all()


def test_intervals_cover_the_truth_about_95_times_in_100() -> None:
    rng = np.random.default_rng(0)
    covered = {"score": 0, "return": 0}
    number, pairs = 400, 60
    for trial in range(number):
        luck = rng.normal(0, 2, pairs)  # the same deal helps one seat, then the other
        first = rng.normal(0.3, 1, pairs) + luck
        second = rng.normal(0.3, 1, pairs) - luck
        results = [r for i in range(pairs) for r in pair("ab", float(first[i]), float(second[i]), f"{i}")]
        found = compute_standings(results, bootstrap=200, seed=trial).table("g").pairing("a", "b")
        truth = 0.5 + math.erf(0.3 / math.sqrt(1 + 4) / math.sqrt(2)) / 2
        covered["score"] += found.interval.low <= truth <= found.interval.high  # type: ignore[union-attr]
        covered["return"] += found.return_intervals[0].low <= 0.3 <= found.return_intervals[0].high  # type: ignore[index]
    assert 0.92 <= covered["score"] / number <= 0.98
    assert 0.92 <= covered["return"] / number <= 0.98


def test_pairs_that_all_came_out_the_same_get_wilsons_interval() -> None:
    always = resample({WDL(2, 0, 0): 20}, 100, 0)
    assert score_interval(1.0, always, 20) == pytest.approx((0.8389, 1.0), abs=1e-4)
    split = resample({WDL(1, 0, 1): 20}, 100, 0)
    assert score_interval(0.5, split, 20) == pytest.approx((0.2993, 0.7007), abs=1e-4)
    assert wilson(0.0, 0) == (0.0, 1.0)


def test_mean_intervals_are_students() -> None:
    values = [1.0, 2.0, 4.0, 4.0, 9.0]
    sums = Sums()
    for value in values:
        sums = sums.plus(value)
    low, high = mean_interval([sums]) or (0, 0)
    half = student_t.ppf(0.975, 4) * np.std(values, ddof=1) / math.sqrt(5)
    assert (low, high) == pytest.approx((4 - half, 4 + half), abs=0.01 * half)
    assert mean_interval([Sums(n=3, total=3.0, squares=3.0)]) is None
    assert mean_interval([]) is None


@pytest.mark.parametrize("freedom", [3, 4, 5, 10, 30, 1000])
def test_students_quantile(freedom: int) -> None:
    assert student(freedom) == pytest.approx(student_t.ppf(0.975, freedom), rel=0.01)


def test_bootstrap_intervals_of_ratings_hold_the_truth() -> None:
    rng = np.random.default_rng(2)
    true = {"a": 150.0, "b": 0.0, "c": -150.0}
    inside = trials = 0
    for trial in range(60):
        results = []
        for players in ("ab", "ac", "bc"):
            chance = 1 / (1 + 10 ** ((true[players[1]] - true[players[0]]) / 400))
            for number in range(60):
                first, second = (1 if rng.random() < chance else -1 for _ in range(2))
                results += pair(players, first, second, f"{number}")
        for row in compute_standings(results, bootstrap=200, seed=trial).overall:
            assert row.rating is not None
            inside += row.rating.interval.low <= true[row.player] <= row.rating.interval.high
            trials += 1
    assert 0.89 <= inside / trials <= 0.99


# --- from files ----------------------------------------------------------------------------------------------------


def record(seed: int, ended: Ended, returns: tuple[float, ...]) -> MatchRecord:
    spec = MatchSpec(game="tic_tac_toe", params={"b": 1, "a": "x"}, seed=seed, players=("a", "b"), pair=f"{seed}")
    error = "OSError: gone" if ended is Ended.VOID else None
    fault = Fault(seat=0, issue=Issue.ILLEGAL) if ended is Ended.FORFEIT else None
    return MatchRecord(
        spec=spec, systems=(), turns=(), returns=returns, outcome="x", ended=ended, error=error, fault=fault
    )


def test_results_are_read_from_records_each_match_once(tmp_path: Path) -> None:
    void = record(1, Ended.VOID, ())
    played = record(1, Ended.TERMINAL, (1.0, -1.0))
    records = [
        void,
        record(2, Ended.FORFEIT, (-1.0, 1.0)),
        played,
        played,  # written twice: counts once
        void,  # a void after the match was played is nothing
        record(3, Ended.VOID, ()),
        record(3, Ended.VOID, ()),
    ]
    log = JsonLog(tmp_path / "m.jsonl")
    for made in records:
        log.append(record_to_json(made))
    log.close()
    results = list(read_results(tmp_path / "m.jsonl"))
    assert results == [result_of(records[1]), result_of(played), result_of(records[5])]
    assert results[0].params == (("a", "x"), ("b", 1))
    standings = read_standings(tmp_path / "m.jsonl", bootstrap=10)
    assert (standings.matches, standings.owed) == (2, 1)
    rows = {row.player: row for row in standings.overall}
    assert rows["a"].wdl == (1, 0, 1)


@pytest.mark.parametrize("change", [{"schema": 99}, {"fault": 3}, {"spec": {}}, {"returns": None}])
def test_what_is_no_result_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        result_from_json({**record_to_json(record(1, Ended.TERMINAL, (1.0, -1.0))), **change})
