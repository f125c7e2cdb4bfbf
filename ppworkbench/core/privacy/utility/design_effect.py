"""How many distorted answers are worth one direct answer."""

from __future__ import annotations

import math

import numpy as np

from ppworkbench.core.message import Message
from ppworkbench.core.privacy.utility.estimator import Vector


def design_effects(variances: Vector, shares: Vector) -> Vector:
    """The variance of every estimated share as a multiple of asking directly.

    ``var_i / (x_i (1 - x_i))`` with both variances for one respondent. Where a direct answer
    could not vary at all, the ratio is 1 if the distorted one does not vary either, else infinite.

    Examples
    --------
    >>> design_effects(np.array([0.32, 0.16]), np.array([0.2, 0.8])).round(2).tolist()
    [2.0, 1.0]
    """
    return _ratio(variances, shares * (1 - shares))


def overall_design_effect(variances: Vector, shares: Vector) -> float:
    """The ratio of the summed variances: one figure for the whole attribute."""
    total, direct = np.array([variances.sum()]), np.array([(shares * (1 - shares)).sum()])
    return float(_ratio(total, direct)[0])


def _ratio(variances: Vector, direct: Vector) -> Vector:
    sure = direct <= 1e-15
    ratio = variances / np.where(sure, 1.0, direct)
    ratio[sure & (variances > 0)] = math.inf
    ratio[sure & (variances == 0)] = 1.0
    return np.asarray(ratio)


def design_effect_sentence(effect: float) -> str:
    """What a design effect means.

    >>> design_effect_sentence(4.0)
    '4 randomised answers are worth 1 direct answer.'
    """
    if math.isinf(effect):
        return "No sample size is enough."
    return Message(
        "{effect:.3g} randomised answers are worth 1 direct answer.",
        effect=effect,
    )
