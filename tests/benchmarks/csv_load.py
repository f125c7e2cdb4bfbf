"""Loading a CSV file of 1,000,000 records and 20 columns, beside pandas with Arrow's parser.

Run with ``python tests/benchmarks/csv_load.py [ROWS] [REPEATS]``. Ours goes all the way to a
table with guessed kinds, pandas to a data frame. The goal is at most 1.3 times pandas.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv

from ppworkbench.core.data.build import build_table
from ppworkbench.core.data.delimited.reader import read_csv
from ppworkbench.core.data.table import Table

GOAL = 1.3


def make_table(rows: int) -> pa.Table:
    """6 continuous, 6 integer, 4 Likert, 3 text and 1 binary column."""
    rng = np.random.default_rng(20)
    columns: dict[str, Any] = {}
    for i in range(6):
        columns[f"amount{i}"] = rng.normal(100, 15, rows).round(4)
    for i, top in enumerate((100, 5_000, 100_000, 80, 365, 1_000_000)):
        columns[f"whole{i}"] = rng.integers(0, top, rows)
    for i in range(4):
        columns[f"likert{i}"] = rng.integers(1, 6, rows)
    for i, k in enumerate((5, 16, 40)):
        words = pa.array([f"answer {j}" for j in range(k)])
        columns[f"words{i}"] = words.take(pa.array(rng.integers(0, k, rows)))
    columns["binary"] = pa.array(["no", "yes"]).take(pa.array(rng.integers(0, 2, rows)))
    return pa.table(columns)


def load(path: Path) -> Table:
    """Read a file to the finished table."""
    return build_table(read_csv(path))


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """How long one run takes, and how much processor time of all cores together."""
    start, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - busy


def main() -> None:
    """Print the best times and their ratio for plain and for quoted text."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    table = make_table(rows)
    print(f"pandas {pd.__version__}, pyarrow {pa.__version__}, numpy {np.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        for style in ("none", "needed"):
            path = Path(folder) / f"{style}.csv"
            csv.write_csv(table, path, csv.WriteOptions(quoting_style=style))
            ours, theirs = [], []
            # Turn by turn, so that both see the same load of the machine.
            for _ in range(repeats):
                theirs.append(seconds(partial(pd.read_csv, path, engine="pyarrow")))
                ours.append(seconds(partial(load, path)))
            (our_wall, our_cpu), (their_wall, their_cpu) = (
                [min(times) for times in zip(*runs, strict=True)] for runs in (ours, theirs)
            )
            size = path.stat().st_size / 1e6
            quotes = "text unquoted" if style == "none" else "text quoted"
            print(
                f"{rows} x {len(table.columns)}, {size:.0f} MB, {quotes}: ours {our_wall:.3f} s, "
                f"pandas {their_wall:.3f} s, ratio {our_wall / their_wall:.2f} (goal {GOAL}); "
                f"processor time {our_cpu:.2f} s and {their_cpu:.2f} s, "
                f"ratio {our_cpu / their_cpu:.2f}"
            )


if __name__ == "__main__":
    main()
