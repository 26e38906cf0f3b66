from __future__ import annotations

import pytest
from selfplay_helpers import LEARNER, record, reply

from arena.types import Ended, Fault
from games import Issue, get_game
from selfplay.metrics import PlayedMatch, TokenStats, games_metrics, result_word, token_counts

KUHN = get_game("kuhn_poker")
PAST = "run@000001"


def played() -> list[PlayedMatch]:
    mirror = record([(0, [reply([1, 2], [3, 4])]), (1, [reply([1, 2], [3])])], returns=(1.0, -1.0))
    forfeit = record(
        [(0, [reply([1, 2], [3, 4, 5], issue=Issue.MALFORMED), reply([1, 2, 3, 4, 5], [6], issue=Issue.ILLEGAL)])],
        returns=(-2.0, 2.0),
        outcome="forfeit",
        ended=Ended.FORFEIT,
        fault=Fault(seat=0, issue=Issue.ILLEGAL),
    )
    against = record([(1, [reply([1, 2, 3, 4], [5])])], players=(PAST, LEARNER), returns=(-2.0, 2.0), outcome="p1")
    return [
        PlayedMatch(record=mirror, game=KUHN, advantages=(1.0, -1.0), learner=(True, True)),
        PlayedMatch(record=forfeit, game=KUHN, advantages=(-2.05, 0.0), learner=(True, True)),
        PlayedMatch(record=against, game=KUHN, advantages=(0.0, 2.0), learner=(False, True)),
    ]


def test_metrics_by_game_and_role() -> None:
    tokens = {("kuhn_poker", "first"): TokenStats(4.0, 2.0, 0.4, 0.04)}
    telemetry = {"baseline/kuhn_poker/first": 0.25, "baseline/kuhn_poker/second": -0.5, "baseline/other/first": 9.0}
    made = games_metrics(played(), {"tic_tac_toe": 2}, tokens, telemetry)
    assert made["tic_tac_toe"]["void"] == 2
    assert made["tic_tac_toe"]["matches"] == 0
    kuhn = made["kuhn_poker"]
    assert (kuhn["matches"], kuhn["void"]) == (3, 0)
    assert kuhn["outcomes"] == {"forfeit": 1, "p0": 1, "p1": 1}
    assert kuhn["past"] == {"matches": 1, "score": 1.0}
    first, second = kuhn["roles"]["first"], kuhn["roles"]["second"]
    assert first["seats"] == 2  # the frozen opponent's first seat is not the learner's
    assert first["mean_return"] == -0.5
    assert (first["win"], first["draw"], first["loss"]) == (0.5, 0.0, 0.5)
    assert first["invalid"] == pytest.approx(2 / 3)
    assert first["issues"] == pytest.approx({"illegal": 1 / 3, "malformed": 1 / 3})
    assert (first["forfeit"], first["forfeits"]) == (0.5, {"illegal": 0.5})
    assert first["reply_tokens"] == 2.0
    assert (first["advantage_mean"], first["advantage_std"]) == pytest.approx((-0.525, 1.525))
    assert (first["entropy"], first["kl"], first["sampler_kl"]) == pytest.approx((0.5, 0.1, 0.01))
    assert (first["baseline"], second["baseline"]) == (0.25, -0.5)
    assert (second["seats"], second["mean_return"], second["forfeit"], second["entropy"]) == (3, 1.0, 0.0, 0.0)


def test_what_an_estimator_tells_of_a_game_stands_with_the_game() -> None:
    telemetry = {"outcome_entropy/kuhn_poker": 0.5, "dominant/kuhn_poker": None, "baseline/kuhn_poker": 1.5,
                 "lambda/kuhn_poker/first": 0.25, "entropies/other": 1.0}  # fmt: skip
    kuhn = games_metrics(played(), {}, {}, telemetry)["kuhn_poker"]
    assert (kuhn["outcome_entropy"], kuhn["dominant"]) == (0.5, None)
    assert "baseline" not in kuhn
    assert (kuhn["roles"]["first"]["lambda"], kuhn["roles"]["first"]["baseline"]) == (0.25, 1.5)
    assert "lambda" not in kuhn["roles"]["second"]


def test_dealt_roles_and_the_games_own_numbers() -> None:
    """Roles belong to the match, not to the seat; what a seat got goes with the role it was dealt."""
    one, two = (
        PlayedMatch(
            record=record(
                [(0, [reply([1], [2])]), (1, [reply([1], [3])])],
                returns=returns,
                roles=roles,
                measures={"payoff/0": returns[0] * 10, "payoff/1": returns[1] * 10, "agreement": agreement},
            ),
            game=KUHN,
            advantages=(0.5, -0.5),
            learner=(True, True),
        )
        for returns, roles, agreement in (
            ((1.0, -1.0), ("wolf", "villager"), 1.0),
            ((2.0, -2.0), ("villager", "wolf"), 0.0),
        )
    )
    kuhn = games_metrics([one, two], {}, {("kuhn_poker", "wolf"): TokenStats(2.0, 1.0)}, {})["kuhn_poker"]
    assert kuhn["measures"] == {"agreement": 0.5}
    wolf, villager = kuhn["roles"]["wolf"], kuhn["roles"]["villager"]
    assert set(kuhn["roles"]) == {"wolf", "villager"}
    assert (wolf["mean_return"], villager["mean_return"]) == (-0.5, 0.5)
    assert (wolf["measures"], villager["measures"]) == ({"payoff": -5.0}, {"payoff": 5.0})
    assert (wolf["entropy"], villager["entropy"]) == (0.5, 0.0)


def test_opponents_and_the_own_past_are_told_apart() -> None:
    others = [
        PlayedMatch(
            record=record([(0, [reply([1], [2])])], players=(LEARNER, name), returns=returns),
            game=KUHN,
            advantages=(0.0, 0.0),
            learner=(True, False),
        )
        for name, returns in (("random", (1.0, -1.0)), ("other@000001", (1.0, -1.0)), (PAST, (-1.0, 1.0)))
    ]
    kuhn = games_metrics(others, {}, {}, {})["kuhn_poker"]
    assert kuhn["past"] == {"matches": 1, "score": 0.0}
    assert kuhn["opponents"] == {
        "random": {"matches": 1, "score": 1.0},
        "other@000001": {"matches": 1, "score": 1.0},
        PAST: {"matches": 1, "score": 0.0},
    }


def test_token_counts_are_the_learners_alone() -> None:
    assert token_counts(played()) == {"sampled": 8, "prompted": 2 + 2 + 2 + 5 + 4, "cached_share": 7 / 15}
    assert token_counts([]) == {"sampled": 0, "prompted": 0, "cached_share": 0.0}


@pytest.mark.parametrize(
    ("returns", "words"),
    [((1, -1), ("win", "loss")), ((0, 0), ("draw", "draw")), ((2, 2, 1), ("win", "win", "loss")), ((3,), ("draw",))],
)
def test_result_words(returns: tuple[float, ...], words: tuple[str, ...]) -> None:
    assert tuple(result_word(returns, seat) for seat in range(len(returns))) == words
