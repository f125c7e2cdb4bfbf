"""The condition number: how much a channel can amplify noise."""

from __future__ import annotations

import math

from ppworkbench.core.design.matrices import NEARLY_SINGULAR
from ppworkbench.core.message import Message


def condition_sentence(condition: float) -> str:
    """What a condition number means for the estimates.

    >>> condition_sentence(2.5)
    'Undoing the distortion enlarges relative errors at most 2.5 times.'
    """
    if math.isinf(condition):
        return (
            "The distortion cannot be undone: different distributions of true answers give the "
            "same distorted answers."
        )
    if condition > NEARLY_SINGULAR:
        return Message(
            "Undoing the distortion enlarges relative errors at most {condition:.3g} "
            "times: that is nearly singular, and estimates are hardly better than "
            "guesses.",
            condition=condition,
        )
    return Message(
        "Undoing the distortion enlarges relative errors at most {condition:.3g} times.",
        condition=condition,
    )
