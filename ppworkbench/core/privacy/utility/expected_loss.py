"""Expected information loss of the estimate EQ, before any data exist."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ppworkbench.core.message import Message
from ppworkbench.core.privacy.utility.estimator import Estimator, Vector
from ppworkbench.core.privacy.utility.standard_errors import standard_errors

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
    >>> from ppworkbench.core.privacy.utility.estimator import factor
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
