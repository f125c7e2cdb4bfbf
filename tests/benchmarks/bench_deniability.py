"""Predicted and measured accuracy over the minimum deniability, as in the paper's figure 2.

    python tests/benchmarks/bench_deniability.py ../shared/data/nursery.csv class [folds]

prints a table with the classifiers' accuracy on the original data above it.
"""

from __future__ import annotations

import sys
import time

from ppworkbench.core.data.files import read_table
from ppworkbench.core.publish import (
    AccuracyTally,
    CurveOptions,
    DeniabilityOptions,
    measure_accuracy,
)
from ppworkbench.core.publish.accuracy_curve import LEARNERS, MINIMUMS, PREDICTED


def main(path: str, sensitive: str, folds: int) -> None:
    """Print a table for each way of treating values."""
    table = read_table(path)
    for merge in (False, True):
        start = time.perf_counter()
        tally = AccuracyTally(CurveOptions(minimums=(0.0, *MINIMUMS), folds=folds))
        measure_accuracy(table, sensitive, DeniabilityOptions(merge_values=merge), tally)
        told = tally.to_json()
        original = ", ".join(f"{name} {100 * mean:.1f}" for name, mean in told["original"].items())
        print(f"\nvalues {'share groups' if merge else 'have a group each'}; original: {original}")
        names = (PREDICTED, *LEARNERS)
        print("minimum", *(f"{name:>14}" for name in names))
        for place, minimum in enumerate(tally.minimums):
            curves = (told["curves"][name] for name in names)
            cells = (f"{100 * c['mean'][place]:7.1f} ±{100 * c['sd'][place]:4.1f}" for c in curves)
            print(f"{100 * minimum:6.0f} %", *(f"{cell:>14}" for cell in cells))
        print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10)
