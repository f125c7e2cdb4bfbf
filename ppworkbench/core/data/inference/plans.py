"""How the cells of a column become answers, once its attribute is settled.

A plan is made from the summary of a whole column and then applied to the column at once, or
chunk by chunk with the same result.

A summary is what has to be known of a column to guess its kind, small however long the column is.
Those of pieces add up to that of the whole, so that a file larger than memory is judged exactly
like one that is read at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.missing import TYPICAL_CODES
from ppworkbench.core.data.numerals import (
    FEW_WHOLES,
    LARGEST_WHOLE,
    NumberFormat,
    Wholes,
    parse_numerals,
    to_indices,
    to_numbers,
    to_wholes,
)
from ppworkbench.core.data.table import Column, code_type

Why = NDArray[np.int16]

_LONGEST_TABLE = 4096


@dataclass(frozen=True, eq=False)
class NumberDecoder:
    """Cells that are numbers.

    ``categories`` are the numbers that stand for the attribute's values, in ascending order;
    None when the attribute is numeric. ``missing`` has one number per missing code of the
    attribute, None for a code that is no number.
    """

    attribute: Attribute
    categories: Numbers | None = None
    missing: tuple[float | None, ...] = ()
    notes: tuple[str, ...] = ()

    def encode(self, data: pa.ChunkedArray) -> Column:
        wholes = to_wholes(data)
        return (
            self.encode_numbers(to_numbers(data)) if wholes is None else self.encode_wholes(wholes)
        )

    def encode_wholes(self, wholes: Wholes) -> Column:
        """Turn whole numbers into answers; none of them is missing."""
        table = self._table()
        if table is None:
            return self.encode_numbers(wholes.astype(np.float64))
        return Column(self.attribute, np.take(table, wholes))

    def _table(self) -> NDArray[Any] | None:
        """The code of each whole number from zero on, when all cells are small categories.

        Numbers that are taken for missing would lie outside the table, so there must be none.
        """
        categories = self.categories
        if categories is None or not len(categories) or self.missing:
            return None
        low, high = float(categories[0]), float(categories[-1])
        if low < 0 or high >= _LONGEST_TABLE or (categories != np.rint(categories)).any():
            return None
        codes = np.full(int(high) + 1, -1, code_type(self.attribute.k))
        codes[categories.astype(np.int64)] = np.arange(len(categories))
        return codes

    def encode_numbers(self, numbers: Numbers, why: Why | None = None) -> Column:
        """Turn doubles into answers; NaN is missing."""
        numbers, why = self._take_out_codes(numbers, why)
        if self.categories is None:
            return Column(self.attribute, numbers, why)
        codes = _find(numbers, self.categories)
        return Column(self.attribute, codes.astype(code_type(self.attribute.k)), why)

    def _take_out_codes(self, numbers: Numbers, why: Why | None) -> tuple[Numbers, Why | None]:
        for i, code in enumerate(self.missing):
            if code is None:
                continue
            found = numbers == code
            if not found.any():
                continue
            why = np.zeros(len(numbers), np.int16) if why is None else why.copy()
            why[found] = i + 1
            numbers = np.where(found, np.nan, numbers)
        return numbers, why


@dataclass(frozen=True, eq=False)
class TextPlan:
    """Cells that are texts; ``codes`` has the answer of each known text, -1 for missing."""

    attribute: Attribute
    texts: pa.Array
    codes: NDArray[np.int64]
    whys: NDArray[np.int16] | None = None
    notes: tuple[str, ...] = ()

    def encode(self, data: pa.ChunkedArray) -> Column:
        return self.encode_words(*to_indices(data))

    def encode_words(self, words: pa.Array, indices: NDArray[Any]) -> Column:
        known = np.asarray(pc.fill_null(pc.index_in(words, self.texts), -1), np.int64)
        codes = np.append(np.append(self.codes, -1)[known], -1)
        # Place -1, of a null, is the last one and stands for missing.
        code = codes.astype(code_type(self.attribute.k))
        whys = None
        if self.whys is not None:
            whys = np.append(np.append(self.whys, np.int16(0))[known], np.int16(0))[indices]
        return Column(self.attribute, np.take(code, indices), whys)


@dataclass(frozen=True, eq=False)
class NumeralPlan:
    inner: NumberDecoder
    form: NumberFormat
    missing_texts: frozenset[str] = field(default=frozenset())

    @property
    def attribute(self) -> Attribute:
        return self.inner.attribute

    @property
    def notes(self) -> tuple[str, ...]:
        return self.inner.notes

    def encode(self, data: pa.ChunkedArray) -> Column:
        return self.encode_words(*to_indices(data))

    def encode_words(self, words: pa.Array, indices: NDArray[Any]) -> Column:
        numbers = np.append(parse_numerals(words, self.form), np.nan)
        if self.missing_texts:
            gone = pc.is_in(words, pa.array(sorted(self.missing_texts), pa.string()))
            numbers[:-1][np.asarray(gone, np.bool_)] = np.nan
        return self.inner.encode_numbers(np.take(numbers, indices))


WordPlan = TextPlan | NumeralPlan
"""How cells that are texts become answers."""
Plan = NumberDecoder | WordPlan
"""A settled attribute, sentences about how it was found, and how cells become its answers."""


def _find(numbers: Numbers, categories: Numbers) -> NDArray[np.signedinteger[Any]]:
    """The place of each number among ascending categories; -1 where it is none of them."""
    k = len(categories)
    if not k:
        return np.full(len(numbers), -1, np.int64)
    low, high = categories[0], categories[-1]
    if high - low < _LONGEST_TABLE and (categories == np.rint(categories)).all():
        # One table look-up per cell; everything that is no category lands on the last place.
        width = int(high - low) + 1
        table = np.full(width + 1, -1, np.int16)
        table[(categories - low).astype(np.int64)] = np.arange(k)
        with np.errstate(invalid="ignore"):
            inside = (numbers >= low) & (numbers <= high)
        if inside.all():
            shifted = (numbers - low).astype(np.int16)
        else:
            shifted = np.where(inside, numbers - low, width).astype(np.int16)
        found: NDArray[np.signedinteger[Any]] = table[shifted]
        return found
    places = np.minimum(np.searchsorted(categories, numbers), k - 1)
    return np.where(categories[places] == numbers, places, -1)


MOST_DISTINCT = 256
"""Numbers with more different values are never categories, so they are not counted one by one."""

_SUMMARY_LONGEST_TABLE = 65536
_LOOK = 4096


@dataclass(frozen=True, eq=False)
class TextSummary:
    """The different texts of a column and how often each occurs; ``nulls`` are empty already."""

    texts: pa.Array
    counts: Counts
    nulls: int = 0

    @property
    def present(self) -> int:
        return int(self.counts.sum())

    def __add__(self, other: TextSummary) -> TextSummary:
        """The summary of both pieces; texts keep the order in which they came."""
        places = pc.index_in(other.texts, self.texts)
        fresh = np.asarray(pc.is_null(places), np.bool_)
        texts = pa.concat_arrays([self.texts, other.texts.filter(pa.array(fresh))])
        counts = np.concatenate([self.counts, other.counts[fresh]])
        known = np.asarray(places.drop_null(), np.int64)
        counts[known] += other.counts[~fresh]
        return TextSummary(texts, counts, self.nulls + other.nulls)

    def without(self, leave_out: NDArray[np.bool_]) -> TextSummary:
        """Only the texts that are not left out; the others count as empty."""
        nulls = self.nulls + int(self.counts[leave_out].sum())
        return TextSummary(self.texts.filter(pa.array(~leave_out)), self.counts[~leave_out], nulls)


@dataclass(frozen=True, eq=False)
class NumberSummary:
    """The range of a column of numbers, and its different values when they are few.

    ``outer`` holds numbers that often mean "no answer" (such as -9 or 999) at the ends of the
    range, with their counts; ``low`` and ``high`` are the range of all the others.
    """

    present: int
    missing: int
    low: float = np.inf
    high: float = -np.inf
    is_whole: bool = True
    is_unique: bool = True
    outer: tuple[tuple[float, int], ...] = ()
    distinct: Numbers | None = None
    counts: Counts | None = None

    def __add__(self, other: NumberSummary) -> NumberSummary:
        if self.present == 0 or other.present == 0:
            full, empty = (self, other) if self.present else (other, self)
            return NumberSummary(**{**vars(full), "missing": full.missing + empty.missing})
        outer = dict(self.outer)
        for number, count in other.outer:
            outer[number] = outer.get(number, 0) + count
        distinct, counts = _add_counts(self, other)
        return NumberSummary(
            present=self.present + other.present,
            missing=self.missing + other.missing,
            low=min(self.low, other.low),
            high=max(self.high, other.high),
            is_whole=self.is_whole and other.is_whole,
            is_unique=_stay_unique(self, other),
            outer=tuple(sorted(outer.items())),
            distinct=distinct,
            counts=counts,
        )


def loses_something(summary: NumberSummary, *, is_real: bool) -> bool:
    """Whether numbers parsed from text may differ from what was written.

    Whole numbers may have been rounded; few whole numbers parsed as reals may have been written
    as ``1`` and ``1.0``, which are two answers.
    """
    if not summary.present:
        return False
    ends = (summary.low, summary.high, *(code for code, _ in summary.outer))
    if any(abs(end) >= LARGEST_WHOLE for end in ends):
        return True
    few = summary.distinct is not None and len(summary.distinct) <= FEW_WHOLES
    return is_real and few and summary.is_whole


def summarise_texts(column: pa.ChunkedArray) -> TextSummary:
    return summarise_indices(*to_indices(column))


def summarise_indices(texts: pa.Array, indices: NDArray[Any]) -> TextSummary:
    real = indices[indices >= 0] if indices.min(initial=0) < 0 else indices
    counts = np.bincount(real, minlength=len(texts)).astype(np.int64)
    nulls = len(indices) - len(real)
    # A dictionary may list values that no cell holds.
    used = counts > 0
    if used.all():
        return TextSummary(texts, counts, nulls)
    return TextSummary(texts.filter(pa.array(used)), counts[used], nulls)


def summarise_column(column: pa.ChunkedArray) -> NumberSummary:
    wholes = to_wholes(column)
    return summarise_numbers(to_numbers(column)) if wholes is None else summarise_wholes(wholes)


def summarise_wholes(wholes: Wholes) -> NumberSummary:
    if not len(wholes):
        return NumberSummary(0, 0)
    low, high = int(wholes.min()), int(wholes.max())
    # The beginning tells whether it is worth while to count all.
    if high - low >= _SUMMARY_LONGEST_TABLE or len(np.unique(wholes[:_LOOK])) > MOST_DISTINCT:
        return _summarise_many(wholes.astype(np.float64), 0, is_whole=True)
    # Numbers that begin near zero need not be moved there.
    shift = 0 if 0 <= low < _SUMMARY_LONGEST_TABLE else low
    table = np.bincount(wholes - shift if shift else wholes)
    places = np.flatnonzero(table)
    return counted_summary((places + shift).astype(np.float64), table[places], 0)


def summarise_numbers(numbers: Numbers) -> NumberSummary:
    """Summarise doubles; NaN is missing."""
    gone = np.isnan(numbers)
    missing = int(np.count_nonzero(gone))
    present = numbers[~gone] if missing else numbers
    if not len(present):
        return NumberSummary(0, missing)
    few = _count_few(present)
    return _summarise_many(present, missing) if few is None else counted_summary(*few, missing)


def counted_summary(numbers: Numbers, counts: Counts, missing: int) -> NumberSummary:
    """The summary of numbers that are counted already; they may repeat, but not be NaN."""
    if not len(numbers):
        return NumberSummary(0, missing)
    distinct, places = np.unique(numbers, return_inverse=True)
    counts = np.bincount(places, weights=counts, minlength=len(distinct)).astype(np.int64)
    first, last = _inner(distinct)
    outer = [*range(first), *range(last, len(distinct))]
    few = len(distinct) <= MOST_DISTINCT
    return NumberSummary(
        present=int(counts.sum()),
        missing=missing,
        low=float(distinct[first]) if first < last else np.inf,
        high=float(distinct[last - 1]) if first < last else -np.inf,
        is_whole=bool((distinct == np.rint(distinct)).all()),
        is_unique=bool((counts == 1).all()),
        outer=tuple((float(distinct[i]), int(counts[i])) for i in outer),
        distinct=distinct if few else None,
        counts=counts if few else None,
    )


def _inner(distinct: Numbers) -> tuple[int, int]:
    """Where the numbers begin and end that are not typical missing codes."""
    first, last = 0, len(distinct)
    while first < last and float(distinct[first]) in TYPICAL_CODES and distinct[first] < 0:
        first += 1
    while first < last and float(distinct[last - 1]) in TYPICAL_CODES and distinct[last - 1] > 0:
        last -= 1
    return first, last


def _summarise_many(
    present: Numbers, missing: int, *, is_whole: bool | None = None
) -> NumberSummary:
    low, high = float(present.min()), float(present.max())
    outer = []
    while low < 0 and low in TYPICAL_CODES:
        outer.append((low, int(np.count_nonzero(present == low))))
        low = float(present.min(where=present > low, initial=np.inf))
    while high > 0 and high in TYPICAL_CODES:
        outer.append((high, int(np.count_nonzero(present == high))))
        high = float(present.max(where=present < high, initial=-np.inf))
    return NumberSummary(
        present=len(present),
        missing=missing,
        low=low,
        high=high,
        is_whole=_all_whole(present) if is_whole is None else is_whole,
        is_unique=_all_different(present),
        outer=tuple(sorted(outer)),
    )


def _count_few(present: Numbers) -> tuple[Numbers, Counts] | None:
    head = np.unique(present[:_LOOK])
    if len(head) > MOST_DISTINCT:
        return None
    low, high = present.min(), present.max()
    # A text such as 1e400 is infinite, and two of them have no difference.
    is_near = np.isfinite([low, high]).all() and high - low < _SUMMARY_LONGEST_TABLE
    if is_near and _all_whole(present):
        table = np.bincount((present - low).astype(np.int64))
        places = np.flatnonzero(table)
        if len(places) > MOST_DISTINCT:
            return None
        return places + low, table[places].astype(np.int64)
    distinct, counts = np.unique(present, return_counts=True)
    if len(distinct) > MOST_DISTINCT:
        return None
    return distinct, counts.astype(np.int64)


def _all_whole(present: Numbers) -> bool:
    # Decimals show at the beginning already; the long look is only for whole numbers.
    head = present[:_LOOK]
    return bool((head == np.rint(head)).all()) and bool((present == np.rint(present)).all())


def _all_different(present: Numbers) -> bool:
    head = present[:_LOOK]
    if len(np.unique(head)) < len(head):
        return False
    return bool((present[1:] > present[:-1]).all()) or len(np.unique(present)) == len(present)


def _stay_unique(one: NumberSummary, two: NumberSummary) -> bool:
    # Pieces of a counter follow each other; anything else is not looked at again.
    apart = one.high < two.low or two.high < one.low
    return one.is_unique and two.is_unique and apart


def _add_counts(
    one: NumberSummary, two: NumberSummary
) -> tuple[Numbers, Counts] | tuple[None, None]:
    if one.distinct is None or two.distinct is None or one.counts is None or two.counts is None:
        return None, None
    distinct, places = np.unique(np.concatenate([one.distinct, two.distinct]), return_inverse=True)
    if len(distinct) > MOST_DISTINCT:
        return None, None
    weights = np.concatenate([one.counts, two.counts])
    return distinct, np.bincount(places, weights=weights).astype(np.int64)
