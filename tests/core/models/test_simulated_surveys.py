"""Regressions of simulated surveys: unbiased, with intervals that hold what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.errors import DataError, ParameterError, WorkbenchError
from ppworkbench.core.models import RegressionOptions, correlate, regress
from ppworkbench.core.models.model_tests import UNTESTED
from ppworkbench.core.models.problem import CHOSEN_MODEL, WEAK_DEVICE
from ppworkbench.core.models.regress import SEPARATED
from ppworkbench.core.survey.estimates import SMALL_GROUPS
from tests.core.models.conftest import FORCED, binary, design_of, table_of
from tests.regression_surveys import (
    CASES,
    CHANNELS,
    THREE,
    V,
    X,
    chosen,
    coverage,
    logit,
    seen,
    survey,
)


@pytest.mark.slow
@pytest.mark.parametrize("distorted", ["y", "x", "yx"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_that_intervals_hold_the_truth(name: str, distorted: str) -> None:
    """95 % intervals, within what chance allows in so many draws."""
    found = coverage(name, distorted, 200, 3000, whole=True)
    assert found.min() >= 0.90, found
    assert found.max() < 1, found
    assert abs(found.mean() - 0.95) < 0.03, found


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CASES))
def test_that_a_large_survey_gives_the_coefficients(name: str) -> None:
    """With outcome and predictor distorted, within four standard errors."""
    table, design = survey(CASES[name], "yx", np.random.default_rng(3), 8_000)
    result = regress(table, design, "y ~ v + x", RegressionOptions(model=name))
    for one, true in zip(result.terms, CASES[name].truth, strict=True):
        assert abs(one.estimate - true) < 4 * one.standard_error, one
        assert one.standard_error < 0.7


@pytest.mark.slow
def test_that_the_predictor_model_matters_and_inverse_weights_need_none() -> None:
    """The naive effect of a distorted predictor is far too small."""
    table, design = survey(CASES["logistic"], "x", np.random.default_rng(11), 6_000)
    for method in ("ml", "inverse"):
        result = regress(table, design, "y ~ v + x", RegressionOptions(method=method))
        effect = result.terms[2]
        assert abs(effect.estimate - 0.8) < 4 * effect.standard_error
        assert effect.naive is not None
        assert effect.naive < 0.6


def test_that_noise_on_a_predictor_is_undone() -> None:
    """Two peaks of x; the grid's density is not assumed to be normal."""
    random = np.random.default_rng(1)
    x = np.where(random.random(4000) < 0.5, -2, 2) + 0.6 * random.normal(size=4000)
    y = (random.random(4000) < logit(x)).astype(int)
    columns = {binary("y"): y, V: x + random.normal(size=4000)}
    design = design_of(columns, v={"type": "additive", "noise": "normal", "sigma": 1})
    slope = regress(table_of(columns), design, "y ~ v").terms[1]
    assert abs(slope.estimate - 1) < 2.5 * slope.standard_error
    assert slope.naive is not None
    assert slope.naive < 0.9


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), keep=st.floats(0.55, 1.0))
def test_that_errors_grow_with_the_distortion(seed: int, keep: float) -> None:
    """The same answers are worth less behind a stronger device."""
    random = np.random.default_rng(seed)
    v = random.normal(size=600)
    y = (random.random(600) < logit(0.2 + v)).astype(int)
    columns = {binary("y"): y, V: v}
    plain = regress(table_of(columns), design_of(columns), "y ~ v")
    device = {"type": "uniform", "keep": keep}
    try:
        behind = regress(table_of(columns), design_of(columns, y=device), "y ~ v")
    except WorkbenchError:
        return
    if behind.remarks:
        return
    assert behind.terms[1].standard_error >= plain.terms[1].standard_error * (1 - 1e-6)


