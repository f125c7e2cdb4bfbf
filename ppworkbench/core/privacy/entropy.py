"""Entropy privacy: how many equally likely answers, or how wide a uniform noise, is as uncertain.

``Π(A) = 2^h(A)`` (Agrawal and Aggarwal 2001). For a P-matrix A is the published answer Z, so
``Π(Z) = 2^H(Z)``; for noise A is the noise Y: 2a for uniform noise, ``σ sqrt(2πe) = 4.1327 σ``
for normal noise.

Range privacy is the entropy privacy of the noise in percent of the attribute's range: 100 % on a
range of 10 means noise with ``Π(Y) = 10``, uniform noise of half-width 5 (Andruszkiewicz 2011,
section 3.5.5).
"""

from __future__ import annotations

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Perturbation
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import Reading, answers, plain

LABEL = "Entropy privacy"


def entropy_privacy(seen: Joint) -> float:
    """``Π(Z) = 2^H(Z)`` of the published answer.

    >>> import numpy as np
    >>> entropy_privacy(Joint.of(np.eye(2), np.array([0.5, 0.5])))
    2.0
    """
    return float(2.0**seen.published_bits)


def noise_entropy_privacy(
    perturbation: Perturbation, attribute: Attribute, prior: Prior | None = None
) -> float | None:
    """``Π(Y) = 2^h(Y)`` of the noise; None where a mechanism adds no noise to speak of.

    Noise that is cut at the ends of the domain is as uncertain as what is left of it,
    ``2^h(Z | X)`` with X as in the prior, and never more so than the domain itself. An undistorted
    integer has one possible deviation, an undistorted real an interval of width 0.

    >>> from ppworkbench.core.design import Additive
    >>> score = Attribute("score", Kind.CONTINUOUS, domain=(0, 10))
    >>> noise_entropy_privacy(Additive(noise="uniform", half_width=5), score)
    10.0
    >>> cut = Additive(noise="uniform", half_width=5, truncate=True)
    >>> round(noise_entropy_privacy(cut, score), 3)
    7.358
    """
    if not perturbation.numbers.is_cut:
        return perturbation.numbers.entropy_privacy(attribute)
    cells = prior or Prior.uniform(attribute)
    assert cells.edges is not None  # noqa: S101 (a number's prior has cells)
    bits = perturbation.numbers.conditional_bits(attribute, cells.edges, cells.probabilities)
    return None if bits is None else float(2.0**bits)


def reading(value: float, k: int) -> Reading:
    sentence = Message(
        "The reported answer is as uncertain as a uniform choice among {value}; the "
        "question has {k}.",
        value=answers(value),
        k=k,
    )
    return Reading("entropy", LABEL, value, sentence, "answers")


def noise_reading(value: float, perturbation: Perturbation, attribute: Attribute) -> Reading:
    if perturbation.is_identity:
        sentence = "The reported number is the true one: there is no noise."
    elif perturbation.numbers.interval_edges(attribute) is not None:
        sentence = Message(
            "The reported interval leaves the number uncertain over a width of {value}.",
            value=plain(value),
        )
    elif attribute.kind is Kind.INTEGER:
        sentence = Message(
            "The noise is as uncertain as a uniform draw among {value} whole numbers.",
            value=plain(value),
        )
    else:
        sentence = Message(
            "The noise is as uncertain as uniform noise of full width {value}.", value=plain(value)
        )
    return Reading("entropy", LABEL, value, sentence, "width")


def published_reading(value: float) -> Reading:
    """What Π(Z) says about a number that is kept or replaced, where no noise is added."""
    sentence = Message(
        "The reported number is as uncertain as a uniform distribution of width {value}.",
        value=plain(value),
    )
    return Reading("entropy", LABEL, value, sentence, "width")


RANGE_PRIVACY_LABEL = "Range privacy"


def range_privacy(noise_privacy: float, attribute: Attribute) -> float | None:
    """``100 Π(Y) / range``; None for a domain of one point, which has no range.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> range_privacy(10.0, Attribute("score", Kind.CONTINUOUS, domain=(0, 10)))
    100.0
    """
    return 100 * noise_privacy / attribute.width if attribute.width > 0 else None


def range_reading(value: float) -> Reading:
    sentence = Message(
        "The noise is as uncertain as uniform noise over {value} % of the range.",
        value=plain(value),
    )
    return Reading("range_percent", RANGE_PRIVACY_LABEL, value, sentence, "%")
