"""Joint distributions by iteration, where equations have no solution that is one."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Group,
    Identity,
    Uniform,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.inquiry import asked_by, inquire
from ppworkbench.core.survey.joint_em import (
    JointDistribution,
    counted,
    covariance_of,
    joint_distribution,
    smoothed_totals,
)


def inquiry_of(survey, condition):
    regions = regions_of(parse_condition(condition), survey.design)
    return inquire(survey.distorted, survey.design, asked_by(regions, survey.design))


def test_that_em_finds_the_solution_of_the_equations_where_it_is_a_distribution(make_survey):
    survey = make_survey({"sex": Uniform(keep=0.9), "car": Uniform(keep=0.85)})
    inquiry = inquiry_of(survey, "sex = female and car = yes")
    joint = joint_distribution(inquiry)
    z = counted(inquiry) / inquiry.n
    first, second = (np.linalg.inv(factor.channel) for factor in inquiry.factors)
    solution = first @ z @ second.T
    assert solution.min() > 0
    assert np.allclose(joint.probability, solution, atol=2e-4)
    exact = count(survey.distorted, survey.design, "sex = female and car = yes").value
    assert inquiry.n * joint.targets().item() == pytest.approx(exact.estimate, abs=1)


def test_that_the_delta_method_agrees_with_the_sample_variance(make_survey):
    survey = make_survey({"sex": Uniform(keep=0.9), "car": Uniform(keep=0.85)})
    inquiry = inquiry_of(survey, "sex = female and car = yes")
    joint = joint_distribution(inquiry)
    gradient = np.zeros((1, 2, 2))
    gradient[0, 0, 1] = 1
    error = inquiry.n * np.sqrt(covariance_of(joint, gradient).item())
    exact = count(survey.distorted, survey.design, "sex = female and car = yes").value
    assert error == pytest.approx(exact.standard_error, rel=0.01)


@pytest.mark.slow
def test_that_the_delta_method_agrees_with_repeated_distortion_under_noise(make_survey):
    noise = {"age": Additive(noise="normal", range_privacy=50), "sex": Uniform(keep=0.7)}
    condition = "age <= 30 and sex = female"
    found = [
        smoothed_totals(inquiry_of(survey, condition))
        for survey in (make_survey(noise, rows=2000, seed=seed) for seed in range(60))
    ]
    spread = np.std([one.values[0] for one in found], ddof=1)
    # The spread of 60 numbers is known to 9 %; the error also allows for sampling.
    assert np.mean([one.errors[0] for one in found]) == pytest.approx(spread, rel=0.35)


def test_that_a_group_is_one_axis(make_survey):
    group = Group(("car", "home"), "unrelated", 0.7)
    survey = make_survey({"car": None, "home": None, "sex": None}, groups=(group,))
    inquiry = inquiry_of(survey, "car = yes and sex = female and home = owner")
    joint = joint_distribution(inquiry)
    assert joint.probability.shape == (8, 2)
    assert joint.probability.sum() == pytest.approx(1)


def test_that_imagined_respondents_keep_everything_possible(make_survey):
    survey = make_survey({"sex": None, "car": None}, rows=3)
    inquiry = inquiry_of(survey, "sex = female and car = yes")
    assert joint_distribution(inquiry).probability.min() == 0
    assert joint_distribution(inquiry, pseudo_counts=1.0).probability.min() > 0


def test_that_too_many_attributes_are_refused_in_one_sentence(make_survey):
    names = [f"satisfaction_{name}" for name in ("transport", "safety", "parks", "schools")]
    names += ["trust_council", "belonging", "district", "education", "employment_length"]
    survey = make_survey({name: Uniform(keep=0.8) for name in names}, rows=50)
    condition = " and ".join(
        f"'{name}' != '{survey.original[name].attribute.values[0]}'" for name in names
    )
    with pytest.raises(ParameterError, match="Too many attributes"):
        joint_distribution(inquiry_of(survey, condition))
    # Weights need no joint distribution.
    assert np.isfinite(count(survey.distorted, survey.design, condition).value.standard_error)


def test_that_iterations_can_be_stopped(make_survey):
    survey = make_survey({"sex": Uniform(keep=0.7)})
    progress = StoppableProgress()
    progress.stop()
    with pytest.raises(Cancelled):
        joint_distribution(inquiry_of(survey, "sex = female"), progress=progress)


def test_that_cells_too_rare_to_be_squared_do_not_spoil_the_error():
    sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    table = Table((Column(sex, np.zeros(50, int)),))
    design = Design((DesignedAttribute(sex, Identity()),))
    inquiry = inquire(table, design, asked_by({}, design, split={"sex": None}))
    joint = JointDistribution(inquiry, np.array([1.0, 1e-200]), 5)
    assert np.isfinite(covariance_of(joint, np.eye(2))).all()
