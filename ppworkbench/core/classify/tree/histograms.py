"""How many records of every class each cell of every attribute holds, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts
from ppworkbench.core.kernels import Kernel


def _count_loop(out: Any, rows: Any, nodes: Any, codes: Any, classes: Any) -> None:
    for i in range(rows.size):
        row = rows[i]
        node = nodes[i]
        group = classes[row]
        for a in range(codes.shape[1]):
            out[node, a, group, codes[row, a]] += 1


def _count_example() -> tuple[Any, ...]:
    codes = np.zeros((2, 1), np.int32)
    rows = np.zeros(2, np.intp)
    return np.zeros((1, 1, 1, 1), np.int64), rows, rows.copy(), codes, rows.copy()


count_records = Kernel(_count_loop, _count_example)


def histograms(
    rows: NDArray[np.intp],
    nodes: NDArray[np.intp],
    codes: NDArray[np.int32],
    classes: NDArray[np.intp],
    shape: tuple[int, int, int],
) -> Counts:
    """``counts[node, a, class, cell]`` over the given records.

    Parameters
    ----------
    rows, nodes
        Which records there are, one after the other, and the node that each is in; a record may
        be in several, or several times in one.
    codes
        ``codes[row, a]``: the cell of a record in attribute a.
    shape
        The numbers of nodes, of classes and of cells.

    >>> codes = np.array([[0], [1], [1]], np.int32)
    >>> rows, nodes, classes = np.arange(3), np.zeros(3, np.intp), np.array([0, 0, 1])
    >>> histograms(rows, nodes, codes, classes, (1, 2, 2)).tolist()
    [[[[1, 1], [0, 1]]]]
    """
    count, n_classes, cells = shape
    m = codes.shape[1]
    if count_records.compiled is not None:
        out = np.zeros((count, m, n_classes, cells), np.int64)
        count_records.compiled(out, rows, nodes, codes, classes)
        return out
    # The same by one long list of places.
    place = (nodes[:, None] * m + np.arange(m)) * n_classes + classes[rows][:, None]
    place *= cells
    place += codes[rows]
    flat = np.bincount(place.ravel(), minlength=count * m * n_classes * cells)
    return flat.reshape(count, m, n_classes, cells)
