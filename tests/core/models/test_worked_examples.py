"""Published and exact results that regressions and correlations must give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.perturbation import Identity, read_perturbation
from ppworkbench.core.models import Regression, RegressionOptions, correlate, regress
from tests.core.models.conftest import FORCED, UNIFORM, binary, design_of, table_of

API = Sampling(weight="pw", stratum=("stype",), population="fpc")


def found(result: Regression) -> list[tuple[float, float]]:
    """Estimates with their standard errors."""
    return [(one.estimate, one.standard_error) for one in result.terms]


def close(result: Regression, *expected: tuple[float, float], by: float = 2e-6) -> None:
    """Compare all coefficients and errors."""
    np.testing.assert_allclose(found(result), expected, atol=by, rtol=1e-7)


X = Attribute("x", Kind.INTEGER, domain=(0, 2))


def test_logistic_by_forced_response() -> None:
    """400, 520 and 620 of 1,000 said yes."""
    y = np.concatenate([np.repeat([1, 0], [yes, 1000 - yes]) for yes in (400, 520, 620)])
    columns = {binary("y"): y, X: np.repeat([0, 1, 2], 1000)}
    result = regress(table_of(columns), design_of(columns, y=FORCED), "y ~ x")
    close(result, (-0.600098, 0.092029), (0.687243, 0.073604))
    assert result.log_likelihood == pytest.approx(-2029.519138, abs=1e-6)


def weighted(values: tuple[str, ...], kind: Kind, shares: np.ndarray) -> tuple[dict, Sampling]:
    """Every report at every x, counted as often as the model expects it."""
    outcome = Attribute("y", kind, values)
    weight = Attribute("w", Kind.CONTINUOUS, domain=(0, 1e6))
    channel = np.full((3, 3), 0.2) + 0.4 * np.eye(3)
    counts = 1000 * shares @ channel.T
    columns = {
        outcome: np.tile([0, 1, 2], 3), X: np.repeat([0, 1, 2], 3), weight: counts.reshape(-1),
    }  # fmt: skip
    return columns, Sampling(weight="w")


def test_multinomial_returns_its_coefficients() -> None:
    """From weights that are exactly what the model expects."""
    from ppworkbench.core.models.estimating import fit_by_likelihood
    from ppworkbench.core.models.formula import parse_formula
    from ppworkbench.core.models.problem import make_problem

    x = np.array([0.0, 1, 2])
    eta = np.column_stack([np.zeros(3), -0.2 + 0.5 * x, 0.3 - 0.4 * x])
    shares = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    columns, _ = weighted(("a", "b", "c"), Kind.NOMINAL, shares)
    design = design_of(columns, y=UNIFORM)
    weights = next(data for one, data in columns.items() if one.name == "w")
    problem = make_problem(
        table_of(columns), design, parse_formula("y ~ x"), weights=np.asarray(weights)
    )
    fit = fit_by_likelihood(problem.likelihood)
    np.testing.assert_allclose(fit.theta, [-0.2, 0.5, 0.3, -0.4], atol=1e-6)
    errors = np.sqrt(np.diag(fit.inverse))
    np.testing.assert_allclose(errors, [0.194030, 0.142668, 0.171201, 0.167441], atol=1e-6)


def test_ordinal_returns_its_coefficients() -> None:
    """Thresholds first, then the slope."""
    from ppworkbench.core.models.estimating import fit_by_likelihood
    from ppworkbench.core.models.formula import parse_formula
    from ppworkbench.core.models.problem import make_problem

    x = np.array([0.0, 1, 2])
    below = 1 / (1 + np.exp(-(np.array([-1, 0.5]) - 0.8 * x[:, None])))
    shares = np.diff(below, prepend=0, append=1, axis=1)
    columns, _ = weighted(("a", "b", "c"), Kind.ORDINAL, shares)
    weights = next(data for one, data in columns.items() if one.name == "w")
    problem = make_problem(
        table_of(columns), design_of(columns, y=UNIFORM), parse_formula("y ~ x"),
        weights=np.asarray(weights),
    )  # fmt: skip
    fit = fit_by_likelihood(problem.likelihood)
    np.testing.assert_allclose(fit.theta, [-1, 0.5, 0.8], atol=1e-6)
    errors = np.sqrt(np.diag(fit.inverse))
    np.testing.assert_allclose(errors, [0.164524, 0.144823, 0.128728], atol=1e-6)


@pytest.fixture(scope="module")
def api(shared_data: Path) -> tuple:
    """The stratified sample of schools, with meals as if it carried noise where asked."""
    table = read_table(shared_data / "apistrat.csv")
    return table, {column.attribute.name: column.attribute for column in table.columns}


def schools(api: tuple, *names: str, noisy: str = "") -> Design:
    """A design of some columns."""
    _, attributes = api
    noise = read_perturbation({"type": "additive", "noise": "normal", "sigma": 10}, noisy)
    return Design(
        tuple(
            DesignedAttribute(Attribute(name, Kind.CONTINUOUS, domain=(0, 100)), noise)
            if name == noisy
            else DesignedAttribute(attributes[name], Identity())
            for name in names
        )
    )


def test_schools_as_svyglm_has_them(api: tuple) -> None:
    """Linear and logistic with strata, weights and a finite population."""
    design = schools(api, "api00", "ell", "meals", "mobility", "sch.wide")
    result = regress(
        api[0], design, "api00 ~ ell + meals + mobility", RegressionOptions("linear"), sampling=API
    )
    close(result, (820.887316, 10.077736), (-0.480587, 0.391973), (-3.141535, 0.283946),
          (0.225713, 0.393218))  # fmt: skip
    result = regress(api[0], design, "sch.wide=Yes ~ ell + meals + mobility", sampling=API)
    close(result, (0.835836, 0.455621), (-0.002490, 0.013252), (-0.003152, 0.009199),
          (0.060897, 0.031935))  # fmt: skip
    assert result.terms[0].degrees_of_freedom == 194


def test_the_closed_correction_of_a_noisy_predictor(api: tuple) -> None:
    """Without and with the sampling; the naive slope is flatter."""
    design = schools(api, "api00", "meals", noisy="meals")
    options = RegressionOptions("linear", "corrected")
    result = regress(api[0], design, "api00 ~ meals", options)
    close(result, (815.876798, 10.957497), (-3.623887, 0.200990))
    assert result.terms[1].naive == pytest.approx(-3.190063, abs=1e-6)
    result = regress(api[0], design, "api00 ~ meals", options, sampling=API)
    close(result, (846.721447, 9.059548), (-3.824507, 0.192235))


def test_the_correlation_with_a_noisy_number(api: tuple) -> None:
    """Taken at its word it is weaker."""
    design = schools(api, "api00", "meals", noisy="meals")
    one = correlate(api[0], design, ["api00", "meals"]).correlations[0]
    assert one.naive == pytest.approx(-0.764074, abs=1e-6)
    assert one.estimate == pytest.approx(-0.814372, abs=1e-6)


def test_students_with_both_answers_randomised(shared_data: Path) -> None:
    """Likelihood and inverse weights agree, and phi is that of the corrected table."""
    table = read_table(shared_data / "rr-students.csv")
    design = Design(
        tuple(
            DesignedAttribute(
                binary(name),
                read_perturbation(
                    {"type": "unrelated", "theta": 0.5, "personal": [1 - alpha, alpha]}, name
                ),
            )
            for name, alpha in (("copied", 1 / 12), ("fought", 0.1))
        )
    )
    result = regress(table, design, "copied ~ fought")
    close(result, (2.296547, 0.801949), (-1.242349, 1.104857))
    assert result.log_likelihood == pytest.approx(-891.2909, abs=1e-4)
    odds = result.terms[1].odds_ratio
    assert odds is not None
    assert odds.estimate == pytest.approx(0.288705, abs=1e-6)
    assert not result.remarks
    result = regress(table, design, "copied ~ fought", RegressionOptions(method="inverse"))
    close(result, (2.296547, 0.802514), (-1.242349, 1.105636))
    phi = correlate(table, design, ["copied", "fought"]).correlations[0]
    assert phi.estimate == pytest.approx(-0.224155, abs=1e-6)
