"""Tests of independence under a sampling: as R has them, and of the size that they promise."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from clustered_surveys import clustered_survey, rejections

import ppworkbench as pp
from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.sampling.independence import (
    ADJUSTED_WALD,
    RAO_SCOTT,
    EstimatedCells,
    independence_test,
)

pytestmark = pytest.mark.thorough

CLUSTERED = {"weights": "weight", "strata": "stratum", "cluster": "cluster"}
# survey 4.1.1 of R 4: svychisq(~a + b, design, statistic = "F" and "adjWald") of the same rows.
PRINTED = {
    "clusters": (
        CLUSTERED,
        (4.027942977837, 4.472334157386, 53.66800988863, 0.004763360379796),
        (4.596142961334, 6.0, 7.0, 0.03285550502655),
    ),
    "population": (
        {**CLUSTERED, "population": "fpc"},
        (4.704730353645, 4.458656026767, 53.5038723212, 0.001798943190771),
        (5.328836844673, 6.0, 7.0, 0.02252219210164),
    ),
    "weights": (
        {"weights": "weight"},
        (3.595804270435, 5.991848895925, 1515.937770669, 0.001530552889699),
        (3.93492656287, 6.0, 248.0, 0.0008912606676127),
    ),
}


def survey_of(keep, data=None, **roles):
    device = {"type": "none"} if keep == 1 else {"type": "uniform", "keep": keep}
    attributes = {
        name: {"kind": "nominal", "values": list(values), "perturbation": device}
        for name, values in (("a", "abcd"), ("b", "xyz"))
    }
    none = {"type": "none"}
    attributes["stratum"] = {"kind": "binary", "values": ["N", "S"], "perturbation": none}
    attributes["urban"] = {"kind": "binary", "values": ["no", "yes"], "perturbation": device}
    design = {"format": "ppworkbench-design", "version": 1, "attributes": attributes}
    return pp.Survey(clustered_survey() if data is None else data, design, **roles)


def found_by(keep, name=RAO_SCOTT, where=None, data=None, **roles):
    return survey_of(keep, data, **roles).table("a", "b", where, test=name).found.independence


def numbers(found):
    return (found.f, *found.degrees, found.p)


@pytest.mark.parametrize("case", PRINTED)
def test_that_undistorted_tables_have_the_tests_of_r(case):
    roles, rao_scott, wald = PRINTED[case]
    assert numbers(found_by(1, **roles)) == pytest.approx(rao_scott, rel=1e-9)
    assert numbers(found_by(1, ADJUSTED_WALD, **roles)) == pytest.approx(wald, rel=1e-9)


@pytest.mark.parametrize("test", [RAO_SCOTT, ADJUSTED_WALD])
def test_that_randomised_answers_are_independent_exactly_when_their_reports_are(test):
    """The inverse weights of separate devices change neither the statistic nor its degrees."""
    plain, randomised = (found_by(keep, test, **CLUSTERED) for keep in (1, 0.6))
    assert numbers(randomised) == pytest.approx(numbers(plain), rel=1e-6)


def test_that_the_device_counts_where_much_of_a_population_is_asked():
    """Its randomness does not shrink with the population, so that more is left to chance."""
    roles = {**CLUSTERED, "population": "fpc"}
    assert found_by(0.6, **roles).p > found_by(1, **roles).p
    assert found_by(0.6, **roles).f < found_by(0.6, **CLUSTERED).f * 1.2


def test_that_a_condition_on_what_is_not_randomised_leaves_a_domain():
    """As cutting the rows of one stratum does, whose clusters are all that is left."""
    data = clustered_survey()
    north = data[data["stratum"] == "N"]
    among = found_by(1, where="stratum = N", **CLUSTERED)
    assert numbers(among) == pytest.approx(numbers(found_by(1, data=north, **CLUSTERED)), rel=1e-9)


def test_that_a_value_nobody_gave_leaves_the_table():
    data = clustered_survey()
    found = found_by(1, data=data[data["b"] != "z"], **CLUSTERED)
    assert 1 <= found.degrees[0] <= 3
    assert 0 < found.p < 1


def test_that_a_plain_table_has_pearsons_statistic():
    cells = np.array([30.0, 20, 20, 30])
    covariance = np.diag(cells) - np.outer(cells, cells) / 100
    channels = np.eye(2), np.eye(2)
    known = EstimatedCells(cells, covariance, (2, 2), math.inf, channels=channels)
    found = independence_test(known)
    # X² = Σ (observed - 25)² / 25 = 4, with one degree of freedom.
    assert numbers(found) == pytest.approx((4.0, 1.0, math.inf, math.erfc(math.sqrt(2))))


def test_that_cells_without_a_table_of_reports_are_compared_with_a_simple_sample():
    """Where a simple random sample is the sample, all design effects are 1."""
    cells = np.array([30.0, 20, 20, 30])
    covariance = np.diag(cells) - np.outer(cells, cells) / 100
    found = independence_test(EstimatedCells(cells, 3 * covariance, (2, 2), 40, covariance))
    plain = independence_test(EstimatedCells(cells, covariance, (2, 2), 40, covariance))
    assert found.f == pytest.approx(plain.f / 3)
    assert found.degrees == pytest.approx((1, 40))


def test_that_a_condition_on_randomised_answers_has_a_test():
    """Cells may be negative then; the test takes contributions in place of reports."""
    among, everybody = (found_by(0.6, where=where, **CLUSTERED) for where in ("urban = no", None))
    assert 1 <= among.degrees[0] <= 6
    assert among.f < everybody.f
    assert everybody.p < among.p < 1


def test_that_the_adjusted_wald_test_says_when_clusters_are_too_few():
    data = clustered_survey(clusters=6)
    found = survey_of(1, data, **CLUSTERED).table("a", "b", test=ADJUSTED_WALD).found
    assert found.independence is None
    assert any("adjusted Wald" in remark for remark in found.remarks)
    assert found_by(1, data=data, **CLUSTERED).degrees[0] <= 4


@pytest.mark.parametrize("name", [RAO_SCOTT, ADJUSTED_WALD])
@pytest.mark.parametrize("people", [1, 2, 3])
def test_that_a_few_people_show_no_dependence(name, people):
    # Their covariance is singular but for rounding, which no inverse may be made of.
    true = pd.DataFrame({"a": ["x", "y", "z"], "b": ["u", "v", "u"]})
    design = pp.design(true, a=pp.subset(epsilon=2.0), b=pp.uniform(keep=0.7))
    reported = pp.distort(true[:people], design, seed=1).assign(w=[1.0, 2.0, 1.5][:people])
    found = pp.Survey(reported, design, weights="w").table("a", "b", test=name).found
    assert found.independence is None or found.independence.p == 1


def test_that_an_unknown_test_is_refused():
    with pytest.raises(ParameterError, match="is 'wald'; it must be one of rao-scott"):
        found_by(1, "wald", **CLUSTERED)


def test_that_people_who_answered_have_no_sampling_error_to_test_by():
    options = {"target": "respondents"}
    assert found_by(1, options=options, **CLUSTERED) is None
    assert 0 < found_by(0.6, options=options, **CLUSTERED).p <= 1


def assert_size(found, draws):
    # Between .03 and .07, and 3 standard errors of so few draws to either side.
    reach = 3 * math.sqrt(0.05 * 0.95 / draws)
    for share in found.values():
        assert max(0.03 - reach, 0) <= share <= 0.07 + reach


def test_that_a_true_independence_is_rarely_rejected_with_a_dozen_clusters():
    """Wald's test without an adjustment rejects it in about 3 of 10 surveys."""
    assert_size(rejections(60, 12, 25, keep=0.7, tests=[RAO_SCOTT]), 60)


@pytest.mark.slow
@pytest.mark.parametrize("keep", [1, 0.7])
@pytest.mark.parametrize(("clusters", "size"), [(12, 25), (30, 20), (400, 1)])
def test_that_a_true_independence_is_rejected_as_often_as_promised(clusters, size, keep):
    assert_size(rejections(200, clusters, size, keep, seed=2), 200)


def test_that_a_kept_question_knows_its_test():
    asked = Question("crosstab", of="a", by="b", test=ADJUSTED_WALD)
    assert Question.from_json(asked.to_json()) == asked
    assert "test" not in Question("crosstab", of="a", by="b").to_json()
    assert command_of(asked.request, "t.csv", "d.json").endswith("--test adjusted-wald")
    with pytest.raises(ValueError, match="wald"):
        Question.from_json(asked.to_json() | {"test": "wald"})
