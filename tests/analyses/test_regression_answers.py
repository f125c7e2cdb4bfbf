"""What the window proposes, predicts and checks of regressions."""

from __future__ import annotations

import numpy as np
import pytest
from asking import small_study, small_table
from designs import classic_study

from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.answers import SurveyError, SurveyResult, command_of, methods_of
from ppworkbench.analyses.survey.questions import REGRESSION, Question
from ppworkbench.analyses.survey.regressions import (
    answer_regression,
    can_be_used,
    first_model,
    judge_fit,
    models_for,
    own_predictions,
    predict_by,
    values_to_predict,
    why_no_fit_test,
    why_no_variance,
    with_formula,
)
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Identity, Uniform
from ppworkbench.core.models import Regression, RegressionOptions, parse_formula
from ppworkbench.core.models.regress import MODEL
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study
from tests.regression_surveys import attention_survey


def plain_study(**randomised):
    table = small_table()
    plain = dict.fromkeys(table.names, Identity())
    return classic_study(table, "plain").with_perturbations({**plain, **randomised})


def asked(formula, **options):
    model = Regress(formula=parse_formula(formula), options=RegressionOptions(**options))
    return Question(REGRESSION, model=model)


@pytest.fixture(scope="module")
def study():
    return plain_study(vote=Uniform(keep=0.9))


@pytest.fixture(scope="module")
def answer(study):
    found = answer_regression(asked("vote=yes ~ town + age"), "age", study, DistortedCache())
    assert isinstance(found, SurveyResult)
    return found


def test_that_plain_columns_are_proposed_for_a_randomised_outcome(study):
    assert str(first_model(study).formula) == "vote=yes ~ town + mood + age"


def test_that_one_predictor_is_proposed_where_all_are_randomised():
    formula = first_model(small_study()).formula
    assert len(formula.terms) == 1


def test_that_columns_of_the_sampling_are_never_proposed(study):
    sampled = study.with_sampling(Sampling(stratum=("town",)))
    assert "town" not in first_model(sampled).formula.attributes


def test_that_a_table_of_names_has_a_model_without_them():
    names = tuple(f"person {i}" for i in range(40))
    table = Table((
        Column(Attribute("who", Kind.NOMINAL, names), np.arange(40)),
        Column(Attribute("vote", Kind.BINARY, ("no", "yes")), np.arange(40) % 2),
    ))  # fmt: skip
    assert str(first_model(classic_study(table, "names")).formula) == "vote=yes ~ 1"


def test_that_a_model_gives_way_where_the_outcome_does_not_suit_it(study):
    model = Regress(formula=parse_formula("age ~ pay"), options=RegressionOptions(model="poisson"))
    assert models_for(model.formula, study.design) == ("linear", "poisson")
    same = with_formula(model, parse_formula("age ~ town"), study.design)
    assert same.options.model == "poisson"
    other = with_formula(model, parse_formula("vote=yes ~ town"), study.design)
    assert other.options.model == ""
    assert can_be_used(other, study)
    assert not can_be_used(Regress(formula=parse_formula("x ~ y")), study)


def test_that_a_check_question_is_used_and_leaves_no_likelihood():
    table, design = attention_survey(np.random.default_rng(1), 1500)
    study = Study(distorted=table, design=design)
    question = asked("trait=yes ~ x")
    found = answer_regression(question, "x", study, DistortedCache())
    assert isinstance(found, SurveyResult)
    assert found.result.device.parameter == "attentive"
    assert found.result.predictions
    assert all(test.kind == "wald" for test in found.result.tests)
    assert "check question" in why_no_fit_test(found)
    assert MODEL in why_no_variance(question, study)
    told = " ".join(map(str, methods_of(found)))
    assert "The share of people who attend to trait was estimated as well" in told


def test_that_numbers_are_predicted_where_they_were_answered(study):
    table = study.original
    formula = parse_formula("vote=yes ~ pay + age")
    values = values_to_predict(formula, "age", study.design, table)
    assert (values[0], values[-1], len(values)) == ("18", "60", 13)
    assert values_to_predict(formula, "town", study.design, table)[0] == "Ash"
    logged = parse_formula("vote=yes ~ log(pay)")
    noisy = plain_study(pay=Additive(noise="normal", range_privacy=20)).design
    assert float(values_to_predict(logged, "pay", noisy, table)[0]) > 0


def test_that_a_fit_holds_its_test_and_its_predictions(answer):
    found = answer.result
    assert isinstance(found, Regression)
    assert [test.kind for test in found.tests][-1] == "lr"
    predictions = own_predictions(answer)
    assert predictions.by == "age"
    assert len(predictions.rows) == 13
    # What is told beside the coefficients does not make another question.
    assert answer.question == asked("vote=yes ~ town + age")
    assert hash(answer.question) == hash(asked("vote=yes ~ town + age"))


def test_that_other_predictions_are_those_of_the_same_fit(answer):
    found = predict_by("town", answer, DistortedCache())
    assert [row.given["town"] for row in found.rows] == ["Ash", "Beech", "Cedar", "Old Oak"]
    assert all(row.low < row.estimate < row.high for row in found.rows)


def test_that_the_fit_is_judged_for_values_with_a_likelihood_only(study, answer):
    assert why_no_fit_test(answer) is None
    judged = judge_fit(answer, DistortedCache())
    assert 0 < judged.test.p <= 1
    number = answer_regression(asked("age ~ town"), "", study, DistortedCache())
    assert "values only" in why_no_fit_test(number)
    inverse = answer_regression(asked("vote=yes ~ town", method="inverse"), "", study,
                                DistortedCache())  # fmt: skip
    assert "likelihood" in why_no_fit_test(inverse)
    assert judge_fit(inverse, DistortedCache()).refusal


def test_that_standard_errors_without_a_meaning_have_a_reason(study):
    assert set(why_no_variance(asked("vote=yes ~ town"), study)) == {"sampling"}
    inverse = asked("vote=yes ~ town", method="inverse")
    assert set(why_no_variance(inverse, study)) == {"sampling", "model"}
    sampled = study.with_sampling(Sampling(stratum=("town",)))
    assert set(why_no_variance(asked("vote=yes ~ age"), sampled)) == {"model", "robust"}


def test_that_an_error_is_told_once_the_coefficients_cannot_be_found(study):
    found = answer_regression(asked("vote=maybe ~ town"), "town", study, DistortedCache())
    assert isinstance(found, SurveyError)
    assert found.question == asked("vote=maybe ~ town")


def test_that_the_smallest_group_is_counted(answer):
    name, value, count = answer.result.smallest
    assert (name, value) == ("town", "Old Oak")
    fitted = (answer.distorted["town"].data == 3) & (answer.distorted["vote"].data >= 0)
    assert 0 < count <= int(fitted.sum())


def test_that_methods_and_command_tell_the_same_question(answer):
    assert any("logistic" in said for said in methods_of(answer))
    assert command_of(answer).startswith("ppworkbench regress plain-distorted.csv --design")


def test_that_a_question_survives_the_study_file():
    kept = asked("vote=yes ~ town + log(age)", variance="robust", method="inverse")
    again = Question.from_json(kept.to_json())
    assert again == kept
    with pytest.raises(ValueError, match="formula"):
        Question.from_json({"statistic": "regression", "model": {}})