def test_that_the_fit_of_a_wrong_model_is_doubted_and_of_a_right_one_not() -> None:
    """A parabola is no straight line."""
    random = np.random.default_rng(2)
    v = np.rint(3 * random.normal(size=6000)) / 2
    whole = Attribute("v", Kind.INTEGER, domain=(-12, 12))
    for bend, wrong in ((0.0, False), (0.8, True)):
        y = (random.random(6000) < logit(-0.5 + 0.4 * v + bend * (v**2 - 2))).astype(int)
        columns = {binary("y"): seen(y, CHANNELS["forced"], random), whole: 2 * v}
        design = design_of(columns, y=FORCED)
        fit = regress(table_of(columns), design, "y ~ v", fit_replicates=49).fit
        assert fit is not None
        assert (fit.p < 0.05) == wrong, fit.p


def test_that_a_complete_separation_has_no_interval() -> None:
    """It is named instead of a table that means nothing."""
    x = np.repeat([0, 1], 50)
    columns = {binary("y"): x, X: x}
    result = regress(table_of(columns), design_of(columns), "y ~ x")
    assert SEPARATED in {one.code for one in result.remarks}
    one = result.terms[1]
    assert np.isnan([one.low, one.high, one.p, one.odds_ratio.low, one.odds_ratio.high]).all()


GROUPS = Attribute("g", Kind.NOMINAL, THREE)


def survey_with_small_group(people: int, yes: int) -> dict[Attribute, np.ndarray]:
    """A third of 300 people in two groups says yes, and some of a third group."""
    small = np.arange(people) < yes
    return {binary("y"): np.r_[np.resize([0, 0, 1], 300), small], GROUPS: np.r_[
        np.resize([0, 1], 300), np.full(people, 2)]}  # fmt: skip


@pytest.mark.parametrize("variance", ["model", "robust"])
@pytest.mark.parametrize("device", [None, FORCED])
def test_that_a_tiny_separated_group_is_named_and_has_no_p(device, variance) -> None:
    """However small a part of all people it is."""
    columns = survey_with_small_group(2, 0)
    design = design_of(columns, **({} if device is None else {"y": device}))
    options = RegressionOptions(variance=variance)
    result = regress(table_of(columns), design, "y ~ g", options, effects=True)
    said = next(one for one in result.remarks if one.code == SEPARATED)
    assert said.args["names"] == "g[c]"
    last = result.terms[-1]
    assert np.isnan([last.standard_error, last.low, last.high, last.p]).all()
    assert np.isfinite(result.terms[1].p)
    assert np.isnan([one.standard_error for one in result.effects]).all()


def test_that_inverse_weights_refuse_a_separated_group() -> None:
    """They once gave p = 0 for it."""
    columns = survey_with_small_group(2, 0)
    design = design_of(columns, y=FORCED)
    with pytest.raises(DataError, match="separation"):
        regress(table_of(columns), design, "y ~ g", RegressionOptions(method="inverse"))


