"""The closed forms against surveys simulated on counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Custom, Identity, Ordinal, Related, Uniform, Unrelated
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.files import resource
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.assess import assess_utility
from ppworkbench.core.privacy.utility.channel import factor
from ppworkbench.core.privacy.utility.planning import MEASURES, error_at, needed_respondents
from ppworkbench.core.privacy.utility.standard_errors import (
    design_effects,
    expected_information_loss,
    overall_design_effect,
    standard_errors,
)

RUNS = 20_000

INSIDE = {
    2: (0.3, 0.7),
    3: (0.5, 0.3, 0.2),
    5: (0.1, 0.25, 0.3, 0.2, 0.15),
    8: (0.05, 0.1, 0.15, 0.2, 0.2, 0.1, 0.1, 0.1),
}

CASES = [
    pytest.param(2, Binary(keep_one=0.5, keep_zero=0.87), id="binary"),
    pytest.param(2, Related(theta=0.7), id="warner"),
    pytest.param(3, Uniform(keep=0.6), id="uniform-3"),
    pytest.param(3, Unrelated(theta=0.5, personal=(0.2, 0.5, 0.3)), id="unrelated-3"),
    pytest.param(5, Uniform(keep=0.5), id="uniform-5"),
    pytest.param(5, Ordinal(weights=(0.7, 0.15), loop=False), id="ordinal-5"),
    pytest.param(5, Ordinal(weights=(0.7, 0.15), loop=True), id="ordinal-5-loop"),
    pytest.param(8, Uniform(keep=0.6), id="uniform-8"),
    pytest.param(8, Ordinal(weights=(0.6, 0.2), loop=False), id="ordinal-8"),
]


def attribute_of(k: int) -> Attribute:
    kind = Kind.BINARY if k == 2 else Kind.ORDINAL
    return Attribute("q", kind, tuple(f"v{i}" for i in range(k)))


@pytest.mark.parametrize(("k", "perturbation"), CASES)
def test_that_expected_loss_and_errors_are_those_of_simulated_surveys(k, perturbation):
    attribute = attribute_of(k)
    prior = Prior.from_weights(attribute, INSIDE[k])
    report = assess_utility(attribute, perturbation, prior, 1000)
    estimator = factor(perturbation.matrix(k))
    # The sample of true answers is part of a survey, so its counts are those of the reports.
    reports = perturbation.matrix(k) @ prior.probabilities
    counts = np.random.default_rng(11).multinomial(1000, reports, size=RUNS)
    estimates = counts / 1000 @ estimator.left_inverse.T
    losses = 0.5 * np.abs(estimates - prior.probabilities).sum(axis=1)
    assert report.information_loss == pytest.approx(losses.mean(), rel=0.02)
    # A spread of 20,000 runs has a relative standard error of 0.5 %.
    np.testing.assert_allclose(report.standard_error, estimates.std(axis=0), rtol=0.03)


def test_that_direct_answers_have_the_errors_of_a_plain_sample():
    shares = np.array([0.2, 0.3, 0.5])
    errors = standard_errors(factor(np.eye(3)), shares, 400)
    np.testing.assert_allclose(errors, np.sqrt(shares * (1 - shares) / 400))


def test_that_warners_variance_is_his_formula():
    theta, share, n = 0.7, 0.1, 1000
    answered = theta * share + (1 - theta) * (1 - share)
    variance = answered * (1 - answered) / (n * (2 * theta - 1) ** 2)
    report = assess_utility(
        attribute_of(2),
        Related(theta=theta),
        Prior.from_weights(attribute_of(2), (1 - share, share)),
        n,
    )
    np.testing.assert_allclose(report.standard_error, math.sqrt(variance))
    np.testing.assert_allclose(report.design_effect, variance * n / (share * (1 - share)))
    np.testing.assert_allclose(report.half_width, 1.959964 * math.sqrt(variance), rtol=1e-6)


SINGULAR = [
    (3, Uniform(keep=1 / 3)),
    (2, Uniform(keep=0.5)),
    (2, Related(theta=0.5)),
    (3, Unrelated(theta=0.0)),
    (4, Custom(((0.5, 0.5, 0, 0), (0.5, 0.5, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)))),
]


@pytest.mark.parametrize(("k", "perturbation"), SINGULAR)
def test_that_a_singular_matrix_gives_infinite_errors_and_says_why(k, perturbation):
    report = assess_utility(attribute_of(k), perturbation, None, 1000)
    assert math.isinf(report.information_loss)
    assert np.isinf(report.standard_error).all()
    assert math.isinf(report.needed_respondents)
    assert math.isinf(report.condition)
    assert np.isinf(report.design_effect).all()
    assert report.to_json()["information_loss"] == "inf"
    assert report.to_json()["standard_error"] == ["inf"] * k
    assert "Not estimable" in report.sentences["condition"]
    assert all("nan" not in sentence for sentence in report.sentences.values())
    assert factor(perturbation.matrix(k)).left_inverse is None


def test_that_a_value_nobody_has_brings_no_nan():
    attribute = attribute_of(3)
    for perturbation in (Uniform(keep=1.0), Uniform(keep=0.7)):
        report = assess_utility(
            attribute, perturbation, Prior.from_weights(attribute, (1, 0, 0)), 10
        )
        numbers = [report.standard_error, report.design_effect, report.half_width]
        assert not np.isnan(np.concatenate(numbers)).any()
    assert report.design_effect[1] == math.inf
    sure = assess_utility(attribute, Uniform(keep=1.0), Prior.from_weights(attribute, (1, 0, 0)))
    assert sure.needed_respondents == 1
    assert sure.overall_design_effect == 1


def test_that_the_report_has_the_stable_keys():
    told = assess_utility(attribute_of(3), Uniform(keep=0.6), None, 1000).to_json()
    assert {"information_loss", "standard_error", "condition"} <= set(told)
    assert told["condition"] == pytest.approx(2.5)
    assert len(told["standard_error"]) == 3


matrices = st.integers(2, 6).flatmap(
    lambda k: st.tuples(
        st.lists(st.floats(0.01, 1), min_size=k, max_size=k),
        st.floats(1 / k + 0.05, 1),
    )
)


@given(matrices, st.integers(1, 10_000))
def test_that_loss_falls_with_the_root_of_respondents(drawn, n):
    weights, keep = drawn
    shares = np.array(weights) / sum(weights)
    estimator = factor(Uniform(keep=keep).matrix(len(weights)))
    one, four = (expected_information_loss(estimator, shares, m) for m in (n, 4 * n))
    assert one == pytest.approx(2 * four)


@given(matrices)
def test_that_no_distortion_is_cheaper_than_asking_directly(drawn):
    weights, keep = drawn
    shares = np.array(weights) / sum(weights)
    variances = factor(Uniform(keep=keep).matrix(len(weights))).variances(shares)
    assert (design_effects(variances, shares) >= 1 - 1e-9).all()
    assert overall_design_effect(variances, shares) >= 1 - 1e-9


@given(
    matrices,
    st.floats(0.001, 0.3),
    st.sampled_from(MEASURES),
    st.sampled_from([None, 0, 1]),
)
def test_that_needed_respondents_reach_the_target_and_one_fewer_do_not(
    drawn, target, measure, value
):
    weights, keep = drawn
    shares = np.array(weights) / sum(weights)
    variances = factor(Uniform(keep=keep).matrix(len(weights))).variances(shares)
    n = needed_respondents(variances, target, measure, value)
    assert error_at(variances, n, measure, value) <= target
    assert n == 1 or error_at(variances, n - 1, measure, value) > target


def test_that_needed_respondents_are_exact_at_the_border():
    # sqrt(0.16 / 400) is 0.02 to the last bit or one beside it.
    variances = np.array([0.16])
    n = needed_respondents(variances, 0.02)
    assert n == 400


def test_that_the_best_weighting_is_the_inverse_for_a_square_channel():
    matrix = Ordinal(weights=(0.7, 0.15)).matrix(5)
    shares = np.array(INSIDE[5])
    padded = np.vstack([matrix * 0.5, matrix * 0.5])
    np.testing.assert_allclose(
        factor(padded, shares).variances(shares), factor(matrix).variances(shares), rtol=1e-9
    )


def test_that_a_channel_with_too_few_outcomes_is_singular():
    assert factor(np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 1.0]])).is_singular


@pytest.mark.parametrize("n", [0, -5, 2.5, math.nan, math.inf, True])
def test_that_a_number_of_respondents_that_cannot_be_is_refused(n):
    with pytest.raises(ParameterError, match="whole number of at least 1"):
        assess_utility(attribute_of(3), Uniform(), None, n)


def test_that_a_target_that_cannot_be_is_refused():
    for target in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ParameterError, match="must be above 0"):
            needed_respondents(np.array([0.2]), target)
    with pytest.raises(ParameterError, match="no error measure 'luck'"):
        needed_respondents(np.array([0.2]), 0.1, "luck")


def test_that_a_prior_of_another_size_is_refused():
    prior = Prior.from_weights(attribute_of(3), (1, 2, 3))
    with pytest.raises(DesignError, match="has 5 values, its prior 3"):
        assess_utility(attribute_of(5), Uniform(), prior)


def test_that_every_reading_has_a_page_in_the_help():
    pages = resource("help", "utility-measures").glob("*.md")
    titles = {page.read_text("utf-8").partition("\n# ")[2].partition("\n")[0] for page in pages}
    number = Attribute("age", Kind.INTEGER, domain=(0, 99))
    for readings in (
        assess_utility(attribute_of(3), Uniform()).readings,
        assess_utility(number, Identity()).readings,
    ):
        assert {reading.label for reading in readings} <= titles
        assert all(reading.sentence.endswith(".") for reading in readings)


def test_that_ten_values_are_assessed_in_half_a_millisecond():
    import timeit

    attribute = attribute_of(10)
    prior = Prior.from_weights(attribute, np.arange(1, 11))
    perturbation = Uniform(keep=0.5)
    runs = timeit.repeat(
        lambda: assess_utility(attribute, perturbation, prior, 1000), number=20, repeat=7
    )
    # Ten times the goal, so that a busy machine does not fail the test.
    assert min(runs) / 20 < 5e-3
