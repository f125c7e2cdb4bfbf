"""How many people meet a condition."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import SamplingOptions
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
    Unrelated,
)
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.core.reconstruct import reconstruct
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.counts import count

SEX = Attribute("sex", Kind.BINARY, ("F", "M"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))


def one_column(attribute, data, perturbation):
    table = Table((Column(attribute, np.array(data)),))
    return table, Design((DesignedAttribute(attribute, perturbation),))


@pytest.mark.parametrize("method", ["joint", "sequential"])
@pytest.mark.parametrize(
    "condition",
    [
        "sex = female",
        "age <= 30 and sex = male",
        "income <= 1500 and education >= bachelor and 20 <= age < 60",
        "children in {1, 2} and district != 'Old Town'",
        "",
    ],
)
def test_that_without_distortion_the_count_is_the_truth(make_survey, condition, method):
    names = ("sex", "age", "income", "education", "children", "district")
    survey = make_survey(dict.fromkeys(names))
    found = count(
        survey.distorted, survey.design, condition, method, original=survey.original
    ).value
    assert found.estimate == pytest.approx(found.true, abs=1e-6)
    assert found.naive == found.true


def test_that_the_joint_count_is_the_sum_of_products_with_the_sample_variance():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (2, 400))
    attributes = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in "ab"]
    table = Table(tuple(Column(a, c) for a, c in zip(attributes, codes, strict=True)))
    design = Design(
        (
            DesignedAttribute(attributes[0], Uniform(keep=0.7)),
            DesignedAttribute(attributes[1], Unrelated(theta=0.5, personal=(0.9, 0.1))),
        )
    )
    found = count(table, design, "a = yes and b = no")
    first = np.where(codes[0] == 1, 0.7, -0.3) / 0.4
    second = ((codes[1] == 0) - 0.5 * 0.9) / 0.5
    product = first * second
    assert found.value.estimate == pytest.approx(product.sum())
    assert found.value.standard_error == pytest.approx(np.sqrt(400 * product.var(ddof=1)))
    # The device makes reports so skewed that the interval is not the normal one.
    assert found.value.interval == "score"
    assert found.value.low < found.value.estimate < found.value.high
    assert found.value.naive == np.sum((codes[0] == 1) & (codes[1] == 0))


def test_that_confidence_widens_the_interval():
    table, design = one_column(SEX, [0, 0, 1, 1, 1, 0], Uniform(keep=0.9))
    narrow, wide = (count(table, design, "sex = F", confidence=c).value for c in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high
    with pytest.raises(ParameterError, match="above 0 and below 1"):
        count(table, design, "sex = F", confidence=1.0)


def test_that_records_with_missing_answers_are_left_out_and_told():
    table, design = one_column(SEX, [0, -1, 1, 0, -1], Identity())
    found = count(table, design, "sex = F")
    assert (found.value.estimate, found.respondents) == (2, 3)
    assert "2 of 5 records have no answer to 'sex' and are excluded." in found.remarks


def test_that_missing_as_a_value_counts_as_an_answer():
    answer = Attribute("answer", Kind.NOMINAL, ("no", "yes", "missing"))
    table = Table((Column(answer, np.array([0, 1, -1, 2])),))
    design = Design((DesignedAttribute(answer, Identity(), missing_is_value=True),))
    assert count(table, design, "answer = missing").value.estimate == 2


def test_that_values_in_another_order_are_the_same_values():
    _, design = one_column(SEX, [0], Uniform(keep=0.8))
    turned = Table((Column(SEX.with_(values=("M", "F")), np.array([1, 1, 0, 1])),))
    straight = Table((Column(SEX, np.array([0, 0, 1, 0])),))
    found = [count(table, design, "sex = F").value.estimate for table in (turned, straight)]
    assert found[0] == found[1]


def test_that_an_estimate_below_0_or_above_n_is_shown_and_remarked():
    table, design = one_column(SEX, [1] * 14 + [0] * 6, Uniform(keep=0.6))
    low = count(table, design, "sex = F")
    assert low.value.estimate == pytest.approx(-10)
    assert any("treat it as 0" in remark for remark in low.remarks)
    high = count(table, design, "sex = M")
    assert high.value.estimate == pytest.approx(30)
    assert any("treat it as 100 %" in remark for remark in high.remarks)


def test_that_an_estimate_that_chance_does_not_explain_is_not_called_chance():
    table, design = one_column(SEX, [1] * 50, Uniform(keep=0.6))
    low = count(table, design, "sex = F")
    assert low.value.estimate == pytest.approx(-100)
    assert low.fit.verdict == "not chance"
    assert any("do not fit the device" in remark for remark in low.remarks)


def test_that_an_answer_that_never_came_still_has_an_interval():
    # Every record has the same weight -2, but the coin alone brings a variance of 6 each.
    table, design = one_column(SEX, [1] * 50, Uniform(keep=0.6))
    assert count(table, design, "sex = F").value.standard_error == pytest.approx(np.sqrt(300))


@pytest.mark.parametrize("method", ["joint", "sequential"])
def test_that_no_records_and_no_answers_are_one_sentence(method):
    table, design = one_column(SEX, [], Uniform(keep=0.6))
    with pytest.raises(DataError, match="The data have no records; nothing"):
        count(table, design, "sex = F", method)
    table, design = one_column(SEX, [-1, -1], Uniform(keep=0.6))
    with pytest.raises(DataError, match="No record has an answer to 'sex'"):
        count(table, design, "sex = F", method)


def test_that_a_single_record_has_an_estimate_and_no_interval():
    table, design = one_column(SEX, [0], Uniform(keep=0.6))
    found = count(table, design, "sex = F")
    assert found.value.estimate == pytest.approx(3)
    assert found.value.standard_error == np.inf
    assert "1 record gives no interval" in found.sentence
    assert any("Only 1 record;" in remark for remark in found.remarks)
    assert count(table, design, "sex = F", "sequential").value.estimate == pytest.approx(1)


def test_that_a_condition_that_no_answer_meets_counts_0_and_says_so():
    table, design = one_column(AGE, [20.0, 30.0], Additive(noise="uniform", half_width=5))
    found = count(table, design, "age > 95")
    assert found.value.estimate == 0
    assert "No possible answer to 'age' meets the condition." in found.remarks


def test_that_attributes_that_are_not_there_are_named():
    table, design = one_column(SEX, [0], Uniform(keep=0.6))
    with pytest.raises(ParameterError, match="The design has no attribute 'age'"):
        count(table, design, "age < 30")
    other = Table((Column(SEX.with_(name="gender"), np.array([0])),))
    with pytest.raises(DataError, match="no column 'sex'; they have gender") as caught:
        count(other, design, "sex = F")
    assert caught.value.attribute == "sex"
    strange = Table((Column(SEX.with_(values=("F", "X")), np.array([0, 1])),))
    with pytest.raises(DataError, match="'X'"):
        count(strange, design, "sex = F")
    with pytest.raises(ParameterError, match="no method called 'magic'"):
        count(table, design, "sex = F", "magic")


def test_that_a_singular_design_is_refused():
    table, design = one_column(SEX, [0, 1], Uniform(keep=0.5))
    with pytest.raises(DesignError, match="singular"):
        count(table, design, "sex = F")


def test_that_answers_beyond_the_noise_are_left_out_and_told():
    table, design = one_column(AGE, [20.0, 400.0], Additive(noise="uniform", half_width=5))
    found = count(table, design, "age <= 30")
    assert found.respondents == 1
    assert any("cannot produce" in remark for remark in found.remarks)
    table, design = one_column(AGE, [400.0], Additive(noise="uniform", half_width=5))
    with pytest.raises(DataError, match="check that it is the right one"):
        count(table, design, "age <= 30")


@pytest.mark.slow
def test_that_attributes_under_one_coin_are_counted_together(make_survey):
    group = Group(("car", "home"), "unrelated", 0.7, (("home", (0.1, 0.2, 0.3, 0.4)),))
    condition = "car = yes and home = owner"
    together, apart = [], []
    for seed in range(100):
        survey = make_survey({"car": None, "home": None}, groups=(group,), seed=seed)
        own_coins = Design(
            tuple(
                DesignedAttribute(designed.attribute, group.marginal(designed.name))
                for designed in survey.design
            )
        )
        together.append(count(survey.distorted, survey.design, condition).value.estimate)
        apart.append(count(survey.distorted, own_coins, condition).value.estimate)
    true = count(survey.original, _plain(survey.design), condition).value.estimate
    error = np.std(together) / 10
    assert abs(np.mean(together) - true) < 3 * error
    assert abs(np.mean(apart) - true) > 6 * error


def _plain(design):
    return Design(tuple(DesignedAttribute(d.attribute, Identity()) for d in design))


@pytest.mark.parametrize(
    ("perturbation", "condition"),
    [
        (Retention(keep=0.5), "income <= 1500"),
        pytest.param(
            Additive(noise="uniform", range_privacy=20), "income < 3000", marks=pytest.mark.slow
        ),
        (Discretise(edges=(0, 1500, 3000, 15000)), "income < 3000"),
    ],
)
def test_that_numbers_are_counted_with_another_attribute(make_survey, perturbation, condition):
    condition += " and car = yes"
    results = []
    for seed in range(60):
        survey = make_survey({"income": perturbation, "car": Uniform(keep=0.8)}, seed=seed)
        found = count(survey.distorted, survey.design, condition, original=survey.original)
        results.append((found.value.estimate, found.value.standard_error))
    estimates, errors = np.array(results).T
    assert abs(estimates.mean() - found.value.true) < 3 * estimates.std() / np.sqrt(60)
    assert estimates.std() == pytest.approx(errors.mean(), rel=0.35)
    assert not any("smoothed" in remark for remark in found.remarks)


@pytest.mark.slow
def test_that_strong_noise_has_an_interval_that_holds_the_truth(make_survey):
    noise = {"age": Additive(noise="normal", range_privacy=50), "sex": Uniform(keep=0.7)}
    covered = 0
    for seed in range(20):
        survey = make_survey(noise, seed=seed)
        found = count(
            survey.distorted, survey.design, "age <= 30 and sex = female", original=survey.original
        )
        assert found.limits.assumption.attribute == "age"
        covered += found.value.low <= found.value.true <= found.value.high
    # 20 intervals of 95 %: fewer than 15 would have a probability below 1e-3.
    assert covered >= 15


def test_that_a_number_alone_is_counted_as_it_is_reconstructed(make_survey):
    survey = make_survey({"income": Additive(noise="normal", range_privacy=50)})
    found = count(survey.distorted, survey.design, "income < 1500", original=survey.original)
    assert found.value.low <= found.value.true <= found.value.high
    alone = reconstruct(
        survey.distorted["income"],
        survey.design["income"].attribute,
        survey.design.perturbation("income"),
    )
    # 1500 is the upper border of the fourth of 40 equal intervals; the grids are not the same.
    share = alone.probability[:4].sum()
    assert found.value.estimate == pytest.approx(found.respondents * share, rel=0.02)


def test_that_a_count_can_be_stopped(make_survey):
    survey = make_survey({"age": Additive(noise="normal", range_privacy=50), "sex": None})
    progress = StoppableProgress()
    progress.stop()
    with pytest.raises(Cancelled):
        count(survey.distorted, survey.design, "age <= 30 and sex = male", progress=progress)


def test_that_progress_rises_to_the_end(make_survey):
    survey = make_survey({"age": Additive(noise="normal", range_privacy=50), "sex": None})
    seen = []
    count(
        survey.distorted, survey.design, "age <= 30 and sex = male",
        progress=lambda done, message="": seen.append(done),
    )  # fmt: skip
    assert seen[0] < 0.1
    assert seen[-1] > 0.6
    assert all(0 <= share <= 1 for share in seen)


def test_that_json_has_the_agreed_fields():
    table, design = one_column(SEX, [0, 1, 1, 1], Uniform(keep=0.8))
    document = count(table, design, "sex = F", original=table).to_json()
    agreed = {"estimate", "low", "high", "standard_error", "naive", "true", "method"}
    assert agreed <= set(document)
    assert document["true"] == 1
    assert document["condition"] == "sex = F"
    without = count(table, design, Condition()).to_json()
    assert "true" not in without


@pytest.mark.parametrize("options", [None, SamplingOptions(interval="wilson")])
def test_that_a_known_number_is_no_estimate_and_its_interval_is_of_the_population(options):
    table, design = one_column(SEX, [0] * 25 + [1] * 25, Identity())
    found = count(table, design, "sex = F", options=options)
    assert found.sentence == (
        f"25 of 50 respondents meet sex = F (95 % interval {found.value.low:.1f} to "
        f"{found.value.high:.1f} of as many in the population). Results refer to the population "
        "from which the 50 respondents were sampled."
    )


def test_that_the_sentence_tells_estimate_interval_and_naive_count():
    table, design = one_column(SEX, [0] * 62 + [1] * 38, Uniform(keep=0.8))
    sentence = count(table, design, "sex = F").sentence
    assert sentence == (
        "About 70 of 100 respondents meet sex = F (95 % interval 54.1 to 85.9). Results "
        "refer to the population from which the 100 respondents were sampled. "
        "Without correction: 62."
    )
