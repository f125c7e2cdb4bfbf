"""Columns that Arrow parsed as numbers although that may have lost something.

Arrow reads ``007`` as 7. The bytes of the file were watched for fields that begin like that;
when all of them are found again in columns of text, no column of numbers had one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.data.cells import is_number_type
from ppworkbench.core.data.csv_source import ByteWatch
from ppworkbench.core.data.sniff import Dialect
from ppworkbench.core.data.summary import NumberSummary, TextSummary, loses_something

_ZERO = r"^[ +\t-]?0[0-9xX]"


def has_lost_zeros(
    columns: Mapping[str, pa.ChunkedArray], dialect: Dialect, watch: ByteWatch
) -> bool:
    """Whether a column of numbers may have had a field such as ``007``."""
    texts = [data for data in columns.values() if not is_number_type(data.type)]
    return watch.zeros != sum(map(_zeros_in_texts, texts)) + _zeros_in_names(dialect)


def doubtful_summaries(
    summaries: Mapping[str, TextSummary | NumberSummary],
    types: Mapping[str, pa.DataType],
    dialect: Dialect,
    watch: ByteWatch,
) -> list[str]:
    """Columns of numbers whose texts have to be looked at, by the summaries of all columns."""
    numeric = [name for name, one in summaries.items() if isinstance(one, NumberSummary)]
    texts = [one for one in summaries.values() if isinstance(one, TextSummary)]
    seen = sum(
        int(one.counts[_begin_with_zero(one.texts)].sum()) for one in texts
    ) + _zeros_in_names(dialect)
    if watch.zeros != seen:
        return numeric
    return [
        name
        for name, one in summaries.items()
        if isinstance(one, NumberSummary)
        and loses_something(one, is_real=types[name] == pa.float64())
    ]


def _zeros_in_texts(data: pa.ChunkedArray) -> int:
    """How many cells of a column of text begin like ``007``."""
    if not data.num_chunks:
        return 0
    words = data.chunk(0).dictionary
    found = _begin_with_zero(words)
    if not found.any():
        return 0
    table = np.append(found, False)
    return sum(int(np.count_nonzero(table[np.asarray(c.indices)])) for c in data.chunks)


def _begin_with_zero(words: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(pc.match_substring_regex(words, _ZERO), np.bool_)


def _zeros_in_names(dialect: Dialect) -> int:
    if not dialect.has_header:
        return 0
    return sum(re.match(_ZERO, name) is not None for name in dialect.names)
