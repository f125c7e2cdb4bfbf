"""Delimited text into raw columns and tables back into delimited text."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from examples import examples, sweep
from hypothesis import given
from hypothesis import strategies as st
from recipes import ROOT

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.build import build_table
from ppworkbench.core.data.chunks import read_chunks
from ppworkbench.core.data.delimited.reader import CsvReader, read_csv
from ppworkbench.core.data.delimited.text import ByteWatch
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Cancelled, StoppableProgress

EVERY_WAY = (1 << 24, 0)
"""Files are read as text at once, or with columns of numbers parsed straight away."""


def texts(folder: Path, content: bytes, **options: str) -> dict[str, list[str | None]]:
    path = folder / "data.csv"
    path.write_bytes(content)
    raw = read_csv(path, ReadOptions(**options))
    return {column.name: column.data.to_pylist() for column in raw.columns}


def table(folder: Path, content: bytes, whole_up_to: int = 1 << 24) -> Table:
    path = folder / "data.csv"
    path.write_bytes(content)
    return build_table(read_csv(path, whole_up_to=whole_up_to))


def test_that_cells_are_kept_as_they_are(tmp_path: Path) -> None:
    content = b'id,remark\n007," two\nlines, ""quoted"""\n8,\n'
    assert texts(tmp_path, content) == {
        "id": ["007", "8"],
        "remark": [' two\nlines, "quoted"', ""],
    }


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("whole_up_to", EVERY_WAY)
def test_that_all_line_ends_are_read(end: str, whole_up_to: int, tmp_path: Path) -> None:
    content = end.join(["a,b", "1,x", "20,y", "300,z"])
    found = table(tmp_path, content.encode(), whole_up_to)
    assert found["a"].data.tolist() == [1, 20, 300]
    assert found["b"].attribute.values == ("x", "y", "z")


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1250"]
)
@pytest.mark.parametrize("whole_up_to", EVERY_WAY)
def test_that_encodings_are_read(encoding: str, whole_up_to: int, tmp_path: Path) -> None:
    content = "płeć;wzrost\nkobieta;1,5\nmężczyzna;2,25\nżółw;0,1\n".encode(encoding)
    found = table(tmp_path, content, whole_up_to)
    assert found["płeć"].attribute.values == ("kobieta", "mężczyzna", "żółw")
    assert found["wzrost"].data.tolist() == [1.5, 2.25, 0.1]


def test_that_a_letter_far_behind_the_sample_still_tells_the_encoding(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"a,b\n" + b"1,tak\n" * 400_000 + "2,może że".encode("cp1250") + b"\n")
    found = build_table(read_csv(path, whole_up_to=0))
    assert found["b"].attribute.values == ("może że", "tak")
    assert "cp1250" in found.notes[0]


def test_that_forced_utf8_is_refused_at_the_bad_byte_far_behind(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"a,b\n" + b"1,tak\n" * 400_000 + b"2,mo\xbfe\n")
    with pytest.raises(DataError, match=r"line 400002: byte 2400008 is not valid utf-8"):
        read_csv(path, ReadOptions(encoding="utf-8"), whole_up_to=0)


def test_that_thousands_with_all_sorts_of_spaces_are_numbers(tmp_path: Path) -> None:
    content = "x;y\n1\u00a0234,5;1\u202f000\n2;20\u202f000\n7;3\n".encode()
    found = table(tmp_path, content)
    assert found["x"].data.tolist() == [1234.5, 2, 7]
    assert found["y"].data.tolist() == [1000, 20000, 3]
    assert any("thousands" in note for note in found.notes)


def test_that_a_sep_line_is_no_record(tmp_path: Path) -> None:
    found = table(tmp_path, b"sep=;\na;b\n1,5;x\n2,5;y\n3;z\n")
    assert found.names == ("a", "b")
    assert found["a"].data.tolist() == [1.5, 2.5, 3]


