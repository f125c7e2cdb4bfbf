"""How far the evidence of each attribute can be trusted: its reliability and its overlap.

Naive Bayes adds up the log-likelihood ratios of all attributes as if each was known exactly and
told something of its own. Distorted attributes are known roughly and many repeat each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.training import Predictor

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]

_SMALLEST = 1e-12
_LEAST_KEPT = 1e-4
_LARGEST_CORRELATION = 0.95
_LEAST_EIGENVALUE = 0.02


@dataclass(frozen=True, eq=False)
class Evidence:
    """One attribute's distributions.

    Parameters
    ----------
    codes
        The cell of Z of every training record.
    distributions
        The distribution of X in every class, one row per class.
    shuffled
        The same after the classes were shuffled, one block per shuffle: what chance alone makes.
    """

    predictor: Predictor
    codes: Codes
    distributions: Numbers
    shuffled: Numbers


def divergence(distributions: Numbers, one: int, other: int) -> Numbers:
    """``sum (p - q) log (p / q)`` between two classes, over the last axis.

    H. Jeffreys (1946), "An invariant form for the prior probability in estimation problems".
    """
    p, q = distributions[..., one, :], distributions[..., other, :]
    return np.asarray(((p - q) * np.log(p / q)).sum(axis=-1))


def reliability(evidence: Evidence, one: int, other: int) -> float:
    """``J / (J + J_0)``: the divergence of two classes beside that of shuffled ones."""
    found = float(divergence(evidence.distributions, one, other))
    by_chance = float(divergence(evidence.shuffled, one, other).mean())
    return found / max(found + by_chance, _SMALLEST)


def overlap_weights(
    evidence: list[Evidence], classes: Codes, one: int, other: int, trust: Numbers
) -> Numbers:
    """What each attribute's log-likelihood ratio should be multiplied by between two classes.

    With correlations R of the ratios within the classes, their sum is best weighted by
    ``R^-1 (trust * d) / d`` where d is the distance of the two classes in standard deviations:
    Fisher's linear discriminant on the ratios. R is estimated from the posterior means of
    distorted records, divided by how much of the variance these keep, and shrunk towards 0 as far
    as its sampling error asks (J. Schaefer and K. Strimmer 2005). Without correlations the weights
    are the trust.
    """
    rows = np.flatnonzero((classes == one) | (classes == other))
    first = classes[rows] == one
    parts = [_standardised(item, rows, first, (one, other)) for item in evidence]
    usable = np.array([part is not None for part in parts])
    weights = trust.copy()
    kept = [part for part in parts if part is not None]
    if len(kept) < 2:
        return weights
    scores = np.stack([part[0] for part in kept], axis=1)
    distance = np.array([part[1] for part in kept])
    solved = np.linalg.solve(_shrunk(scores), trust[usable] * distance)
    weights[usable] = solved / distance
    return weights


def _standardised(
    evidence: Evidence, rows: Codes, first: NDArray[np.bool_], pair: tuple[int, int]
) -> tuple[Numbers, float] | None:
    """Centred posterior means scaled to correlations, and the distance of the two classes."""
    x = evidence.distributions
    ratio = np.log(x[pair[0]] / x[pair[1]])
    channel = evidence.predictor.channel
    scores = np.empty(len(rows))
    variance = kept = 0.0
    means = []
    for is_first, c in ((True, pair[0]), (False, pair[1])):
        chosen = first == is_first
        joint = channel * x[c]
        total = joint.sum(axis=1)
        guess = joint @ ratio / np.maximum(total, _SMALLEST)
        mean = float(x[c] @ ratio)
        own = guess[evidence.codes[rows[chosen]]]
        scores[chosen] = own - (own.mean() if len(own) else 0.0)
        share = float(chosen.mean())
        variance += share * float(x[c] @ (ratio - mean) ** 2)
        kept += share * float(total @ (guess - mean) ** 2)
        means.append(mean)
    distance = means[0] - means[1]
    if variance < _SMALLEST or kept < _LEAST_KEPT * variance or abs(distance) < _SMALLEST:
        return None
    deviation = float(np.sqrt(variance))
    return scores / (kept / variance * deviation), distance / deviation


def _shrunk(scores: Numbers) -> Numbers:
    n = max(len(scores), 1)
    correlation = scores.T @ scores / n
    error = ((scores**2).T @ (scores**2) / n - correlation**2) / n
    apart = ~np.eye(len(correlation), dtype=bool)
    correlation = np.clip(correlation, -_LARGEST_CORRELATION, _LARGEST_CORRELATION)
    squares = float((correlation[apart] ** 2).sum())
    shrink = min(1.0, float(error[apart].sum()) / max(squares, _SMALLEST))
    correlation = (1.0 - shrink) * correlation
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    positive = (vectors * np.maximum(values, _LEAST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(positive))
    return np.asarray(positive / np.outer(scale, scale))
