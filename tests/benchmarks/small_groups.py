"""How often tests of independence reject it: ``python -m tests.benchmarks.small_groups``.

One group of a few people beside others, or all groups so small, by two or three answers, with and
without a device. Prints the share of tables that a test at 5 % rejects, and in brackets the share
that it does not take; core/survey/crosstabs.py states the limits that follow from it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

import numpy as np

from ppworkbench.core.sampling.independence import TESTS, EstimatedCells, independence_test

GROUPS = {
    "m, 10 m": lambda m: [m, 10 * m],
    "m, 100, 100, 100": lambda m: [m, 100, 100, 100],
    "5 x m": lambda m: [m] * 5,
    "10 x m": lambda m: [m] * 10,
}
SHARES = ((0.9, 0.1), (0.6, 0.4), (0.7, 0.2, 0.1))
KEEPS = (1.0, 0.8)


def rejected(
    sizes: Sequence[int], shares: Sequence[float], keep: float, test: str, tables: int
) -> tuple[float, float]:
    """The share of tables that a test rejects, and of those that it does not take."""
    draw = np.random.default_rng(0)
    k, count, n = len(shares), len(sizes), sum(sizes)
    device = np.full((k, k), (1 - keep) / (k - 1))
    np.fill_diagonal(device, keep)
    weights = np.kron(np.eye(count), np.linalg.inv(device))
    found = []
    for _ in range(tables):
        reports = np.concatenate([draw.multinomial(one, device @ shares) for one in sizes])
        cells = weights @ reports
        covariance = ((weights * reports) @ weights.T - np.outer(cells, cells) / n) * n / (n - 1)
        given = EstimatedCells(
            cells, covariance, (count, k), math.inf, channels=(np.eye(count), device)
        )
        tested = independence_test(given, test)
        found.append(math.nan if tested is None else tested.p)
    return float(np.mean(np.less(found, 0.05))), float(np.mean(np.isnan(found)))


def main() -> None:
    """Print one line per test, kind of table and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1500)
    tables = parser.parse_args().tables
    for test in TESTS:
        for name, sizes in GROUPS.items():
            for m in (2, 3, 5, 10, 20):
                told = [
                    "{:.3f} ({:.2f})".format(*rejected(sizes(m), shares, keep, test, tables))
                    for keep in KEEPS
                    for shares in SHARES
                ]
                print(test, name, m, *told, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
