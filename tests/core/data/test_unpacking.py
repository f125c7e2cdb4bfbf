"""A file that unpacks to far more than it seems is refused before its memory is asked for."""

from __future__ import annotations

import io
import stat
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather
from studies import make_study

from ppworkbench.core.data.codebook import read_codebook
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats import parquet
from ppworkbench.core.data.formats.parquet import feather_bytes
from ppworkbench.core.design.design_file import read_design
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.study.files.study_file import open_study, save_study

MEGABYTES = 1 << 20


@pytest.fixture
def most():
    """Arrow may take so many bytes and no more."""
    pool = pa.default_memory_pool()
    before = pool.max_memory() or 0
    return lambda: (pool.max_memory() or 0) - before


def repeated_text(rows: int, length: int) -> bytes:
    """Parquet that says: this text, so many times."""
    codes = pa.array(np.zeros(rows, np.int32))
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * length]))
    file = io.BytesIO()
    pq.write_table(pa.table({"a": column}), file, store_schema=False, compression="zstd")
    return file.getvalue()


def test_that_a_text_said_very_often_is_not_spelled_out(tmp_path, most):
    path = tmp_path / "bomb.parquet"
    path.write_bytes(repeated_text(20_000, 50_000))
    assert path.stat().st_size < 1_000
    with pytest.raises(DataError, match=r"would unpack from \d+ bytes to 953 MB and is not opened"):
        read_table(path)
    assert most() < 50 * MEGABYTES


