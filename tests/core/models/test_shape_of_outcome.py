"""Linear models of outcomes that are not normal, with predictors that were randomised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models import Regression, RegressionOptions, regress
from ppworkbench.core.models.regress import BY_SHAPE
from tests.core.models.conftest import binary, design_of, table_of

INCOME = Attribute("income", Kind.INTEGER, domain=(0, 1_000_000))
AGE = Attribute("x", Kind.INTEGER, domain=(-10, 10))
R = binary("r")


def survey(
    p_truth: float, shape: str = "skewed", effect: float = 0.0, n: int = 600, **more: Any
) -> Regression:
    """An income that depends on x, and by ``effect`` on what r truly is."""
    random = np.random.default_rng(3)
    x = random.integers(-3, 4, n).astype(np.float64)
    true = random.random(n) < 1 / (1 + np.exp(0.3 - 0.3 * x))
    errors = {
        "skewed": np.exp(random.normal(size=n)),
        "flat": random.uniform(-1.7, 1.7, n),
        "normal": random.normal(size=n),
    }
    income = np.rint(20_000 + 500 * x + effect * true + 2000 * errors[shape])
    seen = np.where(random.random(n) < p_truth, true, random.integers(0, 2, n))
    columns = {INCOME: income, R: seen, AGE: x}
    design = design_of(columns, r={"type": "forced", "p_truth": p_truth})
    return regress(table_of(columns), design, "income ~ r + x", **more)


def speaks_of_shape(found: Regression) -> bool:
    """Whether a remark says that the effect would come from the outcome's shape."""
    return any(Message.of(one).code == BY_SHAPE for one in found.remarks)


@pytest.mark.parametrize(("shape", "p_truth"), [("skewed", 0.3), ("flat", 0.2)])
def test_that_no_effect_is_read_off_the_shape_of_the_outcome(shape: str, p_truth: float) -> None:
    """Inverse weights take over, and a remark says why."""
    found = survey(p_truth, shape, n=1000)
    assert found.terms[1].low < 0 < found.terms[1].high
    assert (found.method, found.variance) == ("inverse", "robust")
    assert speaks_of_shape(found)
    assert found.log_likelihood is None


def test_that_the_likelihood_stays_where_shape_tells_next_to_nothing() -> None:
    """A weak device and normal errors."""
    found = survey(0.9, "normal", 1000.0)
    assert found.method == "ml"
    assert not speaks_of_shape(found)
    assert abs(found.terms[1].estimate - 1000) < 3 * found.terms[1].standard_error


def test_that_who_takes_predictors_for_independent_is_warned() -> None:
    """The likelihood was chosen and stays."""
    found = survey(0.3, options=RegressionOptions(predictors="independent"))
    assert found.method == "ml"
    assert speaks_of_shape(found)


def test_that_formulas_are_not_compared_by_a_likelihood_that_was_set_aside() -> None:
    """There is none then."""
    with pytest.raises(ParameterError, match="compared by their likelihood"):
        survey(0.3, compare_with="income ~ x")


@pytest.mark.parametrize("method", ["ml", "inverse"])
def test_that_answers_of_next_to_pure_chance_are_refused_with_the_reason(method: str) -> None:
    """Whatever the method is; not as a fit that did not converge."""
    with pytest.raises(DataError, match="are randomised so strongly that 600 records"):
        survey(0.02, options=RegressionOptions(method=method))


def test_that_inverse_weights_reach_coefficients_of_any_size() -> None:
    """Thousands a unit, as incomes have them."""
    found = survey(0.5, "normal", 4000.0, options=RegressionOptions(method="inverse"))
    assert found.terms[1].low < 4000 < found.terms[1].high
