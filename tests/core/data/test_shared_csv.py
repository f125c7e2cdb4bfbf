"""Delimited text of the public data beside the checkout, where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from examples import sweep

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.build import build_table
from ppworkbench.core.data.delimited.reader import read_csv
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError

PUBLIC = Path(__file__).resolve().parents[3] / "../shared/data"
NASTY = sorted(path.name for path in PUBLIC.glob("formats/nasty/*.csv"))
MALFORMED = sorted(path.name for path in PUBLIC.glob("formats/malformed/*.csv"))
SURVEYS = sorted(
    path.name.removesuffix(".schema.json")
    for path in PUBLIC.glob("*.schema.json")
    if "attributes" in json.loads(path.read_text(encoding="utf-8"))
)


def read(path: Path, whole_up_to: int = 1 << 30) -> Table:
    return build_table(read_csv(path, whole_up_to=whole_up_to))


def expected(folder: Path, name: str) -> dict[str, Any]:
    document = json.loads((folder / "formats/EXPECTED.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = document[name]
    return found


@pytest.mark.parametrize("name", NASTY)
def test_that_a_nasty_file_is_read(name: str, shared_data: Path) -> None:
    table = read(shared_data / "formats/nasty" / name)
    told = expected(shared_data, f"nasty/{name}")
    assert (table.rows, len(table.columns)) == (told["rows"], told["columns"])
    if "kinds" in told:
        assert [attribute.kind for attribute in table.attributes] == told["kinds"]


@pytest.mark.parametrize("name", MALFORMED)
def test_that_a_malformed_file_is_refused_with_a_sentence(name: str, shared_data: Path) -> None:
    with pytest.raises(DataError) as caught:
        read(shared_data / "formats/malformed" / name)
    assert name in caught.value.message
    assert caught.value.message.endswith(".")


def test_that_a_ragged_file_is_refused_with_its_line(shared_data: Path) -> None:
    with pytest.raises(DataError, match="line 3: 2 fields instead of 3"):
        read(shared_data / "formats/malformed/ragged.csv")


def test_that_a_byte_order_mark_is_no_part_of_a_name(shared_data: Path) -> None:
    assert read(shared_data / "formats/nasty/utf8_bom.csv").names[0] == "płeć"


def test_that_polish_letters_of_windows_are_right(shared_data: Path) -> None:
    table = read(shared_data / "formats/nasty/cp1250_polish.csv")
    assert "pracująca_matka" in table.names
    assert table["płeć"].attribute.values == ("KOBIETA", "MĘŻCZYZNA")


def test_that_every_missing_code_counts_where_it_cannot_be_an_answer(shared_data: Path) -> None:
    table = read(shared_data / "formats/nasty/missing_codes.csv")
    missing = {column.name: column.missing_count for column in table}
    # An age of 99 is possible, so it stays and is pointed at.
    assert missing == {"id": 0, "age": 4, "income": 6, "smokes": 5, "mood": 5, "visits": 5}
    assert any("'age': 99 (1×) is far from" in note for note in table.notes)


def test_that_no_category_is_taken_for_missing(shared_data: Path) -> None:
    table = read(shared_data / "formats/nasty/category_traps.csv")
    assert {column.missing_count for column in table} == {0}
    assert sum("similar values" in note for note in table.notes) == 3


def test_that_mixed_spellings_of_a_scale_are_brought_together(shared_data: Path) -> None:
    q1 = read(shared_data / "formats/nasty/likert_mixed_labels.csv")["q1"]
    assert q1.attribute.values == ("1 - zdecydowanie nie", "3", "5 - zdecydowanie tak")
    assert q1.data.tolist() == [2, 0, 1, 2, -1]


@pytest.mark.parametrize("name", sweep(SURVEYS, quick=8))
@pytest.mark.parametrize("whole_up_to", [0, 1 << 30])
def test_that_a_public_data_set_is_as_its_schema_says(
    name: str, whole_up_to: int, shared_data: Path
) -> None:
    schema = json.loads((shared_data / f"{name}.schema.json").read_text(encoding="utf-8"))
    table = read(shared_data / f"{name}.csv", whole_up_to)
    assert table.rows == schema["rows"]
    assert table.names == tuple(attribute["name"] for attribute in schema["attributes"])
    for told in schema["attributes"]:
        column = table[told["name"]]
        assert column.missing_count == told.get("missing", 0) or "missing" not in told
        if column.is_categorical and "values" in told:
            assert set(column.attribute.values) <= set(told["values"])


@pytest.mark.slow
def test_that_nearly_all_kinds_are_guessed_as_the_schemas_say(shared_data: Path) -> None:
    agree, differ = 0, []
    for name in SURVEYS:
        schema = json.loads((shared_data / f"{name}.schema.json").read_text(encoding="utf-8"))
        table = read(shared_data / f"{name}.csv")
        for told in schema["attributes"]:
            kind = table[told["name"]].attribute.kind
            if kind == told["kind"]:
                agree += 1
            else:
                differ.append(f"{name}.{told['name']}: {told['kind']}, guessed {kind}")
    assert agree >= 0.93 * (agree + len(differ)), differ


@pytest.mark.slow
def test_that_recognised_scales_have_the_order_of_the_schemas(shared_data: Path) -> None:
    wrong = []
    for name in SURVEYS:
        schema = json.loads((shared_data / f"{name}.schema.json").read_text(encoding="utf-8"))
        table = read(shared_data / f"{name}.csv")
        for told in schema["attributes"]:
            attribute = table[told["name"]].attribute
            if attribute.kind is not Kind.ORDINAL or told["kind"] != "ordinal":
                continue
            order = [value for value in told["values"] if value in attribute.values]
            if list(attribute.values) not in (order, order[::-1]):
                wrong.append(f"{name}.{told['name']}: {attribute.values}")
    assert wrong == []
