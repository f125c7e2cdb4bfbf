"""Files, folders and databases of answers, read once; how they are understood is decided later."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ppworkbench.core.data.files import codebook_of, sentences
from ppworkbench.core.design import Design
from ppworkbench.core.design.linked_waves import without_linking
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import check_file
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.fieldwork.collected import collected_rows, column_texts
from ppworkbench.fieldwork.collector.control import (
    State,
    is_collection,
    is_database,
    open_collection,
)
from ppworkbench.fieldwork.collector.store import is_url, place_name
from ppworkbench.fieldwork.responses.kit_file import Kit, find_kit
from ppworkbench.fieldwork.responses.mapping import MOST, Question, fits_questions
from ppworkbench.fieldwork.responses.platforms import (
    COLLECTOR,
    PAGE,
    TABLE,
    Sheet,
    find_platform,
    from_names,
    is_marked,
    platforms,
    read_table_sheet,
    titles_note,
)
from ppworkbench.study.files.grid import Grid, read_grid
from ppworkbench.study.questionnaire.texts import fold

_OWN = (".jsonl", ".ndjson", ".json")
"""What questionnaire pages write, unless they are told to write CSV."""
TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".sav", ".zsav", ".dta", ".zip")
_EXPORTS = (".csv", ".tsv", ".txt", ".xlsx", ".sav", ".zsav", ".zip")
"""What platforms write, so that other files need not be looked into."""
DATABASES = (".sqlite", ".sqlite3", ".db")
SUFFIXES = (*TABLES, *_OWN, *DATABASES)
_HEAD = 200
"""So many rows tell whether a file belongs to a questionnaire."""
_PERSONAL_NAMES = re.compile(
    r"(^|[^a-z])(e-?mail|mail|name|surname|imie|nazwisko|phone|telefon|mobile|address|adres|"
    r"street|ulica|zip|postcode|ip|ipaddr|ipaddress|gps|geo|latitude|longitude|location|"
    r"recipient\w*|submitter\w*|username|deviceid|token)([^a-z]|$)"
)
_PERSONAL_CELLS = re.compile(
    r"^\S+@\S+\.\w+$|^\d{1,3}(\.\d{1,3}){3}$|^-?\d{1,3}\.\d{4,}[ ,;]+-?\d{1,3}\.\d{4,}"
)
_FREE_TEXT = 40
"""Answers that are longer than so many letters on average were typed by hand."""


@dataclass(frozen=True)
class Source:
    path: Path
    sheet: Sheet
    why: Message


def find_files(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The files that are meant: those that are named, and all that folders hold."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(one for one in path.iterdir() if one.is_file() and _may_hold_answers(one))
        if not inside:
            raise DataError.saying(
                "The folder {file} holds no file of answers; choose files.", file=path
            )
        found += inside
    return tuple(dict.fromkeys(found))


def _may_hold_answers(path: Path) -> bool:
    if path.name.startswith(".") or path.suffix.lower() not in SUFFIXES:
        return False
    if path.suffix.lower() != ".json":
        return True
    try:
        with path.open(encoding="utf-8-sig") as file:
            return '"format"' not in file.read(4096)
    except (OSError, UnicodeDecodeError):
        return True


def read_sources(
    paths: Sequence[str | Path],
    design: Design,
    platform: str | None = None,
    header_row: int | None = None,
    progress: Progress = silent,
    kit: Kit | None = None,
) -> tuple[Source, ...]:
    """Read files, all that folders hold, or databases at addresses, which are texts.

    A ``kit`` is taken instead of those beside the files.
    """
    addresses = [str(one) for one in paths if is_url(one)]
    sources = [_collector_source(one, design) for one in addresses]
    files = find_files([Path(one) for one in paths if not is_url(one)])
    for place, path in enumerate(files):
        progress(place / len(files), Message("Reading {file}", file=path.name))
        if is_database(path):
            sources.append(_collector_source(path, design))
            continue
        if path.suffix.lower() in _OWN and platform is None:
            sources.append(_page_source(path, design))
            continue
        grid = read_grid(path, header_row=header_row)
        beside = kit or find_kit([path], design)
        asked = without_linking(design).names
        sheet, why = _read_sheet(grid, platform, header_row, asked, beside)
        sources.append(Source(path, sheet, why))
    return tuple(sources)


def may_hold_answers(path: Path, questions: Sequence[Question]) -> bool:
    """Whether the beginning of a file has columns for most questions.

    A file that cannot be read so is left to whoever opens it.
    """
    try:
        if is_collection(path):
            with open_collection(path) as collection:
                names = frozenset(collection.design().names)
            return sum(one.name in names for one in questions) >= MOST * len(questions)
        if path.suffix.lower() in _OWN:
            names = _page_names(path)
            shared = sum(one.name in names for one in questions)
            return bool(names) and shared >= MOST * len(questions)
        sheet, _ = _read_sheet(read_grid(path, _HEAD), None, None, [one.name for one in questions])
    except DataError:
        return False
    return fits_questions(sheet, questions)


def find_export(path: str | Path) -> tuple[str, bool]:
    """The platform that a file comes from, and whether no other file can look like that.

    Empty for all others, and for files with a codebook. A file that cannot be looked into is left
    to whoever opens it.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _EXPORTS:
        return "", False
    try:
        with sentences(path, "read"):
            if not path.is_file():
                return "", False
            below, _ = from_names(read_grid(path, _HEAD))
            name, _ = find_platform(below)
            is_ours = name != TABLE and suffix != ".zip" and codebook_of(path) is not None
    except DataError:
        return "", False
    return ("", False) if name == TABLE or is_ours else (name, is_marked(below))


