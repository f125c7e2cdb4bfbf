"""From the columns of a file to a table of answers."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import FROM_DATA, Attribute, Kind, MissingCode
from ppworkbench.core.data.inference.labelled import (
    declared_missing,
    guess_declared,
    guess_labelled,
    guess_labelled_texts,
)
from ppworkbench.core.data.inference.numbers import Known, infer_numeric
from ppworkbench.core.data.inference.plans import (
    NumberDecoder,
    NumberSummary,
    loses_something,
    summarise_indices,
    summarise_numbers,
    summarise_wholes,
)
from ppworkbench.core.data.inference.text import infer_text
from ppworkbench.core.data.numerals import (
    NumberFormat,
    ParsedColumn,
    TextColumn,
    is_number_type,
    parse_numerals,
    plain_column,
    to_indices,
    to_numbers,
    to_wholes,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.restore import parse_declared, refuse_infinity
from ppworkbench.core.data.table import Column, Table, refuse_absent
from ppworkbench.core.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

_ROWS_WORTH_THREADS = 50_000

Built = tuple[Column, tuple[str, ...]]


def build_table(
    raw: RawTable,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    schema: Sequence[Attribute] | None = None,
) -> Table:
    """Settle every column's attribute and turn its cells into answers.

    Parameters
    ----------
    raw
        The columns as a reader gives them.
    options
        What a person said about the file; missing codes count here.
    schema
        Attributes of a design. Columns of these names are typed strictly by them, each must be
        there and hold only listed values; the domain of numbers is not enforced, since
        distorted numbers may lie outside. Other columns are guessed, or typed by the codebook
        that came with the file.

    Raises
    ------
    DataError
        When a column of the schema is missing or does not fit.
    """
    known = {attribute.name: attribute for attribute in raw.schema or ()}
    known |= {attribute.name: attribute for attribute in schema or ()}
    refuse_absent(schema or (), [column.name for column in raw.columns])
    raw = _with_names(raw, known)

    def build(column: RawColumn) -> Built:
        attribute = known.get(column.name)
        if attribute is not None:
            return parse_declared(column, attribute, options), ()
        if schema is None:
            column.check_single()
        return guess_column(column, options)

    built = _each(build, raw.columns)
    notes = [note for _, some in built for note in some]
    return Table(
        tuple(column for column, _ in built),
        class_name=raw.class_name,
        source=raw.source,
        notes=(*raw.notes, *notes),
    )


def frame_to_table(
    frame: pd.DataFrame, names: Sequence[str], schema: Sequence[Attribute] | None = None
) -> Table:
    """Columns of a frame as a table; what no schema tells is found out as for a file."""
    from ppworkbench.core.data.formats.parquet import arrow_to_raw

    labels = [str(label) for label in frame.columns]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise DataError.saying(
            "Two columns are called {attribute!r}; rename one of them.", attribute=twice
        )
    nameless = next((i for i, label in enumerate(labels, start=1) if not label.strip()), None)
    if nameless is not None and labels[nameless - 1] in names:
        raise DataError.saying(
            "Column {place} of the data has no name; give it one.", place=nameless
        )
    cells = []
    for name in names:
        series = _plain_series(frame.iloc[:, labels.index(name)])
        try:
            cells.append(pa.chunked_array([pa.array(series, from_pandas=True)]))
        except (pa.ArrowException, TypeError, ValueError):
            raise DataError.saying(
                "Column {attribute!r} mixes texts with numbers or other objects; make it one of "
                "them.",
                attribute=name,
            ) from None
    # Errors call a frame as the argument that it was given as.
    raw = arrow_to_raw(pa.table(cells, names=list(names)), Path("data"))
    return dataclasses.replace(build_table(raw, schema=schema or None), source="")


def _plain_series(series: pd.Series[Any]) -> pd.Series[Any]:
    """A column in a type that Arrow has: intervals and periods as texts, sparse ones filled."""
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.SparseDtype):
        return series.astype(kind.subtype)
    if isinstance(kind, pd.IntervalDtype | pd.PeriodDtype):
        # Not by astype("str"), for which a missing one is the text "nan" in pandas 2.
        texts = [
            None if is_gone else str(one)
            for one, is_gone in zip(series, series.isna(), strict=True)
        ]
        return pd.Series(texts, series.index, dtype=object)
    if isinstance(kind, pd.CategoricalDtype) and isinstance(
        kind.categories, pd.IntervalIndex | pd.PeriodIndex
    ):
        return series.cat.rename_categories([str(one) for one in kind.categories])
    return series


def guess_column(column: RawColumn, options: ReadOptions) -> Built:
    column = plain_column(column)
    if column.values:
        return guess_declared(column, options)
    if is_number_type(column.data.type):
        return _build_numbers(column, options)
    known = Known.of(column)
    words, indices = to_indices(column.data)
    summary = summarise_indices(words, indices)
    if column.value_labels or column.missing_codes:
        plan = guess_labelled_texts(known, column, summary, column.missing_codes)
        return _with_why(column, plan.encode_words(words, indices)), plan.notes
    form = number_format(column, options)
    found = infer_text(known, summary, named_texts(options), form)
    return _of_kind(column, found.encode_words(words, indices)), found.notes


def number_format(column: RawColumn, options: ReadOptions) -> NumberFormat | None:
    """In which format the texts of a column may be numbers; None when they are just text."""
    if options.decimal is not None and isinstance(column, TextColumn):
        return NumberFormat(options.decimal, forced=True)
    return column.numbers if isinstance(column, TextColumn) else None


def named_texts(options: ReadOptions) -> tuple[str, ...]:
    return tuple(code.strip() for code in options.missing_codes)


def named_numbers(options: ReadOptions) -> tuple[float, ...]:
    form = NumberFormat(options.decimal or ".")
    numbers = parse_numerals(pa.array(named_texts(options), pa.string()), form)
    return tuple(numbers[~np.isnan(numbers)].tolist())


def met_numbers(data: pa.ChunkedArray, options: ReadOptions) -> tuple[float, ...]:
    if not options.missing_codes:
        return ()
    numbers = to_numbers(data)
    return tuple(code for code in named_numbers(options) if (numbers == code).any())


def _build_numbers(column: RawColumn, options: ReadOptions) -> Built:
    named = met_numbers(column.data, options)
    declares = column.value_labels or column.missing_codes or column.missing_ranges
    if not declares:
        return _build_plain_numbers(column, options, named)
    numbers = to_numbers(column.data)
    declared = declared_missing(column, np.unique(numbers[~np.isnan(numbers)]))
    listed = {missing.code for missing in declared}
    declared += tuple(MissingCode(code) for code in named if code not in listed)
    gone = [missing.code for missing in declared if not isinstance(missing.code, str)]
    rest = np.where(np.isin(numbers, gone), np.nan, numbers)
    refuse_infinity(column.name, rest)
    plan = _plan_declared(column, rest, declared)
    return _of_kind(column, plan.encode_numbers(numbers, column.why_missing)), plan.notes


def _build_plain_numbers(
    column: RawColumn, options: ReadOptions, named: tuple[float, ...]
) -> Built:
    known = Known.of(column, named)
    wholes = None if named else to_wholes(column.data)
    if wholes is not None:
        summary = summarise_wholes(wholes)
        if _needs_texts(column, summary):
            return guess_column(column.texts(), options)
        plan = infer_numeric(known, summary)
        return _of_kind(column, plan.encode_wholes(wholes)), plan.notes
    numbers = to_numbers(column.data)
    rest = np.where(np.isin(numbers, named), np.nan, numbers) if named else numbers
    summary = summarise_numbers(rest)
    if _needs_texts(column, summary):
        return guess_column(column.texts(), options)
    refuse_infinity(column.name, rest)
    plan = infer_numeric(known, summary)
    return _of_kind(column, plan.encode_numbers(numbers, column.why_missing)), plan.notes


def _needs_texts(column: RawColumn, summary: NumberSummary) -> TypeGuard[ParsedColumn]:
    is_real = pa.types.is_floating(column.data.type)
    return isinstance(column, ParsedColumn) and loses_something(summary, is_real=is_real)


def _plan_declared(
    column: RawColumn, rest: Numbers, declared: tuple[MissingCode, ...]
) -> NumberDecoder:
    known = Known.of(column)
    if any(not isinstance(code, str) for code in column.value_labels):
        return guess_labelled(known, column, np.unique(rest[~np.isnan(rest)]), declared)
    plan = infer_numeric(known, summarise_numbers(rest))
    codes = (*declared, *plan.attribute.missing_codes)
    numbers = tuple(None if isinstance(one.code, str) else one.code for one in codes)
    attribute = plan.attribute.with_(missing_codes=codes, missing_ranges=column.missing_ranges)
    return NumberDecoder(attribute, plan.categories, numbers, plan.notes)


def _of_kind(column: RawColumn, built: Column) -> Column:
    kind = column.kind
    if kind is None or kind is built.attribute.kind:
        return _with_why(column, built)
    if kind.is_numeric and built.is_categorical and is_number_type(column.data.type):
        return _as_numbers(column, kind)
    same = kind.is_categorical == built.attribute.kind.is_categorical
    if not same or (kind is Kind.BINARY and built.attribute.k != 2):
        return _with_why(column, built)
    if kind is Kind.INTEGER and (built.data != np.rint(built.data))[~built.missing].any():
        return _with_why(column, built)
    attribute = built.attribute.with_(kind=kind, reason="From the file.")
    return _with_why(column, built.with_(attribute=attribute))


def _as_numbers(column: RawColumn, kind: Kind) -> Column:
    """Numbers of which there are few, but which are amounts, as the file says."""
    numbers = to_numbers(column.data)
    present = numbers[~np.isnan(numbers)]
    domain = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
    attribute = Known.of(column).attribute(
        kind, domain=domain, reason="From the file.", domain_source=FROM_DATA
    )
    return Column(attribute, numbers)


def _with_why(column: RawColumn, built: Column) -> Column:
    if column.why_missing is None or built.why_missing is not None:
        return built
    return built.with_(why_missing=column.why_missing)


def _with_names(raw: RawTable, known: Collection[str]) -> RawTable:
    """Name columns that have none, as a design could not tell them apart."""
    taken = {column.name for column in raw.columns}
    columns = []
    for place, column in enumerate(raw.columns, start=1):
        name = column.name
        if not name.strip() and name not in known:
            name = f"column_{place}"
            while name in taken:
                name += "_"
        columns.append(column if name == column.name else dataclasses.replace(column, name=name))
    if tuple(columns) == raw.columns:
        return raw
    notes = (*raw.notes, "Columns without a name were named or numbered.")
    return dataclasses.replace(raw, columns=tuple(columns), notes=notes)


def _each(build: Callable[[RawColumn], Built], columns: Sequence[RawColumn]) -> list[Built]:
    rows = len(columns[0].data) if columns else 0
    workers = min(len(columns), os.cpu_count() or 1)
    if rows < _ROWS_WORTH_THREADS or workers < 2:
        return [build(column) for column in columns]
    # numpy and Arrow let go of the interpreter lock, so columns are built side by side.
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(build, columns))


def build_restored(
    raw: RawTable, options: ReadOptions, schema: Sequence[Attribute] | None = None
) -> Table:
    """Build the table of a restored file.

    Where the reader says which missing codes the empty cells held, no cell holds a code: a
    distorted age of 99 is an answer, although 99 was a missing code of the original. Such
    columns are therefore built without their codes, which come back afterwards.
    """
    wanted = {attribute.name: attribute for attribute in raw.schema or ()}
    wanted |= {attribute.name: attribute for attribute in schema or ()}
    clean = {column.name: column for column in raw.columns if column.why_missing is not None}
    none: dict[str, Any] = {"missing_codes": (), "missing_ranges": ()}
    bare = {name: wanted[name].with_(codes=(), **none) for name in clean if name in wanted}
    table = build_table(
        dataclasses.replace(
            raw,
            columns=tuple(
                dataclasses.replace(c, why_missing=None, **none) if c.name in bare else c
                for c in raw.columns
            ),
            schema=tuple(bare.get(name, attribute) for name, attribute in wanted.items()),
        ),
        options,
        None if schema is None else [bare.get(a.name, a) for a in schema],
    )
    columns = (
        _with_codes(column, wanted[column.name], clean[column.name])
        if column.name in bare
        else column
        for column in table
    )
    return table.with_(columns=tuple(columns))


def _with_codes(column: Column, attribute: Attribute, raw: RawColumn) -> Column:
    if not attribute.missing_codes or raw.why_missing is None:
        return column.with_(attribute=attribute)
    places = _translate(raw.why_missing, raw.missing_codes, attribute.missing_codes)
    held = np.where(column.missing, places, 0).astype(np.int16)
    return column.with_(attribute=attribute, why_missing=held if held.any() else None)


def _translate(
    places: NDArray[np.int16], given: tuple[MissingCode, ...], wanted: tuple[MissingCode, ...]
) -> NDArray[np.int16]:
    """Places among other missing codes; a code that is not among them becomes plain missing."""
    order = {missing.code: i + 1 for i, missing in enumerate(wanted)}
    to = np.array([0, *(order.get(missing.code, 0) for missing in given)], np.int16)
    known = (places > 0) & (places < len(to))
    return to[np.where(known, places, 0)]
