"""The covariance of sums over records under any sampling: all that a linearised estimate needs."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, weighted_counts
from ppworkbench.core.sampling.sample import rows_as_clusters
from ppworkbench.core.sampling.variance import covariance_by_clusters, stratum_factors
from ppworkbench.core.survey.sampled import SurveySample


def covariance_of_sums(
    values: Numbers, survey: SurveySample, rows: NDArray[np.int64], *, finite: bool = True
) -> tuple[Numbers, tuple[str, ...]]:
    """The first sum of the sampling's variance, and remarks on strata.

    Parameters
    ----------
    values
        By record that counts, its weight included; ``rows`` are their places in the sample.
    finite
        Whether the size of the population is used, where it is known.
    """
    frame, sample = rows_as_clusters(survey.frame, survey.sample)
    assert sample.clusters is not None  # noqa: S101 (every row is in a cluster now)
    if not finite:
        frame = dataclasses.replace(frame, fractions=np.zeros_like(frame.fractions))
    assert frame.cluster_strata is not None  # noqa: S101 (clusters have strata)
    clusters, count = sample.clusters[rows], len(frame.cluster_strata)
    sums = np.column_stack([weighted_counts(clusters, column, count) for column in values.T])
    factors = stratum_factors(frame)
    return covariance_by_clusters(sums, frame, factors), factors.remarks


def sampled_fractions(survey: SurveySample, rows: NDArray[np.int64]) -> Numbers:
    """For each record, which part of its stratum was sampled."""
    strata = survey.sample.take(rows).strata
    places = np.zeros(len(rows), np.intp) if strata is None else strata
    return np.asarray(survey.frame.fractions[places])


def degrees_of_freedom(survey: SurveySample, rows: NDArray[np.int64]) -> float:
    """Clusters minus strata that hold somebody; infinite without roles."""
    frame = survey.frame
    if frame.options.degrees_of_freedom is not None:
        return frame.options.degrees_of_freedom
    if frame.is_about_respondents or not frame.has_roles:
        return math.inf
    if frame.replicate_scale is not None:
        return float(frame.replicate_rank - 1)
    inside = survey.sample.take(rows)
    if inside.clusters is not None and frame.cluster_strata is not None:
        met = np.unique(inside.clusters)
        return float(len(met) - len(np.unique(frame.cluster_strata[met])))
    strata = 1 if inside.strata is None else len(np.unique(inside.strata))
    return float(len(rows) - strata)
