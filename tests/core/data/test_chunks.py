"""Long files read and written in pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.chunk_writer import open_chunk_writer
from ppworkbench.core.data.chunks import read_chunks, read_columns
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Cancelled

ROWS = 5_000


def survey(rows: int = ROWS) -> Table:
    rng = np.random.default_rng(9)
    answer = Attribute("answer, please", Kind.ORDINAL, ("never", "sometimes", 'often "really"'))
    whole = Attribute("age", Kind.INTEGER, domain=(18, 97))
    real = Attribute("income", Kind.CONTINUOUS, domain=(0, 1e5))
    incomes = np.where(rng.random(rows) < 0.05, np.nan, rng.lognormal(8, 1, rows))
    return Table(
        (
            Column(answer, rng.integers(-1, 3, rows)),
            Column(whole, rng.integers(18, 98, rows).astype(float)),
            Column(real, incomes),
        )
    )


def write_pieces(table: Table, path: Path, size: int, **options: bool) -> None:
    with open_chunk_writer(path, WriteOptions(**options)) as writer:
        for start in range(0, table.rows, size):
            writer.write(table.take(slice(start, start + size)))


def whole(chunks: list[Table]) -> Table:
    first = chunks[0]
    return first.with_(
        columns=tuple(
            column.with_(
                data=np.concatenate([chunk[column.name].data for chunk in chunks]),
                why_missing=together([chunk[column.name].why_missing for chunk in chunks]),
            )
            for column in first
        )
    )


def together(pieces: list[np.ndarray | None]) -> np.ndarray | None:
    present = [piece for piece in pieces if piece is not None]
    return None if len(present) < len(pieces) else np.concatenate(present)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
@pytest.mark.parametrize("codebook", [True, False])
def test_that_pieces_written_are_the_table_read(
    suffix: str, codebook: bool, tmp_path: Path
) -> None:
    table = survey()
    path = tmp_path / f"survey{suffix}"
    write_pieces(table, path, 700, codebook=codebook)
    back = read_table(path)
    for before, after in zip(table, back, strict=True):
        assert before.to_series().astype(object).equals(after.to_series().astype(object))
    if codebook:
        assert back.attributes == table.attributes


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("codebook", [True, False])
@pytest.mark.parametrize("whole_up_to", [0, 1 << 30])
def test_that_chunks_add_up_to_the_table(
    suffix: str, codebook: bool, whole_up_to: int, tmp_path: Path
) -> None:
    path = tmp_path / f"survey{suffix}"
    write_pieces(survey(), path, 900, codebook=codebook)
    chunks = list(read_chunks(path, rows=800, whole_up_to=whole_up_to))
    assert [chunk.rows for chunk in chunks] == [800] * 6 + [200]
    assert len({chunk.attributes for chunk in chunks}) == 1
    assert whole(chunks).equals(read_table(path))


def test_that_a_value_of_the_last_line_is_known_in_the_first_chunk(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    lines = [f"{'no' if i % 2 else 'yes'},{i % 5 + 1}" for i in range(3000)]
    path.write_text("\n".join(["q,r", *lines, "perhaps,99", "no,007"]) + "\n")
    chunks = list(read_chunks(path, rows=500, whole_up_to=0))
    assert chunks[0]["q"].attribute.values == ("no", "perhaps", "yes")
    assert chunks[0]["r"].attribute.kind is Kind.NOMINAL
    assert "007" in chunks[0]["r"].attribute.values
    assert whole(chunks).equals(read_table(path))


@pytest.mark.parametrize(
    "late",
    [
        "x",
        *(
            pytest.param(late, marks=pytest.mark.slow)
            for late in ("2.5", "9007199254740993", "1 000", "n/d", "inf")
        ),
    ],
)
def test_that_a_late_surprise_changes_nothing_between_chunks(late: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    lines = [f"{i % 50},w{i % 3}" for i in range(300_000)]
    lines[100_000] = f"{late},w0"
    path.write_text("\n".join(["a,b", *lines]) + "\n")
    chunks = list(read_chunks(path, rows=65_536, whole_up_to=0))
    assert len({chunk.attributes for chunk in chunks}) == 1
    assert whole(chunks).equals(read_table(path))


SCHEMA = [Attribute("a", Kind.INTEGER, domain=(0, 99)), Attribute("b", Kind.NOMINAL, ("x", "y"))]


def test_that_a_schema_is_strict_in_every_chunk(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,c\n" + "1,x,red\n" * 2000 + "1 000,y,blue\n" + "2,y,red\n" * 2000)
    chunks = list(read_chunks(path, schema=SCHEMA, rows=1000, whole_up_to=0))
    assert whole(chunks)["a"].data.sum() == 2000 + 1000 + 4000
    assert {chunk["b"].attribute for chunk in chunks} == {SCHEMA[1]}
    assert {chunk["c"].attribute.values for chunk in chunks} == {("blue", "red")}


def test_that_errors_of_later_chunks_name_the_record(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "1,x\n" * 2500 + "oops,y\n")
    with pytest.raises(DataError, match=r"'oops' in record 2501"):
        list(read_chunks(path, schema=SCHEMA, rows=1000, whole_up_to=0))
    path.write_text("a,b\n" + "1,x\n" * 2500 + "2,z\n")
    with pytest.raises(DataError, match=r"outside its list: 'z'"):
        list(read_chunks(path, schema=SCHEMA, rows=1000, whole_up_to=0))


def test_that_a_missing_column_and_a_broken_line_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,c\n" + "1,x\n" * 100)
    with pytest.raises(DataError, match="no column 'b'"):
        list(read_chunks(path, schema=SCHEMA, whole_up_to=0))
    path.write_text("a,b\n" + "1,x\n" * 3000 + "2\n")
    for schema in (None, SCHEMA):
        with pytest.raises(DataError, match="line 3002: 1 field instead of 2"):
            list(read_chunks(path, schema=schema, rows=500, whole_up_to=0))
    path.write_text("a,b\n" + "1,x\n" * 3000 + '2,"y')
    for schema in (None, SCHEMA):
        with pytest.raises(DataError, match=r"line 3002: .* never closed"):
            list(read_chunks(path, schema=schema, rows=500, whole_up_to=0))


@pytest.mark.parametrize("encoding", ["utf-16", "cp1250"])
def test_that_other_encodings_are_read_in_chunks(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    text = "płeć;wzrost\n" + "kobieta;1,5\nmężczyzna;2,25\n" * 3000
    path.write_bytes(text.encode(encoding))
    chunks = list(read_chunks(path, rows=1000, whole_up_to=0))
    assert whole(chunks).equals(read_table(path))
    assert chunks[0].notes == read_table(path).notes


def test_that_quoted_line_ends_are_read_in_chunks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + '1,"two\nlines"\n2,"say ""no"""\n3,x\n' * 1000)
    chunks = list(read_chunks(path, rows=700, whole_up_to=0))
    assert whole(chunks).equals(read_table(path))


