"""A function of z - x on two grids, worked out once per difference.

On equally spaced grids the same differences come again and again: a thousand borders of Z and a
hundred of X have a hundred thousand pairs but only some thousand differences.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_SMALLEST = 4096


def on_differences(function: Callable[[Numbers], Numbers], z: Numbers, x: Numbers) -> Numbers:
    """``function(z[:, None] - x[None, :])``, fast where x and the inside of z are equally spaced.

    >>> on_differences(np.square, np.array([0.0, 1.0]), np.array([0.0, 1.0])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    inner = z[1:-1]
    stride = _stride(inner, x) if z.size * x.size >= _SMALLEST else 0
    if not stride:
        return function(z[:, None] - x[None, :])
    fine = (inner[-1] - inner[0]) / (len(inner) - 1)
    reach = (len(x) - 1) * stride
    differences = inner[0] - x[-1] + fine * np.arange(len(inner) + reach)
    # Row r and column c need the difference number r + (last - c) * stride.
    windows = np.lib.stride_tricks.sliding_window_view(function(differences), reach + 1)
    ends = function(z[[0, -1], None] - x[None, :])
    return np.concatenate([ends[:1], windows[:, ::-stride], ends[1:]])


def _stride(inner: Numbers, x: Numbers) -> int:
    """How many steps of the inner grid make one of x; 0 if that is no whole number."""
    if len(inner) < 2 or len(x) < 2:
        return 0
    fine = (inner[-1] - inner[0]) / (len(inner) - 1)
    coarse = (x[-1] - x[0]) / (len(x) - 1)
    stride = round(coarse / fine)
    tolerance = 1e-9 * coarse
    fits = stride >= 1 and abs(stride * fine - coarse) * len(x) < tolerance
    even = np.abs(np.diff(inner) - fine).max() < tolerance
    return stride if fits and even and np.abs(np.diff(x) - coarse).max() < tolerance else 0
