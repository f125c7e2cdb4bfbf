"""The epsilon of questions that share one coin, taken together.

In the unrelated model the joint channel is ``θ I + (1-θ) w 1'`` over all combinations of answers,
with w the product of the personal distributions. So ``ε = ln(1 + θ / ((1-θ) Π_j min w_j))``. In the
related model two or more reversed answers leave only a combination and its mirror
image possible: every other one is ruled out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ppworkbench.core.design import Group
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.reading import BOUNDLESS, Reading, plain

LABEL = "Epsilon (local differential privacy)"


def joint_epsilon(group: Group, values: Mapping[str, int]) -> float:
    """ε of the joint answer of a group; ``values`` is k of every attribute.

    >>> pair = Group(("a", "b"), "unrelated", 0.7)
    >>> round(joint_epsilon(pair, {"a": 2, "b": 2}), 3)
    2.335
    """
    theta = group.theta
    if group.type == "related":
        if len(group.attributes) > 1:
            # Half a coin leaves each answer open, but never one answer without the other.
            return math.inf
        if theta in (0.0, 1.0):
            return math.inf
        return abs(math.log(theta / (1 - theta)))
    personal = dict(group.personal)
    combinations, least = 1, 1.0
    for name in group.attributes:
        k = values[name]
        combinations *= k
        weights = personal.get(name)
        least *= 1 / k if weights is None else min(weights)
    if theta == 0 or combinations == 1:
        return 0.0
    other = (1 - theta) * least
    return math.log1p(theta / other) if other > 0 else math.inf


def reading(value: float, count: int) -> Reading:
    """What the epsilon of a group of ``count`` questions says."""
    if math.isinf(value):
        sentence = Message("∞ (some combinations of answers are ruled out).")
    else:
        sentence = (
            Message(
                "Together, the {count} reported answers change the odds between two sets of "
                "true answers at most {factor}-fold (smaller is more private).",
                count=count,
                factor=plain(math.exp(value)),
            )
            if value < BOUNDLESS
            else Message(
                "Together, the {count} reported answers can change the odds between two sets of "
                "true answers more than 100 million-fold, which is practically no bound.",
                count=count,
            )
        )
    return Reading("epsilon", LABEL, value, sentence)
