"""Sampling: numbers that belong to the request, and log-probabilities of what was really drawn from."""

from __future__ import annotations

import math

import pytest
import torch
from scipy.stats import chisquare, kstest

from arena.inference.sampling import draw, sampling_log_probs, uniform
from arena.types import Sampling

LOGITS = torch.log(torch.tensor([[0.5, 0.25, 0.15, 0.1]]))


def probabilities(**how) -> list[float]:
    return sampling_log_probs(LOGITS.clone(), [Sampling(**how)]).exp()[0].tolist()


def test_the_stream_is_pinned():
    """These values stand in every record that was ever sampled; they must not change."""
    assert [uniform("7/abc/0/1/0", index) for index in range(3)] == [
        0.6140599348227568,
        0.16634213027702138,
        0.6515043663044928,
    ]
    assert uniform("a", 11) != uniform("a1", 1)


def test_the_stream_is_uniform():
    values = [uniform("stream", index) for index in range(5000)]
    assert kstest(values, "uniform").pvalue > 0.01
    assert 0.0 <= min(values) < max(values) < 1.0


def test_temperature():
    assert probabilities() == pytest.approx([0.5, 0.25, 0.15, 0.1])
    squared = [p**2 for p in (0.5, 0.25, 0.15, 0.1)]
    assert probabilities(temperature=0.5) == pytest.approx([p / sum(squared) for p in squared])
    assert probabilities(temperature=0) == pytest.approx([0.5, 0.25, 0.15, 0.1])  # reported at temperature 1


def test_top_k_and_top_p_renormalise_what_is_left():
    assert probabilities(top_k=2) == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert probabilities(top_p=0.5) == pytest.approx([1, 0, 0, 0])
    assert probabilities(top_p=0.51) == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert probabilities(top_p=1e-9) == pytest.approx([1, 0, 0, 0])
    assert probabilities(top_k=1, top_p=0.9) == pytest.approx([1, 0, 0, 0])
    assert probabilities(top_k=9) == pytest.approx([0.5, 0.25, 0.15, 0.1])


def test_rows_have_their_own_settings():
    rows = sampling_log_probs(LOGITS.repeat(3, 1), [Sampling(top_k=1), Sampling(), Sampling(top_p=0.6)])
    assert rows.exp()[0].tolist() == pytest.approx([1, 0, 0, 0])
    assert rows.exp()[1].tolist() == pytest.approx([0.5, 0.25, 0.15, 0.1])
    assert rows.exp()[2].tolist() == pytest.approx([2 / 3, 1 / 3, 0, 0])


@pytest.mark.parametrize(
    ("point", "token"), [(0.0, 0), (0.4999, 0), (0.5001, 1), (0.7499, 1), (0.7501, 2), (0.9001, 3), (1 - 2**-53, 3)]
)
def test_a_draw_is_the_inverse_of_the_distribution_function(point: float, token: int):
    log_probs = sampling_log_probs(LOGITS.clone(), [Sampling()])
    assert draw(log_probs, [Sampling()], [point]).item() == token


def test_tokens_that_are_cut_off_are_never_drawn():
    how = Sampling(top_k=2)
    logits = torch.tensor([[0.0, 3.0, 2.0, -1.0]])
    log_probs = sampling_log_probs(logits, [how])
    for point in (0.0, 0.3, 0.9999, 1 - 2**-53):
        token = draw(log_probs, [how], [point]).item()
        assert token in (1, 2)
        assert math.isfinite(log_probs[0, token])


def test_frequencies_follow_the_probabilities():
    how = Sampling(temperature=1.5)
    n = 4000
    log_probs = sampling_log_probs(LOGITS.repeat(n, 1), [how] * n)
    tokens = draw(log_probs, [how] * n, [uniform(f"match {i}", 0) for i in range(n)])
    expected = log_probs[0].exp() * n
    assert chisquare(torch.bincount(tokens, minlength=4).double().numpy(), expected.numpy()).pvalue > 0.01


def test_greedy_takes_the_first_of_equals():
    logits = torch.tensor([[1.0, 3.0, 3.0]])
    how = Sampling(temperature=0)
    assert draw(sampling_log_probs(logits, [how]), [how], [0.99]).item() == 1
