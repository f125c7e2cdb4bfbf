"""How long the generators take: python tests/benchmarks/generators.py."""

from __future__ import annotations

import time
from collections.abc import Callable

from ppworkbench.core.data.samples import load_sample

ROUNDS = 3


def best(work: Callable[[], object]) -> float:
    """The shortest of some runs, in seconds."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    """Print one line per data set, the growth with the number of rows beside it."""
    for name, field, rows in (
        ("T10.I8.D100k.N100", "transactions", 100_000),
        ("city-survey", "rows", 100_000),
        ("led24", "rows", 100_000),
    ):
        once = best(lambda name=name, field=field, rows=rows: load_sample(name, **{field: rows}))
        more = best(
            lambda name=name, field=field, rows=rows: load_sample(name, **{field: 4 * rows})
        )
        print(
            f"{name}: {rows} rows {once:.2f} s, 4 times as many {more:.2f} s ({more / once:.1f}x)"
        )


if __name__ == "__main__":
    main()
