"""The plan of a whole questionnaire: lights, the number of people, and solving for limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Laplace,
    Related,
    Retention,
    SquareWave,
    Uniform,
)
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.devices import snap_to
from ppworkbench.core.design.presets import Crosswise, Kuk, Mangat
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.planning.alternatives import device_choices
from ppworkbench.core.planning.power import TestPlan
from ppworkbench.core.planning.questionnaire import check_beliefs, plan_questionnaire
from ppworkbench.core.planning.settings import Limits, PlanSettings
from ppworkbench.core.planning.solution import solve
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance

PRIORS = {"a": 0.1, "b": 0.2, "c": 0.35}
TARGET = Limits(belief=0.6, half_width=0.05)


def asked(name: str, **more) -> Attribute:
    return Attribute(name, Kind.BINARY, ("no", "yes"), sensitive=("yes",), **more)


def prior(attribute: Attribute, share: float) -> Prior:
    return Prior.from_weights(attribute, [1 - share, share])


def questionnaire(perturbation, device=None):
    listed = []
    for name in PRIORS:
        one = asked(name)
        made, found = perturbation, None
        if device is not None:
            snapped, made = snap_to(device, perturbation, one)
            found = snapped.device
        listed.append(DesignedAttribute(one, made, device=found))
    return Design(tuple(listed)), {name: prior(asked(name), x) for name, x in PRIORS.items()}


@pytest.mark.parametrize(
    ("device", "truths", "people"),
    [
        (None, (0.862069, 0.714286, 0.471698), (272, 615, 1692)),
        ("die", (4 / 6, 4 / 6, 2 / 6), (619, 727, 3423)),
        ("spinner", (0.86, 0.70, 0.46), (274, 646, 1781)),
    ],
)
def test_that_solving_finds_the_most_accurate_truth_within_the_limits(device, truths, people):
    design, priors = questionnaire(Forced(p_truth=0.9), device)
    solved, solutions = solve(design, priors, PlanSettings(TARGET))
    assert [one.reason for one in solutions] == [None] * 3
    assert [one.perturbation.p_truth for one in solved] == pytest.approx(truths, abs=1e-6)
    found = plan_questionnaire(solved, priors, PlanSettings(TARGET))
    assert [one.respondents for one in found.questions] == list(people)
    assert found.respondents == max(people)
    assert found.decisive.attribute == "c"
    assert {one.light for one in found.questions} == {"ok"}
    assert all((one.device is None) == (device is None) for one in found.questions)


def test_that_solving_keeps_the_family_of_a_question():
    one = asked("a")
    for perturbation in (
        Related(theta=0.9),
        Uniform(keep=0.9),
        Crosswise(p=0.1).perturbation(one.values),
    ):
        design = Design((DesignedAttribute(one, perturbation),))
        solved, (solution,) = solve(design, {"a": prior(one, 0.1)}, PlanSettings(TARGET))
        odds = 0.6 / 0.4 * 0.9 / 0.1
        made = solved["a"].perturbation
        assert type(made) is type(perturbation)
        assert made.named_design == perturbation.named_design
        expected = odds / (1 + odds)
        assert max(solution.exact, 1 - solution.exact) == pytest.approx(expected, abs=1e-9)
        assert (solution.exact < 0.5) == (perturbation.matrix(2)[0, 0] < 0.5)


def test_that_named_designs_of_two_probabilities_stay_what_they_are():
    one = asked("a")
    for preset in (Mangat(p=0.95), Kuk(red_yes=0.95, red_no=0.02)):
        design = Design((DesignedAttribute(one, preset.perturbation(one.values)),))
        solved, (solution,) = solve(design, {"a": prior(one, 0.1)}, PlanSettings(TARGET))
        assert solution.reason is None
        assert solved["a"].perturbation.design_name == design["a"].perturbation.design_name
        found = plan_questionnaire(solved, {"a": prior(one, 0.1)}, PlanSettings(TARGET))
        assert found.questions[0].belief.after == pytest.approx(0.6, abs=1e-6)


def test_that_the_smaller_of_two_limits_counts():
    one = asked("a")
    design = Design((DesignedAttribute(one, Related(theta=0.9)),))
    limits = PlanSettings(Limits(belief=0.6, epsilon=math.log(3)))
    solved, _ = solve(design, {"a": prior(one, 0.1)}, limits)
    assert solved["a"].perturbation.theta == pytest.approx(0.75, abs=1e-9)


def test_that_a_question_without_a_solution_stays_and_says_why():
    one = asked("a")
    design = Design((DesignedAttribute(one, Mangat(p=0.7).perturbation(one.values)),))
    limits = PlanSettings(Limits(epsilon=1.0))
    solved, (solution,) = solve(design, {"a": prior(one, 0.1)}, limits)
    assert solved == design
    assert solution.exact is None
    assert "no keep_zero keeps the limits" in solution.reason
    assert "epsilon from ∞ to ∞" in solution.reason


def test_that_nothing_to_solve_is_told():
    design, priors = questionnaire(Forced(p_truth=0.9))
    with pytest.raises(ParameterError, match="nothing to solve"):
        solve(design, priors, PlanSettings(Limits(half_width=0.05)))


def test_that_every_question_has_its_light():
    b = asked("b")
    listed = {
        "ok": Forced(p_truth=0.7),
        "breaks": Forced(p_truth=0.8),
        "impossible": Uniform(keep=0.5),
        "more": Forced(p_truth=0.5),
    }
    design = Design(
        tuple(DesignedAttribute(b.with_(name=name), one) for name, one in listed.items())
    )
    priors = {name: prior(design[name].attribute, 0.2) for name in listed}
    found = plan_questionnaire(design, priors, PlanSettings(TARGET, n=700))
    assert {one.attribute: one.light for one in found.questions} == {name: name for name in listed}
    words = {one.attribute: str(one.words) for one in found.questions}
    assert words["breaks"] == "breaks: belief 69.2 % > 60 %"
    assert words["more"] == "needs 1,399 people"
    assert words["impossible"] == "cannot be estimated"
    assert found.decisive.attribute == "impossible"


def test_that_own_limits_take_the_place_of_the_common_ones():
    design, priors = questionnaire(Forced(p_truth=0.7))
    own = {"c": Limits(half_width=0.1)}
    found = plan_questionnaire(design, priors, PlanSettings(TARGET, own))
    lights = {one.attribute: one.light for one in found.questions}
    assert lights == {"a": "ok", "b": "ok", "c": "ok"}
    common = plan_questionnaire(design, priors, PlanSettings(TARGET))
    assert {one.attribute: one.light for one in common.questions} == {**lights, "c": "breaks"}


def test_that_numbers_and_open_questions_are_planned_too():
    age = Attribute("age", Kind.INTEGER, domain=(18, 90))
    town = Attribute("town", Kind.NOMINAL, ("A", "B", "C"))
    design = Design(
        (DesignedAttribute(age, Additive(half_width=10)), DesignedAttribute(town, Identity()))
    )
    found = plan_questionnaire(design, None, PlanSettings(TARGET))
    number, open_question = found.questions
    assert number.belief is None
    assert number.respondents > 1
    assert open_question.light == "ok"
    marked = design.with_perturbation("town", Identity())
    first = DesignedAttribute(town.with_(sensitive=("A",)), Identity())
    marked = Design((marked["age"], first))
    assert plan_questionnaire(marked, None, PlanSettings(TARGET)).questions[1].light == "breaks"


def test_that_a_test_and_a_design_effect_ask_for_people():
    b = asked("b")
    design = Design((DesignedAttribute(b, Forced(p_truth=2 / 3)),))
    priors = {"b": prior(b, 0.2)}
    simple = PlanSettings(test=TestPlan(against=0.15))
    found = plan_questionnaire(design, priors, simple)
    assert found.respondents == 1412
    assert found.questions[0].power == pytest.approx(0.8, abs=0.001)
    doubled = plan_questionnaire(
        design, priors, PlanSettings(test=TestPlan(against=0.15), design_effect=2.0)
    )
    assert doubled.respondents == 2824
    assert doubled.questions[0].power == pytest.approx(found.questions[0].power)


def test_that_costs_and_bias_say_whether_randomising_pays():
    b = asked("b")
    design = Design((DesignedAttribute(b, Forced(p_truth=2 / 3)),))
    settings = PlanSettings(underreport=0.05, costs=(20, 30), budget=6000)
    found = plan_questionnaire(design, {"b": prior(b, 0.2)}, settings)
    (one,) = found.questions
    assert found.n == 200
    assert one.break_even == pytest.approx(138)
    assert found.budget == pytest.approx(4650)
    assert one.rmse < one.direct_rmse
    assert one.direct_rmse == pytest.approx(math.sqrt(0.1275 / 300 + 0.0025))


def test_that_a_bias_larger_than_several_shares_is_told_once():
    attributes = [asked(name) for name in "abc"]
    design = Design(tuple(DesignedAttribute(one, Forced(p_truth=2 / 3)) for one in attributes))
    shares = dict(zip("abc", (0.01, 0.02, 0.3), strict=True))
    priors = {one.name: prior(one, shares[one.name]) for one in attributes}
    found = plan_questionnaire(design, priors, PlanSettings(underreport=0.05, n=200))
    told = "The suspected bias of 5 points does not fit the shares of a, b."
    assert [str(one) for one in found.warnings] == [told]
    priors["b"] = prior(attributes[1], 0.2)
    found = plan_questionnaire(design, priors, PlanSettings(underreport=0.05, n=200))
    told = "'a': The suspected bias of 5 points does not fit a share of 1 %."
    assert [str(one) for one in found.warnings] == [told]


def test_that_non_compliance_enters_the_plan():
    b = asked("b")
    design = Design((DesignedAttribute(b, Forced(p_truth=2 / 3)),))
    ignoring = PlanSettings(
        Limits(half_width=0.05), n=1000, noncompliance=NonCompliance(0.1, "safe")
    )
    (one,) = plan_questionnaire(design, {"b": prior(b, 0.2)}, ignoring).questions
    assert one.bias == pytest.approx(-0.045)
    assert one.rmse == pytest.approx(0.049684, abs=1e-6)
    assert one.beliefs == pytest.approx([0.0685, 0.5556], abs=5e-5)
    assert one.light == "impossible"
    assert one.respondents == math.inf


@pytest.mark.parametrize(
    "mechanism",
    [Laplace(epsilon=0.9), Laplace(epsilon=0.9, inside=True), SquareWave(epsilon=0.9),
     Retention(keep=0.01)],
)  # fmt: skip
def test_that_true_answers_raise_the_epsilon_of_a_number(mechanism):
    age = Attribute("age", Kind.INTEGER, domain=(0, 8))
    design = Design((DesignedAttribute(age, mechanism),))

    def planned(behaviour):
        settings = PlanSettings(Limits(epsilon=1.0), noncompliance=NonCompliance(0.2, behaviour))
        (found,) = plan_questionnaire(design, {}, settings).questions
        return found

    low, high = mechanism.support(age)
    points, reports = np.arange(9.0), np.arange(max(low, -60), min(high, 68) + 1)
    below = [mechanism.conditional_cdf(reports[:, None] - one, points, age) for one in (0, 1)]
    mixed = 0.8 * (below[0] - below[1]) + 0.2 * (reports[:, None] == points)
    expected = float(np.log(mixed.max(axis=1) / mixed.min(axis=1)).max())
    assert planned("truth").epsilon == pytest.approx(expected, abs=1e-6)
    assert planned("truth").light == "breaks"
    assert planned("safe").epsilon == pytest.approx(mechanism.epsilon_of(age))
    assert planned("safe").light == "ok"


def test_that_a_limit_below_the_prior_is_refused():
    design, priors = questionnaire(Forced(p_truth=0.7))
    with pytest.raises(ParameterError) as refused:
        check_beliefs(design, priors, PlanSettings(Limits(belief=0.35)))
    assert refused.value.attribute == "c"
    check_beliefs(design, priors, PlanSettings(Limits(belief=0.36)))


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"costs": (0, 1)}, "cost"),
        ({"costs": (1, -1)}, "cost"),
        ({"budget": 0, "costs": (1, 1)}, "budget"),
        ({"budget": 10}, "budget"),
        ({"design_effect": 0}, "design_effect"),
        ({"design_effect": math.nan}, "design_effect"),
    ],
)
def test_that_impossible_settings_are_refused(settings, field):
    with pytest.raises(ParameterError) as refused:
        PlanSettings(**settings)
    assert refused.value.field == field


def test_that_many_devices_are_warned_of():
    listed = []
    for name, device in (("a", "die"), ("b", "two-coins"), ("c", "spinner")):
        snapped, made = snap_to(device, Related(theta=0.8), asked(name))
        listed.append(DesignedAttribute(asked(name), made, device=snapped.device))
    found = plan_questionnaire(Design(tuple(listed)), None)
    assert "3 different devices" in found.warnings[0]


def test_that_a_snap_tells_what_it_costs():
    one = DesignedAttribute(asked("a"), Forced(p_truth=0.862069))
    exact, choices = device_choices(one, prior(one.attribute, 0.1), 0.05)
    people = {choice.snapped.kind.name: choice.respondents for choice in choices}
    assert exact == 272
    assert people["die"] == 619
    assert people["spinner"] == 274
    assert people["page"] == 272
    assert "birthday-month" not in people


@pytest.mark.parametrize("ask", [1, 2, 4])
def test_that_a_split_questionnaire_is_planned_for_those_who_are_asked(ask):
    share, total, n = 0.1, 4.0, 1000
    keep = 1 / (1 + math.exp(-total / ask))
    names = tuple("abcdefgh")
    listed = tuple(DesignedAttribute(asked(name), Uniform(keep=keep)) for name in names)
    design = Design(listed, budget=DesignBudget(ask=ask))
    priors = {name: prior(asked(name), share) for name in names}
    settings = PlanSettings(Limits(half_width=0.05), n=n)
    found = plan_questionnaire(design, priors, settings).questions[0]
    variance = {4: 2.0213, 2: 1.0841, 1: 0.8720}[ask]
    assert n * found.rmse**2 == pytest.approx(variance, abs=1e-4)
    assert found.respondents == pytest.approx(variance * (1.959964 / 0.05) ** 2, rel=2e-3)
