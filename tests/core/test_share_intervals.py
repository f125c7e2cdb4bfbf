"""One rule for the interval of a share, whoever asks: exact where normal intervals fail."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import ppworkbench as pp
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Custom,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Uniform,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.reconstruct.reconstruct import reconstruct_table
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.share_intervals import Line, blaker, share_interval
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.group_differences import compare
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.quantiles import quantile
from ppworkbench.core.survey.splits import split_share

pytestmark = pytest.mark.thorough

Z = 1.959963984540054
ANSWER = Attribute("answer", Kind.BINARY, ("no", "yes"))
SEX = Attribute("sex", Kind.BINARY, ("F", "M"))
RARE = Custom(((0.99, 0.5), (0.01, 0.5)))
"""A yes is kept with 0.5, a no with 0.99."""


def survey(yes: int, n: int, device) -> tuple[Table, Design]:
    codes = np.repeat([1, 0], [yes, n - yes])
    return Table((Column(ANSWER, codes),)), Design((DesignedAttribute(ANSWER, device),))


def acceptability(x: int, n: int, p: float) -> float:
    """Blaker's function as he wrote it."""
    above, below = 1 - binom.cdf(x - 1, n, p), binom.cdf(x, n, p)
    first = above + binom.cdf(binom.ppf(above, n, p) - 1, n, p)
    second = below + 1 - binom.cdf(binom.ppf(1 - below, n, p), n, p)
    return float(min(first, second))


@pytest.mark.parametrize(("x", "n"), [(0, 50), (1, 50), (3, 50), (7, 12), (29, 200), (11, 11)])
def test_that_blakers_interval_begins_and_ends_where_its_acceptability_does(x, n):
    low, high = blaker(x, n, 0.95)
    step = 1e-7
    for end, outwards in ((low, -step), (high, step)):
        if 0 < end < 1:
            assert acceptability(x, n, end - outwards) >= 0.05
            assert acceptability(x, n, end + outwards) < 0.05


@given(st.integers(1, 400), st.floats(0, 1), st.floats(0.5, 0.999))
def test_that_blakers_interval_holds_the_reported_share(n, part, confidence):
    low, high = blaker(part * n, n, confidence)
    assert 0 <= low <= part + 1e-9
    assert part - 1e-9 <= high <= 1


def coverage(n: int, line: Line, truths) -> list[float]:
    """How often the interval holds each of the true shares, by exact enumeration."""
    x = np.arange(n + 1)
    ends = []
    for reports in x / n:
        error = math.sqrt(reports * (1 - reports) / (n - 1)) / line.slope
        ends.append(share_interval("auto", line.true(reports), error, Z, line=line, size=n))
    low, high = (np.array([getattr(one, end) for one in ends]) for end in ("low", "high"))
    assert np.all(high - low > 1e-3)
    return [
        float(binom.pmf(x, n, line.reported(truth))[(low <= truth) & (truth <= high)].sum())
        for truth in truths
    ]


@pytest.mark.parametrize("n", [30, 50, 77, 240])
@pytest.mark.parametrize(
    "line",
    [Line(), Line(0.01, 0.49), Line(0.01, 0.89), Line(1 / 6, 2 / 3), Line(0.3, 0.4)],
    ids=["none", "keep .5/.99", "keep .9/.99", "forced", "warner"],
)
def test_that_every_true_share_is_held_in_93_percent_of_surveys(line, n):
    assert min(coverage(n, line, (0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5))) >= 0.93


@pytest.mark.parametrize("device", [Identity(), RARE, Forced(p_truth=2 / 3), Uniform(keep=0.7)])
@pytest.mark.parametrize("yes", [0, 1, 9, 25, 40])
def test_that_one_share_has_one_interval_whichever_question_asks(device, yes):
    table, design = survey(yes, 80, device)
    told = SamplingOptions()
    by_itself = count(table, design, "answer = yes").share
    found = [
        count(table, design, "answer = yes", options=told).share,
        distribution(table, design, "answer").shares[1],
        distribution(table, design, "answer", options=told).shares[1],
    ]
    if by_itself.standard_error > 0:
        assert by_itself.high > by_itself.low
    assert by_itself.high > by_itself.low + 1e-3
    for one in found:
        assert (one.low, one.high) == pytest.approx((by_itself.low, by_itself.high), abs=1e-9)
    rebuilt = reconstruct_table(table, design)["answer"]
    assert (rebuilt.low[1], rebuilt.high[1]) == pytest.approx((by_itself.low, by_itself.high))
    number = count(table, design, "answer = yes").value
    assert (number.low, number.high) == pytest.approx((80 * by_itself.low, 80 * by_itself.high))


