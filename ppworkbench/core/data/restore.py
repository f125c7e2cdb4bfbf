"""Bring a file's columns back to the attributes of the codebook that came with it.

Columns are typed by attributes that are known beforehand, from a design or a codebook. Values are
matched exactly; what is neither a listed value nor a missing answer is an error.
"""

from __future__ import annotations

import base64
import dataclasses
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Code, Kind
from ppworkbench.core.data.codebook import Codebook, Stored
from ppworkbench.core.data.missing import is_missing_among_numbers, is_missing_word
from ppworkbench.core.data.numerals import (
    NumberFormat,
    ParsedColumn,
    TextColumn,
    code_text,
    is_exact,
    is_number_type,
    number_text,
    parse_numerals,
    plain_column,
    read_numerals,
    to_indices,
    to_numbers,
    written_numbers,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import Column, code_type, counted_values, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.formulas import unescape_formula
from ppworkbench.core.message import Message

Places = NDArray[np.int64]


def restore(raw: RawTable, codebook: Codebook) -> RawTable:
    """The same table under the codebook's attributes, names and missing codes.

    Raises a DataError when the codebook does not belong to the file: other columns, or answers
    that it does not know.
    """
    expected = [stored.name for stored in codebook.stored]
    expected = expected or [attribute.name for attribute in codebook.attributes]
    raw = _take_names(raw, expected)
    names = [column.name for column in raw.columns]
    if names != expected:
        odd = [name for name in names if name not in expected]
        odd += [name for name in expected if name not in names]
        about = (
            Message("the codebook and the file differ in {odd}", odd=shorten(odd))
            if odd
            else Message("the order differs")
        )
        raise DataError.saying("The columns are not those of the codebook: {about}.", about=about)
    if codebook.stored:
        columns = tuple(
            _restore_column(column, attribute, stored)
            for column, attribute, stored in zip(
                raw.columns, codebook.attributes, codebook.stored, strict=True
            )
        )
    else:
        columns = tuple(
            dataclasses.replace(column, value_labels=_code_labels(attribute))
            for column, attribute in zip(raw.columns, codebook.attributes, strict=True)
        )
    return under_attributes(dataclasses.replace(raw, columns=columns), codebook)


def _code_labels(attribute: Attribute) -> dict[Code, str]:
    """Values by their codes, for files with codes in their cells whose codebook is hand-made."""
    pairs = zip(attribute.codes, attribute.values, strict=bool(attribute.codes))
    named = {code: value for code, value in pairs if code_text(code) not in attribute.values}
    return named | {code_text(code): value for code, value in named.items()}


def _take_names(raw: RawTable, expected: list[str]) -> RawTable:
    """Take the first record for names where it is them: a reader may have seen data in it."""
    if [column.name for column in raw.columns] == expected or len(raw.columns) != len(expected):
        return raw
    if not len(raw.columns[0].data):
        return raw
    first = [column.data[0].as_py() for column in raw.columns]
    if [c if isinstance(c, str) or c is None else number_text(c) for c in first] != expected:
        return raw
    columns = tuple(
        dataclasses.replace(column, name=name, data=column.data.slice(1))
        for column, name in zip(raw.columns, expected, strict=True)
    )
    return dataclasses.replace(raw, columns=columns)


def under_attributes(raw: RawTable, codebook: Codebook) -> RawTable:
    """The columns, one for each attribute of the codebook, with what it says about them."""
    columns = tuple(
        dataclasses.replace(
            column,
            name=attribute.name,
            label=attribute.label,
            missing_codes=attribute.missing_codes,
            missing_ranges=attribute.missing_ranges,
            measure=attribute.measure,
            values=attribute.values,
            values_source=attribute.domain_source,
            kind=attribute.kind,
        )
        for column, attribute in zip(raw.columns, codebook.attributes, strict=True)
    )
    return dataclasses.replace(
        raw,
        columns=columns,
        class_name=codebook.class_name,
        schema=codebook.attributes,
        has_design=codebook.design is not None,
    )


def _restore_column(column: RawColumn, attribute: Attribute, stored: Stored) -> RawColumn:
    cells = column.data
    missing = _missing_places(column, attribute, stored)
    if not stored.codes and not stored.missing:
        return dataclasses.replace(column, why_missing=missing)
    if attribute.kind is Kind.SET:
        return dataclasses.replace(column, value_labels={}, why_missing=missing)
    if attribute.kind.is_categorical:
        if len(stored.codes) != attribute.k:
            raise DataError.saying(
                "The codebook does not define how {attribute!r} is stored.",
                attribute=attribute.name,
            )
        places = _places(cells, stored.codes)
        unknown = (places < 0) & (missing == 0) & ~_nulls(cells)
        if unknown.any():
            row = int(np.flatnonzero(unknown)[0])
            raise DataError.saying(
                "The codebook has no value for {cell!r} of {attribute!r}.",
                cell=cells[row].as_py(),
                attribute=attribute.name,
                row=row,
            )
        places[missing > 0] = -1
        data = as_dictionary(places, attribute.values)
    else:
        if _is_text(cells) and not _is_empty(cells):
            raise DataError.saying(
                "Attribute {attribute!r} has text where numbers should be.",
                attribute=attribute.name,
            )
        numbers = cells.cast(pa.float64())
        data = pc.if_else(pa.array(missing > 0), pa.scalar(None, pa.float64()), numbers)
    return dataclasses.replace(column, data=data, value_labels={}, why_missing=missing)


def as_dictionary(
    places: NDArray[np.signedinteger], values: Sequence[str], *, ordered: bool = False
) -> pa.ChunkedArray:
    """Places in a list of values, -1 for missing, as an Arrow dictionary column.

    >>> as_dictionary(np.array([1, -1]), ["no", "yes"]).to_pylist()
    ['yes', None]
    """
    indices = pa.array(places.astype(np.int32), mask=places < 0)
    words = pa.array(list(values), pa.string())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, words, ordered=ordered)])


