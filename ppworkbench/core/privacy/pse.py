"""Privacy of a single entry under an unrelated question (Zhan and Matwin 2007).

Before mining, ``PSE = Σ_{o,r} Pr(o) Pr(r|o) Pr(not o | r)`` with ``Pr(r=1|o=1) = θ + (1-θ) w`` and
``Pr(r=1|o=0) = (1-θ) w``: the probability that a guess drawn from the posterior is wrong. After
mining, ``PSE - REC`` with REC the largest recoverability of an entry from the mined rules (see
:mod:`ppworkbench.core.mining.entry_privacy`).
The printed components 1 and 2 exchange w and 1-w; they agree with this only at w = 1/2.
"""

from __future__ import annotations

from collections.abc import Iterable

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.reading import Reading, percent

LABEL = "Privacy of a single entry"


def pse_of(seen: Joint) -> float:
    """PSE before mining of a binary attribute, read off its P-matrix."""
    return pse_of_share(float(seen.prior[1]), float(seen.matrix[1, 1]), float(seen.matrix[1, 0]))


def pse_of_share(share: float, one_one: float, one_zero: float) -> float:
    """PSE before mining, of the share of true ones and of Pr(r=1|o=1) and Pr(r=1|o=0).

    With θ = 1/2 and w = 1/2:

    >>> round(pse_of_share(0.5, 0.75, 0.25), 3), round(pse_of_share(0.1, 0.75, 0.25), 4)
    (0.375, 0.1607)
    """
    total = 0.0
    for from_one, from_zero in ((one_one, one_zero), (1 - one_one, 1 - one_zero)):
        one, zero = share * from_one, (1 - share) * from_zero
        if one + zero > 0:
            # Both ways to be wrong: o = 1 taken for 0 and o = 0 taken for 1.
            total += 2 * one * zero / (one + zero)
    return min(0.5, max(0.0, total))


def group_pse(entries: Iterable[float]) -> float:
    """The PSE of a group of questions: the smallest of its entries.

    >>> group_pse([0.375, 0.18])
    0.18
    """
    values = tuple(entries)
    if not values:
        raise ParameterError("A group without entries has no measurable privacy.", field="group")
    return min(values)


def reading(value: float) -> Reading:
    """What PSE before mining says; 0.5 is the most there can be."""
    sentence = Message(
        "A guess in proportion to the posterior is wrong {value} of the time; the maximum is 50 %.",
        value=percent(value),
    )
    return Reading("pse", LABEL, value, sentence, "share")
