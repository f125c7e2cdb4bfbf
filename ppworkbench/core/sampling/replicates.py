"""Replicate weights made from strata and clusters: jackknives, half samples, rescaled bootstrap.

Every method is a matrix of factors, one row per cluster and one column per replicate, by which the
weights of a cluster are multiplied, and a scale for each replicate: ``V = sum_k a_k (theta_k -
theta)^2``.

References
----------
J. N. K. Rao, C. F. J. Wu and K. Yue (1992), "Some recent work on resampling methods for complex
surveys", Survey Methodology 18.
P. J. McCarthy (1969), "Pseudo-replication: half samples", Review of the International Statistical
Institute 37.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.linalg import hadamard

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import BOOTSTRAP, BRR, JK1, JKN, LINEARISED
from ppworkbench.core.data.sampling_roles import MADE_REPLICATES as METHODS
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.sample import Frame, SampleRows, rows_as_clusters

DEFAULT_REPLICATES = 200
_MOST_WEIGHTS = 40_000_000
"""More replicate weights than these would take too much memory."""


def replicate_factors(
    frame: Frame, method: str, count: int = DEFAULT_REPLICATES, seed: int = 0
) -> tuple[Numbers, Numbers]:
    """The factors of clusters and the scale of replicates.

    Parameters
    ----------
    method
        ``jk1`` leaves out one cluster after another, ``jkn`` does so within strata, ``brr`` takes
        balanced halves of strata with two clusters each, ``bootstrap`` draws ``n_h - 1`` clusters
        of each stratum with replacement.
    count
        The number of bootstrap replicates.
    """
    strata = frame.cluster_strata
    clusters, sizes, rest = len(strata), frame.sizes, 1 - frame.fractions
    if method == JK1:
        _refuse_few(clusters)
        factors = np.full((clusters, clusters), clusters / (clusters - 1))
        np.fill_diagonal(factors, 0.0)
        same = float(rest[0]) if np.ptp(rest) == 0 else 1.0
        return factors, np.full(clusters, same * (clusters - 1) / clusters)
    if method == JKN:
        chosen = np.flatnonzero(sizes[strata] > 1)
        _refuse_few(len(chosen))
        factors = np.ones((clusters, len(chosen)))
        for k, cluster in enumerate(chosen):
            size = sizes[strata[cluster]]
            factors[strata == strata[cluster], k] = size / (size - 1)
            factors[cluster, k] = 0.0
        within = sizes[strata[chosen]]
        return factors, rest[strata[chosen]] * (within - 1) / within
    if method == BRR:
        return _half_samples(frame)
    if method == BOOTSTRAP:
        return _bootstrap(frame, count, seed)
    raise ParameterError.saying(
        "Replicates can be made by {known}, not by {method!r}.",
        known=", ".join(METHODS),
        method=method,
        field="replicates",
    )


def _half_samples(frame: Frame) -> tuple[Numbers, Numbers]:
    strata, sizes = frame.cluster_strata, frame.sizes
    if (sizes != 2).any():
        place = int(np.argmax(sizes != 2))
        raise DataError.saying(
            "Balanced half samples need 2 clusters in every stratum; {stratum!r} has {count:,}. "
            "Use jkn.",
            stratum=frame.labels[place],
            count=int(sizes[place]),
            field="make_replicates",
        )
    count = 1 << len(sizes).bit_length()
    # The first column of the matrix is the same for all replicates.
    signs = hadamard(count)[:, 1 : len(sizes) + 1].T.astype(np.float64)
    second = np.zeros(len(strata), np.bool_)
    second[np.unique(strata, return_index=True)[1]] = True
    # Pulled towards 1 where a known part of the stratum was drawn.
    pull = np.sqrt(1 - frame.fractions)[strata]
    factors = 1 + pull[:, None] * np.where(second[:, None], signs[strata], -signs[strata])
    return factors, np.full(count, 1 / count)


def _bootstrap(frame: Frame, count: int, seed: int) -> tuple[Numbers, Numbers]:
    strata = frame.cluster_strata
    random = SeededStreams(seed).generator("sampling", "bootstrap")
    factors = np.ones((len(strata), count))
    for stratum, size in enumerate(frame.sizes):
        if size < 2:
            continue
        drawn = random.multinomial(size - 1, np.full(size, 1 / size), count).T
        # Shrunk towards 1 where a known part of the stratum was drawn.
        pull = np.sqrt(1 - frame.fractions[stratum])
        factors[strata == stratum] = 1 - pull + pull * drawn * (size / (size - 1))
    return factors, np.full(count, 1 / count)


def made_replicates(frame: Frame, sample: SampleRows) -> tuple[Frame, SampleRows]:
    method = frame.options.make_replicates
    if method == LINEARISED or frame.is_about_respondents:
        return frame, sample
    if frame.sampling.replicates is not None:
        raise ParameterError(
            "The sample has replicate weights of its own; make none, or leave these out.",
            field="make_replicates",
        )
    if method == JK1 and len(frame.sizes) > 1:
        raise ParameterError("The jackknife jk1 knows no strata; use jkn.", field="make_replicates")
    clusters = int(frame.sizes.sum())
    count = DEFAULT_REPLICATES if method == BOOTSTRAP else clusters
    if method != BRR and sample.n * count > _MOST_WEIGHTS:
        raise ParameterError.saying(
            "{method} of {clusters:,} clusters and {rows:,} rows makes too many weights; use "
            "bootstrap, or the errors without replicates.",
            method=method,
            clusters=clusters,
            rows=sample.n,
            field="make_replicates",
        )
    by_cluster, rows = rows_as_clusters(frame, sample)
    factors, scale = replicate_factors(by_cluster, method)
    free = clusters - (1 if method == JK1 else len(frame.sizes))
    rank = min(len(scale), len(frame.sizes) if method == BRR else free) + 1
    if method == BOOTSTRAP:
        rank = min(len(scale), free + 1)
    return (
        dataclasses.replace(frame, replicate_scale=scale, replicate_rank=rank),
        dataclasses.replace(sample, replicates=replicate_weights(rows, factors)),
    )


def replicate_weights(sample: SampleRows, factors: Numbers) -> Numbers:
    return np.asarray(sample.each_weight[:, None] * factors[sample.each_cluster])


def _refuse_few(clusters: int) -> None:
    if clusters < 2:
        raise ParameterError("Replicates need at least 2 clusters.", field="replicates")
