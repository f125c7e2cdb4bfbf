"""Attributes of a kind side by side, so that one operation serves all of them.

Attributes differ in their numbers of cells. Within a family all are padded to the largest, with
cells that nothing falls into and that no estimate gives anything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.reconstruct.algorithms.as_noise import AsNoise
from ppworkbench.core.reconstruct.channel import CountedChannel, invert

_FEW_CLASSES = {False: (12, 48, 200, 1 << 30), True: (64, 256, 1024, 1 << 30)}
_MANY_CLASSES = {False: (4, 7, 10, 48, 200, 1 << 30), True: (64, 256, 1024, 1 << 30)}
"""Up to which sizes attributes are put together; all subsets of few values cost less."""


@dataclass(frozen=True, eq=False)
class Family:
    """Attributes that are reconstructed and divided in the same way.

    Parameters
    ----------
    places
        Which predictors they are.
    codes
        ``codes[i, a]``: the cell of Z of record i in attribute a.
    matrix
        ``matrix[a, s, p] = Pr(Z in cell s | X in cell p)``, padded with zeros.
    sizes
        The number of cells of X of each attribute.
    undistorted
        Whether Z is X itself, attribute by attribute.
    inverse
        ``inverse[a, p, s]`` where the matrices are square and are to be solved; else None.
    solved
        Whether the solution of the equations is the estimate (EQ), rather than an iteration.
    known
        Where cells begin that hold records by the value of X which was assigned to them further
        up; equal to the number of cells where there are none.
    """

    places: Codes
    codes: NDArray[np.int32]
    matrix: Numbers
    sizes: Codes
    undistorted: NDArray[np.bool_]
    inverse: Numbers | None
    solved: bool
    is_numeric: bool
    known: int

    @property
    def m(self) -> int:
        return len(self.places)

    @property
    def k(self) -> int:
        """The largest number of cells of X."""
        return int(self.matrix.shape[2])

    @property
    def cells(self) -> int:
        """The largest number of cells of Z."""
        return int(self.matrix.shape[1])

    def remembering(self) -> Family:
        """The same with a cell for every value of X that may have been assigned."""
        eye = np.repeat(np.eye(self.k)[None], self.m, axis=0)
        inverse = self.inverse
        if inverse is not None:
            inverse = np.concatenate([inverse, eye], axis=2)
        matrix = np.concatenate([self.matrix, eye], axis=1)
        return dataclasses.replace(self, matrix=matrix, inverse=inverse)

    @property
    def valid(self) -> NDArray[np.bool_]:
        """``valid[a, p]``: whether p is a cell of X rather than padding."""
        found: NDArray[np.bool_] = np.arange(self.k) < self.sizes[:, None]
        return found


def families_of(
    systems: Sequence[System], n_classes: int, solve: bool = False
) -> tuple[Family, ...]:
    """Group systems by kind and size.

    Parameters
    ----------
    solve
        Whether values are reconstructed by EQ.
    """
    groups: dict[tuple[bool, int], list[int]] = {}
    steps = _FEW_CLASSES if n_classes == 2 else _MANY_CLASSES
    for place, system in enumerate(systems):
        size = len(system.matrix)
        step = next(step for step in steps[system.is_numeric] if size <= step)
        groups.setdefault((system.is_numeric, step), []).append(place)
    return tuple(
        _family(np.array(places), [systems[p] for p in places], solve and not numeric)
        for (numeric, _), places in groups.items()
    )


def _family(places: Codes, systems: list[System], solve: bool) -> Family:
    k = max(system.k for system in systems)
    cells = max(k, *(len(system.matrix) for system in systems))
    matrix = np.zeros((len(systems), cells, k))
    codes = np.empty((len(systems[0].codes), len(systems)), np.int32)
    numeric = systems[0].is_numeric
    inverse = None if numeric else np.zeros((len(systems), k, cells))
    for a, system in enumerate(systems):
        rows, columns = system.matrix.shape
        matrix[a, :rows, :columns] = system.matrix
        codes[:, a] = system.codes
        if inverse is not None:
            inverse[a, :columns, :rows] = invert(system.matrix).inverse
    return Family(
        places,
        codes,
        matrix,
        np.array([system.k for system in systems]),
        np.array([system.is_undistorted for system in systems]),
        inverse,
        solve,
        numeric,
        cells,
    )


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
        return int(self.matrix.shape[1])

    @property
    def is_undistorted(self) -> bool:
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
