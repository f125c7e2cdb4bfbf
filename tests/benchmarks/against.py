"""What the benchmarks take beside an earlier state of the program: ``… against.py REVISION``.

    python tests/benchmarks/against.py v0.9 [reconstruction tree …] [--rounds 3] [--python PYTHON]

Each benchmark is run in turn in a worktree of the revision and here, and the least processor time
of its rounds counts, children included. Printed are both and their ratio; a benchmark stands for
everything that it does, its preparations included. Without names all run whose work is the same
from run to run and takes less than a few minutes.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = {
    "csv_chunks": ["300000"],
    "csv_load": ["200000", "2"],
    "distortion": [],
    "generators": [],
    "live_readouts": [],
    "mining": ["speed"],
    "readouts": [],
    "reconstruction": ["--rows", "300000", "--runs", "2"],
    "regression": ["--rows", "200000"],
    "sampling": ["--rows", "300000", "--streamed", "1000000"],
    "sharing_out": [],
    "start_up": [],
    "tree": ["--rows", "30000", "--runs", "1"],
}
"""What each benchmark is asked to do."""


def processor_time(folder: Path, name: str, python: str) -> float:
    """Seconds of the processor of one run, or NaN where the revision has no such benchmark."""
    if not (folder / "tests" / "benchmarks" / f"{name}.py").is_file():
        return float("nan")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [python, "-m", f"tests.benchmarks.{name}", *WORK.get(name, [])], cwd=folder, check=False,
        env={**os.environ, "PYTHONPATH": str(folder), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True, text=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # A benchmark that misses its goal ends with 1 and has done its work all the same.
    if ended.returncode and "Traceback" in ended.stderr:
        raise SystemExit(f"{name} in {folder} failed:\n{ended.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("revision")
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        old = Path(place) / "old"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(old), given.revision], check=True)
        try:
            print("| benchmark | before (s) | now (s) | ratio |\n|---|--:|--:|--:|", flush=True)
            for name in given.names or WORK:
                rounds = [
                    [processor_time(folder, name, given.python) for folder in (old, ROOT)]
                    for _ in range(given.rounds)
                ]
                before, now = (min(times) for times in zip(*rounds, strict=True))
                print(f"| {name} | {before:.2f} | {now:.2f} | {now / before:.2f} |", flush=True)
        finally:
            subprocess.run([*git, "remove", "--force", str(old)], check=True)


if __name__ == "__main__":
    main()
