"""Joint EM over the cells of several attributes at once.

The distribution x over all combinations of true cells that makes the counted combinations of
distorted cells most likely: ``x_p <- x_p * sum_s (z_s / sum_q A[s, q] x_q) A[s, p]`` with A the
product of the factors' channels, which is never formed. Where numbers are under noise, iterations
stop when one gains less than a hundredth of a nat of likelihood: beyond that, EM only fits the
noise. Totals where noise cannot be undone by weights are summed from it: smooth ones, flagged as
such.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Column
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.algorithms.smooth import Smooth
from ppworkbench.core.reconstruct.counting import count_column
from ppworkbench.core.reconstruct.worst_case import TRUE_CELLS
from ppworkbench.core.survey.estimates import Totals
from ppworkbench.core.survey.factors.factor import Factor, NumberFactor
from ppworkbench.core.survey.factors.grids import divided, smooth_factor
from ppworkbench.core.survey.inquiry import Inquiry, coded

SMOOTH_GAIN, LIKELIEST_GAIN = 1e-2, 1e-5
"""The gain of log-likelihood at which to stop, where smoothing is wanted and where it is not."""

_MOST_ITERATIONS = 500
_MOST_CELLS = 2_000_000
_MOST_SMOOTH_CELLS = 13_000
"""Combinations of cells where noise makes finer ones no better, only slower."""
_BATCH_CELLS = 2_000_000
_CELLS_TO_TRY = (32, 24, 16, 12, 8)


@dataclass(frozen=True, eq=False)
class JointDistribution:
    """The estimated distribution of the true answers over the factors' cells.

    ``probability`` has one axis per factor. ``inquiry`` may have coarser cells than the one that
    was asked for.
    """

    inquiry: Inquiry
    probability: Numbers
    iterations: int

    def targets(self) -> Numbers:
        """The probabilities of all combinations of targets, one axis per factor."""
        return _through(self.probability, [factor.targets.T for factor in self.inquiry.factors])

    def distorted(self, probability: Numbers) -> Numbers:
        """The distribution of the distorted answers that belongs to one of the true ones."""
        return _through(probability, [factor.channel for factor in self.inquiry.factors])


_RAREST = 1e-150
"""The square of a smaller probability is beyond what a double holds."""


def joint_distribution(
    inquiry: Inquiry,
    pseudo_counts: float = 0.0,
    progress: Progress = silent,
    weights: Numbers | None = None,
) -> JointDistribution:
    """Estimate the joint distribution of the true answers.

    Parameters
    ----------
    pseudo_counts
        Imagined respondents, spread evenly over all combinations, that keep a handful of records
        from ruling anything out.
    weights
        How much each record of the table counts, 1 if not given.
    """
    inquiry = tractable(inquiry)
    counts = counted(inquiry, weights)
    start = outer([factor.true_share for factor in inquiry.factors])
    prior = pseudo_counts * start
    channels = [factor.channel for factor in inquiry.factors]
    is_smooth = any(factor.is_smooth for factor in inquiry.factors)
    enough = SMOOTH_GAIN if is_smooth else LIKELIEST_GAIN
    x, likelihood, done = start, -math.inf, 0
    for done in range(1, _MOST_ITERATIONS + 1):
        progress(done / _MOST_ITERATIONS, "estimating the joint distribution")
        z = _through(x, channels)
        before, likelihood = likelihood, _log_likelihood(counts, z)
        if likelihood - before < enough:
            break
        x = _step(x, counts, z, channels, prior)
    return JointDistribution(inquiry, x, done)


def covariance_of(
    joint: JointDistribution, gradients: Numbers, progress: Progress = silent
) -> Numbers:
    """The covariance of linear functions of the estimated distribution (delta method).

    An iteration maps x and the shares z of the distorted cells to a new x. With J and G its
    derivatives by x and by z at the estimate, a small change of z moves the result of T iterations
    by ``sum_{i < T} J^i G dz``. For a function with the gradient v the change is ``g dz`` with
    ``g = G' sum_i (J')^i v``, and the multinomial variance of z gives that of the function. So
    directions in which EM had not yet moved far count for little, as they do in the estimate.

    Parameters
    ----------
    gradients
        One function per entry of the first axis, then one axis per factor.
    """
    counts = counted(joint.inquiry)
    n = joint.inquiry.n
    filled, influence = _influences(joint, gradients, counts / n, progress)
    share = counts.ravel()[filled] / n
    return np.asarray((influence * share) @ influence.T / max(n - 1, 1))


def contributions(
    joint: JointDistribution,
    gradients: Numbers,
    weights: Numbers | None = None,
    progress: Progress = silent,
) -> tuple[NDArray[np.intp], Numbers, Numbers]:
    """What each record contributes to linear functions of the estimated distribution.

    A function's value plus the influence of the record's cell: the weighted mean of contributions
    is the value, and their variation gives its standard error under any sampling.

    Returns
    -------
    codes, look_up, expected
        The place of every record in the look-up, the contributions by place, and the mean product
        of the contributions that are expected given the true answers, for all pairs of functions.
    """
    inquiry = joint.inquiry
    counts = counted(inquiry, weights)
    share = counts / counts.sum()
    filled, influence = _influences(joint, gradients, share, progress)
    values = gradients.reshape(len(gradients), -1) @ joint.probability.ravel()
    whole = np.zeros((len(gradients), counts.size))
    whole[:, filled] = influence
    backwards = [factor.channel.T for factor in inquiry.factors]
    means = _through(whole.reshape(-1, *counts.shape), backwards).reshape(len(gradients), -1)
    means += values[:, None]
    expected = (means * joint.probability.ravel()) @ means.T
    places = np.zeros(counts.size, np.intp)
    places[filled] = np.arange(len(filled))
    return places[_flat_codes(inquiry)], (influence + values[:, None]).T, np.asarray(expected)


def _influences(
    joint: JointDistribution, gradients: Numbers, z_share: Numbers, progress: Progress
) -> tuple[NDArray[np.intp], Numbers]:
    """The cells that hold records, and the influence of each on every function; its mean is 0."""
    filled = np.flatnonzero(z_share)
    batch = max(1, _BATCH_CELLS // z_share.size)
    found = [
        _influence(joint, gradients[start : start + batch], z_share, progress).reshape(
            -1, z_share.size
        )[:, filled]
        for start in range(0, len(gradients), batch)
    ]
    influence = np.concatenate(found)
    influence -= (influence @ z_share.ravel()[filled])[:, None]
    return filled, influence


def _influence(
    joint: JointDistribution, gradients: Numbers, z_share: Numbers, progress: Progress
) -> Numbers:
    channels = [factor.channel for factor in joint.inquiry.factors]
    backwards = [channel.T for channel in channels]
    x = joint.probability
    z = _through(x, channels)
    # Only cells that hold records matter; the inverse of an empty one may be beyond all numbers.
    inverse = np.divide(1.0, z, out=np.zeros_like(z), where=(z_share > 0) & (z > _RAREST))
    growth = _through(z_share * inverse, backwards)
    pull = z_share * inverse**2
    total = gradient = gradients
    for i in range(1, joint.iterations):
        progress(i / joint.iterations, "estimating the error")
        back = _through(pull * _through(x * gradient, channels), backwards)
        gradient = growth * gradient - back
        total = total + gradient
    return inverse * _through(x * total, channels)


def counted(inquiry: Inquiry, weights: Numbers | None = None) -> Numbers:
    """How often each combination of distorted cells came, one axis per factor.

    Weights of the table's records count as many records as they are worth: their sum is the
    effective number, on which it depends how long iterating is of use.
    """
    shape = tuple(len(factor.channel) for factor in inquiry.factors)
    given = inquiry.times
    if weights is not None:
        given = weights[inquiry.answers.rows]
        squares = float(given @ given)
        given = given * (given.sum() / squares if squares > 0 else 1.0)
    found = np.bincount(_flat_codes(inquiry), given, math.prod(shape))
    return found.reshape(shape).astype(np.float64)


def _flat_codes(inquiry: Inquiry) -> NDArray[np.int64]:
    flat = np.zeros(inquiry.size, np.int64)
    for factor, codes in zip(inquiry.factors, inquiry.codes, strict=True):
        flat *= len(factor.channel)
        flat += codes
    return flat


def tractable(inquiry: Inquiry) -> Inquiry:
    """The same inquiry with cells of numbers few enough to hold all combinations."""
    smooth = any(_is_divisible(factor) for factor in inquiry.factors)
    for cells in _CELLS_TO_TRY if smooth else (0,):
        factors = [_smoothed(factor, inquiry, cells) for factor in inquiry.factors]
        # Many targets take time too: each needs its own standard error.
        targets = math.prod(factor.targets.shape[1] for factor in factors)
        most = _MOST_SMOOTH_CELLS / max(1.0, targets / 10) if smooth else _MOST_CELLS
        if cells == _CELLS_TO_TRY[-1]:
            most = _MOST_CELLS
        if combinations(factors) <= most:
            return coded(inquiry.answers, factors) if smooth else inquiry
    raise ParameterError(
        "Too many attributes for a joint estimate; remove some from the condition.",
        field="condition",
    )


def combinations(factors: Sequence[Factor]) -> int:
    """The number of combinations of cells, true or distorted, whichever are more."""
    shapes = [factor.channel.shape for factor in factors]
    return max(math.prod(axis) for axis in zip(*shapes, strict=True)) if shapes else 1


def _smoothed(factor: Factor, inquiry: Inquiry, cells: int) -> Factor:
    if not _is_divisible(factor):
        return factor
    asked = factor.asked[0]
    return smooth_factor(asked, inquiry.answers.data[asked.name], cells)


def _is_divisible(factor: Factor) -> bool:
    """Whether the cells are a matter of choice; a mean needs cells even where nothing else does."""
    return factor.is_smooth or (isinstance(factor, NumberFactor) and factor.asked[0].moment)


def outer(vectors: Sequence[Numbers]) -> Numbers:
    result = np.ones(())
    for vector in vectors:
        result = np.multiply.outer(result, vector)
    return result


def _through(x: Numbers, matrices: Sequence[Numbers]) -> Numbers:
    """Multiply a matrix onto each of the last axes, one per factor."""
    offset = x.ndim - len(matrices)
    for axis, matrix in enumerate(matrices):
        x = np.moveaxis(np.tensordot(matrix, x, axes=(1, axis + offset)), 0, axis + offset)
    return x


def _step(
    x: Numbers,
    counts: Numbers,
    z: Numbers,
    channels: Sequence[Numbers],
    prior: Numbers,
) -> Numbers:
    ratio = np.divide(counts, z, out=np.zeros_like(z), where=z > 0)
    expected = x * _through(ratio, [channel.T for channel in channels]) + prior
    return np.asarray(expected / expected.sum())


def _log_likelihood(counts: Numbers, z: Numbers) -> float:
    seen = counts > 0
    return float(counts[seen] @ np.log(np.maximum(z[seen], 1e-300)))


SMOOTHED = (
    "The noise is too wide for an exact correction, so a smoothed estimate is shown; its "
    "interval is too narrow where the truth is less smooth than the estimate."
)


def smoothed_totals(
    inquiry: Inquiry, progress: Progress = silent, weights: Numbers | None = None
) -> Totals:
    """Totals from a smooth estimate of the joint distribution.

    A number alone is reconstructed as anywhere else in the program; several attributes go through
    joint EM. Where ``weights`` say how much each record of the table counts, the covariance is not
    that of the sampling.
    """
    only = inquiry.factors[0]
    if len(inquiry.factors) == 1 and isinstance(only, NumberFactor):
        return _alone(inquiry, only, progress, weights)
    joint = joint_distribution(inquiry, progress=part(progress, 0.0, 0.3), weights=weights)
    factors = joint.inquiry.factors
    shares = joint.targets()
    gradients = np.stack(
        [
            outer([factor.targets[:, i] for factor, i in zip(factors, place, strict=True)])
            for place in np.ndindex(*shares.shape)
        ]
    )
    covariance = covariance_of(joint, gradients, part(progress, 0.3, 1.0))
    n = joint.inquiry.n
    return Totals(n * shares.ravel(), n**2 * covariance, n, (SMOOTHED,))


def _alone(
    inquiry: Inquiry, factor: NumberFactor, progress: Progress, weights: Numbers | None
) -> Totals:
    asked = factor.asked[0]
    edges = divided(asked.borders(), TRUE_CELLS, asked)
    published = asked.perturbation.distorted(asked.attribute)
    column = Column(published, inquiry.answers.data[asked.name])
    fit = Smooth().fit(
        count_column(
            column, asked.attribute, asked.perturbation, edges,
            None if weights is None else weights[inquiry.answers.rows], times=inquiry.times,
        ),
        progress=progress,
    )  # fmt: skip
    n, targets = inquiry.n, asked.targets(edges)
    covariance = np.zeros((len(edges) - 1,) * 2) if fit.covariance is None else fit.covariance
    covariance = targets.T @ covariance @ targets
    return Totals(n * (fit.probability @ targets), n**2 * covariance, n, (SMOOTHED,))
