"""The probability that a training record's original answer matches that of a test record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.pattern_items import posterior_tables, shown_cells
from ppworkbench.core.classify.training import Predictor

Numbers = NDArray[np.float64]

PUBLISHED, BAYES = "published", "bayes"
MATCHES = (BAYES, PUBLISHED)


def match_tables(predictor: Predictor, counts: Numbers, match: str = BAYES) -> Numbers:
    """``Pr(X in cell p | Z in cell s, class)``, indexed by class, s and p.

    ``bayes``: the posterior with the distribution reconstructed in the class of the training
    record. For retention replacement with density g it is
    ``[p f(z) 1(z in N) + (1 - p) g(z) Pr(X in N)] / [p f(z) + (1 - p) g(z)]``.

    ``published``: the same but for retention replacement, where it is
    ``p 1(z in N) + (1 - p) Pr(the replacing number is in N)``: the probability of a published
    number given the original one, not the reverse.

    Parameters
    ----------
    counts
        Distorted records in the cells of Z, one row per class.

    References
    ----------
    P. Andruszkiewicz, thesis 2011, section 6.2.1 (equation 6.11 is the published form).
    """
    if not predictor.is_distorted:
        shown = np.eye(predictor.k)[shown_cells(predictor)]
        return np.broadcast_to(shown, (len(counts), *shown.shape))
    keep = predictor.perturbation.exact_share
    if match == PUBLISHED and predictor.is_numeric and keep is not None:
        found = published_retention(predictor, keep)
        return np.broadcast_to(found, (len(counts), *found.shape))
    return posterior_tables(predictor, counts)


def published_retention(predictor: Predictor, keep: float) -> Numbers:
    """``p 1(z in N) + (1 - p) Pr(the replacing number is in N)`` for cells s and N = p."""
    edges = predictor.edges
    assert edges is not None  # noqa: S101 (retention is for numbers)
    replacing = np.diff(predictor.perturbation.replacing_cdf(edges, predictor.attribute))
    shown = np.eye(predictor.k)[shown_cells(predictor)]
    return np.asarray(keep * shown + (1 - keep) * replacing)


def threshold_of(predictor: Predictor, numbers: float) -> Numbers:
    """Above which probability each cell of X counts as matched.

    For values the probability that the value is kept, ``P[v, v]``, for numbers a given one. Nothing
    can match by chance where a value is kept for sure.
    """
    if predictor.is_numeric or not predictor.is_distorted:
        limit = numbers if predictor.is_distorted else 0.5
        return np.full(predictor.k, limit)
    return np.minimum(np.diag(predictor.channel), 1 - 1e-12)
