"""The uniform family and the best matrices that are found, as two curves of one attribute."""

from __future__ import annotations

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.privacy.optimiser import Frontier, frontier
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.progress import Progress, part

POINTS = 8

Curves = tuple[Frontier, Frontier]


def best_family(attribute: Attribute) -> str:
    """The largest family of matrices in which a search is worth its time."""
    if attribute.k == 2:
        return "any"
    return "ordinal" if attribute.kind is Kind.ORDINAL else "symmetric"


def search_curves(
    attribute: Attribute, prior: Prior, n: int, measure: str, progress: Progress
) -> Curves:
    """Both curves; takes seconds, so call it in a job."""
    plain = frontier(attribute, prior, n, measure, "uniform", POINTS, part(progress, 0, 0.2))
    best = best_family(attribute)
    found = frontier(attribute, prior, n, measure, best, POINTS, part(progress, 0.2, 1))
    return plain, found