@pytest.mark.parametrize(("people", "is_tested", "told"), [
    (9, False, "Not tested, fewer than 10 people: g[c]."),
    (19, True, "Fewer than 20 people, so that p is rough: g[c]."),
    (20, True, ""),
])  # fmt: skip
def test_that_small_groups_of_a_predictor_are_counted_and_not_tested(
    people, is_tested, told
) -> None:
    columns = survey_with_small_group(people, people // 2)
    result = regress(table_of(columns), design_of(columns), "y ~ g")
    assert [one.people for one in result.terms] == [None, 150, people]
    assert np.isfinite(result.terms[-1].p) == is_tested
    assert np.isfinite(result.terms[-1].low)
    assert bool(result.tests) == is_tested
    assert " ".join(one for one in result.remarks if one.code == SMALL_GROUPS) == told
    beside = regress(table_of(columns), design_of(columns), "y ~ g[ref=c]")
    assert [np.isfinite(one.p) for one in beside.terms[1:]] == [is_tested] * 2


def test_that_joint_tests_with_a_separated_term_are_left_out() -> None:
    """Their statistic would be a number about an error that nobody knows."""
    random = np.random.default_rng(13)
    x, v = np.repeat([0, 1], 200), random.normal(size=400)
    three = Attribute("t", Kind.NOMINAL, THREE)
    t = random.integers(0, 3, 400)
    columns = {binary("y"): np.where(x == 1, 1, random.integers(0, 2, 400)), X: x, V: v, three: t}
    result = regress(table_of(columns), design_of(columns), "y ~ x + v + t")
    assert [test.terms for test in result.tests] == [("t",)]
    said = [one for one in result.remarks if one.code == UNTESTED]
    assert [str(one) for one in said] == [
        "Joint tests with x[yes] are left out: there is no test of the coefficient alone."
    ]
    plain = regress(table_of(columns), design_of(columns), "y ~ v + t")
    assert [test.terms for test in plain.tests] == [("t",), ("v", "t")]


@pytest.mark.parametrize("formula", ["y ~ x", "x ~ y"])
def test_that_a_weak_device_is_told_with_what_it_does_to_the_errors(formula: str) -> None:
    random = np.random.default_rng(14)
    x = random.integers(0, 2, 3000)
    for keep, weak in ((0.51, True), (0.7, False)):
        channel = np.array([[keep, 1 - keep], [1 - keep, keep]])
        columns = {binary("y"): seen(random.integers(0, 2, 3000), channel, random), X: x}
        design = design_of(columns, y={"type": "uniform", "keep": keep})
        result = regress(table_of(columns), design, formula)
        said = [one for one in result.remarks if one.code == WEAK_DEVICE]
        assert bool(said) == weak
        assert all("condition number 50" in one for one in said)


@pytest.mark.parametrize(
    ("domain", "model"),
    [((0, 10), "poisson"), ((0, 20), "poisson"), ((0, 99), "linear"), ((1, 7), "linear")],
)
def test_that_whole_numbers_are_linear_unless_they_are_small_counts(
    domain: tuple[int, int], model: str
) -> None:
    random = np.random.default_rng(15)
    x = random.integers(0, 2, 400)
    columns = {Attribute("y", Kind.INTEGER, domain=domain): random.integers(1, 7, 400), X: x}
    result = regress(table_of(columns), design_of(columns), "y ~ x")
    assert result.model == model
    said = [one for one in result.remarks if one.code == CHOSEN_MODEL]
    assert len(said) == 1
    assert f"from {domain[0]} to {domain[1]}" in said[0]
    wanted = RegressionOptions(model="linear")
    chosen = regress(table_of(columns), design_of(columns), "y ~ x", wanted)
    assert not [one for one in chosen.remarks if one.code == CHOSEN_MODEL]


@pytest.mark.parametrize(
    ("formula", "options", "what"),
    [
        ("y ~ q", RegressionOptions(), "no attribute"),
        ("v=3 ~ x", RegressionOptions(), "is a number"),
        ("y=maybe ~ x", RegressionOptions(), "no value"),
        ("y ~ x", RegressionOptions(model="linear"), "does not suit"),
        ("y ~ log(x)", RegressionOptions(), "has values"),
        ("y ~ v + x", RegressionOptions(method="corrected"), "needs added noise"),
        ("y ~ x", RegressionOptions(variance="sampling"), "no sampling variance"),
        ("y ~ center(x)", RegressionOptions(), "no meaning"),
    ],
)
def test_that_what_cannot_be_fitted_is_refused(
    formula: str, options: RegressionOptions, what: str
) -> None:
    """In one sentence that names it."""
    table, design = survey(CASES["logistic"], "yx", np.random.default_rng(5), 100)
    with pytest.raises(ParameterError, match=what):
        regress(table, design, formula, options)


def test_that_correlations_are_those_of_the_true_answers() -> None:
    """Two yes/no answers behind devices of their own, and one behind a shared coin."""
    random = np.random.default_rng(9)
    a = (random.random(60_000) < 0.4).astype(int)
    b = np.where(random.random(60_000) < 0.6, a, (random.random(60_000) < 0.5).astype(int))
    true = np.corrcoef(a, b)[0, 1]
    channel = CHANNELS["forced"]
    columns = {binary("a"): seen(a, channel, random), binary("b"): seen(b, channel, random)}
    table, design = table_of(columns), design_of(columns, a=FORCED, b=FORCED)
    one = correlate(table, design, ["a", "b"]).correlations[0]
    assert abs(one.estimate - true) < 4 * one.standard_error
    assert one.naive < 0.6 * true


def test_that_the_true_correlation_counts_people_as_the_estimate_does() -> None:
    """Weights count for both where the rows are the same; other rows have none."""
    random = np.random.default_rng(6)
    a = (random.random(500) < 0.4).astype(int)
    b = np.where(random.random(500) < 0.6, a, (random.random(500) < 0.5).astype(int))
    heavy = Attribute("w", Kind.CONTINUOUS, domain=(0, 20))
    weights = np.where(a == b, 1.0, 9.0)
    columns = {binary("a"): a, binary("b"): b, heavy: weights}
    table, design = table_of(columns), design_of(columns)
    one = correlate(table, design, ["a", "b"], original=table, sampling=Sampling("w"))
    found = one.correlations[0]
    assert found.true == pytest.approx(found.estimate)
    known = np.cov(np.vstack([a, b]), aweights=weights)
    assert found.true == pytest.approx(known[0, 1] / np.sqrt(known[0, 0] * known[1, 1]))
    others = table.take(np.arange(300))
    elsewhere = correlate(table, design, ["a", "b"], original=others, sampling=Sampling("w"))
    assert elsewhere.correlations[0].true == pytest.approx(np.corrcoef(a[:300], b[:300])[0, 1])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["logistic", "multinomial", "linear", "poisson"])
