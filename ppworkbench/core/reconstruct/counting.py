"""Counting distorted columns, whole or chunk by chunk, and original ones to compare with.

How far a reconstructed distribution is from the original one is told by the information loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.fit import refuse_other
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.grid import Bins, Grid, StepCells, make_grid, undistorted

_CHUNK = 1 << 18
_STEPS = float(1 << 32)
"""Steps into which a cell is divided where positions in it are added up."""


class ColumnCounter:
    """Counts a distorted attribute whose records come in any number of pieces.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Uniform
    >>> sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    >>> counter = ColumnCounter(sex, Uniform(keep=0.8))
    >>> counter.add(Column(sex, np.array([0, 1, 1])))
    >>> counter.add(Column(sex, np.array([1, -1])))
    >>> counter.counted().counts.tolist()
    [1.0, 3.0]

    ``exact`` adds positions within cells up in whole steps, so that the order of the pieces does
    not matter.
    """

    def __init__(
        self,
        attribute: Attribute,
        perturbation: Perturbation,
        bins: Bins = None,
        *,
        exact: bool = False,
    ) -> None:
        self.grid: Grid = make_grid(attribute, perturbation, bins)
        self.attribute = attribute
        self._published = perturbation.distorted(attribute)
        self._counts = np.zeros(self.grid.z_cells.count)
        self._squares = np.zeros(self.grid.z_cells.count)
        self._offsets = np.zeros(len(self._counts)) if self.grid.has_positions else None
        self._steps = np.zeros(len(self._counts), np.int64)
        self._weighted, self._is_exact = False, exact
        self._rows = self._missing = self._outside = 0

    def add(
        self,
        column: Column,
        weights: NDArray[Any] | None = None,
        progress: Progress = silent,
        times: Numbers | None = None,
    ) -> None:
        """Count a piece of the column.

        ``weights`` say how much each respondent counts, ``times`` how many respondents gave each
        answer, where equal ones were merged.
        """
        published = self._published
        same = column.is_categorical == published.kind.is_categorical
        refuse_other(column, published, published.kind, is_fitting=same)
        if weights is not None and not self._weighted:
            # Respondents counted so far weigh 1 each.
            self._squares[:] = self._counts
            self._weighted = True
        for start in range(0, len(column), _CHUNK):
            progress(
                start / len(column), Message("counting {attribute}", attribute=self.attribute.name)
            )
            part = slice(start, start + _CHUNK)
            counting = None if weights is None else weights[part]
            self._add(column.data[part], counting, None if times is None else times[part])
        progress(1.0, Message("counting {attribute}", attribute=self.attribute.name))

    def _add(self, data: NDArray[Any], weights: NDArray[Any] | None, times: Numbers | None) -> None:
        cells = self.grid.z_cells
        offset: Numbers | None = None
        if self._offsets is not None and isinstance(cells, StepCells):
            place, offset = cells.locate(data)
        else:
            place = cells.place(data)
        lost = place < 0
        if lost.any():
            missing = data < 0 if self._published.kind.is_categorical else np.isnan(data)
            absent = _count(missing, times)
            self._missing += absent
            self._outside += _count(lost, times) - absent
            place = place[~lost]
            offset = None if offset is None else offset[~lost]
            weights = None if weights is None else weights[~lost]
            times = None if times is None else times[~lost]
        self._rows += len(place) if times is None else int(times.sum())
        count = len(self._counts)
        found = np.bincount(place, times if weights is None else weights, count)
        self._counts += found
        if self._weighted:
            self._squares += found if weights is None else np.bincount(place, weights**2, count)
        if self._offsets is None or offset is None:
            return
        if self._is_exact or times is not None:
            self._steps += _exact_sums(place, offset, times, count)
        else:
            moment = offset if weights is None else offset * weights
            self._offsets += np.bincount(place, moment, count)

    def merge(self, other: ColumnCounter) -> None:
        self._weighted |= other._weighted
        self._counts += other._counts
        self._squares += other._squares
        self._steps += other._steps
        if self._offsets is not None and other._offsets is not None:
            self._offsets += other._offsets
        self._rows += other._rows
        self._missing += other._missing
        self._outside += other._outside

    def counted(self) -> CountedChannel:
        """What was counted so far, with the channel of the cells that matter."""
        edges, starts = self.grid.z_cells.edges, self._starts()
        if edges is not None and len(starts) < len(self._counts):
            edges = np.append(edges[starts], edges[-1])
        return CountedChannel(
            self.grid.matrix(edges),
            np.add.reduceat(self._counts, starts),
            self.attribute,
            self.grid.perturbation,
            self.grid.x_edges,
            edges,
            np.add.reduceat(self._squares, starts) if self._weighted else None,
            None if self._offsets is None
            else np.add.reduceat(self._offsets + self._steps / _STEPS, starts),
            self._rows,
            self._missing,
            self._outside,
        )  # fmt: skip

    def counted_cells(self) -> NDArray[np.intp]:
        """For every cell of the grid, the one of :meth:`counted` that it belongs to."""
        places = np.arange(len(self._counts))
        return np.asarray(np.searchsorted(self._starts(), places, side="right") - 1, np.intp)

    def _starts(self) -> NDArray[np.intp]:
        """Where cells begin: all that lie among the answers, and one to either side."""
        if self.grid.z_cells.edges is None or not self.grid.may_be_trimmed:
            return np.arange(len(self._counts))
        # Beyond the data one cell to either side is as good as many.
        found = np.flatnonzero(self._counts)
        first, last = (int(found[0]), int(found[-1]) + 1) if len(found) else (0, 1)
        starts = np.arange(first, last)
        if first > 0:
            starts = np.insert(starts, 0, 0)
        return np.append(starts, last) if last < len(self._counts) else starts


def _count(chosen: NDArray[np.bool_], times: Numbers | None) -> int:
    return int(np.count_nonzero(chosen) if times is None else times[chosen].sum())


def _exact_sums(
    place: NDArray[np.intp], offset: Numbers, times: Numbers | None, count: int
) -> NDArray[np.int64]:
    """Sums of positions within the cells in whole steps, so that their order does not matter.

    A double holds the sum of a chunk of steps exactly. How often an answer came may be any number,
    so that those sums are made of whole numbers.
    """
    steps = np.rint(offset * _STEPS)
    if times is None:
        return np.bincount(place, steps, count).astype(np.int64)
    found = np.zeros(count, np.int64)
    np.add.at(found, place, steps.astype(np.int64) * times.astype(np.int64))
    return found


def count_column(
    column: Column,
    attribute: Attribute,
    perturbation: Perturbation,
    bins: Bins = None,
    weights: NDArray[Any] | None = None,
    progress: Progress = silent,
    *,
    times: Numbers | None = None,
) -> CountedChannel:
    """Count a distorted column.

    Parameters
    ----------
    column
        The distorted answers.
    attribute
        The attribute as it was before the distortion.
    bins
        The number or the borders of X's intervals; see :func:`make_grid`.
    weights
        How much each respondent counts, 1 if not given.
    times
        How many respondents gave each answer, where equal ones were merged.
    """
    counter = ColumnCounter(attribute, perturbation, bins)
    counter.add(column, weights, progress, times)
    return counter.counted()


def original_counter(counted: CountedChannel) -> ColumnCounter:
    """What counts original answers in the cells of X."""
    grid = undistorted(counted.attribute, counted.x_edges)
    bins = 1 if counted.k == 1 else grid.x_edges
    return ColumnCounter(counted.attribute, grid.perturbation, bins)


def original_distribution(original: Column | Numbers, counted: CountedChannel) -> Numbers:
    """The original distribution over the cells of X, from original answers or as given."""
    name = counted.attribute.name
    if isinstance(original, Column):
        counter = original_counter(counted)
        counter.add(original)
        found = counter.counted()
        if found.total <= 0:
            raise without_original(name)
        return found.shares
    given = np.asarray(original, np.float64)
    if given.shape != (counted.k,) or abs(given.sum() - 1) > 1e-6:
        raise DataError.saying(
            "Attribute {attribute!r}: the original distribution must be {k} numbers that sum to 1.",
            k=counted.k,
            attribute=name,
        )
    return given


def without_original(name: str) -> DataError:
    return DataError.saying(
        "Attribute {attribute!r} has no original answers to compare with.", attribute=name
    )
