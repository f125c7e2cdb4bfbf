"""Utility of numbers: interval shares and the mean, against simulated answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from examples import sweep

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Discretise, Identity, Multiplicative, Retention
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.assess import assess_utility
from ppworkbench.core.privacy.utility.channel import factor, share_channel
from ppworkbench.core.rng import SeededStreams

AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
SALARY = Attribute("salary", Kind.CONTINUOUS, domain=(1000, 9000))
WIDE = Attribute("income", Kind.INTEGER, domain=(1, 50_000))
WEIGHTS = (1, 4, 6, 5, 3, 2, 1, 1)

CASES = [
    pytest.param(AGE, Additive(half_width=10), id="staircase"),
    pytest.param(AGE, Additive(half_width=10, integer="round"), id="rounded"),
    pytest.param(AGE, Additive(noise="normal", sigma=6), id="integer-normal"),
    pytest.param(AGE, Retention(keep=0.4), id="integer-retention"),
    pytest.param(WIDE, Additive(half_width=5000), id="wide-integer"),
    pytest.param(SALARY, Additive(half_width=900), id="uniform"),
    pytest.param(SALARY, Additive(noise="normal", sigma=500), id="normal"),
    pytest.param(SALARY, Additive(noise="laplace", scale=400), id="laplace"),
    pytest.param(SALARY, Retention(keep=0.4, replacing=(1, 2, 1)), id="retention"),
    pytest.param(SALARY, Multiplicative(sigma=0.1), id="lognormal"),
    pytest.param(
        SALARY, Multiplicative(noise="truncated-normal", sigma=0.4), id="truncated-factor"
    ),
    pytest.param(SALARY, Identity(), id="none"),
]


def answers(attribute, prior, n, generator):
    cell = generator.choice(prior.k, size=n, p=prior.probabilities)
    low, high = prior.edges[cell], prior.edges[cell + 1]
    drawn = low + (high - low) * generator.random(n)
    return np.rint(drawn) if attribute.kind is Kind.INTEGER else drawn


@pytest.mark.parametrize(("attribute", "perturbation"), CASES)
def test_that_the_error_of_the_mean_is_that_of_distorted_answers(attribute, perturbation):
    prior = Prior.from_weights(attribute, WEIGHTS)
    report = assess_utility(attribute, perturbation, prior, 1000)
    x = answers(attribute, prior, 200_000, np.random.default_rng(5))
    z = perturbation.distort(x, attribute, SeededStreams(5).stream("a"))
    u = z if isinstance(perturbation, Identity) else perturbation.unbiased(z, attribute)
    # The relative error of a standard deviation of 200,000 answers is below 0.6 % even for
    # heavy tails.
    assert report.mean_standard_error == pytest.approx(u.std() / math.sqrt(1000), rel=0.02)


@pytest.mark.parametrize(
    ("attribute", "perturbation"),
    sweep([case.values for case in CASES if case.id != "none"], quick=4),
)
def test_that_interval_shares_err_as_in_simulated_surveys(attribute, perturbation):
    prior = Prior.from_weights(attribute, WEIGHTS)
    channel = share_channel(attribute, perturbation, prior)
    estimator = factor(channel.matrix, channel.shares)
    report = assess_utility(attribute, perturbation, prior, 2000)
    generator = np.random.default_rng(3)
    z = estimator.distorted(channel.shares)
    counts = generator.multinomial(2000, z / z.sum(), size=4000)
    spread = (counts / 2000 @ estimator.left_inverse.T).std(axis=0)
    # A spread of 4,000 runs has a relative standard error of 1.1 %.
    np.testing.assert_allclose(report.standard_error, spread, rtol=0.06)


def test_that_the_channel_is_that_of_the_distortion():
    prior = Prior.from_weights(AGE, WEIGHTS)
    perturbation = Additive(half_width=10)
    channel = share_channel(AGE, perturbation, prior)
    np.testing.assert_allclose(channel.matrix.sum(axis=0), 1)
    assert channel.distorted_edges[0] == 7.5
    assert channel.distorted_edges[-1] == 100.5
    assert channel.shares.sum() == pytest.approx(1)
    x = answers(AGE, prior, 200_000, np.random.default_rng(8))
    z = perturbation.distort(x, AGE, SeededStreams(8).stream("a"))
    found = np.histogram(z, channel.distorted_edges)[0] / len(z)
    expected = channel.matrix @ channel.shares
    assert np.abs(found - expected).max() < 5 * math.sqrt(expected.max() / len(z)) + 0.002


def test_that_published_intervals_cost_nothing_but_sampling():
    for perturbation, cells in ((Discretise(intervals=7), 7), (Discretise(intervals=500), 20)):
        report = assess_utility(SALARY, perturbation, None, 1000)
        assert len(report.labels) == cells
        assert report.overall_design_effect == pytest.approx(1)


def test_that_wide_normal_noise_is_flagged_and_the_mean_stays_usable():
    report = assess_utility(SALARY, Additive(noise="normal", range_privacy=100), None, 1000)
    assert report.is_ill_conditioned
    assert report.to_json()["ill_conditioned"] is True
    assert "mean stays reliable" in report.sentences["information_loss"]
    assert report.mean_standard_error < 0.02 * SALARY.width


def test_that_a_mild_noise_costs_little():
    report = assess_utility(SALARY, Additive(noise="normal", sigma=50), None, 1000)
    assert not report.is_ill_conditioned
    assert 1 < report.overall_design_effect < 1.3


def test_that_replacing_every_number_leaves_nothing_to_estimate():
    report = assess_utility(SALARY, Retention(keep=0.0), None, 1000)
    assert math.isinf(report.information_loss)
    assert math.isinf(report.mean_standard_error)
    assert "do not depend on the true ones" in report.sentences["mean_standard_error"]


def test_that_a_domain_of_one_point_is_known_for_sure():
    point = Attribute("x", Kind.CONTINUOUS, domain=(3, 3))
    report = assess_utility(point, Identity(), None, 10)
    assert report.information_loss == 0
    assert report.mean_standard_error == 0


def test_that_truncated_noise_has_the_error_of_the_mean_of_interval_shares():
    perturbation = Additive(noise="normal", sigma=500, truncate=True)
    report = assess_utility(SALARY, perturbation, None, 1000)
    free = assess_utility(SALARY, Additive(noise="normal", sigma=500), None, 1000)
    assert report.mean_standard_error == pytest.approx(free.mean_standard_error, rel=0.1)