def pack_held(column: Column) -> str:
    """Which missing code each empty cell held, as a short text; empty when none did."""
    if column.why_missing is None:
        return ""
    held = np.where(column.missing, column.why_missing, 0).astype("<i2")
    return base64.b64encode(zlib.compress(held.tobytes())).decode() if held.any() else ""


def unpack_held(text: str, rows: int) -> NDArray[np.int16] | None:
    """The places that :func:`pack_held` packed; None when the file has other rows by now."""
    try:
        # No more is unpacked than the rows need, whatever a stranger packed.
        content = zlib.decompressobj().decompress(base64.b64decode(text), 2 * rows + 2)
    except (ValueError, zlib.error):
        return None
    return np.frombuffer(content, "<i2").astype(np.int16) if len(content) == 2 * rows else None


def _missing_places(column: RawColumn, attribute: Attribute, stored: Stored) -> NDArray[np.int16]:
    """Which missing code each cell held; 0 everywhere also says that cells hold no codes."""
    rows = len(column.data)
    if not stored.missing:
        held = unpack_held(stored.held, rows) if stored.held else column.why_missing
        return np.zeros(rows, np.int16) if held is None else held
    if len(stored.missing) != len(attribute.missing_codes):
        raise DataError.saying(
            "The codebook does not define how {attribute!r} is stored.", attribute=attribute.name
        )
    if column.why_missing is None:
        # Codes of the other type cannot stand in a cell; Stata's letters may just not occur.
        none: Code = "" if _is_text(column.data) else np.nan
        fitting = [c if isinstance(c, type(none)) else none for c in stored.missing]
        found = _places(column.data, fitting)
        return np.where(_nulls(column.data), 0, found + 1).astype(np.int16)
    # Stata's letters are no cells: the reader counted them in its own order.
    order = {missing.code: i + 1 for i, missing in enumerate(column.missing_codes)}
    translation = np.zeros(len(order) + 1, np.int16)
    for i, code in enumerate(stored.missing):
        if code in order:
            translation[order[code]] = i + 1
    return translation[column.why_missing]


