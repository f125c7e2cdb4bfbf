"""Studies as ``.ppw`` files: a zip of plain JSON and Parquet, written whole or not at all.

Members: ``study.json`` (title, settings, drawn distributions), ``design.json``, and
``original.parquet`` or ``distorted.parquet`` with a codebook inside. Nothing in a study is code,
and every member's name and size is checked before it is read.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ppworkbench.core.atomic import atomic_file
from ppworkbench.core.data.build import build_table
from ppworkbench.core.data.formats.columnar import arrow_to_raw, table_to_arrow
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.progress import Cancelled, Progress, silent
from ppworkbench.study.migrate import VERSION, migrated
from ppworkbench.study.settings import StudySettings
from ppworkbench.study.study import PRIOR_SOURCES, PriorChoice, Study

FORMAT = "ppworkbench-study"
SUFFIX = ".ppw"
BACKUP_SUFFIX = ".ppw~"

_TABLES = ("original", "distorted")
_MEMBERS = {"study.json", "design.json", *(f"{name}.parquet" for name in _TABLES)}
_LARGEST_TEXT = 64 * 2**20
_LARGEST_TABLE = 8 * 2**30
_MOST_CELLS = 2_000_000_000


def save_study(study: Study, path: str | Path, progress: Progress = silent) -> None:
    """Write a study; the version that stood there before is kept beside it as a backup."""
    path = Path(path)
    with atomic_file(path) as temporary:
        write_study(study, temporary, progress)
        if path.exists():
            _keep_backup(path)


def write_study(study: Study, path: Path, progress: Progress = silent) -> None:
    """Write the zip of a study to a file."""
    import pyarrow.parquet as pq

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("study.json", _as_text(_study_to_json(study)))
        archive.writestr("design.json", _as_text(design_to_json(study.design)))
        for position, name in enumerate(_TABLES):
            table: Table | None = getattr(study, name)
            progress(0.1 + 0.4 * position, "saving")
            if table is None:
                continue
            # Parquet is compressed already; stored, it is written once instead of twice.
            member = zipfile.ZipInfo(f"{name}.parquet")
            with archive.open(member, "w", force_zip64=True) as file:
                pq.write_table(table_to_arrow(table), file, compression="zstd")
    progress(1.0, "saved")


def _keep_backup(path: Path) -> None:
    backup = path.with_suffix(BACKUP_SUFFIX)
    with suppress(OSError):
        backup.unlink(missing_ok=True)
        try:
            os.link(path, backup)
        except OSError:
            shutil.copyfile(path, backup)


def open_study(path: str | Path, progress: Progress = silent) -> Study:
    """Read a study; whatever is wrong with the file becomes one sentence that names it."""
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, path, progress)
    except Cancelled:
        raise
    except WorkbenchError as error:
        message = f"{path.name} cannot be opened: {error.message}"
        raise DataError(message, file=path, attribute=error.attribute) from error
    except zipfile.BadZipFile:
        raise DataError(f"{path.name} is not a study, or it is damaged.", file=path) from None
    except OSError as error:
        why = error.strerror or "it is damaged"
        raise DataError(f"{path.name} cannot be opened: {why}.", file=path) from None
    except Exception as error:
        # Damaged members make the libraries beneath raise anything.
        raise DataError(f"{path.name} is damaged and cannot be opened.", file=path) from error


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
        progress(0.1 + 0.4 * position, "opening")
        if f"{name}.parquet" in sizes:
            tables[name] = _table(archive, name, sizes, path)
    study = _study_from_json(given, tables)
    progress(1.0, "opened")
    return study.with_(design=design)


def _json(archive: zipfile.ZipFile, name: str, sizes: Mapping[str, int]) -> Any:
    if sizes[name] > _LARGEST_TEXT:
        raise DataError(f"its part {name} is too large.")
    with archive.open(name) as file:
        # One byte more than promised shows a header that lies about the size.
        data = file.read(_LARGEST_TEXT + 1)
    if len(data) > _LARGEST_TEXT:
        raise DataError(f"its part {name} is too large.")
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise DataError(f"its part {name} is damaged.") from None


def _table(archive: zipfile.ZipFile, name: str, sizes: Mapping[str, int], path: Path) -> Table:
    import pyarrow.parquet as pq

    member = f"{name}.parquet"
    if sizes[member] > _LARGEST_TABLE:
        raise DataError(f"its part {member} is too large.")
    info = archive.getinfo(member)
    if info.compress_type != zipfile.ZIP_STORED:
        raise DataError(f"its part {member} is packed in a way that studies do not use.")
    data = io.BytesIO(archive.read(member))
    with pq.ParquetFile(data) as file:
        if file.metadata.num_rows * file.metadata.num_columns > _MOST_CELLS:
            raise DataError(f"its part {member} is too large.")
        raw = arrow_to_raw(file.read(), path)
    return build_table(raw, schema=raw.schema)


def _as_text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)


def _study_to_json(study: Study) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": study.title,
        "settings": study.settings.to_json(),
        "questions": dict(study.questions),
        "expected": {
            name: {"source": choice.source, "weights": list(choice.weights)}
            for name, choice in study.choices.items()
        },
    }


def _study_from_json(given: Mapping[str, Any], tables: Mapping[str, Table]) -> Study:
    title, questions = given.get("title", ""), given.get("questions", {})
    expected, settings = given.get("expected", {}), given.get("settings", {})
    if not isinstance(title, str) or not isinstance(settings, Mapping):
        raise DataError("its part study.json is damaged.")
    if not isinstance(questions, Mapping) or not isinstance(expected, Mapping):
        raise DataError("its part study.json is damaged.")
    choices = {str(name): _choice(choice) for name, choice in expected.items()}
    return Study(
        title=title,
        original=tables.get("original"),
        distorted=tables.get("distorted"),
        settings=StudySettings.from_json(settings),
        choices=MappingProxyType(choices),
        questions=MappingProxyType({str(k): str(v) for k, v in questions.items()}),
    )


def _choice(given: Any) -> PriorChoice:
    if not isinstance(given, Mapping) or given.get("source") not in PRIOR_SOURCES:
        raise DataError("an expected distribution in study.json is damaged.")
    weights = given.get("weights", [])
    if not isinstance(weights, list) or not all(isinstance(w, int | float) for w in weights):
        raise DataError("an expected distribution in study.json is damaged.")
    return PriorChoice(given["source"], tuple(float(w) for w in weights))
