"""Attack success: how often the best guess from the published answer is right.

The maximum-a-posteriori guess is right with ``Σ_r max_c P[r,c] x_c``. Beside it stands what the
prior's own best guess, ``max_c x_c``, reaches without seeing anything: only the difference is due
to the publication.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import Reading, percent, plain

LABEL = "Attack success"
PRIOR_LABEL = "Prior guess"


@dataclass(frozen=True)
class AttackSuccess:
    """Success of the best guess with and without the published answer.

    ``published`` is the answer after which the guess is right most often, ``surest`` how often.
    """

    success: float
    prior_guess: float
    published: int
    surest: float


def attack_success(seen: Joint) -> AttackSuccess:
    """The success of the maximum-a-posteriori guess.

    >>> seen = Joint.of(np.array([[0.9, 0.2], [0.1, 0.8]]), np.array([0.5, 0.5]))
    >>> round(attack_success(seen).success, 6)
    0.85
    """
    hit = seen.joint.max(axis=1)
    guess = float(seen.prior.max())
    right = seen.posterior.max(axis=1)
    published = int(np.argmax(right))
    # Rounding must not let the publication seem to mislead, nor certainty seem to waver.
    success = max(guess, float(hit.sum()))
    success = 1.0 if success > 1 - 1e-12 else success
    return AttackSuccess(success, guess, published, float(min(1.0, right[published])))


def reading(measured: AttackSuccess, prior: Prior) -> Reading:
    sentence = Message(
        "Someone who sees “{label}” guesses correctly in {surest} of cases, over all reports in "
        "{success} ({prior_guess} without a report).",
        label=prior.label(measured.published),
        surest=percent(measured.surest),
        success=percent(measured.success),
        prior_guess=percent(measured.prior_guess),
    )
    return Reading("attack_success", LABEL, measured.success, sentence, "share")


def number_reading(measured: AttackSuccess, prior: Prior) -> Reading:
    """What the success says about a number: how often the guess hits the right cell."""
    sentence = _hits(percent(measured.success), percent(measured.prior_guess), prior)
    return Reading("attack_success", LABEL, measured.success, sentence, "share")


def prior_reading(measured: AttackSuccess) -> Reading:
    sentence = Message(
        "From the prior alone an attacker's best guess is correct {prior_guess} of the time.",
        prior_guess=percent(measured.prior_guess),
    )
    return Reading("prior_guess", PRIOR_LABEL, measured.prior_guess, sentence, "share")


def _hits(right: str, blind: str, prior: Prior) -> str:
    widths = prior.widths
    if widths is None or prior.k == 1:
        return Message(
            "An attacker's best guess from the reported number is in the correct bin "
            "{right} of the time, from the prior alone {blind}.",
            right=right,
            blind=blind,
        )
    if prior.attribute.kind is Kind.INTEGER and widths.max() == 1:
        return Message(
            "An attacker's best guess from the reported number is the correct whole "
            "number {right} of the time, from the prior alone {blind}.",
            right=right,
            blind=blind,
        )
    wide = plain(float(np.median(widths)))
    return Message(
        "An attacker's best guess from the reported number is in the correct bin ({k} "
        "bins of width {wide}) {right} of the time, from the prior alone {blind}.",
        k=prior.k,
        wide=wide,
        right=right,
        blind=blind,
    )
