"""One draw of the distortion, counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.distort import Distorter
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import ColumnCounter, CountedChannel, original_distribution
from ppworkbench.core.reconstruct.channel import VALUES
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.language.text import later
from ppworkbench.gui.pages.explore.subject import Subject

Numbers = NDArray[np.float64]

_CHUNK = 1 << 17


@dataclass(frozen=True, eq=False)
class Draw:
    """Distorted counts of a subject, with the truth where it is known.

    Parameters
    ----------
    original
        The shares of the true answers in X's cells; None where nobody knows them.
    distorted, distorted_edges
        The shares of the distorted answers as a picture shows them: by value, or in steps about
        as wide as those of X between the edges.
    condition
        How much P magnifies errors; infinite for a matrix that cannot be undone. None where the
        channel is not square.
    """

    subject: Subject
    seed: int
    counted: CountedChannel
    original: Numbers | None
    distorted: Numbers
    distorted_edges: Numbers | None
    condition: float | None

    @property
    def is_singular(self) -> bool:
        """Whether different truths look the same once distorted."""
        return self.condition is not None and not np.isfinite(self.condition)

    @property
    def is_of(self) -> tuple[Subject, int]:
        """What two draws must share to be the same."""
        return self.subject, self.seed


def take_draw(subject: Subject, seed: int, progress: Progress = silent) -> Draw:
    """Distort the column with the stream that the whole table would use, and count it.

    Parameters
    ----------
    seed
        Where the random numbers start; without a meaning for answers that came distorted.
    """
    attribute, perturbation = subject.attribute, subject.perturbation
    bins = None if _has_own(subject) else subject.steps
    counter = ColumnCounter(attribute, perturbation, bins)
    for done, chunk in _distorted_chunks(subject, seed):
        progress(0.8 * done, later("distorting"))
        counter.add(chunk)
    counted = counter.counted()
    original = None
    if subject.known and counted.total > 0 and counted.k > 1:
        progress(0.85, later("counting"))
        truth = Column(attribute, fit_column(subject.column, subject.designed))
        original = original_distribution(truth, counted)
    condition = None
    if counted.is_square and counted.cells == VALUES:
        part(progress, 0.9, 1.0)(0.0, later("looking at the matrix"))
        condition = condition_number(counted.matrix)
    share, edges = _as_shown(counted)
    return Draw(subject, seed, counted, original, share, edges, condition)


def _has_own(subject: Subject) -> bool:
    """Whether the steps asked for are the intervals that are published anyway."""
    edges = subject.perturbation.interval_edges(subject.attribute)
    return edges is not None and subject.steps == len(edges) - 1


def _distorted_chunks(subject: Subject, seed: int) -> Iterator[tuple[float, Column]]:
    """The share that is done, and the next distorted records."""
    column = subject.column
    if not subject.known:
        yield 0.0, column
        return
    distorter = Distorter(Design((subject.designed,)), SeededStreams(seed))
    # At least one chunk, so that an empty column is checked like any other.
    for start in range(0, max(len(column), 1), _CHUNK):
        chunk = Table((column.take(slice(start, start + _CHUNK)),))
        yield start / max(len(column), 1), distorter.apply(chunk)[subject.name]


def _as_shown(counted: CountedChannel) -> tuple[Numbers, Numbers | None]:
    total = max(float(counted.counts.sum()), 1.0)
    if counted.x_edges is None or counted.z_edges is None:
        return counted.counts / total, None
    counts, edges = counted.counts, counted.z_edges
    seen = np.flatnonzero(counts)
    if len(seen):
        # Beyond the data the channel has one wide cell to either side, with nothing to show.
        counts = counts[seen[0] : seen[-1] + 1]
        edges = edges[seen[0] : seen[-1] + 2]
    width = float(np.median(np.diff(counted.x_edges)))
    starts = [0]
    for cell in range(1, len(counts)):
        if edges[cell] - edges[starts[-1]] >= 0.99 * width:
            starts.append(cell)
    return np.add.reduceat(counts, starts) / total, np.append(edges[starts], edges[-1])
