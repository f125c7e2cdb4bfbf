"""How long a logistic regression of randomised answers takes, beside statsmodels on true ones.

    python -m tests.benchmarks.regression [--rows 1000000]

Both run in this process, on one thread each if OPENBLAS_NUM_THREADS=1 is set, on the same people:
statsmodels' ``Logit`` on the undistorted answers, ours on the distorted ones. The goals are a ratio
of 0.5 with ten numbers as predictors, and of 0.05 with four attributes of values, whose rows are
merged. Without statsmodels only our own times are shown. Processor time, the best of three.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.perturbation import Identity, read_perturbation
from ppworkbench.core.models import parse_formula
from ppworkbench.core.models.estimating import fit_by_likelihood
from ppworkbench.core.models.problem import make_problem

FORCED = read_perturbation({"type": "forced", "p_truth": 2 / 3}, "y")
YES_NO = Attribute("y", Kind.BINARY, ("no", "yes"))


def best(work: Callable[[], object]) -> float:
    """The least processor time of three runs."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def people(rows: int, *, dense: bool) -> tuple[dict[Attribute, np.ndarray], np.ndarray, np.ndarray]:
    """Predictors, their columns with an intercept, and true answers."""
    random = np.random.default_rng(1)
    if dense:
        x = random.normal(size=(rows, 9))
        columns = {
            Attribute(f"x{j}", Kind.CONTINUOUS, domain=(-20, 20)): x[:, j].copy() for j in range(9)
        }
        matrix = np.column_stack([np.ones(rows), x])
    else:
        sizes = (2, 3, 4, 4)
        codes = [random.integers(0, size, rows) for size in sizes]
        columns = {
            Attribute(f"c{j}", Kind.NOMINAL, tuple("abcd"[:size])): codes[j].astype(np.int8)
            for j, size in enumerate(sizes)
        }
        matrix = np.column_stack(
            [np.ones(rows)]
            + [codes[j] == value for j, size in enumerate(sizes) for value in range(1, size)]
        ).astype(np.float64)
    beta = np.linspace(-0.5, 0.6, matrix.shape[1])
    y = random.random(rows) < 1 / (1 + np.exp(-(matrix @ beta)))
    return columns, matrix, y.astype(np.int8)


def ours(columns: dict[Attribute, np.ndarray], y: np.ndarray) -> Callable[[], object]:
    """The fit of the distorted answers, from the table on."""
    random = np.random.default_rng(2)
    kept = random.random(len(y)) < 2 / 3
    reported = np.where(kept, y, random.integers(0, 2, len(y))).astype(np.int8)
    table = Table((Column(YES_NO, reported), *(Column(a, data) for a, data in columns.items())))
    design = Design(
        (DesignedAttribute(YES_NO, FORCED), *(DesignedAttribute(a, Identity()) for a in columns))
    )
    formula = parse_formula("y ~ " + " + ".join(one.name for one in columns))
    return lambda: fit_by_likelihood(make_problem(table, design, formula).likelihood)


def main() -> None:
    """Print one line for each kind of predictors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    for dense in (True, False):
        columns, matrix, y = people(rows, dense=dense)
        mine = best(ours(columns, y))
        kind = "10 columns of numbers" if dense else "4 attributes of values"
        try:
            import statsmodels.api as sm
        except ImportError:
            print(f"{kind}: {mine:.2f} s; statsmodels is not installed")
            continue
        theirs = best(lambda m=matrix, answers=y: sm.Logit(answers, m).fit(disp=0))
        print(f"{kind}: ours {mine:.3f} s, statsmodels {theirs:.3f} s, ratio {mine / theirs:.3f}")


if __name__ == "__main__":
    main()
