"""The trade-off of a question: curves, frontier, goals and axes."""

import math
import time

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Binary,
    Custom,
    Forced,
    Identity,
    Ordinal,
    Retention,
    Uniform,
)
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.goal_seek import Question, measured
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance
from ppworkbench.study.analyses.trade_off import (
    ATTACK,
    BELIEF,
    EPSILON,
    Goal,
    TradePlace,
    choose_axes,
    curve_key,
    direct_half_width,
    family_curve,
    needed_respondents,
    place_of,
    privacy_measures,
    search_frontier,
)

ASKED = Attribute("ticket", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
DRINKS = Attribute("drinks", Kind.ORDINAL, tuple("abcde"), sensitive=("d", "e"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 89))


def ticket(n=2_000, **more):
    return Question(ASKED, Prior.from_weights(ASKED, np.array([0.8, 0.2])), n, **more)


def drinks():
    weights = np.array([0.4, 0.25, 0.2, 0.1, 0.05])
    return Question(DRINKS, Prior.from_weights(DRINKS, weights), 2_000)


def test_that_the_worked_example_of_forced_response_has_its_place():
    place = place_of(ticket(), Forced(p_truth=0.7, forced=(0.5, 0.5)), BELIEF)
    assert place.privacy == pytest.approx(0.5862, abs=1e-4)
    assert 100 * place.half_width == pytest.approx(2.84, abs=0.01)
    assert 100 * direct_half_width(ticket()) == pytest.approx(1.753, abs=1e-3)


@pytest.mark.parametrize("measure", [BELIEF, EPSILON, ATTACK])
@pytest.mark.parametrize("ignoring", [None, NonCompliance(0.1, "safe")])
@pytest.mark.parametrize(
    "perturbation", [Uniform(keep=0.6), Ordinal(weights=(0.6, 0.15, 0.05)), Custom.of(np.eye(5))]
)
def test_that_a_place_has_the_numbers_of_the_measures(measure, ignoring, perturbation):
    question = Question(DRINKS, drinks().prior, 2_000, noncompliance=ignoring)
    place = place_of(question, perturbation, measure)
    assert place.privacy == pytest.approx(measured(measure, question, perturbation))
    assert place.half_width == pytest.approx(measured("half_width", question, perturbation))


@pytest.mark.parametrize(
    ("question", "perturbation"),
    [
        (ticket(), Uniform(keep=0.7)),
        (ticket(), Binary(keep_one=0.9, keep_zero=0.7)),
        (drinks(), Ordinal(weights=(0.6, 0.2))),
    ],
)
def test_that_every_design_of_a_curve_stands_where_the_curve_is(question, perturbation):
    curve = family_curve(question, perturbation, BELIEF)
    for i in range(0, len(curve.values), 17):
        place = place_of(question, curve.put(float(curve.values[i])), BELIEF)
        assert place.privacy == pytest.approx(curve.privacy[i], rel=1e-6)
        assert place.half_width == pytest.approx(curve.half_width[i], rel=1e-6)


def test_that_a_curve_goes_from_private_to_precise():
    curve = family_curve(ticket(), Uniform(keep=0.7), BELIEF)
    assert (np.diff(curve.privacy) > 0).all()
    assert (np.diff(curve.half_width) < 0).all()
    assert curve.half_width[-1] == pytest.approx(direct_half_width(ticket()))


def test_that_the_key_of_a_curve_forgets_the_value_of_its_parameter():
    key = curve_key(ticket(), Uniform(keep=0.7), BELIEF)
    assert key == curve_key(ticket(), Uniform(keep=0.9), BELIEF)
    assert key != curve_key(ticket(), Uniform(keep=0.7), EPSILON)
    assert key != curve_key(ticket(n=500), Uniform(keep=0.7), BELIEF)
    assert key != curve_key(ticket(), Binary(), BELIEF)
    assert curve_key(ticket(), Identity(), BELIEF) is None
    assert family_curve(ticket(), Identity(), BELIEF) is None


def test_that_a_singular_design_has_no_finite_place():
    place = place_of(ticket(), Uniform(keep=0.5), BELIEF)
    assert place.privacy == pytest.approx(0.2)
    assert math.isinf(place.half_width)
    assert not place.is_finite


def test_that_numbers_have_a_curve_of_their_mean():
    question = Question(AGE, Prior.uniform(AGE), 2_000)
    assert privacy_measures(AGE) == (ATTACK, EPSILON)
    for noise in (Additive(noise="laplace", range_privacy=50.0), Retention(keep=0.5)):
        curve = family_curve(question, noise, ATTACK)
        assert (np.diff(curve.half_width) <= 1e-9).all()
        assert curve.half_width[-1] >= direct_half_width(question) * 0.999


def test_that_steps_go_towards_the_truth():
    curve = family_curve(ticket(), Uniform(keep=0.7), BELIEF)
    assert curve.stepped(0.7, 1.0) == pytest.approx(0.71)
    assert curve.stepped(0.7, -10.0) == pytest.approx(0.6)
    assert curve.stepped(0.995, 1.0) == pytest.approx(1.0)
    ordinal = family_curve(drinks(), Ordinal(weights=(0.6, 0.2)), BELIEF)
    assert ordinal.stepped(0.6, 1.0) > 0.6


def test_that_the_frontier_lies_below_the_family_and_its_reports_mean_what_they_say():
    designs = search_frontier(ticket(), BELIEF)
    curve = family_curve(ticket(), Uniform(keep=0.7), BELIEF)
    assert len(designs) > 8
    for design in designs:
        family = float(np.interp(design.place.privacy, curve.privacy, curve.half_width))
        assert design.place.half_width <= family * 1.001
        if isinstance(design.perturbation, Binary):
            assert design.perturbation.keep_one + design.perturbation.keep_zero > 1
    # Everybody with "yes" reports it, so that a reported "no" is certain.
    assert any(design.certain == "no" for design in designs)
    at_sixty = min(designs, key=lambda one: abs(one.place.privacy - 0.6))
    assert at_sixty.place.half_width < 0.026


def test_that_a_goal_tells_what_is_missing():
    goal = Goal(belief=0.6, points=2.0)
    place = place_of(ticket(), Forced(p_truth=0.7, forced=(0.5, 0.5)), BELIEF)
    assert not goal.is_met(place, BELIEF, ASKED)
    needed = needed_respondents(ticket(), place, goal)
    enough = place_of(ticket(n=int(needed)), Forced(p_truth=0.7, forced=(0.5, 0.5)), BELIEF)
    assert goal.is_met(enough, BELIEF, ASKED)
    assert not Goal(belief=0.5).is_met(enough, BELIEF, ASKED)
    assert math.isinf(needed_respondents(ticket(), TradePlace(0.2, math.inf), goal))


@pytest.mark.parametrize(
    "kept", [None, "odd", {"belief": "x", "points": -1}, {"epsilon": math.nan}]
)
def test_that_goals_are_read_from_whatever_a_file_holds(kept):
    assert Goal.from_json(kept) == Goal()
    assert Goal.from_json(Goal(belief=0.5).to_json()) == Goal(belief=0.5)


def test_that_axes_are_round_and_hold_the_design():
    place = place_of(ticket(), Forced(p_truth=0.7, forced=(0.5, 0.5)), BELIEF)
    axes = choose_axes(ticket(), BELIEF, (place,), 0.05)
    assert (axes.low, axes.high) == (0.2, 1.0)
    assert axes.holds(place)
    far = TradePlace(0.21, 0.3)
    assert not axes.holds(far)
    assert choose_axes(ticket(), BELIEF, (place, far), 0.05).holds(far)


def test_that_axes_have_a_width_where_only_one_answer_is_possible():
    only = Attribute("only", Kind.NOMINAL, ("a",))
    point = Attribute("point", Kind.INTEGER, domain=(3, 3))
    for asked in (only, point):
        question = Question(asked, Prior.uniform(asked), 100)
        place = place_of(question, Identity(), ATTACK)
        axes = choose_axes(question, ATTACK, (place,), 0.05)
        assert axes.low < axes.high
        assert axes.top > 0


@pytest.mark.timed
def test_that_the_place_of_the_dot_is_found_in_less_than_eight_milliseconds():
    question = drinks()
    times = []
    for step in range(60):
        began = time.thread_time()
        place_of(question, Uniform(keep=0.4 + step / 200), BELIEF)
        curve_key(question, Uniform(keep=0.4 + step / 200), BELIEF)
        times.append(time.thread_time() - began)
    assert sorted(times)[30] < 0.008