def test_that_such_a_text_inside_of_a_study_is_refused(tmp_path, most):
    path = tmp_path / "bomb.ppw"
    save_study(make_study(), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["original.parquet"] = repeated_text(20_000, 50_000)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(DataError, match="would unpack from"):
        open_study(path)
    assert most() < 50 * MEGABYTES


def test_that_packed_feather_tells_its_size_beforehand(tmp_path, monkeypatch):
    path = tmp_path / "zeros.feather"
    text = pa.array(["yes", "no"] * 50_000).dictionary_encode()
    table = pa.table({"x": pa.array(np.zeros(100_000)), "t": text})
    feather.write_feather(table, str(path), compression="zstd")
    with path.open("rb") as file:
        told = feather_bytes(file, path.stat().st_size)
    assert table.nbytes <= told < 1.1 * table.nbytes + 1_000
    read_table(path)
    monkeypatch.setattr(parquet, "HARMLESS", 100_000)
    monkeypatch.setattr(parquet, "HIGHEST_RATIO", 10)
    with pytest.raises(DataError, match="would unpack from"):
        read_table(path)


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_that_plain_texts_come_back_as_texts(tmp_path, suffix):
    table = pa.table({"town": ["A", "B", "A", None], "n": [1.5, 2.5, 3.5, 4.5]})
    path = tmp_path / f"plain{suffix}"
    if suffix == ".parquet":
        pq.write_table(table, path)
    else:
        feather.write_feather(table, str(path))
    found = read_table(path)["town"]
    assert found.attribute.values == ("A", "B")
    assert found.data.tolist() == [0, 1, 0, -1]


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_that_a_link_inside_of_a_study_is_not_followed(tmp_path):
    path, secret = tmp_path / "a.ppw", tmp_path / "secret.json"
    save_study(make_study(), path)
    members = members_of(path)
    secret.write_bytes(members["study.json"])
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("study.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(secret))
        for name in members.keys() - {"study.json"}:
            archive.writestr(name, members[name])
    before = {*tmp_path.iterdir()}
    # Followed, it would be a sound study.
    with pytest.raises(DataError, match=r"its part study\.json is damaged"):
        open_study(path)
    assert {*tmp_path.iterdir()} == before


def test_that_an_archive_inside_of_a_study_is_not_unpacked(tmp_path):
    path, inner = tmp_path / "a.ppw", io.BytesIO()
    save_study(make_study(), path)
    members = members_of(path)
    with zipfile.ZipFile(inner, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    for name in ("original.parquet", "study.json", "inner.ppw"):
        with zipfile.ZipFile(path, "w") as archive:
            for each, content in (members | {name: inner.getvalue()}).items():
                archive.writestr(each, content)
        with pytest.raises(DataError, match="a\\.ppw"):
            open_study(path)


MANY = b"[" + b"[]," * 4_100_000 + b"[]]"


def test_that_json_of_millions_of_lists_is_not_parsed(tmp_path, monkeypatch):
    parsed = []
    monkeypatch.setattr("json.loads", lambda *given, **_: parsed.append(given))
    design, codebook = tmp_path / "d.json", tmp_path / "a.codebook.json"
    design.write_bytes(b'{"format": "ppworkbench-design", "groups": ' + MANY + b"}")
    codebook.write_bytes(MANY)
    with pytest.raises(WorkbenchError, match="too many values for a design"):
        read_design(design)
    with pytest.raises(WorkbenchError, match="at most 4,000,000 values"):
        read_codebook(codebook)
    assert parsed == []


def test_that_a_study_with_millions_of_results_is_refused(tmp_path):
    path = tmp_path / "bomb.ppw"
    save_study(make_study(), path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.json", b'{"mine": ' + MANY + b"}")
    assert path.stat().st_size < 100_000
    with pytest.raises(DataError, match=r"its part results\.json is too large"):
        open_study(path)


def workbook(path, changes):
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append(["x", 1])
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (members | changes).items():
            archive.writestr(name, content)
    return path


def test_that_a_dense_part_of_a_workbook_is_refused_unread(tmp_path):
    styles = b"<styleSheet><cellXfs>" + b"<xf/>" * 2_000_000 + b"</cellXfs></styleSheet>"
    path = workbook(tmp_path / "bomb.xlsx", {"xl/styles.xml": styles})
    assert path.stat().st_size < 100_000
    with pytest.raises(DataError, match="would unpack to 9 MB"):
        read_table(path)


def test_that_paths_in_a_workbook_lead_nowhere(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"../../evil.txt": b"x", "/tmp/evil-of-a-test": b"x"})
    before = set(tmp_path.parent.rglob("*"))
    assert read_table(path).rows == 1
    assert set(tmp_path.parent.rglob("*")) == before


def test_that_entities_of_a_workbook_are_not_followed(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2")
    names = b"".join(b'<!ENTITY %c "%s">' % (98 + i, (b"&%c;" % (97 + i)) * 10) for i in range(12))
    head = b'<?xml version="1.0"?><!DOCTYPE worksheet [<!ENTITY a "aaaaaaaaaa">'
    reads = b'<!ENTITY file SYSTEM "file://' + str(secret).encode() + b'">'
    for entity, said in ((b"&m;", b""), (b"&file;", reads)):
        sheet = (
            head + names + said + b']><worksheet xmlns="http://schemas.openxmlformats.org/'
            b'spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>'
            + entity + b"</t></is></c></row><row r=\"2\"><c r=\"A2\"><v>1</v></c></row>"
            b"</sheetData></worksheet>"
        )  # fmt: skip
        path = workbook(tmp_path / "a.xlsx", {"xl/worksheets/sheet1.xml": sheet})
        try:
            found = repr(read_table(path).names)
        except DataError as error:
            found = error.message
        assert "hunter2" not in found
        assert len(found) < 1_000


ODD_PARTS = {
    "macros": {"xl/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 20},
    "a link out": {
        "xl/externalLinks/externalLink1.xml": b"<externalLink/>",
        "xl/externalLinks/_rels/externalLink1.xml.rels": b"<Relationships/>",
    },
    "an archive in it": {"xl/embeddings/inner.xlsx": b"PK\x05\x06" + bytes(18)},
    "no letters in a name": {"\x01\u202e.xml": b"<a/>"},
    "a folder as a part": {"xl/worksheets/": b""},
    "text that ends early": {"xl/sharedStrings.xml": b"<sst><si><t>a"},
    "styles that are none": {"xl/styles.xml": b"{}"},
    "no workbook": {"xl/workbook.xml": b""},
    "no types": {"[Content_Types].xml": b"<Types/>"},
    "a sheet of another kind": {"xl/worksheets/sheet1.xml": b"<chartsheet/>"},
    "a cell nowhere": {
        "xl/worksheets/sheet1.xml": b'<worksheet xmlns="http://schemas.openxmlformats.org/'
        b'spreadsheetml/2006/main"><sheetData><row r="0"><c r="ZZZZ9999999999"><v>1</v></c></row>'
        b"</sheetData></worksheet>"
    },
    "a text of no number": {
        "xl/worksheets/sheet1.xml": b'<worksheet xmlns="http://schemas.openxmlformats.org/'
        b'spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="s"><v>-7</v></c></row>'
        b'<row r="2"><c r="A2" t="s"><v>99999999</v></c></row></sheetData></worksheet>'
    },
}


@pytest.mark.parametrize("odd", ODD_PARTS)
def test_that_odd_parts_of_a_workbook_are_left_alone_or_refused(tmp_path, odd):
    path = workbook(tmp_path / "a.xlsx", ODD_PARTS[odd])
    before = {*tmp_path.iterdir()}
    said = ""
    try:
        assert read_table(path).rows == 1
    except DataError as error:
        said = error.message
    assert said == "" or (said.endswith(".") and "\n" not in said)
    assert {*tmp_path.iterdir()} == before


def test_that_what_is_saved_can_be_opened_again_or_is_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("ppworkbench.core.json_values.MOST_VALUES", 10)
    with pytest.raises(DataError, match=r"cannot be saved: its part study\.json is too large"):
        save_study(make_study(), tmp_path / "a.ppw")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_that_written_tables_are_far_below_the_limits(tmp_path):
    table = make_study(rows=3_000).original
    for suffix in (".parquet", ".feather", ".xlsx"):
        write_table(table, tmp_path / f"a{suffix}")
        assert read_table(tmp_path / f"a{suffix}").rows == 3_000


def test_that_feather_with_wrong_offsets_is_not_refused_in_words_of_python(tmp_path):
    path = tmp_path / "x.feather"
    feather.write_feather(pa.table({"a": ["no", "yes"]}), path)
    content = path.read_bytes()
    refusals = []
    for place in range(len(content) - 200, len(content) - 6):
        path.write_bytes(content[:place] + b"\x7f\x7f" + content[place + 2 :])
        try:
            read_table(path)
        except DataError as error:
            refusals.append(error.message)
    assert any("impossible length" in said for said in refusals)
    assert [said for said in refusals if "requires a buffer" in said or "index" in said] == []
