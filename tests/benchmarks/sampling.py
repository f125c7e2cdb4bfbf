"""What roles of columns cost: ``python -m tests.benchmarks.sampling``.

Counts, distributions and means of many rows with weights, strata and clusters against the same
without roles (goal: at most twice the time), a stream of rows whose sums are kept by cluster, and
commands on a long file (goal: 10 million rows within 2 GB). Times are processor times, the best of
some.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.sampling.moments import SampleMoments, Terms
from ppworkbench.core.sampling.sample import SampleReader
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.means import mean

STRATUM = Attribute("stratum", Kind.NOMINAL, tuple("abcdefgh"))
CLUSTER = Attribute("cluster", Kind.INTEGER, domain=(0, 1e6))
WEIGHT = Attribute("weight", Kind.CONTINUOUS, domain=(0, 10))
ANSWER = Attribute("answer", Kind.NOMINAL, tuple("uvwxyz"))
OTHER = Attribute("other", Kind.BINARY, ("no", "yes"))
NUMBER = Attribute("number", Kind.CONTINUOUS, domain=(0, 100))
ROLES = Sampling("weight", ("stratum",), "cluster")
DESIGN = Design(
    (
        DesignedAttribute(ANSWER, Uniform(keep=0.6)),
        DesignedAttribute(OTHER, Uniform(keep=0.8)),
        DesignedAttribute(NUMBER, Additive(noise="normal", sigma=10.0)),
    )
)


def rows_of(n: int, seed: int = 0) -> Table:
    """Answers of people in a thousand clusters."""
    random = np.random.default_rng(seed)
    return Table(
        (
            Column(STRATUM, random.integers(0, 8, n)),
            Column(CLUSTER, random.integers(0, 1000, n).astype(float)),
            Column(WEIGHT, random.uniform(0.5, 5, n)),
            Column(ANSWER, random.integers(0, 6, n)),
            Column(OTHER, random.integers(0, 2, n)),
            Column(NUMBER, random.normal(50, 20, n)),
        )
    )


def best(runs: int, work: Callable[[], Any]) -> float:
    """The shortest of several processor times."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def compare_times(n: int, runs: int) -> None:
    """Print the times of statistics without and with roles."""
    table = rows_of(n)
    questions: dict[str, Callable[..., Any]] = {
        "count, 1 attribute": lambda **roles: count(table, DESIGN, "answer = u", **roles),
        "count, 2 attributes": lambda **roles: count(
            table, DESIGN, "answer = u and other = yes", **roles
        ),
        "distribution": lambda **roles: distribution(table, DESIGN, "answer", **roles),
        "mean given an answer": lambda **roles: mean(
            table, DESIGN, "number", "other = yes", **roles
        ),
    }
    print(f"{n:,} rows in memory, 8 strata, 8,000 clusters; seconds, without and with roles")
    for name, ask in questions.items():
        plain, with_roles = best(runs, ask), best(runs, lambda ask=ask: ask(sampling=ROLES))
        print(f"{name:22} {plain:7.3f} {with_roles:7.3f}  x {with_roles / plain:.2f}")


def compare_commands(n: int, runs: int) -> None:
    """Print the times of a whole command: reading the file, then a statistic."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        rows_of(n).to_frame().to_csv(path, index=False)

        def ask(**roles: Any) -> None:
            distribution(read_table(path), DESIGN, "answer", **roles)

        plain, with_roles = best(runs, ask), best(runs, lambda: ask(sampling=ROLES))
    ratio = with_roles / plain
    print(f"{'file and distribution':22} {plain:7.3f} {with_roles:7.3f}  x {ratio:.2f}")


def stream(n: int, piece: int = 1 << 19) -> None:
    """Print the time and the memory of sums over pieces of rows."""
    reader, moments = SampleReader(ROLES), SampleMoments()
    look_up = np.linalg.inv(Uniform(keep=0.6).matrix(6)).T
    began, done = time.process_time(), 0
    while done < n:
        table = rows_of(min(piece, n - done), done)
        codes = table["answer"].data.astype(np.intp)
        moments.add(Terms(table.rows, look_up, codes), reader.read(table), finite=False)
        done += table.rows
    found = moments.totals(reader.frame()).ratios(np.eye(6), np.ones((6, 6)))
    took = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{n:,} rows streamed: {took:.1f} s, {peak:.2f} GB, {found.errors[0]:.2e}")


def write_rows(path: Path, n: int, piece: int = 1 << 19) -> None:
    """Write a long file without holding it in memory."""
    writer: pq.ParquetWriter | None = None
    for done in range(0, n, piece):
        frame = rows_of(min(piece, n - done), done).to_frame()
        if path.suffix == ".csv":
            frame.to_csv(path, index=False, mode="a" if done else "w", header=not done)
            continue
        rows = pa.Table.from_pandas(frame, preserve_index=False)
        writer = writer or pq.ParquetWriter(path, rows.schema)
        writer.write_table(rows.cast(writer.schema))
    if writer is not None:
        writer.close()


def run_commands(n: int, suffix: str) -> None:
    """Print the time of commands on a long file, and the most memory that any took so far."""
    asked = {
        "distribution": ("--of", "answer"),
        "count": ("--where", "answer = u and other = yes"),
        "mean": ("--of", "number", "--where", "other = yes"),
    }
    roles = ("--weight", "weight", "--stratum", "stratum", "--cluster", "cluster", "--json")
    with tempfile.TemporaryDirectory() as folder:
        path, design = Path(folder) / f"rows.{suffix}", Path(folder) / "design.json"
        write_rows(path, n)
        write_design(DESIGN, design)
        for command, options in asked.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            words = [command, str(path), "--design", str(design), *options, *roles]
            subprocess.run(
                [sys.executable, "-m", "ppworkbench", *words], check=True, stdout=subprocess.DEVNULL
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            peak = after.ru_maxrss / 1024**2
            print(f"{command:14} of {n:,} rows in {suffix}: {took:.1f} s, at most {peak:.2f} GB")


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--streamed", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--files", nargs="*", default=["parquet", "csv"])
    given = parser.parse_args()
    compare_times(given.rows, given.runs)
    compare_commands(given.rows, given.runs)
    if given.streamed:
        stream(given.streamed)
        for suffix in given.files:
            run_commands(given.streamed, suffix)


if __name__ == "__main__":
    main()
