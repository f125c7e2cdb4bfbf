"""Folds in which every class is spread as evenly as it can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message


def stratified_folds(
    classes: NDArray[np.intp], folds: int, generator: np.random.Generator
) -> NDArray[np.intp]:
    """The fold of every record.

    The records of a class are dealt to the folds in turn, beginning where the class before it
    ended; so neither the folds nor the classes within them differ by more than one record. A class
    with fewer records than folds is absent from some.

    >>> dealt = stratified_folds(np.array([0, 0, 0, 0, 1, 1]), 2, np.random.default_rng(1))
    >>> sorted(np.bincount(dealt).tolist()), sorted(dealt[4:].tolist())
    ([3, 3], [0, 1])
    """
    if len(classes) < folds:
        raise DataError(
            Message(
                "There are {count} records with a class; {folds} folds need at least "
                "{folds}. Use fewer folds.",
                count=len(classes),
                folds=folds,
            )
        )
    shuffled = generator.permutation(len(classes))
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    found = np.empty(len(classes), np.intp)
    found[by_class] = np.arange(len(classes)) % folds
    # Which fold gets the odd records is a matter of chance too.
    return np.asarray(generator.permutation(folds)[found], np.intp)