def _places(cells: pa.ChunkedArray, codes: Sequence[Code]) -> Places:
    if _is_empty(cells):
        # A reader cannot tell what would have stood in cells that nobody filled.
        return np.full(len(cells), -1)
    is_text = _is_text(cells)
    fitting = [code for code in codes if isinstance(code, str) == is_text]
    if len(fitting) != len(codes):
        raise DataError("The file has text where the codebook has numbers, or the other way round.")
    value_set = pa.array(fitting, pa.string() if is_text else pa.float64())
    cells = cells.cast(value_set.type)
    return np.asarray(pc.fill_null(pc.index_in(cells, value_set), -1), np.int64)


def _is_text(cells: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_string(cells.type) or pa.types.is_dictionary(cells.type))


def _is_empty(cells: pa.ChunkedArray) -> bool:
    return bool(cells.null_count == len(cells))


def _nulls(cells: pa.ChunkedArray) -> NDArray[np.bool_]:
    return np.asarray(pc.is_null(cells), np.bool_)


Why = NDArray[np.int16]


def parse_declared(column: RawColumn, attribute: Attribute, options: ReadOptions) -> Column:
    """The answers of a raw column under an attribute that is given.

    Raises
    ------
    DataError
        Naming the attribute and the values that are not listed, or the first record that holds
        no number.
    """
    if attribute.kind is Kind.SET:
        return _sets(column, attribute, options)
    column.check_single()
    is_flags = pa.types.is_boolean(column.data.type)
    if isinstance(column, ParsedColumn) and attribute.kind.is_categorical:
        # Values are matched as they are written, and 1.0 is not 1.
        may_differ = pa.types.is_floating(column.data.type) or not is_exact(column.data)
        column = column.texts() if may_differ else column
    column = plain_column(column)
    if attribute.kind.is_categorical:
        find = _Finder(column, attribute, options, is_flags=is_flags)
        return _categories(column, attribute, find)
    try:
        if is_number_type(column.data.type):
            return _numbers(column, attribute, options, to_numbers(column.data))
        return _numbers_of_texts(column, attribute, options)
    except _NoNumber as fault:
        raise fault.error(attribute.name) from None


def _sets(column: RawColumn, attribute: Attribute, options: ReadOptions) -> Column:
    """The sets that cells name; equal texts are read once."""
    column = column.texts() if isinstance(column, ParsedColumn) else plain_column(column)
    if is_number_type(column.data.type):
        column = dataclasses.replace(column, data=written_numbers(column.data))
    words, indices = to_indices(column.data)
    find = _Finder(column, attribute, options, is_flags=False)
    lists = [_named_values(text, attribute, find) for text in words.to_pylist()]
    # The first record of each text, for sentences.
    first = np.zeros(len(lists), np.int64)
    there = indices >= 0
    first[indices[there][::-1]] = np.flatnonzero(there)[::-1]
    used = sorted(np.unique(indices[there]).tolist(), key=lambda place: int(first[place]))
    found = sets.all_missing(len(lists) + 1, attribute.k)
    found[used] = sets.of_lists(
        [lists[place] for place in used], attribute, [int(first[place]) for place in used]
    )
    return Column(attribute, found[indices], _merge_why(column, None))


def _named_values(text: str, attribute: Attribute, find: _Finder) -> list[str] | None:
    """The values that a text names, by their names or codes; None for a missing answer."""
    for written in (text, unescape_formula(text)):
        named = sets.split_text(written)
        if all(value in find.places for value in named):
            return named
    if is_missing_word(text) or text.strip() in find.named:
        return None
    named = sets.split_text(text)
    places = [find.text(value.strip()) for value in named]
    return [
        value if place is None or place[0] < 0 else attribute.values[place[0]]
        for value, place in zip(named, places, strict=True)
    ]


