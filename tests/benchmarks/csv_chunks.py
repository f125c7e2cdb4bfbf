"""A long CSV file read and written in chunks: time by rows, and the most memory in use.

Run with ``python -m tests.benchmarks.csv_chunks [ROWS]``; 10,000,000 rows of 20 columns have to
stay within 2 GB of memory.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from ppworkbench.core.data.chunk_writer import open_chunk_writer
from ppworkbench.core.data.chunks import read_chunks
from tests.benchmarks.csv_load import make_table

PIECE = 250_000


def write_input(path: Path, rows: int) -> None:
    """Write the file to be read, piece by piece."""
    table = make_table(PIECE)
    style = csv.WriteOptions(quoting_style="none")
    with csv.CSVWriter(path, table.schema, write_options=style) as writer:
        for _ in range(max(rows // PIECE, 1)):
            writer.write_table(table)


def main() -> None:
    """Print one line per number of rows."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"pyarrow {pa.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        path, copy = Path(folder) / "long.csv", Path(folder) / "copy.csv"
        for rows in (most // 4, most):
            write_input(path, rows)
            start, done = time.perf_counter(), 0
            with open_chunk_writer(copy) as writer:
                for chunk in read_chunks(path):
                    writer.write(chunk)
                    done += chunk.rows
            seconds = time.perf_counter() - start
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{done} x 20, {path.stat().st_size / 1e6:.0f} MB: {seconds:.1f} s, "
                f"{seconds / done * 1e6:.2f} s per million rows, {memory:.0f} MB at most"
            )


if __name__ == "__main__":
    main()
