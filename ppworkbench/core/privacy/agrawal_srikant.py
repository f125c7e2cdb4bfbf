"""The measure of Agrawal and Srikant: the interval that holds the original with a confidence.

Uniform noise of half-width a: ``c · 2a``. Normal noise: ``2 z((1+c)/2) σ``, which is 1.349, 3.92
and 6.58 σ. Published intervals of width W: ``c · W`` (Agrawal and Srikant 2000). Whole numbers are
cells of width 1. Where noise is cut at the ends of the domain, it is the mean over the prior of the
shortest interval that holds so much of what is reported for a number.
"""

from __future__ import annotations

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import Reading, plain

LABEL = "Agrawal-Srikant privacy"
CONFIDENCES = (0.5, 0.95, 0.999)


def agrawal_srikant_widths(
    perturbation: Perturbation, attribute: Attribute, prior: Prior | None = None
) -> tuple[tuple[float, float], ...] | None:
    """Pairs of confidence and width; None where a mechanism has no such interval.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Additive
    >>> score = Attribute("score", Kind.CONTINUOUS, domain=(0, 10))
    >>> widths = agrawal_srikant_widths(Additive(noise="uniform", half_width=5), score)
    >>> [(confidence, round(width, 6)) for confidence, width in widths]
    [(0.5, 5.0), (0.95, 9.5), (0.999, 9.99)]
    """
    pairs = []
    cells = prior or Prior.uniform(attribute)
    assert cells.edges is not None  # noqa: S101 (a number's prior has cells)
    for confidence in CONFIDENCES:
        if perturbation.numbers.is_cut:
            width = perturbation.numbers.cut_width(
                confidence, attribute, cells.edges, cells.probabilities
            )
        else:
            width = perturbation.numbers.interval_width(confidence, attribute)
        if width is None:
            return None
        pairs.append((confidence, float(width)))
    return tuple(pairs)


def reading(confidence: float, width: float) -> Reading:
    sentence = Message(
        "With {confidence:g} % confidence the true number lies in an interval of width "
        "{width} around the reported one.",
        confidence=100 * confidence,
        width=plain(width),
    )
    return Reading("agrawal_srikant", LABEL, width, sentence, "width", f"{confidence:g}")