@pytest.mark.parametrize("options", [None, SamplingOptions()])
def test_that_a_group_has_the_interval_that_it_would_have_alone(options):
    table, design = survey(6, 90, RARE)
    alone = count(table, design, "answer = yes").share
    both = Table(
        (
            Column(SEX, np.repeat([0, 1], [90, 60])),
            Column(ANSWER, np.concatenate([table["answer"].data, np.repeat([1, 0], [20, 40])])),
        )
    )
    designed = Design((DesignedAttribute(SEX, Identity()), *design))
    groups = (
        split_share(both, designed, "sex", "answer = yes", options=options).shares[0],
        compare(both, designed, "answer", "sex", value="yes", options=options).groups[0],
        distribution(both, designed, "answer", "sex = F", options=options).shares[1],
    )
    for one in groups:
        assert one.interval == "exact"
        assert (one.low, one.high) == pytest.approx((alone.low, alone.high), abs=1e-9)


def test_that_nobody_of_fifty_is_not_a_certainty():
    table, design = survey(0, 50, Identity())
    share = count(table, design, "answer = yes").share
    assert (share.low, share.interval) == (0.0, "exact")
    assert share.high == pytest.approx(0.0642, abs=1e-4)


def test_that_wilsons_interval_stays_his_at_no_reports():
    # Contributions sum to a reported share of -1e-17.
    table, design = survey(0, 40, RARE)
    found = count(table, design, "answer = yes", options=SamplingOptions(interval="wilson"))
    assert found.share.interval == found.value.interval == "wilson"
    assert (found.value.low, found.value.high) == pytest.approx((0, 40 * found.share.high))
    assert found.share.high == pytest.approx(((Z**2 / (40 + Z**2)) - 0.01) / 0.49)


def test_that_reports_below_what_the_device_brings_promise_no_share_of_0():
    ends = [share_interval("auto", share, 0.017, Z, line=Line(1 / 6, 2 / 3), size=1000)
            for share in (0.0, -0.0125, -0.025, -0.19)]  # fmt: skip
    assert [one.low for one in ends] == [0, 0, 0, 0]
    highs = [one.high for one in ends]
    assert highs == sorted(highs, reverse=True)
    assert highs[-1] == pytest.approx(0.0177, abs=1e-3)


def test_that_what_everybody_answered_has_no_error():
    table, design = survey(0, 50, Identity())
    options = SamplingOptions(target="respondents")
    found = count(table, design, "answer = yes", options=options)
    assert (found.share.low, found.share.high) == (0, 0)
    assert "device" not in found.sample.errors


@pytest.mark.parametrize("options", [None, SamplingOptions()])
def test_that_undistorted_answers_mention_no_device(options):
    table, design = survey(20, 50, Identity())
    document = count(table, design, "answer = yes", options=options).to_json()
    assert [one.code for one in document["contains"]] == ["sampling"]
    assert [one.code for one in document["excludes"]] == ["non-response"]


@pytest.mark.parametrize("condition", ["pay < 20", "pay >= 60"])
def test_that_a_number_under_strong_noise_is_estimated_one_way(condition):
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(0, 120))
    noise = Additive(noise="normal", range_privacy=100)
    true = np.clip(np.random.default_rng(1).gamma(4, 9, 400), 0, 120)
    told = noise.distort(true, pay, SeededStreams(3).stream("pay"))
    table, design = Table((Column(pay, told),)), Design((DesignedAttribute(pay, noise),))
    options = SamplingOptions()
    pairs = [
        (ask(), ask(options=options))
        for ask in (
            lambda **how: [count(table, design, condition, **how).value],
            lambda **how: distribution(table, design, "pay", bins=4, **how).shares,
            lambda **how: quantile(table, design, "pay", **how).quantiles,
        )
    ]
    for plain, sampled in pairs:
        for one, other in zip(plain, sampled, strict=True):
            expected = (one.estimate, one.low, one.high)
            assert (other.estimate, other.low, other.high) == pytest.approx(expected)


