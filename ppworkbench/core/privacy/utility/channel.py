"""What is estimated of an attribute: the shares of its values, or of intervals of a number.

A number has no finite list of values. Its distribution is read off :data:`CELLS` equal intervals of
the domain, and the distorted numbers are grouped so finely that grouping costs next to nothing. The
channel between the two then plays the part of the P-matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Discretise, Perturbation
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.errors import DesignError
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.estimator import Vector

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
