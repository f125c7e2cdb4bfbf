"""Studies as ``.ppw`` files: a zip of plain JSON and Parquet, written whole or not at all.

Members: ``study.json`` (title, settings, goals, plan, drawn distributions), ``design.json``,
``results.json`` where pages keep any, and ``original.parquet`` or ``distorted.parquet`` with a
codebook inside. Nothing in a study is code, and every member's name and size is checked before it
is read.
"""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from ppworkbench.core.data.attribute import PUBLIC
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.design.fit import check_columns, fit_column
from ppworkbench.core.errors import DataError, DesignError, WorkbenchError
from ppworkbench.core.files import atomic_file, check_file, open_private, temporaries
from ppworkbench.core.json_values import has_too_many_values, parse_json
from ppworkbench.core.message import SAMPLE_TEXT, Message
from ppworkbench.core.progress import Cancelled, Progress, part, silent
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.parts.study_parts import StudyParts
from ppworkbench.study.plan_choices import PlanChoices
from ppworkbench.study.study import (
    PRIOR_SOURCES,
    PriorChoice,
    Study,
    StudySettings,
    with_public_domains,
)

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData

    from ppworkbench.study.questionnaire.document import Questionnaire


VERSION = 1


def check_version(given: Mapping[str, Any]) -> None:
    """Refuse a document of a newer program."""
    version = given.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise DataError("its version is not a number.")
    if version > VERSION:
        raise DataError.saying(
            "it has version {version}, made by a newer ppworkbench; this one reads "
            "version {version2}. Install the newer program.",
            version=version,
            version2=VERSION,
        )


FORMAT = "ppworkbench-study"


def study_to_json(study: Study) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": study.title,
        "state": str(study.state),
        "settings": study.settings.to_json(),
        **({"goals": dict(study.goals)} if study.goals else {}),
        **({"plan": plan} if (plan := study.plan.to_json()) else {}),
        **({"questionnaire": asked.to_json()} if (asked := study.questionnaire) else {}),
        **({"description": told} if (told := study.description.to_json()) else {}),
        **study.all_rows.fields,
        "expected": {
            name: {"source": choice.source, "weights": list(choice.weights)}
            for name, choice in study.choices.items()
        },
        "notes": [] if study.table is None else list(study.table.notes),
        "messages": _messages(study),
    }


def _messages(study: Study) -> list[Any]:
    """The notes and reasons that can be said in other languages; the files have their texts."""
    tables = [table for table in (study.original, study.distorted) if table is not None]
    said = [text for table in tables for text in table.notes]
    attributes = [column.attribute for table in tables for column in table]
    said += [text for a in attributes for text in (a.reason, a.title, a.unit)]
    found = {text: text for text in said if isinstance(text, Message) and (text.args or text.code)}
    return [message.to_json() for message in found.values()]


def _known_messages(given: Mapping[str, Any]) -> dict[str, Message]:
    listed = given.get("messages", [])
    try:
        found = [Message.from_json(one) for one in listed]
    except (TypeError, ValueError):
        return {}
    return {str(message): message for message in found}


def _with_messages(table: Table, notes: tuple[str, ...], known: Mapping[str, Message]) -> Table:
    own = {text: one for text, one in known.items() if one.code == SAMPLE_TEXT}
    described = table.described_by(
        lambda now: now.with_(
            reason=known.get(now.reason, now.reason),
            title=own.get(now.title, now.title),
            unit=own.get(now.unit, now.unit),
        )
    )
    return described.with_(notes=notes)


def study_from_json(given: Mapping[str, Any], design: Design, tables: Mapping[str, Table]) -> Study:
    title, notes = given.get("title", ""), given.get("notes", [])
    expected = _mapping(given, "expected")
    if not isinstance(title, str) or not isinstance(notes, list):
        raise _damaged()
    known = _known_messages(given)
    said = tuple(known.get(str(note), str(note)) for note in notes)
    original, distorted = (
        None if name not in tables else _with_messages(tables[name], said, known)
        for name in ("original", "distorted")
    )
    _check_fit(design, original, distorted)
    choices = {str(name): _choice(choice, str(name), design) for name, choice in expected.items()}
    study = Study(
        title=title,
        original=original,
        distorted=distorted,
        design=design,
        settings=StudySettings.from_json(_mapping(given, "settings")),
        choices=MappingProxyType(choices),
        goals=_goals(_mapping(given, "goals")),
        plan=PlanChoices.from_json(given.get("plan")),
        questionnaire=_questionnaire(given, design),
        invented=given.get("state") == AnswerState.INVENTED,
        description=SurveyDescription.from_json(given.get("description")),
        parts=StudyParts.from_json(given["parts"]) if "parts" in given else None,
    )
    # Older files say nothing; what is said must hold, or somebody would read drawn answers as true.
    if given.get("state", study.state) != study.state:
        raise DataError("the state of its answers and its tables contradict each other.")
    return _with_asked_values(study)


