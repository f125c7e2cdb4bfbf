"""Regressions of many rows: merged or in parts, within memory, and stopped at any time."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.models import RegressionOptions, regress
from ppworkbench.core.models.formula import parse_formula
from ppworkbench.core.models.problem import make_problem
from ppworkbench.core.progress import Cancelled, StoppableProgress
from tests.core.models.conftest import FORCED, binary, design_of, table_of
from tests.regression_surveys import BLUR, logit

Y = binary("y")
NUMBER = Attribute("y", Kind.CONTINUOUS, domain=(-100, 100))
AGREED = 0.5
"""Seconds from a cancel to the end of the work."""


def numbers(count: int) -> list[Attribute]:
    """Predictors that are numbers."""
    return [Attribute(f"x{j}", Kind.CONTINUOUS, domain=(-20, 20)) for j in range(count)]


def dense(rows: int, count: int, outcome: Attribute = Y) -> dict[Attribute, np.ndarray]:
    """Every row is one of its own."""
    random = np.random.default_rng(3)
    columns = {one: random.normal(size=rows) for one in numbers(count)}
    eta = sum(0.2 * column for column in columns.values())
    if outcome is NUMBER:
        return {outcome: eta + random.normal(size=rows), **columns}
    return {outcome: (random.random(rows) < logit(eta)).astype(np.int8), **columns}


def right_side(count: int) -> str:
    """All predictors."""
    return " + ".join(one.name for one in numbers(count))


def test_that_rows_merged_in_parts_are_the_rows() -> None:
    """More rows than are merged at once; weights add up and nobody changes places."""
    random = np.random.default_rng(4)
    n = 1_300_000
    kinds = [Attribute(name, Kind.NOMINAL, ("a", "b", "c")) for name in "pq"]
    columns = {Y: random.integers(0, 2, n), **{one: random.integers(0, 3, n) for one in kinds}}
    weights = random.integers(1, 5, n).astype(float)
    problem = make_problem(
        table_of(columns), design_of(columns, y=FORCED), parse_formula("y ~ p * q"), weights=weights
    )
    likelihood = problem.likelihood
    assert likelihood.rows == 18
    for name, data in likelihood.data.items():
        true = next(column for one, column in columns.items() if one.name == name)
        assert np.array_equal(data[problem.place], true)
    assert np.array_equal(likelihood.reported[problem.place], columns[Y])
    assert likelihood.weights.sum() == weights.sum()
    assert np.array_equal(likelihood.weights, np.bincount(problem.place, weights))


@pytest.mark.parametrize("options", [{}, {"variance": "robust"}], ids=["model", "robust"])
def test_that_rows_in_parts_give_what_they_give_together(options: dict) -> None:
    """Parts are as many rows as a short survey has; two halves are the whole."""
    columns = dense(40_000, 3)
    result = regress(
        table_of(columns), design_of(columns, y=FORCED), f"y ~ {right_side(3)}",
        RegressionOptions(**options), effects=True,
    )  # fmt: skip
    backwards = {one: column[::-1] for one, column in columns.items()}
    other = regress(
        table_of(backwards), design_of(columns, y=FORCED), f"y ~ {right_side(3)}",
        RegressionOptions(**options), effects=True,
    )  # fmt: skip
    for one, two in zip((*result.terms, *result.effects), (*other.terms, *other.effects),
                        strict=True):  # fmt: skip
        assert one.estimate == pytest.approx(two.estimate, abs=1e-8)
        assert one.standard_error == pytest.approx(two.standard_error, rel=1e-8)


@pytest.mark.slow
def test_that_a_fit_of_many_rows_takes_little_memory_besides_them() -> None:
    """Less than the numbers themselves, with robust errors and effects."""
    rows, count = 4_000_000, 9
    columns = dense(rows, count)
    table, design = table_of(columns), design_of(columns, y=FORCED)
    del columns
    tracemalloc.start()
    try:
        regress(table, design, f"y ~ {right_side(count)}", RegressionOptions(variance="robust"),
                effects=True)  # fmt: skip
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * rows * count


WORK = {
    "model": (Y, {}, {}, {"y": FORCED}),
    "robust": (Y, {"variance": "robust"}, {"effects": True}, {"y": FORCED}),
    "bootstrap": (Y, {"variance": "bootstrap"}, {}, {"y": FORCED}),
    "linear": (NUMBER, {"variance": "robust"}, {}, {}),
    "corrected": (Y, {"method": "corrected"}, {}, {"x0": BLUR}),
    "corrected linear": (NUMBER, {"method": "corrected"}, {}, {"x0": BLUR}),
}
"""Outcome, options, what else is asked for, and devices."""


@pytest.mark.parametrize("name", sorted(WORK))
def test_that_a_fit_stops_at_the_report_after_it_was_asked_to(name: str) -> None:
    outcome, options, more, devices = WORK[name]
    columns = dense(100_000, 4, outcome)
    table, design = table_of(columns), design_of(columns, **devices)
    reports = 0

    def report(_done: float, _message: str) -> None:
        nonlocal reports
        reports += 1
        if reports == 10:
            progress.stop()

    progress = StoppableProgress(report)
    with pytest.raises(Cancelled):
        regress(table, design, f"y ~ {right_side(4)}", RegressionOptions(**options),
                progress=progress, **more)  # fmt: skip
    assert reports == 10
