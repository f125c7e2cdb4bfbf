"""Bring a file's columns back to the attributes of the codebook that came with it."""

from __future__ import annotations

import base64
import dataclasses
import zlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Code
from ppworkbench.core.data.codebook import Codebook, Stored
from ppworkbench.core.data.numerals import number_text
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import Column, shorten
from ppworkbench.core.errors import DataError
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
        raise DataError(Message("The columns are not those of the codebook: {about}.", about=about))
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
    named = {code: value for code, value in pairs if _code_text(code) not in attribute.values}
    return named | {_code_text(code): value for code, value in named.items()}


def _code_text(code: Code) -> str:
    return code if isinstance(code, str) else number_text(code)


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
    """Answers as the attribute's own values, in place of the codes that the file had."""
    cells = column.data
    missing = _missing_places(column, attribute, stored)
    if not stored.codes and not stored.missing:
        return dataclasses.replace(column, why_missing=missing)
    if attribute.kind.is_categorical:
        if len(stored.codes) != attribute.k:
            raise DataError(
                Message(
                    "The codebook does not say how {attribute!r} is stored.",
                    attribute=attribute.name,
                )
            )
        places = _places(cells, stored.codes)
        unknown = (places < 0) & (missing == 0) & ~_nulls(cells)
        if unknown.any():
            row = int(np.flatnonzero(unknown)[0])
            raise DataError(
                Message(
                    "The codebook has no value for {cell!r} of {attribute!r}.",
                    cell=cells[row].as_py(),
                    attribute=attribute.name,
                ),
                attribute=attribute.name,
                row=row,
            )
        places[missing > 0] = -1
        data = as_dictionary(places, attribute.values)
    else:
        if _is_text(cells):
            raise DataError(
                Message(
                    "Attribute {attribute!r} has text where numbers should be.",
                    attribute=attribute.name,
                )
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
        raise DataError(
            Message(
                "The codebook does not say how {attribute!r} is stored.", attribute=attribute.name
            )
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
    """Where each cell stands among the codes; -1 where nowhere."""
    is_text = _is_text(cells)
    fitting = [code for code in codes if isinstance(code, str) == is_text]
    if len(fitting) != len(codes):
        raise DataError("The file has text where the codebook has numbers, or the other way round.")
    value_set = pa.array(fitting, pa.string() if is_text else pa.float64())
    cells = cells.cast(value_set.type)
    return np.asarray(pc.fill_null(pc.index_in(cells, value_set), -1), np.int64)


def _is_text(cells: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_string(cells.type) or pa.types.is_dictionary(cells.type))


def _nulls(cells: pa.ChunkedArray) -> NDArray[np.bool_]:
    return np.asarray(pc.is_null(cells), np.bool_)
