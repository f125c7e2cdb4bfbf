"""Basic privacy: how badly an item that is present can be told from its distorted bit.

``BP = 1 - p² s / (s p + (1-s)(1-q)) - (1-p)² s / (s (1-p) + (1-s) q)`` with s the true support of
the item, p and q the probabilities to keep a one and a zero (Rizvi and Haritsa 2002; Agrawal,
Krishnan and Haritsa 2004). The two fractions are the probability to reconstruct a one, and privacy
is what is left.
"""

from __future__ import annotations

from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.reading import Reading, percent

LABEL = "Basic privacy"


def basic_privacy(support: float, keep_one: float, keep_zero: float) -> float:
    """BP from support s, p and q; an item that nobody has cannot be found, so BP is 1.

    >>> round(basic_privacy(0.1, 0.5, 0.87), 3)
    0.82
    """
    s, p, q = support, keep_one, keep_zero
    found = 0.0
    for kept, other in ((p, 1 - q), (1 - p, q)):
        seen = s * kept + (1 - s) * other
        if seen > 0:
            found += kept * kept * s / seen
    return min(1.0, max(0.0, 1.0 - found))


def basic_privacy_of(seen: Joint) -> float:
    """BP of a binary attribute: the second value is the one, p and q are read off the matrix."""
    keep_one, keep_zero = float(seen.matrix[1, 1]), float(seen.matrix[0, 0])
    return basic_privacy(float(seen.prior[1]), keep_one, keep_zero)


def reading(value: float, one: str) -> Reading:
    """What BP says, ``one`` being the value that stands for a one."""
    sentence = Message(
        "For a respondent whose true answer is “{one}”, an attacker fails to recover it "
        "{value} of the time.",
        one=one,
        value=percent(value),
    )
    return Reading("basic", LABEL, value, sentence, "share")
