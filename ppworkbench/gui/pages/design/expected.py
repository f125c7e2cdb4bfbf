"""What the survey will show: expected distorted and reconstructed shares, by closed forms."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import Retention
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.channel import share_channel
from ppworkbench.core.privacy.utility.noncompliance import mixed_matrix
from ppworkbench.gui.plots.histogram import Histogram, Shares

_CELLS = 160


def expected_histogram(report: AttributeReport, unit: str, names: dict[str, str]) -> Histogram:
    """Original (or drawn) answers, what will be published, and what will be read back."""
    if report.attribute.kind.is_categorical:
        return _values(report, names)
    return _numbers(report, unit, names)


def _values(report: AttributeReport, names: dict[str, str]) -> Histogram:
    prior, ignoring = report.prior.probabilities, report.noncompliance
    matrix = report.matrix
    distorted = prior if matrix is None else matrix @ prior
    if ignoring is not None:
        channel = share_channel(report.attribute, report.perturbation, report.prior)
        distorted = mixed_matrix(report.attribute, channel, ignoring) @ prior
    estimated = prior + report.utility.bias
    series = [Shares("original", prior), Shares("distorted", distorted)]
    half = report.utility.half_width
    # Where the matrix cannot be undone, nothing is known, least of all the truth.
    if np.isfinite(half).all():
        low, high = (np.clip(estimated + way * half, 0.0, 1.0) for way in (-1, 1))
        shown = np.clip(estimated, 0.0, 1.0)
        series.append(Shares("reconstructed", shown, low=low, high=high))
    return Histogram(tuple(series), report.attribute.values, names=names)


def _numbers(report: AttributeReport, unit: str, names: dict[str, str]) -> Histogram:
    prior, attribute, perturbation = report.prior, report.attribute, report.perturbation
    edges = prior.edges
    assert edges is not None  # noqa: S101 (numeric priors have edges)
    series = [Shares("original", prior.probabilities, edges)]
    if perturbation.is_identity:
        shares = _with_ignoring(report, prior.probabilities, edges, edges)
        series.append(Shares("distorted", shares, edges))
    elif attribute.width > 0:
        series.append(_published(report, edges))
    utility = report.utility
    if utility.edges is not None and np.isfinite(utility.half_width).all():
        shares = np.clip(utility.shares + utility.bias, 0.0, 1.0)
        low = np.clip(shares - utility.half_width, 0.0, 1.0)
        high = np.clip(shares + utility.half_width, 0.0, 1.0)
        series.append(Shares("reconstructed", shares, utility.edges, low, high))
    return Histogram(tuple(series), domain=attribute.domain, unit=unit, names=names)


def _published(report: AttributeReport, edges: np.ndarray) -> Shares:
    attribute, perturbation = report.attribute, report.perturbation
    z_edges = perturbation.interval_edges(attribute)
    if z_edges is None:
        low, high = perturbation.support(attribute)
        # Noise without an end would leave most of the picture empty.
        low = max(low, edges[0] - attribute.width)
        high = min(high, edges[-1] + attribute.width)
        if attribute.kind is Kind.INTEGER:
            step = max(1, int(np.ceil((high - low) / _CELLS)))
            z_edges = np.arange(np.floor(low), np.ceil(high) + step + 1, step) - 0.5
        else:
            z_edges = np.linspace(low, high, _CELLS + 1)
    channel = perturbation.channel(edges, z_edges, attribute)
    published = channel @ report.prior.probabilities
    return Shares("distorted", _with_ignoring(report, published, edges, z_edges), z_edges)


def _with_ignoring(
    report: AttributeReport, published: np.ndarray, edges: np.ndarray, z_edges: np.ndarray
) -> np.ndarray:
    """What is published when a share of people answers in a way of its own."""
    ignoring, attribute = report.noncompliance, report.attribute
    if ignoring is None:
        return published
    if ignoring.behaviour == "safe":
        lowest = (attribute.domain or (0.0, 0.0))[0]
        place = int(np.searchsorted(z_edges, lowest, side="right")) - 1
        other = np.zeros(len(published))
        other[min(max(place, 0), len(other) - 1)] = 1.0
    else:
        behaving = Retention(keep=1.0 if ignoring.behaviour == "truth" else 0.0)
        other = behaving.channel(edges, z_edges, attribute) @ report.prior.probabilities
    return np.asarray((1 - ignoring.share) * published + ignoring.share * other)