@pytest.mark.slow
def test_that_two_thousand_columns_are_read(tmp_path: Path) -> None:
    names = ",".join(f"q{i}" for i in range(2000))
    rows = "\n".join(",".join(str((i + r) % 5 + 1) for i in range(2000)) for r in range(12))
    found = table(tmp_path, f"{names}\n{rows}\n".encode())
    assert len(found.columns) == 2000
    assert {column.attribute.kind for column in found} == {Kind.ORDINAL}


@pytest.mark.parametrize("length", sweep([200_000, 3_000_000], quick=1))
@pytest.mark.parametrize("whole_up_to", EVERY_WAY)
def test_that_very_long_fields_are_read(length: int, whole_up_to: int, tmp_path: Path) -> None:
    long = "x" * length
    found = table(tmp_path, f"a,b\n1,{long}\n2,y\n5,z\n".encode(), whole_up_to)
    assert sorted(map(len, found["b"].attribute.values)) == [1, 1, length]


def test_that_a_single_column_keeps_its_empty_lines(tmp_path: Path) -> None:
    found = table(tmp_path, b"answer\nyes\n\nno\nyes\n")
    assert found.rows == 4
    assert found["answer"].missing.tolist() == [False, True, False, False]


def test_that_a_header_alone_gives_no_records_and_a_note(tmp_path: Path) -> None:
    for content in (b"a,b\n", b"a,b"):
        found = table(tmp_path, content)
        assert (found.rows, found.names) == (0, ("a", "b"))
        assert any("no records" in note for note in found.notes)


def test_that_quoted_numbers_are_names_and_unquoted_ones_data(tmp_path: Path) -> None:
    assert table(tmp_path, b'"1","2"\n3,4\n').names == ("1", "2")
    assert table(tmp_path, b"1,2\n3,4\n").rows == 2


@pytest.mark.parametrize("whole_up_to", EVERY_WAY)
@pytest.mark.parametrize(
    ("content", "sentence", "line"),
    [
        (b"a,b,c\n1,2,3\n4,5\n6,7,8,9\n", "2 fields instead of 3", 3),
        (b"a,b\n1,2\n3,4,5\n", "3 fields instead of 2", 3),
        (b'a,b\n"x\ny",2\n3\n', "1 field instead of 2", 4),
        (b'a,b\n1,"x\n2,y\n3,z\n', "never closed", 2),
        (b'a,b\n1,2\n3,"x', "never closed", 3),
        (b"a,b\n1,x\n2,\x00y\n", "zero byte", 3),
    ],
)
def test_that_a_broken_file_is_refused_with_its_line(
    content: bytes, sentence: str, line: int, whole_up_to: int, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=sentence) as caught:
        table(tmp_path, content, whole_up_to)
    assert caught.value.row == line
    assert f"line {line}" in caught.value.message
    assert "data.csv" in caught.value.message
    assert caught.value.file is not None


def test_that_a_workbook_called_csv_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    with pytest.raises(DataError, match="Excel workbook"):
        read_csv(path)


def test_that_an_inch_mark_in_plain_text_is_no_open_quotation(tmp_path: Path) -> None:
    found = table(tmp_path, b'size,n\n5" pipe,1\n6 pipe,2\n7 pipe,3\n')
    assert found["size"].attribute.values == ('5" pipe', "6 pipe", "7 pipe")


# -- numbers parsed straight away ------------------------------------------------------------


QUICK = {"2.5"}
"""A fraction among whole numbers."""


