"""Damages files of every kind and opens them: a right table, design or study, or one sentence.

Half of the studies, Parquet and CSV files, designs and codebooks are changed inside of a sound
container; most of all have to open, and what was read is compared with what was written.

Run with ``python tests/smoke/mutated_files.py [--count 20000] [--seed N] [--workers 2]``. Files
are opened in processes of their own under a watchdog, so that a reader which hangs or breaks down
is caught with the number of its file; ``--only NUMBER`` opens one file again and shows its error.
"""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import numpy as np
from file_kinds import FAMILIES, Kind, family, make_kinds
from reopening import NonsenseError

from ppworkbench.core.data.formats import readstat
from ppworkbench.core.errors import WorkbenchError

SILENT = 300.0
"""Seconds after which a process that says nothing is taken for hung, however busy others are."""
MEMORY = 6 << 30
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
OWN_FAULTS = (TypeError, KeyError, IndexError, AttributeError, AssertionError, ArithmeticError)


def strict() -> None:
    """Take warnings of numbers for errors."""
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", RuntimeWarning)


@dataclass
class Report:
    """What became of the files."""

    counts: Counter[str] = field(default_factory=Counter)
    families: dict[str, Counter[str]] = field(default_factory=dict)
    longest: tuple[float, str] = (0.0, "")
    wrong: list[str] = field(default_factory=list)

    def add(self, number: int, kind: str, outcome: str, seconds: float, said: str = "") -> None:
        """Take up one file."""
        self.counts[outcome] += 1
        self.families.setdefault(family(kind), Counter())[outcome] += 1
        self.longest = max(self.longest, (seconds, f"file {number}, {kind}"))
        if outcome not in ("opened", "refused"):
            self.wrong.append(f"file {number} ({kind}): {outcome}: {said}")

    def share(self, of: str) -> float:
        """How many of a family opened."""
        counts = self.families.get(of, Counter())
        return counts["opened"] / max(sum(counts.values()), 1)


def try_file(kinds: dict[str, Kind], seed: int, number: int, folder: Path) -> tuple[str, str, str]:
    """Damage and open one file; its kind, what became of it, and what was said."""
    name = list(kinds)[number % len(kinds)]
    kind = kinds[name]
    source = np.random.default_rng([seed, number])
    mutate = kind.mutations[int(source.integers(0, len(kind.mutations)))]
    mutant = folder / f"mutant{kind.path.suffix}"
    if kind.path.name.endswith(".codebook.json"):
        mutant = folder / "mutant.codebook.json"
    mutant.write_bytes(mutate(kind.path.read_bytes(), source))
    try:
        if kind.beside is not None:
            (folder / "mutant.codebook.json").write_bytes(kind.beside.read_bytes())
        kind.check(mutant)
    except WorkbenchError as error:
        is_sentence = error.message.endswith((".", "?")) and not CONTROL.search(error.message)
        if is_sentence and _is_ours(error):
            return name, "hidden", f"{error.message[:200]}: {_where(error.__cause__)}"
        return name, "refused" if is_sentence else "no sentence", error.message[:300]
    except NonsenseError as error:
        return name, "nonsense", str(error)
    except Exception as error:
        return name, "traceback", _where(error)
    finally:
        for path in folder.iterdir():
            path.unlink()
    return name, "opened", ""


def _where(error: BaseException | None) -> str:
    assert error is not None
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    return f"{type(error).__name__}: {str(error)[:200]}: {where}"


def _is_ours(error: BaseException) -> bool:
    """Whether behind a refusal an error of this program hides, not of a reader beneath."""
    cause = error.__cause__
    if cause is None or isinstance(cause, WorkbenchError):
        return cause is not None and _is_ours(cause)
    frames = traceback.extract_tb(cause.__traceback__)
    is_ours = isinstance(cause, OWN_FAULTS) and "/ppworkbench/" in frames[-1].filename
    return is_ours or isinstance(cause, RuntimeWarning)


