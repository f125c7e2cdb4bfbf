"""What is written and read again is what it was, as far as each format promises."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from examples import examples, sweep
from hypothesis import given
from hypothesis import strategies as st
from strategies import tables

from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.files import codebook_of, read_table, write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.table import Column, Table

EXACT = (".sav", ".zsav", ".dta", ".xlsx", ".parquet", ".feather", ".csv", ".arff")
"""With the codebook inside or beside, all of these give back the very same table."""
DIFFERENT = set(EXACT) - {".zsav", ".feather"}
"""The two others differ from .sav and .parquet in how they are packed only."""
pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("readstat_here")]


def round_trip(table: Table, suffix: str, options: WriteOptions = WriteOptions()) -> Table:  # noqa: B008
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        write_table(table, path, options)
        return read_table(path)


def differences(given: Table, back: Table) -> list[str]:
    """What differs, in words, so that a failure can be read."""
    found = []
    if given.class_name != back.class_name:
        found.append(f"class {given.class_name!r} became {back.class_name!r}")
    if given.names != back.names:
        return [*found, f"names {given.names} became {back.names}", *back.notes]
    for a, b in zip(given, back, strict=True):
        if a.attribute != b.attribute:
            found.append(f"{a.attribute} became {b.attribute}")
        elif not a.equals(b):
            found.append(f"{a.data}, {a.why_missing} became {b.data}, {b.why_missing}")
    return [*found, *back.notes] if found else []


@pytest.mark.hypothesis
@pytest.mark.parametrize("suffix", sweep(EXACT, quick=DIFFERENT))
def test_that_a_table_comes_back_as_it_was(suffix: str) -> None:
    @examples(0.25 if suffix not in DIFFERENT else 0.6)
    @given(tables())
    def check(table: Table) -> None:
        assert differences(table, round_trip(table, suffix)) == []

    check()


@pytest.mark.hypothesis
@pytest.mark.parametrize("suffix", sweep([".csv", ".xlsx"], quick=1))
def test_that_a_table_comes_back_when_formulas_are_escaped(suffix: str) -> None:
    @examples(0.375)
    @given(tables())
    def check(table: Table) -> None:
        options = WriteOptions(escape_formulas=True)
        assert differences(table, round_trip(table, suffix, options)) == []

    check()


@pytest.mark.hypothesis
@pytest.mark.parametrize("suffix", sweep(EXACT, quick=DIFFERENT))
def test_that_numbers_survive_to_the_last_bit_without_a_codebook(suffix: str) -> None:
    @examples(0.3)
    @given(st.lists(st.floats(0.001, 1e9), min_size=3, max_size=20, unique=True))
    def check(numbers: list[float]) -> None:
        # A first number with decimals, so that none of them looks like a code or a scale.
        given = np.array([0.123456789, *numbers])
        attribute = Attribute("x", Kind.CONTINUOUS, domain=(0, 2e9))
        back = round_trip(Table((Column(attribute, given),)), suffix, WriteOptions(codebook=False))
        assert back["x"].attribute.kind is Kind.CONTINUOUS
        assert np.array_equal(back["x"].data, given, equal_nan=True)

    check()


@pytest.mark.parametrize("suffix", EXACT)
def test_that_a_design_goes_along(suffix: str, tmp_path: Path) -> None:
    table = Table((Column(Attribute("q", Kind.BINARY, values=("no", "yes")), np.array([0, 1])),))
    path = tmp_path / f"t{suffix}"
    design = {"attributes": {"q": {"keep": 0.75, "text": "=1+1 _x0041_"}}}
    write_table(table, path, design=design)
    found = codebook_of(path)
    assert found is not None
    assert found.design == design
    assert found.attributes == table.attributes


@pytest.mark.parametrize(
    "suffix",
    [pytest.param(one, marks=pytest.mark.slow if one == ".xlsx" else ()) for one in EXACT],
)
def test_that_a_table_of_many_rows_comes_back(suffix: str) -> None:
    rng = np.random.default_rng(5)
    n = 9_001
    likert = Attribute(
        "answer",
        Kind.ORDINAL,
        values=tuple(f"step {i}" for i in range(8)),
        codes=tuple(float(i) for i in range(8)),
        missing_codes=(MissingCode(98.0, "refused"), MissingCode(99.0)),
    )
    data = rng.integers(-1, 8, n)
    why = np.where(data < 0, rng.integers(0, 3, n), 0).astype(np.int16)
    income = Attribute("income", Kind.CONTINUOUS, domain=(-1e7, 1e7))
    amounts = np.where(rng.random(n) < 0.1, np.nan, rng.normal(0, 1e5, n))
    table = Table((Column(likert, data, why), Column(income, amounts)), "answer")
    assert differences(table, round_trip(table, suffix)) == []


@pytest.mark.parametrize("suffix", EXACT)
def test_that_questions_which_nobody_answered_keep_their_codebook(
    suffix: str, tmp_path: Path
) -> None:
    gone = (MissingCode(99.0, "refused"),)
    mood = Attribute("mood", Kind.ORDINAL, ("1", "2", "3"), missing_codes=gone)
    age = Attribute("age", Kind.INTEGER, domain=(0, 120), missing_codes=gone)
    table = Table((Column(mood, np.full(3, -1)), Column(age, np.full(3, np.nan))))
    write_table(table, tmp_path / f"t{suffix}")
    assert differences(table, read_table(tmp_path / f"t{suffix}")) == []
