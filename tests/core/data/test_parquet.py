"""Parquet and Feather files of ours and of others."""

from __future__ import annotations

import datetime as dt
import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.chunks import read_chunks
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats import parquet
from ppworkbench.core.data.formats.parquet import read_feather, read_parquet
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawTable
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import silent


def read(tmp_path: Path, table: pa.Table | pd.DataFrame) -> RawTable:
    path = tmp_path / "x.parquet"
    if isinstance(table, pd.DataFrame):
        table.to_parquet(path)
    else:
        pq.write_table(table, path)
    return read_parquet(path, ReadOptions(), silent)


def cells(raw: RawTable) -> dict[str, list[Any]]:
    return {column.name: column.data.to_pylist() for column in raw.columns}


def coded() -> Table:
    attribute = Attribute(
        "q",
        Kind.ORDINAL,
        values=("low", "mid", "high"),
        missing_codes=(MissingCode(9.0, "refused"), MissingCode("9")),
    )
    why = np.array([0, 0, 1, 2, 0], np.int16)
    return Table((Column(attribute, np.array([0, 2, -1, -1, -1]), why),))


def test_that_an_ordered_categorical_is_ordinal_with_all_its_values(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"o": pd.Categorical(["hi", None, "lo"], ["lo", "mid", "hi"], ordered=True)}
    )
    raw = read(tmp_path, frame)
    assert raw.columns[0].ordered
    assert raw.columns[0].values == ("lo", "mid", "hi")
    attribute = read_table(tmp_path / "x.parquet")["o"].attribute
    assert (attribute.kind, attribute.values) == (Kind.ORDINAL, ("lo", "mid", "hi"))


def test_that_dictionaries_of_several_pieces_become_one(tmp_path: Path) -> None:
    pieces = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    raw = read(tmp_path, pa.table({"x": pa.chunked_array(pieces)}))
    assert cells(raw) == {"x": ["a", "b", "c", "a"]}
    assert set(raw.columns[0].values) == {"a", "b", "c"}


def test_that_all_simple_types_are_understood(tmp_path: Path) -> None:
    table = pa.table(
        {
            "i8": pa.array([1, None], pa.int8()),
            "u64": pa.array([1, None], pa.uint64()),
            "f16": pa.array(np.array([1.5, 2], np.float16)),
            "decimal": pa.array([decimal.Decimal("1.50"), None]),
            "flag": pa.array([True, None]),
            "large": pa.array(["x", None], pa.large_string()),
            "nothing": pa.array([None, None], pa.null()),
            "number category": pa.array([3, 5]).dictionary_encode(),
        }
    )
    assert cells(read(tmp_path, table)) == {
        "i8": [1, None],
        "u64": [1.0, None],
        "f16": [1.5, 2.0],
        "decimal": [1.5, None],
        "flag": [True, None],
        "large": ["x", None],
        "nothing": [None, None],
        "number category": [3, 5],
    }


def test_that_dates_become_text_and_durations_seconds(tmp_path: Path) -> None:
    midnight = dt.datetime(2020, 1, 31)  # noqa: DTZ001
    table = pa.table(
        {
            "day": pa.array([dt.date(2020, 1, 31), None]),
            "midnight": pa.array([midnight, None], pa.timestamp("us")),
            "moment": pa.array([midnight.replace(hour=10), midnight], pa.timestamp("ns")),
            "clock": pa.array([dt.time(8, 5), None]),
            "span": pa.array([dt.timedelta(hours=1), None]),
        }
    )
    raw = read(tmp_path, table)
    assert cells(raw) == {
        "day": ["2020-01-31", None],
        "midnight": ["2020-01-31", None],
        "moment": ["2020-01-31T10:00:00", "2020-01-31T00:00:00"],
        "clock": ["08:05:00", None],
        "span": [3600.0, None],
    }
    assert "kept as text" in raw.notes[0]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1], [2]]),
        pa.array([["a"], ["b"]]),
        pa.array([{"a": 1}, {"a": 2}]),
        pa.array([b"\x00", b"\x01"]),
    ],
    ids=["numbers", "texts", "struct", "binary"],
)
def test_that_nested_columns_are_refused_by_name(tmp_path: Path, column: pa.Array) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"deep": column}), path)
    said = r"column 'deep' contains .* instead of single answers"
    with pytest.raises(DataError, match=said) as caught:
        read_table(path)
    assert caught.value.attribute == "deep"
    chunks = read_chunks(path, whole_up_to=0)
    with pytest.raises(DataError, match=said):
        next(chunks)


