"""Files that are not there, not what they seem, or of no format that can be written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from small_files import WRITTEN, listed, refusal, table

from ppworkbench.core.data import files
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats import formats
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.design.starting import starting_design
from ppworkbench.core.errors import DataError, ParameterError

pytestmark = pytest.mark.usefixtures("readstat_here")


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
    with pytest.raises(DataError, match="is empty: it has 0 bytes; export or download it again"):
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
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), "another encoding"),
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
    assert "its actual format" in found.notes[0]
    other = tmp_path / ("wrong.dta" if suffix != ".dta" else "wrong.sav")
    shutil.copy(path, other)
    assert read_table(other).rows == 3


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xlsx", ".parquet", ".feather"])
def test_that_text_under_a_binary_name_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="rename it to its real format"):
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


@examples(1.5)
@given(st.binary(max_size=400), st.sampled_from([*WRITTEN, ".json", ".dat", ".por", ".zsav", ""]))
def test_that_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"x{suffix}"
    path.write_bytes(content)
    error = refusal(read_table, path)
    assert error is None or (error.file == str(path) and error.message.endswith("."))


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".json"])
def test_that_columns_without_a_name_are_named_so_that_a_design_can_have_them(
    tmp_path: Path, suffix: str
) -> None:
    frame = pd.DataFrame({"": ["a", "b"], " ": ["x", "y"], "column_1": [1, 2]})
    path = tmp_path / f"t{suffix}"
    if suffix == ".json":
        frame.to_json(path, orient="records")
    else:
        (frame.to_parquet if suffix == ".parquet" else frame.to_feather)(path)
    found = read_table(path)
    assert found.names == ("column_1_", "column_2", "column_1")
    assert "Columns without a name were named or numbered." in found.notes
    design = starting_design(found)
    assert design_from_json(design_to_json(design)) == design
