"""The covariance of sums over records under any sampling: all that a linearised estimate needs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.sampling.sample import Frame
from ppworkbench.core.sampling.variance import (
    StratumFactors,
    covariance_by_clusters,
    stratum_factors,
)
from ppworkbench.core.survey.sampled import SurveySample

_AT_ONCE = 1 << 16


Part = Callable[[slice], Numbers]
"""The values of some of the records that count, one column for each sum."""


def covariance_of_sums(
    values: Part,
    survey: SurveySample,
    rows: NDArray[np.int64],
    *,
    finite: bool = True,
    progress: Progress = silent,
) -> tuple[Numbers, tuple[str, ...]]:
    """The first sum of the sampling's variance, and remarks on strata.

    Parameters
    ----------
    values
        Of records that count, their weights included; they are asked for in parts.
    rows
        The places of these records in the sample.
    finite
        Whether the size of the population is used, where it is known.
    """
    frame = survey.frame
    if not finite:
        frame = dataclasses.replace(frame, fractions=np.zeros_like(frame.fractions))
    factors = stratum_factors(frame)
    if not frame.has_clusters:
        return _by_rows(values, survey, frame, rows, factors, progress), factors.remarks
    clusters = survey.sample.each_cluster
    sums: Numbers | None = None
    for part in _parts(len(rows)):
        progress(0.0, "fitting")
        found = values(part)
        if sums is None:
            sums = np.zeros((len(frame.cluster_strata), found.shape[1]))
        np.add.at(sums, clusters[rows[part]], found)
    assert sums is not None  # noqa: S101 (somebody counts)
    return covariance_by_clusters(sums, frame, factors), factors.remarks


def sampling_covariance(
    found: Numbers,
    again: Callable[[Numbers], Numbers],
    influence: Part,
    survey: SurveySample,
    rows: NDArray[np.int64],
    *,
    finite: bool = True,
    progress: Progress = silent,
) -> tuple[Numbers, tuple[str, ...]]:
    """The covariance of an estimate, and remarks on strata.

    ``again`` makes it with the weights of each replicate, where there are any; else ``influence``
    tells how much each record moves it, as ``values`` of :func:`covariance_of_sums`.
    """
    frame = survey.frame
    if not frame.has_replicates:
        return covariance_of_sums(influence, survey, rows, finite=finite, progress=progress)
    covariance = np.zeros((len(found), len(found)))
    for place, scale in enumerate(frame.replicate_scale):
        apart = again(survey.sample.replicates[rows, place]) - found
        covariance += scale * np.outer(apart, apart)
    return covariance, ()


def about_population(frame: Frame) -> tuple[Message, ...]:
    said = Message(
        "The size of the population is not used here, so the errors are on the safe side."
    )
    return (said,) if frame.has_population else ()


def _by_rows(
    values: Part,
    survey: SurveySample,
    frame: Frame,
    rows: NDArray[np.int64],
    factors: StratumFactors,
    progress: Progress,
) -> Numbers:
    """The same where every row is a cluster; those that do not count have sums of 0."""
    count, every_stratum = len(frame.sizes), survey.sample.each_stratum

    def strata(part: slice) -> NDArray[np.intp]:
        return every_stratum[rows[part]]

    added: Any = 0.0
    inside = np.zeros(count)
    for part in _parts(len(rows)):
        progress(0.0, "fitting")
        places, found = strata(part), values(part)
        added = added + np.column_stack([np.bincount(places, one, count) for one in found.T])
        inside += np.bincount(places, minlength=count)
    every = np.bincount(every_stratum, minlength=count)
    means = added / np.maximum(frame.sizes, 1)[:, None]
    middle = added.sum(axis=0) / survey.sample.n
    outside = every - inside
    # Whoever does not count is as far away as the mean is from 0.
    spread: Numbers = (means.T * (outside * factors.multiple)) @ means
    alone = np.where(factors.lonely, factors.lonely_factors, 0.0)
    spread += float(outside @ alone) * np.outer(middle, middle)
    for part in _parts(len(rows)):
        progress(0.0, "fitting")
        places, found = strata(part), values(part)
        apart = found - means[places]
        spread += (apart.T * factors.multiple[places]) @ apart
        single = np.flatnonzero(alone[places])
        if len(single):
            away = found[single] - middle
            spread += (away.T * alone[places[single]]) @ away
    return np.asarray(spread)


def _parts(rows: int) -> Iterator[slice]:
    for start in range(0, rows, _AT_ONCE):
        yield slice(start, min(start + _AT_ONCE, rows))


def sampled_fractions(survey: SurveySample, rows: NDArray[np.int64]) -> Numbers:
    """For each record, which part of its stratum was sampled."""
    return np.asarray(survey.frame.fractions[survey.sample.take(rows).each_stratum])


def degrees_of_freedom(survey: SurveySample, rows: NDArray[np.int64]) -> float:
    """Clusters minus strata that hold somebody; infinite without roles."""
    frame = survey.frame
    if frame.options.degrees_of_freedom is not None:
        return frame.options.degrees_of_freedom
    if frame.is_about_respondents or not frame.has_roles:
        return math.inf
    if frame.has_replicates:
        return float(frame.replicate_rank - 1)
    inside = survey.sample.take(rows)
    if frame.has_clusters:
        met = np.unique(inside.each_cluster)
        return float(len(met) - len(np.unique(frame.cluster_strata[met])))
    return float(len(rows) - max(len(np.unique(inside.each_stratum)), 1))
