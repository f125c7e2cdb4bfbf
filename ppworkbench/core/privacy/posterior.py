"""The worst posterior, and breaches: beliefs that a published answer lifts too far.

``max_{r,c} Pr(X=c | Z=r)``. A ρ1-to-ρ2 breach is an answer believed with at most ρ1 before and with
at least ρ2 after; with amplification γ there is none as long as
``ρ2 (1-ρ1) / (ρ1 (1-ρ2)) > γ`` (Evfimievski, Gehrke and Srikant 2003).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import Reading, percent

LABEL = "Highest posterior"
RISE_LABEL = "Largest increase in belief"
BREACH_LABEL = "Breach"
UNLIKELY, LIKELY = 0.1, 0.5
"""A breach by default: from at most 10 % to 50 % or more."""


@dataclass(frozen=True)
class Belief:
    """What is believed about the true answer ``true`` once ``published`` is seen."""

    published: int
    true: int
    before: float
    after: float


def worst_posterior(seen: Joint) -> Belief:
    """The published answer that makes some true answer most certain.

    Of equally certain ones the one that was least expected is given.

    >>> worst_posterior(Joint.of(np.array([[0.9, 0.2], [0.1, 0.8]]), np.array([0.5, 0.5]))).true
    1
    """
    posterior = seen.posterior
    best = float(posterior.max())
    r, c = np.nonzero(posterior >= best - 1e-12)
    least = int(np.argmin(seen.prior[c]))
    return _belief(seen, int(r[least]), int(c[least]))


def largest_rise(seen: Joint) -> Belief:
    """The published answer and the true one whose belief rises most.

    >>> seen = Joint.of(np.array([[0.9, 0.2], [0.1, 0.8]]), np.array([0.9, 0.1]))
    >>> largest_rise(seen).true
    1
    """
    # No row may win that is never published: no rise is below -1.
    rise = np.where(seen.published[:, None] > 0, seen.posterior - seen.prior, -2.0)
    r, c = np.unravel_index(int(np.argmax(rise)), rise.shape)
    return _belief(seen, int(r), int(c))


def breach(seen: Joint, unlikely: float = UNLIKELY) -> Belief | None:
    """The strongest belief in an answer that was unlikely; None if no answer was.

    It is a breach to ρ2 if ``after`` is at least ρ2.
    """
    if not 0 < unlikely < 1:
        raise ParameterError.saying(
            "The prior belief is {unlikely:g}; it must be above 0 and below 1.",
            unlikely=unlikely,
            field="unlikely",
        )
    rare = np.flatnonzero((seen.prior > 0) & (seen.prior <= unlikely))
    if not len(rare):
        return None
    r, position = np.unravel_index(
        int(np.argmax(seen.posterior[:, rare])), (len(seen.published), len(rare))
    )
    return _belief(seen, int(r), int(rare[position]))


def _belief(seen: Joint, r: int, c: int) -> Belief:
    return Belief(r, c, float(seen.prior[c]), float(min(1.0, seen.posterior[r, c])))


_CHANGED, _BREACH, _NO_BREACH = (
    (
        "After a report of “{seen}”, belief in the true answer “{true}” changes from {before} to "
        "{after}."
    ),
    (
        "After a report of “{seen}”, belief in the true answer “{true}” changes from {before} to "
        "{after}: a breach."
    ),
    (
        "After a report of “{seen}”, belief in the true answer “{true}” changes from {before} to "
        "{after}: no breach of {likely}."
    ),
)


def _movement(belief: Belief, prior: Prior, template: str = _CHANGED) -> Message:
    return Message(
        template,
        seen=prior.label(belief.published),
        true=prior.label(belief.true),
        before=percent(belief.before),
        after=percent(belief.after),
        likely=percent(LIKELY),
    )


def reading(belief: Belief, prior: Prior) -> Reading:
    return Reading("worst_posterior", LABEL, belief.after, _movement(belief, prior), "share")


def rise_reading(belief: Belief, prior: Prior) -> Reading:
    rise = max(0.0, belief.after - belief.before)
    return Reading("belief_rise", RISE_LABEL, rise, _movement(belief, prior), "share")


def breach_reading(belief: Belief, prior: Prior) -> Reading:
    sentence = _movement(belief, prior, _BREACH if belief.after >= LIKELY else _NO_BREACH)
    return Reading("breach", BREACH_LABEL, belief.after, sentence, "share")
