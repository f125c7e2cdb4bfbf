"""Who probably meets a condition."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.survey.answers import meeting
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.participants import WARNING, participants

pytestmark = pytest.mark.thorough

CONDITION = "district in {'Old Town', Northfield} and education >= bachelor and car = yes"
PERTURBATIONS = {
    "district": Uniform(keep=0.6),
    "education": Uniform(keep=0.6),
    "car": Uniform(keep=0.8),
}
SEX = Attribute("sex", Kind.BINARY, ("F", "M"))


def truly(survey, condition, rows):
    regions = regions_of(parse_condition(condition), survey.design)
    chosen = survey.original.take(rows)
    return meeting({name: chosen[name].data for name in regions}, regions, len(rows))


def test_that_the_posterior_is_bayes_rule_on_the_reconstructed_prior():
    codes = np.repeat([0, 1], [620, 380])
    table = Table((Column(SEX, codes),))
    design = Design((DesignedAttribute(SEX, Uniform(keep=0.8)),))
    found = participants(table, design, "sex = F", size=1000)
    # The prior is 0.7 up to one imagined respondent: 0.8 * 0.7 / 0.62 and 0.2 * 0.7 / 0.38.
    by_code = {int(codes[row]): p for row, p in zip(found.rows, found.posterior, strict=True)}
    assert by_code[0] == pytest.approx(0.8 * 0.7 / 0.62, abs=2e-3)
    assert by_code[1] == pytest.approx(0.2 * 0.7 / 0.38, abs=2e-3)


@pytest.mark.slow
def test_that_as_many_meet_the_condition_as_the_posteriors_promise(make_survey):
    survey = make_survey(PERTURBATIONS)
    for draw in ("highest", "random"):
        found = participants(survey.distorted, survey.design, CONDITION, draw=draw, size=500)
        meets = truly(survey, CONDITION, found.rows)
        spread = np.sqrt((found.posterior * (1 - found.posterior)).sum())
        assert abs(meets.sum() - found.posterior.sum()) < 4 * spread


def test_that_the_highest_posteriors_are_listed_in_falling_order(make_survey):
    survey = make_survey(PERTURBATIONS)
    every = participants(survey.distorted, survey.design, CONDITION, size=10**6)
    few = participants(survey.distorted, survey.design, CONDITION, size=50)
    assert np.all(np.diff(every.posterior) <= 0)
    assert len(set(every.rows.tolist())) == len(every.rows)
    assert np.array_equal(few.rows, every.rows[:50])
    drawn = participants(survey.distorted, survey.design, CONDITION, size=50, draw="random")
    assert np.all(np.diff(drawn.posterior) <= 0)
    assert drawn.posterior.sum() < few.posterior.sum()


@pytest.mark.slow
def test_that_a_random_draw_follows_the_posteriors():
    table = Table((Column(SEX, np.repeat([0, 1], 500)),))
    design = Design((DesignedAttribute(SEX, Uniform(keep=0.9)),))
    drawn = np.array(
        [
            participants(table, design, "sex = F", size=1, draw="random", seed=seed).rows[0]
            for seed in range(400)
        ]
    )
    # Posteriors are 0.9 and 0.1: of 400 first draws about 360 say F, with an error of 6.
    assert abs(np.count_nonzero(drawn < 500) - 360) < 4 * 6


@pytest.mark.slow
def test_that_the_seed_repeats_the_list(make_survey):
    survey = make_survey(PERTURBATIONS)
    one, again, other = (
        participants(survey.distorted, survey.design, CONDITION, size=40, draw="random", seed=seed)
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one.rows, again.rows)
    assert not np.array_equal(one.rows, other.rows)


@pytest.mark.slow
def test_that_as_many_are_listed_as_are_estimated_unless_told_otherwise(make_survey):
    survey = make_survey(PERTURBATIONS)
    every = participants(survey.distorted, survey.design, CONDITION, size=10**6)
    usual = participants(survey.distorted, survey.design, CONDITION)
    assert len(usual.rows) == round(len(every.rows) * usual.count.share.estimate)
    assert len(participants(survey.distorted, survey.design, CONDITION, size=0).rows) == 0


def test_that_rows_are_positions_in_the_table_and_missing_answers_are_not_listed():
    table = Table((Column(SEX, np.array([-1, 1, -1, 0, 1, 0])),))
    design = Design((DesignedAttribute(SEX, Identity()),))
    found = participants(table, design, "sex = F", size=6)
    assert sorted(found.rows.tolist()) == [3, 5]
    assert found.posterior.tolist() == [1, 1]
    assert any("only 2 records to list" in remark for remark in found.remarks)


def test_that_the_list_comes_with_the_count_and_its_interval(make_survey):
    survey = make_survey(PERTURBATIONS)
    found = participants(survey.distorted, survey.design, CONDITION)
    alone = count(survey.distorted, survey.design, CONDITION)
    assert found.count.value == alone.value


def test_that_the_sequential_list_is_the_assigned_set(make_survey):
    survey = make_survey({"sex": None, "car": None})
    condition = "sex = female and car = yes"
    found = participants(survey.distorted, survey.design, condition, "sequential")
    assert np.all(truly(survey, condition, found.rows))
    assert len(found.rows) == pytest.approx(found.count.value.estimate)


def test_that_numbers_under_noise_have_posteriors(make_survey):
    survey = make_survey(
        {"age": Additive(noise="uniform", range_privacy=50), "sex": Uniform(keep=0.8)}
    )
    condition = "age <= 30 and sex = female"
    found = participants(survey.distorted, survey.design, condition, size=400)
    meets = truly(survey, condition, found.rows)
    spread = np.sqrt((found.posterior * (1 - found.posterior)).sum())
    # The prior is estimated too: allow a tenth beyond the chance of single records.
    assert abs(meets.sum() - found.posterior.sum()) < 4 * spread + 40


def test_that_very_many_attributes_are_taken_as_independent(make_survey):
    names = [f"satisfaction_{name}" for name in ("transport", "safety", "parks", "schools")]
    names += ["trust_council", "belonging", "district", "education", "employment_length"]
    survey = make_survey({name: Uniform(keep=0.8) for name in names}, rows=800)
    condition = " and ".join(
        f"{name} != '{survey.original[name].attribute.values[0]}'" for name in names
    )
    found = participants(survey.distorted, survey.design, condition, size=10)
    assert any("treated as independent" in remark for remark in found.remarks)
    assert np.all((found.posterior > 0) & (found.posterior <= 1))


def test_that_nobody_is_listed_for_what_nobody_can_answer():
    age = Attribute("age", Kind.INTEGER, domain=(18, 90))
    table = Table((Column(age, np.array([20.0, 30.0, 40.0])),))
    design = Design((DesignedAttribute(age, Additive(noise="uniform", half_width=5)),))
    for method in ("joint", "sequential"):
        found = participants(table, design, "age > 95", method)
        assert found.rows.tolist() == []
        assert "No possible answer to 'age' meets the condition." in found.remarks
    assert found.to_json()["rows"] == []


def test_that_wrong_choices_are_one_sentence():
    table = Table((Column(SEX, np.array([0, 1])),))
    design = Design((DesignedAttribute(SEX, Uniform(keep=0.8)),))
    with pytest.raises(ParameterError, match="Size is -1"):
        participants(table, design, "sex = F", size=-1)
    with pytest.raises(ParameterError, match="no draw called 'lowest'"):
        participants(table, design, "sex = F", draw="lowest")


def test_that_json_has_the_agreed_fields():
    table = Table((Column(SEX, np.array([0, 1, 0, 1])),))
    design = Design((DesignedAttribute(SEX, Uniform(keep=0.8)),))
    document = participants(table, design, "sex = F", size=2).to_json()
    assert [set(entry) for entry in document["rows"]] == [{"row", "posterior"}] * 2
    assert sorted(entry["row"] for entry in document["rows"]) == [0, 2]
    assert "estimate" in document["count"]


@pytest.mark.parametrize(("yes", "listed"), [(300, 167), (150, 0)])
def test_that_as_many_are_listed_as_the_estimate_says_with_a_warning(yes, listed):
    """With 20 % false reports, 300 and 150 of 1,000 come from a share of 1/6 and of less than 0."""
    design = Design((DesignedAttribute(SEX, Uniform(keep=0.8)),))
    table = Table((Column(SEX, np.repeat([0, 1], [1000 - yes, yes])),))
    found = participants(table, design, "sex = M")
    assert len(found.rows) == listed == round(1000 * max(found.count.share.estimate, 0))
    assert found.remarks[0] == WARNING
    assert ("of these about" in found.sentence) == bool(listed)
