"""SPSS files: system files (.sav, compressed .zsav) in and out, portable files (.por) in.

Which missing codes SPSS can be told of.

A variable holds three single codes, or one range and one code. Answers must lie neither on a
code nor in a range, or SPSS would take them for missing. Codes that cannot be declared as they
are get new numbers outside all answers; nothing about a cell is lost.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Code, Kind, MissingCode
from ppworkbench.core.data.codebook import Enclosure, Stored
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.formats.labelled import (
    DateLog,
    Plan,
    check_whole,
    date_column,
    labelled_table,
    plan_columns,
    spss_dates,
    text_column,
)
from ppworkbench.core.data.formats.readstat import Variable, parse
from ppworkbench.core.data.formats.stored import (
    SPSS_NAMES,
    LabelCutter,
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

Declaration = float | str | dict[str, float]


@dataclass(frozen=True)
class MissingPlan:
    codes: tuple[float | None, ...] = ()
    declared: tuple[Declaration, ...] = ()
    notes: tuple[str, ...] = ()


def plan_missing(attribute: Attribute, answers: Numbers) -> MissingPlan:
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


_LONGEST_TEXT = 255


def read_spss(path: Path, options: ReadOptions, progress: Progress) -> RawTable:
    with path.open("rb") as file:
        kind = "sav" if is_system_file(file.read(4)) else "por"
    parsed = parse(path, kind, options.encoding if kind == "sav" else None, progress)
    progress(0.9, "Checking labels")
    return labelled_table(path, parsed, _read_column)


def _read_column(variable: Variable, dates: DateLog) -> RawColumn:
    column = _declared(variable)
    numbers = variable.numbers
    if numbers is None:
        return text_column(column)
    write = spss_dates(variable.display)
    if write is not None and column.missing_codes:
        why = np.zeros(len(numbers), np.int16)
        for i, missing in enumerate(column.missing_codes):
            why[numbers == missing.code] = i + 1
        numbers = np.where(why > 0, np.nan, numbers)
        column = dataclasses.replace(column, why_missing=why)
    return date_column(column, numbers, write, dates)


def _declared(variable: Variable) -> RawColumn:
    labels = dict(variable.value_labels)
    single: list[Code] = [low for low, high in variable.missing_ranges if low == high]
    ranges = [(float(low), float(high)) for low, high in variable.missing_ranges if low != high]
    for low, high in ranges:
        numbers = np.empty(0) if variable.numbers is None else variable.numbers
        met = np.unique(numbers[(numbers >= low) & (numbers <= high)]).tolist()
        named = [code for code in labels if not isinstance(code, str) and low <= code <= high]
        single += sorted({*met, *named} - {*single})
    return RawColumn(
        variable.name,
        variable.data,
        variable.label,
        {code: text for code, text in labels.items() if code not in single},
        tuple(MissingCode(code, labels.get(code, "")) for code in single),
        tuple(ranges),
        variable.measure if variable.measure in ("nominal", "ordinal", "scale") else "",
    )


def write_spss(
    table: Table,
    path: Path,
    options: WriteOptions,  # noqa: ARG001 (nothing to choose here)
    progress: Progress,
    enclosure: Enclosure,  # noqa: ARG001 (goes into the codebook beside)
) -> Written:
    import pandas as pd

    with library_lock:
        import pyreadstat

    if path.suffix.lower() == ".por":
        raise DataError("Portable SPSS files are only read; choose a name that ends in .sav.")
    cut = LabelCutter("SPSS", 256, 256, 120)
    planned = plan_columns(table, SPSS_NAMES, cut, _plan, progress)
    progress(0.3, Message("Writing {file}", file=path.name))
    pyreadstat.write_sav(
        pd.DataFrame(planned.cells),
        path,
        column_labels=planned.labels,
        compress=path.suffix.lower() == ".zsav",
        row_compress=path.suffix.lower() != ".zsav",
        **planned.settings,
    )
    with path.open("r+b") as file:
        # A file that is released tells the day on which it was written, but no time of day.
        file.seek(_TIME_OF_DAY)
        file.write(b"00:00:00")
    check_whole(pyreadstat.read_sav, path, planned, table.rows)
    return planned.written


_TIME_OF_DAY = 101
"""Where the time stands in the header of a system file, after name, layout, sizes and date."""


def _plan(column: Column, name: str, cut: LabelCutter) -> Plan:
    stored, missing, is_text = _storing(column, name)
    attribute = column.attribute
    labels = value_labels(attribute, stored).items()
    is_whole = not is_text and attribute.kind is not Kind.CONTINUOUS
    settings = {
        "variable_value_labels": {code: cut.value(label, column.name) for code, label in labels},
        "missing_ranges": list(missing.declared),
        "variable_measure": _measure(attribute),
        "variable_format": "F8.0" if is_whole else "",
    }
    cells = (stored_texts if is_text else stored_numbers)(column, stored)
    return Plan(stored, cells, settings, missing.notes)


def _storing(column: Column, name: str) -> tuple[Stored, MissingPlan, bool]:
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
        return Stored(name, (), missing.codes), missing, False
    if _fits_text(attribute):
        texts = tuple(missing.code for missing in attribute.missing_codes)
        stored = Stored(name, attribute.codes, texts)
        if _is_wide_enough(column, stored):
            return stored, MissingPlan(declared=tuple(map(str, texts))), True
    avoid = {missing.code for missing in attribute.missing_codes}
    codes, notes = written_codes(attribute, _is_storable, avoid)
    missing = plan_missing(attribute, np.array(codes))
    stored = Stored(name, codes, missing.codes)
    return stored, dataclasses.replace(missing, notes=notes + missing.notes), False


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
    return head[:4] in (b"$FL2", b"$FL3")


def is_spss(head: bytes) -> bool:
    # A portable file has five splash strings of 40 bytes, a table of characters, then a mark.
    flat = head.replace(b"\r", b"").replace(b"\n", b"")
    return is_system_file(head) or flat[456:464] == b"SPSSPORT"


SPSS = Format("spss", "SPSS", (".sav", ".zsav", ".por"), read_spss, write_spss, is_spss)
