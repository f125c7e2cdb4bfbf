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
    right = total - left
    n_left, n_right = left.sum(axis=-1), right.sum(axis=-1)
    possible = (n_left > _EMPTY) & (n_right > _EMPTY)
    found = np.square(left).sum(axis=-1) / np.where(possible, n_left, 1.0)
    found += np.square(right).sum(axis=-1) / np.where(possible, n_right, 1.0)
    found[~possible] = IMPOSSIBLE
    return np.asarray(found)
