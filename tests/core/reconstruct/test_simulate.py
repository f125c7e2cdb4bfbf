"""Simulated surveys: many at once as each alone."""

from __future__ import annotations

import numpy as np
import pytest
from counted_answers import channel_of

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Ordinal, Uniform
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.reconstruct import make_grid, reconstruct_counts, simulate

PRIOR = np.array([0.4, 0.3, 0.2, 0.1, 0.0])
MATRIX = Uniform(keep=0.5).matrix(5)


@pytest.mark.parametrize(
    ("algorithm", "stop", "alone"),
    [
        ("default", "converged", {"algorithm": "default"}),
        ("eq", "converged", {"algorithm": "eq"}),
        ("em", "published", {"algorithm": "em-as", "stop": "published"}),
        ("em", 20, {"algorithm": "em-as", "stop": 20}),
        ("em", "converged", {"algorithm": "em-as", "stop": "converged"}),
    ],
)
def test_that_every_simulated_survey_is_reconstructed_as_if_alone(algorithm, stop, alone):
    runs = simulate(MATRIX, PRIOR, 400, 12, algorithm=algorithm, stop=stop, seed=4)
    answer = Attribute("answer", Kind.NOMINAL, tuple("abcde"))
    for shares, estimate in zip(runs.shares, runs.estimates, strict=True):
        counted = channel_of(MATRIX, np.rint(shares * 400), answer, Uniform(keep=0.5))
        found = reconstruct_counts(counted, **alone, confidence=None)
        np.testing.assert_allclose(estimate, found.probability, atol=2e-5)


def test_that_the_mean_of_raw_solutions_is_the_prior():
    runs = simulate(MATRIX, PRIOR, 500, 4000, algorithm="eq", seed=2)
    error = runs.raw.std(axis=0) / np.sqrt(4000)
    assert np.all(np.abs(runs.raw.mean(axis=0) - PRIOR) < 4 * error)


def test_that_losses_are_half_the_absolute_differences():
    runs = simulate(MATRIX, PRIOR, 500, 7, seed=2)
    np.testing.assert_allclose(runs.losses, 0.5 * np.abs(runs.estimates - PRIOR).sum(axis=1))
    assert runs.mean_loss == pytest.approx(runs.losses.mean())
    assert runs.mean.shape == (5,)


def test_that_the_same_respondents_vary_less():
    fresh = simulate(MATRIX, PRIOR, 500, 3000, algorithm="eq", seed=1)
    same = simulate(MATRIX, PRIOR, 500, 3000, algorithm="eq", seed=1, same_respondents=True)
    assert same.shares.sum(axis=1) == pytest.approx(1)
    assert np.all(same.raw.std(axis=0)[:4] < fresh.raw.std(axis=0)[:4])


def test_that_nothing_varies_without_distortion_among_the_same_respondents():
    runs = simulate(np.eye(5), PRIOR, 500, 10, same_respondents=True)
    np.testing.assert_allclose(runs.estimates, np.tile(PRIOR, (10, 1)))


def test_that_the_seed_decides():
    first, again, other = (simulate(MATRIX, PRIOR, 100, 5, seed=s).shares for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_that_noise_is_simulated_on_a_grid():
    number = Attribute("number", Kind.CONTINUOUS, domain=(0, 1))
    matrix = make_grid(number, Additive(noise="uniform", half_width=0.2), 10).matrix()
    prior = np.arange(10) / 45
    runs = simulate(matrix, prior, 2000, 20, algorithm="em", stop=30, seed=1)
    assert runs.raw is None
    assert runs.mean_loss < 0.15
    with pytest.raises(ParameterError, match="EQ needs as many"):
        simulate(matrix, prior, 2000, 20, algorithm="eq")


@pytest.mark.parametrize(
    "wrong",
    [{"algorithm": "as"}, {"n": 0}, {"runs": 0}, {"algorithm": "em", "stop": "auto"}],
    ids=str,
)
def test_that_impossible_simulations_are_refused(wrong):
    choice = {"n": 10, "runs": 3} | wrong
    with pytest.raises(ParameterError):
        simulate(MATRIX, PRIOR, **choice)


def test_that_losses_fall_with_the_number_of_respondents():
    matrix = Ordinal(weights=(0.6, 0.2), loop=False).matrix(5)
    losses = [simulate(matrix, PRIOR, n, 200, seed=3).mean_loss for n in (100, 1000, 10_000)]
    assert losses[0] > 2 * losses[1] > 4 * losses[2]
