"""The frontier: never worse than the uniform matrix, always applicable."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Uniform
from ppworkbench.core.design.matrices import check_matrix
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.privacy.optimiser import EXPOSURES, FAMILIES, frontier, optimal
from ppworkbench.core.privacy.optimiser.exposure import exposure_of
from ppworkbench.core.privacy.optimiser.loss import information_loss, summed_errors
from ppworkbench.core.privacy.optimiser.one_thread import one_thread
from ppworkbench.core.privacy.optimiser.shapes import (
    AnyShape,
    BandShape,
    RankOneShape,
    SymmetricShape,
    shapes_of,
)
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility import assess_utility
from ppworkbench.core.privacy.utility.goal_seek import Question, Target, measured
from ppworkbench.core.progress import Cancelled, StoppableProgress

YES_NO = Attribute("smokes", Kind.BINARY, ("no", "yes"))
LIKERT = Attribute("mood", Kind.ORDINAL, ("1", "2", "3", "4", "5"))
PRIOR = Prior.from_weights(LIKERT, (2, 5, 3, 1, 1))


def attribute_of(k):
    return Attribute("q", Kind.ORDINAL, tuple(f"v{i}" for i in range(k)))


def check_point(point, attribute, prior, privacy, n):
    """A point is applicable, as private as it says, and no worse than the uniform matrix."""
    point.perturbation.check(attribute)
    check_matrix(point.perturbation.matrix(attribute.k))
    question = Question(attribute, prior, n)
    reached = measured(privacy, question, point.perturbation)
    assert reached == pytest.approx(point.privacy, rel=1e-6)
    if privacy == "conditional":
        assert reached >= point.level - 1e-6
    else:
        assert reached <= point.level + 1e-6
    loss = assess_utility(attribute, point.perturbation, prior, n).information_loss
    assert loss == pytest.approx(point.information_loss, rel=1e-5)
    assert loss <= point.uniform_loss * (1 + 1e-6)
    uniform = measured(privacy, question, point.uniform)
    assert uniform <= point.level + 1e-6 or privacy == "conditional"


@settings(max_examples=12)
@given(
    st.lists(st.floats(0.02, 1), min_size=2, max_size=5),
    st.sampled_from(list(EXPOSURES)),
    st.sampled_from(FAMILIES),
)
def test_that_a_frontier_is_never_worse_than_the_uniform_family(weights, privacy, family):
    attribute = attribute_of(len(weights))
    prior = Prior.from_weights(attribute, weights)
    found = frontier(attribute, prior, 1000, privacy, family, points=3)
    assert found.points
    for point in found.points:
        check_point(point, attribute, prior, privacy, 1000)
    losses = [point.information_loss for point in found.points]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("privacy", ["attack_success", "worst_posterior", "conditional"])
def test_that_a_skewed_prior_leaves_something_to_gain(privacy):
    found = frontier(LIKERT, PRIOR, 1000, privacy, "symmetric", points=4)
    best = min(point.information_loss / point.uniform_loss for point in found.points)
    assert best < 0.98


def test_that_any_matrix_is_no_worse_than_a_symmetric_one():
    symmetric = frontier(LIKERT, PRIOR, 1000, "attack_success", "symmetric", points=3)
    anything = frontier(LIKERT, PRIOR, 1000, "attack_success", "any", points=3)
    for free, bound in zip(anything.points, symmetric.points, strict=True):
        assert free.information_loss <= bound.information_loss * (1 + 1e-4)


def test_that_the_ordinal_family_gives_ordinal_or_uniform_perturbations():
    found = frontier(LIKERT, PRIOR, 1000, "worst_posterior", "ordinal", points=4)
    kinds = {point.perturbation.type_name for point in found.points}
    assert kinds <= {"ordinal", "uniform"}
    assert "ordinal" in kinds


def test_that_two_values_of_any_form_are_a_binary_perturbation():
    prior = Prior.from_weights(YES_NO, (8, 2))
    found = frontier(YES_NO, prior, 1000, "worst_posterior", "any", points=4)
    assert any(isinstance(point.perturbation, Binary) for point in found.points)
    for point in found.points:
        check_point(point, YES_NO, prior, "worst_posterior", 1000)


def test_that_the_answer_itself_ends_the_frontier():
    last = frontier(LIKERT, PRIOR, 1000, points=2).points[-1]
    assert last.privacy == pytest.approx(1)
    assert last.perturbation == Uniform(keep=1.0)


def test_that_a_frontier_is_repeatable():
    first, second = (frontier(LIKERT, PRIOR, 500, points=2) for _ in range(2))
    assert first == second


def test_that_a_frontier_of_many_values_is_searched_in_few_numbers():
    attribute = attribute_of(14)
    prior = Prior.from_weights(attribute, np.arange(1, 15))
    found = frontier(attribute, prior, 1000, "worst_posterior", "symmetric", points=2)
    assert found.points[0].information_loss < found.points[0].uniform_loss
    for point in found.points:
        check_point(point, attribute, prior, "worst_posterior", 1000)


def test_that_a_search_can_be_stopped():
    progress = StoppableProgress()
    seen = []

    def report(done, message=""):
        seen.append(done)
        if len(seen) == 50:
            progress.stop()
        progress(done, message)

    with pytest.raises(Cancelled):
        frontier(LIKERT, PRIOR, progress=report)
    assert seen == sorted(seen)
    assert seen[-1] < 1


def test_that_progress_ends_at_one():
    seen = []
    frontier(LIKERT, PRIOR, points=1, progress=lambda done, message="": seen.append(done))
    assert seen[-1] == 1
    assert max(seen) <= 1


@pytest.mark.parametrize(("measure", "value"), [("attack_success", 0.6), ("epsilon", 1.2)])
def test_that_the_optimal_perturbation_meets_a_privacy_target(measure, value):
    point = optimal(LIKERT, PRIOR, 1000, Target(measure, value))
    # Whoever asks for no more privacy than that wants it used up, as less noise tells more.
    assert value - 0.01 <= point.privacy <= value + 1e-6
    check_point(point, LIKERT, PRIOR, measure, 1000)


def test_that_the_optimal_perturbation_meets_a_loss_target():
    target = Target("information_loss", 0.05)
    point = optimal(LIKERT, PRIOR, 1000, target, privacy="attack_success")
    assert point.information_loss <= 0.05
    assert point.privacy < 0.6
    uniform = optimal(LIKERT, PRIOR, 1000, target, privacy="attack_success", family="uniform")
    assert point.privacy <= uniform.privacy + 1e-4


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        (Target("attack_success", 0.2), "it can be from 0.4167 to 1"),
        (Target("epsilon", 0.0), "tell nothing"),
        (Target("information_loss", 0.001), "even if asked directly"),
        (Target("range_privacy", 50), "cannot aim at 'range_privacy'"),
    ],
)
def test_that_an_impossible_target_is_told(target, sentence):
    with pytest.raises(ParameterError, match=sentence):
        optimal(LIKERT, PRIOR, 1000, target)


def test_that_what_has_no_matrix_is_refused():
    age = Attribute("age", Kind.INTEGER, domain=(0, 9))
    with pytest.raises(DesignError, match=r"'age' \(integer\) has no frontier"):
        frontier(age)
    with pytest.raises(DesignError, match="2 to 40 values"):
        frontier(attribute_of(41))
    with pytest.raises(ParameterError, match="no family 'round'"):
        frontier(LIKERT, family="round")
    with pytest.raises(ParameterError, match="known are attack_success"):
        frontier(LIKERT, privacy="charm")
    with pytest.raises(ParameterError, match="has none to show"):
        frontier(LIKERT, points=0)


def test_that_json_holds_every_point():
    told = frontier(LIKERT, PRIOR, points=2).to_json()
    assert told["attribute"] == "mood"
    assert [set(point) for point in told["points"]] == [
        {"privacy", "information_loss", "uniform_information_loss", "perturbation"}
    ] * 2


def slope_by_steps(function, at, step=1e-6):
    columns = []
    for i in range(len(at)):
        move = np.zeros(len(at))
        move[i] = step
        columns.append((function(at + move) - function(at - move)) / (2 * step))
    return np.stack(columns, axis=-1)


SHAPES = [
    SymmetricShape(4),
    AnyShape(3),
    RankOneShape(5),
    BandShape(6, loop=False, reach=2),
    BandShape(6, loop=True, reach=2),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_that_shapes_have_columns_of_one_and_the_right_slopes(shape):
    theta = np.random.default_rng(4).uniform(0.02, 0.12, shape.size)
    np.testing.assert_allclose(shape.matrix(theta).sum(axis=0), 1)
    steps = slope_by_steps(lambda at: shape.matrix(at).ravel(), theta)
    np.testing.assert_allclose(shape.slopes(theta), steps, atol=1e-7)
    made = shape.perturbation(theta, attribute_of(shape.k)).matrix(shape.k)
    np.testing.assert_allclose(made, shape.matrix(theta))


@pytest.mark.parametrize("shape", [*SHAPES[:3], BandShape(5, loop=True, reach=2)])
def test_that_shapes_hold_the_uniform_matrix(shape):
    matrix = shape.matrix(shape.like_uniform(0.4))
    np.testing.assert_allclose(matrix, Uniform(keep=0.4).matrix(shape.k))


@pytest.mark.parametrize("shape", SHAPES[:2])
def test_that_a_matrix_is_turned_back_into_its_numbers(shape):
    theta = np.random.default_rng(5).uniform(0.02, 0.2, shape.size)
    np.testing.assert_allclose(shape.like(shape.matrix(theta)), theta)


def test_that_a_matrix_that_is_not_symmetric_is_no_start_for_symmetric_ones():
    assert SymmetricShape(2).like(np.array([[0.9, 0.4], [0.1, 0.6]])) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_that_every_family_has_shapes_of_the_right_size(family):
    for k in (2, 3, 6, 9, 15):
        assert all(shape.k == k for shape in shapes_of(family, k))


def test_that_the_slope_of_the_loss_is_right():
    shares = np.array([0.5, 0.3, 0.2])
    matrix = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
    steps = slope_by_steps(
        lambda at: np.array(summed_errors(at.reshape(3, 3), shares)[0]), matrix.ravel()
    )
    # Columns that no longer sum to 1 move the constant x_i², which the formula leaves out.
    np.testing.assert_allclose(summed_errors(matrix, shares)[1].ravel(), steps, atol=1e-5)
    per_survey = 0.5 * math.sqrt(2 / math.pi / 400)
    assert information_loss(matrix, shares, 400) == pytest.approx(
        summed_errors(matrix, shares)[0] * per_survey
    )


def test_that_a_singular_matrix_is_hopeless_but_no_error():
    value, slope = summed_errors(np.full((3, 3), 1 / 3), np.full(3, 1 / 3))
    assert value >= 1e8
    assert np.isfinite(slope).all()


@pytest.mark.parametrize("name", EXPOSURES)
def test_that_constraints_have_the_right_slopes_and_meaning(name):
    shares = np.array([0.5, 0.3, 0.2])
    exposure = exposure_of(name, shares)
    matrix = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
    helpers = exposure.helpers(matrix)
    value = exposure.value(matrix)
    assert exposure.slack(matrix, helpers, value).min() == pytest.approx(0, abs=1e-9)
    tighter = value - exposure.sign * 0.05
    assert exposure.slack(matrix, helpers, tighter).min() < 0
    assert exposure.holds(matrix, value)
    assert not exposure.holds(matrix, tighter)
    by_entry, by_helper = exposure.slopes(matrix, value)
    inside = SymmetricShape(3)
    theta = inside.like(matrix)
    steps = slope_by_steps(lambda at: exposure.slack(inside.matrix(at), helpers, value), theta)
    np.testing.assert_allclose(by_entry @ inside.slopes(theta), steps, atol=1e-6)
    if len(helpers):
        steps = slope_by_steps(lambda at: exposure.slack(matrix, at, value), helpers)
        np.testing.assert_allclose(by_helper, steps, atol=1e-6)


def blas_threads():
    from threadpoolctl import threadpool_info

    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_that_the_thread_limit_is_lifted_by_the_last_search():
    pytest.importorskip("threadpoolctl")
    before = blas_threads()
    first, second = one_thread(), one_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_threads() == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == before