def _with_asked_values(study: Study) -> Study:
    """The study with the answers of its questionnaire as public lists, if its file is older.

    Files that know where lists come from say so of each one that people were asked.
    """
    lists = [one for one in study.design if one.attribute.kind.is_categorical]
    knows = any(one.attribute.domain_source == PUBLIC for one in lists)
    if study.questionnaire is None or study.original is not None or knows:
        return study
    asked = {one.name for one in study.questionnaire.questions}
    return with_public_domains(study, (one.name for one in lists if one.name in asked))


def _questionnaire(given: Mapping[str, Any], design: Design) -> Questionnaire | None:
    from ppworkbench.study.questionnaire.document import Questionnaire

    if "questionnaire" in given:
        return Questionnaire.from_json(given["questionnaire"])
    # Files of 1.2 and before had wordings only, and did not say in which language.
    wordings = {str(name): str(text) for name, text in _mapping(given, "questions").items()}
    if not wordings:
        return None
    from ppworkbench.study.questionnaire.texts import Texts

    return Questionnaire.of_design(design, Texts(MappingProxyType(wordings)), "en")


def _goals(given: object) -> Mapping[str, float]:
    kept = given if isinstance(given, Mapping) else {}
    return MappingProxyType(
        {
            str(name): float(value)
            for name, value in kept.items()
            if isinstance(value, int | float) and math.isfinite(value)
        }
    )


def results_from_json(given: Any) -> Mapping[str, object]:
    """What pages keep, by their names; every page judges its own part when it reads it."""
    if not isinstance(given, Mapping):
        raise DataError("its part results.json is damaged.")
    return MappingProxyType({str(name): value for name, value in given.items()})


def _damaged() -> DataError:
    return DataError("its part study.json is damaged.")


