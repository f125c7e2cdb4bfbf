"""Answers of which only the counts are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.reconstruct.channel import CountedChannel


def channel_of(
    matrix: NDArray[np.float64],
    counts: NDArray[np.float64],
    attribute: Attribute,
    perturbation: Perturbation,
) -> CountedChannel:
    """Counts of a categorical attribute under a P-matrix."""
    rows = round(float(np.sum(counts)))
    return CountedChannel(matrix, counts, attribute, perturbation, rows=rows)
