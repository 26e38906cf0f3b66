from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from selfplay_helpers import LEARNER, kuhn_config, record, reply

from arena.types import Ended, Fault, MatchSpec
from games import Issue, get_game
from selfplay.config import OpponentConfig, SelfPlayConfig, TrainedGame
from selfplay.league import pfsp_weights
from selfplay.metrics import PlayedMatch
from selfplay.opponents import learner_name, update_specs
from selfplay.payoff import PayoffMatrix, seat_score

PAST = ["run@000002", "run@000004", "run@000006"]


def specs(config: SelfPlayConfig, update: int, past: list[str]) -> list[MatchSpec]:
    return update_specs(config, "run", update, past)


def test_against_itself_the_learner_holds_every_seat() -> None:
    made = specs(kuhn_config("pocket", matches=10), 3, [])
    assert [spec.players for spec in made] == [("run@000003+live",) * 2] * 10
    assert len({spec.seed for spec in made}) == 10
    assert len({spec.match_key for spec in made}) == 10


def test_a_mixture_has_even_seats_its_shares_and_every_snapshot() -> None:
    config = kuhn_config("pocket", matches=20, opponents=OpponentConfig(latest=1.0, past=1.0))
    seats: Counter[tuple[str, int]] = Counter()
    mirror = past = 0
    for update in range(200):
        made = specs(config, update, PAST)
        assert len(made) == 20
        learner = learner_name("run", update)
        for spec in made:
            if set(spec.players) == {learner}:
                mirror += 1
                continue
            past += 1
            (seat,) = (s for s, name in enumerate(spec.players) if name == learner)
            (opponent,) = (name for name in spec.players if name != learner)
            seats[opponent, seat] += 1
        pairs = Counter(spec.pair for spec in made if set(spec.players) != {learner})
        assert set(pairs.values()) == {2}
        for pair in pairs:
            one, two = (spec for spec in made if spec.pair == pair)
            assert (one.seed, one.players) == (two.seed, two.players[::-1])
    assert past / (past + mirror) == 0.5
    for name in PAST:
        assert seats[name, 0] == seats[name, 1]  # exactly
        assert 550 < seats[name, 0] + seats[name, 1] < 790  # of 2000, uniform over three


def test_an_uneven_share_holds_on_average() -> None:
    config = kuhn_config("pocket", matches=9, opponents=OpponentConfig(latest=0.7, past=0.3))
    past = sum(len(set(spec.players)) == 2 for update in range(400) for spec in specs(config, update, PAST))
    assert abs(past / 3600 - 0.3) < 0.03


def test_specs_depend_on_seed_and_update_alone() -> None:
    config = kuhn_config("pocket", opponents=OpponentConfig(past=1.0))
    assert specs(config, 5, PAST) == specs(config, 5, list(PAST))
    keys = {spec.match_key for spec in specs(config, 5, PAST)}
    assert keys.isdisjoint(spec.match_key for spec in specs(config, 6, PAST))
    other = kuhn_config("pocket", opponents=OpponentConfig(past=1.0), seed=1)
    assert {s.seed for s in specs(config, 5, PAST)}.isdisjoint(s.seed for s in specs(other, 5, PAST))


def test_games_share_the_matches_by_weight() -> None:
    config = kuhn_config(
        "pocket",
        matches=10,
        games=[TrainedGame(id="kuhn_poker", weight=2), TrainedGame(id="tic_tac_toe"), TrainedGame(id="openspiel/hex",
               params={"board_size": 3})],
    )  # fmt: skip
    assert config.shares() == [5, 3, 2]
    made = specs(config, 0, [])
    assert Counter(spec.game for spec in made) == {"kuhn_poker": 5, "tic_tac_toe": 3, "openspiel/hex": 2}
    assert next(spec.params for spec in made if spec.game == "openspiel/hex")["board_size"] == 3


def test_three_seats_rotate() -> None:
    config = kuhn_config(
        "pocket",
        matches=7,
        games=[TrainedGame(id="kuhn_poker", params={"players": 3})],
        opponents=OpponentConfig(latest=0.0, past=1.0),
    )
    made = specs(config, 1, ["run@000001"])
    learner = learner_name("run", 1)
    kinds = Counter(spec.players.count(learner) for spec in made)
    assert kinds == {1: 6, 3: 1}  # two deals from each of three seats; the match left over is against itself
    assert Counter(spec.players.index(learner) for spec in made if spec.players.count(learner) == 1) == {
        0: 2,
        1: 2,
        2: 2,
    }


def opponents_of(config: SelfPlayConfig, update: int, past: list[str], payoff: PayoffMatrix | None = None) -> list[str]:
    learner = learner_name("run", update)
    made = update_specs(config, "run", update, past, payoff)
    return [next((name for name in spec.players if name != learner), "itself") for spec in made]


def test_every_kind_of_opponent_gets_its_share() -> None:
    config = kuhn_config(
        "pocket",
        matches=20,
        opponents=OpponentConfig(latest=1.0, past=1.0, recent=2.0, window=1, fixed={"random": 1.0, "base": 0.0}),
    )
    met: Counter[str] = Counter()
    for update in range(200):
        met.update(opponents_of(config, update, PAST))
    assert met["itself"] == pytest.approx(800, abs=40)
    assert met["random"] == pytest.approx(800, abs=40)
    assert met["run@000006"] == pytest.approx(
        1600 + 800 / 3, abs=80
    )  # the one recent snapshot, and a third of all past
    assert "base" not in met
    early: Counter[str] = Counter()
    for update in range(200):
        early.update(opponents_of(config, update, []))
    assert early["itself"] == pytest.approx(3200, abs=40)  # no snapshots yet: their share is the learner's own
    assert early["random"] == pytest.approx(800, abs=40)


