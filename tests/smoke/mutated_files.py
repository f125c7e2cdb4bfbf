"""Damages files of every kind and opens them: a right table, design or study, or one sentence.

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
from damage import ANY, TEXT, Mutate, distorted_json, inside, lying
from mutants import ROWS, TABLES, TEXTS, use
from studies import make_study

from ppworkbench.core.data.codebook import Codebook, read_codebook
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats import readstat
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design, MatrixPerturbation, NoisePerturbation
from ppworkbench.core.design.design_file import (
    design_from_json,
    design_to_json,
    read_design,
    write_design,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.reconstruct.grid import make_grid
from ppworkbench.study.collected import read_collected
from ppworkbench.study.files.opening import open_anything
from ppworkbench.study.files.study_file import open_study, save_study

SILENT = 300.0
"""Seconds after which a process that says nothing is taken for hung, however busy others are."""
MEMORY = 6 << 30

Check = Callable[[Path], object]


@dataclass(frozen=True)
class Kind:
    """A sound file, the ways to damage it, and what must hold of what is opened."""

    path: Path
    check: Check
    mutations: tuple[Mutate, ...]


class NonsenseError(AssertionError):
    """A file was opened that should have been refused."""


def demand(holds: Any, what: str) -> None:
    """Call nonsense by its name."""
    if not holds:
        raise NonsenseError(what)


def check_table(table: Table, *, is_distorted: bool = False) -> None:
    """Every column has all rows, and every cell is missing or possible.

    Numbers out of their domain must be told of, unless noise led them there.
    """
    demand(len(set(table.names)) == len(table.columns), "two columns of one name")
    for column in table:
        attribute, data = column.attribute, column.data
        demand(len(data) == table.rows, f"{column.name!r} has {len(data)} of {table.rows} rows")
        if column.is_categorical:
            demand(len(set(attribute.values)) == attribute.k, f"{column.name!r}: values twice")
            demand(((data >= -1) & (data < attribute.k)).all(), f"{column.name!r}: no such value")
        else:
            low, high = attribute.domain or (0.0, -1.0)
            there = data[~np.isnan(data)]
            demand(np.isfinite(there).all(), f"{column.name!r}: an infinite number")
            told = is_distorted or any("outside the domain" in note for note in table.notes)
            demand(
                told or ((there >= low) & (there <= high)).all(), f"{column.name!r}: out of bounds"
            )
    table.take(slice(0, 3))


def check_design(design: Design) -> None:
    """Channels are finite and sum to 1, and the design comes back from its file the same."""
    text = json.dumps(design_to_json(design), allow_nan=False)
    demand(design_from_json(json.loads(text)) == design, "the design comes back as another")
    for designed in design:
        attribute, perturbation = designed.attribute, design.perturbation(designed.name)
        if isinstance(perturbation, MatrixPerturbation):
            channel = perturbation.matrix(attribute.k)
        elif isinstance(perturbation, NoisePerturbation):
            channel = make_grid(attribute, perturbation, 8).matrix()
        else:
            continue
        demand(np.isfinite(channel).all(), f"{designed.name!r}: the channel is not finite")
        demand((channel >= 0).all(), f"{designed.name!r}: a negative probability")
        off = np.abs(channel.sum(axis=0) - 1).max()
        demand(off < 1e-3, f"{designed.name!r}: columns are off by {off:g}")


def _open_table(path: Path) -> None:
    check_table(read_table(path))


def _open_design(path: Path) -> None:
    check_design(read_design(path))


def _open_codebook(path: Path) -> None:
    codebook = read_codebook(path)
    demand(Codebook.from_text(codebook.to_text()) == codebook, "the codebook comes back as another")
    open_anything([path])


def _open_study(path: Path) -> None:
    study = open_study(path)
    check_design(study.design)
    if study.original is not None:
        check_table(study.original)
    if study.distorted is not None:
        check_table(study.distorted, is_distorted=True)
    use(study)


def make_kinds(folder: Path) -> dict[str, Kind]:
    """Sound files, made by our own writers, and how they are damaged."""
    study = make_study(rows=30)
    table = study.original
    assert table is not None
    kinds: dict[str, Kind] = {}
    save_study(study, folder / "study.ppw")
    packed = tuple(map(inside, TEXT))
    kinds["study"] = Kind(folder / "study.ppw", _open_study, (*ANY[:2], *packed))
    values = inside(_values_of)
    kinds["study values"] = Kind(folder / "study.ppw", _open_study, (values,))
    write_design(study.design, folder / "design.json")
    kinds["design"] = Kind(folder / "design.json", _open_design, (*TEXT, distorted_json))
    for suffix in TABLES:
        path = folder / f"table{suffix}"
        write_table(table, path)
        kinds[suffix] = Kind(path, _open_table, TEXT if suffix in (".csv", ".arff") else ANY)
    kinds[".xlsx"] = Kind(folder / "table.xlsx", _open_table, (*ANY[:2], *packed))
    kinds["lying parquet"] = Kind(folder / "table.parquet", _open_table, (lying,))
    bare = folder / "bare"
    bare.mkdir()
    for suffix in (".csv", ".arff"):
        path = (bare / "table").with_suffix(suffix)
        path.write_bytes((folder / f"table{suffix}").read_bytes())
        kinds[f"bare {suffix}"] = Kind(path, _open_table, TEXT)
    codebook = folder / "table.codebook.json"
    kinds["codebook"] = Kind(codebook, _open_codebook, (*TEXT, distorted_json))
    for suffix, content in TEXTS.items():
        path = folder / f"text{suffix}"
        path.write_bytes(content)
        kinds[suffix] = Kind(path, _open_table, TEXT)
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    kinds["collected"] = Kind(
        rows,
        lambda path: check_table(read_collected([path], study.design), is_distorted=True),
        TEXT,
    )
    return kinds


def _values_of(content: bytes, source: np.random.Generator) -> bytes:
    return distorted_json(content, source) if content[:1] == b"{" else ANY[0](content, source)


@dataclass
class Report:
    """What became of the files."""

    counts: Counter[str] = field(default_factory=Counter)
    longest: tuple[float, str] = (0.0, "")
    wrong: list[str] = field(default_factory=list)

    def add(self, number: int, kind: str, outcome: str, seconds: float, said: str = "") -> None:
        """Take up one file."""
        self.counts[outcome] += 1
        self.longest = max(self.longest, (seconds, f"file {number}, {kind}"))
        if outcome not in ("opened", "refused"):
            self.wrong.append(f"file {number} ({kind}): {outcome}: {said}")


def try_file(kinds: dict[str, Kind], seed: int, number: int, folder: Path) -> tuple[str, str, str]:
    """Damage and open one file; its kind, what became of it, and what was said."""
    name = list(kinds)[number % len(kinds)]
    kind = kinds[name]
    source = np.random.default_rng([seed, number])
    mutate = kind.mutations[int(source.integers(0, len(kind.mutations)))]
    mutant = folder / f"mutant{kind.path.suffix}"
    if name == "codebook":
        mutant = folder / "mutant.codebook.json"
    mutant.write_bytes(mutate(kind.path.read_bytes(), source))
    beside = kind.path.with_suffix(".codebook.json")
    try:
        if name == ".csv" and beside.exists():
            (folder / "mutant.codebook.json").write_bytes(beside.read_bytes())
        kind.check(mutant)
    except WorkbenchError as error:
        is_sentence = error.message.endswith((".", "?")) and "\n" not in error.message
        return name, "refused" if is_sentence else "no sentence", error.message[:300]
    except NonsenseError as error:
        return name, "nonsense", str(error)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-3:]
        where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
        return name, "traceback", f"{type(error).__name__}: {str(error)[:200]}: {where}"
    finally:
        for path in folder.iterdir():
            path.unlink()
    return name, "opened", ""


def _work(
    kinds: dict[str, Kind], seed: int, numbers: Iterator[int], pipe: int, folder: Path
) -> None:
    """Open files one by one, and say before and after each what it is about."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.disable()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
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
    warnings.simplefilter("ignore")
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
    for said in itertools.islice(report.wrong, 60):
        sys.stdout.write(f"  {said}\n")
    return int(bool(report.wrong))


if __name__ == "__main__":
    sys.exit(main())