def _page_names(path: Path) -> frozenset[str]:
    """The names in the first row of JSON; none where a file holds something else."""
    # Opening a pipe would wait until somebody writes into it.
    check_file(path)
    try:
        with path.open(encoding="utf-8-sig") as file:
            line = next((one for one in file if one.strip()), "")
        found = parse_json(line)
    except (OSError, ValueError):
        return frozenset()
    first = found[0] if isinstance(found, list) and found else found
    if isinstance(first, dict) and isinstance(first.get("row"), dict):
        # As a page sends it: the answers are inside.
        first = first["row"]
    return frozenset(first) if isinstance(first, dict) else frozenset()


def _read_sheet(
    grid: Grid,
    platform: str | None,
    header_row: int | None,
    asked: Iterable[str],
    kit: Kit | None = None,
) -> tuple[Sheet, Message]:
    """The answers of one file, and how its platform is known.

    A kit knows which columns are answers, even if the platform has some of that name itself.
    Names in another row than the first are still those of the platform.
    """
    if platform == TABLE or header_row == 0:
        return read_table_sheet(grid, header_row, asked), Message("chosen")
    below, above = from_names(grid, header_row)
    name, why = find_platform(below, platform)
    if name == TABLE:
        return read_table_sheet(grid, header_row, asked), why
    columns = () if kit is None else kit.columns_of(name, below.header)
    sheet = platforms[name]().read(below, columns)
    notes = titles_note(grid, above) if header_row is None else ()
    return dataclasses.replace(sheet, header_row=above + 1, notes=(*notes, *sheet.notes)), why


def _page_source(path: Path, design: Design) -> Source:
    """Rows that a page saved, whose cells are values under the names of questions."""
    asked = without_linking(design).names
    names = dict.fromkeys(asked)
    kept: list[dict[str, str]] = []
    faults: Counter[Message] = Counter()
    for row in collected_rows(path, design):
        if isinstance(row, str):
            faults[Message.of(row)] += 1
            continue
        absent = next((name for name in asked if name not in row), None)
        if absent is not None:
            faults[Message("a row has no answer named {attribute!r}", attribute=absent)] += 1
            continue
        names |= dict.fromkeys(map(str, row))
        kept.append({str(name): _text(cell) for name, cell in row.items()})
    listed = tuple(names)
    return Source(
        path,
        Sheet(
            PAGE,
            1,
            listed,
            ("",) * len(listed),
            tuple(tuple(row.get(name, "") for name in listed) for row in kept),
            faults=tuple(faults.items()),
        ),
        Message("rows of JSON"),
    )


def _collector_source(place: str | Path, design: Design) -> Source:
    with open_collection(place, design) as collection:
        table, ids = collection.answers_with_ids()
        status = collection.status()
    columns = [column_texts(column) for column in table]
    sheet = Sheet(
        COLLECTOR,
        1,
        table.names,
        ("",) * len(table.names),
        tuple(zip(*columns, strict=True)) if table.rows else (),
        ids=ids,
        open_source=collection_label(place, status.round),
        is_renumbered=status.state is State.CLOSED,
    )
    # An address may hold a password, so that only its name is told.
    path = Path(place_name(place)) if is_url(place) else Path(place)
    return Source(path, sheet, Message("a database of a collector"))


def collection_label(place: str | Path, number: int) -> str:
    return f"{place_name(place)} {number}"


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


def personal_columns(sheet: Sheet, used: Collection[str]) -> tuple[str, ...]:
    """Columns beside those used that name people, addresses or places, or hold free text.

    People are warned of them before they keep such a file.
    """
    found = []
    for place, name in enumerate(sheet.names):
        if not name or name in used:
            continue
        cells = [row[place].strip() for row in sheet.rows if row[place].strip()]
        plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
        if cells and (
            _PERSONAL_NAMES.search(fold(plain))
            or any(map(_PERSONAL_CELLS.match, cells))
            or (name not in sheet.own and sum(map(len, cells)) > _FREE_TEXT * len(cells))
        ):
            found.append(name)
    return tuple(found)