@pytest.mark.parametrize(
    ("late", "kind"),
    [
        pytest.param(late, kind, marks=() if late in QUICK else pytest.mark.slow)
        for kind, cells in (
            (
                Kind.NOMINAL,
                ("x", "007", "-01", "0x1F", "9007199254740993", "92233720368547758080", "inf"),
            ),
            (Kind.CONTINUOUS, ("2.5",)),
            (Kind.INTEGER, ("+77", "1e3", "1 000", "b.d.", "", "NA", "NaN")),
        )
        for late in cells
    ],
)
def test_that_a_late_surprise_loses_nothing(late: str, kind: Kind, tmp_path: Path) -> None:
    # Long enough for the odd cell to lie outside of every sampled block.
    lines = [f"{i % 50},w{i % 3},{i % 7}.5" for i in range(200_000)]
    lines[60_000] = f"{late},w0,1.5"
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["a,b,c", *lines]) + "\n")
    quick, slow = (build_table(read_csv(path, whole_up_to=size)) for size in (0, 1 << 30))
    assert quick["a"].attribute.kind is kind
    assert quick.equals(slow)


CELLS = st.sampled_from(
    [
        *("1", "2", "3", "10", "-4", "2.5", "0", "007", "1.0", "1e2", "", " ", "NA", "?", "yes"),
        *('"a,b"', '"x\ny"', '"q""r"', '""', "-9", "99", "999", "n/d", "tak ", "0x2", " 5", "+6"),
    ]
)


@examples(1.5)
@given(st.data())
def test_that_both_ways_of_reading_give_the_same_table(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 3))
    few = [data.draw(st.lists(CELLS, min_size=1, max_size=4)) for _ in range(width)]
    rows = data.draw(st.integers(1, 30))
    picks = [[data.draw(st.sampled_from(cells)) for cells in few] for _ in range(rows)]
    text = "\n".join([",".join("abc"[:width]), *(",".join(row) for row in picks)]) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_text(text, newline="")
        slow = build_table(read_csv(path))
        quick = build_table(read_csv(path, whole_up_to=0))
    assert quick.names == slow.names
    for a, b in zip(quick, slow, strict=True):
        assert a.attribute == b.attribute
        assert a.equals(b)


