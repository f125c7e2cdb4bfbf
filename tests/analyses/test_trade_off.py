"""The trade-off of a question: curves, frontier, goals and axes."""

import math

import numpy as np
import pytest

from ppworkbench.analyses.designs.frontier import frontier_at, search_frontier, with_curve
from ppworkbench.analyses.designs.goals import Goal, find_repair, needed_respondents
from ppworkbench.analyses.designs.places import (
    ATTACK,
    BELIEF,
    EPSILON,
    TradePlace,
    choose_axes,
    curve_key,
    direct_half_width,
    family_curve,
    place_of,
    privacy_measures,
)
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Binary,
    Custom,
    Forced,
    Geometric,
    Identity,
    Ordinal,
    Retention,
    SquareWave,
    Subset,
    Uniform,
)
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.goal_seek import Question, measured
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance

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


@pytest.mark.parametrize(
    ("question", "perturbation"),
    [
        (Question(AGE, None, 2_000), SquareWave(epsilon=1.0)),
        (drinks(), Geometric(epsilon=1.0)),
        (drinks(), Subset(epsilon=1.0)),
    ],
)
def test_that_the_curve_of_an_epsilon_goes_beyond_the_design_on_both_sides(question, perturbation):
    curve = family_curve(question, perturbation, EPSILON)
    assert curve.privacy[0] < 0.1
    assert curve.privacy[-1] > 15
    assert curve.half_width[-1] == pytest.approx(direct_half_width(question), rel=0.05)
    # A goal that twice the epsilon reaches is not called unreachable.
    wanted = place_of(question, type(perturbation)(epsilon=2.0), EPSILON)
    place = place_of(question, perturbation, EPSILON)
    assert np.interp(2.1, curve.privacy, curve.half_width) < wanted.half_width < place.half_width


def test_that_steps_go_towards_the_truth():
    curve = family_curve(ticket(), Uniform(keep=0.7), BELIEF)
    assert curve.stepped(0.7, 1.0) == pytest.approx(0.71)
    assert curve.stepped(0.7, -10.0) == pytest.approx(0.6)
    assert curve.stepped(0.995, 1.0) == pytest.approx(1.0)
    ordinal = family_curve(drinks(), Ordinal(weights=(0.6, 0.2)), BELIEF)
    assert ordinal.stepped(0.6, 1.0) > 0.6


def family_designs(k):
    """Designs of every family, here and there."""
    keeps = np.linspace(1 / k + 0.04, 1.0, 14).tolist()
    made = [Uniform(keep=keep) for keep in keeps]
    chances = np.random.default_rng(3).dirichlet(np.ones(k), 4)
    made += [Forced(p_truth=p, forced=tuple(f)) for p in keeps for f in chances.tolist()]
    if k == 2:
        made += [Binary(keep_one=a, keep_zero=b) for a in keeps for b in keeps]
    else:
        rest = [(keep, (1 - keep) / 3, (1 - keep) / 9) for keep in keeps]
        made += [Ordinal(weights=weights, loop=loop) for weights in rest for loop in (True, False)]
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "ignored"),
    [
        (ATTACK, None),
        pytest.param(BELIEF, None, marks=pytest.mark.slow),
        pytest.param(EPSILON, NonCompliance(0.1, "safe"), marks=pytest.mark.slow),
        pytest.param(BELIEF, NonCompliance(0.1, "safe"), marks=pytest.mark.slow),
        pytest.param(EPSILON, None, marks=pytest.mark.slow),
        pytest.param(ATTACK, NonCompliance(0.1, "safe"), marks=pytest.mark.slow),
    ],
)
def test_that_no_design_for_two_answers_lies_under_the_frontier(measure, ignored):
    question = ticket(noncompliance=ignored)
    designs = search_frontier(question, measure)
    privacy = [design.place.privacy for design in designs]
    half_width = [design.place.half_width for design in designs]
    assert (np.diff(privacy) > 0).all()
    assert (np.diff(half_width) < 0).all()
    for one in family_designs(2):
        place = place_of(question, one, measure)
        best = frontier_at(designs, place.privacy)
        if place.is_finite and best is not None:
            assert place.half_width >= best * 0.99, one


@pytest.mark.slow
@pytest.mark.parametrize("measure", [BELIEF, pytest.param(ATTACK, marks=pytest.mark.slow)])
def test_that_no_curve_of_many_answers_lies_under_the_drawn_frontier(measure):
    question = drinks()
    searched = search_frontier(question, measure)
    for family in (
        Uniform(keep=0.5), Ordinal(weights=(0.6, 0.2)), Ordinal(weights=(0.5, 0.2), loop=True),
        Forced(p_truth=0.5, forced=(0.1, 0.1, 0.1, 0.3, 0.4)),
    ):  # fmt: skip
        curve = family_curve(question, family, measure)
        drawn = with_curve(searched, question, curve)
        for x, y in zip(curve.privacy, curve.half_width, strict=True):
            best = frontier_at(drawn, float(x))
            assert best is None or y >= best * (1 - 1e-6)
    # Whatever is taken from it estimates every share.
    for design in searched:
        assert np.linalg.cond(design.perturbation.matrix(5)) < 1e4


@pytest.mark.slow
def test_that_the_frontier_has_designs_whose_reports_mean_what_they_say():
    designs = search_frontier(ticket(), BELIEF)
    for design in designs:
        if isinstance(design.perturbation, Binary):
            assert design.perturbation.keep_one + design.perturbation.keep_zero > 1
    # Everybody with "yes" reports it, so that a reported "no" is certain.
    assert any(design.certain == "no" for design in designs)
    at_sixty = frontier_at(designs, 0.6)
    assert at_sixty is not None
    assert at_sixty < 0.026


def repaired(goal, perturbation, now, question=None):
    asked = question or ticket()
    curve = family_curve(asked, perturbation, BELIEF)
    return find_repair(asked, BELIEF, goal, curve, (), now)


def test_that_a_repair_is_a_round_value_that_meets_the_goal():
    goal = Goal(belief=0.6, points=5.0)
    for now in (0.55, 0.99):
        repair = repaired(goal, Uniform(keep=now), now)
        assert repair.value == round(repair.value, 3)
        assert goal.is_met(place_of(ticket(), repair.perturbation, BELIEF), BELIEF, ASKED)
    further = [repaired(goal, Uniform(keep=now), now).value for now in (0.55, 0.99)]
    assert further[0] < further[1]
    step = Uniform(keep=further[0] - 0.01)
    assert not goal.is_met(place_of(ticket(), step, BELIEF), BELIEF, ASKED)


def test_that_the_repair_of_an_epsilon_is_round_as_well():
    question = Question(AGE, None, 2_000)
    now = SquareWave(epsilon=1.0)
    place = place_of(question, now, ATTACK)
    goal = Goal(attack_success=0.8, points=99 * place.half_width / AGE.width)
    repair = find_repair(question, ATTACK, goal, family_curve(question, now, ATTACK), (), 1.0)
    assert repair.value == 1.1


def test_that_an_unreachable_goal_has_a_closest_design_and_enough_respondents():
    goal = Goal(belief=0.6, points=1.0)
    repair = repaired(goal, Uniform(keep=0.7), 0.7)
    assert repair.perturbation is None
    assert repair.closest.privacy <= 0.6005
    enough = repaired(goal, Uniform(keep=0.7), 0.7, ticket(n=int(repair.needed * 1.02)))
    assert enough.perturbation is not None
    assert repaired(Goal(belief=0.1), Uniform(keep=0.7), 0.7).closest is None


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
