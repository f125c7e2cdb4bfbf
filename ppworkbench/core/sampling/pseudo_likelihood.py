"""Reconstruction from weighted answers: EM of the pseudo-likelihood with its sandwich variance.

``sum_i w_i log (P x)_{z_i}`` is maximised over distributions x. On the support of the maximum, with
``A = sum_s c_s p_s p_s' / l_s^2`` the weighted information (c the weighted counts, p_s the rows of
P, ``l = P x``) and scores ``p_{z_i} / l_{z_i}``, the variance is ``A^-1 B A^-1``, B that of the
scores' weighted sum under the sampling. Moves keep the sum of x, hence the inverse within them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.sampling.moments import SampleMoments, Terms
from ppworkbench.core.sampling.sample import Frame, SampleRows
from ppworkbench.core.sampling.variance import SampledValues

_MOST_ITERATIONS = 20_000
_NARROW = 1e-12
_ABSENT = 1e-9


@dataclass(frozen=True, eq=False)
class WeightedReconstruction:
    """True shares, and their errors on the support."""

    probability: Numbers
    found: SampledValues
    iterations: int


def reconstruct_weighted(
    codes: Codes,
    channel: Numbers,
    sample: SampleRows,
    frame: Frame,
    kept: Codes | None = None,
    progress: Progress = silent,
) -> WeightedReconstruction:
    """Reconstruct the shares of true answers from reported ones.

    Parameters
    ----------
    codes
        The reported cell of every row that is kept.
    channel
        ``P[s, p]``: the probability of report s given the true value p.
    """
    rows = sample.take(kept)
    counts = np.bincount(codes, rows.weights, len(channel)).astype(np.float64)
    x, iterations = _maximise(channel, counts, progress)
    support = x > _ABSENT
    influence = _influence(channel, counts, x, support)
    posterior = channel * x
    total = posterior.sum(axis=1, keepdims=True)
    posterior = np.divide(posterior, total, out=np.zeros_like(posterior), where=total > 0)
    expected = channel.T @ influence
    true = np.einsum("sp,pk,pl->skl", posterior, expected, expected)
    moments = SampleMoments()
    terms = Terms(len(codes), influence, codes, true_products=true)
    moments.add(terms, sample, kept, finite=frame.has_population)
    found = moments.totals(frame).sums(np.eye(len(x)))
    # The influences are moves away from the maximum, where their sum is 0.
    moved = SampledValues(x, found.covariance, found.device, found.simple, found.totals)
    return WeightedReconstruction(x, moved, iterations)


def _maximise(channel: Numbers, counts: Numbers, progress: Progress) -> tuple[Numbers, int]:
    """EM with steps in pairs that are extrapolated (SQUAREM), until shares hardly move."""
    share = counts / counts.sum()
    x = np.full(channel.shape[1], 1 / channel.shape[1])
    done = 0
    for done in range(1, _MOST_ITERATIONS + 1):
        if done % 256 == 0:
            progress(min(done / _MOST_ITERATIONS, 1.0), "reconstructing")
        first = _step(channel, share, x)
        second = _step(channel, share, first)
        r, v = first - x, second - 2 * first + x
        bend = float(np.linalg.norm(v))
        new = second
        if bend > 0:
            length = min(-1.0, -float(np.linalg.norm(r)) / bend)
            far = x - 2 * length * r + length**2 * v
            if far.min() > 0 and _likelihood(channel, share, far) >= _likelihood(
                channel, share, second
            ):
                new = far / far.sum()
        moved = float(np.abs(_step(channel, share, new) - new).max())
        x = new
        if moved < _NARROW:
            break
    return x, done


def _step(channel: Numbers, share: Numbers, x: Numbers) -> Numbers:
    reported = channel @ x
    ratio = np.divide(share, reported, out=np.zeros_like(share), where=reported > 0)
    moved = x * (channel.T @ ratio)
    return np.asarray(moved / moved.sum())


def _likelihood(channel: Numbers, share: Numbers, x: Numbers) -> float:
    seen = share > 0
    return float(share[seen] @ np.log(np.maximum((channel @ x)[seen], 1e-300)))


def _influence(
    channel: Numbers,
    counts: Numbers,
    x: Numbers,
    support: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> Numbers:
    """How much a report moves each share, one row per report: 0 off the support."""
    reported = channel @ x
    inverse = np.divide(1.0, reported, out=np.zeros_like(reported), where=reported > 0)
    rows = channel[:, support]
    information = (rows.T * (counts * inverse**2)) @ rows
    # A basis of moves that keep the sum: every column adds up to 0.
    size = int(support.sum())
    influence = np.zeros_like(channel)
    if size > 1:
        basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0][:, 1:]
        inner = np.linalg.pinv(basis.T @ information @ basis, hermitian=True)
        influence[:, support] = (rows * inverse[:, None]) @ basis @ inner @ basis.T
    return influence
