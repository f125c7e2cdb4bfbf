"""JSON in three shapes, and what is none of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats.json_records import read_json
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import silent


def read(tmp_path: Path, text: str) -> dict[str, list[Any]]:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    raw = read_json(path, ReadOptions(), silent)
    return {column.name: column.data.to_pylist() for column in raw.columns}


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1, "b": "x"}, {"b": "ż", "a": null}]',
        '{"a": 1, "b": "x"}\n\n{"a": null, "b": "ż"}\n',
        '{"a": [1, null], "b": ["x", "ż"]}',
    ],
)
def test_that_the_three_shapes_give_the_same_columns(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == {"a": [1, None], "b": ["x", "ż"]}


def test_that_names_may_come_and_go(tmp_path: Path) -> None:
    text = '[{"a": 1}, {"b": true}, {}, {"c": "x"}]'
    found = read(tmp_path, text)
    assert found == {
        "a": [1, None, None, None],
        "b": [None, True, None, None],
        "c": [None, None, None, "x"],
    }


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("1, 2.5", [1.0, 2.5]),
        ("1, NaN", [1.0, None]),
        ('1, "x"', ["1", "x"]),
        ('true, "x"', ["true", "x"]),
        ("12345678901234567890, 1", ["12345678901234567890", "1"]),
        ("9007199254740993, 0.5", ["9007199254740993", "0.5"]),
        ("null, null", [None, None]),
    ],
)
def test_that_mixed_cells_lose_nothing(tmp_path: Path, cells: str, expected: list[Any]) -> None:
    assert read(tmp_path, f'{{"a": [{cells}]}}') == {"a": expected}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]", "record 1 is not an object"),
        ("3", "neither records nor columns"),
        ('"x"', "neither records nor columns"),
        ("[]", "no records with named answers"),
        ("{}", "no records with named answers"),
        ('{"a": [1], "b": []}', "column 'a' has 1 answers but 'b' has 0"),
        ('[{"a": [1]}]', "'a' of record 1 is a list or an object"),
        ('{"a": [1, {"b": 2}]}', "'a' of record 2 is a list or an object"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"a": 1},\n{"a" 2}]', "line 2: this is not valid JSON"),
        ('{"a": 1}\n{"a": }\n', "line 2: this is not valid JSON"),
        ('[{"a": Infinity}]', "Infinity is not a JSON number"),
        ('[{"a": "\\ud800"}]', "half a character"),
        ('[{"a": ' + "9" * 5000 + "}]", "cannot be read"),
    ],
)
def test_that_what_is_no_table_is_refused_with_a_sentence(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read(tmp_path, text)
    assert caught.value.file is not None


def test_that_records_become_a_table(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"sex": "f", "age": 30}\n{"sex": "m", "age": 41}\n' * 20, encoding="utf-8")
    table = read_table(path)
    assert table.rows == 40
    assert table["sex"].attribute.kind is Kind.BINARY


def test_that_json_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"sex": "f"}\n{"sex": "m"}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"choose a name that ends in \.csv, \.xlsx, \.sav"):
        write_table(read_table(path), tmp_path / "y.json")
