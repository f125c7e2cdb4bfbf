"""Conditional privacy: what uncertainty is left once the published answer is known.

``Π(X|Z) = 2^h(X|Z)`` and the privacy loss ``1 - Π(X|Z) / Π(X) = 1 - 2^(-I(X;Z))`` (Agrawal and
Aggarwal 2001). For a number, h is the differential entropy and Π a width.
"""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.reading import Reading, answers, percent, plain

LABEL = "Conditional privacy"
LOSS_LABEL = "Privacy loss"


@dataclass(frozen=True)
class ConditionalPrivacy:
    """Uncertainty before and after seeing the published answer, and the share that is lost."""

    before: float
    after: float
    loss: float


def conditional_privacy(seen: Joint) -> ConditionalPrivacy:
    """``Π(X)``, ``Π(X|Z)`` and the loss for an attribute of k values.

    >>> import numpy as np
    >>> conditional_privacy(Joint.of(np.eye(2), np.array([0.5, 0.5])))
    ConditionalPrivacy(before=2.0, after=1.0, loss=0.5)
    """
    return from_information(seen.prior_bits, seen.information)


def from_information(prior_bits: float, information: float) -> ConditionalPrivacy:
    """From h(X) and I(X;Z) in bits; either may be infinite for numbers.

    >>> from_information(3.0, 1.0)
    ConditionalPrivacy(before=8.0, after=4.0, loss=0.5)
    """
    after = 2.0 ** (prior_bits - information)
    return ConditionalPrivacy(2.0**prior_bits, after, 1.0 - 2.0**-information)


def reading(measured: ConditionalPrivacy) -> Reading:
    sentence = Message(
        "Given the reported answer, the true one is as uncertain as a uniform choice "
        "among {after}; before, among {before}.",
        after=answers(measured.after),
        before=plain(measured.before),
    )
    return Reading("conditional", LABEL, measured.after, sentence, "answers")


def number_reading(measured: ConditionalPrivacy, cell: float | None = None) -> Reading:
    """What Π(X|Z) says about a number.

    ``cell`` is the width of the cells beyond which nothing was told apart, where that matters.
    """
    after, before = plain(measured.after), plain(measured.before)
    sentence = Message(
        "Given the reported number, the true one is as uncertain as a uniform "
        "distribution of width {after}; before, of width {before}.",
        after=after,
        before=before,
    )
    if cell is not None:
        sentence = Message(
            "Given the reported number, the true one is as uncertain as a uniform "
            "distribution of width {after}; before, of width {before} (bins of width "
            "{cell}).",
            after=after,
            before=before,
            cell=plain(cell),
        )
    return Reading("conditional", LABEL, measured.after, sentence, "width")


def loss_reading(measured: ConditionalPrivacy) -> Reading:
    sentence = Message(
        "The reported answer removes {loss} of the uncertainty about the true one.",
        loss=percent(measured.loss),
    )
    return Reading("conditional_loss", LOSS_LABEL, measured.loss, sentence, "share")
