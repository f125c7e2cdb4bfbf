"""What the survey will show: expected distorted and reconstructed shares, by closed forms."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import Discretise, Identity, NoisePerturbation
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.plots.histogram import Histogram, Shares

_CELLS = 160


def expected_histogram(report: AttributeReport, unit: str, names: dict[str, str]) -> Histogram:
    """Original (or drawn) answers, what will be published, and what will be read back."""
    if report.attribute.kind.is_categorical:
        return _values(report, names)
    return _numbers(report, unit, names)


def _values(report: AttributeReport, names: dict[str, str]) -> Histogram:
    prior = report.prior.probabilities
    matrix = report.matrix
    distorted = prior if matrix is None else matrix @ prior
    series = [Shares("original", prior), Shares("distorted", distorted)]
    half = report.utility.half_width
    # Where the matrix cannot be undone, nothing is known, least of all the truth.
    if np.isfinite(half).all():
        low, high = np.clip(prior - half, 0.0, 1.0), np.clip(prior + half, 0.0, 1.0)
        series.append(Shares("reconstructed", prior, low=low, high=high))
    return Histogram(tuple(series), report.attribute.values, names=names)


def _numbers(report: AttributeReport, unit: str, names: dict[str, str]) -> Histogram:
    prior, attribute, perturbation = report.prior, report.attribute, report.perturbation
    edges = prior.edges
    assert edges is not None  # noqa: S101 (numeric priors have edges)
    series = [Shares("original", prior.probabilities, edges)]
    if isinstance(perturbation, NoisePerturbation) and attribute.width > 0:
        series.append(_published(report, edges))
    elif isinstance(perturbation, Identity):
        series.append(Shares("distorted", prior.probabilities, edges))
    utility = report.utility
    if utility.edges is not None and np.isfinite(utility.half_width).all():
        shares = utility.shares
        low = np.clip(shares - utility.half_width, 0.0, 1.0)
        high = np.clip(shares + utility.half_width, 0.0, 1.0)
        series.append(Shares("reconstructed", shares, utility.edges, low, high))
    return Histogram(tuple(series), domain=attribute.domain, unit=unit, names=names)


def _published(report: AttributeReport, edges: np.ndarray) -> Shares:
    attribute, perturbation = report.attribute, report.perturbation
    assert isinstance(perturbation, NoisePerturbation)  # noqa: S101 (seen by the caller)
    if isinstance(perturbation, Discretise):
        z_edges = perturbation.edges_of(attribute)
    else:
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
    return Shares("distorted", channel @ report.prior.probabilities, z_edges)
