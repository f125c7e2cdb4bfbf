"""Means of numbers among those who meet a condition."""

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
    Identity,
    Multiplicative,
    Retention,
    Uniform,
)
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.survey.means import mean

SEX = Attribute("sex", Kind.BINARY, ("F", "M"))
AGE = Attribute("age", Kind.INTEGER, domain=(0, 100))


def two_columns(sex, age, keep, perturbation):
    table = Table((Column(SEX, np.array(sex)), Column(AGE, np.array(age, np.float64))))
    designed = (
        DesignedAttribute(SEX, Uniform(keep=keep)),
        DesignedAttribute(AGE, perturbation),
    )
    return table, Design(designed)


@pytest.mark.parametrize("method", ["joint", "sequential"])
@pytest.mark.parametrize("condition", ["", "sex = female", "income <= 1500", "age > 30"])
def test_that_without_distortion_the_mean_is_the_truth(make_survey, condition, method):
    survey = make_survey({"sex": None, "income": None, "age": None})
    found = mean(
        survey.distorted, survey.design, "income", condition, method, original=survey.original
    ).value
    assert found.estimate == pytest.approx(found.true, rel=1e-9)
    assert found.naive == pytest.approx(found.true, rel=1e-9)


def test_that_the_joint_mean_is_the_ratio_of_weighted_sums():
    sex, age = [0, 0, 1, 1, 0, 1, 0, 0], [30, 41, 25, 60, 33, 18, 77, 50]
    table, design = two_columns(sex, age, 0.8, Additive(noise="uniform", half_width=5))
    weights = np.where(np.array(sex) == 0, 0.8, -0.2) / 0.6
    ratio = weights @ age / weights.sum()
    residual = weights * (np.array(age) - ratio)
    error = np.sqrt(8 / 7 * residual @ residual) / weights.sum()
    found = mean(table, design, "age", "sex = F").value
    assert found.estimate == pytest.approx(ratio)
    assert found.standard_error == pytest.approx(error)


def test_that_retention_is_taken_out_of_the_mean():
    age = [30, 41, 25, 60, 33, 18, 77, 50]
    table, design = two_columns([0] * 8, age, 1.0, Retention(keep=0.5))
    found = mean(table, design, "age").value
    # (z - (1 - p) E[g]) / p with E[g] = 50.
    assert found.estimate == pytest.approx((np.mean(age) - 0.5 * 50) / 0.5)
    assert found.naive == pytest.approx(np.mean(age))


def test_that_retention_is_taken_out_of_a_mean_inside_limits():
    age = np.array([30, 41, 25, 60, 33, 18, 77, 50])
    table, design = two_columns([0] * 8, age, 1.0, Retention(keep=0.5))
    found = mean(table, design, "age", "age <= 40").value
    # 41 of 101 numbers are at most 40; their mean is 20.
    counted = ((age <= 40) - 0.5 * 41 / 101) / 0.5
    summed = (age * (age <= 40) - 0.5 * 41 / 101 * 20) / 0.5
    assert found.estimate == pytest.approx(summed.sum() / counted.sum())


@pytest.mark.slow
def test_that_retention_of_a_real_number_inside_limits_is_right_on_average(make_survey):
    estimates = []
    for seed in range(80):
        survey = make_survey({"income": Retention(keep=0.5, replacing=(3, 2, 1))}, seed=seed)
        found = mean(
            survey.distorted, survey.design, "income", "income < 2000", original=survey.original
        ).value
        estimates.append(found.estimate)
    error = np.std(estimates) / np.sqrt(80)
    assert abs(np.mean(estimates) - found.true) < 3 * error


def test_that_factors_of_mean_one_leave_the_mean(make_survey, city):
    income = city["income"].attribute.with_(domain=(10, 15_000))
    data = np.clip(city["income"].data, 10, None)
    original = Table((Column(income, data),))
    design = Design((DesignedAttribute(income, Multiplicative(sigma=0.3)),))
    found = mean(original, design, "income").value
    assert found.estimate == pytest.approx(np.nanmean(data))


