"""Numbers under noise among the predictors: what the naive fit is, and what undoes the noise."""

from __future__ import annotations

import numpy as np
import pytest
from examples import sweep

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.models import RegressionOptions, regress
from ppworkbench.core.models.families.multinomial import SEVERAL_ROOTS
from tests.core.models.conftest import FORCED, binary, design_of, table_of
from tests.regression_surveys import BLUR, CHANNELS, V, X, coverage, logit, seen, two_peaks

CORRECTED = RegressionOptions(method="corrected")
WHOLE = Attribute("v", Kind.INTEGER, domain=(-20, 20))
COUNT = Attribute("y", Kind.INTEGER, domain=(0, 1000))
Y = binary("y")


def normal(sigma: float) -> dict:
    """Normal noise on a number."""
    return {"type": "additive", "noise": "normal", "sigma": sigma}


def yes(eta: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Who says yes."""
    return (random.random(len(eta)) < logit(eta)).astype(int)


@pytest.mark.parametrize("method", ["ml", "corrected"])
@pytest.mark.parametrize("outcome", sweep([Y, COUNT], quick=1), ids=["logistic", "poisson"])
def test_that_the_naive_slope_is_that_of_the_reports_as_they_are(
    outcome: Attribute, method: str
) -> None:
    """The same table with nothing declared distorted gives it."""
    random = np.random.default_rng(21)
    v = random.normal(size=1500)
    y = yes(v, random) if outcome is Y else random.poisson(np.exp(0.3 + 0.4 * v))
    columns = {outcome: y, V: v + 0.7 * random.normal(size=1500)}
    model = "logistic" if outcome is Y else "poisson"
    plain = regress(table_of(columns), design_of(columns), "y ~ v", RegressionOptions(model=model))
    options = RegressionOptions(method=method, model=model)
    noisy = regress(table_of(columns), design_of(columns, v=BLUR), "y ~ v", options)
    for one, other in zip(plain.terms, noisy.terms, strict=True):
        assert other.naive == pytest.approx(one.estimate, abs=1e-7)
    assert noisy.terms[1].estimate > 1.1 * plain.terms[1].estimate


def test_that_a_corrected_poisson_model_takes_counts() -> None:
    """Merged rows would mix the numbers up."""
    random = np.random.default_rng(22)
    v = random.normal(size=5000)
    columns = {COUNT: random.poisson(np.exp(0.5 + 0.4 * v)), V: v + 0.7 * random.normal(size=5000)}
    options = RegressionOptions(method="corrected", model="poisson")
    slope = regress(table_of(columns), design_of(columns, v=BLUR), "y ~ v", options).terms[1]
    assert abs(slope.estimate - 0.4) < 4 * slope.standard_error
    assert slope.standard_error < 0.03


@pytest.mark.parametrize(("fit", "compare"), [(19, None), (0, "y ~ x")])
def test_that_nothing_is_judged_by_a_likelihood_that_does_not_exist(
    fit: int, compare: str | None
) -> None:
    """One sentence, no table."""
    random = np.random.default_rng(23)
    v = random.normal(size=300)
    columns = {Y: yes(v, random), V: v + 0.7 * random.normal(size=300), X: yes(v, random)}
    design = design_of(columns, v=BLUR)
    with pytest.raises(ParameterError, match="likelihood"):
        regress(table_of(columns), design, "y ~ v + x", CORRECTED, fit_replicates=fit,
                compare_with=compare)  # fmt: skip


def test_that_the_conditional_score_finds_the_slope_of_two_peaks() -> None:
    """No distribution of the number is assumed; the naive slope is about half."""
    result = regress(*two_peaks(4000, np.random.default_rng(1)), "y ~ v", CORRECTED)
    slope = result.terms[1]
    assert slope.estimate == pytest.approx(1, abs=0.1)
    assert slope.naive is not None
    assert slope.naive < 0.6
    assert result.variance == "robust"
    assert result.log_likelihood is None
    assert slope.odds_ratio is not None


def test_that_several_noisy_numbers_and_a_randomised_outcome_go_together() -> None:
    """Each has noise of its own; an exact predictor stays what it is."""
    random = np.random.default_rng(31)
    n = 30_000
    other, third = (Attribute(name, Kind.CONTINUOUS, domain=(-20, 20)) for name in "ut")
    t = random.normal(size=n)
    v, x = random.normal(size=n), (random.random(n) < 0.4).astype(int)
    u = 0.5 * v + random.normal(size=n)
    y = yes(-0.3 + 0.8 * v - 0.6 * u + 0.5 * x + 0.4 * t, random)
    columns = {
        Y: seen(y, CHANNELS["forced"], random), V: v + 0.7 * random.normal(size=n),
        other: u + 0.5 * random.normal(size=n), X: x, third: t + 0.5 * random.normal(size=n),
    }  # fmt: skip
    design = design_of(columns, y=FORCED, v=BLUR, u=normal(0.5), t=normal(0.5))
    result = regress(table_of(columns), design, "y ~ v + u + x + t", CORRECTED)
    for one, true in zip(result.terms, (-0.3, 0.8, -0.6, 0.5, 0.4), strict=True):
        assert abs(one.estimate - true) < 4 * one.standard_error, one
        assert one.standard_error < 0.1


def test_that_without_noise_the_plain_regression_comes_out() -> None:
    """Noise that nearly vanishes changes nearly nothing, errors included."""
    random = np.random.default_rng(32)
    v = random.normal(size=2000)
    columns = {Y: yes(0.2 + v, random), V: v}
    plain = regress(
        table_of(columns), design_of(columns), "y ~ v", RegressionOptions(variance="robust")
    )
    noisy = regress(table_of(columns), design_of(columns, v=normal(1e-5)), "y ~ v", CORRECTED)
    for one, other in zip(plain.terms, noisy.terms, strict=True):
        assert other.estimate == pytest.approx(one.estimate, abs=1e-6)
        assert other.standard_error == pytest.approx(one.standard_error, rel=1e-3)


def test_that_weights_count_as_so_many_people() -> None:
    """Twice the weight is the same person twice; errors are those of the sampling."""
    random = np.random.default_rng(33)
    v = random.normal(size=2000)
    y, z = yes(v, random), v + 0.7 * random.normal(size=2000)
    weights = random.integers(1, 4, 2000)
    weight = Attribute("w", Kind.CONTINUOUS, domain=(0, 10))
    columns = {Y: y, V: z, weight: weights}
    weighted = regress(
        table_of(columns), design_of(columns, v=BLUR), "y ~ v", CORRECTED,
        sampling=Sampling(weight="w"),
    )  # fmt: skip
    often = {Y: np.repeat(y, weights), V: np.repeat(z, weights)}
    repeated = regress(table_of(often), design_of(often, v=BLUR), "y ~ v", CORRECTED)
    for one, other in zip(weighted.terms, repeated.terms, strict=True):
        assert one.estimate == pytest.approx(other.estimate, abs=1e-8)
        assert one.standard_error > other.standard_error
    assert weighted.variance == "sampling"


@pytest.mark.slow
@pytest.mark.parametrize("outcome", ["linear", "logistic"])
def test_that_noise_on_whole_numbers_is_wider_than_it_was_drawn(outcome: str) -> None:
    """Rounding adds a twelfth to its variance, which a slope would show."""
    random = np.random.default_rng(34)
    n = 200_000
    x = random.integers(-2, 3, n).astype(float)
    columns = {
        Y if outcome == "logistic" else Attribute("y", Kind.CONTINUOUS, domain=(-50, 50)):
        yes(x, random) if outcome == "logistic" else x + random.normal(size=n),
        WHOLE: x + np.rint(random.normal(size=n)),
    }  # fmt: skip
    slope = regress(table_of(columns), design_of(columns, v=normal(1)), "y ~ v", CORRECTED).terms[1]
    assert abs(slope.estimate - 1) < 4 * slope.standard_error
    assert slope.standard_error < 0.012


@pytest.mark.parametrize(
    ("noise", "formula", "what"),
    [
        ({"type": "additive", "noise": "laplace", "scale": 0.5}, "y ~ v", "normal noise"),
        ({"type": "additive", "noise": "uniform", "half_width": 1}, "y ~ v", "normal noise"),
        (BLUR, "y ~ v^2", "only as it is"),
        (BLUR, "k ~ v", "no closed correction for multinomial"),
    ],
)
def test_that_what_has_no_closed_correction_points_at_ml(
    noise: dict, formula: str, what: str
) -> None:
    """In one sentence that says what to use instead."""
    random = np.random.default_rng(35)
    v = random.normal(size=400)
    three = Attribute("k", Kind.NOMINAL, ("a", "b", "c"))
    columns = {Y: yes(v, random), V: v, three: random.integers(0, 3, 400)}
    with pytest.raises(ParameterError, match=what) as error:
        regress(table_of(columns), design_of(columns, v=noise), formula, CORRECTED)
    assert "the likelihood" in str(error.value)


def test_that_an_outcome_that_tells_nothing_has_no_closed_correction() -> None:
    """A coin in the place of the answer cannot be taken out of it again."""
    random = np.random.default_rng(36)
    v = random.normal(size=400)
    columns = {Y: yes(v, random), V: v}
    design = design_of(columns, y={"type": "uniform", "keep": 0.5}, v=BLUR)
    with pytest.raises(ParameterError, match="tell nothing about the true values") as error:
        regress(table_of(columns), design, "y ~ v", CORRECTED)
    assert error.value.field == "method"


def test_that_averages_over_people_are_refused_where_their_numbers_are_open() -> None:
    """The closed correction knows no distribution to average over."""
    random = np.random.default_rng(36)
    v = random.normal(size=400)
    columns = {Y: yes(v, random), V: v + 0.7 * random.normal(size=400)}
    with pytest.raises(ParameterError, match="use the likelihood"):
        regress(table_of(columns), design_of(columns, v=BLUR), "y ~ v", CORRECTED, effects=True)


def test_that_hopeless_noise_ends_in_a_sentence() -> None:
    """Nothing of the predictor is left, or the root is doubtful and said to be."""
    random = np.random.default_rng(37)
    refused = []
    for _ in range(10):
        x = random.normal(size=60)
        columns = {Y: yes(2 * x, random), V: x + 2 * random.normal(size=60)}
        try:
            found = regress(table_of(columns), design_of(columns, v=normal(2)), "y ~ v", CORRECTED)
        except DataError as error:
            refused.append(str(error))
        else:
            doubted = any(getattr(one, "code", "") == SEVERAL_ROOTS for one in found.remarks)
            assert doubted or np.isfinite(found.terms[1].low)
    assert refused
    assert all("noise explains all" in one or "did not converge" in one for one in refused)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linear", "logistic", "poisson"])
def test_that_corrected_intervals_hold_the_truth(name: str) -> None:
    """95 % intervals in 200 surveys, within what chance allows."""
    found = coverage(name, "v", 200, 3000, method="corrected")
    assert found.min() >= 0.90, found
    assert abs(found.mean() - 0.95) < 0.03, found


def test_that_an_outcome_under_noise_is_not_advised_to_use_the_likelihood() -> None:
    """There is none, so inverse weights took its place, which cannot undo the predictor's noise."""
    random = np.random.default_rng(38)
    v = random.normal(size=400)
    columns = {V.with_(name="w"): random.normal(size=400), V: v}
    with pytest.raises(ParameterError, match="leave that predictor out") as error:
        regress(table_of(columns), design_of(columns, w=BLUR, v=BLUR), "w ~ v")
    assert "use the likelihood" not in str(error.value)
