"""What a published number tells about the true one, worked out on a grid.

The prior is a histogram; the published number is put into cells that are cut where those of
the prior are cut, so that narrow noise does not blur across them. A guess hits the right *cell of
the prior*. Information needs more care: cells hide what narrow noise tells inside a cell. Where the
entropy of the noise is known, ``I(X;Z) = h(Z) - h(Z|X)`` is used, which holds for any width.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.noises.base import integer_edges
from ppworkbench.core.privacy.joint import Joint, bits
from ppworkbench.core.privacy.prior import CELLS, MODEST, Prior

_OUTSIDE = 24
"""Cells on either side of the domain, each halved once more."""
_MOST_WHOLE_NUMBERS = 768
"""Published whole numbers that have a cell each."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)


@dataclass(frozen=True, eq=False)
class NumericPosterior:
    """An attacker's view of one published number.

    ``seen`` is on the prior's cells. ``prior_bits`` is h(X), ``published_bits`` h(Z) and
    ``information`` I(X;Z), all in bits. ``cell`` is the width of the cells inside which nothing
    could be told apart; None where the information does not depend on cells.
    """

    seen: Joint
    prior_bits: float
    published_bits: float
    information: float
    cell: float | None = None


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells at least as fine as the prior's, and which of them begin a cell of the prior."""

    edges: Numbers
    mass: Numbers
    within: Numbers
    starts: NDArray[np.intp]
    whole: bool


Mix = Callable[[Numbers, Numbers, Numbers, Attribute], Numbers]
"""What is reported of a number, from its channel, its cells and the cells of the reports."""


def number_view(
    attribute: Attribute, perturbation: Perturbation, prior: Prior, mix: Mix | None = None
) -> NumericPosterior:
    """The attacker's view under a noise, or without any distortion.

    ``mix`` makes the channel of all respondents of that of people who follow the device. What is
    reported then has no simple density any more, so that information is that of the cells.
    """
    p = prior.probabilities
    widths = prior.widths
    assert widths is not None  # noqa: S101 (the prior of a number)
    if attribute.kind is Kind.CONTINUOUS and attribute.width == 0:
        return NumericPosterior(Joint.of(np.ones((1, 1)), p), -math.inf, -math.inf, 0.0)
    prior_bits = bits(p) + float(p @ np.log2(widths))
    if perturbation.is_identity and mix is not None:
        return _mixed_identity(attribute, prior, prior_bits, mix)
    if perturbation.is_identity:
        known = prior_bits if attribute.kind is Kind.INTEGER else math.inf
        return NumericPosterior(Joint.of(np.eye(prior.k), p), prior_bits, prior_bits, known)
    cells = _cells(attribute, prior)
    smooth = attribute
    if attribute.kind is Kind.INTEGER and not cells.whole:
        # Steps of 1 are so fine on a wide domain that the number is treated as continuous.
        smooth = attribute.with_(
            kind=Kind.CONTINUOUS, domain=(float(cells.edges[0]), float(cells.edges[-1]))
        )
    edges = _published_edges(perturbation, smooth, cells)
    matrix = _channel(perturbation, smooth, cells, edges)
    if mix is not None:
        matrix = _proper(mix(matrix, cells.edges, edges, smooth))
    fine = Joint.of(matrix, cells.mass)
    published_bits = fine.published_bits + float(fine.published @ np.log2(np.diff(edges)))
    if mix is not None:
        cell = None if cells.whole else float(np.median(np.diff(cells.edges)))
        seen = _grouped(matrix, cells, p)
        return NumericPosterior(seen, prior_bits, published_bits, fine.information, cell)
    information, cell = _information(attribute, perturbation, cells, edges, fine, published_bits)
    return NumericPosterior(
        _grouped(matrix, cells, p), prior_bits, published_bits, information, cell
    )


def _information(
    attribute: Attribute,
    perturbation: Perturbation,
    cells: _Cells,
    edges: Numbers,
    fine: Joint,
    published_bits: float,
) -> tuple[float, float | None]:
    """I(X;Z), and the width of the cells inside which nothing could be told apart."""
    information: float = fine.information
    cell: float | None = None
    if perturbation.numbers.interval_edges(attribute) is not None:
        # The interval is a function of the number: all its entropy is information.
        information = fine.published_bits
    elif perturbation.numbers.exact_share is not None and not cells.whole:
        cell = float(np.median(np.diff(cells.edges)))
    elif not cells.whole:
        finer = published_bits - _grouping_bias(fine, edges, published_bits)
        noise_bits = perturbation.numbers.conditional_bits(attribute, cells.edges, cells.mass)
        if noise_bits is not None:
            information = max(information, finer - noise_bits)
    return information, cell