def _mapping(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = given.get(name, {})
    if not isinstance(found, Mapping):
        raise _damaged()
    return found


def _choice(given: Any, name: str, design: Design) -> PriorChoice:
    if not isinstance(given, Mapping) or given.get("source") not in PRIOR_SOURCES:
        raise DataError("an expected distribution in study.json is damaged.")
    weights = given.get("weights", [])
    if not isinstance(weights, list) or not all(isinstance(w, int | float) for w in weights):
        raise DataError("an expected distribution in study.json is damaged.")
    choice = PriorChoice(given["source"], tuple(float(w) for w in weights))
    if weights and name in design:
        from ppworkbench.core.privacy.prior import Prior

        Prior.from_weights(design[name].attribute, choice.weights)
    return choice


def _check_fit(design: Design, original: Table | None, distorted: Table | None) -> None:
    try:
        if original is not None:
            # Arms and counts of lists are made when answers are distorted.
            drawn = [name for name in design.drawn_columns if name not in original]
            known = [designed for designed in design if designed.name not in drawn]
            check_columns(original, Design(tuple(known)))
            for designed in known:
                fit_column(original[designed.name], designed)
        if distorted is not None:
            check_columns(distorted, design)
            for designed in design:
                _check_published(distorted[designed.name], designed.distorted.values)
    except WorkbenchError as error:
        raise DataError.saying(
            "its data and its design do not match: {why}",
            why=error.message,
            attribute=error.attribute,
        ) from error


def _check_published(column: Column, values: tuple[str, ...]) -> None:
    if column.attribute.values != values:
        odd = itertools.chain(
            set(column.attribute.values) ^ set(values), [Message("another order")]
        )
        raise DesignError.saying(
            "Attribute {attribute!r} was distorted with other values ({value}).",
            value=next(odd),
            attribute=column.name,
        )


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
        raise ChangedOnDiskError.saying(
            "Another window or program has changed {file} since it was opened; save "
            "under another name.",
            file=path,
        )


def write_study(study: Study, path: Path, progress: Progress = silent) -> None:
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
        raise DataError.saying(
            "The study cannot be saved: its part {name} is too large.", name=name
        )
    archive.writestr(name, content)


def _results_text(results: Mapping[str, object]) -> str:
    """The results, refused while a study can still be saved without them."""
    for name, value in results.items():
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise DataError.saying(
                "The results of the page {name} are not plain values.", name=name
            ) from error
        if len(text) > _LARGEST_TEXT // 8:
            raise DataError.saying(
                "The results of the page {name} are too large to save; delete some.", name=name
            )
    return _as_text(results)


def _write_table(table: Table, archive: zipfile.ZipFile, name: str, progress: Progress) -> None:
    import pyarrow.parquet as pq

    from ppworkbench.core.data.formats.parquet import table_to_arrow

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
        raise DataError.saying("{file} is not a study, or it is damaged.", file=path) from None
    except OSError as error:
        why = error.strerror or Message("it is damaged")
        raise DataError.saying("{file} cannot be opened: {why}.", why=why, file=path) from None
    except Exception as error:
        # Damaged members make the libraries beneath raise anything.
        raise DataError.saying("{file} is damaged and cannot be opened.", file=path) from error


def _read(archive: zipfile.ZipFile, path: Path, progress: Progress) -> Study:
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if len(infos) > len(_MEMBERS) or not set(names) <= _MEMBERS or len(set(names)) != len(names):
        raise DataError("it contains unknown files.")
    sizes = {info.filename: info.file_size for info in infos}
    if "study.json" not in sizes or "design.json" not in sizes:
        raise DataError("it is not a study.")
    given = _json(archive, "study.json", sizes)
    if not isinstance(given, Mapping) or given.get("format") != FORMAT:
        raise DataError("it is not a study.")
    check_version(given)
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
        study = _with_results(study, results_from_json(_json(archive, _RESULTS, sizes)))
    progress(1.0, "opened")
    return study


def _with_results(study: Study, results: Mapping[str, object]) -> Study:
    if "goals" not in results:
        return study.with_(results=results)
    # Goals were kept with the results of pages before they became a part of the history.
    goals = study.goals or _goals(results["goals"])
    rest = {name: kept for name, kept in results.items() if name != "goals"}
    return study.with_(results=MappingProxyType(rest), goals=goals)


def _json(archive: zipfile.ZipFile, name: str, sizes: Mapping[str, int]) -> Any:
    if sizes[name] > _LARGEST_TEXT:
        raise DataError.saying("its part {member} is too large.", member=name)
    with archive.open(name) as file:
        # One byte more than promised shows a header that lies about the size.
        data = file.read(_LARGEST_TEXT + 1)
    if len(data) > _LARGEST_TEXT or has_too_many_values(data):
        raise DataError.saying("its part {member} is too large.", member=name)
    try:
        return parse_json(data.decode("utf-8"))
    except ValueError:
        raise DataError.saying("its part {name} is damaged.", name=name) from None


def _table(archive: zipfile.ZipFile, member: str, path: Path, progress: Progress) -> Table:
    import pyarrow.parquet as pq

    from ppworkbench.core.data.build import build_restored
    from ppworkbench.core.data.formats.parquet import CODEBOOK_KEY, arrow_to_raw, read_parquet_file

    info = archive.getinfo(member)
    if info.compress_type != zipfile.ZIP_STORED:
        raise DataError.saying("its part {member} has an unsupported compression.", member=member)
    if info.file_size > min(_LARGEST_TABLE, path.stat().st_size):
        raise DataError.saying("its part {member} is too large.", member=member)
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
        if CODEBOOK_KEY in (found.schema.metadata or {}):
            # The first note says why it does not fit.
            raise DataError(raw.notes[0])
        raise DataError.saying("its part {member} has no codebook.", member=member)
    progress(0.8, "opening")
    return build_restored(raw, ReadOptions())


def _check_promise(promised: FileMetaData, member: str) -> None:
    """A few bytes can promise any number of cells; nobody has the memory for all of them."""
    groups = (promised.row_group(i) for i in range(promised.num_row_groups))
    cells = promised.num_rows * promised.num_columns
    if cells > _MOST_CELLS or sum(group.total_byte_size for group in groups) > _LARGEST_TABLE:
        raise DataError.saying("its part {member} is too large.", member=member)


def _as_text(document: Mapping[str, Any]) -> str:
    return json.dumps(dict(document), indent=1, ensure_ascii=False, allow_nan=False)