class _NoNumber(Exception):  # noqa: N818 (turned into a sentence at once)
    """A cell of a column of numbers holds something else."""

    def __init__(self, row: int, text: str) -> None:
        super().__init__(text)
        self.row = row
        self.text = text

    def error(self, name: str) -> DataError:
        record = self.row + 1
        return DataError.saying(
            "Attribute {attribute!r}: {text!r} in record {record} is not a number; "
            "correct it or declare it as a missing code.",
            text=self.text[:60],
            record=record,
            attribute=name,
            row=record,
        )


def refuse_infinity(name: str, numbers: Numbers, before: int = 0) -> None:
    """Refuse a column of numbers one of which is infinite: no domain holds it.

    ``before`` is the number of records that were read already.
    """
    infinite = np.isinf(numbers)
    if infinite.any():
        record = before + int(np.flatnonzero(infinite)[0]) + 1
        raise DataError.saying(
            "Attribute {attribute!r}: the number in record {record} is infinite; correct it or "
            "leave the cell empty.",
            record=record,
            attribute=name,
            row=record,
        )


def _categories(column: RawColumn, attribute: Attribute, find: _Finder) -> Column:
    """Each different cell is looked for once; place -1, of a missing cell, is the last one."""
    if is_number_type(column.data.type):
        numbers = to_numbers(column.data)
        distinct, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        texts = list(map(number_text, distinct.tolist()))
        found = [(-1, 0) if np.isnan(one) else find.number(one) for one in distinct.tolist()]
    else:
        words, places = to_indices(column.data)
        texts = words.to_pylist()
        counts = np.bincount(places[places >= 0], minlength=len(texts))
        found = [find.text(text) for text in texts]
    unknown = {t: int(n) for t, n, f in zip(texts, counts, found, strict=True) if f is None and n}
    if unknown:
        raise _not_listed(attribute, unknown)
    codes = np.array([*(f[0] if f else -1 for f in found), -1], np.int64)
    whys = np.array([*(f[1] if f else 0 for f in found), 0], np.int16)
    why = _merge_why(column, whys[places] if whys.any() else None)
    return Column(attribute, np.take(codes.astype(code_type(attribute.k)), places), why)


class _Finder:
    """Finds for a cell (place among the values, place among the missing codes)."""

    def __init__(
        self, column: RawColumn, attribute: Attribute, options: ReadOptions, *, is_flags: bool
    ) -> None:
        self.attribute = attribute
        self.places = {value: i for i, value in enumerate(attribute.values)}
        self.labels = column.value_labels
        self.codes = {code: i for i, code in enumerate(attribute.codes)}
        self.missing: dict[Code | None, int] = {
            m.code: i + 1 for i, m in enumerate(attribute.missing_codes)
        }
        self.named = frozenset(options.missing_codes)
        self.is_flag = is_flags
        self.by_number = _by_number(attribute.values)

    def text(self, text: str) -> tuple[int, int] | None:
        for written in (text, unescape_formula(text)):
            place = self._listed(written, written)
            if place is not None:
                return place, 0
        number = _plain_number(text.strip())
        for code in (text, text.strip(), number):
            if code in self.missing:
                return -1, self.missing[code]
        if text.strip() in self.named or is_missing_word(text):
            return -1, 0
        if number is not None and number in self.by_number:
            return self.by_number[number], 0
        return self._flag(text) if self.is_flag else None

    def _flag(self, text: str) -> tuple[int, int] | None:
        alike = [i for value, i in self.places.items() if value.casefold() == text]
        return (alike[0], 0) if len(alike) == 1 else None

    def number(self, number: float) -> tuple[int, int] | None:
        if number in self.missing:
            return -1, self.missing[number]
        place = self._listed(number, number_text(number))
        if place is not None:
            return place, 0
        ranges = self.attribute.missing_ranges
        if number_text(number) in self.named or any(a <= number <= b for a, b in ranges):
            return -1, 0
        return (self.by_number[number], 0) if number in self.by_number else None

    def _listed(self, code: Code, text: str) -> int | None:
        label = self.labels.get(code)
        if label is not None and label in self.places:
            return self.places[label]
        if text in self.places:
            return self.places[text]
        return self.codes.get(code)


