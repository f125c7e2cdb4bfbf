"""What an estimator iterates for one attribute: a channel, and the cell of every record in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.reconstruct.as_noise import AsNoise
from ppworkbench.core.reconstruct.channel import CountedChannel

_CELLS_PER_INTERVAL = 2
"""Cells of Z for each interval of X that EM counts in a node."""


@dataclass(frozen=True, eq=False)
class System:
    """``matrix[s, p] = Pr(Z in cell s | X in cell p)`` and the cell s of every record."""

    matrix: Numbers
    codes: Codes
    is_numeric: bool

    @property
    def k(self) -> int:
        """How many cells X has."""
        return int(self.matrix.shape[1])

    @property
    def is_undistorted(self) -> bool:
        """Whether Z is X itself."""
        return np.array_equal(self.matrix, np.eye(len(self.matrix), self.k))


def system_of(training: Training, place: int, algorithm: str) -> System:
    """The system of one predictor, for AS with cells as wide as its intervals."""
    predictor, codes = training.predictors[place], training.z_codes[place]
    if not predictor.is_numeric:
        return System(_matrix_of(predictor), codes, False)
    if not predictor.is_distorted or predictor.k == 1:
        return System(np.eye(predictor.k), _placed(predictor, training, place), True)
    edges = predictor.grid.z_cells.edges
    whole = CountedChannel(
        predictor.channel,
        np.ones(predictor.z_count),
        predictor.attribute,
        predictor.perturbation,
        predictor.edges,
        edges,
    )
    if algorithm == "as":
        matrix, coarse = AsNoise().placed_system(whole)
    else:
        small = whole.merged(_CELLS_PER_INTERVAL * predictor.k * _reach(whole))
        # One record in every fine cell shows how many of them, side by side, make a coarse one.
        sizes = np.rint(small.counts).astype(np.int64)
        matrix, coarse = small.matrix, np.repeat(np.arange(len(sizes)), sizes)
    return System(np.asarray(matrix), coarse[codes], True)


def assigned_system(predictor: Predictor, codes: Codes) -> System:
    """The system of values that are taken as the original ones."""
    return System(np.eye(predictor.k), codes, predictor.is_numeric)


def _matrix_of(predictor: Predictor) -> Numbers:
    return predictor.channel if predictor.is_distorted else np.eye(predictor.k)


def _placed(predictor: Predictor, training: Training, place: int) -> Codes:
    if predictor.k == 1:
        return np.zeros(training.rows, np.intp)
    return predictor.x_codes(training.columns[place].data)


def _reach(whole: CountedChannel) -> int:
    """How many times as wide as X's domain Z's is."""
    assert whole.x_edges is not None  # noqa: S101 (numbers have borders)
    assert whole.z_edges is not None  # noqa: S101
    wide = float(whole.z_edges[-1] - whole.z_edges[0])
    return max(1, round(wide / float(whole.x_edges[-1] - whole.x_edges[0])))
