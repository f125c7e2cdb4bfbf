"""How far an estimated share strays from the true one, and how a channel enlarges errors.

The design effect says the same as a number of answers that are worth one direct answer.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ppworkbench.core.design.matrices import NEARLY_SINGULAR
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.utility.channel import Estimator, Vector

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
    >>> from ppworkbench.core.privacy.utility.channel import factor
    >>> direct = factor(np.eye(2))
    >>> standard_errors(direct, np.array([0.8, 0.2]), 100).round(3).tolist()
    [0.04, 0.04]
    """
    return errors_of(estimator.variances(shares), n)


def errors_of(variances: Vector, n: int) -> Vector:
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


MEAN_DISTANCE = math.sqrt(2 / math.pi)
"""``E|N(0, 1)|``."""


def expected_information_loss(estimator: Estimator, shares: Vector, n: int) -> float:
    """``E[½ Σ_i |x̂_i - x_i|]`` with n respondents.

    The estimate of every share is nearly normal around the true one with standard error s_i, and
    ``E|N(0, s²)| = s sqrt(2/π)``, so the loss is ``½ sqrt(2/π) Σ s_i``. It is the loss of the raw
    estimate: setting negative shares to 0 afterwards can only lower it.

    Examples
    --------
    >>> import numpy as np
    >>> from ppworkbench.core.privacy.utility.channel import factor
    >>> warner = factor(np.array([[0.7, 0.3], [0.3, 0.7]]))
    >>> round(expected_information_loss(warner, np.array([0.9, 0.1]), 1000), 4)
    0.0299
    """
    return loss_of(standard_errors(estimator, shares, n))


def loss_of(errors: Vector, bias: Vector | None = None) -> float:
    """The expected information loss of estimates with these standard errors.

    An estimate that is off by b on average has ``E|N(b, s²)|``, the mean of a folded normal.
    """
    if bias is None or not bias.any() or np.isinf(errors).any():
        return 0.5 * MEAN_DISTANCE * float(errors.sum())
    ratio = np.abs(bias) / np.where(errors > 0, errors, 1.0)
    folded = errors * MEAN_DISTANCE * np.exp(-(ratio**2) / 2) + np.abs(bias) * (
        1 - 2 * special.ndtr(-ratio)
    )
    return 0.5 * float(np.where(errors > 0, folded, np.abs(bias)).sum())


def loss_sentence(loss: float, n: int) -> str:
    """What an expected information loss means.

    >>> loss_sentence(0.031, 1000)
    'With 1,000 respondents the estimate puts about 3.1 % of the answers at a wrong value.'
    """
    if math.isinf(loss):
        return "No sample size gives an estimate: the matrix is singular."
    if loss >= 1:
        return Message(
            "With {n:,} respondents the unbiased estimate is unusable: its expected "
            "error of {loss:.3g} exceeds that of any guess.",
            n=n,
            loss=loss,
        )
    return Message(
        "With {n:,} respondents the estimate puts about {loss:.2g} % of the answers at a "
        "wrong value.",
        n=n,
        loss=100 * loss,
    )
