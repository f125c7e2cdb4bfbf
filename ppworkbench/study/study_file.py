"""Studies as ``.ppw`` files: a zip of plain JSON and Parquet, written whole or not at all.

Members: ``study.json`` (title, settings, drawn distributions), ``design.json``,
``results.json`` where pages keep any, and ``original.parquet`` or ``distorted.parquet`` with a
codebook inside. Nothing in a study is code, and every member's name and size is checked before it
is read.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ppworkbench.core.atomic import atomic_file, open_private, temporaries
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.json_values import has_too_many_values, parse_json
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Cancelled, Progress, part, silent
from ppworkbench.core.special_files import check_file
from ppworkbench.study.migrate import migrated
from ppworkbench.study.study import Study
from ppworkbench.study.study_json import (
    FORMAT,
    results_from_json,
    study_from_json,
    study_to_json,
)

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData

SUFFIX = ".ppw"
BACKUP = "~"

_TABLES = ("original", "distorted")
_RESULTS = "results.json"
_MEMBERS = {"study.json", "design.json", _RESULTS, *(f"{name}.parquet" for name in _TABLES)}
_LARGEST_TEXT = 64 * 2**20
_LARGEST_TABLE = 4 * 2**30
_MOST_CELLS = 500_000_000
"""Ten million rows of twenty attributes have less than half of them."""
_ROWS_AT_ONCE = 1 << 18
_BYTES_AT_ONCE = 1 << 24


@dataclass(frozen=True)
class FileVersion:
    """What tells one version of a file from another without reading it."""

    size: int
    modified: int
    number: int

    @classmethod
    def of(cls, path: str | Path) -> Self | None:
        """Return the version that lies there now; None if there is no such file."""
        try:
            found = os.stat(path)  # noqa: PTH116 (of a text, too)
        except OSError:
            return None
        return cls(found.st_size, found.st_mtime_ns, found.st_ino)


class ChangedOnDiskError(DataError):
    """Another program has written the file that was about to be replaced."""


def save_study(
    study: Study,
    path: str | Path,
    progress: Progress = silent,
    *,
    known: FileVersion | None = None,
) -> FileVersion | None:
    """Write a study and return its version; the one before is kept beside it as a backup.

    Raises
    ------
    ChangedOnDiskError
        When the file is there in another version than ``known``, and nothing was written.
    """
    # Behind a link the file is replaced, and its backup lies beside it.
    target = Path(os.path.realpath(path))
    _check_version(target, known)
    with atomic_file(target, private=True) as temporary:
        write_study(study, temporary, progress)
        # Writing took a while.
        _check_version(target, known)
        if target.exists():
            _keep_backup(target)
        written = FileVersion.of(temporary)
    # Some file systems round the time of a file when it is renamed.
    placed = FileVersion.of(target)
    is_ours = placed is not None and written is not None and placed.number == written.number
    return placed if is_ours else written


def _check_version(path: Path, known: FileVersion | None) -> None:
    if known is not None and FileVersion.of(path) not in (None, known):
        raise ChangedOnDiskError(
            Message(
                "{file} was changed by another window or program since it was opened "
                "here; save under another name.",
                file=path.name,
            ),
            file=path,
        )


def write_study(study: Study, path: Path, progress: Progress = silent) -> None:
    """Write the zip of a study to a file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _write_text(archive, "study.json", _as_text(study_to_json(study)))
        _write_text(archive, "design.json", _as_text(design_to_json(study.design)))
        if study.results:
            _write_text(archive, _RESULTS, _results_text(study.results))
        for position, name in enumerate(_TABLES):
            table: Table | None = getattr(study, name)
            start = 0.1 + 0.45 * position
            if table is not None:
                _write_table(table, archive, name, part(progress, start, start + 0.45))
    progress(1.0, "saved")


def _write_text(archive: zipfile.ZipFile, name: str, text: str) -> None:
    """Write a part that can be opened again; nobody finds out later that it cannot."""
    content = text.encode()
    if len(content) > _LARGEST_TEXT or has_too_many_values(content):
        raise DataError(
            Message("The study cannot be saved: its part {name} is too large.", name=name)
        )
    archive.writestr(name, content)


def _results_text(results: Mapping[str, object]) -> str:
    """The results, refused while a study can still be saved without them."""
    for name, value in results.items():
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise DataError(
                Message("The results of the page {name} are no plain values.", name=name)
            ) from error
        if len(text) > _LARGEST_TEXT // 8:
            raise DataError(
                Message(
                    "The results of the page {name} are too large to be kept; remove some there.",
                    name=name,
                )
            )
    return _as_text(results)


def _write_table(table: Table, archive: zipfile.ZipFile, name: str, progress: Progress) -> None:
    import pyarrow.parquet as pq

    from ppworkbench.core.data.formats.arrow_write import table_to_arrow

    arrow = table_to_arrow(table)
    # Parquet is compressed already; stored, it is written once instead of twice.
    member = zipfile.ZipInfo(f"{name}.parquet")
    with archive.open(member, "w", force_zip64=True) as file:
        writer = pq.ParquetWriter(file, arrow.schema, compression="zstd")
        try:
            for start in range(0, max(table.rows, 1), _ROWS_AT_ONCE):
                progress(start / max(table.rows, 1), "saving")
                writer.write_table(arrow.slice(start, _ROWS_AT_ONCE))
        finally:
            writer.close()


