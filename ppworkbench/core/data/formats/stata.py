"""Stata files (.dta), with value labels and the missing values .a to .z."""

from __future__ import annotations

import dataclasses
import re
import string
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Code, MissingCode
from ppworkbench.core.data.codebook import Enclosure, Stored
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.formats.labelled import (
    DateLog,
    Plan,
    check_whole,
    date_column,
    labelled_table,
    plan_columns,
    stata_dates,
    text_column,
)
from ppworkbench.core.data.formats.readstat import Variable, parse
from ppworkbench.core.data.formats.stored import (
    STATA_NAMES,
    LabelCutter,
    NameRules,
    stored_numbers,
    stored_texts,
    value_labels,
    written_codes,
)
from ppworkbench.core.data.numerals import shown_code
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

_HEADER = 1024
_STAMP = re.compile(rb"<timestamp>.\d\d \w{3} \d{4} (\d\d:\d\d)</timestamp>", re.DOTALL)
_LONGEST_TEXT = 2044
_LARGEST = 8.988e307
_LOWEST_LONG, _HIGHEST_LONG = -2147483647, 2147483620
LETTERS = tuple(f".{letter}" for letter in string.ascii_lowercase)
"""Stata's own missing values besides the plain point."""


def read_stata(path: Path, options: ReadOptions, progress: Progress) -> RawTable:
    """Read a Stata file with its labels; a cell's ``.a`` to ``.z`` is kept as its missing code."""
    parsed = parse(path, "dta", options.encoding, progress)
    progress(0.9, "Checking labels")
    return labelled_table(path, parsed, _read_column)


def _read_column(variable: Variable, dates: DateLog) -> RawColumn:
    labels = variable.value_labels
    if variable.numbers is None:
        return text_column(RawColumn(variable.name, variable.data, variable.label))
    held = variable.letters
    met = set() if held is None else {chr(one) for one in np.unique(held[held > 0]).tolist()}
    letters = sorted(met | {code for code in labels if isinstance(code, str)})
    why = np.zeros(len(variable.numbers), np.int16)
    for i, letter in enumerate(letters):
        if held is not None:
            why[held == ord(letter[0])] = i + 1
    column = RawColumn(
        variable.name,
        variable.data,
        variable.label,
        {code: text for code, text in labels.items() if not isinstance(code, str)},
        tuple(MissingCode(f".{letter}", labels.get(letter, "")) for letter in letters),
        why_missing=why if letters else None,
    )
    return date_column(column, variable.numbers, stata_dates(variable.display), dates)


def write_stata(
    table: Table,
    path: Path,
    options: WriteOptions,  # noqa: ARG001 (nothing to choose here)
    progress: Progress,
    enclosure: Enclosure,  # noqa: ARG001 (goes into the codebook beside)
) -> Written:
    import pandas as pd

    with library_lock:
        import pyreadstat

    cut = LabelCutter("Stata", 320, 80, 32000)
    planned = plan_columns(table, _rules(table), cut, _plan, progress)
    progress(0.3, Message("Writing {file}", file=path.name))
    pyreadstat.write_dta(
        pd.DataFrame(planned.cells),
        path,
        # Format 118, which every Stata since 14 opens; 119 only where the columns need it.
        version=14 if len(table.columns) < 32768 else 15,
        column_labels=planned.labels,
        **planned.settings,
    )
    _forget_time(path)
    check_whole(pyreadstat.read_dta, path, planned, table.rows)
    return planned.written


def _forget_time(path: Path) -> None:
    with path.open("r+b") as file:
        found = _STAMP.search(file.read(_HEADER))
        if found is not None:
            file.seek(found.start(1))
            file.write(b"00:00")


def _rules(table: Table) -> NameRules:
    # pyreadstat names a set of labels after its variable and a number, in 32 characters.
    longest = STATA_NAMES.longest - len(str(len(table.columns)))
    if all(len(name) <= longest for name in STATA_NAMES.fit(table.names)):
        return STATA_NAMES
    return dataclasses.replace(STATA_NAMES, longest=longest)


def _plan(column: Column, name: str, cut: LabelCutter) -> Plan:
    stored, is_text, notes = _storing(column, name)
    labels, lost = _labels(column.attribute, stored, cut)
    letters = [code[1:] for code in stored.missing if isinstance(code, str)]
    settings = {"variable_value_labels": labels, "missing_user_values": letters}
    cells = stored_texts(column, stored) if is_text else _cells(column, stored)
    return Plan(stored, cells, settings, notes + lost)


