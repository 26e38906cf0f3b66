from __future__ import annotations

from collections import Counter

from selfplay_helpers import kuhn_config

from arena.types import MatchSpec
from selfplay.config import OpponentConfig, SelfPlayConfig, TrainedGame
from selfplay.opponents import learner_name, update_specs

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