def _cells(attribute: Attribute, prior: Prior) -> _Cells:
    edges, widths = prior.edges, prior.widths
    assert edges is not None and widths is not None  # noqa: PT018, S101 (the prior of a number)
    whole = attribute.kind is Kind.INTEGER and attribute.width < MODEST
    if whole:
        fine = integer_edges(*attribute.domain or (0.0, 0.0))
    else:
        parts = -(-CELLS // prior.k)
        cut = edges[:-1, None] + widths[:, None] * np.arange(parts) / parts
        fine = np.append(cut.ravel(), edges[-1])
    starts = np.searchsorted(fine, edges[:-1])
    counts = np.diff(np.append(starts, len(fine) - 1))
    within = np.diff(fine) / np.repeat(widths, counts)
    mass = within * np.repeat(prior.probabilities, counts)
    return _Cells(fine, mass, within, starts, whole)


def _grouped(matrix: Numbers, cells: _Cells, prior: Numbers) -> Joint:
    if len(cells.starts) == matrix.shape[1]:
        return Joint.of(matrix, prior)
    return Joint.of(np.add.reduceat(matrix * cells.within, cells.starts, axis=1), prior)


def _published_edges(perturbation: Perturbation, attribute: Attribute, cells: _Cells) -> Numbers:
    intervals = perturbation.numbers.interval_edges(attribute)
    if intervals is not None:
        return intervals
    low, high = perturbation.numbers.support(attribute)
    if cells.whole and high - low < _MOST_WHOLE_NUMBERS:
        return integer_edges(low, high)
    if perturbation.numbers.exact_share is not None:
        return cells.edges
    inside = cells.edges
    parts = [inside]
    noise = perturbation.numbers.noise_of(attribute)
    if noise is not None and noise.name == "uniform":
        # The density of Z bends only where an edge of the prior is moved by the half-width.
        reach = max(high - inside[-1], 0.0)
        parts += [inside - reach, inside + reach]
    else:
        stretched = perturbation.is_factor and low > 0
        parts.append(_steps(min(low, inside[0]), inside[0], stretched))
        parts.append(_steps(inside[-1], max(high, inside[-1]), stretched))
    base = np.unique(np.concatenate(parts))
    if cells.whole:
        return np.unique(np.floor(base) + 0.5)
    base = base[np.append(True, np.diff(base) > 1e-9 * (inside[-1] - inside[0]))]
    halved = np.empty(2 * len(base) - 1)
    halved[::2] = base
    halved[1::2] = (base[1:] + base[:-1]) / 2
    return halved


def _steps(low: float, high: float, stretched: bool) -> Numbers:
    if stretched:
        return np.geomspace(low, high, _OUTSIDE + 1)
    return np.linspace(low, high, _OUTSIDE + 1)


def _channel(
    perturbation: Perturbation, attribute: Attribute, cells: _Cells, edges: Numbers
) -> Numbers:
    """``A[s, p]``: exact where the mechanism knows a formula, else from a few numbers per cell."""
    x_edges = cells.edges
    if cells.whole:
        x = x_edges[:-1] + 0.5
        matrix = np.diff(perturbation.numbers.conditional_cdf(edges[:, None], x, attribute), axis=0)
    elif perturbation.numbers.has_exact_channel:
        matrix = perturbation.numbers.channel(x_edges, edges, attribute)
    else:
        half = np.diff(x_edges) / 2
        matrix = np.zeros((len(edges) - 1, len(half)))
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            x = x_edges[:-1] + half * (1 + node)
            below = perturbation.numbers.conditional_cdf(edges[:, None], x, attribute)
            matrix += 0.5 * weight * np.diff(below, axis=0)
    return _proper(matrix)


def _proper(matrix: Numbers) -> Numbers:
    """Share out tails beyond the support and rounding, so that nothing is lost."""
    matrix = np.maximum(matrix, 0.0)
    return np.asarray(matrix / matrix.sum(axis=0))


def _mixed_identity(
    attribute: Attribute, prior: Prior, prior_bits: float, mix: Mix
) -> NumericPosterior:
    edges, widths = prior.edges, prior.widths
    assert edges is not None and widths is not None  # noqa: PT018, S101 (the prior of a number)
    seen = Joint.of(_proper(mix(np.eye(prior.k), edges, edges, attribute)), prior.probabilities)
    published_bits = seen.published_bits + float(seen.published @ np.log2(widths))
    cell = None if attribute.kind is Kind.INTEGER else float(np.median(widths))
    return NumericPosterior(seen, prior_bits, published_bits, seen.information, cell)


def _grouping_bias(fine: Joint, edges: Numbers, published_bits: float) -> float:
    """How much too large h(Z) is because Z was put into cells.

    The error grows with the square of the width, so cells of twice the width tell a third of it.
    """
    if (len(edges) - 1) % 2:
        return 0.0
    pairs = fine.published[::2] + fine.published[1::2]
    doubled = bits(pairs) + float(pairs @ np.log2(edges[2::2] - edges[:-2:2]))
    return max(0.0, (doubled - published_bits) / 3)
