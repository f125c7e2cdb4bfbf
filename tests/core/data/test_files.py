"""Files that are not there, not what they seem, or cannot be written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppworkbench.core.data import files
from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.codebook import Codebook, sidecar_path
from ppworkbench.core.data.files import codebook_of, read_table, write_table
from ppworkbench.core.data.formats import formats, readstat
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.progress import Cancelled

WRITTEN = (".csv", ".xlsx", ".sav", ".dta", ".parquet", ".feather", ".arff")
BESIDE = (".csv", ".sav", ".dta", ".arff")


@pytest.fixture(autouse=True)
def _readstat_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting a process for every file would take most of the time."""
    monkeypatch.setattr(readstat, "APART", False)


def table(*words: str, rows: int = 3) -> Table:
    values = words or ("no", "yes")
    attribute = Attribute("q", Kind.NOMINAL, values=values, label="Do you?")
    return Table((Column(attribute, np.arange(rows) % len(values)),))


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refusal(work: Callable[..., object], *given: object) -> DataError | None:
    """The sentence with which a piece of work was refused."""
    try:
        work(*given)
    except DataError as error:
        return error
    return None


def test_that_every_format_file_is_registered() -> None:
    assert formats.names == (
        "csv", "excel", "spss", "stata", "parquet", "feather", "arff", "json", "baskets",
    )  # fmt: skip
    suffixes = [suffix for entry in formats for suffix in entry.item.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    for entry in formats:
        assert (entry.name, entry.label) == (entry.item.name, entry.item.label)


@pytest.mark.parametrize("suffix", [".csv", ".sav", ".xlsx", ".parquet", ".json", ".dat", ""])
def test_that_a_missing_file_a_folder_and_an_empty_file_are_told_apart(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"x{suffix}"
    with pytest.raises(DataError, match="There is no file x") as caught:
        read_table(path)
    assert caught.value.file == str(path)
    path.mkdir()
    with pytest.raises(DataError, match="is a folder"):
        read_table(path)
    with pytest.raises(DataError, match=r"is a folder|cannot be written"):
        write_table(table(), path)
    path.rmdir()
    path.touch()
    with pytest.raises(DataError, match="is empty: it has 0 bytes"):
        read_table(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_that_no_permission_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    path.chmod(0)
    with pytest.raises(DataError, match="there is no permission"):
        read_table(path)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "denied"), "there is no permission"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (MemoryError(), "not enough memory"),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), "expected encoding"),
        (RuntimeError("a library\nfell over."), r"damaged .*\(a library fell over\)\."),
        (KeyError(), r"\(KeyError\)"),
    ],
)
def test_that_whatever_a_library_raises_becomes_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")

    def fail(*args: Any) -> None:
        raise error

    monkeypatch.setattr(files, "_read", fail)
    with pytest.raises(DataError, match=words) as caught:
        read_table(path)
    assert caught.value.file == str(path)
    assert caught.value.message.startswith("x.csv")
    assert caught.value.__cause__ is error
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("suffix", [s for s in WRITTEN if s not in (".csv", ".arff")])
def test_that_content_beats_the_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"real{suffix}"
    write_table(table(), path)
    wrong = tmp_path / "wrong.csv"
    shutil.copy(path, wrong)
    found = read_table(wrong)
    assert found.rows == 3
    assert "by its content and was read as one" in found.notes[0]
    other = tmp_path / ("wrong.dta" if suffix != ".dta" else "wrong.sav")
    shutil.copy(path, other)
    assert read_table(other).rows == 3


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xlsx", ".parquet", ".feather"])
def test_that_text_under_a_binary_name_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="its content is something else"):
        read_table(path)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n3,4\n", ("a", "b")),
        ("@relation r\n@attribute a {x,y}\n@data\nx\ny\n", ("a",)),
        ('[{"a": 1}, {"a": 2}]', ("a",)),
    ],
)
def test_that_text_of_unknown_name_is_tried(
    tmp_path: Path, text: str, names: tuple[str, ...]
) -> None:
    path = tmp_path / "data.unknown"
    path.write_text(text)
    assert read_table(path).names == names


def test_that_a_format_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("milk,rye\nbeer\n")
    assert read_table(path, ReadOptions(format="baskets")).names == ("milk", "rye", "beer")
    with pytest.raises(ParameterError, match="did you mean 'spss'"):
        read_table(path, ReadOptions(format="spps"))


