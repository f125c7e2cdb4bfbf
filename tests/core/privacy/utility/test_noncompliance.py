"""Non-compliance against simulated surveys."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from examples import sweep

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Discretise,
    Forced,
    Ordinal,
    Related,
    Retention,
    Subset,
    Uniform,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.planning.questionnaire import plan_questionnaire
from ppworkbench.core.planning.settings import Limits, PlanSettings
from ppworkbench.core.privacy.assess import assess, assess_attribute
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.assess import assess_utility
from ppworkbench.core.privacy.utility.goal_seek import Question, measured
from ppworkbench.core.privacy.utility.noncompliance import (
    NOT_OF_SETS,
    NonCompliance,
    coverage,
    usual_safe,
)
from ppworkbench.core.privacy.utility.planning import needed_respondents
from ppworkbench.core.rng import SeededStreams

GRADE = Attribute("grade", Kind.ORDINAL, ("low", "middle", "high"))
SHARES = np.array([0.2, 0.5, 0.3])
PRIOR = Prior.from_weights(GRADE, SHARES)
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
N, RUNS = 1000, 4000


def surveys(perturbation, ignoring, generator):
    """Shares of distorted answers of surveys in which some ignore the device."""
    ignorers = generator.binomial(N, ignoring.share, size=RUNS)
    result = np.empty((RUNS, 3))
    for run, count in enumerate(ignorers):
        asked = generator.multinomial(N - count, perturbation.matrix(3) @ SHARES)
        if ignoring.behaviour == "truth":
            said = generator.multinomial(count, SHARES)
        elif ignoring.behaviour == "random":
            said = generator.multinomial(count, np.full(3, 1 / 3))
        else:
            said = np.zeros(3)
            said[GRADE.values.index(ignoring.safe or "low")] = count
        result[run] = (asked + said) / N
    return result


@pytest.mark.parametrize(
    "ignoring",
    [
        NonCompliance(0.2, "truth"),
        NonCompliance(0.1, "safe"),
        NonCompliance(0.15, "safe", "high"),
        NonCompliance(0.3, "random"),
    ],
)
@pytest.mark.parametrize(
    "perturbation", sweep([Uniform(keep=0.6), Ordinal(weights=(0.6, 0.2))], quick=1)
)
def test_that_bias_spread_and_coverage_are_those_of_simulated_surveys(perturbation, ignoring):
    report = assess_utility(GRADE, perturbation, PRIOR, N, noncompliance=ignoring)
    z = surveys(perturbation, ignoring, np.random.default_rng(2))
    naive = z @ np.linalg.inv(perturbation.matrix(3)).T
    error = report.standard_error / np.sqrt(RUNS)
    assert (np.abs(naive.mean(axis=0) - SHARES - report.bias) < 5 * error).all()
    np.testing.assert_allclose(naive.std(axis=0), report.standard_error, rtol=0.06)
    covered = (np.abs(naive - SHARES) <= 1.96 * report.standard_error).mean(axis=0)
    assert np.abs(covered - report.coverage).max() < 0.03
    told = assess_attribute((GRADE, perturbation), PRIOR, N, replace(ignoring, corrected=True))
    corrected = z @ np.linalg.inv(told.answering).T
    error = told.utility.standard_error
    assert (np.abs(corrected.mean(axis=0) - SHARES) < 5 * error / np.sqrt(RUNS)).all()
    np.testing.assert_allclose(corrected.std(axis=0), error, rtol=0.06)
    assert not told.utility.bias.any()


def test_that_full_compliance_has_no_bias_and_the_usual_errors():
    usual = assess_utility(GRADE, Uniform(keep=0.6), PRIOR, N)
    for corrected in (False, True):
        everybody = NonCompliance(0.0, "safe", corrected=corrected)
        report = assess_utility(GRADE, Uniform(keep=0.6), PRIOR, N, noncompliance=everybody)
        np.testing.assert_allclose(report.bias, 0, atol=1e-12)
        np.testing.assert_allclose(report.coverage, 0.95, atol=1e-6)
        np.testing.assert_allclose(report.standard_error, usual.standard_error)
        assert "bias" not in report.sentences


def test_that_random_answers_do_not_bias_an_even_distribution():
    ignoring = NonCompliance(0.4, "random")
    report = assess_utility(GRADE, Uniform(keep=0.6), None, N, noncompliance=ignoring)
    np.testing.assert_allclose(report.bias, 0, atol=1e-12)


def test_that_the_sentence_names_the_worst_value_and_the_way():
    ignoring = NonCompliance(0.1, "safe")
    report = assess_utility(GRADE, Uniform(keep=0.6), PRIOR, N, noncompliance=ignoring)
    assert "'low'" in report.sentences["bias"]
    assert "too high" in report.sentences["bias"]


def test_that_a_singular_device_gives_infinite_errors_and_no_nan():
    ignoring = NonCompliance(0.1, "truth")
    report = assess_utility(GRADE, Uniform(keep=1 / 3), PRIOR, N, noncompliance=ignoring)
    assert np.isinf(report.standard_error).all()
    assert not np.isnan(report.coverage).any()
    # Those who answer truly make the corrected estimate possible.
    known = replace(ignoring, corrected=True)
    report = assess_utility(GRADE, Uniform(keep=1 / 3), PRIOR, N, noncompliance=known)
    assert np.isfinite(report.standard_error).all()


def test_that_an_unknown_safe_answer_is_refused_by_name():
    ignoring = NonCompliance(0.1, "safe", "huge")
    with pytest.raises(ParameterError, match="no answer 'huge'"):
        assess_utility(GRADE, Uniform(), PRIOR, N, noncompliance=ignoring)
    with pytest.raises(ParameterError, match="must be a number"):
        assess_utility(AGE, Additive(half_width=5), None, N, noncompliance=ignoring)
    with pytest.raises(ParameterError, match="lies between"):
        assess_utility(
            AGE,
            Additive(half_width=5),
            None,
            N,
            noncompliance=NonCompliance(0.1, "safe", "500"),
        )


@pytest.mark.parametrize("behaviour", ["truth", "random", "safe"])
@pytest.mark.parametrize("perturbation", [Additive(half_width=10), Discretise(intervals=6)])
def test_that_numbers_can_be_answered_out_of_turn_too(behaviour, perturbation):
    ignoring = NonCompliance(0.2, behaviour)
    report = assess_utility(AGE, perturbation, None, N, noncompliance=ignoring)
    assert report.bias.sum() == pytest.approx(0, abs=1e-9)
    if behaviour == "safe":
        assert report.bias[0] > 0.1


def test_that_reports_with_known_cheaters_are_those_of_warner_and_theirs():
    asked = Attribute("evades", Kind.BINARY, ("no", "yes"))
    ignoring = NonCompliance(0.25, "safe", "no", corrected=True)
    report = assess_attribute((asked, Related(theta=0.8)), None, N, ignoring)
    np.testing.assert_allclose(report.answering, [[0.85, 0.4], [0.15, 0.6]])


CARRIER = Attribute("carrier", Kind.BINARY, ("no", "yes"))
ONE_IN_FIVE = Prior.from_weights(CARRIER, np.array([0.8, 0.2]))


def forced(behaviour):
    """What 1,000 people tell, of whom a tenth ignores the die."""
    return assess_utility(
        CARRIER,
        Forced(p_truth=2 / 3),
        ONE_IN_FIVE,
        1000,
        noncompliance=NonCompliance(0.1, behaviour),
    )


@pytest.mark.parametrize(
    ("behaviour", "bias", "error", "rmse", "held"),
    [
        ("safe", -0.045, 0.021059, 0.049684, 0.4298),
        ("random", 0.030, 0.022127, 0.037277, 0.7267),
        ("truth", -0.015, 0.021524, 0.026235, 0.8928),
    ],
)
def test_that_a_report_has_the_errors_of_estimates_that_are_off(behaviour, bias, error, rmse, held):
    found = forced(behaviour)
    assert found.bias[1] == pytest.approx(bias, abs=1e-9)
    assert found.standard_error[1] == pytest.approx(error, abs=5e-7)
    assert np.hypot(found.bias, found.standard_error)[1] == pytest.approx(rmse, abs=5e-7)
    assert coverage(found.bias, found.standard_error)[1] == pytest.approx(held, abs=5e-5)


def test_that_loss_and_needed_respondents_know_of_the_bias():
    found = forced("safe")
    assert found.information_loss == pytest.approx(0.045246, abs=5e-7)
    assert needed_respondents(found.variances, 0.05, bias=found.bias) == 934
    assert needed_respondents(found.variances, 0.045, bias=found.bias) == math.inf
    draws = np.random.default_rng(5).normal(found.bias[1], found.standard_error[1], 200_000)
    assert np.abs(draws).mean() == pytest.approx(found.information_loss, abs=3e-4)


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize("behaviour", ["truth", "safe", "random"])
@pytest.mark.parametrize(
    "perturbation",
    [Additive(half_width=20), Retention(keep=0.6), Additive(half_width=20, truncate=True)],
    ids=["noise", "retention", "truncated"],
)
def test_that_the_mean_of_a_number_is_off_as_in_drawn_surveys(perturbation, behaviour, corrected):
    c, people = 0.2, 200_000
    ignoring = NonCompliance(c, behaviour, corrected=corrected)
    report = assess_utility(AGE, perturbation, None, people, noncompliance=ignoring)
    if corrected:
        assert report.mean_bias == pytest.approx(0, abs=1e-9)
        return
    if perturbation.unbiased(np.zeros(1), AGE) is None:
        assert np.isfinite(report.mean_bias)
        return
    draw = np.random.default_rng(3)
    low, high = AGE.domain
    true, other = (draw.integers(int(low), int(high) + 1, people).astype(float) for _ in range(2))
    distorted = perturbation.distort(true.copy(), AGE, SeededStreams(4).stream("age"))
    said = {"truth": true, "safe": np.full(people, low), "random": other}[behaviour]
    reported = np.where(draw.random(people) < c, said, distorted)
    undone = perturbation.unbiased(reported, AGE)
    assert undone is not None
    error = undone.std() / np.sqrt(people)
    assert report.mean_standard_error == pytest.approx(error, rel=0.02)
    middle = (low + high) / 2
    assert undone.mean() - middle == pytest.approx(report.mean_bias, abs=4 * error)


def test_that_privacy_measures_are_those_of_what_people_do():
    asked = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    prior = Prior.from_weights(asked, [0.8, 0.2])
    forced = Forced(p_truth=2 / 3)
    for behaviour, belief in (("safe", 0.5556), ("random", 0.5), ("truth", 0.5862)):
        ignoring = NonCompliance(0.1, behaviour)
        report = assess_attribute((asked, forced), prior, 1000, ignoring)
        mixed = report.answering
        assert report.privacy["belief"].value == pytest.approx(belief, abs=5e-5)
        assert report.privacy["epsilon"].value == pytest.approx(
            np.log((mixed.max(axis=1) / mixed.min(axis=1)).max())
        )
        assert report.privacy["attack_success"].value == pytest.approx(
            (mixed * [0.8, 0.2]).max(axis=1).sum()
        )
        question = Question(asked, prior, 1000, noncompliance=ignoring)
        for name in ("belief", "epsilon", "attack_success", "information_loss"):
            found = {**report.privacy.to_json(), **report.utility.to_json()}[name]
            assert measured(name, question, forced) == pytest.approx(found)


def test_that_a_share_of_0_changes_no_measure():
    for attribute, perturbation in ((GRADE, Uniform(keep=0.6)), (AGE, Additive(half_width=5))):
        plain = assess_attribute((attribute, perturbation), None, 500)
        none = assess_attribute((attribute, perturbation), None, 500, NonCompliance(0.0, "safe"))
        assert none.privacy.to_json() == plain.privacy.to_json()
        assert none.utility.to_json() == plain.utility.to_json()


@pytest.mark.parametrize("behaviour", ["truth", "safe", "random"])
def test_that_an_attacker_guesses_numbers_by_what_people_report(behaviour):
    ignoring, noise = NonCompliance(0.5, behaviour), Additive(half_width=30)
    plain = assess_attribute((AGE, noise), None, 500)
    mixed = assess_attribute((AGE, noise), None, 500, ignoring)
    before, after = (one.privacy["attack_success"].value for one in (plain, mixed))
    assert after > before if behaviour == "truth" else after < before
    told = {reading.name: str(reading.sentence) for reading in mixed.privacy}
    assert "Non-compliance is not included" in told["epsilon"]
    assert "Non-compliance is not included" not in told["attack_success"]


def test_that_attributes_can_have_safe_answers_of_their_own():
    ignoring = NonCompliance(0.2, "safe", own_safe=((GRADE.name, GRADE.values[-1]),))
    assert ignoring.safe_of(GRADE) == GRADE.values[-1]
    report = assess_utility(GRADE, Uniform(keep=0.6), PRIOR, N, noncompliance=ignoring)
    assert int(np.argmax(report.bias)) == GRADE.k - 1
    assert usual_safe(GRADE) == GRADE.values[0]
    assert usual_safe(GRADE.with_(sensitive=GRADE.values[:1])) == GRADE.values[1]


def test_that_sets_leave_non_compliance_out_and_say_so():
    ignoring = NonCompliance(0.2, "safe")
    sets = Subset(epsilon=1.0, size=1)
    told = assess_attribute((GRADE, sets), PRIOR, N, ignoring)
    assert told.noncompliance is None
    assert NOT_OF_SETS in told.warnings
    assert NOT_OF_SETS not in assess_attribute((GRADE, sets), PRIOR, N).warnings
    assert told.utility.half_width == pytest.approx(
        assess_utility(GRADE, sets, PRIOR, N).half_width
    )
    # Other questions of the same design are assessed with it.
    design = Design((DesignedAttribute(GRADE, sets),
                     DesignedAttribute(AGE, Retention(keep=0.5))))  # fmt: skip
    report = assess(design, {}, N, ignoring)
    assert report["age"].noncompliance == ignoring
    assert report.noncompliance == ignoring


def test_that_a_plan_names_the_questions_without_non_compliance():
    design = Design((DesignedAttribute(GRADE, Subset(epsilon=1.0, size=1)),
                     DesignedAttribute(GRADE.with_(name="other"), Uniform(keep=0.6))))  # fmt: skip
    settings = PlanSettings(Limits(half_width=0.05), noncompliance=NonCompliance(0.1, "random"))
    plan = plan_questionnaire(design, {}, settings)
    assert [one.args["attribute"] for one in plan.warnings] == ["grade"]