def _storing(column: Column, name: str) -> tuple[Stored, bool, tuple[str, ...]]:
    attribute = column.attribute
    if not column.is_categorical:
        present = column.data[~column.missing]
        if len(present) and not np.abs(present).max() < _LARGEST:
            raise DataError.saying(
                "Attribute {attribute!r} has numbers that Stata cannot store; limit its domain.",
                attribute=column.name,
            )
        missing, notes = _missing_letters(attribute)
        return Stored(name, (), missing), False, notes
    if _fits_text(attribute):
        return Stored(name, attribute.codes), True, ()
    codes, notes = written_codes(attribute, _is_long)
    missing, more = _missing_letters(attribute)
    return Stored(name, codes, missing), False, notes + more


def _missing_letters(attribute: Attribute) -> tuple[tuple[Code | None, ...], tuple[str, ...]]:
    wanted = [missing.code for missing in attribute.missing_codes]
    if all(code in LETTERS for code in wanted) and len({*wanted}) == len(wanted):
        return tuple(wanted), ()
    given: list[Code | None] = []
    free = [letter for letter in LETTERS if letter not in wanted]
    for code in wanted:
        if code in LETTERS and code not in given:
            given.append(code)
        else:
            given.append(free.pop(0) if free else None)
    shown = [
        Message("{value} as {letter}", value=shown_code(code), letter=letter or Message("a point"))
        for code, letter in zip(wanted, given, strict=True)
        if code != letter
    ]
    return tuple(given), (
        Message(
            "Stata has missing codes of {attribute!r}: {shown}.",
            attribute=attribute.name,
            shown=shorten(shown),
        ),
    )


def _fits_text(attribute: Attribute) -> bool:
    """Whether the codes can be the cells of a text variable, which can have no labels."""
    return (
        bool(attribute.codes)
        and attribute.codes == attribute.values
        and not attribute.missing_codes
        and all(0 < len(v.encode()) <= _LONGEST_TEXT and "\0" not in v for v in attribute.values)
    )


def _labels(
    attribute: Attribute, stored: Stored, cut: LabelCutter
) -> tuple[dict[int | str, str], tuple[str, ...]]:
    """Labels by whole number or letter; Stata has none for other numbers."""
    found: dict[int | str, str] = {}
    lost = []
    for code, label in value_labels(attribute, stored).items():
        if isinstance(code, str) and code in LETTERS:
            found[code[1:]] = cut.value(label, attribute.name)
        elif not isinstance(code, str) and _is_long(code):
            found[int(code)] = cut.value(label, attribute.name)
        else:
            lost.append(shown_code(code))
    if not lost:
        return found, ()
    return found, (
        Message(
            "Stata cannot label {lost} of {attribute!r}.",
            lost=shorten(lost),
            attribute=attribute.name,
        ),
    )


def _cells(column: Column, stored: Stored) -> Any:
    import pandas as pd

    numbers = stored_numbers(column, Stored(stored.name, stored.codes))
    cells: Any = numbers
    if column.attribute.kind != "continuous" and _are_long(numbers):
        # An Int32 of pandas becomes a long of Stata even when every cell is missing.
        cells = pd.Series(numbers).astype("Int32")
    if column.why_missing is None or not (held := column.why_missing * column.missing).any():
        return cells
    mixed = pd.Series(cells).astype(object)
    letters = [None, *(str(code)[1:] if code else None for code in stored.missing)]
    mixed[held > 0] = np.array(letters, dtype=object)[held[held > 0]]
    return mixed


def _is_long(code: float) -> bool:
    return code.is_integer() and _LOWEST_LONG <= code <= _HIGHEST_LONG


def _are_long(numbers: NDArray[np.float64]) -> bool:
    present = numbers[~np.isnan(numbers)]
    if len(present) == 0:
        return True
    whole = bool(np.all(present == np.rint(present)))
    # A double knows -0; a long does not.
    signed = bool(np.any(np.signbit(present) & (present == 0)))
    return whole and not signed and present.min() >= _LOWEST_LONG and present.max() <= _HIGHEST_LONG


def is_stata(head: bytes) -> bool:
    # Old files: release 104 to 115, byte order 1 or 2, file type 1, an unused byte.
    is_old = len(head) > 4 and head[0] in range(104, 116) and head[1] in (1, 2) and head[2] == 1
    return head.startswith(b"<stata_dta>") or (is_old and head[3] == 0)


STATA = Format("stata", "Stata", (".dta",), read_stata, write_stata, is_stata)