@pytest.mark.parametrize("name", ["x.docx", "x.basket"])
def test_that_a_format_that_is_only_read_or_unknown_is_not_written(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(DataError, match=r"cannot be written; .* ends in \.csv, \.xlsx, \.sav"):
        write_table(table(), tmp_path / name)
    assert listed(tmp_path) == []


def test_that_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.csv cannot be written: there is no such"):
        write_table(table(), tmp_path / "nowhere" / "x.csv")


@pytest.mark.parametrize("suffix", WRITTEN)
def test_that_a_table_without_columns_is_not_written(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(DataError):
        write_table(Table(()), tmp_path / f"x{suffix}")
    assert listed(tmp_path) == []


@pytest.mark.parametrize("suffix", WRITTEN)
def test_that_nothing_else_is_left_beside_a_written_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    write_table(table(), path)
    write_table(table("a", "b", "c"), path)
    expected = {path.name} | ({sidecar_path(path).name} if suffix in BESIDE else set())
    assert set(listed(tmp_path)) == expected
    assert read_table(path)["q"].attribute.values == ("a", "b", "c")


@pytest.mark.parametrize("suffix", WRITTEN)
@pytest.mark.parametrize("call", ["fsync", "replace", "write"])
def test_that_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, call: str
) -> None:
    """An error at the first, the second, ... call: the folder is always as it was."""
    path = tmp_path / f"x{suffix}"
    write_table(table(), path)
    before = content(tmp_path)
    failures = 0
    for nth in range(1, 12):
        with monkeypatch.context() as patch:
            _fail(patch, call, nth)
            error = refusal(write_table, table("other", "words"), path)
        if error is None:
            break
        assert "No space left" in error.message
        failures += 1
        assert content(tmp_path) == before
    assert failures >= 1
    assert read_table(path)["q"].attribute.values == ("other", "words")
    assert set(listed(tmp_path)) == set(before)


def _fail(patch: pytest.MonkeyPatch, call: str, nth: int) -> None:
    count = 0

    def failing(real: Any) -> Any:
        def called(*args: Any, **kwargs: Any) -> Any:
            nonlocal count
            count += 1
            if count == nth:
                raise OSError(28, "No space left on device")
            return real(*args, **kwargs)

        return called

    if call == "fsync":
        patch.setattr(os, "fsync", failing(os.fsync))
    elif call == "replace":
        patch.setattr(Path, "replace", failing(Path.replace))
    else:
        for entry in formats:
            if entry.item.write is not None:
                # Frozen for everyone else; a test may.
                patch.setitem(entry.item.__dict__, "write", failing(entry.item.write))


@pytest.mark.parametrize("suffix", WRITTEN)
def test_that_stopping_leaves_nothing_behind(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    write_table(table(), path)
    before = content(tmp_path)
    reports: list[float] = []
    write_table(table(), path, progress=lambda done, message="": reports.append(done))
    assert reports[-1] == 1.0
    for nth in range(len(reports) - 1):
        count = 0

        def stop(done: float, message: str = "", nth: int = nth) -> None:
            nonlocal count
            count += 1
            if count > nth:
                raise Cancelled

        with pytest.raises(Cancelled):
            write_table(table("other", "words"), path, progress=stop)
        assert set(content(tmp_path)) == set(before)
        assert read_table(path)["q"].attribute.values == ("no", "yes")


def test_that_progress_rises_to_one(tmp_path: Path) -> None:
    for suffix in WRITTEN:
        for work in (write_table, None):
            reports: list[float] = []

            def report(done: float, message: str = "", seen: list[float] = reports) -> None:
                seen.append(done)

            path = tmp_path / f"x{suffix}"
            if work is not None:
                work(table(), path, progress=report)
            else:
                read_table(path, progress=report)
            assert reports == sorted(reports)
            assert reports[-1] == 1.0


def test_that_a_link_is_followed(tmp_path: Path) -> None:
    real, link = tmp_path / "real.parquet", tmp_path / "link.parquet"
    write_table(table(), real)
    link.symlink_to(real)
    write_table(table("a", "b", "c"), link)
    assert link.is_symlink()
    assert read_table(real)["q"].attribute.values == ("a", "b", "c")


@pytest.mark.parametrize("suffix", BESIDE)
def test_that_a_codebook_is_not_left_beside_a_file_it_does_not_belong_to(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"x{suffix}"
    write_table(table(), path)
    notes = write_table(table("a", "b"), path, WriteOptions(codebook=False))
    assert listed(tmp_path) == [path.name]
    assert "of the former file was removed" in notes[-1]


@pytest.mark.parametrize("suffix", BESIDE)
def test_that_a_codebook_that_does_not_fit_becomes_a_note(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    write_table(table(), path)
    beside = sidecar_path(path)
    for other, words in (
        (Codebook((Attribute("r", Kind.BINARY, values=("a", "b")),)).to_text(), "columns"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
    ):
        beside.write_text(other, encoding="utf-8")
        found = read_table(path)
        assert found.names == ("q",)
        assert found.rows == 3
        assert any("was not used" in note and words in note for note in found.notes)
    beside.write_bytes(b"\xff\xfe")
    assert any("not UTF-8" in note for note in read_table(path).notes)


def test_that_answers_unknown_to_a_codebook_are_guessed_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_table(table(), path)
    path.write_text("q\nno\nyes\nperhaps\n")
    found = read_table(path)
    assert set(found["q"].attribute.values) == {"no", "yes", "perhaps"}
    assert any("was not used" in note for note in found.notes)


def test_that_a_spreadsheets_dialect_does_not_lose_the_codebook(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    number = Attribute("x", Kind.CONTINUOUS, domain=(0, 9), label="How much?")
    given = Table((*table().columns, Column(number, np.array([1.5, np.nan, 2.25]))))
    write_table(given, path)
    path.write_text("q;x\r\nno;1,5\r\nyes;\r\nno;2,25\r\n", encoding="utf-8-sig")
    assert read_table(path).equals(given)


def test_that_a_codebook_by_hand_may_have_missing_codes_in_the_cells(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("q\n1\n2\n9\n")
    attribute = Attribute(
        "q",
        Kind.BINARY,
        values=("no", "yes"),
        codes=(1.0, 2.0),
        missing_codes=(MissingCode(9.0, "refused"),),
    )
    sidecar_path(path).write_text(Codebook((attribute,)).to_text(), encoding="utf-8")
    column = read_table(path)["q"]
    assert column.attribute == attribute
    assert column.data.tolist() == [0, 1, -1]
    assert column.why_missing is not None
    assert column.why_missing.tolist() == [0, 0, 1]


def test_that_distorted_numbers_on_a_missing_code_stay_answers(tmp_path: Path) -> None:
    age = Attribute("age", Kind.INTEGER, domain=(0, 120), missing_codes=(MissingCode(99.0),))
    given = Table((Column(age, np.array([99.0, 20.0, np.nan, np.nan]), np.array([0, 0, 1, 0])),))
    for suffix in WRITTEN:
        path = tmp_path / f"x{suffix}"
        write_table(given, path)
        assert read_table(path).equals(given), suffix
        assert read_table(path, schema=given.attributes).equals(given), suffix


def test_that_a_schema_beats_the_codebook(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_table(table(), path)
    wanted = Attribute("q", Kind.ORDINAL, values=("yes", "no"))
    column = read_table(path, schema=[wanted])["q"]
    assert column.attribute == wanted
    assert column.data.tolist() == [1, 0, 1]
    with pytest.raises(DataError, match="'q'"):
        read_table(path, schema=[Attribute("q", Kind.BINARY, values=("a", "b"))])


@settings(max_examples=60)
@given(st.binary(max_size=400), st.sampled_from([*WRITTEN, ".json", ".dat", ".por", ".zsav", ""]))
def test_that_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"x{suffix}"
    path.write_bytes(content)
    error = refusal(read_table, path)
    assert error is None or (error.file == str(path) and error.message.endswith("."))


def test_that_codebooks_are_found_wherever_they_are(tmp_path: Path) -> None:
    for suffix in WRITTEN:
        path = tmp_path / f"x{suffix}"
        write_table(table(), path, design={"keep": 0.5})
        found = codebook_of(path)
        assert found is not None
        assert (found.attributes, found.design) == (table().attributes, {"keep": 0.5})
    plain = tmp_path / "plain.xlsx"
    pd.DataFrame({"a": [1]}).to_excel(plain, index=False)
    assert codebook_of(plain) is None
    frame = tmp_path / "plain.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(frame)
    assert codebook_of(frame) is None
