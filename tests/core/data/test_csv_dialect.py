"""How delimited files are recognised, and which are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest

from ppworkbench.core.data.delimited.dialect import Dialect, decimal_mark, sniff, take_sample
from ppworkbench.core.data.delimited.text import detect_charset, known_binary
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError

POLISH = "płeć,odpowiedź\nkobieta,zażółć gęślą jaźń\nmężczyzna,Łódź i Świdnica\n"


def sniffed(folder: Path, content: bytes, **options: str) -> Dialect:
    path = folder / "data.csv"
    path.write_bytes(content)
    return sniff(path, ReadOptions(**options))


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32-le"),
        ("utf-32-le", "utf-32-le"),
        ("utf-32-be", "utf-32-be"),
        ("cp1250", "cp1250"),
        ("iso-8859-2", "iso-8859-2"),
    ],
)
def test_that_the_encoding_of_polish_text_is_found(
    encoding: str, name: str, tmp_path: Path
) -> None:
    found = sniffed(tmp_path, POLISH.encode(encoding))
    assert found.charset.name == name
    assert found.names == ("płeć", "odpowiedź")
    assert found.separator == ","


@pytest.mark.parametrize(
    "text",
    ["Größe,Straße\nä,ö\n", "déjà,garçon\nà côté,où\n", "año,señor\nmañana,corazón\n"],
)
def test_that_western_letters_are_read_as_cp1252(text: str, tmp_path: Path) -> None:
    found = sniffed(tmp_path, text.encode("cp1252"))
    assert ",".join(found.names) == text.partition("\n")[0]


def test_that_an_encoding_judged_by_letters_is_said(tmp_path: Path) -> None:
    found = sniffed(tmp_path, POLISH.encode("cp1250"))
    assert "cp1250" in found.notes[0]
    assert "Polish" in found.notes[0]


def test_that_a_chosen_encoding_is_used(tmp_path: Path) -> None:
    found = sniffed(tmp_path, "a,ó\n1,2\n".encode("cp1250"), encoding="windows-1250")
    assert found.names == ("a", "ó")


def test_that_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no encoding 'klingon'") as caught:
        sniffed(tmp_path, b"a,b\n", encoding="klingon")
    assert caught.value.field == "encoding"


def test_that_undecodable_bytes_are_located(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 3: byte 9 is not valid utf-8") as caught:
        sniffed(tmp_path, b"a,b\n1,2\nx\xff,y\n", encoding="utf-8")
    assert caught.value.row == 3


def test_that_one_bad_byte_in_good_utf8_is_not_taken_for_another_encoding(tmp_path: Path) -> None:
    good = "ż,ó\n" + "ąęść,łódź\n" * 10
    with pytest.raises(DataError, match=r"line 12: byte \d+ is not valid utf-8"):
        sniffed(tmp_path, good.encode() + b"a\xff,b\n")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_that_the_separator_is_found(separator: str, tmp_path: Path) -> None:
    lines = [separator.join(row) for row in (["a", "b c", "d"], ["1", "x, y; z", "3"])]
    quoted = "\n".join(lines).replace("x, y; z", '"x, y; z"')
    assert sniffed(tmp_path, quoted.encode()).separator == separator


def test_that_decimal_commas_do_not_separate(tmp_path: Path) -> None:
    assert sniffed(tmp_path, b"x;y\n1,5;2,5\n3,5;4,5\n").separator == ";"
    assert sniffed(tmp_path, b"1,5;2,5\n3,5;4,5\n").separator == ";"


def test_that_a_single_column_has_no_separator(tmp_path: Path) -> None:
    assert sniffed(tmp_path, b"answer\nyes\nno\n").separator is None
    assert sniffed(tmp_path, b"remark\nwell, yes\nno\n").separator is None


def test_that_a_sep_line_says_the_separator(tmp_path: Path) -> None:
    found = sniffed(tmp_path, b"sep=|\r\na|b,c\r\n1|2\r\n")
    assert (found.separator, found.skip, found.names) == ("|", 1, ("a", "b,c"))


@pytest.mark.parametrize("given", ["tab", "\\t", "\t"])
def test_that_a_tabulator_can_be_chosen(given: str, tmp_path: Path) -> None:
    assert sniffed(tmp_path, b"a,b\tc\n1\t2\n", separator=given).names == ("a,b", "c")


def test_that_an_impossible_separator_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="separator '::' is not possible"):
        sniffed(tmp_path, b"a,b\n", separator="::")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_that_all_line_ends_are_understood(end: str, tmp_path: Path) -> None:
    found = sniffed(tmp_path, f"a,b{end}1,2{end}".encode())
    assert found.names == ("a", "b")


def test_that_single_quotation_marks_are_found(tmp_path: Path) -> None:
    found = sniffed(tmp_path, b"a,b\n'x, y',1\n'z, w',2\n")
    assert (found.quote, found.names) == ("'", ("a", "b"))
    assert sniffed(tmp_path, b"a,b\n'tis,1\nno,2\n").quote == '"'


def test_that_repeated_and_empty_names_become_different_ones(tmp_path: Path) -> None:
    found = sniffed(tmp_path, b"age,age,,age_2,age\n1,2,3,4,5\n")
    assert found.names == ("age", "age_3", "column_3", "age_2", "age_4")
    assert len(found.notes) == 4


def test_that_spaces_around_names_go_unless_quoted(tmp_path: Path) -> None:
    assert sniffed(tmp_path, b'id, age ," sex "\n1,2,3\n').names == ("id", "age", " sex ")


def test_that_a_first_line_of_numbers_is_data_and_said_to_be(tmp_path: Path) -> None:
    found = sniffed(tmp_path, b"1,2.5\n3,4\n")
    assert not found.has_header
    assert found.names == ("column_1", "column_2")
    assert any("first line looks like a record" in note for note in found.notes)


def test_that_years_may_be_names(tmp_path: Path) -> None:
    named = ("2019", "2020", "2021")
    assert sniffed(tmp_path, b"2019,2020,2021\nmuch,little,little\n").names == named
    # Among numbers nothing tells them from the numbers of a record.
    assert sniffed(tmp_path, b"2019,2020,2021\n1,2,3\n").names[0] == "column_1"


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \r\n"])
def test_that_an_empty_file_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"data.csv is empty"):
        sniffed(tmp_path, content)


def test_that_zero_bytes_are_refused_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"zero byte in line 2") as caught:
        sniffed(tmp_path, b"a,b\n1,\x00\n")
    assert caught.value.row == 2


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"PK\x03\x04rest", "Excel workbook"),
        (b"$FL2@(#)", "SPSS"),
        (b"PAR1", "Parquet"),
        (b"ARROW1\0\0", "Feather"),
        (b"<stata_dta>", "Stata"),
        (b"\xd0\xcf\x11\xe0", "Excel"),
        (b"\x1f\x8b", "gzip"),
    ],
)
def test_that_other_formats_are_named(head: bytes, words: str, tmp_path: Path) -> None:
    assert words in (known_binary(head) or "")
    with pytest.raises(DataError, match=words):
        sniffed(tmp_path, head + b",\n" * 20)


def test_that_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder"):
        take_sample(tmp_path)
    with pytest.raises(DataError, match=r"There is no file none.csv"):
        take_sample(tmp_path / "none.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_that_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    path.write_text("a,b\n")
    path.chmod(0)
    with pytest.raises(DataError, match="No permission to read"):
        take_sample(path)


def test_that_a_refused_permission_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"No permission to read x.csv"):
        take_sample(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("cells", "separator", "mark"),
    [
        (["1,5", "2,25", "x"], ";", ","),
        (["1.5", "2.25", "1,000"], ",", "."),
        (["1.234,50", "12"], ";", ","),
        (["1,234.50", "12"], ",", "."),
        (["1,234", "12"], ";", ","),
        (["1,234", "12"], ",", "."),
        (["1.234", "12"], ";", "."),
        (["12", "x"], ";", "."),
    ],
)
def test_that_the_decimal_mark_is_found(cells: list[str], separator: str, mark: str) -> None:
    assert decimal_mark(pa.table({"a": cells}), separator) == mark


def test_that_a_binary_file_has_no_encoding() -> None:
    assert detect_charset(bytes(range(256)) * 4) is None
