"""Stata files (.dta), with value labels and the missing values .a to .z."""

from __future__ import annotations

import dataclasses
import re
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Code, MissingCode
from ppworkbench.core.data.codebook import NOTHING_ENCLOSED, Enclosure, Stored
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.formats.labelled import (
    DateLog,
    Declared,
    date_column,
    labelled_table,
    number_column,
    stata_dates,
    text_column,
)
from ppworkbench.core.data.formats.readstat import Variable, parse
from ppworkbench.core.data.formats.spss import check_whole
from ppworkbench.core.data.formats.stored import (
    STATA_NAMES,
    LabelCutter,
    NameRules,
    counted_codes,
    fitted_names,
    own_numbers,
    shown_code,
    stored_numbers,
    stored_texts,
    value_labels,
    variable_label,
)
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

LONGEST_VALUE_LABEL = 32000
LONGEST_LABEL = 80
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
        return text_column(Declared(variable.name, variable.label, {}), variable.texts)
    held = variable.letters
    met = set() if held is None else {chr(one) for one in np.unique(held[held > 0]).tolist()}
    letters = sorted(met | {code for code in labels if isinstance(code, str)})
    declared = Declared(
        variable.name,
        variable.label,
        {code: text for code, text in labels.items() if not isinstance(code, str)},
        tuple(MissingCode(f".{letter}", labels.get(letter, "")) for letter in letters),
    )
    why = None
    if letters:
        why = np.zeros(len(variable.numbers), np.int16)
        for i, letter in enumerate(letters):
            if held is not None:
                why[held == ord(letter[0])] = i + 1
    write = stata_dates(variable.display)
    if write is None:
        return number_column(declared, variable.numbers, why)
    return date_column(declared, variable.numbers, write, dates, why)


@dataclass(frozen=True)
class _Plan:
    """How one column goes into a Stata file."""

    stored: Stored
    is_text: bool = False
    notes: tuple[str, ...] = ()


def write_stata(
    table: Table,
    path: Path,
    options: WriteOptions,  # noqa: ARG001 (nothing to choose here)
    progress: Progress,
    enclosure: Enclosure = NOTHING_ENCLOSED,  # noqa: ARG001 (goes into the codebook beside)
) -> Written:
    """Write a file for Stata 14 and later; what it cannot hold becomes a sentence."""
    import pandas as pd

    with library_lock:
        import pyreadstat

    names, notes = fitted_names(table, _rules(table))
    cut = LabelCutter("Stata")
    stored: list[Stored] = []
    cells: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    value_labels_: dict[str, Any] = {}
    letters: dict[str, list[str]] = {}
    for i, (column, name) in enumerate(zip(table, names, strict=True)):
        progress(0.3 * i / len(names), "Preparing columns")
        plan = _plan(column, name)
        cells[name] = _cells(column, plan)
        labels[name] = cut(
            variable_label(column, name), column.name, 4 * LONGEST_LABEL, LONGEST_LABEL
        )
        value_labels_[name], lost = _labels(column.attribute, plan.stored, cut)
        letters[name] = [code[1:] for code in plan.stored.missing if isinstance(code, str)]
        stored.append(plan.stored)
        notes += plan.notes + lost
    progress(0.3, Message("Writing {file}", file=path.name))
    pyreadstat.write_dta(
        pd.DataFrame(cells),
        path,
        # Format 118, which every Stata since 14 opens; 119 only where the columns need it.
        version=14 if len(names) < 32768 else 15,
        column_labels=labels,
        variable_value_labels=value_labels_,
        missing_user_values=letters,
    )
    _forget_time(path)
    check_whole(pyreadstat.read_dta, path, names, table.rows)
    return Written(notes + cut.notes, tuple(stored))


def _forget_time(path: Path) -> None:
    """Keep the day on which a file was written, but no time of day."""
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


def _plan(column: Column, name: str) -> _Plan:
    attribute = column.attribute
    if not column.is_categorical:
        present = column.data[~column.missing]
        if len(present) and not np.abs(present).max() < _LARGEST:
            raise DataError.saying(
                "Attribute {attribute!r} has numbers that Stata cannot store; limit its domain.",
                attribute=column.name,
            )
        missing, notes = _missing_letters(attribute)
        return _Plan(Stored(name, (), missing), False, notes)
    if _fits_text(attribute):
        return _Plan(Stored(name, attribute.codes), True)
    codes, notes = _whole_codes(attribute)
    missing, more = _missing_letters(attribute)
    return _Plan(Stored(name, codes, missing), False, notes + more)


def _whole_codes(attribute: Attribute) -> tuple[tuple[float, ...], tuple[str, ...]]:
    given = attribute.codes != ()
    numbers = tuple(code for code in attribute.codes if not isinstance(code, str))
    codes = numbers if given else own_numbers(attribute.values) or ()
    if len({*codes}) == attribute.k and all(_is_long(code) for code in codes):
        return codes, ()
    counted = counted_codes(attribute.k, ())
    if not given:
        return counted, ()
    return counted, (
        Message(
            "The codes of {attribute!r} are written as 1, 2, 3, ....", attribute=attribute.name
        ),
    )


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
            found[code[1:]] = cut(label, attribute.name, LONGEST_VALUE_LABEL)
        elif not isinstance(code, str) and _is_long(code):
            found[int(code)] = cut(label, attribute.name, LONGEST_VALUE_LABEL)
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


def _cells(column: Column, plan: _Plan) -> Any:
    import pandas as pd

    if plan.is_text:
        return stored_texts(column, plan.stored)
    numbers = stored_numbers(column, Stored(plan.stored.name, plan.stored.codes))
    cells: Any = numbers
    if column.attribute.kind != "continuous" and _are_long(numbers):
        # An Int32 of pandas becomes a long of Stata even when every cell is missing.
        cells = pd.Series(numbers).astype("Int32")
    if column.why_missing is None or not (held := column.why_missing * column.missing).any():
        return cells
    mixed = pd.Series(cells).astype(object)
    letters = [None, *(str(code)[1:] if code else None for code in plan.stored.missing)]
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
    """Whether a file begins like a Stata file, old or new."""
    # Old files: release 104 to 115, byte order 1 or 2, file type 1, an unused byte.
    is_old = len(head) > 4 and head[0] in range(104, 116) and head[1] in (1, 2) and head[2] == 1
    return head.startswith(b"<stata_dta>") or (is_old and head[3] == 0)


STATA = Format("stata", "Stata", (".dta",), read_stata, write_stata, is_stata)
