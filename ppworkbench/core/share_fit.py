"""Whether reported answers fit the device: a share outside 0 to 1, and reports too many to fit.

References
----------
J. N. K. Rao and A. J. Scott (1981), "The analysis of categorical data from complex sample surveys",
JASA 76.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls
from scipy.special import ndtr, ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.share_intervals import outside_remarks

FITS, CHANCE, RARE, NOT_CHANCE = "fits", "chance", "rare", "not chance"
MISFIT = "misfit"
"""The code of remarks about answers that may not fit."""

_RARELY, _NEVER = 1.64, 3.0
_TABLES = 999


@dataclass(frozen=True)
class Fit:
    """How far an estimate lies outside what is possible.

    ``distance`` counts standard errors at the edge; 0 for an estimate that is possible.
    """

    distance: float = 0.0
    p: float | None = None
    verdict: str = FITS

    def to_json(self) -> dict[str, Any]:
        """The numbers under their names."""
        return {"distance": self.distance, "p": self.p, "verdict": self.verdict}

    def widened(self, share: float, error: float) -> Fit:
        """The same of a share that has a further independent error."""
        if self.verdict == FITS or not self.distance > 0:
            return self
        outside = max(-share, share - 1)
        return edge_fit(share, math.hypot(outside / self.distance, error))

    def remarks(self, *, below: bool = True) -> tuple[Message, ...]:
        """The verdict in words; nothing where the answers fit."""
        if self.verdict == FITS:
            return ()
        if self.verdict == NOT_CHANCE:
            return (
                Message(
                    "Not chance: these answers do not fit the device. Look for swapped labels, "
                    "other probabilities than the design's, or people who did not follow it.",
                    code=MISFIT,
                ),
            )
        if self.verdict == RARE and below:
            words = Message(
                "The share is below zero, which is rarely chance (p = {p:.2g}).",
                code=MISFIT,
                p=self.p,
            )
        elif self.verdict == RARE:
            words = Message(
                "The share is above 1, which is rarely chance (p = {p:.2g}).", code=MISFIT, p=self.p
            )
        else:
            return outside_remarks(-1.0 if below else 2.0)
        return (words,)


def verdict_of(distance: float) -> str:
    """The verdict on an estimate so many standard errors outside."""
    if distance <= 0:
        return FITS
    if distance < _RARELY:
        return CHANCE
    return RARE if distance <= _NEVER else NOT_CHANCE


def edge_fit(share: float, edge_error: float) -> Fit:
    """Compare a share with the nearer of 0 and 1.

    Parameters
    ----------
    edge_error
        The standard error that the share would have if the truth were at the edge.

    Examples
    --------
    >>> error = math.sqrt(1 / 6 * 5 / 6 / 1000) / (2 / 3)
    >>> found = edge_fit(-0.025, error)
    >>> round(found.distance, 6), round(found.p or 0, 6), found.verdict
    (1.414214, 0.07865, 'chance')
    """
    outside = max(-share, share - 1, 0.0)
    if outside <= 1e-12:
        return Fit()
    distance = outside / edge_error if edge_error > 0 else math.inf
    return Fit(float(distance), float(ndtr(-distance)), verdict_of(distance))


def edge_error(
    look_up: Numbers, channel: Numbers, edge: Numbers, n: float, effect: float = 1.0
) -> float:
    """The standard error of the mean contribution when true answers have the shares of an edge."""
    reported = channel @ edge
    mean = reported @ look_up
    variance = max(float(reported @ (look_up - mean) ** 2), 0.0)
    return math.sqrt(variance / n * max(effect, 0.0)) if n > 0 else math.inf


def nearest_edge(raw: Numbers, inside: Numbers, share: float) -> Numbers:
    """True shares at the edge: none of the values that count (or only those), else as estimated."""
    kept = np.where((inside > 0) == (share > 1), np.maximum(raw, 0.0), 0.0)
    if kept.sum() <= 0:
        kept = np.where((inside > 0) == (share > 1), 1.0, 0.0)
    total = kept.sum()
    return np.asarray(kept / total) if total > 0 else np.full(len(raw), 1 / len(raw))


def worst_remarks(shares: Sequence[float], fits: Sequence[Fit]) -> tuple[Message, ...]:
    """What is told of the share that lies farthest outside; of two as far, of the one below 0."""
    worst = max(range(len(fits)), key=lambda v: (round(fits[v].distance, 9), shares[v] < 0))
    return fits[worst].remarks(below=bool(shares[worst] < 0))


def channel_remarks(raw: Numbers, channel: Numbers, n: float) -> tuple[Message, ...]:
    """The same of the shares of all values behind one device."""
    inverse = np.linalg.inv(channel)

    def fit(v: int, share: float) -> Fit:
        edge = nearest_edge(raw, np.arange(len(raw)) == v, share)
        return edge_fit(share, edge_error(inverse[v], channel, edge, n))

    fits = [Fit() if 0 <= share <= 1 else fit(v, share) for v, share in enumerate(raw.tolist())]
    return worst_remarks(raw.tolist(), fits)


def _normal_distance(p: float) -> float:
    return float(-ndtri(max(p, 1e-300)))


def simplex_fit(
    reported: Numbers, channel: Numbers, n: float, effect: float = 1.0, seed: int = 0
) -> Fit:
    """Whether all shares at once can have come from possible true ones.

    The quadratic distance ``n (q - P x)' diag(1 / q) (q - P x)`` at its smallest over the simplex;
    its p value from tables drawn at the nearest point.
    """
    size = max(n / max(effect, 1e-12), 1.0)
    distance, nearest = _simplex_distance(reported, channel, size)
    if distance <= 1e-9:
        return Fit()
    random = SeededStreams(seed).generator("sampling", "fit")
    expected = channel @ nearest
    tables = random.multinomial(round(size), expected / expected.sum(), _TABLES) / round(size)
    further = sum(_simplex_distance(table, channel, size)[0] >= distance for table in tables)
    p = (1 + further) / (1 + _TABLES)
    z = _normal_distance(p)
    verdict = CHANCE if z < _RARELY else RARE if z <= _NEVER else NOT_CHANCE
    return Fit(float(math.sqrt(distance)), float(p), verdict)


def _simplex_distance(reported: Numbers, channel: Numbers, n: float) -> tuple[float, Numbers]:
    scale = 1 / np.sqrt(np.maximum(reported, 0.5 / n))
    # Where shares x sum to 1, P x - q is (P - q 1') x. Without that condition, a row of ones that
    # shall give 1 only scales the answer: with x = t u, t^2 d^2 + (1 - t)^2 is least at the u that
    # has the least distance d.
    matrix = np.vstack([(channel - reported[:, None]) * scale[:, None], np.ones(channel.shape[1])])
    found, _ = nnls(matrix, np.append(np.zeros(len(reported)), 1.0))
    found = found / found.sum()
    apart = (reported - channel @ found) * scale
    return n * float(apart @ apart), found
