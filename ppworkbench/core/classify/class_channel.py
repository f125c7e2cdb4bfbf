"""Undoing the distortion of the class itself, where a design distorts it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.training import Training
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.inversion import invert

Numbers = NDArray[np.float64]

_SMALLEST = 1e-9


def class_matrix(training: Training, design: Design | None) -> Numbers | None:
    """The P-matrix of the class over the classes that occur; None where it was not distorted.

    Published classes that nobody has are left out, with the true ones of the same names.
    """
    perturbation = training.class_perturbation
    if perturbation.is_identity or design is None or design.class_name is None:
        return None
    if not design[design.class_name].attribute.kind.is_categorical:
        raise DesignError(
            Message(
                "The class {class_name!r} is distorted by noise; a class needs values.",
                class_name=design.class_name,
            ),
            attribute=design.class_name,
        )
    values = design[design.class_name].attribute.values
    place = [values.index(str(name)) for name in training.class_names]
    matrix = perturbation.matrix(len(values))[np.ix_(place, place)]
    return np.asarray(matrix / matrix.sum(axis=0))


def undo_class(counts: Numbers, matrix: Numbers | None) -> Numbers:
    """Counts per true class from counts per published class (rows), never negative.

    ``C N = N*`` is solved for every column; the total stays.
    """
    if matrix is None:
        return counts
    found = np.maximum(invert(matrix).inverse @ counts, 0.0)
    total = found.sum()
    return found * (counts.sum() / total) if total > _SMALLEST else counts