@pytest.mark.parametrize("privacy", [100, 200])
def test_that_ten_times_the_answers_leave_some_width_where_noise_hides_a_mean(privacy):
    """The same answers ten times over would contradict every distribution."""
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(0, 120))
    noise = Additive(noise="normal", range_privacy=privacy)
    true = np.clip(np.random.default_rng(1).gamma(4, 9, 400), 0, 120)
    told = noise.distort(true, pay, SeededStreams(3).stream("pay"))
    table, design = Table((Column(pay, told),)), Design((DesignedAttribute(pay, noise),))
    limits = mean(table, design, "pay", condition="pay < 30").limits
    assert limits.says_nothing
    assert 0 < limits.with_ten_times <= limits.high - limits.low
    assert limits.with_ten_times > 0.3 * (limits.high - limits.low)


ANSWERS = pd.DataFrame({"answer": ["yes"] * 12 + ["no"] * 38, "pay": np.arange(50.0)})
DOCUMENT = {
    "format": "ppworkbench-design", "version": 1,
    "attributes": {
        "answer": {"kind": "binary", "values": ["no", "yes"],
                   "perturbation": {"type": "uniform", "keep": 0.8}},
        "pay": {"kind": "continuous", "domain": [0, 50], "perturbation": {"type": "none"}},
    },
}  # fmt: skip


def test_that_the_estimate_of_a_share_is_the_share():
    asked = pp.Survey(ANSWERS, DOCUMENT)
    for found in (asked.share("answer = yes"), asked.share("answer = yes", where="pay < 100")):
        document = found.to_dict()
        assert document["estimate"] == pytest.approx(found.estimate) == pytest.approx(1 / 15)
        assert (document["low"], document["high"]) == (found.low, found.high)
    assert asked.share("answer = yes").to_dict()["count"]["estimate"] == pytest.approx(10 / 3)


@pytest.mark.parametrize("confidence", [2, 0, 1, -0.5, math.nan])
def test_that_every_question_refuses_a_confidence_that_is_none(confidence):
    asked = pp.Survey(ANSWERS, DOCUMENT)
    for ask in (
        lambda: asked.quantile("pay", confidence=confidence),
        lambda: asked.share("answer = yes", confidence=confidence),
        lambda: asked.mean("pay", confidence=confidence),
        lambda: asked.distribution("answer", confidence=confidence),
        lambda: asked.table("answer", "pay", bins=2, confidence=confidence),
        lambda: asked.compare("pay", by="answer", confidence=confidence),
    ):
        with pytest.raises(ParameterError, match="must be above 0 and below 1"):
            ask()


def test_that_a_method_that_a_statistic_does_not_have_is_refused():
    asked = pp.Survey(ANSWERS, DOCUMENT)
    with pytest.raises(ParameterError, match="There is no parameter 'method'"):
        asked.quantile("pay", method="sequential")
    with pytest.raises(ParameterError, match="no sequential method"):
        asked.table("answer", "pay", method="sequential")


def test_that_one_share_of_three_values_has_one_number_in_every_command():
    """Also where the estimate of a value is below 0; a distribution stands beside it."""
    answers = pd.DataFrame({"q": np.repeat(["a", "b", "c"], [45, 99, 156])})
    design = pp.design(answers, q=pp.uniform(0.58))
    survey = pp.Survey(answers, design)
    told = survey.distribution("q").to_frame()
    fitted = pp.reconstruct(answers, design).to_frame()
    columns = ["estimate", "low", "high"]
    for place, value in enumerate("abc"):
        share = survey.share(f"q = {value}")
        numbers = [share.estimate, share.low, share.high]
        assert told.loc[place, columns].tolist() == pytest.approx(numbers, abs=1e-12)
        assert told.loc[place, "standard_error"] == pytest.approx(share.standard_error)
        row = fitted.loc[place, ["share", "low", "high"]].tolist()
        assert row == pytest.approx(numbers, abs=1e-12)
    assert told.loc[0, "estimate"] < 0
    assert fitted["probability"].min() >= 0
    values = survey.distribution("q").to_dict()["values"]
    assert min(one["probability"] for one in values) == 0


def test_that_reconstruct_names_the_exact_interval():
    answers = pd.DataFrame({"q": np.repeat(["a", "b", "c"], [45, 99, 156])})
    told = pp.reconstruct(answers, pp.design(answers, q=pp.uniform(0.58))).summary()
    assert "Blaker's exact interval for a" in told


