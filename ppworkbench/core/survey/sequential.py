"""The published way to find who meets a condition: one test after the other.

For each attribute in the condition's order, its distribution is reconstructed within the current
set of records, reconstructed values are assigned to them, and those whose assigned value meets the
test stay (Andruszkiewicz 2016, figure 3). An assigned value is not the true one, so the association
between attributes is lost on the way; the joint estimators keep it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.design import Design
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.assign import assign_intervals, assign_values
from ppworkbench.core.reconstruct.grid import DEFAULT_BINS
from ppworkbench.core.reconstruct.reconstruct import reconstruct
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.survey.answers import Answers, Asked
from ppworkbench.core.survey.conditions.regions import Region
from ppworkbench.core.survey.factors.grids import divided
from ppworkbench.core.survey.inquiry import asked_by

REMARK = (
    "The sequential method loses the association between attributes; its interval does "
    "not include that error."
)


@dataclass(frozen=True, eq=False)
class AssignedSet:
    """The records that are left after the last test.

    Parameters
    ----------
    answers
        Their distorted answers and positions.
    size
        The estimated number before it is rounded to whole records.
    standard_error
        Of the size, from the errors of the single reconstructions.
    """

    answers: Answers
    size: float
    standard_error: float


def assigned_set(
    answers: Answers,
    design: Design,
    regions: Mapping[str, Region],
    seed: int = 0,
    progress: Progress = silent,
) -> AssignedSet:
    """Find a set of records that meets a condition, test by test."""
    design.refuse_sets(regions)
    n, shares, errors = answers.n, [1.0], [0.0]
    size = float(n)
    asked = asked_by(regions, design)
    for position, one in enumerate(asked):
        step = part(progress, position / len(asked), (position + 1) / len(asked))
        if not answers.n:
            size = 0.0
            break
        found, cells = reconstructed_within(answers, one, seed, step)
        targets = cells[:, 0]
        assert found.covariance is not None  # noqa: S101 (intervals were asked for)
        shares.append(float(found.probability @ targets))
        errors.append(math.sqrt(max(float(targets @ found.covariance @ targets), 0.0)))
        size = answers.n * shares[-1]
        assigned = _assign(answers.data[one.name], one, found, seed)
        answers = answers.keep(np.append(targets > 0, False)[assigned])
    # The size is about n times the product of the shares; each error acts through the others.
    slopes = [math.prod(shares[:i] + shares[i + 1 :]) for i in range(len(shares))]
    error = n * math.hypot(*(slope * error for slope, error in zip(slopes, errors, strict=True)))
    return AssignedSet(answers, size, error)


def reconstructed_within(
    answers: Answers, asked: Asked, seed: int = 0, progress: Progress = silent
) -> tuple[Reconstruction, Numbers]:
    """The distribution of an attribute in a set of records, and the targets in its cells."""
    published = asked.perturbation.distorted(asked.attribute)
    column = Column(published, answers.data[asked.name])
    edges = None if asked.attribute.kind.is_categorical else _edges(asked)
    found = reconstruct(
        column, asked.attribute, asked.perturbation, bins=edges, seed=seed, progress=progress
    )
    return found, asked.targets(found.edges)


def _edges(asked: Asked) -> Numbers | None:
    borders = asked.borders()
    if len(borders) < 2:
        return None
    return borders if asked.is_exact else divided(borders, DEFAULT_BINS, asked)


def _assign(
    data: NDArray[np.generic], asked: Asked, found: Reconstruction, seed: int
) -> NDArray[np.int64]:
    if found.edges is not None:
        return assign_intervals(data.astype(np.float64), found.probability, seed=seed)
    matrix = asked.perturbation.values.matrix(asked.attribute.k)
    return assign_values(data, found.probability, matrix, seed=seed)
