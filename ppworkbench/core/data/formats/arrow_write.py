"""Tables as Arrow columns, with our codebook in the schema's metadata.

Cells hold answers or nothing. Where a file declared several missing codes, a column beside it
(``NAME.missing``) says which one a cell held, so that other programs see it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.formats.names import free_name
from ppworkbench.core.data.formats.stored import code_text
from ppworkbench.core.data.restore import as_dictionary
from ppworkbench.core.data.table import Column, Table

CODEBOOK_KEY = b"ppworkbench.codebook"
COMPANION_KEY = b"ppworkbench.missing_of"


def table_to_arrow(
    table: Table, design: Mapping[str, Any] | None = None, *, with_codebook: bool = True
) -> pa.Table:
    """A table as Arrow columns, with the codebook in the schema's metadata."""
    fields: list[pa.Field] = []
    arrays: list[pa.ChunkedArray] = []
    taken = set(table.names)
    for column in table:
        arrays.append(_to_arrow(column))
        fields.append(pa.field(column.name, arrays[-1].type))
        if column.why_missing is not None:
            name = free_name(f"{column.name}.missing", taken)
            taken.add(name)
            arrays.append(_companion(column))
            marked = {COMPANION_KEY: column.name.encode()}
            fields.append(pa.field(name, arrays[-1].type, metadata=marked))
    metadata = None
    if with_codebook:
        codebook = Codebook(table.attributes, table.class_name, design=design)
        metadata = {CODEBOOK_KEY: codebook.to_text().encode()}
    return pa.table(arrays, pa.schema(fields, metadata))


def _to_arrow(column: Column) -> pa.ChunkedArray:
    attribute = column.attribute
    if column.is_categorical:
        ordered = attribute.kind is Kind.ORDINAL
        return as_dictionary(column.data, attribute.values, ordered=ordered)
    numbers = pa.array(column.data, mask=column.missing)
    present = column.data[~column.missing]
    # Whole numbers are exact in doubles up to 2^53.
    if attribute.kind is Kind.INTEGER and bool(
        np.all((present == np.rint(present)) & (np.abs(present) <= 2.0**53))
    ):
        numbers = numbers.cast(pa.int64())
    return pa.chunked_array([numbers])


def _companion(column: Column) -> pa.ChunkedArray:
    assert column.why_missing is not None  # noqa: S101 (said by the caller)
    held = np.where(column.missing, column.why_missing, 0).astype(np.int32) - 1
    return as_dictionary(held, missing_words(column.attribute))


def missing_words(attribute: Attribute) -> list[str]:
    """A word for each missing code: the code, and its place when two codes read alike."""
    words: list[str] = []
    for i, missing in enumerate(attribute.missing_codes):
        word = code_text(missing.code)
        words.append(word if word not in words else f"{word} ({i + 1})")
    return words
