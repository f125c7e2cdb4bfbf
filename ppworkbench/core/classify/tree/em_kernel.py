"""The EM iteration of many nodes as a compiled loop.

A small node has records in few cells of Z; the loop visits only those, which no product of
matrices can do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ppworkbench.core.kernels import Kernel

CHI_SQUARED, CHANGE, NEVER = 0, 1, 2
"""Rules: the published distance, the sum of absolute changes, a fixed number of iterations."""

_TINY = float(np.finfo(np.float64).tiny)


def _em_loop(  # noqa: C901, PLR0912, PLR0913, PLR0917 (numba calls cost more than lines)
    x: Any,
    counts: Any,
    matrix: Any,
    sizes: Any,
    todo: Any,
    kind: int,
    limits: Any,
    most: int,
) -> None:
    cells = np.empty(counts.shape[2], np.int64)
    shares = np.empty(counts.shape[2])
    new = np.empty(x.shape[2])
    for a in range(x.shape[0]):
        k = sizes[a]
        even = k - k % 4
        for r in range(x.shape[1]):
            if not todo[a, r]:
                continue
            used, n = 0, 0
            for s in range(counts.shape[2]):
                if counts[a, r, s] > 0:
                    cells[used] = s
                    shares[used] = counts[a, r, s]
                    n += counts[a, r, s]
                    used += 1
            for i in range(used):
                shares[i] /= n
            for iteration in range(most):
                for p in range(k):
                    new[p] = 0.0
                for i in range(used):
                    s = cells[i]
                    # Four sums side by side: one alone would wait for itself.
                    one = two = three = four = 0.0
                    for p in range(0, even, 4):
                        one += matrix[a, s, p] * x[a, r, p]
                        two += matrix[a, s, p + 1] * x[a, r, p + 1]
                        three += matrix[a, s, p + 2] * x[a, r, p + 2]
                        four += matrix[a, s, p + 3] * x[a, r, p + 3]
                    for p in range(even, k):
                        one += matrix[a, s, p] * x[a, r, p]
                    share = shares[i] / max((one + two) + (three + four), _TINY)
                    for p in range(k):
                        new[p] += share * matrix[a, s, p]
                change = 0.0
                for p in range(k):
                    old = x[a, r, p]
                    fresh = new[p] * old
                    if kind == CHI_SQUARED:
                        change += (fresh - old) * (fresh - old) / max(old, _TINY)
                    else:
                        change += abs(fresh - old)
                    x[a, r, p] = fresh
                if kind == CHI_SQUARED:
                    change *= n
                if kind != NEVER and iteration + 1 < most and change < limits[a]:
                    break
            total = 0.0
            for p in range(k):
                total += x[a, r, p]
            for p in range(k):
                x[a, r, p] /= max(total, _TINY)


def _em_example() -> tuple[Any, ...]:
    x, matrix, limits = np.ones((1, 1, 1)), np.ones((1, 1, 1)), np.ones(1)
    counts, sizes = np.ones((1, 1, 1), np.int64), np.ones(1, np.intp)
    return x, counts, matrix, sizes, np.ones((1, 1), np.bool_), 0, limits, 1


em_rows = Kernel(_em_loop, _em_example)