def test_repeats_play_the_same_deal_with_the_same_players() -> None:
    config = kuhn_config("pocket", matches=22, repeats=4, opponents=OpponentConfig(latest=1.0, past=1.0))
    made = update_specs(config, "run", 3, PAST)
    assert len(made) == 22
    assert len({spec.match_key for spec in made}) == 22
    assert len({spec.stream for spec in made}) == 22  # the same deal, but not the same replies
    deals = Counter((spec.seed, spec.players) for spec in made)
    assert set(deals.values()) <= {4, 2}  # 22 = 8 against a snapshot, 12 + 2 left over against itself
    assert sum(times == 2 for times in deals.values()) <= 1


def played(
    seats: tuple[str, str], returns: tuple[float, float], game: str = "kuhn_poker", **changes: Any
) -> PlayedMatch:
    loaded = get_game(game)
    made = record([(0, [reply([1], [2])])], players=seats, returns=returns, **changes)
    return PlayedMatch(
        record=made, game=loaded, advantages=(0.0, 0.0), learner=tuple(name == LEARNER for name in seats)
    )


def test_the_payoff_matrix_is_balanced_over_seats_and_ignores_matches_against_oneself() -> None:
    payoff = PayoffMatrix()
    payoff.add([played((LEARNER, LEARNER), (1.0, -1.0))])
    assert payoff.state_dict() == {"games": {}}
    payoff.add([played((LEARNER, "a"), (1.0, -1.0))] * 8 + [played(("a", LEARNER), (1.0, -1.0))] * 2)
    assert payoff.score("kuhn_poker", "a") == pytest.approx(((8 + 0.5) / 9 + 0.5 / 3) / 2)  # not 8 of 10
    assert payoff.score("kuhn_poker", "b") == 0.5
    assert payoff.score("tic_tac_toe", "a") == 0.5
    payoff.name_row("run@000002")
    payoff.add([played((LEARNER, "a"), (-1.0, 1.0))] * 100)
    assert payoff.score("kuhn_poker", "a", "run@000002") == pytest.approx(((8 + 0.5) / 9 + 0.5 / 3) / 2)
    assert payoff.score("kuhn_poker", "a") < 0.2
    copy = PayoffMatrix()
    copy.load_state_dict(json.loads(json.dumps(payoff.state_dict())))
    assert copy.table("kuhn_poker") == payoff.table("kuhn_poker")


def test_old_payoffs_fade() -> None:
    payoff = PayoffMatrix(memory=0.5)
    payoff.add([played((LEARNER, "a"), (1.0, -1.0))] * 4)
    payoff.add([played((LEARNER, "a"), (-1.0, 1.0))] * 2)
    assert payoff.score("kuhn_poker", "a") == pytest.approx((2 + 1) / (2 + 2 + 2))


def test_scores_of_forfeits_and_of_games_that_are_no_contest() -> None:
    fault = Fault(seat=0, issue=Issue.ILLEGAL)
    lost = played((LEARNER, "a"), (-2.0, -2.0), ended=Ended.FORFEIT, fault=fault, outcome="forfeit")
    assert [seat_score(lost.record, lost.game, seat) for seat in (0, 1)] == [0.0, 1.0]
    dilemma = get_game("iterated_prisoners_dilemma")
    assert dilemma.spec.utility.value == "general_sum"
    both = played((LEARNER, "a"), (dilemma.spec.max_return, dilemma.spec.max_return), "iterated_prisoners_dilemma")
    assert [seat_score(both.record, both.game, seat) for seat in (0, 1)] == [1.0, 1.0]  # nobody wins, both do well


@pytest.mark.parametrize(("weighting", "expected"), [("hard", [0.81, 0.25, 0.01]), ("even", [0.09, 0.25, 0.09])])
def test_pfsp_weights(weighting: str, expected: list[float]) -> None:
    assert pfsp_weights([0.1, 0.5, 0.9], weighting, 2.0) == pytest.approx(expected)
    assert pfsp_weights([1.0, 1.0], weighting, 2.0) == [1.0, 1.0]


def test_pfsp_meets_whoever_beats_the_learner() -> None:
    payoff = PayoffMatrix()
    for name, returns in zip(PAST, ((-1.0, 1.0), (1.0, -1.0), (1.0, -1.0)), strict=True):
        payoff.add([played((LEARNER, name), returns)] * 50)
    hard = kuhn_config("pocket", matches=20, opponents=OpponentConfig(latest=0.0, pfsp=1.0))
    met: Counter[str] = Counter()
    for update in range(50):
        met.update(opponents_of(hard, update, PAST, payoff))
    assert met["run@000002"] > 900  # of 1000
    even = kuhn_config("pocket", matches=20, opponents=OpponentConfig(latest=0.0, pfsp=1.0, pfsp_weighting="even"))
    met = Counter()
    for update in range(50):
        met.update(opponents_of(even, update, PAST, payoff))
    assert all(250 < met[name] < 420 for name in PAST)