@pytest.mark.parametrize(
    ("perturbation", "tolerance"),
    [
        (Discretise(intervals=20), 1.0),
        (Additive(noise="uniform", range_privacy=20, truncate=True), 1.5),
        (Additive(noise="normal", range_privacy=40, truncate=True), 2.5),
    ],
)
def test_that_a_bent_mean_is_worked_out_from_intervals(make_survey, perturbation, tolerance):
    survey = make_survey({"age": perturbation, "sex": Uniform(keep=0.9)})
    found = mean(survey.distorted, survey.design, "age", "sex = female", original=survey.original)
    assert abs(found.value.estimate - found.value.true) < tolerance
    assert any("bins" in remark or "smoothed" in remark for remark in found.remarks)


@pytest.mark.slow
def test_that_strong_noise_in_the_condition_has_an_interval_that_holds_the_truth(make_survey):
    survey = make_survey(
        {"income": Additive(noise="normal", range_privacy=50), "age": None, "children": None}
    )
    for of in ("age", "children", "income"):
        found = mean(survey.distorted, survey.design, of, "income < 2500", original=survey.original)
        assert found.limits.assumption.attribute == "income"
        assert found.value.low <= found.value.true <= found.value.high


def test_that_the_sequential_mean_is_that_of_the_assigned_records():
    sex, age = [0, 0, 1, 1], [20, 40, 60, 80]
    table, design = two_columns(sex, age, 1.0, Additive(noise="uniform", half_width=5))
    found = mean(table, design, "age", "sex = F", "sequential")
    assert found.value.estimate == 30
    assert found.value.standard_error == pytest.approx(np.std([20, 40], ddof=1) / np.sqrt(2))
    assert any("loses the association" in remark for remark in found.remarks)


def test_that_a_sequential_mean_of_the_number_that_was_chosen_by_is_flagged(make_survey):
    survey = make_survey({"age": Additive(noise="uniform", range_privacy=50)})
    found = mean(survey.distorted, survey.design, "age", "age <= 30", "sequential")
    assert any("the same number as the mean" in remark for remark in found.remarks)


@pytest.mark.parametrize("method", ["joint", "sequential"])
def test_that_nobody_has_no_mean(method):
    table, design = two_columns([1, 1, 1], [20, 30, 40], 0.8, Identity())
    with pytest.raises(DataError, match="who meet sex = F is 0"):
        mean(table, design, "age", "sex = F", method)


def test_that_a_mean_of_very_few_is_called_a_guess():
    table, design = two_columns([1, 1, 0, 0, 0], [20, 30, 40, 50, 60], 0.7, Identity())
    found = mean(table, design, "age", "sex = F")
    assert any("the result is unreliable" in remark for remark in found.remarks)


def test_that_a_single_record_has_a_mean_without_interval():
    table, design = two_columns([0], [33], 0.9, Additive(noise="uniform", half_width=5))
    for method in ("joint", "sequential"):
        found = mean(table, design, "age", "sex = F", method).value
        assert found.estimate == pytest.approx(33)
        assert found.standard_error == np.inf


def test_that_only_numbers_have_means_and_only_kept_ones():
    table, design = two_columns([0, 1], [33, 44], 0.9, Retention(keep=0.0))
    with pytest.raises(ParameterError, match="choose its distribution") as caught:
        mean(table, design, "sex")
    assert caught.value.attribute == "sex"
    with pytest.raises(ParameterError, match="has no attribute 'agee'; did you mean 'age'"):
        mean(table, design, "agee")
    with pytest.raises(DesignError, match="none of its numbers is kept"):
        mean(table, design, "age")


def test_that_a_naive_mean_of_nobody_is_none_and_not_a_number():
    sex = [1] * 40 + [0] * 2
    table, design = two_columns(sex, [30.0] * 42, 0.02, Identity())
    found = mean(table, design, "age", "sex = F and age = 30")
    assert found.value.naive == 30
    table, design = two_columns([1] * 40, [30.0] * 40, 0.02, Identity())
    found = mean(table, design, "age", "sex = F", original=table)
    assert found.value.naive is None
    assert found.value.true is None
    assert "No reported answers" in found.sentence
    assert found.to_json()["naive"] is None


def test_that_json_has_the_agreed_fields():
    table, design = two_columns([0, 1, 0], [33, 44, 20], 0.9, Identity())
    document = mean(table, design, "age", "sex = F", original=table).to_json()
    agreed = {"estimate", "low", "high", "standard_error", "naive", "true", "method"}
    assert agreed <= set(document)
    assert document["of"] == "age"
