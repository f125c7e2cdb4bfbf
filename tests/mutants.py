"""Damages files of every kind and opens them: each is opened, or refused in one sentence, in time.

Run with ``python tests/mutants.py 2000`` for many of every kind, or with further words for some
kinds only; prints how many opened and were refused, the longest time and whatever else happened.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import numpy as np
from studies import make_study

from ppworkbench.core.data.codebook import read_codebook
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.assess import assess
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.collected import read_collected
from ppworkbench.study.demonstrations.reader import read_demonstration
from ppworkbench.study.opening import open_anything
from ppworkbench.study.study import Study
from ppworkbench.study.study_file import open_study, save_study

LIMIT = 5.0
"""Seconds that a file may take."""
ODD = (
    None, True, 0, -1, 1e308, -0.0, 10**30, 2**63, 0.5, "", "x", "\x00", "Ł" * 300, "=1+1", [], {},
    [[]], [1, 2], {"": ""}, [None], "NaN", "../x", [0.5, 0.5], 1e-320, 3.5, {"type": "uniform"},
)  # fmt: skip


@dataclass
class Tally:
    """What became of the mutants of one kind."""

    opened: int = 0
    refused: int = 0
    longest: float = 0.0
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


def damaged(content: bytes, source: np.random.Generator) -> bytes:
    """The content cut, with bits turned, with bytes replaced, doubled or taken out."""
    data = bytearray(content)
    place = int(source.integers(0, len(data)))
    what = int(source.integers(0, 5))
    if what == 0:
        return bytes(data[:place])
    if what == 1:
        for _ in range(int(source.integers(1, 8))):
            data[int(source.integers(0, len(data)))] ^= 1 << int(source.integers(0, 8))
    elif what == 2:
        length = int(source.integers(1, 64))
        data[place : place + length] = source.bytes(length)
    elif what == 3:
        length = int(source.integers(1, 256))
        data[place:place] = data[place : place + length]
    else:
        length = int(source.integers(1, 256))
        del data[place : place + length]
    return bytes(data)


def distorted_json(content: bytes, source: np.random.Generator) -> bytes:
    """A document with one value, or the name of one, in the place of another."""
    document = json.loads(content)
    places = list(_places(document))
    holder, key = places[int(source.integers(0, len(places)))]
    odd = ODD[int(source.integers(0, len(ODD)))]
    if isinstance(holder, dict) and source.random() < 0.3:
        holder[str(odd)[:40]] = holder.pop(key)
    elif source.random() < 0.2:
        del holder[key]
    else:
        holder[key] = odd
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


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


def _last_lines() -> str:
    frames = traceback.extract_tb(sys.exc_info()[2])[-3:]
    return " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))


def use(study: Study) -> None:
    """Do with a study what every page does first: look at its numbers."""
    priors = {d.name: study.prior(d.name) for d in study.design}
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
        copied(first, folder / "demonstration.toml"),
        read_demonstration,
        damaged,
    )
    return made


def use_design(path: Path) -> None:
    """Read a design and look at its numbers."""
    use(open_anything([path]))


def copied(source: Path, target: Path) -> Path:
    """A copy."""
    target.write_bytes(source.read_bytes())
    return target


TABLES = (".csv", ".xlsx", ".parquet", ".feather", ".sav", ".zsav", ".dta", ".arff")
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


def main(count: int, chosen: list[str]) -> None:
    """Damage many files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (path, open_it, mutate) in write_parts(Path(folder)).items():
            if chosen and name not in chosen:
                continue
            tally = try_mutants(path, open_it, count, 1, mutate)
            sys.stdout.write(
                f"{name:16} {tally.opened:5} opened, {tally.refused:5} refused, longest "
                f"{tally.longest:.2f} s, {len(tally.wrong)} wrong\n"
            )
            for said in tally.wrong[:12]:
                sys.stdout.write(f"    {said[:300]}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
