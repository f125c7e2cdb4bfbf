"""A folder of parts distorted and reconstructed, on one machine and on a Dask cluster side by side.

    python tests/benchmarks/parts.py [--rows 10000000 100000000] [--attributes 20] [--folder DIR]

makes parts of 1,048,576 rows (15 of 20 attributes have five values, the others are whole numbers)
for each number of rows and runs `distort`, `distort --seed` and `reconstruct` on them: in one
process, and with two workers. With a seed the parts are distorted one after the other, and without
one at the same time. Printed are seconds, processor seconds of all processes together,
microseconds of these per row, and the highest resident memory of any process; the run fails where
results differ by a byte or where a process takes more than 2 GB. At 100M x 20 the folder takes
about 5 GB.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import write_design

PART_ROWS = 1 << 20
MOST_BYTES = 2 << 30
VALUES = ("never", "rarely", "sometimes", "often", "always")


def make_design(attributes: int) -> Design:
    """Three questions with values for every number."""
    numbers = attributes // 4
    values = [
        DesignedAttribute(Attribute(f"q{i}", Kind.NOMINAL, VALUES), Uniform(keep=0.7))
        for i in range(attributes - numbers)
    ]
    amounts = [
        DesignedAttribute(
            Attribute(f"n{i}", Kind.INTEGER, domain=(0.0, 100.0)),
            Additive(noise="uniform", range_privacy=20),
        )
        for i in range(numbers)
    ]
    return Design((*values, *amounts))


def write_parts(folder: Path, design: Design, rows: int) -> None:
    """True answers of so many people."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    for place, start in enumerate(range(0, rows, PART_ROWS)):
        size = min(PART_ROWS, rows - start)
        columns = {}
        for one in design:
            if one.attribute.kind.is_categorical:
                codes = pa.array(rng.integers(0, len(VALUES), size, dtype=np.int8))
                columns[one.name] = pa.DictionaryArray.from_arrays(codes, list(VALUES))
            else:
                columns[one.name] = pa.array(rng.binomial(100, 0.4, size))
        pq.write_table(pa.table(columns), folder / f"part.{place}.parquet", compression="zstd")


@dataclass(frozen=True)
class Measured:
    """One command: how long it took and how much memory its own process had at most."""

    seconds: float
    processor: float
    memory: int
    printed: bytes


def run(*words: object) -> Measured:
    """Run a command in a process of its own."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "ppworkbench", *map(str, words), "--json"], stdout=out
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        printed = out.read()
    if process.returncode:
        sys.exit(f"{words[0]} ended with {process.returncode}: {printed.decode()}")
    return Measured(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss << 10, printed)


def highest_memory(pid: int) -> int:
    """The most memory that a running process has had."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10


def digest(folder: Path) -> str:
    """What a folder holds."""
    found = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        found.update(path.name.encode())
        with path.open("rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()


def processor_seconds(pid: int) -> float:
    """The processor time that a running process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(
    name: str, folder: Path, design: Path, rows: int, cluster: distributed.LocalCluster | None
) -> tuple[float, tuple[str, bytes]]:
    """Distort and reconstruct; return the processor seconds and what came out."""
    engine = []
    if cluster is not None:
        engine = ["--engine", cluster.scheduler_address.replace("tcp", "dask")]
    workers = [] if cluster is None else [one.pid for one in cluster.workers.values()]
    secure, seeded = (folder.with_name(f"{folder.name}-{one}") for one in ("secure", "seeded"))
    steps = {
        "distort": ["distort", folder, "--out", secure],
        "distort --seed": ["distort", folder, "--out", seeded, "--seed", 1],
        "reconstruct": ["reconstruct", seeded],
    }
    total, printed = 0.0, b""
    for what, words in steps.items():
        before = sum(map(processor_seconds, workers))
        step = run(*words, "--design", design, *engine)
        processor = step.processor + sum(map(processor_seconds, workers)) - before
        memory = max([step.memory, *map(highest_memory, workers)])
        print(
            f"{rows:>12,} {name:<16} {what:<15} {step.seconds:9.1f} {processor:9.1f} "
            f"{1e6 * processor / rows:8.3f} {memory / 2**30:7.2f}",
            flush=True,
        )
        if memory > MOST_BYTES:
            sys.exit(f"A process took {memory / 2**30:.2f} GB.")
        total, printed = total + processor, step.printed
        shutil.rmtree(secure, ignore_errors=True)
    found = digest(seeded), printed
    shutil.rmtree(seeded)
    return total, found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000, 100_000_000])
    parser.add_argument("--attributes", type=int, default=20)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    # Workers would take a script beside this one for the library of the same name.
    beside = str(Path(__file__).resolve().parent)
    sys.path[:] = [place for place in sys.path if place != beside]
    with tempfile.TemporaryDirectory(dir=args.folder) as kept:
        folder = Path(kept)
        design = make_design(args.attributes)
        write_design(design, folder / "design.json")
        print(f"{args.attributes} attributes, parts of {PART_ROWS:,} rows, "
              f"dask {distributed.__version__}")  # fmt: skip
        print("        rows engine           command           seconds processor   us/row  GB max")
        each = {}
        for rows in args.rows:
            true = folder / f"true-{rows}"
            write_parts(true, design, rows)
            each[rows], here = measure("one process", true, folder / "design.json", rows, None)
            with distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
            ) as cluster:
                _, there = measure("dask, 2 workers", true, folder / "design.json", rows, cluster)
            if here != there:
                sys.exit("The cluster gave another result.")
            shutil.rmtree(true)
        print("results of both are the same bytes")
        few, many = min(each), max(each)
        if few < many:
            growth = each[many] / many / (each[few] / few)
            print(f"{many:,} rows take {growth:.2f} times the processor time per row of {few:,}")


if __name__ == "__main__":
    main()
