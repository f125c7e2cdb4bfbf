"""The papers' own forms of MASK's estimate: exponential in the length, to compare with."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppworkbench.core.arrays import Numbers


def distortion_matrix(keep_one: ArrayLike, keep_zero: ArrayLike) -> Numbers:
    """M of an itemset: the Kronecker product of its items' 2 x 2 matrices.

    ``M[i, j]`` is the probability that pattern j becomes pattern i, both read as binary numbers
    with the first item as the highest digit (Rizvi and Haritsa 2002).

    >>> distortion_matrix([0.4], [0.96]).round(2).tolist()
    [[0.96, 0.6], [0.04, 0.4]]
    """
    pairs = zip(np.atleast_1d(keep_one), np.atleast_1d(keep_zero), strict=True)
    matrix = np.eye(1)
    for p, q in pairs:
        matrix = np.asarray(np.kron(matrix, [[q, 1 - p], [1 - q, p]]), np.float64)
    return matrix


def invert_patterns(counts: ArrayLike, keep_one: ArrayLike, keep_zero: ArrayLike) -> Numbers:
    """``C^T = M^-1 C^D``: the estimated counts of all true patterns from those of distorted ones.

    Counts are listed from pattern 0 up; the papers list them from the full pattern down.

    >>> invert_patterns([1884, 116], [0.4], [0.96]).round(6).tolist()
    [1900.0, 100.0]
    """
    return np.linalg.solve(distortion_matrix(keep_one, keep_zero), np.asarray(counts, float))


def pattern_counts(shown: ArrayLike) -> NDArray[np.int64]:
    """How many records show each pattern; one column per item, the first the highest digit."""
    bits = np.asarray(shown, np.int64)
    number = bits @ (1 << np.arange(bits.shape[1] - 1, -1, -1))
    return np.bincount(number, minlength=1 << bits.shape[1])


def recursive_estimate(shown: ArrayLike, keep_one: ArrayLike, keep_zero: ArrayLike) -> float:
    r"""RE: the true support count of all items, from those of their subsets (Xia et al. 2004).

    ``S_I = (S'_I - Σ over f ⊂ I of S_f Π over f of (p - (1 - q)) Π over I \ f of (1 - q)) /
    Π over I of (p - (1 - q))``.
    """
    bits = np.asarray(shown, np.bool_)
    p, q = np.asarray(keep_one, float), np.asarray(keep_zero, float)
    gap = p - (1 - q)
    known: dict[tuple[int, ...], float] = {}
    everything = range(bits.shape[1])
    subsets = chain.from_iterable(combinations(everything, size) for size in range(len(p) + 1))
    for whole in subsets:
        seen = float(bits[:, list(whole)].all(axis=1).sum())
        for part, support in known.items():
            if set(part) < set(whole):
                rest = [i for i in whole if i not in part]
                seen -= support * gap[list(part)].prod() * (1 - q[rest]).prod()
        known[whole] = seen / float(gap[list(whole)].prod())
    return known[tuple(everything)]
