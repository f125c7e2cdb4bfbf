"""Drawing from the columns of a P-matrix, one random byte per answer.

A byte picks one of 256 equal cells of the column's cumulative distribution. Nearly all cells
lie inside one step of it and name the distorted value at once. Only the few that straddle a step
draw 53 more bits, so P is not quantised and a transition of probability zero never happens.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.kernels import Kernel
from ppworkbench.core.rng import Stream

_CELLS = 256
_STRADDLES = -2
_CHUNK = 1 << 16
"""Answers drawn at once: the working arrays then stay in the processor's cache."""


def _look_up_loop(data: Any, noise: Any, table: Any, out: Any, rows: Any) -> int:
    count = 0
    for i in range(data.size):
        value = table[data[i] + 1, noise[i]]
        out[i] = value
        rows[count] = i
        count += value == -2
    return count


def _resolve_loop(
    data: Any, noise: Any, rows: Any, fraction: Any, base: Any, steps: Any, out: Any
) -> None:
    for j in range(rows.size):
        i = rows[j]
        c, cell = data[i], noise[i]
        value = base[c, cell]
        while steps[c, value] - cell <= fraction[j]:
            value += 1
        out[i] = value


def _look_up_example(dtype: type) -> tuple[Any, ...]:
    codes = _frozen(np.zeros(4, dtype))
    noise = np.zeros(4, np.uint8)
    table = np.zeros((2, _CELLS), np.int16)
    return codes, noise, table, np.zeros(4, dtype), np.zeros(5, np.int64)


def _resolve_example(dtype: type) -> tuple[Any, ...]:
    codes = _frozen(np.zeros(4, dtype))
    noise = np.zeros(4, np.uint8)
    base = np.zeros((1, _CELLS), np.int64)
    steps = np.full((1, 1), float(_CELLS))
    return codes, noise, np.zeros(1, np.int64), np.zeros(1), base, steps, np.zeros(4, dtype)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


_look_up = Kernel(
    _look_up_loop, lambda: _look_up_example(np.int8), lambda: _look_up_example(np.int16)
)
_resolve = Kernel(
    _resolve_loop, lambda: _resolve_example(np.int8), lambda: _resolve_example(np.int16)
)
SAMPLER_KERNELS = (_look_up, _resolve)


class MatrixSampler:
    """Draws distorted codes from a P-matrix whose columns are the true answers.

    >>> from ppworkbench.core.rng import SeededStreams
    >>> sampler = MatrixSampler(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> sampler.draw(np.array([0, 1, -1], np.int8), SeededStreams(1).stream("a")).tolist()
    [1, 0, -1]
    """

    def __init__(self, matrix: NDArray[np.float64]) -> None:
        k = len(matrix)
        self._steps = np.ascontiguousarray(cumulative_steps(matrix).T) * _CELLS
        # Per column and cell: how many steps lie at or before its start, how many before its end.
        starts = np.arange(_CELLS)
        self._base = np.empty((k, _CELLS), np.int64)
        before_end = np.empty((k, _CELLS), np.int64)
        for column, steps in enumerate(self._steps):
            self._base[column] = np.searchsorted(steps, starts, side="right")
            before_end[column] = np.searchsorted(steps, starts + 1, side="left")
        inside = before_end - self._base
        self._deepest = int(inside.max())
        answers = np.where(inside > 0, _STRADDLES, self._base)
        self._table = np.vstack([np.full((1, _CELLS), -1), answers]).astype(np.int16)

    def draw(self, data: NDArray[Any], stream: Stream) -> NDArray[Any]:
        """Distort codes; -1 stays -1."""
        out = np.empty_like(data)
        data = _frozen(data.view())
        draw_chunk = self._draw_compiled if self._may_run_compiled(data) else self._draw_with_numpy
        for start in range(0, len(data), _CHUNK):
            part = slice(start, start + _CHUNK)
            draw_chunk(data[part], out[part], stream)
        return out

    @staticmethod
    def _may_run_compiled(data: NDArray[Any]) -> bool:
        ready = _look_up.compiled is not None and _resolve.compiled is not None
        return ready and data.dtype in (np.int8, np.int16)

    def _draw_compiled(self, data: NDArray[Any], out: NDArray[Any], stream: Stream) -> None:
        assert _look_up.compiled is not None  # noqa: S101 (tells the type checker)
        assert _resolve.compiled is not None  # noqa: S101
        noise = stream.bytes(len(data))
        rows = np.empty(len(data) + 1, np.int64)
        rows = rows[: _look_up.compiled(data, noise, self._table, out, rows)]
        fraction = stream.random(len(rows))
        _resolve.compiled(data, noise, rows, fraction, self._base, self._steps, out)

    def _draw_with_numpy(self, data: NDArray[Any], out: NDArray[Any], stream: Stream) -> None:
        noise = stream.bytes(len(data))
        # The table's first row is for missing answers, hence the step by one.
        cell = data.astype(np.int32)
        cell += 1
        cell *= _CELLS
        cell += noise
        self._table.ravel().astype(out.dtype).take(cell, out=out, mode="clip")
        rows = np.flatnonzero(out == _STRADDLES)
        column = data[rows].astype(np.int64)
        cell = noise[rows].astype(np.int32)
        fraction = stream.random(len(rows))
        value = self._base[column, cell]
        for _ in range(self._deepest):
            value += self._steps[column, value] - cell <= fraction
        out[rows] = value


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
