"""Errors by drawing people again, to the end or until somebody stops it."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.models import Regression, RegressionOptions, regress
from ppworkbench.core.models.bootstrap import DRAWS, FEWEST_DRAWS, STOPPED
from ppworkbench.core.progress import Cancelled, StoppableProgress
from tests.core.models.conftest import FORCED, binary, design_of, table_of
from tests.regression_surveys import CASES, CHANNELS, logit, seen, survey

pytestmark = pytest.mark.thorough

BOOTSTRAP = RegressionOptions(variance="bootstrap")


def stopped_after(reports: int, **options: object) -> Regression:
    """A regression that somebody stops after so many draws were begun."""
    table, design = survey(CASES["logistic"], "y", np.random.default_rng(3), 2000, whole=True)
    begun: set[float] = set()

    def report(done: float, message: str) -> None:
        if message == "drawing again":
            begun.add(done)
            if len(begun) > reports:
                progress.stop()

    progress = StoppableProgress(report)
    return regress(table, design, "y ~ v + x", BOOTSTRAP, progress=progress, **options)


def code_of(result: Regression) -> list[str]:
    """The codes of the remarks."""
    return [getattr(remark, "code", "") for remark in result.remarks]


@pytest.mark.slow
def test_that_a_whole_bootstrap_agrees_with_the_sandwich() -> None:
    """Within what 200 draws allow."""
    table, design = survey(CASES["logistic"], "y", np.random.default_rng(3), 2000, whole=True)
    drawn = regress(table, design, "y ~ v + x", BOOTSTRAP)
    robust = regress(table, design, "y ~ v + x", RegressionOptions(variance="robust"))
    for one, other in zip(drawn.terms, robust.terms, strict=True):
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.2)
    assert drawn.draws == DRAWS
    assert drawn.to_json()["draws"] == DRAWS
    assert robust.draws is None
    assert STOPPED not in code_of(drawn)


def test_that_a_stopped_bootstrap_keeps_what_was_drawn() -> None:
    """The result and a remark name the number."""
    result = stopped_after(60, effects=True)
    assert result.variance == "bootstrap"
    assert result.draws is not None
    assert FEWEST_DRAWS <= result.draws <= 60
    said = next(one for one in result.remarks if getattr(one, "code", "") == STOPPED)
    assert f"{result.draws} of {DRAWS} draws" in said
    assert all(np.isfinite(one.standard_error) for one in result.terms)
    assert all(one.naive is not None for one in result.terms)
    assert result.effects


def test_that_few_draws_are_no_result() -> None:
    """Errors from a handful would only mislead."""
    with pytest.raises(Cancelled):
        stopped_after(FEWEST_DRAWS - 1)


def test_that_the_first_draws_are_those_of_the_whole() -> None:
    """A stop changes how many there are, not what they are."""
    assert np.array_equal(stopped_after(40).covariance, stopped_after(40).covariance)


def test_that_clusters_are_drawn_whole() -> None:
    """Twins who always agree are one person to the bootstrap."""
    random = np.random.default_rng(5)
    x = np.repeat(random.integers(0, 3, 500), 2)
    y = np.repeat((random.random(500) < logit(-0.5 + 0.6 * x[::2])).astype(int), 2)
    cluster = Attribute("c", Kind.INTEGER, domain=(0, 500))
    number = Attribute("x", Kind.INTEGER, domain=(0, 2))
    columns = {binary("y"): y, number: x, cluster: np.repeat(np.arange(500), 2)}
    sampling = Sampling(cluster="c")
    drawn = regress(table_of(columns), design_of(columns), "y ~ x", BOOTSTRAP, sampling=sampling)
    linear = regress(table_of(columns), design_of(columns), "y ~ x", sampling=sampling)
    people = regress(table_of(columns), design_of(columns), "y ~ x")
    slope = drawn.terms[1].standard_error
    assert slope == pytest.approx(linear.terms[1].standard_error, rel=0.25)
    assert slope > 1.2 * people.terms[1].standard_error


@pytest.mark.slow
def test_that_many_rows_are_drawn_in_parts() -> None:
    """Each draw has as many people as there are, and reports often enough to be stopped."""
    from ppworkbench.core.models.bootstrap import bootstrap
    from ppworkbench.core.models.estimating import fit_by_likelihood
    from ppworkbench.core.models.formula import parse_formula
    from ppworkbench.core.models.problem import make_problem

    random = np.random.default_rng(6)
    n = 600_000
    v = Attribute("v", Kind.CONTINUOUS, domain=(-10, 10))
    columns = {binary("y"): seen(random.integers(0, 2, n), CHANNELS["forced"], random),
               v: random.normal(size=n)}  # fmt: skip
    problem = make_problem(table_of(columns), design_of(columns, y=FORCED), parse_formula("y ~ v"))
    fitted = fit_by_likelihood(problem.likelihood)
    weights: list[np.ndarray] = []
    reports = 0

    def refit(drawn: np.ndarray, progress: object) -> object:
        weights.append(drawn)
        return fitted

    def progress(_done: float, _message: str = "") -> None:
        nonlocal reports
        reports += 1
        if len(weights) >= FEWEST_DRAWS:
            raise Cancelled

    bootstrap(problem, fitted, refit, progress=progress)
    assert {float(drawn.sum()) for drawn in weights} == {float(n)}
    assert reports > 3 * FEWEST_DRAWS
    assert weights[0].var() == pytest.approx(1, abs=0.01)


@pytest.mark.slow
def test_that_a_closed_correction_is_drawn_again_as_well() -> None:
    """From the estimates of everybody; errors are about those of the sandwich."""
    table, design = survey(CASES["logistic"], "v", np.random.default_rng(8), 1500)
    drawn, robust = (
        regress(table, design, "y ~ v + x", RegressionOptions(method="corrected", variance=kind))
        for kind in ("bootstrap", "robust")
    )
    for one, other in zip(drawn.terms, robust.terms, strict=True):
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.2)
