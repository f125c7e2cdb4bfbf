"""Truncated and bit-flipped files: opened, or refused with a sentence, in bounded time."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError


def sample() -> Table:
    rng = np.random.default_rng(1)
    why = np.array([1, 2, 0] * 10, np.int16)
    answers = Attribute(
        "q1",
        Kind.ORDINAL,
        values=("a", "b", "c"),
        codes=(1.0, 2.0, 3.0),
        label="Zażółć",
        missing_codes=(MissingCode(8.0, "x"), MissingCode(9.0)),
    )
    words = Attribute("s", Kind.NOMINAL, values=("aa", "bb"), codes=("aa", "bb"))
    number = Attribute("x", Kind.CONTINUOUS, domain=(-10, 10))
    return Table(
        (
            Column(answers, np.where(why > 0, -1, rng.integers(0, 3, 30)), why),
            Column(number, rng.normal(size=30)),
            Column(words, rng.integers(0, 2, 30)),
        )
    )


def damaged(good: bytes, count: int, seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    for _ in range(count):
        content = bytearray(good)
        place = rng.randrange(len(content))
        match rng.choice(["cut", "flip", "flip", "fill", "repeat"]):
            case "cut":
                del content[place:]
            case "flip":
                for _ in range(rng.choice([1, 1, 2, 5])):
                    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            case "fill":
                filling = rng.choice([b"\xff\xff\xff\xff", bytes(4), b"\x7f\xff\xff\xff"])
                content[place : place + 4] = filling
            case "repeat":
                content[place:place] = content[max(0, place - rng.randrange(1, 40)) : place]
        yield bytes(content)


def outcome(path: Path) -> bool:
    """Whether the file was opened; anything but an opened table or a sentence is an error."""
    refused = None
    try:
        read_table(path)
    except DataError as error:
        refused = error
    if refused is not None:
        assert refused.file == str(path)
        assert refused.message.endswith(".")
        assert refused.message.isprintable()
    return refused is None


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".xlsx", ".parquet", ".feather", ".arff", ".csv"])
def test_that_damaged_files_are_opened_or_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    write_table(sample(), path)
    outcomes = []
    for content in damaged(path.read_bytes(), 200, seed=1):
        path.write_bytes(content)
        outcomes.append(outcome(path))
    assert 0 < sum(outcomes) < 200


READ_MANY = """
import sys
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.formats import readstat
from ppworkbench.core.errors import DataError
readstat.APART = False
for path in sys.argv[1:]:
    try:
        read_table(path)
        print("opened", flush=True)
    except DataError as error:
        good = error.file == path and error.message.endswith(".") and error.message.isprintable()
        print("refused" if good else f"bad sentence {error.message!r}", flush=True)
"""


def read_many(paths: list[Path]) -> list[str]:
    """What became of each file; a file on which the library in C breaks down is passed over.

    Outside of tests such files are read in a process of their own, one by one.
    """
    outcomes: list[str] = []
    while len(outcomes) < len(paths):
        rest = [str(path) for path in paths[len(outcomes) :]]
        done = subprocess.run(
            [sys.executable, "-c", READ_MANY, *rest],
            cwd=Path(__file__).resolve().parents[3],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        outcomes += done.stdout.splitlines()
        if len(outcomes) < len(paths):
            assert done.returncode < 0, done.stderr
            outcomes.append("its reader crashed")
    return outcomes


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta"])
def test_that_damaged_files_of_statistics_programs_are_opened_or_refused(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"t{suffix}"
    write_table(sample(), path)
    paths = []
    for i, content in enumerate(damaged(path.read_bytes(), 200, seed=2)):
        paths.append(tmp_path / f"t{i}{suffix}")
        paths[-1].write_bytes(content)
    outcomes = read_many(paths)
    assert set(outcomes) <= {"opened", "refused", "its reader crashed"}
    assert {"opened", "refused"} <= set(outcomes)
    broken = [
        path for path, one in zip(paths, outcomes, strict=True) if one == "its reader crashed"
    ]
    # Some that break the library, and another one, as they are really read.
    for one in [*broken[:2], paths[0]]:
        outcome(one)
