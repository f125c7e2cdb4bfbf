"""Stata files (.dta), with value labels and the missing values .a to .z."""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Code, MissingCode
from ppworkbench.core.data.codebook import Stored
from ppworkbench.core.data.formats.dates import stata_dates
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.formats.labelled import (
    Declared,
    Parsed,
    date_column,
    labelled_table,
    number_column,
    parse,
    text_column,
)
from ppworkbench.core.data.formats.names import STATA_NAMES, NameRules
from ppworkbench.core.data.formats.stored import (
    LabelCutter,
    code_text,
    counted_codes,
    fitted_names,
    own_numbers,
    stored_numbers,
    stored_texts,
    value_labels,
    variable_label,
)
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress

LONGEST_VALUE_LABEL = 32000
LONGEST_LABEL = 80
_LONGEST_TEXT = 2044
_LARGEST = 8.988e307
_LOWEST_LONG, _HIGHEST_LONG = -2147483647, 2147483620
LETTERS = tuple(f".{letter}" for letter in string.ascii_lowercase)
"""Stata's own missing values besides the plain point."""


def read_stata(path: Path, options: ReadOptions, progress: Progress) -> RawTable:
    """Read a Stata file with its labels; a cell's ``.a`` to ``.z`` is kept as its missing code."""
    import pyreadstat

    def reader(file: Path, **settings: Any) -> Any:
        return pyreadstat.read_dta(file, user_missing=True, **settings)

    parsed = parse(reader, path, options.encoding, progress)
    _read_again(reader, path, parsed)
    progress(0.9, "Sorting out labels")
    columns: list[RawColumn] = []
    dates: list[str] = []
    lost = 0
    for name, label in zip(parsed.meta.column_names, parsed.meta.column_labels, strict=True):
        column, bad = _read_column(parsed, name, label or "", dates)
        columns.append(column)
        lost += bad
    return labelled_table(path, columns, parsed.notes, dates, lost)


def _read_again(reader: Callable[..., Any], path: Path, parsed: Parsed) -> None:
    """Read whole-number columns with letters once more, cell by cell.

    In arrays, pyreadstat 1.3 leaves a plain missing cell that follows a letter as it was set
    aside, which is mostly 0; in lists it is empty as it should be.
    """
    kinds = parsed.meta.readstat_variable_types
    doubtful = [name for name in parsed.meta.missing_user_values if kinds[name].startswith("int")]
    if not doubtful:
        return
    extra = {"encoding": parsed.encoding} if parsed.encoding else {}
    cells, _ = reader(
        path,
        usecols=doubtful,
        output_format="dict",
        disable_datetime_conversion=True,
        **extra,
    )
    for name in doubtful:
        parsed.frame[name] = pd.Series(cells[name], dtype=object)


def _read_column(parsed: Parsed, name: str, label: str, dates: list[str]) -> tuple[RawColumn, int]:
    meta, cells = parsed.meta, parsed.frame[name]
    labels = meta.variable_value_labels.get(name, {})
    if meta.readstat_variable_types[name] == "string":
        return text_column(Declared(name, label, {}), cells), 0
    met = meta.missing_user_values.get(name, ())
    letters = sorted({*met} | {code for code in labels if isinstance(code, str)})
    declared = Declared(
        name,
        label,
        {float(code): text for code, text in labels.items() if not isinstance(code, str)},
        tuple(MissingCode(f".{letter}", labels.get(letter, "")) for letter in letters),
    )
    why = None
    if letters:
        places = {letter: i + 1 for i, letter in enumerate(letters)}
        why = cells.astype(object).map(places).fillna(0).to_numpy(np.int16)
        cells = pd.to_numeric(cells.astype(object), errors="coerce")
    numbers = cells.to_numpy(np.float64, na_value=np.nan)
    write = stata_dates(meta.original_variable_types[name])
    if write is None:
        return number_column(declared, numbers, why), 0
    dates.append(name)
    return date_column(declared, numbers, write, why)


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
    design: Mapping[str, Any] | None = None,  # noqa: ARG001 (goes into the codebook beside)
) -> Written:
    """Write a file for Stata 14 and later; what it cannot hold becomes a sentence."""
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
    progress(0.3, f"Writing {path.name}")
    pyreadstat.write_dta(
        pd.DataFrame(cells),
        path,
        # Format 118, which every Stata since 14 opens; 119 only where the columns need it.
        version=14 if len(names) < 32768 else 15,
        column_labels=labels,
        variable_value_labels=value_labels_,
        missing_user_values=letters,
    )
    return Written(notes + cut.notes, tuple(stored))


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
            raise DataError(
                f"Attribute {column.name!r} has numbers that Stata cannot hold; limit its domain.",
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
    return counted, (f"The codes of {attribute.name!r} are written as 1, 2, 3, ....",)


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
        f"{code_text(code)} as {letter or 'a point'}"
        for code, letter in zip(wanted, given, strict=True)
        if code != letter
    ]
    return tuple(given), (f"Stata has missing codes of {attribute.name!r}: {shorten(shown)}.",)


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
            lost.append(code_text(code))
    if not lost:
        return found, ()
    return found, (f"Stata cannot label {shorten(lost)} of {attribute.name!r}.",)


def _cells(column: Column, plan: _Plan) -> Any:
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
