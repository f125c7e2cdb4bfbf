"""Attack success: how often the best guess from the published answer is right.

The maximum-a-posteriori guess is right with ``Σ_r max_c P[r,c] x_c``. Beside it stands what the
prior's own best guess, ``max_c x_c``, reaches without seeing anything: only the difference is due
to the publication.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import Reading, percent, plain

LABEL = "Attack success"
PRIOR_LABEL = "Best guess without the publication"


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
    """What the success says about an answer that is one of k values."""
    sentence = (
        f"An attacker who sees '{prior.label(measured.published)}' is right "
        f"{percent(measured.surest)} of the time, over all published answers "
        f"{percent(measured.success)}, and by guessing blindly {percent(measured.prior_guess)}."
    )
    return Reading("attack_success", LABEL, measured.success, sentence, "share")


def number_reading(measured: AttackSuccess, prior: Prior) -> Reading:
    """What the success says about a number: how often the guess hits the right cell."""
    sentence = _hits(percent(measured.success), percent(measured.prior_guess), prior)
    return Reading("attack_success", LABEL, measured.success, sentence, "share")


def prior_reading(measured: AttackSuccess) -> Reading:
    """What the blind guess says."""
    sentence = (
        "Without seeing anything an attacker's best guess is right "
        f"{percent(measured.prior_guess)} of the time."
    )
    return Reading("prior_guess", PRIOR_LABEL, measured.prior_guess, sentence, "share")


def _hits(right: str, blind: str, prior: Prior) -> str:
    widths = prior.widths
    if widths is None or prior.k == 1:
        return (
            "An attacker's best guess from the published number hits the right cell "
            f"{right} of the time, and by guessing blindly {blind}."
        )
    if prior.attribute.kind is Kind.INTEGER and widths.max() == 1:
        return (
            "An attacker's best guess from the published number hits the right whole number "
            f"{right} of the time, and by guessing blindly {blind}."
        )
    wide = plain(float(np.median(widths)))
    return (
        f"An attacker's best guess from the published number hits the right cell ({prior.k} cells, "
        f"{wide} wide) {right} of the time, and by guessing blindly {blind}."
    )
