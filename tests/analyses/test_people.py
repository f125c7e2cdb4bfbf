"""A hundred people: whole numbers by the prior, seeded draws, and beliefs that never move."""

import numpy as np
import pytest
from exploring import small_study
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.analyses.designs.design import report_of
from ppworkbench.analyses.designs.people import draw_people, has_people, whole_people
from ppworkbench.core.design import Identity, Uniform


@pytest.fixture
def study():
    study = small_study()
    values = study.design["town"].attribute.values
    return study.with_sensitive("town", values[:1]).with_perturbations({"town": Uniform(keep=0.6)})


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=12).filter(lambda one: sum(one) > 0.01))
def test_that_people_are_whole_add_up_and_are_off_by_less_than_one(weights):
    shares = np.array(weights) / sum(weights)
    found = whole_people(shares)
    assert sum(found) == 100
    assert all(abs(count - 100 * share) < 1 for count, share in zip(found, shares, strict=True))


def test_that_the_same_number_is_the_same_draw_and_the_next_is_another(study):
    report = report_of(study, "town")
    first = draw_people(report, 7, 1)
    assert first == draw_people(report, 7, 1)
    again = draw_people(report, 7, 2)
    assert again.true == first.true
    assert again.reported != first.reported
    assert again.belief == first.belief
    assert draw_people(report, 8, 1).reported != first.reported


def test_that_reports_follow_the_matrix_over_many_draws(study):
    report = report_of(study, "town")
    draws = [draw_people(report, 7, number) for number in range(300)]
    kept = np.mean([np.equal(one.true, one.reported).mean() for one in draws])
    assert kept == pytest.approx(0.6, abs=4 * np.sqrt(0.24 / 30_000))
    hits, reports = sum(one.hits for one in draws), sum(sum(one.reports) for one in draws)
    assert hits / reports == pytest.approx(draws[0].belief, abs=0.02)


def test_that_without_randomisation_everybody_reports_the_truth(study):
    report = report_of(study.with_perturbations({"town": Identity()}), "town")
    draw = draw_people(report, 7, 1)
    assert draw.true == draw.reported
    assert (draw.belief, draw.other) == (1.0, 0.0)


def test_that_one_sensitive_answer_is_believed_as_the_measure_says(study):
    report = report_of(study, "town")
    assert draw_people(report, 7, 1).belief == pytest.approx(report.privacy["belief"].value)


def test_that_numbers_have_no_people(study):
    assert has_people(report_of(study, "town"))
    assert not has_people(report_of(study, "age"))
