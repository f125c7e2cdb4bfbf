"""Intervals cover the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from counted_answers import channel_of
from scipy import stats

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Custom, Ordinal, Retention, Uniform, Unrelated
from ppworkbench.core.reconstruct import (
    Accelerated,
    EmAs,
    Eq,
    count_column,
    reconstruct_counts,
    simulate,
)
from ppworkbench.core.reconstruct import intervals as module
from ppworkbench.core.reconstruct.channel import invert
from ppworkbench.core.reconstruct.intervals import (
    information_covariance,
    intervals,
)
from ppworkbench.core.reconstruct.worst_case import WORST_CASE
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.share_intervals import blaker

SURVEYS = 2000
N = 1000
INSIDE = np.array([0.3, 0.25, 0.2, 0.15, 0.1])
BORDER = np.array([0.5, 0.3, 0.2, 0.0, 0.0])
MATRICES = {
    "uniform": Uniform(keep=0.6),
    "ordinal": Ordinal(weights=(0.6, 0.2), loop=False),
    "unrelated": Unrelated(theta=0.5, personal=(0.1, 0.2, 0.4, 0.2, 0.1)),
}
ANSWER = Attribute("answer", Kind.NOMINAL, tuple("abcde"))
every_matrix = pytest.mark.parametrize("perturbation", MATRICES.values(), ids=MATRICES)


def channel(perturbation, counts):
    return channel_of(perturbation.matrix(5), np.asarray(counts, float), ANSWER, perturbation)


def coverage(perturbation, prior, estimator):
    """How often the intervals of an estimator hold each probability."""
    runs = simulate(perturbation.matrix(5), prior, N, SURVEYS, seed=11)
    held = np.zeros(5)
    for shares in runs.shares:
        counted = channel(perturbation, np.rint(shares * N))
        found = intervals(counted, estimator.fit(counted))
        held += (found.low <= prior) & (prior <= found.high)
    return held / SURVEYS


@pytest.mark.slow
@every_matrix
@pytest.mark.parametrize("estimator", [Eq(), Accelerated()], ids=["eq", "em"])
def test_that_95_percent_intervals_cover_in_93_to_97_percent_of_surveys(perturbation, estimator):
    share = coverage(perturbation, INSIDE, estimator)
    assert share.min() >= 0.93
    assert share.max() <= 0.97


@pytest.mark.slow
@every_matrix
@pytest.mark.parametrize("estimator", [Eq(), Accelerated()], ids=["eq", "em"])
def test_that_intervals_at_the_border_are_never_too_narrow(perturbation, estimator):
    assert coverage(perturbation, BORDER, estimator).min() >= 0.93


@every_matrix
def test_that_the_covariance_is_that_of_the_estimates(perturbation):
    runs = simulate(perturbation.matrix(5), INSIDE, N, 20_000, algorithm="eq", seed=3)
    stated = reconstruct_counts(
        channel(perturbation, perturbation.matrix(5) @ INSIDE * N), "eq"
    ).covariance
    seen = np.cov(runs.raw, rowvar=False)
    deviations = np.sqrt(np.diag(stated))
    # A sample covariance of 20,000 has a relative error of about 1 %.
    assert np.abs(seen - stated).max() < 0.05 * np.outer(deviations, deviations).max()


def test_that_eq_has_the_multinomial_covariance_through_the_inverse():
    counts = np.array([300, 250, 200, 150, 100.0])
    result = reconstruct_counts(channel(Uniform(keep=0.6), counts), "eq")
    z, inverted = counts / 1000, np.linalg.inv(Uniform(keep=0.6).matrix(5))
    stated = inverted @ (np.diag(z) - np.outer(z, z)) @ inverted.T / 999
    np.testing.assert_allclose(result.covariance, stated, atol=1e-15)
    reach = stats.norm.ppf(0.975) * np.sqrt(np.diag(stated))
    # The last interval would begin below 0; it is the exact one of 100 reports in 1,000.
    np.testing.assert_allclose(result.low[:4], result.raw[:4] - reach[:4])
    np.testing.assert_allclose(result.high[:4], result.raw[:4] + reach[:4])
    exact = (np.array(blaker(100, 1000, 0.95)) - 0.1) / 0.5
    np.testing.assert_allclose((result.low[4], result.high[4]), exact.clip(0, 1))
    assert result.interval_method.startswith(module.INVERSE)


def test_that_em_inside_the_simplex_has_the_intervals_of_eq():
    counted = channel(Uniform(keep=0.6), [300, 250, 180, 150, 120])
    em, eq = (reconstruct_counts(counted, name) for name in ("accelerated", "eq"))
    np.testing.assert_allclose(em.low, eq.low, atol=1e-6)
    np.testing.assert_allclose(em.high, eq.high, atol=1e-6)
    assert em.interval_method.startswith(module.INVERSE)


def test_that_higher_confidence_means_wider_intervals():
    counted = channel(Uniform(keep=0.6), [300, 250, 200, 150, 100])
    wide, narrow = (reconstruct_counts(counted, confidence=c) for c in (0.99, 0.5))
    assert np.all(wide.high - wide.low > narrow.high - narrow.low)


@pytest.mark.slow
def test_that_intervals_lie_in_0_to_1_and_hold_what_is_possible_of_the_estimate():
    generator = np.random.default_rng(1)
    for perturbation in MATRICES.values():
        for _ in range(50):
            counts = generator.multinomial(60, generator.dirichlet(np.full(5, 0.3)))
            for name in ("default", "eq", "accelerated"):
                found = reconstruct_counts(channel(perturbation, counts), name)
                assert found.low.min() >= 0
                assert found.high.max() <= 1
                possible = np.clip(found.estimate, 0, 1)
                assert np.all(found.low <= possible)
                assert np.all(possible <= found.high)


def test_that_what_p_hides_has_no_interval():
    hidden = Custom(
        (
            (0.8, 0.1, 0.1, 0.0, 0.0),
            (0.1, 0.8, 0.1, 0.0, 0.0),
            (0.1, 0.1, 0.8, 0.0, 0.0),
            (0.0, 0.0, 0.0, 0.5, 0.5),
            (0.0, 0.0, 0.0, 0.5, 0.5),
        )
    )
    found = reconstruct_counts(channel(hidden, [300, 250, 200, 150, 100]))
    assert found.standard_error[3:].tolist() == [np.inf, np.inf]
    assert (found.low[3:] == 0).all()
    assert (found.high[3:] == 1).all()
    assert np.isfinite(found.standard_error[:3]).all()
    assert any("singular" in warning for warning in found.warnings)


def test_that_an_early_stop_is_bootstrapped_and_says_so():
    counted = channel(Uniform(keep=0.6), [300, 250, 200, 150, 100])
    found = reconstruct_counts(counted, "em-as", stop="10")
    assert found.interval_method.startswith("bootstrap of the counts, 200 resamples with 10 iter")
    assert np.all(found.standard_error > 0)


def test_that_the_bootstrap_agrees_with_the_covariance_where_both_hold():
    counted = channel(Uniform(keep=0.8), [300, 250, 200, 150, 100])
    fit = EmAs().fit(counted)
    stated = reconstruct_counts(counted, "eq").standard_error
    covariance, _ = module.bootstrap(counted, fit, seed=1)
    seen = np.sqrt(np.diag(covariance))
    # 200 resamples give a standard deviation to about 5 %.
    np.testing.assert_allclose(seen, stated, rtol=0.25)


def noisy_numbers(n, seed):
    number = Attribute("number", Kind.CONTINUOUS, domain=(0, 1))
    noise = Additive(noise="uniform", half_width=0.2)
    x = np.random.default_rng(seed).beta(2, 4, n)
    told = noise.distort(x, number, SeededStreams(seed).stream("number"))
    return count_column(Column(number, told), number, noise, 20)


@pytest.mark.slow
def test_that_bounds_under_noise_cover_every_bin_and_hold_the_estimate():
    truth = np.diff(stats.beta(2, 4).cdf(np.linspace(0, 1, 21)))
    held = []
    for seed in range(20):
        found = reconstruct_counts(noisy_numbers(2000, seed))
        assert found.interval_method.code == WORST_CASE
        assert np.all((found.low <= found.probability) & (found.probability <= found.high))
        assert found.probability.sum() == pytest.approx(1)
        held.append((found.low <= truth) & (truth <= found.high))
    assert np.mean(held) >= 0.95
    assert np.mean(held, axis=0).min() >= 0.85


def test_that_the_information_of_a_converged_estimate_is_that_on_its_support():
    counted = noisy_numbers(5000, 1)
    found = Accelerated().fit(counted).probability
    covariance = information_covariance(counted, found)
    error, support = np.sqrt(np.diag(covariance)), found > 1e-9
    assert np.all(error[support] > 0)
    assert np.all(error[~support] == 0)
    assert abs(covariance.sum()) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["em", "accelerated", "as"])
def test_that_bounds_under_noise_do_not_depend_on_the_algorithm(algorithm):
    counted = noisy_numbers(2000, 1)
    found, smooth = reconstruct_counts(counted, algorithm), reconstruct_counts(counted)
    assert found.interval_method == smooth.interval_method
    np.testing.assert_allclose(found.low, np.minimum(smooth.low, found.probability))
    np.testing.assert_allclose(found.high, np.maximum(smooth.high, found.probability))


def test_that_a_histogram_under_retention_is_solved_with_the_multinomial_variance():
    number = Attribute("number", Kind.CONTINUOUS, domain=(0, 1))
    kept = Retention(keep=0.5)
    x = np.random.default_rng(5).beta(2, 4, 1000)
    told = kept.distort(x, number, SeededStreams(5).stream("number"))
    found = reconstruct_counts(count_column(Column(number, told), number, kept, 8))
    z = np.histogram(told, np.linspace(0, 1, 9))[0] / 1000
    np.testing.assert_allclose(found.raw, (z - 0.5 / 8) / 0.5, atol=1e-9)
    multinomial, device = z * (1 - z) / 999, 0.0625 * 0.9375 / 1000
    error = np.sqrt(np.maximum(multinomial, device)) / 0.5
    np.testing.assert_allclose(found.standard_error, error, atol=1e-9)


def test_that_weights_widen_the_intervals():
    codes = np.repeat(np.arange(5), 200)
    weights = np.tile([0.2, 1.8], 500)
    rule = Uniform(keep=0.6)
    plain = count_column(Column(ANSWER, codes), ANSWER, rule)
    weighted = count_column(Column(ANSWER, codes), ANSWER, rule, weights=weights)
    ratio = reconstruct_counts(weighted).standard_error / reconstruct_counts(plain).standard_error
    np.testing.assert_allclose(ratio, np.sqrt(999 / (weighted.size - 1)), rtol=1e-6)


@pytest.mark.parametrize("keep", [0.1, 0.25 + 1e-7, 0.4, 0.9])
def test_that_an_inverse_turns_the_matrix_round(keep):
    matrix = Uniform(keep=keep).matrix(4)
    found = invert(matrix)
    np.testing.assert_allclose(found.inverse @ matrix, np.eye(4), atol=1e-7)
    exact = np.linalg.cond(matrix)
    assert found.condition >= exact * (1 - 1e-6)
    assert found.condition < 1e3 or found.condition == pytest.approx(exact)
    assert not found.hidden.any()


def test_that_a_singular_matrix_has_a_pseudo_inverse_and_hides_entries():
    matrix = Custom(((1.0, 0.0, 0.0), (0.0, 0.5, 0.5), (0.0, 0.5, 0.5))).matrix(3)
    found = invert(matrix)
    assert found.is_singular
    np.testing.assert_allclose(found.inverse, np.linalg.pinv(matrix), atol=1e-12)
    assert found.hidden.tolist() == [False, True, True]