def test_that_a_file_without_records_gives_one_empty_chunk(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n")
    for size in (0, 1 << 20):
        chunks = list(read_chunks(path, schema=SCHEMA, whole_up_to=size))
        assert [chunk.rows for chunk in chunks] == [0]
        assert chunks[0].attributes == tuple(SCHEMA)
        assert [chunk.names for chunk in read_chunks(path, whole_up_to=size)] == [("a", "b")]


def test_that_parquet_dictionaries_may_differ_between_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    kind = pa.dictionary(pa.int32(), pa.string())
    with pq.ParquetWriter(path, pa.schema([("q", kind), ("n", pa.int64())])) as writer:
        for words, number in ((["b", "a"], 5), (["c", "b"], 2**60)):
            array = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), words)
            writer.write_table(pa.table({"q": array.cast(kind), "n": [1, number]}))
    chunks = list(read_chunks(path, rows=2, whole_up_to=0))
    assert len({chunk.attributes for chunk in chunks}) == 1
    assert set(chunks[0]["q"].attribute.values) == {"a", "b", "c"}
    assert str(2**60) in chunks[0]["n"].attribute.values


def test_that_named_missing_codes_count_in_chunks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "1,x\n2,refused\n3,y\n77,z\n" * 500)
    options = ReadOptions(missing_codes=("refused", "77"))
    chunks = list(read_chunks(path, options, rows=900, whole_up_to=0))
    found = whole(chunks)
    assert (found["a"].missing_count, found["b"].missing_count) == (500, 500)
    assert found.attributes == read_table(path, options).attributes


def write_and_fail(path: Path, error: type[Exception]) -> None:
    with open_chunk_writer(path) as writer:
        writer.write(survey(20))
        raise error


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_that_a_failed_writing_leaves_the_old_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    write_pieces(survey(10), path, 10)
    before = path.read_bytes()
    names = sorted(p.name for p in tmp_path.iterdir())
    for error in (ZeroDivisionError, Cancelled):
        with pytest.raises(error):
            write_and_fail(path, error)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == names


