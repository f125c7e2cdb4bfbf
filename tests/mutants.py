"""Damages files of every kind and opens them: each is opened, or refused in one sentence, in time.

``tests/smoke/mutated_files.py`` opens thousands of them, under a watchdog.
"""

from __future__ import annotations

import faulthandler
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from damage import damaged, distorted_json, lying
from studies import make_study

from ppworkbench.core.data.codebook import read_codebook
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats import readstat
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.assess import assess
from ppworkbench.core.rng import SeededStreams
from ppworkbench.fieldwork.collected import read_collected
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.outputs.demonstrations.reader import read_demonstration
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.study import Study

LIMIT = 5.0
"""Seconds that a file may take."""


@dataclass
class Tally:
    """What became of the mutants of one kind."""

    opened: int = 0
    refused: int = 0
    longest: float = 0.0
    broken: int = 0
    """Processes that broke down."""
    memory: int = 0
    """Megabytes that one of them had at most."""
    wrong: list[str] = field(default_factory=list)


class TookTooLong(BaseException):
    """Nothing that a program expects to catch."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Break off what hangs."""

    def ring(*_: object) -> None:
        raise TookTooLong

    former = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


Open = Callable[[Path], object]


def try_mutants(
    path: Path, open_it: Open, count: int, seed: int, mutate: Any = damaged, limit: float = LIMIT
) -> Tally:
    """Damage a file again and again, and open it each time."""
    source = np.random.default_rng(seed)
    content = path.read_bytes()
    tally = Tally()
    mutant = path.with_name(f"mutant{path.suffix}")
    for number in range(count):
        mutant.write_bytes(mutate(content, source))
        began = time.monotonic()
        try:
            with time_limit(limit):
                open_it(mutant)
            tally.opened += 1
        except WorkbenchError as error:
            tally.refused += 1
            if not error.message.endswith((".", "?")) or "\n" in error.message:
                tally.wrong.append(f"mutant {number}: no sentence: {error.message!r}")
        except TookTooLong:
            tally.wrong.append(f"mutant {number} took longer than {limit} s: {_last_lines()}")
        except Exception as error:
            tally.wrong.append(f"mutant {number}: {type(error).__name__}: {error}: {_last_lines()}")
        tally.longest = max(tally.longest, time.monotonic() - began)
        mutant.unlink()
    return tally


def try_apart(
    path: Path, open_it: Open, count: int, seed: int, mutate: Any = damaged, limit: int = 20
) -> Tally:
    """The same, each in a process of its own: readers that are written in C may break down.

    ``limit`` are seconds of the processor; how much memory was asked for is noted, too.
    """
    source = np.random.default_rng(seed)
    content = path.read_bytes()
    tally = Tally()
    mutant = path.with_name(f"mutant{path.suffix}")
    for number in range(count):
        mutant.write_bytes(mutate(content, source))
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            _open_and_end(mutant, open_it, limit, writer)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            said = pipe.read()
        _, status, used = os.wait4(child, 0)
        tally.longest = max(tally.longest, used.ru_utime + used.ru_stime)
        tally.memory = max(tally.memory, used.ru_maxrss >> 10)
        if os.WIFSIGNALED(status):
            tally.broken += 1
            if os.WTERMSIG(status) == signal.SIGXCPU:
                tally.wrong.append(f"mutant {number} took longer than {limit} s")
        elif os.WEXITSTATUS(status):
            tally.wrong.append(f"mutant {number}: {said}")
        else:
            tally.opened += said == ""
            tally.refused += said != ""
    mutant.unlink()
    return tally


def _open_and_end(path: Path, open_it: Open, limit: int, writer: int) -> NoReturn:
    """Open a file in a process that ends with it."""
    # Windows has no such thing, and no forks either.
    import resource

    said, code = "", 0
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        faulthandler.disable()
        readstat.APART = False
        open_it(path)
    except WorkbenchError as error:
        said = error.message
        code = int(not said.endswith((".", "?")) or "\n" in said)
    except BaseException as error:
        said, code = f"{type(error).__name__}: {error}: {_last_lines()}", 1
    os.write(writer, said.encode())
    os._exit(code)


def _last_lines() -> str:
    frames = traceback.extract_tb(sys.exc_info()[2])[-3:]
    return " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))


def use(study: Study) -> None:
    """Do with a study what every page does first: look at its numbers."""
    priors = {d.name: study.prior(d.name) for d in study.design}
    if study.design.arms is None:
        assess(study.design, priors, max(study.rows, 1))
    if study.original is not None:
        distort(study.original, study.design, SeededStreams(1))


def write_parts(folder: Path) -> dict[str, tuple[Path, Open, Any]]:
    """A sound file of every kind, and how it is opened and damaged."""
    study = make_study(rows=30)
    table = study.original
    assert table is not None
    made: dict[str, tuple[Path, Open, Any]] = {}
    save_study(study, folder / "study.ppw")
    made["study"] = (folder / "study.ppw", lambda p: use(open_study(p)), damaged)
    design = study.design
    write_design(design, folder / "design.json")
    made["design"] = (folder / "design.json", read_design, damaged)
    made["design values"] = (folder / "design.json", use_design, distorted_json)
    for suffix in TABLES:
        path = folder / f"table{suffix}"
        write_table(table, path)
        made[suffix] = (path, read_table, damaged)
    made["lying parquet"] = (folder / "table.parquet", read_table, lying)
    codebook = folder / "table.codebook.json"
    made["codebook"] = (codebook, read_codebook, damaged)
    made["codebook values"] = (codebook, lambda p: open_anything([p]), distorted_json)
    for suffix, content in TEXTS.items():
        path = folder / f"text{suffix}"
        path.write_bytes(content)
        made[suffix] = (path, read_table, damaged)
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    made["collected"] = (rows, lambda p: read_collected([p], design), damaged)
    shown = Path(__file__).parents[1] / "resources" / "demonstrations"
    first = min(shown.rglob("*.toml"))
    made["demonstration"] = (
        shutil.copyfile(first, folder / "demonstration.toml"),
        read_demonstration,
        damaged,
    )
    return made


def use_design(path: Path) -> None:
    """Read a design and look at its numbers."""
    use(open_anything([path]))


TABLES = (".csv", ".xlsx", ".parquet", ".feather", ".sav", ".zsav", ".dta", ".arff")
APART = (".sav", ".zsav", ".dta", ".parquet", ".feather", "lying parquet")
"""Read by libraries that are written in C."""
ROWS = [
    {"sex": "F", "town": "Riverside", "mood": "3", "age": 33, "income": 4.5},
    {"sex": "M", "town": "Łódź", "mood": "5", "age": 61, "income": 1.25},
]
TEXTS = {
    ".json": json.dumps(ROWS * 5).encode(),
    ".jsonl": "".join(json.dumps(row) + "\n" for row in ROWS * 5).encode(),
    ".basket": b"bread,milk\nmilk\nbread,beer,nappies\n" * 5,
    ".tsv": b"a\tb\tc\n1\tx\t2,5\n2\ty\t3,5\n" * 5,
}
