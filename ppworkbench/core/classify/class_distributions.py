"""The original distribution of an attribute in every class, all classes at once.

Classes have far fewer records than tables, so the estimate is steadied twice: it is pulled towards
the distribution of all classes together, and neighbouring intervals of numbers are smoothed. Where
a design distorts the class itself, that is undone as well.
"""

from __future__ import annotations

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.classify.binning import merged, smoothed_em
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import invert


def is_counted_out(predictor: Predictor) -> bool:
    """Whether X's cells are values, or whole numbers with a cell each, that are not smoothed."""
    attribute = predictor.attribute
    each = attribute.kind is Kind.INTEGER and predictor.k == int(attribute.width) + 1
    return each or not predictor.is_numeric


def class_distributions(
    predictor: Predictor,
    counts: Numbers,
    *,
    iterations: int = 50,
    smoothing: float = 0.0,
    pull: float = 0.0,
    classes: int | None = None,
) -> Numbers:
    """``Pr(X in cell p | class)`` from distorted counts, one row per class.

    Undistorted answers are only counted. ``classes`` tells how many of the rows, from the first,
    make up all records together; every row if not given.
    """
    if not predictor.is_distorted:
        total = counts.sum(axis=1, keepdims=True)
        return np.where(total > 0, counts / np.where(total > 0, total, 1.0), 1 / predictor.k)
    channel = predictor.channel
    if predictor.is_numeric:
        channel, counts = merged(channel, counts)
    steps = 0.0 if is_counted_out(predictor) else smoothing
    together = smoothed_em(
        channel,
        counts[:classes].sum(axis=0, keepdims=True),
        iterations=iterations,
        smoothing=steps,
        pull=1.0,
    )
    return smoothed_em(
        channel, counts, iterations=iterations, smoothing=steps, pull=pull, prior=together[0]
    )


def with_laplace(distributions: Numbers, records: Numbers, laplace: float) -> Numbers:
    """``(n x_p + laplace) / (n + laplace k)`` for every class of n records.

    >>> with_laplace(np.array([[1.0, 0.0]]), np.array([8.0]), 1.0).tolist()
    [[0.9, 0.1]]
    """
    n = np.maximum(records, 0.0)[:, None]
    k = distributions.shape[1]
    if laplace == 0.0:
        return distributions
    return np.asarray((n * distributions + laplace) / (n + laplace * k))


def counts_by_class(training: Training, progress: Progress = silent) -> list[Numbers]:
    found = []
    for place, predictor in enumerate(training.predictors):
        progress(
            place / len(training.predictors),
            Message("counting {attribute}", attribute=predictor.name),
        )
        joined = training.classes * predictor.z_count + training.z_codes[place]
        size = training.n_classes * predictor.z_count
        counted = np.bincount(joined, minlength=size).astype(np.float64)
        found.append(counted.reshape(training.n_classes, predictor.z_count))
    return found


_SMALLEST = 1e-9


def class_matrix(training: Training, design: Design | None) -> Numbers | None:
    """The P-matrix of the class over the classes that occur; None where it was not distorted.

    Published classes that nobody has are left out, with the true ones of the same names.
    """
    perturbation = training.class_perturbation
    if perturbation.is_identity or design is None or design.class_name is None:
        return None
    if not design[design.class_name].attribute.kind.is_categorical:
        raise DesignError.saying(
            "The class {class_name!r} is distorted by noise; a class needs values.",
            class_name=design.class_name,
            attribute=design.class_name,
        )
    values = design[design.class_name].attribute.values
    place = [values.index(str(name)) for name in training.class_names]
    matrix = perturbation.values.matrix(len(values))[np.ix_(place, place)]
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
