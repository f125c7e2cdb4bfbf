"""The synthetic survey: possible answers, real dependence, a class that can be learnt."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ppworkbench.core.data.generators.city_survey import city_survey_table
from ppworkbench.core.data.table import Table


@pytest.fixture(scope="module")
def survey() -> Table:
    return city_survey_table()


def test_that_a_larger_survey_begins_with_the_smaller_one(survey: Table) -> None:
    assert city_survey_table(rows=6_000).take(slice(0, 5_000)).equals(survey)


def test_that_another_seed_gives_other_residents(survey: Table) -> None:
    assert not city_survey_table(seed=2).equals(survey)


def test_that_every_answer_of_the_survey_is_a_possible_one(survey: Table) -> None:
    for column in survey:
        if column.is_categorical:
            assert column.data.max() == column.attribute.k - 1
            assert (column.counts > 0).all()
        else:
            low, high = column.attribute.domain or (0, 0)
            assert np.nanmin(column.data) >= low
            assert np.nanmax(column.data) <= high
    ages, children = survey["age"].data, survey["children"].data
    assert np.array_equal(ages, np.rint(ages))
    assert np.array_equal(children, np.rint(children))


def test_that_some_answers_are_missing_and_most_questions_are_answered(survey: Table) -> None:
    rates = {
        "education": 0.02,
        "satisfaction_health": 0.02,
        "trust_council": 0.025,
        "drug_use": 0.03,
        "income": 0.035,
    }
    for column in survey:
        rate = rates.get(column.name, 0.0)
        error = math.sqrt(rate * (1 - rate) / survey.rows)
        assert column.missing_count / survey.rows == pytest.approx(rate, abs=4 * error)


def _rank_correlation(survey: Table, a: str, b: str) -> float:
    from scipy.stats import spearmanr

    known = ~(survey[a].missing | survey[b].missing)
    return float(spearmanr(survey[a].data[known], survey[b].data[known]).statistic)


@pytest.mark.parametrize(
    ("a", "b", "sign"),
    [
        ("education", "income", 1),
        ("employment_length", "income", 1),
        ("age", "belonging", 1),
        ("trust_council", "satisfaction_safety", 1),
        ("satisfaction_parks", "satisfaction_safety", 1),
        ("car", "fare_evasion", -1),
        ("age", "drug_use", -1),
        ("fare_evasion", "drug_use", 1),
        ("children", "supports_school", 1),
        ("age", "supports_school", -1),
        ("trust_council", "supports_school", 1),
        ("satisfaction_schools", "supports_school", -1),
    ],
)
def test_that_answers_depend_on_each_other(survey: Table, a: str, b: str, sign: int) -> None:
    # Of independent answers, rank correlations have a standard error of 1 / sqrt(n) = 0.014.
    assert sign * _rank_correlation(survey, a, b) > 5 / math.sqrt(survey.rows)


def test_that_districts_differ_in_income_and_in_support_of_the_school(survey: Table) -> None:
    district, support = survey["district"], survey["supports_school"].data
    share = {
        name: support[district.data == i].mean() for i, name in enumerate(district.attribute.values)
    }
    assert share["Northfield"] > 0.75
    assert share["Garden Hill"] < 0.35
    income = survey["income"].data
    hill = np.nanmedian(income[district.data == district.attribute.values.index("Garden Hill")])
    harbour = np.nanmedian(income[district.data == district.attribute.values.index("Harbour")])
    assert hill > 1.2 * harbour


def test_that_income_is_skewed_to_the_right(survey: Table) -> None:
    income = survey["income"].data
    assert np.nanmean(income) > 1.1 * np.nanmedian(income)


def test_that_sensitive_questions_have_few_yeses_but_some(survey: Table) -> None:
    for name in ("fare_evasion", "cash_in_hand", "drug_use", "drink_driving"):
        counts = survey[name].counts
        assert 0.05 < counts[1] / counts.sum() < 0.26


def test_that_a_classifier_learns_who_supports_the_school(survey: Table) -> None:
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    known = [np.nan_to_num(c.data.astype(float), nan=-1.0) for c in survey if c.name != "district"]
    homes = np.eye(7)[survey["district"].data]
    answers = np.column_stack([*known[:-1], homes])
    support = survey["supports_school"].data
    majority = max(support.mean(), 1 - support.mean())
    assert 0.55 < majority < 0.62
    for classifier in (DecisionTreeClassifier(min_samples_leaf=40, random_state=0), GaussianNB()):
        accuracy = cross_val_score(classifier, answers, support, cv=5).mean()
        assert 0.73 < accuracy < 0.82