@lru_cache(maxsize=512)
def _by_number(values: tuple[str, ...]) -> Mapping[float, int]:
    """Values by the number they are, as far as no two of them are the same number.

    Kept for some columns, as every chunk and every part of a table asks for the same ones.
    """
    numbers = parse_numerals(pa.array(values, pa.string()), NumberFormat())
    found: dict[float, list[int]] = {}
    for i in np.flatnonzero(~np.isnan(numbers)).tolist():
        found.setdefault(float(numbers[i]), []).append(i)
    return MappingProxyType({number: one[0] for number, one in found.items() if len(one) == 1})


def _plain_number(text: str) -> float | None:
    number = parse_numerals(pa.array([text], pa.string()), NumberFormat())[0] if text else np.nan
    return None if np.isnan(number) else float(number)


def _numbers_of_texts(column: RawColumn, attribute: Attribute, options: ReadOptions) -> Column:
    words, indices = to_indices(column.data)
    form = column.numbers if isinstance(column, TextColumn) else NumberFormat()
    if options.decimal is not None:
        form = NumberFormat(options.decimal, forced=True)
    texts: list[str] = words.to_pylist()
    named = frozenset(options.missing_codes)
    listed = {m.code: i + 1 for i, m in enumerate(attribute.missing_codes)}
    gone = [t in listed or is_missing_among_numbers(t, named) for t in texts]
    real = words.filter(pa.array([not one for one in gone], pa.bool_()))
    numbers = parse_numerals(words, read_numerals(real, form).form)
    numbers = np.where(np.array(gone, np.bool_), np.nan, numbers)
    bad = np.append(np.isnan(numbers) & ~np.array(gone, np.bool_), False)[indices]
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise _NoNumber(row, texts[indices[row]])
    why = None
    whys = np.array([*(listed.get(t, 0) for t in texts), 0], np.int16)
    if whys.any():
        why = whys[indices]
    return _numbers(column, attribute, options, np.append(numbers, np.nan)[indices], why)


def _numbers(
    column: RawColumn,
    attribute: Attribute,
    options: ReadOptions,
    numbers: Numbers,
    why: Why | None = None,
) -> Column:
    found = np.zeros(len(numbers), np.int16)
    gone = np.zeros(len(numbers), np.bool_)
    for i, missing in enumerate(attribute.missing_codes):
        if not isinstance(missing.code, str):
            found[numbers == missing.code] = i + 1
    for low, high in attribute.missing_ranges:
        gone |= (numbers >= low) & (numbers <= high)
    for text in options.missing_codes:
        number = _plain_number(text.strip())
        if number is not None:
            gone |= numbers == number
    gone |= found > 0
    if gone.any():
        numbers = np.where(gone, np.nan, numbers)
    if found.any():
        why = found if why is None else np.where(found > 0, found, why)
    refuse_infinity(attribute.name, numbers)
    return Column(attribute, numbers, _merge_why(column, why))


def _merge_why(column: RawColumn, why: Why | None) -> Why | None:
    if column.why_missing is None:
        return why
    if why is None:
        return column.why_missing
    return np.where(why > 0, why, column.why_missing)


def _not_listed(attribute: Attribute, unknown: dict[str, int]) -> DataError:
    often = sorted(unknown, key=lambda text: (-unknown[text], text))
    shown = shorten(counted_values((text[:40], unknown[text]) for text in often), most=5)
    total = sum(unknown.values())
    records = (
        Message("1 record has a value")
        if total == 1
        else Message("{total} records have values", total=total)
    )
    return DataError.saying(
        "Attribute {attribute!r}: {records} outside its list: {shown}; correct the "
        "file, add the values or declare them as missing codes.",
        records=records,
        shown=shown,
        attribute=attribute.name,
    )
