"""The iteration at which EM foretells best what it has not seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SeededStreams

Numbers = NDArray[np.float64]

_PATIENCE = 3
_AT_LEAST = 30


def best_iteration(
    matrix: Numbers,
    counts: Numbers,
    parts: int = 5,
    most: int = 2000,
    seed: int = 0,
    progress: Progress = silent,
) -> int:
    """The number of EM iterations with the largest held-out likelihood.

    All parts are iterated together, one column each. The search ends when the best iteration lies
    a third of the way back: held-out likelihood falls slowly and smoothly once it falls.
    """
    used = (counts > 0) & (matrix.max(axis=1, initial=0.0) > 0)
    matrix, counts = matrix[used], counts[used]
    held = thinned(counts, parts, seed)
    rest = counts - held
    sizes = rest.sum(axis=1, keepdims=True)
    if held.sum() <= 0 or np.any(sizes <= 0):
        return 0
    rest = rest / sizes
    k = matrix.shape[1]
    x = np.full((parts, k), 1 / k)
    transposed = np.ascontiguousarray(matrix.T)
    tiny = np.finfo(np.float64).tiny
    best, best_at = -np.inf, 0
    for iteration in range(most + 1):
        fitted = np.maximum(x @ transposed, tiny)
        foretold = float(np.vdot(held, np.log(fitted)))
        if foretold > best:
            best, best_at = foretold, iteration
        elif iteration > _PATIENCE * best_at + _AT_LEAST:
            break
        if iteration % 16 == 0:
            progress(iteration / (most + 1), "looking for the best iteration")
        x *= (rest / fitted) @ matrix
    progress(1.0, "looking for the best iteration")
    return best_at


def thinned(counts: Numbers, parts: int, seed: int = 0) -> Numbers:
    """Deal the counts at random into parts, one row each.

    Whole counts are dealt one respondent at a time. Weighted ones are not whole; they are dealt
    as if every respondent of a cell weighed the same.
    """
    generator = SeededStreams(seed).generator("held out")
    whole = np.rint(counts).astype(np.int64)
    left = whole.copy()
    dealt = np.empty((parts, len(counts)))
    for part in range(parts - 1):
        drawn = generator.binomial(left, 1 / (parts - part))
        dealt[part] = drawn
        left = left - drawn
    dealt[-1] = left
    if np.array_equal(whole, counts):
        return dealt
    scale = np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)
    return np.asarray(dealt * scale)
