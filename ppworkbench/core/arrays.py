"""Arrays of numbers as the core passes them around."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Matrix = NDArray[np.float64]
Counts = NDArray[np.int64]
Codes = NDArray[np.intp]
"""Which value each answer is, as a place among the values."""
Places = NDArray[np.intp]
Mask = NDArray[np.bool_]


def project(raw: Numbers) -> Numbers:
    """The point of the probability simplex with the smallest Euclidean distance.

    ``max(raw - t, 0)`` with the t that makes the sum 1 (Held, Wolfe and Crowder 1974). Works along
    the last axis; a vector that is a distribution already is returned as it is.

    >>> project(np.array([0.7, 0.5, -0.2])).round(2).tolist()
    [0.6, 0.4, 0.0]
    """
    ordered = -np.sort(-raw, axis=-1)
    excess = np.cumsum(ordered, axis=-1) - 1
    ranks = np.arange(1, raw.shape[-1] + 1)
    kept = np.count_nonzero(ordered * ranks > excess, axis=-1, keepdims=True)
    shift = np.take_along_axis(excess, kept - 1, axis=-1) / kept
    return np.maximum(raw - shift, 0.0)


def posteriors(matrix: Matrix, prior: Numbers) -> Matrix:
    """The probabilities of true values (columns) given each report; 0 where none comes."""
    joint = matrix * prior
    total = joint.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(joint, total, out=np.zeros_like(joint), where=total > 0))


def weighted_counts(places: Places, weights: Numbers, size: int) -> Numbers:
    """How much falls on each of so many places.

    >>> weighted_counts(np.array([0, 2, 2]), np.array([1.0, 0.5, 2.0]), 3).tolist()
    [1.0, 0.0, 2.5]
    """
    return np.asarray(np.bincount(places, weights, size), np.float64)
