"""Writing a file: whole or not at all, and nothing left beside it."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from small_files import BESIDE, WRITTEN, content, listed, refusal, table

from ppworkbench.core.data.chunk_writer import open_chunk_writer
from ppworkbench.core.data.codebook import sidecar_path
from ppworkbench.core.data.files import read_table, write_table, written_files
from ppworkbench.core.data.formats import formats
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Cancelled

pytestmark = pytest.mark.usefixtures("readstat_here")


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


@pytest.mark.parametrize("way", ["at once", "in chunks"])
def test_that_the_codebook_behind_a_link_belongs_to_the_file(tmp_path: Path, way: str) -> None:
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "real.csv", tmp_path / "link.csv"
    write_table(table(), real)
    link.symlink_to(real)
    if way == "at once":
        write_table(table("a", "b", "c"), link)
    else:
        with open_chunk_writer(link) as writer:
            writer.write(table("a", "b", "c"))
    assert {path.name for path in tmp_path.iterdir()} == {"there", "link.csv"}
    for path in (real, link):
        assert read_table(path)["q"].attribute.values == ("a", "b", "c")
        assert read_table(path)["q"].attribute.reason == ""
    assert [path.name for path in written_files(link)] == [
        "link.csv", "real.codebook.json", "real.codebook.md"
    ]  # fmt: skip


def test_that_no_file_tells_the_time_of_day_at_which_it_was_written(tmp_path: Path) -> None:
    for name in ("t.xlsx", "t.sav", "t.zsav", "t.dta"):
        write_table(table(), tmp_path / name)
    with zipfile.ZipFile(tmp_path / "t.xlsx") as book:
        assert {member.date_time for member in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        said = re.findall(rb"\d{4}-\d\d-\d\dT([^<]+)<", book.read("docProps/core.xml"))
        assert said == [b"00:00:00Z", b"00:00:00Z"]
    for name in ("t.sav", "t.zsav"):
        assert (tmp_path / name).read_bytes()[101:109] == b"00:00:00"
    assert b" 00:00</timestamp>" in (tmp_path / "t.dta").read_bytes()
    assert read_table(tmp_path / "t.xlsx").rows == table().rows
