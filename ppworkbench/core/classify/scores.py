"""Scores of classes turned into probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_TINY = 1e-300


def from_logarithms(scores: Numbers) -> Numbers:
    """Probabilities in proportion to the exponentials of the scores in each row.

    >>> from_logarithms(np.log([[1.0, 3.0]])).round(2).tolist()
    [[0.25, 0.75]]
    """
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def from_shares(scores: Numbers, fallback: Numbers) -> Numbers:
    """Probabilities in proportion to the scores; rows without any score get the fallback.

    A tie is broken by the fallback too: it is added with a weight too small to count otherwise.

    >>> from_shares(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([0.2, 0.8])).round(2).tolist()
    [[0.5, 0.5], [0.2, 0.8]]
    """
    total = scores.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, scores / np.where(total > 0, total, 1.0), fallback)
    steadied = shares + 1e-9 * fallback
    return np.asarray(steadied / steadied.sum(axis=1, keepdims=True))


def log_of(distribution: Numbers) -> Numbers:
    """Natural logarithms, of zero a number so low that nothing outweighs it."""
    return np.log(np.maximum(distribution, _TINY))


def log_shares(records: Numbers) -> Numbers:
    """Log of the share of each class; one that undoing a distortion left empty keeps a record."""
    kept = np.maximum(records, 1.0)
    return np.asarray(np.log(kept / kept.sum()))
