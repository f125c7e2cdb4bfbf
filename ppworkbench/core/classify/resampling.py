"""Samples of the training records on which members of a committee grow.

Bagging draws uniformly. Boosting draws what the members so far got wrong more often; to know what
they got wrong it classifies the *distorted* records, down every branch (see
:mod:`ppworkbench.core.classify.tree.node`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.training import Codes
from ppworkbench.core.classify.tree.forest import Forest
from ppworkbench.core.classify.votes import Member
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent

Numbers = NDArray[np.float64]

_TRIES = 3
"""How often boosting starts from equal weights again before it gives a member up."""


def bagged(
    forest: Forest,
    members: int,
    share: float,
    generator: np.random.Generator,
    setting: str = "",
    progress: Progress = silent,
) -> list[Member]:
    """Trees from samples drawn with replacement; every vote weighs 1 (Breiman 1996)."""
    n = forest.training.rows
    size = max(1, round(share * n))
    samples = [generator.integers(n, size=size) for _ in range(members)]
    trees = (
        forest.grow(samples, Message("bagging {setting}", setting=setting), progress)
        if members
        else ()
    )
    return [Member(tree, 1.0, setting) for tree in trees]


def boosted(
    forest: Forest,
    members: int,
    generator: np.random.Generator,
    setting: str = "",
    progress: Progress = silent,
) -> list[Member]:
    """AdaBoost by drawing (Freund and Schapire 1996); a vote weighs alpha.

    With SP the drawn probability of records that a member gets wrong and K classes,
    ``alpha = (log((1 - SP) / SP) + log(K - 1)) / 2``, which for two classes is the published
    weight. No error at all would weigh infinitely: SP is then taken as half a record. A member
    that is no better than a guess (``SP >= 1 - 1/K``) is thrown away, and drawing starts again from
    equal probabilities; if that does not help, it stays with hardly any weight.
    """
    training = forest.training
    n, n_classes = training.rows, training.n_classes
    chance = np.full(n, 1 / n)
    made: list[Member] = []
    tries = 0
    while len(made) < members:
        step = part(progress, len(made) / members, (len(made) + 1) / members)
        sample = _draw(chance, generator)
        name = Message(
            "boosting {setting} {count} {tries}", setting=setting, count=len(made), tries=tries
        )
        (tree,) = forest.grow([sample], name, step)
        wrong = forest.classify_training(tree) != training.classes
        alpha = _alpha(float(chance[wrong].sum()), n, n_classes)
        if alpha <= 0:
            chance = np.full(n, 1 / n)
            tries += 1
            if tries <= _TRIES:
                continue
            alpha = 1 / n
        tries = 0
        made.append(Member(tree, alpha, setting))
        chance = chance * np.exp(np.where(wrong, alpha, -alpha))
        chance /= chance.sum()
    return made


def _draw(chance: Numbers, generator: np.random.Generator) -> Codes:
    cumulated = np.cumsum(chance)
    drawn = np.searchsorted(cumulated, generator.random(len(chance)) * cumulated[-1], side="right")
    return np.asarray(np.minimum(drawn, len(chance) - 1))


def _alpha(wrong: float, n: int, n_classes: int) -> float:
    """The weight of a member that gets this share of the drawing probability wrong."""
    wrong = min(max(wrong, 0.5 / n), 1 - 0.5 / n)
    return 0.5 * (math.log((1 - wrong) / wrong) + math.log(n_classes - 1))
