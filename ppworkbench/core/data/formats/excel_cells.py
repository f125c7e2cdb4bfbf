"""Cells of a sheet as columns, and answers as cells that any spreadsheet keeps as they are."""

from __future__ import annotations

import datetime as dt
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ppworkbench.core.data.attribute import FROM_DATA, Attribute
from ppworkbench.core.data.codebook import Codebook, check_size
from ppworkbench.core.data.formats.stored import free_name
from ppworkbench.core.data.numerals import code_text
from ppworkbench.core.errors import DataError
from ppworkbench.core.formulas import escape_formula
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.kernels import library_lock

ERRORS = frozenset(
    ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!")
)
LONGEST = 32_000
"""A little less than the 32,767 characters that a cell holds, to leave room for a number."""
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_x[0-9A-Fa-f]{4}_")


def column_array(cells: Sequence[Any]) -> pa.ChunkedArray:
    """One column in the narrowest type that holds all its cells.

    >>> column_array([1, None, 2]).type, column_array([1, "x"]).to_pylist()
    (DataType(int64), ['1', 'x'])
    """
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return pa.chunked_array([pa.array(cells, pa.bool_())])
    if kinds and kinds <= {int, float}:
        is_whole = kinds == {int} and all(c is None or abs(c) <= 2**53 for c in cells)
        numbers = cells if is_whole else [None if c is None else _double(c) for c in cells]
        return pa.chunked_array([pa.array(numbers, pa.int64() if is_whole else pa.float64())])
    days = all(cell.time() == dt.time() for cell in cells if isinstance(cell, dt.datetime))
    texts = [cell_text(cell, days=days) for cell in cells]
    return pa.chunked_array([pa.array(texts, pa.string())])


def cell_text(cell: Any, *, days: bool = False) -> str | None:
    """One cell as text: numbers as people write them, dates by ISO 8601."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, int | float):
        return code_text(float(cell)) if isinstance(cell, float) else str(cell)
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if days else cell.isoformat()
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)


def holds_dates(cells: Iterable[Any]) -> bool:
    return any(isinstance(cell, dt.date | dt.time | dt.timedelta) for cell in cells)


def safe_texts(texts: Sequence[str], *, escape: bool) -> tuple[str, ...]:
    """Different texts that a sheet keeps: no control characters, not empty, not too long.

    With ``escape``, what a spreadsheet could run as a formula gets an apostrophe in front.

    >>> safe_texts(["", "=1+1", "fine"], escape=True)
    ('(empty)', "'=1+1", 'fine')
    """
    cleaned = [_clean(text, escape) for text in texts]
    taken = {text for text, clean in zip(texts, cleaned, strict=True) if text == clean}
    result = []
    for text, clean in zip(texts, cleaned, strict=True):
        free = clean if text == clean else free_name(clean, taken)
        taken.add(free)
        result.append(free)
    return tuple(result)


def _clean(text: str, escape: bool) -> str:
    clean = _UNSAFE.sub("\ufffd", text)[:LONGEST]
    clean = clean if clean.strip() else "(empty)"
    return escape_formula(clean) if escape else clean


def _double(number: float) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None


DATA_SHEET, CODEBOOK_SHEET, MISSING_SHEET = "data", "codebook", "missing"
DEFINITION = "definition"
HEADER = ("attribute", "kind", "label", "values or domain", "missing codes", DEFINITION)


@dataclass(frozen=True)
class SheetCodebook:
    codebook: Codebook
    rows: int


def codebook_rows(codebook: Codebook, rows: int, *, escape: bool) -> Iterator[list[str]]:
    """The cells of the sheet, one attribute a row, the general part last."""
    document = codebook.to_json()
    yield list(HEADER)
    for attribute, definition in zip(codebook.attributes, document.pop("attributes"), strict=True):
        shown = [*_shown(attribute)]
        # A blank cell stays blank; anything else must be text that cannot run.
        cells = [safe_texts([text], escape=escape)[0] if text else "" for text in shown]
        yield [*cells, *_pieces(definition)]
    yield ["", "", "", "", "", *_pieces({**document, "rows": rows})]


def read_codebook_rows(rows: Iterable[tuple[Any, ...]]) -> SheetCodebook | None:
    """Read the sheet back; None when it is somebody else's codebook."""
    cells = iter(rows)
    if tuple(next(cells, ())[: len(HEADER)]) != HEADER:
        return None
    texts: list[str] = []
    total = 0
    for row in cells:
        pieces = [piece for piece in row[len(HEADER) - 1 :] if isinstance(piece, str)]
        total += sum(map(len, pieces))
        check_size(total)
        if pieces:
            texts.append("".join(pieces))
    if not texts:
        raise DataError("The codebook sheet has no definitions.")
    *attributes, general = texts
    try:
        rest = parse_json(general)
        count = rest.pop("rows")
    except (ValueError, AttributeError, KeyError, TypeError):
        raise DataError("The last definition on the codebook sheet is damaged.") from None
    if not isinstance(count, int) or count < 0:
        raise DataError("The codebook sheet has no number of records.")
    joined = json.dumps(rest)[:-1] + ', "attributes": [' + ", ".join(attributes) + "]}"
    return SheetCodebook(Codebook.from_text(joined), count)


