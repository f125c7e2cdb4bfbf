"""What a question should reach, and what is said of one without goals."""

import math

import pytest
from asking import small_study

from ppworkbench.analyses.designs.design import report_of
from ppworkbench.analyses.designs.goals import MET, MISSED, OPEN, PLAIN, Goal, light_of
from ppworkbench.core.design import Identity, Uniform


def light(goal: Goal, keep: float = 0.75):
    study = small_study().with_perturbations({"vote": Uniform(keep=keep)})
    return light_of(report_of(study, "vote"), goal)


def test_that_nothing_is_missed_before_somebody_wants_something():
    found = light(Goal.from_json({}))
    assert found.state == OPEN
    assert 0 < found.half_width < 1
    assert light(Goal(points=1e-3)).state == MISSED
    assert light(Goal(points=49)).state == MET
    assert light(Goal(belief=0.01)).privacy is not None


def test_that_a_goal_for_numbers_wants_nothing_of_shares():
    assert light(Goal(epsilon=0.01)).state == OPEN


def test_that_what_cannot_be_estimated_meets_no_goal():
    assert math.isinf(light(Goal(), keep=0.5).half_width)
    assert light(Goal(), keep=0.5).state == OPEN
    assert light(Goal(belief=0.99), keep=0.5).state == MISSED


def test_that_a_question_asked_openly_has_no_light():
    study = small_study().with_perturbations({"vote": Identity()})
    assert light_of(report_of(study, "vote"), Goal()).state == PLAIN


@pytest.mark.parametrize("kept", [{}, {"belief": 0.5}, {"points": 4.0, "epsilon": 1.0}])
def test_that_a_study_keeps_what_was_set_and_nothing_else(kept):
    assert Goal.from_json(kept).to_json() == kept
