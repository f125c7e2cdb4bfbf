"""Deniability: how well a person in a group of records can deny a sensitive answer.

``H(p) / log2(n)`` with p the distribution of the answers in the group and n the number of possible
outcomes (Haque and Rizvee): 0 when all gave the same answer, 1 when all answers are equally likely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import bits
from ppworkbench.core.privacy.reading import Reading, percent

LABEL = "Deniability"


def deniability(
    counts: Sequence[float] | NDArray[np.float64], outcomes: int | None = None
) -> float:
    """Deniability of a group from its counts or probabilities.

    Parameters
    ----------
    counts
        How often each outcome occurs in the group.
    outcomes
        n, where it is more than the counts list. With a single possible outcome there is nothing
        that could have been answered instead, so deniability is 0.

    Examples
    --------
    >>> deniability([5, 5]), deniability([10, 0])
    (1.0, 0.0)
    """
    weights = np.asarray(counts, np.float64)
    n = len(weights) if outcomes is None else outcomes
    total = float(weights.sum())
    if not (math.isfinite(total) and total > 0) or weights.min() < 0:
        raise ParameterError("A group needs counts of 0 or more and at least one record.")
    if n < len(weights):
        raise ParameterError.saying(
            "A group with {count} outcomes cannot have only {n}.",
            count=len(weights),
            n=n,
            field="outcomes",
        )
    if n < 2:
        return 0.0
    return min(1.0, bits(weights / total) / math.log2(n))


def reading(value: float) -> Reading:
    """What a deniability says."""
    if value == 0:
        sentence = "All answers in the group are the same: none can be denied."
    else:
        sentence = Message(
            "A member of the group can deny the answer with {value} of the possible uncertainty.",
            value=percent(value),
        )
    return Reading("deniability", LABEL, value, sentence, "share")
