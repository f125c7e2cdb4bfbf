"""Distributions of an attribute among those who meet a condition."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Discretise,
    Group,
    Identity,
    Retention,
    Uniform,
)
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.reconstruct import reconstruct
from ppworkbench.core.survey.distributions import distribution

SEX = Attribute("sex", Kind.BINARY, ("F", "M"))
CREDIT = Attribute("credit", Kind.NOMINAL, ("none", "present", "repaid", "overdue"))


def shares(found, what="estimate"):
    return np.array([getattr(share, what) for share in found.shares])


@pytest.mark.parametrize("method", ["joint", "sequential"])
@pytest.mark.parametrize(
    ("of", "condition"),
    [
        ("education", ""),
        ("education", "sex = male and income > 2000"),
        ("education", "education >= secondary"),
        ("children", "sex = female"),
        ("income", "education = secondary"),
        ("income", "income < 3000"),
    ],
)
def test_that_without_distortion_the_distribution_is_the_truth(make_survey, of, condition, method):
    survey = make_survey(dict.fromkeys(("education", "sex", "income", "children")))
    found = distribution(
        survey.distorted, survey.design, of, condition, method, original=survey.original
    )
    assert np.allclose(shares(found), shares(found, "true"), atol=1e-9)
    assert np.allclose(shares(found, "naive"), shares(found, "true"))
    assert shares(found).sum() == pytest.approx(1)


def test_that_without_a_condition_the_joint_distribution_is_the_reconstruction(make_survey):
    survey = make_survey({"education": Uniform(keep=0.6)})
    found = distribution(survey.distorted, survey.design, "education")
    attribute = survey.design["education"].attribute
    alone = reconstruct(survey.distorted["education"], attribute, Uniform(keep=0.6))
    assert np.allclose(found.raw, alone.raw)
    assert np.allclose(shares(found), alone.probability)
    # The sample variance divides by n - 1, the multinomial one by n.
    assert np.allclose(shares(found, "standard_error"), alone.standard_error, rtol=1e-3)


def test_that_shares_are_ratios_of_joint_counts():
    rng = np.random.default_rng(7)
    sex, credit = rng.integers(0, 2, 300), rng.integers(0, 4, 300)
    table = Table((Column(SEX, sex), Column(CREDIT, credit)))
    design = Design(
        (DesignedAttribute(SEX, Uniform(keep=0.8)), DesignedAttribute(CREDIT, Uniform(keep=0.7)))
    )
    weights = np.where(sex == 0, 0.8, -0.2) / 0.6
    transform = np.linalg.inv(Uniform(keep=0.7).matrix(4))[:, credit]
    counts = transform @ weights
    raw = counts / counts.sum()
    residual = weights * (transform - raw[:, None])
    errors = np.sqrt(300 / 299 * (residual**2).sum(axis=1)) / counts.sum()
    found = distribution(table, design, "credit", "sex = F")
    assert np.allclose(found.raw, raw)
    assert np.allclose(shares(found, "standard_error"), errors)


def test_that_a_negative_share_is_told_as_it_is_and_as_a_probability_beside():
    table = Table((Column(CREDIT, np.repeat([0, 2], [60, 40])),))
    design = Design((DesignedAttribute(CREDIT, Uniform(keep=0.6)),))
    found = distribution(table, design, "credit")
    assert min(found.raw) < 0
    assert shares(found).tolist() == list(found.raw)
    assert found.probabilities.min() == 0
    assert found.probabilities.sum() == pytest.approx(1)
    assert shares(found, "low").min() >= 0
    # A value that nobody answered may still be somebody's: the interval is wider than 0.
    assert shares(found, "standard_error").min() > 0.01


def test_that_an_attribute_under_the_condition_s_own_coin_is_laid_out(make_survey):
    group = Group(("car", "home"), "unrelated", 0.8)
    survey = make_survey({"car": None, "home": None}, groups=(group,), seed=4)
    found = distribution(
        survey.distorted, survey.design, "car", "home = owner", original=survey.original
    )
    error = shares(found, "standard_error")
    assert np.all(np.abs(shares(found) - shares(found, "true")) < 3.5 * error)
    assert found.labels == ("no", "yes")


@pytest.mark.parametrize(
    ("perturbation", "bins", "count"),
    [
        (Additive(noise="uniform", range_privacy=30), None, 10),
        (Additive(noise="normal", range_privacy=50), 5, 5),
        (Retention(keep=0.5), [18, 30, 60, 90], 3),
        (Discretise(intervals=6), None, 6),
    ],
)
def test_that_a_number_is_laid_out_in_bins(make_survey, perturbation, bins, count):
    survey = make_survey({"age": perturbation, "sex": Uniform(keep=0.9)})
    found = distribution(
        survey.distorted, survey.design, "age", "sex = female", bins=bins, original=survey.original
    )
    assert len(found.labels) == len(found.shares) == count
    assert len(found.edges) == count + 1
    error = shares(found, "standard_error")
    assert np.all(np.abs(np.array(found.raw) - shares(found, "true")) < 4 * error + 0.03)
    document = found.to_json()
    assert document["values"][0]["edges"] == found.edges[:2].tolist()


def test_that_few_whole_numbers_have_a_bin_each(make_survey):
    survey = make_survey({"children": Retention(keep=0.5)})
    found = distribution(survey.distorted, survey.design, "children")
    assert found.labels == ("0", "1", "2", "3", "4", "5", "6")


def test_that_the_sequential_distribution_is_reconstructed_among_the_assigned(make_survey):
    survey = make_survey({"education": Uniform(keep=0.7), "sex": None})
    found = distribution(survey.distorted, survey.design, "education", "sex = female", "sequential")
    rows = survey.distorted.take(np.flatnonzero(survey.distorted["sex"].data == 0))
    attribute = survey.design["education"].attribute
    alone = reconstruct(rows["education"], attribute, Uniform(keep=0.7))
    assert np.allclose(shares(found), alone.probability)
    assert any("loses the association" in remark for remark in found.remarks)


@pytest.mark.parametrize("method", ["joint", "sequential"])
def test_that_nobody_has_no_distribution(method):
    table = Table((Column(SEX, np.ones(9, np.int8)), Column(CREDIT, np.zeros(9, np.int8))))
    design = Design(
        (DesignedAttribute(SEX, Uniform(keep=0.9)), DesignedAttribute(CREDIT, Identity()))
    )
    with pytest.raises(DataError, match="who meet sex = F is 0"):
        distribution(table, design, "credit", "sex = F", method)


def test_that_a_single_record_has_the_widest_intervals():
    table = Table((Column(CREDIT, np.array([2])),))
    design = Design((DesignedAttribute(CREDIT, Uniform(keep=0.6)),))
    found = distribution(table, design, "credit")
    assert shares(found, "low").tolist() == [0] * 4
    assert shares(found, "high").tolist() == [1] * 4


def test_that_wrong_bins_and_names_are_one_sentence(make_survey):
    survey = make_survey({"age": None})
    with pytest.raises(ParameterError, match="do not cover the domain"):
        distribution(survey.distorted, survey.design, "age", bins=[20, 30])
    with pytest.raises(ParameterError, match="did you mean 'age'"):
        distribution(survey.distorted, survey.design, "aged")


def test_that_json_has_the_agreed_fields_per_value():
    table = Table((Column(CREDIT, np.array([2, 0, 1, 3, 2])),))
    design = Design((DesignedAttribute(CREDIT, Uniform(keep=0.6)),))
    document = distribution(table, design, "credit", original=table).to_json()
    agreed = {
        "value", "estimate", "low", "high", "standard_error", "naive", "true", "raw", "interval",
        "probability",
    }  # fmt: skip
    assert [entry["value"] for entry in document["values"]] == list(CREDIT.values)
    assert all(set(entry) == agreed for entry in document["values"])
    assert document["method"] == "joint"
