"""Privacy of a single entry under an unrelated question (Zhan and Matwin 2007).

Before mining, ``PSE = Σ_{o,r} Pr(o) Pr(r|o) Pr(not o | r)`` with ``Pr(r=1|o=1) = θ + (1-θ) w`` and
``Pr(r=1|o=0) = (1-θ) w``: the probability that a guess drawn from the posterior is wrong. After
mining, ``PSE - REC`` with REC the largest recoverability of an entry from the mined rules.
The printed components 1 and 2 exchange w and 1-w; they agree with this only at w = 1/2.
"""

from __future__ import annotations

from collections.abc import Iterable

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.reading import Reading, percent

LABEL = "Privacy of a single entry"


def pse_before_mining(share: float, theta: float, personal: float) -> float:
    """PSE before mining.

    Parameters
    ----------
    share
        W_a, the share of true ones.
    theta
        Probability that the private question is answered.
    personal
        w, the probability of a one as answer to the unrelated question.

    Examples
    --------
    >>> round(pse_before_mining(0.5, 0.5, 0.5), 3), round(pse_before_mining(0.1, 0.5, 0.5), 4)
    (0.375, 0.1607)
    """
    for name, value in (("share", share), ("theta", theta), ("personal", personal)):
        if not 0 <= value <= 1:
            raise ParameterError.saying(
                "{name} is {value:g}; it must lie between 0 and 1.",
                name=name,
                value=value,
                field=name,
            )
    one_one, one_zero = theta + (1 - theta) * personal, (1 - theta) * personal
    return _pse(share, one_one, one_zero)


def pse_of(seen: Joint) -> float:
    """PSE before mining of a binary attribute, read off its P-matrix."""
    return _pse(float(seen.prior[1]), float(seen.matrix[1, 1]), float(seen.matrix[1, 0]))


def _pse(share: float, one_one: float, one_zero: float) -> float:
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


def recoverability_known(preconditions: Iterable[tuple[float, float]]) -> float:
    """REC from rules whose preconditions are known, ``Σ Pr(precondition) · confidence``.

    >>> round(recoverability_known([(0.2, 0.8), (0.8, 0.3)]), 2)
    0.4
    """
    return sum(probability * confidence for probability, confidence in preconditions)


def recoverability_unknown(rules: Iterable[tuple[float, float]]) -> float:
    """REC from rules over distorted answers, ``Σ confidence · Pr(original | randomised)``.

    >>> round(recoverability_unknown([(0.5, 0.4), (0.1, 0.9)]), 2)
    0.29
    """
    return sum(confidence * correct for confidence, correct in rules)


def pse_after_mining(before: float, recoverabilities: Iterable[float]) -> float:
    """``PSE - REC``, REC the largest of the given recoverabilities; 0 if none were mined.

    The difference may be negative: then the rules tell more than the distortion hid.

    >>> round(pse_after_mining(0.375, [0.1, 0.2]), 3)
    0.175
    """
    return before - max(recoverabilities, default=0.0)


def reading(value: float) -> Reading:
    """What PSE before mining says; 0.5 is the most there can be."""
    sentence = Message(
        "A guess in proportion to the posterior is wrong {value} of the time; the maximum is 50 %.",
        value=percent(value),
    )
    return Reading("pse", LABEL, value, sentence, "share")