@st.composite
def delimited_texts(draw: st.DrawFn) -> bytes:
    """Files with titles, blank lines, quotation marks and at most one fault."""
    separator = draw(st.sampled_from(",;\t|"))
    width = draw(st.integers(1, 3))
    more = (
        "1,5",
        "1.234,5",
        "1 000",
        "zażółć",
        "9007199254740993",
        "1e400",
        "-1e400",
        "tak",
        "nie",
    )
    cells = st.one_of(CELLS, st.sampled_from(more)).map(
        lambda cell: f'"{cell}"' if separator in cell and cell[:1] != '"' else cell
    )
    few = [draw(st.lists(cells, min_size=1, max_size=4)) for _ in range(width)]
    rows = [[draw(st.sampled_from(some)) for some in few] for _ in range(draw(st.integers(0, 25)))]
    lines = [separator.join(row) for row in rows]
    faults = ["1" + separator * 7, '"2"x', '"x']
    for odd in (draw(st.sampled_from(["x", ""])), draw(st.sampled_from(["x"] * 6 + faults))):
        if odd != "x":
            lines.insert(draw(st.integers(0, len(lines))), odd)
    above = draw(st.sampled_from([[], [], ["Survey of 2020"], ["Survey of 2020", ""], [""]]))
    names = draw(st.sampled_from([["a", "b", "c"], ["a", "a", ""], ["1", "2", "3"]]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join([*above, separator.join(names[:width]), *lines])
    content = (text + draw(st.sampled_from(["", end]))).encode(
        draw(st.sampled_from(["utf-8", "utf-8-sig", "cp1250", "utf-16"]))
    )
    return content + draw(st.sampled_from([b""] * 9 + [b"\0", b"\xff\xbf"]))


def outcome(read: Callable[[], list[Table]]) -> tuple[object, ...]:
    """What reading comes to: all answers with attributes and notes, or the error."""
    try:
        chunks = read()
    except DataError as error:
        return error.message, error.row, error.attribute, error.field, error.file
    assert all(chunk.attributes == chunks[0].attributes for chunk in chunks)
    assert not any(chunk.notes for chunk in chunks[1:])
    answers = [
        [cell for chunk in chunks for cell in chunk[name].to_series().astype(str)]
        for name in chunks[0].names
    ]
    return chunks[0].attributes, chunks[0].class_name, chunks[0].notes, answers


@given(
    delimited_texts(),
    st.integers(1, 30),
    st.sampled_from([None, "1", "2", "none"]),
    st.sampled_from([(), ("tak", "99")]),
    st.sampled_from([None, None, (Attribute("a", Kind.CONTINUOUS, domain=(0, 99)),)]),
)
def test_that_a_text_is_read_alike_as_a_whole_and_in_chunks(
    content: bytes,
    rows: int,
    header: str | None,
    missing: tuple[str, ...],
    schema: tuple[Attribute, ...] | None,
) -> None:
    options = ReadOptions(header=header, missing_codes=missing)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(content)
        whole = outcome(lambda: [read_table(path, options, schema)])
        chunked = outcome(lambda: list(read_chunks(path, options, schema, rows, whole_up_to=0)))
    if schema is not None and isinstance(whole[0], str):
        # Of several faults a stream may meet another one first.
        assert isinstance(chunked[0], str)
    else:
        assert chunked == whole


@pytest.mark.slow
@examples(2)
@given(delimited_texts(), st.integers(20, 400))
def test_that_the_size_of_blocks_changes_nothing(content: bytes, block: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(content)

        def read(size: int) -> list[Table]:
            return [build_table(CsvReader(path, whole_up_to=0, block=size).read())]

        assert outcome(partial(read, block)) == outcome(partial(read, 1 << 20))


@given(
    st.lists(
        st.lists(
            st.sampled_from(["1", "a\nx,y,z", "q, r", 'a"b\n,', "\n", "x\ny,z", ""]),
            min_size=3,
            max_size=3,
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(60, 300),
)
def test_that_quoted_line_ends_are_never_cut_at_a_block(rows: list[list[str]], block: int) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        [["h", "i", "j"], *rows]
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_text(buffer.getvalue(), newline="")
        found = CsvReader(path, block=block).read()
    columns = [column.data.to_pylist() for column in found.columns]
    assert [list(row) for row in zip(*columns, strict=True)] == rows


@given(
    st.lists(st.sampled_from(["0", "07", "007", "0x1", "10", "-01", " 02", "0.5", "x01", '"03"'])),
    st.integers(1, 7),
)
def test_that_fields_with_leading_zeros_are_counted_in_any_blocks(
    fields: list[str], size: int
) -> None:
    text = "".join(f"{field},y\n" for field in fields).encode()
    watch = ByteWatch(",", '"')
    for start in range(0, len(text), size):
        watch.feed(text[start : start + size])
    odd = {"07", "007", "0x1", "-01", " 02", '"03"'}
    assert watch.zeros == sum(field in odd for field in fields)
    assert watch.quotes == text.count(b'"')


def test_that_reading_reports_progress_and_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n2,y\n3,z\n" * 500_000)
    seen: list[float] = []
    progress = StoppableProgress(lambda done, _: seen.append(done))
    read_csv(path, progress=progress, whole_up_to=0)
    assert seen == sorted(seen)
    assert len(seen) > 3

    def stop_half_way(done: float, message: str = "") -> None:
        if done > 0.3:
            raise Cancelled

    with pytest.raises(Cancelled):
        read_csv(path, progress=stop_half_way, whole_up_to=0)


ENDS_WHILE_READ_FROM = """
import io, sys, threading, time
from ppworkbench.core.data.delimited.text import lend

def read_on(files):
    time.sleep(0.3)
    files.clear()
    sys.stdout.write("let go")
    sys.stdout.flush()

threading.Thread(target=read_on, args=([lend(io.BytesIO(b"1"))],), daemon=True).start()
"""


def test_that_the_end_of_the_program_waits_for_threads_that_hold_a_file():
    # Arrow's threads do: one that lets go of a file while Python ends aborts the program.
    done = subprocess.run(
        [sys.executable, "-c", ENDS_WHILE_READ_FROM],
        check=False, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "let go", "")
