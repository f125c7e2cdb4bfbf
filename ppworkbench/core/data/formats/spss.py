"""SPSS files: system files (.sav, compressed .zsav) in and out, portable files (.por) in.

Which missing codes SPSS can be told of.

A variable holds three single codes, or one range and one code. Answers must lie neither on a
code nor in a range, or SPSS would take them for missing. Codes that cannot be declared as they
are get new numbers outside all answers; nothing about a cell is lost.

Whether a file that ReadStat wrote is all there.

ReadStat takes a write that failed for one that went well, so that a full disk leaves half a file
and nobody knows. Every piece that is missing moves the rest, and what was the last record is then
none, or the file cannot be read at all.
"""

from __future__ import annotations

import errno
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Code, Kind, MissingCode
from ppworkbench.core.data.codebook import NOTHING_ENCLOSED, Enclosure, Stored
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.formats.labelled import (
    DateLog,
    Declared,
    date_column,
    labelled_table,
    number_column,
    spss_dates,
    text_column,
)
from ppworkbench.core.data.formats.readstat import Variable, parse
from ppworkbench.core.data.formats.stored import (
    SPSS_NAMES,
    LabelCutter,
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

Declaration = float | str | dict[str, float]


@dataclass(frozen=True)
class MissingPlan:
    """The number of each missing code, what is declared to SPSS, and sentences."""

    codes: tuple[float | None, ...] = ()
    declared: tuple[Declaration, ...] = ()
    notes: tuple[str, ...] = ()


def plan_missing(attribute: Attribute, answers: Numbers) -> MissingPlan:
    """Find numbers for the missing codes of a numeric variable whose answers are given."""
    answers = np.unique(answers)
    ranges = tuple(r for r in attribute.missing_ranges if not _holds(answers, *r))
    notes: tuple[str, ...] = ()
    if ranges != attribute.missing_ranges:
        notes = (
            Message(
                "Missing ranges of {attribute!r} that contain answers are not declared.",
                attribute=attribute.name,
            ),
        )
    kept = _as_they_are(attribute, answers)
    if kept is not None:
        declared = _declare(kept, ranges, answers)
        if declared is not None:
            return MissingPlan(kept, declared, notes)
    codes = _fresh(len(attribute.missing_codes), answers)
    shown = [shown_code(missing.code) for missing in attribute.missing_codes]
    whose = Message(
        "The missing codes {shown} of {attribute!r}", shown=shorten(shown), attribute=attribute.name
    )
    if codes is None:
        blank = (None,) * len(shown)
        return MissingPlan(
            blank, (), (*notes, Message("{whose} are written as blank cells.", whose=whose))
        )
    new = shorten([shown_code(code) for code in codes])
    declared = _declare(codes, (), answers) or ()
    return MissingPlan(
        codes, declared, (*notes, Message("{whose} are written as {new}.", whose=whose, new=new))
    )


def _as_they_are(attribute: Attribute, answers: Numbers) -> tuple[float, ...] | None:
    codes = []
    for missing in attribute.missing_codes:
        code = missing.code
        if isinstance(code, str) or not _is_storable(code) or code in codes:
            return None
        if _holds(answers, code, code):
            return None
        codes.append(code)
    return tuple(codes)


def _declare(
    codes: tuple[float, ...], ranges: tuple[tuple[float, float], ...], answers: Numbers
) -> tuple[Declaration, ...] | None:
    if len(ranges) > 1:
        return None
    outside = sorted(c for c in codes if not any(low <= c <= high for low, high in ranges))
    if len(outside) <= (1 if ranges else 3):
        return (*(_range(*r) for r in ranges), *outside)
    if ranges:
        return None
    # One range may cover all of them, or all but one, as long as no answer lies in it.
    for alone, rest in ((None, outside), (outside[0], outside[1:]), (outside[-1], outside[:-1])):
        if not _holds(answers, rest[0], rest[-1]):
            covering = _range(rest[0], rest[-1])
            return (covering,) if alone is None else (covering, alone)
    return None


def _fresh(n: int, answers: Numbers) -> tuple[float, ...] | None:
    lowest = min(0.0, float(answers[0])) if len(answers) else 0.0
    highest = max(0.0, float(answers[-1])) if len(answers) else 0.0
    # Whole numbers are exact in doubles up to 2^53.
    if lowest > -(2.0**52):
        return tuple(math.floor(lowest) - 1.0 - i for i in range(n))
    if highest < 2.0**52:
        return tuple(math.ceil(highest) + 1.0 + i for i in range(n))
    return None


def _range(low: float, high: float) -> dict[str, float]:
    return {"lo": low, "hi": high}


def _is_storable(number: float) -> bool:
    return abs(number) < 1.797e308


def _holds(answers: Numbers, low: float, high: float) -> bool:
    first = int(np.searchsorted(answers, low, side="left"))
    return first < len(answers) and bool(answers[first] <= high)


def check_whole(
    read: Callable[..., tuple[Any, Any]], path: Path, names: Sequence[str], rows: int
) -> None:
    """Read the last record and the names back; an OSError if they are not as they were written."""
    try:
        frame, about = read(path, row_offset=max(rows - 1, 0), row_limit=1)
        is_whole = list(about.column_names) == list(names) and len(frame) == min(rows, 1)
    except Exception:
        is_whole = False
    if not is_whole:
        raise OSError(errno.EIO, "the disk did not store all of it; it may be full")


LONGEST_VALUE_LABEL = 120
LONGEST_LABEL = 256
_LONGEST_TEXT = 255


def read_spss(path: Path, options: ReadOptions, progress: Progress) -> RawTable:
    """Read a system or portable file with labels, measure levels and user-missing codes."""
    with path.open("rb") as file:
        kind = "sav" if is_system_file(file.read(4)) else "por"
    parsed = parse(path, kind, options.encoding if kind == "sav" else None, progress)
    progress(0.9, "Checking labels")
    return labelled_table(path, parsed, _read_column)


def _read_column(variable: Variable, dates: DateLog) -> RawColumn:
    declared = _declared(variable)
    if variable.numbers is None:
        return text_column(declared, variable.texts)
    numbers = variable.numbers
    write = spss_dates(variable.display)
    if write is None:
        return number_column(declared, numbers)
    why = None
    if declared.missing_codes:
        why = np.zeros(len(numbers), np.int16)
        for i, missing in enumerate(declared.missing_codes):
            why[numbers == missing.code] = i + 1
        numbers = np.where(why > 0, np.nan, numbers)
    return date_column(declared, numbers, write, dates, why)


def _declared(variable: Variable) -> Declared:
    labels = dict(variable.value_labels)
    single: list[Code] = [low for low, high in variable.missing_ranges if low == high]
    ranges = [(float(low), float(high)) for low, high in variable.missing_ranges if low != high]
    for low, high in ranges:
        numbers = np.empty(0) if variable.numbers is None else variable.numbers
        met = np.unique(numbers[(numbers >= low) & (numbers <= high)]).tolist()
        named = [code for code in labels if not isinstance(code, str) and low <= code <= high]
        single += sorted({*met, *named} - {*single})
    measure = variable.measure
    return Declared(
        variable.name,
        variable.label,
        {code: text for code, text in labels.items() if code not in single},
        tuple(MissingCode(code, labels.get(code, "")) for code in single),
        tuple(ranges),
        measure if measure in ("nominal", "ordinal", "scale") else "",
    )


@dataclass(frozen=True)
class _Plan:
    """How one column goes into a system file."""

    stored: Stored
    is_text: bool = False
    declared: tuple[Declaration, ...] = ()
    notes: tuple[str, ...] = ()


def write_spss(
    table: Table,
    path: Path,
    options: WriteOptions,  # noqa: ARG001 (nothing to choose here)
    progress: Progress,
    enclosure: Enclosure = NOTHING_ENCLOSED,  # noqa: ARG001 (goes into the codebook beside)
) -> Written:
    """Write a system file; what SPSS cannot hold as it is becomes a sentence."""
    import pandas as pd

    with library_lock:
        import pyreadstat

    if path.suffix.lower() == ".por":
        raise DataError("Portable SPSS files are only read; choose a name that ends in .sav.")
    names, notes = fitted_names(table, SPSS_NAMES)
    cut = LabelCutter("SPSS")
    stored: list[Stored] = []
    cells: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    settings: dict[str, Any] = {key: {} for key in _SETTINGS}
    for i, (column, name) in enumerate(zip(table, names, strict=True)):
        progress(0.3 * i / len(names), "Preparing columns")
        plan = _plan(column, name)
        cells[name] = (stored_texts if plan.is_text else stored_numbers)(column, plan.stored)
        labels[name] = cut(variable_label(column, name), column.name, LONGEST_LABEL)
        for key, setting in zip(_SETTINGS, _settings(column, plan, cut), strict=True):
            settings[key] |= {name: setting} if setting else {}
        stored.append(plan.stored)
        notes += plan.notes
    progress(0.3, Message("Writing {file}", file=path.name))
    pyreadstat.write_sav(
        pd.DataFrame(cells),
        path,
        column_labels=labels,
        compress=path.suffix.lower() == ".zsav",
        row_compress=path.suffix.lower() != ".zsav",
        **settings,
    )
    with path.open("r+b") as file:
        # A file that is released tells the day on which it was written, but no time of day.
        file.seek(_TIME_OF_DAY)
        file.write(b"00:00:00")
    check_whole(pyreadstat.read_sav, path, names, table.rows)
    return Written(notes + cut.notes, tuple(stored))


_TIME_OF_DAY = 101
"""Where the time stands in the header of a system file, after name, layout, sizes and date."""
_SETTINGS = ("variable_value_labels", "missing_ranges", "variable_measure", "variable_format")


def _settings(column: Column, plan: _Plan, cut: LabelCutter) -> tuple[Any, ...]:
    attribute = column.attribute
    labels = {
        code: cut(label, column.name, LONGEST_VALUE_LABEL)
        for code, label in value_labels(attribute, plan.stored).items()
    }
    is_whole = not plan.is_text and attribute.kind is not Kind.CONTINUOUS
    return labels, list(plan.declared), _measure(attribute), "F8.0" if is_whole else ""


def _plan(column: Column, name: str) -> _Plan:
    attribute = column.attribute
    if not column.is_categorical:
        present = column.data[~column.missing]
        if len(present) and not np.abs(present).max() < 1.797e308:
            raise DataError.saying(
                "Attribute {attribute!r} has numbers that SPSS cannot store; limit its domain.",
                attribute=column.name,
            )
        labelled = [number for number, _ in attribute.number_labels]
        missing = plan_missing(attribute, np.concatenate([present, labelled]))
        return _Plan(Stored(name, (), missing.codes), False, missing.declared, missing.notes)
    if _fits_text(attribute):
        texts = tuple(missing.code for missing in attribute.missing_codes)
        plan = _Plan(Stored(name, attribute.codes, texts), True, tuple(map(str, texts)))
        if _is_wide_enough(column, plan.stored):
            return plan
    codes, notes = _number_codes(attribute)
    missing = plan_missing(attribute, np.array(codes))
    return _Plan(Stored(name, codes, missing.codes), False, missing.declared, notes + missing.notes)


def _number_codes(attribute: Attribute) -> tuple[tuple[float, ...], tuple[str, ...]]:
    numbers = tuple(code for code in attribute.codes if not isinstance(code, str))
    avoid = {missing.code for missing in attribute.missing_codes}
    given = attribute.codes != ()
    codes = numbers if given else own_numbers(attribute.values) or ()
    good = len({*codes}) == attribute.k and not avoid & {*codes}
    if good and all(abs(code) < 1.797e308 for code in codes):
        return codes, ()
    counted = counted_codes(attribute.k, avoid)
    if not given:
        return counted, ()
    return counted, (
        Message(
            "The codes of {attribute!r} are written as 1, 2, 3, ....", attribute=attribute.name
        ),
    )


def _fits_text(attribute: Attribute) -> bool:
    """Whether the codes can be the cells of a text variable and come back as they are."""
    missing = [one.code for one in attribute.missing_codes]
    texts = [*attribute.codes, *missing]
    return (
        bool(attribute.codes)
        and all(isinstance(text, str) and _is_plain(text) for text in texts)
        and all(len(str(text).encode()) <= 8 for text in missing)
        and len(missing) <= 3
        and not attribute.missing_ranges
        and len({*texts}) == len(texts)
    )


def _is_wide_enough(column: Column, stored: Stored) -> bool:
    """Whether a text variable will have room for the codes that are only declared.

    pyreadstat measures cells by bytes but labelled codes by characters, and missing codes not
    at all.
    """
    declared = value_labels(column.attribute, stored)
    cells = {str(cell) for cell in stored_texts(column, stored)}
    width = max([1, *(len(cell.encode()) for cell in cells), *(len(str(c)) for c in declared)])
    return all(len(str(code).encode()) <= width for code in (*declared, *stored.missing))


def _is_plain(text: str) -> bool:
    # SPSS fills cells up with spaces and takes trailing ones away again.
    return 0 < len(text.encode()) <= _LONGEST_TEXT and text == text.rstrip(" ") and "\0" not in text


def _measure(attribute: Attribute) -> str:
    if attribute.measure:
        return attribute.measure
    if attribute.kind is Kind.ORDINAL:
        return "ordinal"
    return "nominal" if attribute.kind.is_categorical else "scale"


def is_system_file(head: bytes) -> bool:
    """Whether a file begins like a system file."""
    return head[:4] in (b"$FL2", b"$FL3")


def is_spss(head: bytes) -> bool:
    """Whether a file begins like a system file or a portable file."""
    # A portable file has five splash strings of 40 bytes, a table of characters, then a mark.
    flat = head.replace(b"\r", b"").replace(b"\n", b"")
    return is_system_file(head) or flat[456:464] == b"SPSSPORT"


SPSS = Format("spss", "SPSS", (".sav", ".zsav", ".por"), read_spss, write_spss, is_spss)
