"""How the cells of one column become answers, once its attribute is settled.

A plan is made from the summary of a whole column and then applied to the column at once, or
chunk by chunk with the same result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.cells import Wholes, to_indices, to_numbers, to_wholes
from ppworkbench.core.data.numerals import NumberFormat, parse_numerals
from ppworkbench.core.data.table import Column, code_type

Numbers = NDArray[np.float64]
Why = NDArray[np.int16]

_LONGEST_TABLE = 4096


class Plan(Protocol):
    """An attribute, sentences about how it was found, and how to encode cells."""

    @property
    def attribute(self) -> Attribute:
        """The settled attribute."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user."""

    def encode(self, data: pa.ChunkedArray) -> Column:
        """Turn cells into answers."""


class WordPlan(Plan, Protocol):
    """A plan for cells that are texts."""

    def encode_words(self, words: pa.Array, indices: NDArray[Any]) -> Column:
        """Turn places in a list of texts into answers; -1 is missing."""


@dataclass(frozen=True, eq=False)
class NumberPlan:
    """Cells that are numbers.

    ``categories`` are the numbers that stand for the attribute's values, in ascending order;
    None when the attribute is numeric. ``missing`` has one number per missing code of the
    attribute, None for a code that is no number.
    """

    attribute: Attribute
    categories: Numbers | None = None
    places: NDArray[np.int64] | None = None
    missing: tuple[float | None, ...] = ()
    notes: tuple[str, ...] = ()

    def encode(self, data: pa.ChunkedArray) -> Column:
        """Turn numbers into answers."""
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
        if categories is None or not len(categories) or self.missing or self.places is not None:
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
        if self.places is not None:
            codes = np.append(self.places, -1)[codes]
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
        """Turn texts into answers."""
        return self.encode_words(*to_indices(data))

    def encode_words(self, words: pa.Array, indices: NDArray[Any]) -> Column:
        """Turn places in a list of texts into answers; -1 is missing."""
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
    """Cells that are numbers written as text."""

    inner: NumberPlan
    form: NumberFormat
    missing_texts: frozenset[str] = field(default=frozenset())

    @property
    def attribute(self) -> Attribute:
        """The settled attribute."""
        return self.inner.attribute

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user."""
        return self.inner.notes

    def encode(self, data: pa.ChunkedArray) -> Column:
        """Turn numerals into answers."""
        return self.encode_words(*to_indices(data))

    def encode_words(self, words: pa.Array, indices: NDArray[Any]) -> Column:
        """Turn places in a list of numerals into answers; -1 is missing."""
        numbers = np.append(parse_numerals(words, self.form), np.nan)
        if self.missing_texts:
            gone = pc.is_in(words, pa.array(sorted(self.missing_texts), pa.string()))
            numbers[:-1][np.asarray(gone, np.bool_)] = np.nan
        return self.inner.encode_numbers(np.take(numbers, indices))


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
