"""Whatever is wrong with a file, it is opened or refused in a sentence."""

from __future__ import annotations

import sys

import pytest
from examples import sweep
from file_kinds import FAMILIES, family, inner_kinds
from mutants import time_limit, try_apart, try_mutants, write_parts
from patience import PATIENCE
from smoke import mutated_files

from ppworkbench.core.data.formats import readstat

COUNTS = {
    "study": 60, "design": 80, "design values": 60, "codebook": 60, "codebook values": 60,
    ".csv": 40, ".tsv": 40, ".xlsx": 12, ".parquet": 60, ".feather": 60, ".arff": 60, ".json": 60,
    ".jsonl": 60, ".basket": 60, "collected": 60, "demonstration": 40,
}  # fmt: skip
NATIVE = (".sav", ".zsav", ".dta")
"""A breakdown of their reader ends its process, not the program."""
LIES = "lying parquet"

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs alarms and forks"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts"))


def test_that_every_kind_of_file_is_tried(parts):
    assert {*COUNTS, *NATIVE, LIES} == {*parts}


@pytest.mark.parametrize(
    "kind", sweep(COUNTS, quick=("study", "design", "codebook", ".csv", ".parquet", "collected"))
)
def test_that_a_damaged_file_opens_or_is_refused_in_a_sentence(parts, kind):
    path, open_it, mutate = parts[kind]
    tally = try_mutants(path, open_it, COUNTS[kind], 3, mutate, limit=PATIENCE)
    assert tally.wrong == []
    assert tally.opened + tally.refused == COUNTS[kind]


@pytest.mark.slow
@pytest.mark.parametrize("kind", NATIVE)
def test_that_the_reader_of_statistics_files_survives_damage(parts, kind):
    assert readstat.APART
    path, open_it, mutate = parts[kind]
    tally = try_apart(path, open_it, 30, 3, mutate, limit=PATIENCE)
    assert tally.wrong == []
    assert tally.opened + tally.refused + tally.broken == 30
    # One that breaks down is told of in a sentence as well, but most are found out.
    assert tally.broken < 5


@pytest.mark.slow
def test_that_parquet_which_lies_about_its_rows_and_pages_harms_nobody(parts):
    path, open_it, mutate = parts[LIES]
    tally = try_apart(path, open_it, 60, 3, mutate, limit=PATIENCE)
    assert tally.wrong == []
    assert tally.broken == 0
    assert tally.opened + tally.refused == 60
    assert tally.memory < 1_500


@pytest.fixture(scope="module")
def inner(tmp_path_factory):
    return inner_kinds(tmp_path_factory.mktemp("inner"))


@pytest.mark.usefixtures("readstat_here")
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("what", FAMILIES)
def test_that_files_changed_from_within_open_and_say_what_was_written(inner, tmp_path, what):
    kinds = {name: kind for name, kind in inner.items() if family(name) == what}
    report = mutated_files.Report()
    for number in range(60):
        with time_limit(PATIENCE):
            kind, outcome, said = mutated_files.try_file(kinds, 4, number, tmp_path)
        report.add(number, kind, outcome, 0.0, said)
    assert report.wrong == []
    assert report.share(what) >= 0.5


@pytest.mark.slow
def test_that_a_share_of_the_thousands_of_mutants_is_right_or_refused():
    report = mutated_files.run(540, seed=4, tell=lambda _: None)
    assert report.wrong == []
    assert sum(report.counts.values()) == 540
    assert min(map(report.share, FAMILIES)) >= 0.5
