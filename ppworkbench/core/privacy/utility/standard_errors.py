"""How far an estimated share strays from the true one, and how a channel enlarges errors.

The design effect says the same as a number of answers that are worth one direct answer.
"""

from __future__ import annotations

import math

import numpy as np

from ppworkbench.core.design.matrices import NEARLY_SINGULAR
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.utility.estimator import Estimator, Vector

Z95 = 1.959963984540054
"""The standard normal quantile of 0.975."""


def checked_n(n: float) -> int:
    """A number of respondents, refused unless it is a whole number from 1 up."""
    if isinstance(n, bool) or not (1 <= n < math.inf and n == int(n)):
        raise ParameterError.saying(
            "The number of respondents is {n!r}; it must be a whole number of at least 1.",
            n=n,
            field="n",
        )
    return int(n)


def standard_errors(estimator: Estimator, shares: Vector, n: int) -> Vector:
    """The standard error of every estimated share with n respondents.

    ``sqrt(diag(P⁻¹ (diag(z) - z z') P⁻ᵀ) / n)`` with ``z = P x`` (Warner 1965 for two values;
    Chaudhuri and Mukerjee 1988 in general). Infinite when P is singular.

    Examples
    --------
    >>> from ppworkbench.core.privacy.utility.estimator import factor
    >>> direct = factor(np.eye(2))
    >>> standard_errors(direct, np.array([0.8, 0.2]), 100).round(3).tolist()
    [0.04, 0.04]
    """
    return errors_of(estimator.variances(shares), n)


def errors_of(variances: Vector, n: int) -> Vector:
    """The standard errors that belong to variances for one respondent."""
    return np.asarray(np.sqrt(variances / n))


def half_widths(errors: Vector) -> Vector:
    """Half the width of the 95 % intervals of estimates with these standard errors."""
    return np.asarray(Z95 * errors)


def error_sentence(label: str, share: float, error: float, n: int) -> str:
    """What a standard error means for one value.

    >>> error_sentence("yes", 0.12, 0.02, 1000)
    "With 1,000 respondents the share of 'yes' is estimated as 12 % ± 3.9 points."
    """
    if math.isinf(error):
        return Message(
            "The share of {label!r} cannot be estimated: the matrix is singular.",
            label=label,
        )
    points = 100 * Z95 * error
    return Message(
        "With {n:,} respondents the share of {label!r} is estimated as {share:.3g} % ± "
        "{points:.2g} points.",
        n=n,
        label=label,
        share=100 * share,
        points=points,
    )


def condition_sentence(condition: float) -> str:
    """What a condition number means for the estimates.

    >>> condition_sentence(2.5)
    'Estimation enlarges relative errors at most 2.5-fold.'
    """
    if math.isinf(condition):
        return (
            "Not estimable: different distributions of true answers give the same "
            "distorted answers."
        )
    if condition > NEARLY_SINGULAR:
        return Message(
            "Estimation enlarges relative errors at most {condition:.3g}-fold: the "
            "matrix is nearly singular and the estimates are unreliable.",
            condition=condition,
        )
    return Message(
        "Estimation enlarges relative errors at most {condition:.3g}-fold.",
        condition=condition,
    )


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