def test_that_a_share_leads_with_percent_and_a_count_with_people():
    answers = pd.DataFrame({"q": np.repeat(["a", "b", "c"], [45, 99, 156])})
    survey = pp.Survey(answers, pp.design(answers, q=pp.uniform(0.58)))
    assert survey.share("q = b").summary().startswith("About 32.4 % meet q = b (95 % interval ")
    assert "Without correction: 33.0 %." in survey.share("q = b").summary()
    assert survey.count("q = b").summary().startswith("About 97.")


def test_that_compliance_and_a_report_s_estimate_agree_with_the_survey():
    """27 answers of a forced response, of which fewer say yes than the coin alone would bring."""
    answers = pd.DataFrame({"q": np.repeat(["no", "yes"], [25, 2])})
    design = pp.design(answers, q=pp.uniform(0.7))
    survey = pp.Survey(answers, design)
    share = survey.share("q = yes")
    assert share.estimate < 0 < share.high
    plain = survey.compliance("q").to_dict()["if_all_followed"]
    row = pp.reconstruct(answers, design).to_frame().iloc[1]
    for low, high, error, estimate in (
        (plain["low"], plain["high"], plain["standard_error"], plain["estimate"]),
        (row["low"], row["high"], share.standard_error, row["share"]),
    ):
        assert (low, high) == pytest.approx((share.low, share.high), abs=1e-9)
        assert estimate == pytest.approx(share.estimate)
        assert error == pytest.approx(share.standard_error)
    said = "The share is below zero, which is rarely chance (p = 0.0052)."
    for remarks in (
        share.remarks,
        survey.compliance("q").remarks,
        survey.distribution("q").remarks,
        pp.reconstruct(answers, design).to_dict()["attributes"]["q"]["warnings"],
    ):
        assert list(remarks).count(said) == 1


@pytest.mark.parametrize("yes", [7, 8])
def test_that_a_share_below_zero_by_chance_is_told_in_the_same_words_everywhere(yes):
    answers = pd.DataFrame({"q": np.repeat(["no", "yes"], [30 - yes, yes])})
    design = pp.design(answers, q=pp.uniform(0.7))
    survey = pp.Survey(answers, design)
    for remarks in (
        survey.share("q = yes").remarks,
        survey.compliance("q").remarks,
        survey.distribution("q").remarks,
        pp.reconstruct(answers, design).to_dict()["attributes"]["q"]["warnings"],
    ):
        told = [one for one in remarks if "by chance" in one]
        assert told == ["A share below 0 % arises by chance; treat it as 0."]


def test_that_small_groups_are_counted_and_not_tested():
    """Two people against 300 would give p < 0.001 where nobody of the two says yes."""
    sizes = {"x": 2, "y": 15, "z": 300}
    answers = pd.DataFrame(
        {
            "g": np.repeat(list(sizes), list(sizes.values())),
            "q": np.resize(["no", "no", "yes"], sum(sizes.values())),
        }
    )
    found = pp.Survey(answers, pp.design(answers, q=pp.uniform(0.8))).compare("q=yes", by="g")
    document = found.to_dict()
    assert [one["people"] for one in document["groups"]] == list(sizes.values())
    tested = {(one["a"], one["b"]): one["p"] is not None for one in document["differences"]}
    assert tested == {("y", "x"): False, ("z", "x"): False, ("z", "y"): True}
    assert any("Not tested, fewer than 10 people: x" in one for one in document["remarks"])
    assert any("Fewer than 20 people" in one and "y" in one for one in document["remarks"])
    assert "people" in found.summary()


def test_that_a_correlation_says_that_it_uses_no_check_question():
    related = {"type": "related", "theta": 0.15}
    asked = {"kind": "binary", "values": ["no", "yes"], "perturbation": related}
    plain = {"format": "ppworkbench-design", "version": 2, "attributes": {}}
    plain["attributes"] = dict.fromkeys(("drug", "check", "theft"), asked)
    anchored = plain | {"anchors": {"drug": {"column": "check", "p": 0.15, "share": 0}}}
    draw = np.random.default_rng(3)
    answers = pd.DataFrame({name: draw.choice(["no", "yes"], 400) for name in plain["attributes"]})
    for design, is_told in ((plain, False), (anchored, True)):
        found = pp.Survey(answers, design).correlate("drug", "theft")
        assert any("check question" in one for one in found.remarks) == is_told
