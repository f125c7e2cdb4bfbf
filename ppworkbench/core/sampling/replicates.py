"""Replicate weights made from strata and clusters: jackknives and the rescaled bootstrap.

Every method is a matrix of factors, one row per cluster and one column per replicate, by which the
weights of a cluster are multiplied, and a scale for each replicate: ``V = sum_k a_k (theta_k -
theta)^2``.

References
----------
J. N. K. Rao, C. F. J. Wu and K. Yue (1992), "Some recent work on resampling methods for complex
surveys", Survey Methodology 18.
"""

from __future__ import annotations

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import BOOTSTRAP, JK1, JKN
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.sample import Frame, SampleRows

DEFAULT_REPLICATES = 200


def replicate_factors(
    frame: Frame, method: str, count: int = DEFAULT_REPLICATES, seed: int = 0
) -> tuple[Numbers, Numbers]:
    """The factors of clusters and the scale of replicates.

    Parameters
    ----------
    method
        ``jk1`` leaves out one cluster after another, ``jkn`` does so within strata, ``bootstrap``
        draws ``n_h - 1`` clusters of each stratum with replacement.
    count
        The number of bootstrap replicates.
    """
    strata = frame.cluster_strata
    assert strata is not None  # noqa: S101 (rows stand for clusters where there are none)
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
    if method == BOOTSTRAP:
        return _bootstrap(frame, count, seed)
    raise ParameterError.saying(
        "Replicates can be made by {known}, not by {method!r}.",
        known=f"{JK1}, {JKN}, {BOOTSTRAP}",
        method=method,
        field="replicates",
    )


def _bootstrap(frame: Frame, count: int, seed: int) -> tuple[Numbers, Numbers]:
    strata = frame.cluster_strata
    assert strata is not None  # noqa: S101 (checked by the caller)
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


def replicate_weights(sample: SampleRows, factors: Numbers) -> Numbers:
    """Replicate weights of rows, one column each."""
    base = np.ones(sample.n) if sample.weights is None else sample.weights
    rows = np.arange(sample.n) if sample.clusters is None else sample.clusters
    return np.asarray(base[:, None] * factors[rows])


def _refuse_few(clusters: int) -> None:
    if clusters < 2:
        raise ParameterError("Replicates need at least 2 clusters.", field="replicates")