def test_that_chunks_of_other_columns_and_other_suffixes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    table = survey(10)
    with open_chunk_writer(tmp_path / "y.csv") as writer:
        writer.write(table)
        with pytest.raises(DataError, match="different columns"):
            writer.write(table.select(["age"]))
    assert not path.exists()
    with pytest.raises(DataError, match=r"\.csv or \.parquet"), open_chunk_writer("x.sav"):
        pass
    with pytest.raises(DataError, match="no records"), open_chunk_writer(path):
        pass


def test_that_decimals_may_come_late_into_a_parquet_file(tmp_path: Path) -> None:
    age = Attribute("age", Kind.INTEGER, domain=(0, 9), missing_codes=(MissingCode(9.0),))
    path = tmp_path / "x.parquet"
    with open_chunk_writer(path) as writer:
        writer.write(Table((Column(age, np.array([1.0, np.nan])),)))
        writer.write(Table((Column(age, np.array([2.5, np.nan]), np.array([0, 1], np.int16)),)))
    back = read_table(path)["age"]
    assert np.array_equal(back.data, [1, np.nan, 2.5, np.nan], equal_nan=True)
    assert back.why_missing is not None
    assert back.why_missing.tolist() == [0, 0, 0, 1]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.parquet"]


def test_that_formulas_are_escaped_in_chunks_and_read_back(tmp_path: Path) -> None:
    attribute = Attribute("=q", Kind.NOMINAL, ("=1+1", "x"))
    table = Table((Column(attribute, np.array([0, 1, -1])), *survey(3).columns))
    path = tmp_path / "x.csv"
    write_pieces(table, path, 2, escape_formulas=True)
    assert path.read_text().startswith("'=q,")
    chunks = list(read_chunks(path, rows=2, whole_up_to=0))
    assert whole(chunks)["=q"].data.tolist() == [0, 1, -1]


def test_that_reading_in_chunks_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "1,x\n" * 400_000)

    def stop(done: float, message: str = "") -> None:
        if done > 0.2:
            raise Cancelled

    with pytest.raises(Cancelled):
        list(read_chunks(path, progress=stop, whole_up_to=0))


def test_that_a_distorted_number_is_no_missing_code_in_a_file_of_ours(tmp_path: Path) -> None:
    age = Attribute("age", Kind.INTEGER, domain=(0, 99), missing_codes=(MissingCode(99.0),))
    table = Table((Column(age, np.array([99.0, 5.0, np.nan, 7.0])),))
    for suffix in (".csv", ".parquet"):
        path = tmp_path / f"x{suffix}"
        write_pieces(table, path, 3)
        for size in (0, 1 << 20):
            found = whole(list(read_chunks(path, rows=2, whole_up_to=size)))
            assert np.array_equal(found["age"].data, table["age"].data, equal_nan=True)


def test_that_errors_of_later_chunks_under_a_codebook_name_the_record(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_pieces(survey(2000), path, 500)
    with path.open("a") as file:
        file.write("never,oops,1\n")
    with pytest.raises(DataError, match="'oops' in record 2001"):
        list(read_chunks(path, rows=300, whole_up_to=0))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("codebook", [True, False])
def test_that_some_columns_of_a_long_file_are_those_of_the_table(
    suffix: str, codebook: bool, tmp_path: Path
) -> None:
    path = tmp_path / f"survey{suffix}"
    write_pieces(survey(), path, 900, codebook=codebook)
    table = read_table(path)
    some = read_columns(path, ReadOptions(), (), lambda names: names[1:3], whole_up_to=0)
    assert some.equals(table.select(table.names[1:3]))
    nothing = read_columns(path, ReadOptions(), (), lambda _: (), whole_up_to=0)
    assert nothing.rows == table.rows
    assert read_columns(path, ReadOptions(), (), lambda _: ()).equals(table)


@pytest.mark.slow
def test_that_a_short_file_of_many_rows_is_read_in_chunks(tmp_path: Path) -> None:
    """Parquet packs a column of one value into next to nothing, which memory does not."""
    path = tmp_path / "packed.parquet"
    rows = 2_000_000
    pq.write_table(pa.table({f"c{j}": pa.repeat("0", rows) for j in range(5)}), path)
    assert path.stat().st_size < 1 << 20
    reports: list[float] = []
    schema = [Attribute(f"c{j}", Kind.NOMINAL, ("0", "1")) for j in range(5)]
    found = read_columns(
        path, ReadOptions(), schema, lambda names: names[:1],
        lambda done, _message="": reports.append(done),
    )  # fmt: skip
    assert (found.rows, found.names) == (rows, ("c0",))
    assert len(reports) > 6
