"""The frontier: never worse than the uniform matrix, always applicable."""

from __future__ import annotations

import numpy as np
import pytest
from designs import attribute_of
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Uniform
from ppworkbench.core.design.matrices import check_matrix
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.privacy.optimiser import EXPOSURES, FAMILIES, frontier, optimal
from ppworkbench.core.privacy.optimiser.search import one_thread
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.assess import assess_utility
from ppworkbench.core.privacy.utility.goal_seek import Question, Target, measured
from ppworkbench.core.progress import Cancelled, StoppableProgress

YES_NO = Attribute("smokes", Kind.BINARY, ("no", "yes"))

LIKERT = Attribute("mood", Kind.ORDINAL, ("1", "2", "3", "4", "5"))

PRIOR = Prior.from_weights(LIKERT, (2, 5, 3, 1, 1))


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


@pytest.mark.slow
@examples(0.3)
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "privacy",
    [
        "worst_posterior",
        pytest.param("attack_success", marks=pytest.mark.slow),
        pytest.param("conditional", marks=pytest.mark.slow),
    ],
)
def test_that_a_skewed_prior_leaves_something_to_gain(privacy):
    found = frontier(LIKERT, PRIOR, 1000, privacy, "symmetric", points=4)
    best = min(point.information_loss / point.uniform_loss for point in found.points)
    assert best < 0.98


@pytest.mark.slow
def test_that_any_matrix_is_no_worse_than_a_symmetric_one():
    symmetric = frontier(LIKERT, PRIOR, 1000, "attack_success", "symmetric", points=3)
    anything = frontier(LIKERT, PRIOR, 1000, "attack_success", "any", points=3)
    for free, bound in zip(anything.points, symmetric.points, strict=True):
        assert free.information_loss <= bound.information_loss * (1 + 1e-4)


@pytest.mark.slow
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


@pytest.mark.slow
def test_that_the_answer_itself_ends_the_frontier():
    last = frontier(LIKERT, PRIOR, 1000, points=2).points[-1]
    assert last.privacy == pytest.approx(1)
    assert last.perturbation == Uniform(keep=1.0)


@pytest.mark.slow
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


@pytest.mark.slow
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
        (Target("attack_success", 0.2), "possible is 0.4167 to 1"),
        pytest.param(Target("epsilon", 0.0), "are not informative", marks=pytest.mark.slow),
        (Target("information_loss", 0.001), "even if asked directly"),
        (Target("range_privacy", 50), "does not know the target 'range_privacy'"),
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
    with pytest.raises(ParameterError, match="needs at least 1 point"):
        frontier(LIKERT, points=0)


@pytest.mark.slow
def test_that_json_holds_every_point():
    told = frontier(LIKERT, PRIOR, points=2).to_json()
    assert told["attribute"] == "mood"
    assert [set(point) for point in told["points"]] == [
        {"privacy", "information_loss", "uniform_information_loss", "perturbation"}
    ] * 2


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
