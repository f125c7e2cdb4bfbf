"""The smallest number of respondents for a target error."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.utility.estimator import Vector
from ppworkbench.core.privacy.utility.expected_loss import loss_of
from ppworkbench.core.privacy.utility.standard_errors import errors_of, half_widths

MEASURES = ("standard-error", "half-width", "information-loss")

_MOST = 2**53


def error_at(
    variances: Vector,
    n: int,
    measure: str,
    value: int | None = None,
    bias: Vector | None = None,
) -> float:
    """The error with n respondents: of one value, of the worst one, or the information loss.

    Where estimates are biased, the root mean square error takes the place of the standard error.
    """
    if measure not in MEASURES:
        raise ParameterError.saying(
            "There is no error measure {measure!r}; known are {measures}.",
            measure=measure,
            measures=", ".join(MEASURES),
            field="measure",
        )
    errors = errors_of(variances, n)
    if measure == "information-loss":
        return loss_of(errors, bias)
    if bias is not None:
        errors = np.hypot(errors, bias)
    chosen = float(errors.max() if value is None else errors[value])
    return chosen if measure == "standard-error" else float(half_widths(np.array(chosen)))


def needed_respondents(
    variances: Vector,
    target: float,
    measure: str = "standard-error",
    value: int | None = None,
    bias: Vector | None = None,
) -> float:
    """The smallest n whose error is at most the target; infinite when there is none.

    Every error is ``e / sqrt(n)``, hence ``n = ⌈(e / target)²⌉``; rounding is checked, so that n
    respondents reach the target and n - 1 do not.

    Parameters
    ----------
    variances
        The variance of every estimated share for one respondent.
    measure
        ``standard-error`` or ``half-width`` (95 %) of a share, or ``information-loss``.
    value
        The position of the value that matters; the worst one if not given.
    bias
        How far every share is off on average, which no number of respondents mends.

    Examples
    --------
    >>> needed_respondents(np.array([0.16, 0.16]), 0.02)
    400
    """
    check_target(target)
    if bias is not None and bias.any():
        return _needed_beside(bias, variances, target, measure, value)
    single = error_at(variances, 1, measure, value)
    if math.isinf(single):
        return math.inf
    return smallest(lambda n: error_at(variances, n, measure, value) <= target, single, target)


def _needed_beside(
    bias: Vector, variances: Vector, target: float, measure: str, value: int | None
) -> float:
    """The smallest n beside a bias: the error falls with n, but no further than that."""

    def reaches(n: int) -> bool:
        return error_at(variances, n, measure, value, bias) <= target

    return math.inf if np.isinf(variances).any() else smallest_reaching(reaches)


def smallest_reaching(reaches: Callable[[int], bool]) -> float:
    """The smallest n from which on a demand is met, by bisection; infinite when there is none.

    >>> smallest_reaching(lambda n: n * n >= 1000)
    32
    """
    if not reaches(_MOST):
        return math.inf
    low, high = 0, 1
    while not reaches(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def check_target(target: float) -> None:
    """Refuse a target error that no survey has."""
    if not 0 < target < math.inf:
        raise ParameterError.saying(
            "The target error is {target:g}; it must be above 0.",
            target=target,
            field="target_error",
        )


def smallest(reaches: Callable[[int], bool], single: float, target: float) -> float:
    """The smallest n that reaches a target, near the closed form ``(single / target)²``."""
    guess = (single / target) ** 2
    if guess > _MOST:
        return math.inf
    n = max(1, math.ceil(guess))
    while not reaches(n):
        n += 1
    while n > 1 and reaches(n - 1):
        n -= 1
    return n


def times_effect(n: float, effect: float) -> float:
    """How many people of a sample with this design effect are worth n of a simple one.

    >>> times_effect(646, 1.5)
    969
    """
    return n if math.isinf(n) else max(1, math.ceil(n * effect - 1e-9))


def respondents_sentence(n: float, what: str, target: float) -> str:
    """What a number of needed respondents means.

    >>> respondents_sentence(400, "standard error of every share", 0.02)
    '400 respondents reduce the standard error of every share to 0.02.'
    """
    if math.isinf(n):
        return Message(
            "No sample size reduces the {what} to {target:g}.",
            what=what,
            target=target,
        )
    return Message(
        "{n:,} respondents reduce the {what} to {target:g}.", n=n, what=what, target=target
    )
