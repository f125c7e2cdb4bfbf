"""Drawing from the columns of a P-matrix, one random byte per answer.

Every column is turned into whole numbers that sum to 2^62. Of the 256 cells of a byte each answer
gets its whole 256ths, in any order. What is left over of all answers together, a few cells, goes to
a second byte that is shared out in the same way, and what is still left to 46 further bits. So P is
not quantised beyond 2^-62, a transition of probability zero never happens, and nothing but whole
numbers stands between the randomness and the report.

First bytes, second bytes and further bits come from three sequences of a stream, so that answers
that come in chunks are distorted as if they came at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.kernels import Kernel
from ppworkbench.core.rng import Stream

WHOLE = 1 << 62
"""What the whole numbers of a column sum to."""
_CELLS = 256
_LEFT = -2
"""Stands in a table of cells for those that are left over."""
_CELL_BITS = 54
_LAST_BITS = 46
_UNUSED_BITS = 18
"""A word has 64 bits, of which the last stage takes 46."""
_CHUNK, _COMPILED_CHUNK = 1 << 16, 1 << 20
"""Answers drawn at once: the working arrays of numpy then stay in the processor's cache. Compiled
loops have few of them, so that what every piece costs counts for more."""


def _first_loop(data: Any, noise: Any, table: Any, out: Any, rows: Any) -> Any:
    # Unsigned places: whether a signed one counts from the end would be asked for every answer.
    count = np.uint64(0)
    fours = data.size - data.size % 4
    # Four answers are looked up before the count, which is needed one after the other.
    for i in range(0, fours, 4):
        a = table[np.uint64((data[i] + 1) * 256 + noise[i])]
        b = table[np.uint64((data[i + 1] + 1) * 256 + noise[i + 1])]
        c = table[np.uint64((data[i + 2] + 1) * 256 + noise[i + 2])]
        d = table[np.uint64((data[i + 3] + 1) * 256 + noise[i + 3])]
        out[i], out[i + 1], out[i + 2], out[i + 3] = a, b, c, d
        rows[count] = i
        count += np.uint64(a == -2)
        rows[count] = i + 1
        count += np.uint64(b == -2)
        rows[count] = i + 2
        count += np.uint64(c == -2)
        rows[count] = i + 3
        count += np.uint64(d == -2)
    for i in range(fours, data.size):
        out[i] = table[np.uint64((data[i] + 1) * 256 + noise[i])]
        rows[count] = i
        count += np.uint64(out[i] == -2)
    return count


def _second_loop(data: Any, more: Any, table: Any, out: Any, rows: Any, last: Any) -> Any:
    count = np.uint64(0)
    for j in range(rows.size):
        i = np.uint64(rows[j])
        value = table[np.uint64(data[i] * 256 + more[j])]
        out[i] = value
        last[count] = j
        count += np.uint64(value == -2)
    return count


def _last_loop(  # noqa: PLR0913, PLR0917 (the compiled loop knows no classes)
    data: Any, noise: Any, more: Any, words: Any, left: Any, borders: Any, rows: Any, out: Any
) -> None:
    size = borders.shape[1]
    for j in range(rows.size):
        i = rows[j]
        c = data[i]
        first, second = left[0, c], left[1, c]
        cell = (noise[i] - (256 - first)) * second + (more[j] - (256 - second))
        place = (cell << 46) + words[j]
        low, high = 0, size - 1
        while low < high:
            middle = (low + high) >> 1
            if borders[c, middle] > place:
                high = middle
            else:
                low = middle + 1
        out[i] = low


def _example(dtype: type) -> tuple[NDArray[Any], NDArray[np.uint8], NDArray[Any], NDArray[Any]]:
    data, noise = _frozen(np.zeros(4, dtype)), _frozen(np.zeros(4, np.uint8))
    return data, noise, np.zeros(512, dtype), np.zeros(4, dtype)


def _first_example(dtype: type) -> tuple[Any, ...]:
    return *_example(dtype), np.zeros(5, np.int32)


def _second_example(dtype: type) -> tuple[Any, ...]:
    return *_example(dtype), np.zeros(1, np.int32), np.zeros(2, np.int32)


def _last_example(dtype: type) -> tuple[Any, ...]:
    data, noise, _, out = _example(dtype)
    words, rows = np.zeros(1, np.int64), np.zeros(1, np.int32)
    left, borders = np.full((2, 1), 256), np.full((1, 1), WHOLE)
    return data, noise, np.zeros(1, np.uint8), words, left, borders, rows, out


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


_first, _second, _last = SAMPLER_KERNELS = (
    Kernel(_first_loop, lambda: _first_example(np.int8), lambda: _first_example(np.int16)),
    Kernel(_second_loop, lambda: _second_example(np.int8), lambda: _second_example(np.int16)),
    Kernel(_last_loop, lambda: _last_example(np.int8), lambda: _last_example(np.int16)),
)


class MatrixSampler:
    """Draws distorted codes from a P-matrix whose columns are the true answers.

    >>> from ppworkbench.core.rng import SeededStreams
    >>> sampler = MatrixSampler(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> sampler.draw(np.array([0, 1, -1], np.int8), SeededStreams(1).stream("a")).tolist()
    [1, 0, -1]
    """

    def __init__(self, matrix: NDArray[np.float64]) -> None:
        whole = whole_columns(matrix)
        of_first = whole >> _CELL_BITS
        first = _CELLS - of_first.sum(axis=0)
        rest = whole & ((1 << _CELL_BITS) - 1)
        # A cell of the second byte is 1/256 of what the first one left over.
        cell = first << _LAST_BITS
        of_second = rest // np.maximum(cell, 1)
        second = _CELLS - of_second.sum(axis=0)
        # A missing answer, whose code is -1, stays missing whatever the byte is.
        missing = np.full((1, _CELLS), -1)
        self._first_table = np.vstack([missing, _cells(of_first)]).ravel().astype(np.int16)
        self._second_table = _cells(of_second).ravel().astype(np.int16)
        self._left = np.array([first, second])
        self._borders = np.ascontiguousarray(np.cumsum(rest - of_second * cell, axis=0).T)
        self._tables: dict[np.dtype[Any], tuple[NDArray[Any], NDArray[Any]]] = {}

    def draw(self, data: NDArray[Any], stream: Stream) -> NDArray[Any]:
        """Distort codes; -1 stays -1."""
        out = np.empty_like(data)
        data = _frozen(data.view())
        is_compiled = data.dtype in (np.int8, np.int16) and all(
            kernel.compiled is not None for kernel in SAMPLER_KERNELS
        )
        chunk = _COMPILED_CHUNK if is_compiled else _CHUNK
        found = np.empty((2, min(len(data), chunk) + 1), np.int32) if is_compiled else None
        for start in range(0, len(data), chunk):
            part = slice(start, start + chunk)
            if found is None:
                self._draw_with_numpy(data[part], out[part], stream)
            else:
                self._draw_compiled(data[part], out[part], stream, found)
        return out

    def _tables_of(self, dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The tables of cells with answers of a type: small ones stay in the cache."""
        found = self._tables.get(dtype)
        if found is None:
            found = self._first_table.astype(dtype), self._second_table.astype(dtype)
            self._tables[dtype] = found
        return found

    def _draw_compiled(
        self, data: NDArray[Any], out: NDArray[Any], stream: Stream, found: NDArray[np.int32]
    ) -> None:
        """Distort a piece; ``found`` is room for the rows that are left over, twice."""
        look_up, look_again, resolve = (kernel.compiled for kernel in SAMPLER_KERNELS)
        assert look_up and look_again and resolve  # noqa: S101, PT018 (tells the type checker)
        first_table, second_table = self._tables_of(data.dtype)
        # Bytes of the operating system cannot be written to, so that no others may be either.
        noise = _frozen(stream.bytes(len(data)))
        rows = found[0, : look_up(data, noise, first_table, out, found[0])]
        more = _frozen(stream.second_bytes(len(rows)))
        last = found[1, : look_again(data, more, second_table, out, rows, found[1])]
        words = _last_bits(stream, len(last))
        resolve(data, noise, more[last], words, self._left, self._borders, rows[last], out)

    def _draw_with_numpy(self, data: NDArray[Any], out: NDArray[Any], stream: Stream) -> None:
        first_table, second_table = self._tables_of(data.dtype)
        noise = stream.bytes(len(data))
        # The table's first row is for missing answers, hence the step by one.
        cell = data.astype(np.intp)
        cell += 1
        cell *= _CELLS
        cell += noise
        first_table.take(cell, out=out, mode="clip")
        rows = np.flatnonzero(out == _LEFT)
        column = data[rows].astype(np.intp)
        more = stream.second_bytes(len(rows))
        value = second_table[column * _CELLS + more]
        last = np.flatnonzero(value == _LEFT)
        value[last] = self._resolve(
            column[last], noise[rows[last]], more[last], _last_bits(stream, len(last))
        )
        out[rows] = value

    def _resolve(
        self,
        column: NDArray[np.intp],
        noise: NDArray[np.uint8],
        more: NDArray[np.uint8],
        words: NDArray[np.int64],
    ) -> NDArray[np.intp]:
        """The answers of those whom no cell of two bytes has one for."""
        first, second = self._left[:, column]
        cell = (noise - (_CELLS - first)) * second + (more - (_CELLS - second))
        place = (cell << _LAST_BITS) + words
        low = np.zeros(len(column), np.intp)
        high = np.full(len(column), self._borders.shape[1] - 1)
        while (low < high).any():
            middle = (low + high) >> 1
            is_above = self._borders[column, middle] > place
            high = np.where(is_above, middle, high)
            low = np.where(is_above, low, np.minimum(middle + 1, high))
        return low


def _cells(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """One row of 256 answers for each column of counts; those at the end are left over."""
    table = np.full((counts.shape[1], _CELLS), _LEFT)
    answers = np.arange(len(counts))
    for row, own in zip(table, counts.T, strict=True):
        row[: own.sum()] = np.repeat(answers, own)
    return table


def _last_bits(stream: Stream, n: int) -> NDArray[np.int64]:
    return (stream.words(n) >> np.uint64(_UNUSED_BITS)).astype(np.int64)


def whole_columns(matrix: NDArray[np.float64]) -> NDArray[np.int64]:
    """The columns, which sum to 1 but for rounding, as whole numbers that sum to 2^62.

    They are rounded by largest remainder, and what is positive never becomes 0.

    >>> whole_columns(np.array([[0.75], [0.25], [0.0]])).tolist() == [[3 << 60], [1 << 60], [0]]
    True
    """
    scaled = matrix * float(WHOLE)
    whole = np.floor(scaled).astype(np.int64)
    # A column of doubles hardly ever sums to 1, so that more is missing than the fractions: each
    # answer bears its share of it. All of that is so little that doubles hold it with its digits.
    fractions = scaled - np.floor(scaled)
    missing = (WHOLE - whole.sum(axis=0)) - fractions.sum(axis=0)
    fractions += missing * matrix / matrix.sum(axis=0)
    whole += np.floor(fractions).astype(np.int64)
    fractions -= np.floor(fractions)
    fractions[matrix == 0] = -1.0
    ranks = np.argsort(np.argsort(-fractions, axis=0, kind="stable"), axis=0)
    whole += ranks < WHOLE - whole.sum(axis=0)
    lost = (whole < 1) & (matrix > 0)
    whole[lost] = 1
    columns = np.arange(matrix.shape[1])
    whole[np.argmax(whole, axis=0), columns] += WHOLE - whole.sum(axis=0)
    return whole


def cumulative_steps(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cumulated columns that reach exactly 1 at their last possible value.

    Rounding would otherwise leave a sliver above the last step that belongs to no value, or give
    it to one of probability zero.
    """
    steps: NDArray[np.float64] = np.minimum(np.cumsum(matrix, axis=0) / matrix.sum(axis=0), 1.0)
    k = len(matrix)
    last = k - 1 - np.argmax(matrix[::-1] > 0, axis=0)
    steps[np.arange(k)[:, None] >= last] = 1.0
    return steps
