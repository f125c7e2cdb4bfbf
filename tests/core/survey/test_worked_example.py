"""The papers' consultation of seven participants: females at most 30.

P. Andruszkiewicz, article on privacy preserving deliberative consultations, 2016, section IV, with
tables I and II. The article assumes results of reconstruction ("let us assume that the result is
3"); here they are computed, and seven distorted answers are worth what the intervals say.
"""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.reconstruct.assign import assign_intervals, assign_values
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.participants import participants

CONDITION = "Sex = F and Age <= 30"
PERTURBATIONS = {
    "Salary": Additive(noise="uniform", half_width=500),
    "Age": Additive(noise="uniform", half_width=10),
    "Sex": Uniform(keep=0.6),
    "Credits status": Uniform(keep=0.6),
    "Children": Identity(),
}


@pytest.fixture
def original():
    return load_sample("consultation")


@pytest.fixture
def distorted():
    return load_sample("consultation-distorted")


@pytest.fixture
def design(original):
    return Design(
        tuple(DesignedAttribute(original[name].attribute, p) for name, p in PERTURBATIONS.items())
    )


def test_that_the_naive_counts_are_those_of_the_article(distorted, design):
    assert count(distorted, design, "Sex = F").value.naive == 2
    assert count(distorted, design, CONDITION).value.naive == 0


def test_that_one_participant_truly_is_a_female_of_at_most_30(distorted, design, original):
    assert count(distorted, design, CONDITION, original=original).value.true == 1


def test_that_the_number_of_females_is_what_solving_the_equations_gives(distorted, design):
    found = count(distorted, design, "Sex = F").value
    # 2 of 7 said F: (2 - 0.4 * 7) / 0.2, with weights 3 and -2.
    assert found.estimate == pytest.approx(-4)
    # The sample variance of the weights is 5.95; the coin alone brings 6 for every record.
    assert found.standard_error == pytest.approx(np.sqrt(7 * 6))


def test_that_seven_answers_have_a_huge_interval_that_is_shown(distorted, design):
    found = count(distorted, design, CONDITION)
    assert found.value.low == 0
    # If 41 % met the condition, none of seven would be seen in one survey of forty.
    assert found.value.high >= 7 * (1 - 0.025 ** (1 / 7)) - 1e-9
    assert f"{found.value.high:.1f}" in found.sentence
    assert any("Only 7 records;" in remark for remark in found.remarks)


def test_that_the_article_s_assumed_numbers_are_assigned_as_it_describes(distorted):
    sex = distorted["Sex"].data
    matrix = Uniform(keep=0.6).matrix(2)
    females = assign_values(sex, np.array([3, 4]) / 7, matrix, first=True) == 0
    # Both F stay and the first M joins them, in place of the article's "2, 5 and 6".
    assert (np.flatnonzero(females) + 1).tolist() == [1, 4, 6]
    ages = distorted["Age"].data[females]
    young = assign_intervals(ages, np.array([1, 2]) / 3) == 0
    # One of three is at most 30: the one with the lowest distorted age, 33.42.
    assert (np.flatnonzero(females)[young] + 1).tolist() == [1]


def test_that_the_list_of_participants_is_ordered_by_their_posterior(distorted, design):
    found = participants(distorted, design, CONDITION, size=7)
    # Age 33.42 leaves most room below 30. Then 36.65 (M), 38.72 and 39.51 (both F); the other
    # three sent ages above 40, which noise of 10 years cannot make of 30.
    assert (found.rows + 1).tolist() == [1, 7, 6, 4]
    assert np.all(found.posterior > 0)
    assert np.all(found.posterior < 0.1)
    assert found.count.value.low <= found.count.value.estimate < found.count.value.high


def test_that_the_list_is_as_long_as_the_estimate_says(distorted, design):
    # The estimate for so few people is 0; asked for one, the list names the first.
    found = participants(distorted, design, CONDITION)
    assert found.count.value.estimate == 0
    assert found.rows.tolist() == []
    assert (participants(distorted, design, CONDITION, size=1).rows + 1).tolist() == [1]


def test_that_the_sequential_method_finds_no_female_and_says_how_uncertain_that_is(
    distorted, design
):
    found = count(distorted, design, CONDITION, "sequential")
    assert found.value.estimate == pytest.approx(0, abs=0.02)
    assert found.value.high > 5
    assert participants(distorted, design, CONDITION, "sequential").rows.tolist() == []