def _keep_backup(path: Path) -> None:
    """Give the file that is about to be replaced a second name, without a moment of none."""
    with suppress(OSError), temporaries() as temporary:
        new = temporary.name(path)
        try:
            os.link(path, new)
        except OSError:
            with path.open("rb") as old, open_private(new) as copy:
                shutil.copyfileobj(old, copy, _BYTES_AT_ONCE)
            shutil.copymode(path, new)
        new.replace(path.with_name(f"{path.name}{BACKUP}"))


def open_study(path: str | Path, progress: Progress = silent) -> Study:
    """Read a study; whatever is wrong with the file becomes one sentence that names it."""
    path = Path(path)
    check_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, path, progress)
    except Cancelled:
        raise
    except WorkbenchError as error:
        message = Message("{file} cannot be opened: {why}", file=path.name, why=error.message)
        raise DataError(message, file=path, attribute=error.attribute) from error
    except zipfile.BadZipFile:
        raise DataError(
            Message("{file} is not a study, or it is damaged.", file=path.name), file=path
        ) from None
    except OSError as error:
        why = error.strerror or Message("it is damaged")
        raise DataError(
            Message("{file} cannot be opened: {why}.", file=path.name, why=why), file=path
        ) from None
    except Exception as error:
        # Damaged members make the libraries beneath raise anything.
        raise DataError(
            Message("{file} is damaged and cannot be opened.", file=path.name), file=path
        ) from error


def _read(archive: zipfile.ZipFile, path: Path, progress: Progress) -> Study:
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if len(infos) > len(_MEMBERS) or not set(names) <= _MEMBERS or len(set(names)) != len(names):
        raise DataError("it holds files that a study does not have.")
    sizes = {info.filename: info.file_size for info in infos}
    if "study.json" not in sizes or "design.json" not in sizes:
        raise DataError("it is not a study.")
    given = _json(archive, "study.json", sizes)
    if not isinstance(given, Mapping) or given.get("format") != FORMAT:
        raise DataError("it is not a study.")
    given = migrated(given)
    design = design_from_json(_json(archive, "design.json", sizes))
    tables: dict[str, Table] = {}
    for position, name in enumerate(_TABLES):
        start = 0.1 + 0.45 * position
        if f"{name}.parquet" in sizes:
            reading = part(progress, start, start + 0.45)
            tables[name] = _table(archive, f"{name}.parquet", path, reading)
    study = study_from_json(given, design, tables)
    if study.original is not None:
        from ppworkbench.core.data.edits import outside_notes

        # Noise may lead out of a domain, but no answer.
        notes = dict.fromkeys((*study.original.notes, *outside_notes(study.original)))
        study = study.with_(original=study.original.with_(notes=tuple(notes)))
    if _RESULTS in sizes:
        study = study.with_(results=results_from_json(_json(archive, _RESULTS, sizes)))
    progress(1.0, "opened")
    return study


def _json(archive: zipfile.ZipFile, name: str, sizes: Mapping[str, int]) -> Any:
    if sizes[name] > _LARGEST_TEXT:
        raise DataError(Message("its part {member} is too large.", member=name))
    with archive.open(name) as file:
        # One byte more than promised shows a header that lies about the size.
        data = file.read(_LARGEST_TEXT + 1)
    if len(data) > _LARGEST_TEXT or has_too_many_values(data):
        raise DataError(Message("its part {member} is too large.", member=name))
    try:
        return parse_json(data.decode("utf-8"))
    except ValueError:
        raise DataError(Message("its part {name} is damaged.", name=name)) from None


def _table(archive: zipfile.ZipFile, member: str, path: Path, progress: Progress) -> Table:
    import pyarrow.parquet as pq

    from ppworkbench.core.data.formats.arrow_read import arrow_to_raw
    from ppworkbench.core.data.formats.columnar_promise import read_parquet_file
    from ppworkbench.core.data.rebuild import build_restored

    info = archive.getinfo(member)
    if info.compress_type != zipfile.ZIP_STORED:
        raise DataError(
            Message("its part {member} is packed in a way that studies do not use.", member=member)
        )
    if info.file_size > min(_LARGEST_TABLE, path.stat().st_size):
        raise DataError(Message("its part {member} is too large.", member=member))
    data = io.BytesIO()
    with archive.open(member) as stored:
        while piece := stored.read(_BYTES_AT_ONCE):
            progress(0.5 * data.tell() / info.file_size, "opening")
            data.write(piece)
    _check_promise(pq.read_metadata(data), member)
    progress(0.5, "opening")
    found = read_parquet_file(
        data, Message("its part {member}", member=member), path, info.file_size
    )
    raw = arrow_to_raw(found, path)
    if raw.schema is None:
        raise DataError(Message("its part {member} lacks its codebook.", member=member))
    progress(0.8, "opening")
    return build_restored(raw, ReadOptions())


def _check_promise(promised: FileMetaData, member: str) -> None:
    """A few bytes can promise any number of cells; nobody has the memory for all of them."""
    groups = (promised.row_group(i) for i in range(promised.num_row_groups))
    cells = promised.num_rows * promised.num_columns
    if cells > _MOST_CELLS or sum(group.total_byte_size for group in groups) > _LARGEST_TABLE:
        raise DataError(Message("its part {member} is too large.", member=member))


def _as_text(document: Mapping[str, Any]) -> str:
    return json.dumps(dict(document), indent=1, ensure_ascii=False, allow_nan=False)
