"""Shares whose reports contribute more than two numbers: joint conditions and cells of tables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multinomial

import ppworkbench as pp
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Custom, Design, DesignedAttribute, Forced, Identity, Uniform
from ppworkbench.core.reconstruct.reconstruct import reconstruct_table
from ppworkbench.core.share_intervals import FEW_REPORTS, Line, share_interval
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.group_differences import compare
from ppworkbench.core.survey.splits import split_share

pytestmark = pytest.mark.thorough

ANSWER = Attribute("answer", Kind.BINARY, ("no", "yes"))
SEX = Attribute("sex", Kind.BINARY, ("f", "m"))
VALUES = Attribute("values", Kind.NOMINAL, ("a", "b", "c"))
RARE = Custom(((0.99, 0.5), (0.01, 0.5)))
"""A yes is kept with 0.5, a no with 0.99."""
THREE = Custom(((0.8, 0.1, 0.1), (0.15, 0.85, 0.2), (0.05, 0.05, 0.7)))
BOTH = "answer = yes and sex = f"


def survey(counts, answer=RARE, sex=None) -> tuple[Table, Design]:
    """``counts`` of reports: no f, no m, yes f, yes m."""
    codes = np.repeat(np.arange(4), counts)
    table = Table((Column(ANSWER, codes // 2), Column(SEX, codes % 2)))
    asked = DesignedAttribute(ANSWER, answer), DesignedAttribute(SEX, sex or Identity())
    return table, Design(asked)


@pytest.mark.parametrize(
    ("device", "matrix"),
    [
        (RARE, np.array([[0.99, 0.5], [0.01, 0.5]])),
        (Forced(p_truth=2 / 3), np.array([[5, 1], [1, 5]]) / 6),
        (Identity(), np.eye(2)),
    ],
    ids=["keep .5/.99", "forced", "none"],
)
@pytest.mark.parametrize("truth", [0.0, 0.02, 0.05, 0.2])
def test_that_a_joint_share_is_held_in_93_percent_of_surveys(device, matrix, truth):
    """Half of the people are in the group; by enumeration of all reports of 30 people."""
    n, held = 30, 0.0
    reports = np.kron(matrix @ [1 - truth, truth], [0.5, 0.5])
    # What the men say does not matter.
    chance = reports[0], reports[2], 0.5
    for no in range(n + 1):
        for yes in range(n + 1 - no):
            likely = multinomial.pmf([no, yes, n - no - yes], n, chance)
            if likely < 1e-5:
                continue
            table, design = survey([no, n - no - yes, yes, 0], device)
            share = count(table, design, BOTH).share
            held += likely * (share.low - 1e-12 <= truth / 2 <= share.high + 1e-12)
    assert held >= 0.93


def test_that_a_rare_joint_share_is_held_where_both_questions_are_randomised():
    rng, n, draws = np.random.default_rng(7), 60, 400
    matrix, truth = np.array([[0.99, 0.5], [0.01, 0.5]]), 0.05
    joint = np.kron(matrix @ [1 - truth, truth], matrix @ [0.5, 0.5])
    held = 0
    for counts in rng.multinomial(n, joint, draws):
        table, design = survey(counts, RARE, RARE)
        share = count(table, design, "answer = yes and sex = m").share
        held += share.low <= truth / 2 <= share.high
    assert held / draws >= 0.93 - 2 * math.sqrt(0.05 * 0.95 / draws)


@pytest.mark.parametrize("counts", [(25, 25, 0, 0), (0, 0, 25, 25)], ids=["nobody", "everybody"])
@pytest.mark.parametrize("sex", [RARE, Forced(p_truth=2 / 3), Uniform(keep=0.7)])
def test_that_an_open_answer_that_nobody_gives_leaves_a_joint_share_a_width(counts, sex):
    table, design = survey(counts, Identity(), sex)
    for answer in ("no", "yes"):
        share = count(table, design, f"answer = {answer} and sex = m").share
        assert share.high - share.low > 0.05, answer


@pytest.mark.parametrize("sex", [None, Forced(p_truth=2 / 3)], ids=["known", "randomised"])
@pytest.mark.parametrize("counts", [(25, 25, 0, 0), (24, 24, 1, 1), (20, 70, 30, 5)])
def test_that_a_cell_of_a_table_is_the_count_of_its_condition(counts, sex):
    table, design = survey(counts, RARE, sex)
    cell = crosstab(table, design, "answer", "sex").cells[1][0]
    value = count(table, design, BOTH).value
    assert (cell.low, cell.high) == pytest.approx((value.low, value.high), abs=1e-9)


def all_shares(table, design, **how):
    """Every number that the commands give for shares of this survey."""
    found = {"share": count(table, design, "answer = yes", **how).share}
    for condition in (BOTH, "values = b", "answer = yes and values in {a, b}"):
        asked = count(table, design, condition, **how)
        found[condition], found[f"number: {condition}"] = asked.share, asked.value
    for among in ("", "values = a"):
        cells = crosstab(table, design, "answer", "sex", condition=among, **how).cells
        found |= {f"cell {i} {among}": one for i, one in enumerate(itertools.chain(*cells))}
        for of in ("answer", "values"):
            if of not in among:
                shares = distribution(table, design, of, condition=among, **how).shares
                found |= {f"{of} {i} {among}": one for i, one in enumerate(shares)}
    for by, of in (("sex", "answer = yes"), ("sex", "values = a"), ("values", "answer = yes")):
        shares = split_share(table, design, by, of, **how).shares
        found |= {f"{by}: {of} {i}": one for i, one in enumerate(shares) if one is not None}
    return found


@pytest.mark.parametrize("sex", [Identity(), Uniform(keep=0.8)], ids=["known", "randomised"])
@pytest.mark.parametrize("yes", [0.0, 0.04, 0.4])
def test_that_the_option_auto_gives_what_runs_without_it(yes, sex):
    draw, n = np.random.default_rng(11), 60
    table = Table(
        (
            Column(ANSWER, (draw.random(n) < yes).astype(np.int64)),
            Column(SEX, np.arange(n) % 2),
            Column(VALUES, draw.integers(0, 3, n)),
        )
    )
    design = Design(
        (
            DesignedAttribute(ANSWER, RARE),
            DesignedAttribute(SEX, sex),
            DesignedAttribute(VALUES, THREE),
        )
    )
    plain = all_shares(table, design)
    told = all_shares(table, design, options=SamplingOptions(interval="auto"))
    assert plain.keys() == told.keys()
    for name, one in plain.items():
        other = told[name]
        assert (one.estimate, one.low, one.high, one.standard_error, one.interval) == (
            pytest.approx(other.estimate),
            pytest.approx(other.low, abs=1e-9),
            pytest.approx(other.high, abs=1e-9),
            pytest.approx(other.standard_error),
            other.interval,
        ), name


def test_that_nobody_of_fifty_has_one_error_and_no_further_remark():
    table, design = survey([25, 25, 0, 0])
    plain = count(table, design, "answer = yes")
    told = count(table, design, "answer = yes", options=SamplingOptions())
    assert plain.share.standard_error == pytest.approx(0.0287168, abs=1e-6)
    assert told.share.standard_error == pytest.approx(plain.share.standard_error)
    assert told.remarks == plain.remarks


def test_that_a_share_of_three_values_has_one_interval_in_every_command():
    codes = np.repeat([0, 1, 2], [48, 10, 2])
    table = Table((Column(VALUES, codes),))
    design = Design((DesignedAttribute(VALUES, THREE),))
    asked = count(table, design, "values = b").share
    fitted = reconstruct_table(table, design)["values"]
    assert asked.interval == "score"
    for low, high in (
        (fitted.low[1], fitted.high[1]),
        [(one.low, one.high) for one in distribution(table, design, "values").shares][1],
    ):
        assert (low, high) == pytest.approx((asked.low, asked.high), abs=1e-9)
    assert "score interval for" in fitted.interval_method


def test_that_a_cut_interval_of_a_cell_is_remarked_as_one_of_a_count():
    table, design = survey([20, 20, 2, 8])
    wald = SamplingOptions(interval="wald")
    asked = count(table, design, BOTH, options=wald)
    cells = crosstab(table, design, "answer", "sex", options=wald)
    for found in (asked, cells):
        assert any(getattr(one, "code", "") == "cut" for one in found.remarks)


@pytest.mark.parametrize("device", [Identity(), RARE], ids=["none", "keep .5/.99"])
def test_that_two_groups_without_a_yes_may_still_differ(device):
    table, design = survey([25, 25, 0, 0], device)
    found = compare(table, design, "answer", "sex", value="yes")
    (one,) = found.differences
    first, second = found.groups
    assert one.estimate == pytest.approx(0, abs=1e-12)
    # Newcombe's interval from those of both groups, which begin at 0.
    assert (one.low, one.high) == pytest.approx((-second.high, first.high))
    assert one.high > 0.1


def test_that_a_difference_of_large_groups_has_a_normal_interval():
    table, design = survey([250, 300, 200, 150], Identity())
    (one,) = compare(table, design, "answer", "sex", value="yes").differences
    reach = 1.959964 * one.standard_error
    assert min(200, 150) > FEW_REPORTS
    assert (one.low, one.high) == pytest.approx((one.estimate - reach, one.estimate + reach))


@pytest.mark.parametrize(("yes", "keep"), [(2, 0.7), (160, 0.6)])
def test_that_the_first_row_of_the_band_is_the_share_if_all_followed(yes, keep):
    answers = pd.DataFrame({"q": np.repeat(["no", "yes"], [200 - yes, yes])})
    found = pp.Survey(answers, pp.design(answers, q=pp.uniform(keep))).compliance("q")
    told = found.to_dict()
    first = [one for one in told["band"] if one["share"] == 0]
    assert len(first) >= 3
    for one in first:
        for name in ("estimate", "low", "high", "standard_error"):
            assert one[name] == told["if_all_followed"][name]
    known = [one for one in told["band"] if one["low"] is not None]
    assert all(0 <= one["low"] <= one["high"] <= 1 for one in known)
    assert any("cut to what is possible" in one for one in found.remarks)
    assert told["uncorrected"]["estimate"] == yes / 200


def test_that_an_interval_of_no_width_is_not_said_to_be_cut():
    table, design = survey([25, 25, 0, 0], Identity())
    found = count(table, design, "answer = yes", options=SamplingOptions(interval="wald"))
    assert (found.share.low, found.share.high) == (0, 0)
    assert not any(getattr(one, "code", "") == "cut" for one in found.remarks)


def test_that_ends_are_0_or_1_and_not_nearly_so():
    line = Line(0.01, 0.49)
    found = share_interval("auto", 6.9e-18, 1e-19, 1.96, line=None)
    assert found.low == 0
    assert share_interval("auto", 1 - 1e-16, 0.0, 1.96, line=line, size=1e6).high == 1


def test_that_a_difference_of_shares_reaches_no_further_than_from_none_to_all():
    counts = [30, 36, 40, 34]
    table, design = survey(counts, Uniform(keep=0.55))
    found = compare(table, design, "answer", "sex", value="yes")
    [one] = found.differences
    assert one.standard_error * 1.96 + abs(one.estimate) > 1
    assert -1 <= one.low <= one.estimate <= one.high <= 1
