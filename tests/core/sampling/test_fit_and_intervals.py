"""Shares outside 0 to 1, reports that do not fit, and intervals of shares."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Forced
from ppworkbench.core.sampling.variance import t_factor, two_sided_p
from ppworkbench.core.share_intervals import (
    MISFIT,
    OUT_OF_BOUNDS,
    Line,
    logit,
    share_interval,
    simplex_fit,
    wilson,
)
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.group_differences import holm

ANSWER = Attribute("answer", Kind.BINARY, ("no", "yes"))


SAMPLED = SamplingOptions()


def reports(yes, n=1000):
    table = Table((Column(ANSWER, np.repeat([0, 1], [n - yes, yes])),))
    design = Design((DesignedAttribute(ANSWER, Forced(p_truth=2 / 3, forced=(0.5, 0.5))),))
    return table, design


def asked(yes, options=SAMPLED):
    table, design = reports(yes)
    return count(table, design, "answer = yes", options=options)


@pytest.mark.parametrize(
    ("yes", "estimate", "distance", "verdict"),
    [
        (150, -0.025, 1.414214, "chance"),
        (40, -0.19, 10.748, "not chance"),
        (850, 1.025, 1.414214, "chance"),
        (135, -0.0475, 2.687, "rare"),
        (500, 0.5, 0, "fits"),
    ],
)
def test_that_an_impossible_share_is_tested_at_the_edge(yes, estimate, distance, verdict):
    found = asked(yes)
    fit = found.share.details.fit
    assert found.share.estimate == pytest.approx(estimate)
    assert fit.distance == pytest.approx(distance, abs=5e-4)
    assert fit.verdict == verdict
    code = {"fits": None, "chance": OUT_OF_BOUNDS}.get(verdict, MISFIT)
    told = {getattr(line, "code", "") for line in found.remarks}
    assert told & {OUT_OF_BOUNDS, MISFIT} == ({code} if code else set())


@pytest.mark.parametrize(("yes", "code"), [(150, OUT_OF_BOUNDS), (135, MISFIT), (40, MISFIT)])
def test_that_a_simple_random_sample_is_tested_at_the_edge_as_well(yes, code):
    plain, sampled = asked(yes, None), asked(yes)
    assert plain.fit.verdict == sampled.share.details.fit.verdict
    assert plain.fit.distance == pytest.approx(sampled.share.details.fit.distance, rel=1e-3)
    (remark,) = plain.remarks
    assert remark.code == code
    assert plain.to_json()["fit"]["verdict"] == plain.fit.verdict


def test_that_a_distribution_that_cannot_be_is_not_called_chance():
    table, design = reports(40)
    found = distribution(table, design, "answer")
    assert MISFIT in [getattr(line, "code", "") for line in found.remarks]
    table, design = reports(150)
    assert [one.code for one in distribution(table, design, "answer").remarks] == [OUT_OF_BOUNDS]


def test_that_every_result_says_what_its_interval_holds():
    table, design = reports(300)
    for found in (count(table, design, "answer = yes"), distribution(table, design, "answer")):
        told = found.to_json()
        assert told["target"] == "population"
        assert [one.code for one in told["contains"]] == ["device", "sampling"]
        assert "non-compliance" in [one.code for one in told["excludes"]]


def test_that_the_p_value_at_the_edge_is_the_published_one():
    assert asked(150).share.details.fit.p == pytest.approx(0.078650, abs=1e-6)


def test_that_all_shares_at_once_are_compared_with_the_nearest_possible_ones():
    channel = np.full((3, 3), 0.2) + 0.4 * np.eye(3)
    assert simplex_fit(channel @ np.array([0.2, 0.3, 0.5]), channel, 500).verdict == "fits"
    assert simplex_fit(np.array([0.05, 0.05, 0.9]), channel, 500).verdict == "not chance"
    chance = simplex_fit(np.array([0.185, 0.3, 0.515]), channel, 500)
    assert chance.verdict == "chance"


@given(st.floats(0.001, 0.999), st.floats(5, 1e5), st.floats(0.5, 4))
def test_that_wilsons_interval_holds_the_share_and_stays_possible(share, n, t):
    low, high = wilson(share, n, t)
    assert 0 <= low <= share <= high <= 1


@given(st.floats(0.01, 0.99), st.floats(0.001, 0.3), st.floats(0.5, 4))
def test_that_the_logit_interval_holds_the_share_and_stays_possible(share, error, t):
    low, high = logit(share, error, t)
    assert 0 <= low <= share <= high <= 1


@given(st.floats(0.05, 0.95), st.floats(0.01, 0.1))
def test_that_a_plain_line_changes_nothing(share, error):
    mapped = share_interval("wilson", share, error, 2.0, line=Line(0.0, 1.0))
    assert mapped == share_interval("auto", share, error, 2.0, line=Line())


def test_that_a_share_of_zero_still_has_an_interval():
    found = share_interval("auto", 0.0, 0.0, 1.96, line=Line(), size=50)
    assert (found.kind, found.low) == ("exact", 0.0)
    assert found.high == pytest.approx(0.0642, abs=1e-4)


def test_that_many_degrees_of_freedom_are_normal():
    assert t_factor(0.95, math.inf) == pytest.approx(t_factor(0.95, 1e9), abs=1e-6)
    assert two_sided_p(1.96, math.inf) == pytest.approx(0.05, abs=1e-4)
    assert math.isinf(t_factor(0.95, 0))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_that_holm_never_lowers_a_p_value_and_keeps_the_order(p):
    corrected = holm(p)
    assert all(new >= old for new, old in zip(corrected, p, strict=True))
    order = sorted(range(len(p)), key=p.__getitem__)
    assert all(corrected[a] <= corrected[b] for a, b in itertools.pairwise(order))
