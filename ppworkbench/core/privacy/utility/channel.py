"""What is estimated of an attribute: the shares of its values, or of intervals of a number.

A number has no finite list of values. Its distribution is read off :data:`CELLS` equal intervals of
the domain, and the distorted numbers are grouped so finely that grouping costs next to nothing. The
channel between the two then plays the part of the P-matrix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Discretise, Perturbation
from ppworkbench.core.design.channels import Naming
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.errors import DesignError
from ppworkbench.core.privacy.prior import Prior

Vector = NDArray[np.float64]

SINGULAR = 1e-14
"""A singular value this much smaller than the largest is rounding error: no inverse exists."""

_LARGE = 50
"""Values from which on a decomposition takes longer than to look whether it was done before."""

_LEAST_WEIGHTED = 1e-9
"""Outcomes rarer than this get no more weight: they never occur in a survey of any size."""


@dataclass(frozen=True, eq=False)
class Estimator:
    """The linear estimate ``B ẑ`` with ``B P = I``, and what its noise is.

    ``P[r, c]`` is the probability that the true value c becomes r, ẑ the shares of the distorted
    answers. A square P has one such B, its inverse (the estimate EQ). Where more outcomes
    are told apart than values are asked for, B is the best one, ``(P' D⁻¹ P)⁻¹ P' D⁻¹`` with
    ``D = diag(z)``: weighted least squares, as exact as maximum likelihood for many respondents.

    ``left_inverse`` is B, or None when P is singular and no unbiased estimate exists.
    """

    matrix: Matrix
    left_inverse: Matrix | None
    condition: float

    @property
    def is_singular(self) -> bool:
        """Whether different distributions of answers give the same distorted ones."""
        return self.left_inverse is None

    def distorted(self, shares: Vector) -> Vector:
        """``z = P x``: the expected shares of the distorted answers."""
        z: Vector = self.matrix @ shares
        return z

    def variances(self, shares: Vector, distorted: Vector | None = None) -> Vector:
        """The variance of every estimated share for one respondent; n respondents divide it.

        The diagonal of ``B (diag(z) - z z') B'``. ``distorted`` replaces z where the answers were
        not given as P says.
        """
        if self.left_inverse is None:
            return np.full(len(shares), math.inf)
        if distorted is None:
            z, mean = self.matrix @ shares, shares
        else:
            z, mean = distorted, self.left_inverse @ distorted
        spread: Vector = (self.left_inverse * self.left_inverse) @ z
        # Rounding leaves a share that cannot vary a few ulps below zero, or above.
        spread -= mean * mean
        spread[spread < 1e-15] = 0.0
        return spread

    def variance_of_sum(self, places: Sequence[int], distorted: Vector) -> float:
        """The variance, for one respondent, of the summed shares of some values.

        ``a' (diag(z) - z z') a`` with ``a`` the sum of these rows of B.
        """
        if self.left_inverse is None:
            return math.inf
        weights = self.left_inverse[list(places)].sum(axis=0)
        spread = float(weights**2 @ distorted - (weights @ distorted) ** 2)
        return spread if spread >= 1e-15 else 0.0

    def variance_of_shares(self, places: Sequence[int], shares: Vector) -> float:
        """The same by the true shares of all values."""
        return self.variance_of_sum(places, self.matrix @ shares)

    def covariance(self, shares: Vector) -> Matrix | None:
        """``B (diag(z) - z z') B'``, the covariance for one respondent."""
        if self.left_inverse is None:
            return None
        z = self.matrix @ shares
        return np.asarray((self.left_inverse * z) @ self.left_inverse.T - np.outer(shares, shares))


@dataclass(frozen=True, eq=False)
class SetEstimator(Estimator):
    """The estimate from sets: a share is ``(share named - h) / (g - h)``.

    The named shares are ``h + (g - h) x``, a matrix with eigenvalues g - h and g - h + k h.
    """

    naming: Naming

    @classmethod
    def of(cls, naming: Naming, k: int) -> SetEstimator:
        return cls(np.eye(k), np.eye(k), 1 + k * naming.h / naming.gap, naming)

    def variances(self, shares: Vector, distorted: Vector | None = None) -> Vector:  # noqa: ARG002
        return self.naming.variance(shares)

    def variance_of_sum(self, places: Sequence[int], distorted: Vector) -> float:
        """The same of sets, where shares take the place of reports."""
        if len(places) == 1:
            return float(self.naming.variance(distorted[places[0]]))
        return float(self.naming.covariance(distorted)[np.ix_(places, places)].sum())


def factor(matrix: Matrix, shares: Vector | None = None) -> Estimator:
    """Factor a channel by one singular value decomposition.

    Parameters
    ----------
    matrix
        A P-matrix, or a channel with more outcomes than values.
    shares
        The expected shares of the values, which weigh the outcomes of a channel that is not
        square; even shares if not given.

    Examples
    --------
    >>> warner = factor(np.array([[0.7, 0.3], [0.3, 0.7]]))
    >>> round(warner.condition, 3)
    2.5
    >>> warner.variances(np.array([0.9, 0.1])).round(4).tolist()
    [1.4025, 1.4025]
    """
    outcomes, k = matrix.shape
    if outcomes < k:
        return Estimator(matrix, None, math.inf)
    if outcomes == k and k < _LARGE:
        return _factor_square(matrix)
    if outcomes == k:
        return _factor_remembered(np.ascontiguousarray(matrix, np.float64).tobytes(), k)
    return _factor_tall(matrix, np.full(k, 1 / k) if shares is None else shares)


def _factor_square(matrix: Matrix) -> Estimator:
    u, sizes, vt = np.linalg.svd(matrix)
    if sizes[-1] <= sizes[0] * SINGULAR:
        return Estimator(matrix, None, math.inf)
    inverse: Matrix = (vt.T / sizes) @ u.T
    return Estimator(matrix, inverse, float(sizes[0] / sizes[-1]))


@lru_cache(maxsize=4)
def _factor_remembered(content: bytes, k: int) -> Estimator:
    """A large matrix is factored once, although several parts of a page ask for it."""
    found = _factor_square(np.frombuffer(content).reshape(k, k))
    if found.left_inverse is not None:
        found.left_inverse.flags.writeable = False
    return found


def _factor_tall(matrix: Matrix, shares: Vector) -> Estimator:
    sizes = np.linalg.svd(matrix, compute_uv=False)
    condition = float(sizes[0] / sizes[-1]) if sizes[-1] > sizes[0] * SINGULAR else math.inf
    root = np.sqrt(np.maximum(matrix @ shares, _LEAST_WEIGHTED))
    u, scaled, vt = np.linalg.svd(matrix / root[:, None], full_matrices=False)
    if math.isinf(condition) or scaled[-1] <= scaled[0] * SINGULAR:
        return Estimator(matrix, None, math.inf)
    inverse: Matrix = (vt.T / scaled) @ u.T / root
    return Estimator(matrix, inverse, condition)


CELLS = 10
"""Intervals of a number whose shares are judged; published intervals are merged to at most 20."""

_MOST_PUBLISHED = 20
_FINER = 4
_GROWTH = 1.15
_LARGE_DOMAIN = 1000
"""Whole numbers above which steps of 1 are so fine that the number is treated as continuous."""


@dataclass(frozen=True, eq=False)
class ShareChannel:
    """The values or intervals, their expected shares and how they become distorted answers.

    ``edges`` and ``distorted_edges`` are the borders of the intervals of a number and of its
    distorted form; None for an attribute of values.
    """

    labels: tuple[str, ...]
    shares: Vector
    matrix: Matrix
    edges: Vector | None = None
    distorted_edges: Vector | None = None


def share_channel(
    attribute: Attribute, perturbation: Perturbation, prior: Prior | None = None
) -> ShareChannel:
    """The channel of an attribute under a perturbation; even shares without a prior."""
    if attribute.kind.is_categorical:
        k = attribute.k
        matrix = perturbation.values.matrix(k)
        shares = np.full(k, 1 / k) if prior is None else _checked(attribute, prior.probabilities)
        return ShareChannel(attribute.values, shares, matrix)
    if attribute.width == 0:
        return ShareChannel((f"{domain_of(attribute)[0]:g}",), np.ones(1), np.eye(1))
    return _number_channel(attribute, perturbation, prior)


def estimated_shares(
    attribute: Attribute, perturbation: Perturbation, prior: Prior | None = None
) -> tuple[ShareChannel, Estimator]:
    """What is estimated of an attribute, and how; of sets only labels and shares are meant."""
    naming = perturbation.naming_for(attribute)
    if naming is not None:
        k = attribute.k
        shares = np.full(k, 1 / k) if prior is None else _checked(attribute, prior.probabilities)
        channel = ShareChannel(attribute.values, shares, np.eye(k))
        return channel, SetEstimator.of(naming, k)
    channel = share_channel(attribute, perturbation, prior)
    return channel, factor(channel.matrix, channel.shares)


def _checked(attribute: Attribute, probabilities: Vector) -> Vector:
    if len(probabilities) != attribute.k:
        raise DesignError.saying(
            "Attribute {attribute!r} has {k} values, its prior {count}; give one "
            "probability per value.",
            k=attribute.k,
            count=len(probabilities),
            attribute=attribute.name,
            field="prior",
        )
    return probabilities


def _number_channel(
    attribute: Attribute, perturbation: Perturbation, prior: Prior | None
) -> ShareChannel:
    intervals = perturbation.numbers.interval_edges(attribute)
    cells = Discretise(intervals=CELLS) if intervals is None else _merged(intervals)
    edges = cells.edges_of(attribute)
    labels = cells.distorted(attribute).values
    shares = regrouped(prior, edges)
    if intervals is not None or perturbation.is_identity:
        return ShareChannel(labels, shares, np.eye(len(shares)), edges, edges)
    smooth = attribute
    if attribute.kind is Kind.INTEGER and attribute.width > _LARGE_DOMAIN:
        smooth = attribute.with_(kind=Kind.CONTINUOUS)
    low, high = perturbation.numbers.support(attribute)
    if attribute.kind is Kind.INTEGER:
        low, high = low - 0.5, high + 0.5
    published = _published_edges(edges, (low, high), smooth)
    matrix = perturbation.numbers.channel(edges, published, smooth)
    return ShareChannel(labels, shares, matrix, edges, published)


def _merged(edges: Vector) -> Discretise:
    """The published intervals, neighbours put together where there are very many."""
    count = len(edges) - 1
    kept = np.unique(np.rint(np.linspace(0, count, min(count, _MOST_PUBLISHED) + 1)).astype(int))
    return Discretise(edges=tuple(edges[kept].tolist()))


def regrouped(prior: Prior | None, edges: Vector) -> Vector:
    """The shares of the cells between ``edges``, even inside each cell of the prior."""
    if prior is None or prior.edges is None:
        return np.asarray(np.diff(edges) / (edges[-1] - edges[0]))
    cumulated = np.concatenate([[0.0], np.cumsum(prior.probabilities)])
    mass = np.diff(np.interp(edges, prior.edges, cumulated))
    return np.asarray(mass / mass.sum())


def _published_edges(edges: Vector, support: tuple[float, float], attribute: Attribute) -> Vector:
    """Fine cells over the domain and at both ends of the support, growing ones between.

    Uniform noise tells most at the ends of its support, normal and Laplace noise near the domain.
    """
    low, high = edges[0], edges[-1]
    fine = float(np.diff(edges).min()) / _FINER
    domain = np.arange(low, high + fine / 2, fine)
    below = max(low - support[0], 0.0)
    above = max(support[1] - high, 0.0)
    parts = [
        domain,
        low - _growing(below, fine),
        high + _growing(above, fine),
        np.clip(domain - below, support[0], None),
        np.clip(domain + above, None, support[1]),
    ]
    points = np.unique(np.concatenate(parts))
    if attribute.kind is Kind.INTEGER:
        return np.unique(np.rint(points - 0.5) + 0.5)
    apart = np.concatenate([[True], np.diff(points) > fine * 1e-6])
    return np.asarray(points[apart])


def _growing(reach: float, first: float) -> Vector:
    if reach <= 0:
        return np.zeros(1)
    steps = int(np.ceil(np.log1p(reach * (_GROWTH - 1) / first) / np.log(_GROWTH)))
    distance = first * (_GROWTH ** np.arange(steps + 1) - 1) / (_GROWTH - 1)
    return np.asarray(np.append(distance[distance < reach], reach))
