"""The gini index of a division into two.

For a node with ``N`` records the index of a division is ``sum_i N_i/N gini(N_i)`` over both parts,
which is ``1 - purity / N`` with ``purity = sum_i sum_c N_ic^2 / N_i``. The best division has the
largest purity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

IMPOSSIBLE = -np.inf
_EMPTY = 1e-9


def purity(left: Numbers, total: Numbers) -> Numbers:
    """The purity of divisions, from counts with classes along the last axis.

    A part without records makes a division impossible.

    >>> purity(np.array([[2.0, 0.0]]), np.array([[2.0, 2.0]])).item()
    4.0
    """
    n_left, squares_left = _sums(left)
    n_right, squares_right = _sums(total - left)
    possible = (n_left > _EMPTY) & (n_right > _EMPTY)
    squares_left /= np.where(possible, n_left, 1.0)
    squares_right /= np.where(possible, n_right, 1.0)
    squares_left += squares_right
    squares_left[~possible] = IMPOSSIBLE
    return squares_left


def _sums(counts: Numbers) -> tuple[Numbers, Numbers]:
    """Sums and sums of squares over classes, which are few: adding one after the other is fast."""
    total = counts[..., 0].copy()
    squares = np.square(total)
    for c in range(1, counts.shape[-1]):
        total += counts[..., c]
        squares += np.square(counts[..., c])
    return total, squares