def _work(
    kinds: dict[str, Kind], seed: int, numbers: Iterator[int], pipe: int, folder: Path
) -> None:
    """Open files one by one, and say before and after each what it is about."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.disable()
    strict()
    # A breakdown of these readers ends this process instead of one of its own, which is slow.
    readstat.APART = False
    for number in numbers:
        os.write(pipe, f"{json.dumps([number])}\n".encode())
        began = time.process_time()
        told = try_file(kinds, seed, number, folder)
        took = time.process_time() - began
        os.write(pipe, f"{json.dumps([number, *told, took])}\n".encode())


class _Worker:
    """A process that opens every n-th file, and the file that it is about."""

    def __init__(self, kinds: dict[str, Kind], seed: int, numbers: range, folder: Path) -> None:
        self._given = (kinds, seed, folder)
        self._numbers = numbers
        self.current: int | None = None
        self.start(numbers)

    def start(self, numbers: range) -> None:
        """Fork a process for these files."""
        self.pipe, writer = os.pipe()
        self.last = time.monotonic()
        self.current, self._left = None, b""
        kinds, seed, folder = self._given
        self.child = os.fork()
        if not self.child:
            try:
                _work(kinds, seed, iter(numbers), writer, folder)
            finally:
                os._exit(0)
        os.close(writer)

    def lines(self) -> list[list[Any]] | None:
        """What it said since; None at its end."""
        data = os.read(self.pipe, 1 << 16)
        self.last = time.monotonic()
        if not data:
            return None
        *lines, self._left = (self._left + data).split(b"\n")
        found = [json.loads(line) for line in lines]
        for line in found:
            self.current = line[0] if len(line) == 1 else None
        return found

    def end(self) -> int:
        """End the process, by force if it hangs; the signal that ended it."""
        os.close(self.pipe)
        os.kill(self.child, signal.SIGKILL)
        return os.WTERMSIG(os.waitpid(self.child, 0)[1])

    def after(self, number: int) -> range:
        """The files that are left after one."""
        return range(number + self._numbers.step, self._numbers.stop, self._numbers.step)


def run(count: int, seed: int, workers: int = 2, tell: Callable[[str], object] = print) -> Report:
    """Damage and open so many files."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="mutated-") as place:
        folder = Path(place)
        (folder / "sound").mkdir()
        kinds = make_kinds(folder / "sound")
        busy = []
        for i in range(workers):
            own = folder / f"worker{i}"
            own.mkdir()
            busy.append(_Worker(kinds, seed, range(i, count, workers), own))
        while busy:
            ready = select.select([worker.pipe for worker in busy], [], [], 1.0)[0]
            for worker in list(busy):
                if worker.pipe in ready:
                    lines = worker.lines()
                    _take_up(report, lines or [], tell)
                    if lines is not None:
                        continue
                    how = "its reader crashed"
                elif time.monotonic() - worker.last > SILENT:
                    how = "hung"
                else:
                    continue
                number = worker.current
                worker.end()
                if number is None:
                    busy.remove(worker)
                    continue
                kind = list(kinds)[number % len(kinds)]
                _look_again(report, seed, number, kind, how)
                worker.start(worker.after(number))
    return report


def _take_up(report: Report, lines: list[list[Any]], tell: Callable[[str], object]) -> None:
    for line in lines:
        if len(line) > 1:
            number, kind, outcome, said, took = line
            found = len(report.wrong)
            report.add(number, kind, outcome, took, said)
            if len(report.wrong) > found:
                tell(report.wrong[-1])
            if sum(report.counts.values()) % 1000 == 0:
                tell(f"{sum(report.counts.values())}: {dict(report.counts)}")


def _look_again(report: Report, seed: int, number: int, kind: str, how: str) -> None:
    """Open a file that ended its process as the program does: with readers apart."""
    again = Path(__file__).resolve()
    words = [sys.executable, str(again), "--only", str(number), "--seed", str(seed)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SILENT, check=False)
        outcome = done.stdout.split("\n")[0].partition(" ")[0] if done.returncode == 0 else how
        report.add(number, kind, outcome or how, 0.0, done.stdout[:300])
    except subprocess.TimeoutExpired:
        report.add(number, kind, how, SILENT)


def only(number: int, seed: int) -> None:
    """Open one file again, and say what becomes of it."""
    strict()
    with tempfile.TemporaryDirectory(prefix="mutated-") as place:
        folder = Path(place)
        (folder / "sound").mkdir()
        (folder / "own").mkdir()
        kind, outcome, said = try_file(make_kinds(folder / "sound"), seed, number, folder / "own")
        sys.stdout.write(f"{outcome} {kind}: {said}\n")


def main() -> int:
    """Run from the command line; 1 when anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", type=int)
    given = parser.parse_args()
    if given.only is not None:
        only(given.only, given.seed)
        return 0
    began = time.monotonic()
    report = run(given.count, given.seed, given.workers)
    took = time.monotonic() - began
    sys.stdout.write(
        f"{given.count} files, seed {given.seed}: {dict(report.counts)}, in {took:.0f} s; the "
        f"longest took {report.longest[0]:.1f} s ({report.longest[1]}); {len(report.wrong)} wrong\n"
    )
    for name, counts in report.families.items():
        sys.stdout.write(f"  {name}: {report.share(name):.0%} opened of {dict(counts)}\n")
    for said in itertools.islice(report.wrong, 60):
        sys.stdout.write(f"  {said}\n")
    return int(bool(report.wrong) or any(report.share(name) < 0.5 for name in FAMILIES))


if __name__ == "__main__":
    sys.exit(main())
