"""Columns that Arrow parsed as numbers although that may have lost something.

Arrow reads ``007`` as 7. The bytes of the file were watched for fields that begin like that;
when all of them are found again in columns of text, no column of numbers had one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.cells import is_number_type
from ppworkbench.core.data.csv_source import ByteWatch
from ppworkbench.core.data.numerals import LARGEST_WHOLE
from ppworkbench.core.data.sniff import Dialect
from ppworkbench.core.data.summary import NumberSummary, TextSummary

_ZERO = r"^[ +\t-]?0[0-9xX]"
_FEW = 20


def doubtful_columns(
    columns: Mapping[str, pa.ChunkedArray], dialect: Dialect, watch: ByteWatch
) -> list[str]:
    """Columns of numbers whose texts have to be looked at after all."""
    numeric = [name for name, data in columns.items() if is_number_type(data.type)]
    seen = sum(_zeros_in_texts(data) for name, data in columns.items() if name not in numeric)
    seen += _zeros_in_names(dialect)
    if watch.zeros != seen:
        return numeric
    return [name for name in numeric if _is_doubtful(columns[name])]


def doubtful_summaries(
    summaries: Mapping[str, TextSummary | NumberSummary],
    types: Mapping[str, pa.DataType],
    dialect: Dialect,
    watch: ByteWatch,
) -> list[str]:
    """The same for columns of which only summaries are at hand."""
    numeric = [name for name, one in summaries.items() if isinstance(one, NumberSummary)]
    texts = [one for one in summaries.values() if isinstance(one, TextSummary)]
    seen = sum(_count_zeros(one.texts, one.counts) for one in texts) + _zeros_in_names(dialect)
    if watch.zeros != seen:
        return numeric
    doubtful = []
    for name in numeric:
        one = summaries[name]
        assert isinstance(one, NumberSummary)  # noqa: S101 (so they were chosen)
        ends = [one.low, one.high, *(code for code, _ in one.outer)]
        rounded = any(abs(end) >= LARGEST_WHOLE for end in ends) and one.present > 0
        few = one.is_whole and one.distinct is not None and len(one.distinct) <= _FEW
        if rounded or (few and one.present > 0 and types[name] == pa.float64()):
            doubtful.append(name)
    return doubtful


def _zeros_in_texts(data: pa.ChunkedArray) -> int:
    """How many cells of a column of text begin like ``007``."""
    if not data.num_chunks:
        return 0
    words = data.chunk(0).dictionary
    counts = sum(
        np.bincount(np.asarray(chunk.indices), minlength=len(words)) for chunk in data.chunks
    )
    return _count_zeros(words, counts)


def _count_zeros(words: pa.Array, counts: Any) -> int:
    found = np.asarray(pc.match_substring_regex(words, _ZERO), np.bool_)
    return int(counts[found].sum()) if found.any() else 0


def _zeros_in_names(dialect: Dialect) -> int:
    if not dialect.has_header:
        return 0
    return sum(re.match(_ZERO, name) is not None for name in dialect.names)


def _is_doubtful(data: pa.ChunkedArray) -> bool:
    """Whether numbers may have been rounded, or are few whole ones written as decimals."""
    bounds = pc.min_max(data).as_py()
    low, high = bounds["min"], bounds["max"]
    if low is None:
        return False
    if not (abs(low) < LARGEST_WHOLE and abs(high) < LARGEST_WHOLE):
        return True
    if pa.types.is_integer(data.type):
        return False
    head = data.slice(0, 10_000).drop_null()
    if len(head.unique()) > _FEW or not pc.all(pc.equal(head, pc.round(head))).as_py():
        return False
    distinct = data.drop_null().unique()
    return len(distinct) <= _FEW and bool(pc.all(pc.equal(distinct, pc.round(distinct))).as_py())
