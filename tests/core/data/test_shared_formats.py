"""Real files of other programs against what is known about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import sweep

from ppworkbench.core.data.attribute import Kind, MissingCode
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats import (
    formats,
    read_transactions,
    readstat,
    resolve_format,
)
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawTable
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import silent

BINARY = (
    "real/pspp_hotel.sav",
    "real/haven_labelled-num-na.sav",
    "real/pyreadstat_sample.sav",
    "real/pyreadstat_sample.zsav",
    "real/pyreadstat_sample.por",
    "real/pyreadstat_sample.dta",
    "real/pyreadstat_missing_test.dta",
    "real/gss_intro.dta",
    "real/gss_intro.sav",
    "made/credit-g.arff",
    "made/credit-g.xlsx",
    "made/adult.parquet",
    "made/pgss2008.sav",
    "made/pgss2008.dta",
)
NASTY = (
    "semicolon_decimal_comma",
    "utf8_bom",
    "quoted_newlines",
    "cp1250_polish",
    "missing_codes",
    "wide_100",
    "single_column",
    "duplicate_headers",
    "mixed_types",
    "category_traps",
    "formula_injection",
    "header_only",
    "likert_mixed_labels",
)
pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("readstat_here")]


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "formats"


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((folder / "EXPECTED.json").read_text("utf-8"))
    return found


def raw(path: Path) -> RawTable:
    with path.open("rb") as file:
        chosen, _ = resolve_format(path, file.read(4096), None)
    return chosen.read(path, ReadOptions(), silent)


def test_that_every_file_of_the_folder_is_tested(expected: dict[str, dict[str, Any]]) -> None:
    tested = {*BINARY, *(f"nasty/{name}.csv" for name in NASTY)}
    assert {name for name in expected if not name.startswith("malformed/")} == tested


SMALL = set(BINARY) - {"made/credit-g.xlsx"}


@pytest.mark.parametrize("name", sweep(BINARY, quick=SMALL))
def test_that_a_file_holds_what_is_known_about_it(
    folder: Path,
    expected: dict[str, dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    known = expected[name]
    with monkeypatch.context() as patch:
        # As in the program, for one file: a process of its own takes long to start.
        patch.setattr(readstat, "APART", name == "real/pyreadstat_sample.sav")
        table = read_table(folder / name)
    assert (table.rows, len(table.columns)) == (known["rows"], known["columns"])
    found = raw(folder / name)
    labelled = [c for c in found.columns if c.value_labels or any(m.label for m in c.missing_codes)]
    declared = [c for c in found.columns if c.missing_codes or c.missing_ranges]
    if "variables_with_value_labels" in known:
        assert len(labelled) == known["variables_with_value_labels"]
    if "variables_with_user_missing" in known:
        assert len(declared) == known["variables_with_user_missing"]


@pytest.mark.parametrize("name", NASTY)
def test_that_nasty_text_has_the_known_shape(
    folder: Path, expected: dict[str, dict[str, Any]], name: str
) -> None:
    known = expected[f"nasty/{name}.csv"]
    table = read_table(folder / f"nasty/{name}.csv")
    assert (table.rows, len(table.columns)) == (known["rows"], known["columns"])


@pytest.mark.parametrize("name", ["ragged", "empty", "binary"])
def test_that_malformed_text_is_refused_with_a_sentence(folder: Path, name: str) -> None:
    path = folder / f"malformed/{name}.csv"
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert caught.value.file == str(path)
    if name == "ragged":
        assert "line 3" in caught.value.message


def test_that_the_pair_of_gss_files_is_equal(folder: Path) -> None:
    spss, stata = (read_table(folder / f"real/gss_intro{suffix}") for suffix in (".sav", ".dta"))
    assert spss.names == stata.names
    for a, b in zip(spss, stata, strict=True):
        assert a.attribute.with_(reason="", measure="") == b.attribute.with_(reason="", measure="")
        assert np.array_equal(a.data, b.data, equal_nan=not a.is_categorical)


def test_that_polish_labels_measures_and_missing_codes_are_read(folder: Path) -> None:
    table = read_table(folder / "made/pgss2008.sav")
    mother = table["q7a"]
    assert mother.attribute.label == "Pracująca matka może zapewnić ciepło"
    assert mother.attribute.kind is Kind.ORDINAL
    assert mother.attribute.values == (
        "Zdec się zgadzam", "Zgadzam się", "Nie zgadzam się", "Zdec się nie zgadzam",
    )  # fmt: skip
    assert mother.attribute.codes == (1.0, 2.0, 3.0, 4.0)
    assert mother.attribute.missing_codes[:2] == (
        MissingCode(8.0, "TRUDNO POWIEDZIEĆ"),
        MissingCode(9.0, "BRAK DANYCH"),
    )
    assert mother.why_missing is not None
    cells = np.array(raw(folder / "made/pgss2008.sav").columns[5].data)
    for i, missing in enumerate(mother.attribute.missing_codes):
        assert np.array_equal(mother.why_missing == i + 1, cells == missing.code)
    assert table["region8"].attribute.kind is Kind.NOMINAL
    assert table["q8"].attribute.kind is Kind.BINARY


def test_that_letters_of_stata_are_kept(folder: Path) -> None:
    table = read_table(folder / "real/pyreadstat_missing_test.dta")
    assert table["var1"].attribute.missing_codes == (MissingCode(".a", "missing"),)
    assert table["var1"].why_missing is not None
    assert table["var1"].why_missing.tolist() == [1]
    assert table["var7"].attribute.missing_codes == ()


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta"])
def test_that_dates_of_the_sample_are_read_as_text(folder: Path, suffix: str) -> None:
    cells = {
        c.name: c.data.to_pylist() for c in raw(folder / f"real/pyreadstat_sample{suffix}").columns
    }
    assert cells["mydate"] == ["2018-05-06", "1880-05-06", "1960-01-01", "1583-01-01", None]
    assert cells["dtime"][:2] == ["2018-05-06T10:10:10", "1880-05-06T10:10:10"]
    assert cells["mytime"] == ["10:10:10", "23:10:10", "00:00:00", "16:10:10", None]
    assert cells["mychar"] == ["a", "b", "c", "d", "e"]


@pytest.mark.slow
def test_that_declared_values_and_the_class_of_arff_are_read(folder: Path) -> None:
    arff, sheet = (read_table(folder / f"made/credit-g{suffix}") for suffix in (".arff", ".xlsx"))
    assert arff.class_name == "class"
    assert arff["checking_status"].attribute.values == ("<0", "0<=X<200", ">=200", "no checking")
    assert arff.names == sheet.names
    assert arff["age"].data.tolist() == sheet["age"].data.tolist()


def test_that_missing_cells_of_parquet_are_missing(folder: Path) -> None:
    table = read_table(folder / "made/adult.parquet")
    counts = {column.name: column.missing_count for column in table if column.missing_count}
    assert counts == {"workclass": 2799, "occupation": 2809, "native-country": 857}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xlsx", ".parquet", ".csv", ".arff"])
@pytest.mark.parametrize("name", ["made/pgss2008.sav", "real/gss_intro.dta"])
def test_that_real_surveys_survive_every_format(
    folder: Path, tmp_path: Path, name: str, suffix: str
) -> None:
    given = read_table(folder / name)
    path = tmp_path / f"copy{suffix}"
    write_table(given, path)
    assert read_table(path).equals(given)


@pytest.mark.parametrize("name", ["made/pgss2008.sav", "real/pspp_hotel.sav", "real/gss_intro.sav"])
def test_that_spss_files_survive_without_a_codebook(
    folder: Path, tmp_path: Path, name: str
) -> None:
    given = read_table(folder / name)
    path = tmp_path / "copy.sav"
    assert write_table(given, path, WriteOptions(codebook=False)) == ()
    back = read_table(path)
    assert back.names == given.names
    for a, b in zip(given, back, strict=True):
        # What the file did not say about its measures, we say.
        before, after = a.attribute, b.attribute
        assert after.values == before.values
        assert before.codes in (after.codes, ())
        assert after.label == before.label
        assert {*after.missing_codes} == {*before.missing_codes}
        assert after.measure == before.measure or not before.measure
        assert held(b) == held(a)
        assert np.array_equal(a.data, b.data, equal_nan=not a.is_categorical)


def held(column: Any) -> list[object]:
    codes = [None, *(missing.code for missing in column.attribute.missing_codes)]
    return [] if column.why_missing is None else [codes[place] for place in column.why_missing]


def test_that_baskets_have_the_known_sizes(shared_data: Path) -> None:
    groceries = read_transactions(shared_data / "groceries.basket")
    assert (len(groceries), len(groceries.items)) == (9835, 169)
    mushroom = read_transactions(shared_data / "mushroom.dat")
    assert (len(mushroom), len(mushroom.items)) == (8124, 119)
    table: Table = read_table(shared_data / "groceries.basket")
    assert int((table["whole milk"].data == 1).sum()) == 2513
    assert formats["baskets"].write is None
