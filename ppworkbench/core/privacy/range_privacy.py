"""Range privacy: the entropy privacy of the noise in percent of the attribute's range.

100 % on a range of 10 means noise with ``Π(Y) = 10``: uniform noise of half-width 5
(Andruszkiewicz 2011, section 3.5.5).
"""

from __future__ import annotations

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.reading import Reading, plain

LABEL = "Range privacy"


def range_privacy(noise_privacy: float, attribute: Attribute) -> float | None:
    """``100 Π(Y) / range``; None for a domain of one point, which has no range.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> range_privacy(10.0, Attribute("score", Kind.CONTINUOUS, domain=(0, 10)))
    100.0
    """
    return 100 * noise_privacy / attribute.width if attribute.width > 0 else None


def reading(value: float) -> Reading:
    """What the percentage says."""
    sentence = Message(
        "The noise is as uncertain as uniform noise over {value} % of the range.",
        value=plain(value),
    )
    return Reading("range_percent", LABEL, value, sentence, "%")
