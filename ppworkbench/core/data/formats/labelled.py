"""What the readers of SPSS and Stata files share: ReadStat's answer as raw columns."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Code, MissingCode
from ppworkbench.core.data.charset import detect_charset
from ppworkbench.core.data.formats.dates import Writer, dates_to_text
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress

Numbers = NDArray[np.float64]

_BLOCK = 250
"""So many columns of a portable file at a time: ReadStat sets memory aside for 100,000 rows."""


@dataclass(frozen=True)
class Declared:
    """What a file says about one variable besides its cells."""

    name: str
    label: str
    value_labels: Mapping[Code, str]
    missing_codes: tuple[MissingCode, ...] = ()
    missing_ranges: tuple[tuple[float, float], ...] = ()
    measure: str = ""


@dataclass(frozen=True)
class Parsed:
    """The cells and the metadata of a file as ReadStat gives them."""

    frame: pd.DataFrame
    meta: Any
    encoding: str | None = None
    notes: tuple[str, ...] = ()


def parse(
    reader: Callable[..., Any], path: Path, encoding: str | None, progress: Progress
) -> Parsed:
    """Read a file; when its text cannot be decoded as declared, try the Windows code pages."""
    import pyreadstat

    progress(0.0, f"Reading {path.name}")
    try:
        return _parse_once(reader, path, encoding)
    except (UnicodeDecodeError, pyreadstat.ReadstatError) as error:
        is_about_text = isinstance(error, UnicodeDecodeError) or "convert string" in str(error)
        if encoding is not None or not is_about_text:
            raise
    progress(0.3, "Trying another encoding")
    parsed, used = _parse_once(reader, path, "windows-1250"), "windows-1250"
    charset = detect_charset(_all_text(parsed).encode("cp1250", "replace"))
    if charset is not None and charset.name not in ("cp1250", "utf-8"):
        used = {"cp1252": "windows-1252"}.get(charset.name, charset.name)
        parsed = _parse_once(reader, path, used)
    note = (
        f"The text of {path.name} is not in the encoding that the file declares and was read as "
        f"{used}; set the encoding if letters look wrong."
    )
    return dataclasses.replace(parsed, notes=(note,))


def _parse_once(reader: Callable[..., Any], path: Path, encoding: str | None) -> Parsed:
    extra: dict[str, Any] = {"encoding": encoding} if encoding else {}
    with warnings.catch_warnings():
        # Two variables of one name; refused below with a sentence.
        warnings.simplefilter("ignore")
        _, meta = reader(path, metadataonly=True, **extra)
        _check_size(path, meta)
        names = list(meta.column_names)
        if len(set(names)) != len(names) or len(names) != meta.number_columns:
            raise DataError(f"{path.name}: two variables have the same name.", file=path)
        extra |= {"disable_datetime_conversion": True}
        if meta.number_rows is None and len(names) > _BLOCK:
            blocks = [names[i : i + _BLOCK] for i in range(0, len(names), _BLOCK)]
            frames = [reader(path, usecols=block, **extra)[0] for block in blocks]
            return Parsed(pd.concat(frames, axis=1), meta, encoding)
        frame, meta = reader(path, **extra)
    return Parsed(frame, meta, encoding)


def _check_size(path: Path, meta: Any) -> None:
    # A cell takes at least a bit more than nothing, even compressed: a header that promises
    # more cells than the file can hold would only make us set memory aside for them.
    cells = (meta.number_rows or 0) * (meta.number_columns or 0)
    squeezed = 1100 if path.suffix.lower() == ".zsav" or _is_zsav(path) else 1
    if cells > path.stat().st_size * squeezed:
        raise DataError(
            f"{path.name} promises {meta.number_rows} rows but is too short to hold them; "
            "it is cut off or damaged.",
            file=path,
        )


def _is_zsav(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"$FL3"


def _all_text(parsed: Parsed) -> str:
    meta = parsed.meta
    labels = [label for label in meta.column_labels if label]
    labels += [label for some in meta.variable_value_labels.values() for label in some.values()]
    for name, kind in meta.readstat_variable_types.items():
        if kind == "string":
            labels += [str(text) for text in parsed.frame[name].unique()]
    return " ".join([*meta.column_names, *labels])


def text_column(declared: Declared, cells: pd.Series[Any]) -> RawColumn:
    """A variable of text; a blank cell is missing unless the file has a label for it."""
    texts = pa.chunked_array(pa.array(cells, pa.string(), from_pandas=True))
    if "" not in declared.value_labels and all(m.code != "" for m in declared.missing_codes):
        blank = pc.equal(texts, "")
        texts = pc.if_else(blank, pa.scalar(None, pa.string()), texts)
    return _raw(declared, texts)


def number_column(
    declared: Declared, numbers: Numbers, why: NDArray[np.int16] | None = None
) -> RawColumn:
    """A variable of numbers; NaN is a missing cell, ``why`` says which code it held."""
    data = pa.chunked_array([pa.array(numbers, from_pandas=True)])
    return _raw(declared, data, why)


def date_column(
    declared: Declared, numbers: Numbers, write: Writer, why: NDArray[np.int16] | None = None
) -> tuple[RawColumn, int]:
    """A variable of dates as ISO text, and how many cells are no dates."""
    texts, lost = dates_to_text(numbers, write)
    plain = Declared(
        declared.name, declared.label, {}, declared.missing_codes, (), declared.measure
    )
    return _raw(plain, texts, why), lost


def _raw(
    declared: Declared, data: pa.ChunkedArray, why: NDArray[np.int16] | None = None
) -> RawColumn:
    return RawColumn(
        name=declared.name,
        data=data,
        label=declared.label,
        value_labels=declared.value_labels,
        missing_codes=declared.missing_codes,
        missing_ranges=declared.missing_ranges,
        measure=declared.measure,
        why_missing=why,
    )


def labelled_table(
    path: Path, columns: list[RawColumn], notes: tuple[str, ...], dates: list[str], lost: int
) -> RawTable:
    """Put columns together with what there is to say about them."""
    if dates:
        notes = (*notes, f"Dates and times are kept as text: {shorten(dates)}.")
    if lost:
        notes = (*notes, f"{lost} cells with impossible dates are missing.")
    return RawTable(tuple(columns), source=str(path), notes=notes)