def test_that_undistorted_answers_give_what_statsmodels_gives(name: str) -> None:
    """Estimates and standard errors of an independent implementation."""
    api = pytest.importorskip("statsmodels.api")
    case = CASES[name]
    table, design = survey(case, "", np.random.default_rng(4), 1500)
    x = np.column_stack([np.ones(1500), table["v"].data, table["x"].data])
    y = table["y"].data
    theirs = {
        "logistic": lambda: api.Logit(y, x).fit(disp=0, tol=1e-12),
        "multinomial": lambda: api.MNLogit(y, x).fit(disp=0, tol=1e-12),
        "linear": lambda: api.OLS(y, x).fit(),
        "poisson": lambda: api.Poisson(y, x).fit(disp=0, tol=1e-12),
    }[name]()
    ours = regress(table, design, "y ~ v + x", RegressionOptions(model=name))
    estimates, errors = (
        np.asarray(one, float).T.reshape(-1) for one in (theirs.params, theirs.bse)
    )
    np.testing.assert_allclose([one.estimate for one in ours.terms], estimates, atol=1e-6)
    np.testing.assert_allclose([one.standard_error for one in ours.terms], errors, atol=1e-6)


def test_that_the_penalty_keeps_separated_answers_finite() -> None:
    """Jeffreys' prior is half an answer more in each cell of a 2 by 2 table (Firth 1993)."""
    x = np.repeat([0, 1], 50)
    columns = {binary("y"): x, X: x}
    options = RegressionOptions(penalty="jeffreys")
    result = regress(table_of(columns), design_of(columns), "y ~ x", options)
    expected = 2 * np.log(50.5 / 0.5)
    assert result.terms[1].estimate == pytest.approx(expected, abs=1e-4)
    assert np.isfinite(result.terms[1].low)
    with pytest.raises(ParameterError, match="penalty"):
        regress(table_of(columns), design_of(columns, x=FORCED), "y ~ x", options)


def test_that_unequal_odds_are_doubted() -> None:
    """A predictor that matters at one threshold only; and one that matters alike at both."""
    random = np.random.default_rng(8)
    v = random.normal(size=5000)
    three = Attribute("y", Kind.ORDINAL, THREE)
    for slopes, doubted in (((0.9, 0.3), True), ((0.6, 0.6), False)):
        below = logit(np.array([-2.0, 2.0]) - v[:, None] * slopes)
        y = chosen(np.maximum(np.diff(below, prepend=0, append=1, axis=1), 0), random)
        columns = {three: np.minimum(y, 2), V: v}
        result = regress(table_of(columns), design_of(columns), "y ~ v")
        assert any("differ between" in remark for remark in result.remarks) == doubted
