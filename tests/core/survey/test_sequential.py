"""The method of the papers: one test after the other."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.design import Additive, Discretise, Retention, Uniform
from ppworkbench.core.reconstruct import reconstruct
from ppworkbench.core.survey.answers import distorted_answers
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.sequential import assigned_set

pytestmark = pytest.mark.thorough


def assigned(survey, condition, seed=0):
    regions = regions_of(parse_condition(condition), survey.design)
    answers = distorted_answers(survey.distorted, survey.design, regions)
    return assigned_set(answers, survey.design, regions, seed)


def test_that_one_test_is_the_reconstructed_share_of_the_records(make_survey):
    survey = make_survey({"education": Uniform(keep=0.6)})
    found = assigned(survey, "education >= bachelor")
    alone = reconstruct(
        survey.distorted["education"], survey.design["education"].attribute, Uniform(keep=0.6)
    )
    n = alone.rows
    assert found.size == pytest.approx(n * alone.probability[3:].sum())
    error = n * np.sqrt(alone.covariance[3:, 3:].sum())
    assert found.standard_error == pytest.approx(error)
    # Two values are rounded to whole records each.
    assert abs(found.answers.n - found.size) < 2


def test_that_one_test_has_the_joint_count_s_error(make_survey):
    survey = make_survey({"sex": Uniform(keep=0.7)})
    joint = count(survey.distorted, survey.design, "sex = female").value
    sequential = count(survey.distorted, survey.design, "sex = female", "sequential").value
    assert sequential.estimate == pytest.approx(joint.estimate)
    assert sequential.standard_error == pytest.approx(joint.standard_error, rel=1e-3)


def test_that_each_test_is_reconstructed_within_the_set_before(make_survey):
    survey = make_survey({"sex": None, "car": Uniform(keep=0.7)})
    found = assigned(survey, "sex = female and car = yes")
    women = survey.distorted.take(np.flatnonzero(survey.distorted["sex"].data == 0))
    alone = reconstruct(women["car"], survey.design["car"].attribute, Uniform(keep=0.7))
    assert found.size == pytest.approx(women.rows * alone.probability[1])


def test_that_the_order_of_the_tests_is_kept_and_matters(make_survey):
    survey = make_survey({"education": Uniform(keep=0.4), "sex": Uniform(keep=0.6)})
    one = assigned(survey, "education = primary and sex = female")
    other = assigned(survey, "sex = female and education = primary")
    assert one.size != other.size


@pytest.mark.parametrize(
    "perturbation",
    [
        Additive(noise="uniform", range_privacy=30),
        Additive(noise="normal", range_privacy=60),
        Retention(keep=0.5),
        Discretise(edges=(18, 31, 60, 91)),
    ],
)
def test_that_numbers_are_assigned_by_their_order(make_survey, perturbation):
    survey = make_survey({"age": perturbation})
    found = assigned(survey, "age <= 30")
    data = survey.distorted["age"].data
    chosen = np.zeros(len(data), bool)
    chosen[found.answers.rows] = True
    assert data[chosen].max() <= data[~chosen].min()
    true = np.count_nonzero(survey.original["age"].data <= 30)
    assert abs(found.size - true) < 3.5 * found.standard_error + 1


def test_that_the_seed_decides_who_is_assigned_and_not_how_many(make_survey):
    survey = make_survey({"sex": Uniform(keep=0.7)})
    first, again, other = (assigned(survey, "sex = female", seed) for seed in (1, 1, 2))
    assert np.array_equal(first.answers.rows, again.answers.rows)
    assert not np.array_equal(first.answers.rows, other.answers.rows)
    assert first.size == other.size


def test_that_the_loss_of_association_is_told_only_where_there_is_one(make_survey):
    survey = make_survey({"sex": Uniform(keep=0.7), "car": Uniform(keep=0.7)})
    one = count(survey.distorted, survey.design, "sex = female", "sequential")
    assert one.remarks == ()
    two = count(survey.distorted, survey.design, "sex = female and car = yes", "sequential")
    assert any("loses the association" in remark for remark in two.remarks)
