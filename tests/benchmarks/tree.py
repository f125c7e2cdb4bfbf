"""Speed of the decision tree beside scikit-learn's: ``python -m tests.benchmarks.tree``.

100,000 records of 20 attributes. Ours reconstructs every attribute for every class in every node
of distorted records; scikit-learn's exact tree learns from the original numbers and reconstructs
nothing. Both grow by their own defaults. All times are processor times on one thread, ours the best
of some, the peer's measured before and after ours and averaged, so that what else the machine does
counts little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ppworkbench.core.classify import DecisionTree
from ppworkbench.core.classify.tree.forest import KERNELS
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams

ATTRIBUTES = 20
EQ_GOAL, EM_GOAL = 0.12, 0.35


def timed(work: Callable[[], Any]) -> float:
    """The processor time of one run."""
    began = time.process_time()
    work()
    return time.process_time() - began


def make_numbers(rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers from 0 to 1 and a class that depends on four of them."""
    rng = np.random.default_rng(0)
    x = rng.random((rows, ATTRIBUTES))
    liking = 6 * (x[:, 0] + x[:, 1] * x[:, 2] - x[:, 3] - 0.25)
    return x, (rng.random(rows) < 1 / (1 + np.exp(-liking))).astype(int)


def table_of(x: NDArray[Any], y: NDArray[Any], k: int | None) -> Table:
    """The numbers, or which of k equal intervals each lies in as a value."""
    columns = []
    for j in range(ATTRIBUTES):
        if k is None:
            attribute = Attribute(f"x{j}", Kind.CONTINUOUS, domain=(0, 1))
            columns.append(Column(attribute, x[:, j]))
        else:
            values = tuple(str(value) for value in range(k))
            attribute = Attribute(f"x{j}", Kind.NOMINAL, values)
            columns.append(Column(attribute, (x[:, j] * k).astype(int)))
    columns.append(Column(Attribute("class", Kind.BINARY, ("no", "yes")), y))
    return Table(tuple(columns), "class")


def main() -> None:
    """Print a line per setting with its ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    for kernel in KERNELS:
        kernel.compile()
    with threadpool_limits(1):
        compare(options.rows, options.runs)


def compare(rows: int, runs: int) -> None:
    """Time every setting beside the peer."""
    from sklearn.tree import DecisionTreeClassifier

    x, y = make_numbers(rows)
    peer = f"scikit-learn {metadata.version('scikit-learn')}"
    uniform, noise = Uniform(keep=0.6), Additive(noise="uniform", range_privacy=50.0)
    settings = [
        ("EQ, values, k = 5", 5, uniform, {"algorithms": "AS.EQ"}, EQ_GOAL),
        ("EM/AS, values, k = 20", 20, uniform, {"algorithms": "AS.EA"}, EM_GOAL),
        ("EM, numbers, k = 20", None, noise, {"algorithms": "EM.EQ", "bins": 20}, EM_GOAL),
    ]
    for label, k, perturbation, params, goal in settings:
        table = table_of(x, y, k)
        design = Design(
            tuple(
                DesignedAttribute(a, Identity() if a.name == "class" else perturbation)
                for a in table.attributes
            ),
            "class",
        )
        records = distort(table, design, SeededStreams(1))
        tree = DecisionTree(design=design, **params)
        exact = timed(lambda: DecisionTreeClassifier(random_state=0).fit(x, y))
        ours = min(timed(lambda: tree.fit(records)) for _ in range(runs))  # noqa: B023
        exact = (exact + timed(lambda: DecisionTreeClassifier(random_state=0).fit(x, y))) / 2
        verdict = "met" if ours <= goal * exact else "MISSED"
        print(
            f"{label:24} {ours:6.2f} s, {peer} exact tree {exact:5.2f} s: ratio "
            f"{ours / exact:.3f} (goal {goal}, {verdict}); {len(tree.tree_)} nodes after pruning, "
            f"accuracy {tree.score(table):.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