@pytest.mark.parametrize("whole_up_to", [0, 10**6])
@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.string()),
        pa.large_list(pa.large_string()),
        pa.list_(pa.dictionary(pa.int32(), pa.string())),
        pa.list_(pa.string(), 2),
    ],
    ids=str,
)
def test_that_sets_that_another_program_saved_are_read_with_their_attribute(
    tmp_path: Path, kind: pa.DataType, whole_up_to: int
) -> None:
    named = [["bus", "a|b"], None, ["tram", "bus"]]
    path = tmp_path / "saved.parquet"
    saved = pa.table({"way": pa.array(named, kind), "other": pa.array(named, kind)})
    try:
        pq.write_table(saved, path)
    except pa.ArrowNotImplementedError:
        pytest.skip("this release of pyarrow does not write such lists itself")
    way = Attribute("way", Kind.SET, ("bus", "tram", "a|b"), set_size=2)
    [table] = read_chunks(path, schema=[way], whole_up_to=whole_up_to)
    assert sets.to_texts(table["way"].data, way.values) == ["bus|a\\|b", None, "bus|tram"]
    with pytest.raises(DataError, match="instead of single answers"):
        read_table(path, schema=[way.with_(kind=Kind.NOMINAL, set_size=None)])


def test_that_repeated_names_are_numbered_and_row_labels_left_out(tmp_path: Path) -> None:
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    raw = read(tmp_path, twice)
    assert (cells(raw), raw.notes) == (
        {"a": [1], "a_2": [2]},
        ("Columns of the same name were numbered.",),
    )
    labelled = read(tmp_path, pd.DataFrame({"a": [1, 2]}, index=["x", "y"]))
    assert cells(labelled) == {"a": [1, 2]}
    assert labelled.notes == ("The row labels of pandas were ignored.",)


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_that_others_see_why_an_answer_is_missing(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    write_table(coded(), path)
    frame = pd.read_parquet(path) if suffix == ".parquet" else pd.read_feather(path)
    assert frame["q"].tolist()[:2] == ["low", "high"]
    assert frame["q"].isna().tolist() == [False, False, True, True, True]
    assert frame["q"].cat.ordered
    assert frame["q.missing"].tolist()[2:4] == ["9", "9 (2)"]
    assert read_table(path).equals(coded())


def test_that_without_a_codebook_the_columns_stand_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_table(coded(), path, WriteOptions(codebook=False))
    table = read_table(path)
    assert table.names == ("q", "q.missing")
    assert table["q"].attribute.kind is Kind.ORDINAL


def test_that_a_codebook_that_does_not_fit_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_table(coded(), path)
    found = pq.read_table(path)
    renamed = found.rename_columns(["other", "why"]).replace_schema_metadata(found.schema.metadata)
    pq.write_table(renamed, path)
    table = read_table(path)
    assert "other" in table.names
    assert any("codebook inside t.parquet was not used" in note for note in table.notes)
    pq.write_table(found.replace_schema_metadata({parquet.CODEBOOK_KEY: b"\xff"}), path)
    assert any("was not used" in note for note in read_table(path).notes)


def test_that_answers_unknown_to_the_codebook_are_guessed_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_table(coded(), path)
    found = pq.read_table(path)
    other = pa.array(["low", "none of these", None, None, None]).dictionary_encode()
    changed = found.set_column(0, "q", other).replace_schema_metadata(found.schema.metadata)
    pq.write_table(changed, path)
    table = read_table(path)
    assert "none of these" in table["q"].attribute.values
    assert any("was not used" in note for note in table.notes)


def test_that_a_file_that_promises_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "MOST_CELLS", 5)
    with pytest.raises(DataError, match="too many to be read at once"):
        read(tmp_path, pa.table({"a": [1, 2, 3], "b": [1, 2, 3]}))


def test_that_feather_of_others_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.feather"
    pd.DataFrame({"a": [1, 2], "b": ["x", None]}).to_feather(path)
    assert cells(read_feather(path, ReadOptions(), silent)) == {"a": [1, 2], "b": ["x", None]}


def test_that_decimals_become_the_nearest_numbers(tmp_path: Path) -> None:
    written = [decimal.Decimal("-14623.2779"), decimal.Decimal("0.1"), None]
    raw = read(tmp_path, pa.table({"x": pa.array(written, pa.decimal128(20, 4))}))
    assert cells(raw) == {"x": [-14623.2779, 0.1, None]}
