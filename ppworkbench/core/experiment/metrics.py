"""How good predictions are, all of it from the confusion matrix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]

MEASURES = ("sensitivity", "specificity", "precision", "f1")
"""The measures that every class has."""


def confusion(true: NDArray[np.intp], predicted: NDArray[np.intp], classes: int) -> Counts:
    """How many records of each class (row) were taken for each class (column).

    >>> confusion(np.array([0, 0, 1]), np.array([0, 1, 1]), 2).tolist()
    [[1, 1], [0, 1]]
    """
    places = np.asarray(true, np.int64) * classes + predicted
    return np.bincount(places, minlength=classes * classes).reshape(classes, classes)


@dataclass(frozen=True, eq=False)
class Metrics:
    """Measures of one confusion matrix or of many at once.

    Every array has the shape of the matrices without their last axis; NaN is what cannot be told,
    such as the sensitivity of a class that no tested record has.

    Parameters
    ----------
    accuracy
        The share of records whose class was foretold.
    sensitivity
        Per class, the share of its records that were recognised: TP / (TP + FN).
    specificity
        Per class, the share of the other records that were not taken for it: TN / (TN + FP).
    precision
        Per class, the share of those taken for it that belong to it: TP / (TP + FP); 0 where
        records of the class were tested but none was ever recognised.
    f1
        The harmonic mean 2PR / (P + R) of precision and sensitivity = 2TP / (2TP + FP + FN).
    """

    accuracy: Numbers
    sensitivity: Numbers
    specificity: Numbers
    precision: Numbers
    f1: Numbers

    @classmethod
    def of(cls, matrices: NDArray[np.int64]) -> Metrics:
        """Measure one matrix, or a stack of them.

        >>> found = Metrics.of(np.array([[8, 2], [1, 9]]))
        >>> float(found.accuracy), found.sensitivity.tolist()
        (0.85, [0.8, 0.9])
        """
        matrices = np.asarray(matrices, np.float64)
        hits = np.diagonal(matrices, axis1=-2, axis2=-1)
        true, taken = matrices.sum(axis=-1), matrices.sum(axis=-2)
        total = matrices.sum(axis=(-2, -1))[..., None]
        with _quiet():
            precision = hits / taken
            precision = np.where((taken == 0) & (true > 0), 0.0, precision)
            return cls(
                hits.sum(axis=-1) / total[..., 0],
                hits / true,
                (total - true - taken + hits) / (total - true),
                precision,
                2 * hits / (true + taken),
            )

    def macro(self, measure: str) -> Numbers:
        """The mean of a measure over the classes for which it can be told."""
        per_class: Numbers = getattr(self, measure)
        told = np.isfinite(per_class)
        with _quiet():
            return np.asarray(np.where(told, per_class, 0.0).sum(axis=-1) / told.sum(axis=-1))


@contextmanager
def _quiet() -> Iterator[None]:
    """Let 0 / 0 be NaN without a word."""
    with np.errstate(invalid="ignore", divide="ignore"):
        yield