def _shown(attribute: Attribute) -> tuple[str, str, str, str, str]:
    if attribute.domain is not None:
        low, high = attribute.domain
        possible = f"{code_text(low)} to {code_text(high)}"
        if attribute.domain_source == FROM_DATA:
            possible += " (bounds taken from the data)"
    elif attribute.codes:
        pairs = zip(attribute.codes, attribute.values, strict=True)
        possible = "; ".join(f"{code_text(code)} = {value}" for code, value in pairs)
    else:
        possible = "; ".join(attribute.values)
    missing = "; ".join(
        f"{code_text(m.code)} = {m.label}" if m.label else code_text(m.code)
        for m in attribute.missing_codes
    )
    label = attribute.label or attribute.title
    return attribute.name, attribute.kind.value, label, possible, missing


def _pieces(definition: dict[str, Any]) -> list[str]:
    # Excel takes _x0041_ for a letter; as an escape of JSON the underscore survives.
    text = json.dumps(definition, allow_nan=False).replace("_x", "\\u005fx")
    return [text[i : i + LONGEST] for i in range(0, len(text), LONGEST)]


MOST_MEMBERS = 10_000
MOST_BYTES = 2 << 30
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""The limits of Excel itself."""
_HARMLESS = 8 << 20
_HIGHEST_RATIO = 200
"""Sheets of real answers are packed to a tenth or so, those of equal answers to a fiftieth."""
_CHUNK = 1 << 20
_MERGE = re.compile(rb'<(?:\w+:)?mergeCell\s+ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")


@dataclass(frozen=True)
class Merge:
    """Cells that were joined into one; rows and columns count from 0, ends included."""

    top: int
    left: int
    bottom: int
    right: int


@contextmanager
def open_workbook(path: Path, *, values: bool = True) -> Iterator[Any]:
    with library_lock:
        import openpyxl

    check_archive(path)
    with path.open("rb") as file:
        book = openpyxl.load_workbook(file, read_only=True, data_only=values, keep_links=False)
        try:
            yield book
        finally:
            book.close()


def check_archive(path: Path) -> None:
    """Refuse what is no workbook, and archives that unpack to far more than they seem."""
    with path.open("rb") as file:
        head = file.read(8)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError.saying(
            "{file} is an old Excel workbook (.xls) or protected by a password; open "
            "it in Excel or LibreOffice and save it as .xlsx.",
            file=path,
        )
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise DataError.saying(
            "{file} is not a workbook, or it is damaged ({error}).", error=error, file=path
        ) from None
    unpacked = sum(member.file_size for member in members)
    packed = max(sum(member.compress_size for member in members), 1)
    too_dense = unpacked > _HARMLESS and unpacked > _HIGHEST_RATIO * packed
    if len(members) > MOST_MEMBERS or unpacked > MOST_BYTES or too_dense:
        raise DataError.saying(
            "{file} would unpack to {unpacked} MB in {count} parts, too much for a "
            "sheet of answers, and is not opened; save the sheet as CSV.",
            unpacked=unpacked >> 20,
            count=len(members),
            file=path,
        )
    names = {member.filename for member in members}
    if "xl/workbook.bin" in names or "content.xml" in names:
        raise DataError.saying(
            "{file} is a spreadsheet in another format; save it as .xlsx.", file=path
        )
    if path.suffix.lower() == ".ppw":
        raise DataError.saying(
            "{file} is a study, not a table; “bundle” writes its table, “report” its results.",
            file=path,
        )
    if not any(name.endswith(".rels") for name in names):
        raise DataError.saying("{file} is an archive but not a workbook.", file=path)


def scan_sheet(path: Path, sheet: Any) -> tuple[bool, list[Merge]]:
    """Whether a sheet has formulas, and which cells are merged; the row reader tells neither."""
    member = str(sheet._worksheet_path).lstrip("/")  # noqa: SLF001 (not told otherwise)
    has_formulas = False
    merges: list[Merge] = []
    rest = b""
    with zipfile.ZipFile(path) as archive, archive.open(member) as file:
        while chunk := file.read(_CHUNK):
            text = rest + chunk
            has_formulas = has_formulas or _FORMULA.search(text) is not None
            end = 0
            for found in _MERGE.finditer(text):
                end = found.end()
                merges.append(
                    Merge(
                        int(found[2]) - 1, _column(found[1]), int(found[4]) - 1, _column(found[3])
                    )
                )
            # A match may lie across two pieces.
            rest = text[max(end, len(text) - 200) :]
            if len(merges) > 100_000:
                break
    return has_formulas, merges


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters[:4]:
        number = number * 26 + letter - 64
    return number - 1
