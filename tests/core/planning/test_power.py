"""The power of a test, the people it needs, and from where on randomising pays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Related,
    Uniform,
    Unrelated,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.planning.power import (
    Contrast,
    Direct,
    ListCount,
    Randomised,
    TestPlan,
    break_even,
)
from ppworkbench.core.planning.questionnaire import plan_questionnaire
from ppworkbench.core.planning.settings import Limits, PlanSettings
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.assess import assess_utility
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance
from ppworkbench.core.privacy.utility.planning import needed_respondents

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
FORCED = Forced(p_truth=2 / 3)
UNRELATED = Unrelated(theta=2 / 3, personal=(2 / 3, 1 / 3))


def prior(share: float) -> Prior:
    return Prior.from_weights(DRUG, [1 - share, share])


TECHNIQUES = {
    "direct": Direct(),
    "forced": Randomised(DRUG, FORCED),
    "unrelated": Randomised(DRUG, UNRELATED),
    "crosswise": Randomised(DRUG, Related(theta=0.25, named_design="crosswise")),
    "warner": Randomised(DRUG, Related(theta=0.7)),
    "list": ListCount(0.75),
}


@pytest.mark.parametrize(
    ("perturbation", "power", "at_1_percent", "at_5_percent"),
    [
        (FORCED, 0.986887, 89, 57),
        (Related(theta=2 / 3), 0.376750, 513, 318),
        (UNRELATED, 0.996389, 68, 44),
    ],
)
def test_that_the_power_against_zero_is_that_of_the_paper(
    perturbation, power, at_1_percent, at_5_percent
):
    found = Contrast.against(Randomised(DRUG, perturbation), 0.2, 0.0)
    assert found.power(200, 0.01, 1) == pytest.approx(power, abs=1e-6)
    assert found.needed(0.8, 0.01, 1) == at_1_percent
    assert found.needed(0.8, 0.05, 1) == at_5_percent


def test_that_two_groups_are_told_apart_with_the_published_power():
    found = Contrast.of_groups(TECHNIQUES["forced"], 0.3, 0.2)
    assert found.power(1000) == pytest.approx(0.896189, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "variance", "against", "each_group", "five_points"),
    [
        ("direct", 0.16, 430, 263, 246),
        ("forced", 0.4725, 1412, 754, 727),
        ("unrelated", 0.415556, 1215, 668, 639),
        ("crosswise", 0.91, 2786, 1441, 1399),
        ("warner", 1.4725, 4552, 2324, 2263),
        ("list", 3.32, 10281, 5236, 5102),
    ],
)
def test_that_every_technique_needs_its_people(name, variance, against, each_group, five_points):
    technique = TECHNIQUES[name]
    assert technique.variance(0.2) == pytest.approx(variance, abs=1e-6)
    assert TestPlan(against=0.15).needed(technique, 0.2) == against
    assert TestPlan(difference=(0.3, 0.2)).needed(technique, 0.2) == each_group
    variances = np.array([technique.variance(0.2)])
    assert needed_respondents(variances, 0.05, "half-width") == five_points


@pytest.mark.parametrize(
    ("name", "at_2", "at_5", "at_10"),
    [
        ("forced", 812.25, 138, 38.25),
        ("warner", 3312.25, 538, 138.25),
        ("list", 7931, 1277, 323),
    ],
)
def test_that_randomising_pays_from_the_break_even_on(name, at_2, at_5, at_10):
    for bias, expected in ((0.02, at_2), (0.05, at_5), (0.1, at_10)):
        found = break_even(TECHNIQUES[name], Direct(bias), 0.2)
        assert found == pytest.approx(expected, abs=0.005)
        at = max(found, 1.0)
        randomised, direct = (
            technique.rmse(0.2, np.array([at, 1.01 * at]))
            for technique in (TECHNIQUES[name], Direct(bias))
        )
        assert randomised[0] == pytest.approx(direct[0])
        assert randomised[1] < direct[1]


def test_that_costs_turn_the_break_even_into_a_budget():
    found = break_even(TECHNIQUES["forced"], Direct(0.05), 0.2, (30, 20))
    assert found == pytest.approx(4650)


def test_that_people_who_ignore_the_device_move_the_break_even():
    ignoring = Randomised(DRUG, FORCED, prior(0.2), NonCompliance(0.1, "safe"))
    assert ignoring.bias(0.2) == pytest.approx(-0.045)
    assert break_even(ignoring, Direct(0.05), 0.2) == pytest.approx(665.2, abs=0.05)
    assert break_even(ignoring, Direct(0.04), 0.2) == math.inf
    corrected = Randomised(DRUG, FORCED, prior(0.2), NonCompliance(0.1, "safe", corrected=True))
    assert corrected.bias(0.2) == pytest.approx(0, abs=1e-12)
    assert math.sqrt(corrected.variance(0.2) / 1000) == pytest.approx(0.023399, abs=1e-6)


@pytest.mark.parametrize(
    ("behaviour", "bias", "error", "rmse", "coverage"),
    [
        ("safe", -0.045, 0.021059, 0.049684, 0.4298),
        ("random", 0.030, 0.022127, 0.037277, 0.7267),
        ("truth", -0.015, 0.021524, 0.026235, 0.8928),
    ],
)
def test_that_non_compliance_enters_every_readout(behaviour, bias, error, rmse, coverage):
    ignoring = NonCompliance(0.1, behaviour)
    found = assess_utility(DRUG, FORCED, prior(0.2), 1000, noncompliance=ignoring)
    assert found.bias[1] == pytest.approx(bias, abs=1e-9)
    assert found.standard_error[1] == pytest.approx(error, abs=1e-6)
    assert found.rmse[1] == pytest.approx(rmse, abs=1e-6)
    assert found.coverage[1] == pytest.approx(coverage, abs=1e-4)
    technique = Randomised(DRUG, FORCED, prior(0.2), NonCompliance(0.1, behaviour))
    assert float(technique.rmse(0.2, 1000)) == pytest.approx(rmse, abs=1e-6)


def test_that_safe_answers_lower_the_belief_and_cost_people():
    ignoring = NonCompliance(0.1, "safe")
    report = assess_utility(DRUG, FORCED, prior(0.2), 1000, noncompliance=ignoring)
    assert report.information_loss == pytest.approx(0.045246, abs=1e-6)
    known = NonCompliance(0.1, "safe", corrected=True)
    corrected = assess_utility(DRUG, FORCED, prior(0.2), 1000, noncompliance=known)
    assert corrected.standard_error[1] == pytest.approx(0.023399, abs=1e-6)
    design = Design((DesignedAttribute(DRUG, FORCED),))
    settings = PlanSettings(Limits(), noncompliance=ignoring)
    (line,) = plan_questionnaire(design, {DRUG.name: prior(0.2)}, settings).questions
    assert line.beliefs == pytest.approx([0.0685, 0.5556], abs=5e-5)
    needed = needed_respondents(report.variances, 0.05, "standard-error", bias=report.bias)
    assert needed == 934
    assert needed_respondents(report.variances, 0.045, "standard-error", bias=report.bias) == (
        math.inf
    )


def test_that_a_corrected_estimate_has_no_bias_in_any_readout():
    known = NonCompliance(0.1, "safe", corrected=True)
    report = assess_utility(DRUG, FORCED, prior(0.2), 1000, noncompliance=known)
    assert not report.bias.any()
    assert report.standard_error[1] == pytest.approx(0.023399, abs=1e-6)


@given(
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
    st.floats(0.55, 1.0),
    st.sampled_from([0.3, 0.8, 0.95]),
    st.sampled_from([1, 2]),
)
def test_that_the_needed_n_is_the_smallest(share, null, keep, power, sides):
    if abs(share - null) < 0.01:
        return
    found = Contrast.against(Randomised(DRUG, Uniform(keep=keep)), share, null)
    n = found.needed(power, 0.05, sides)
    assert found.power(n, 0.05, sides) >= power
    assert n == 1 or found.power(n - 1, 0.05, sides) < power


def test_that_an_undistorted_question_is_a_direct_one():
    asked = Randomised(DRUG, Identity())
    for share in (0.1, 0.2, 0.7):
        assert asked.variance(share) == pytest.approx(Direct().variance(share))


def test_that_nothing_is_shown_through_a_singular_matrix():
    blind = Randomised(DRUG, Uniform(keep=0.5))
    assert TestPlan(against=0.1).needed(blind, 0.2) == math.inf
    assert TestPlan(against=0.1).power_with(blind, 0.2, 1000) == 0
    assert break_even(blind, Direct(0.05), 0.2) == math.inf


def test_that_several_sensitive_answers_are_one_share():
    often = Attribute(
        "often", Kind.ORDINAL, ("never", "weekly", "daily"), sensitive=("weekly", "daily")
    )
    whole = Randomised(often, Uniform(keep=1.0), Prior.from_weights(often, [0.7, 0.2, 0.1]))
    assert whole.share == pytest.approx(0.3)
    assert whole.variance(0.3) == pytest.approx(0.21)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: TestPlan(power=0.05, against=0.1), "power"),
        (lambda: TestPlan(power=0.04, alpha=0.05, against=0.1), "power"),
        (TestPlan, "against"),
        (lambda: TestPlan(against=0.1, difference=(0.1, 0.2)), "against"),
        (lambda: TestPlan(difference=(0.2, 0.2)), "difference"),
        (lambda: TestPlan(difference=(0.2,)), "difference"),
        (lambda: TestPlan(against=0.2).needed(Direct(), 0.2), "against"),
        (lambda: break_even(ListCount(), Direct(0.05), 0.2, (0, 1)), "cost"),
        (lambda: break_even(ListCount(), Direct(0.3), 0.2), "bias"),
    ],
)
def test_that_a_test_that_shows_nothing_is_refused(make, field):
    with pytest.raises(ParameterError) as refused:
        make()
    assert refused.value.field == field
