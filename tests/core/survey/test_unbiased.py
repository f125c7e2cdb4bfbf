"""Joint estimates over many distortions of one survey: right on average, honest intervals."""

from __future__ import annotations

import numpy as np
import pytest
from examples import sweep

from ppworkbench.core.design import Additive, Design, DesignedAttribute, Ordinal, Uniform, Unrelated
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.means import mean

CONDITION = "district in {Northfield, Millbrook} and fare_evasion = yes and supports_school = yes"
DESIGN = {
    "district": Uniform(keep=0.5),
    "fare_evasion": Unrelated(theta=0.6),
    "supports_school": Uniform(keep=0.7),
}


def simulate(city, perturbations, repeats):
    original = city.select(perturbations)
    design = Design(
        tuple(DesignedAttribute(original[name].attribute, p) for name, p in perturbations.items())
    )
    for seed in range(repeats):
        yield distort(original, design, SeededStreams(seed)), design, original


@pytest.mark.slow
def test_that_the_joint_count_is_unbiased_and_its_interval_covers_95_percent(city):
    found = [
        count(distorted, design, CONDITION, original=original).value
        for distorted, design, original in simulate(city, DESIGN, 1000)
    ]
    estimates = np.array([one.estimate for one in found])
    true = found[0].true
    assert abs(estimates.mean() - true) < 2 * estimates.std(ddof=1) / np.sqrt(1000)
    covered = np.mean([one.low <= true <= one.high for one in found])
    assert 0.93 <= covered <= 0.97
    errors = np.array([one.standard_error for one in found])
    # The standard error also allows for who happened to answer, a little more than the coin.
    assert errors.mean() == pytest.approx(estimates.std(ddof=1), rel=0.06)


@pytest.mark.slow
def test_that_the_sequential_count_loses_the_association(city):
    found = [
        (
            count(distorted, design, CONDITION, "sequential", original=original).value,
            count(distorted, design, CONDITION, original=original).value,
        )
        for distorted, design, original in simulate(city, DESIGN, 150)
    ]
    true = found[0][0].true
    sequential, joint = np.array([[one.estimate for one in pair] for pair in found]).T
    error = sequential.std(ddof=1) / np.sqrt(150)
    # 315 residents meet the condition; the sequential mean is about 258.
    assert sequential.mean() - true < -40
    assert sequential.mean() - true < -10 * error
    assert abs(joint.mean() - true) < 3 * joint.std(ddof=1) / np.sqrt(150)


@pytest.mark.parametrize(
    ("of", "condition", "perturbations"),
    sweep(
        [
            (
                "age",
                "supports_school = yes and education >= bachelor",
                {
                    "age": Additive(noise="normal", range_privacy=100),
                    "supports_school": Uniform(keep=0.8),
                    "education": Ordinal(weights=(0.7, 0.15)),
                },
            ),
            ("age", "", {"age": Additive(noise="uniform", range_privacy=100)}),
            ("age", "age <= 40", {"age": Additive(noise="uniform", range_privacy=20)}),
        ],
        quick=1,
    ),
)
def test_that_the_joint_mean_is_right_on_average(city, of, condition, perturbations):
    repeats = 150
    found = [
        mean(distorted, design, of, condition, original=original).value
        for distorted, design, original in simulate(city, perturbations, repeats)
    ]
    estimates = np.array([one.estimate for one in found])
    error = estimates.std(ddof=1) / np.sqrt(repeats)
    # A ratio of two estimates has a bias of second order; here it is far below the error.
    assert abs(estimates.mean() - found[0].true) < 3 * error
    covered = np.mean([one.low <= one.true <= one.high for one in found])
    # 150 intervals of 95 % or a little more: outside has a probability below 1e-3.
    assert covered >= 0.88


@pytest.mark.slow
def test_that_the_joint_distribution_is_right_on_average(city):
    perturbations = {"education": Uniform(keep=0.6), "supports_school": Uniform(keep=0.8)}
    repeats = 150
    raw, true, covered = [], None, []
    for distorted, design, original in simulate(city, perturbations, repeats):
        found = distribution(
            distorted, design, "education", "supports_school = no", original=original
        )
        raw.append(found.raw)
        true = np.array([share.true for share in found.shares])
        covered.append([share.low <= share.true <= share.high for share in found.shares])
    raw = np.array(raw)
    error = raw.std(axis=0, ddof=1) / np.sqrt(repeats)
    assert np.all(np.abs(raw.mean(axis=0) - true) < 3.5 * error)
    assert np.mean(covered) > 0.9
