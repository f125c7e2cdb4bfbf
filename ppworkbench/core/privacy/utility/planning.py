"""How many people to ask: the smallest survey that reaches a target error."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, Perturbation
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.spending import share_asked
from ppworkbench.core.privacy.utility.channel import ShareChannel, Vector, estimated_shares
from ppworkbench.core.privacy.utility.mean_error import mean_variance
from ppworkbench.core.privacy.utility.noncompliance import (
    NonCompliance,
    check_safe_answer,
    fitting_noncompliance,
    known_noncompliance,
    share_errors,
)
from ppworkbench.core.privacy.utility.standard_errors import errors_of, half_widths, loss_of

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
    ParameterError.unless_known(
        "There is no error measure {name!r}; known are {known}.", measure, MEASURES,
        field="measure",
    )  # fmt: skip
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


_WORDS = {
    "standard-error": Message("standard error"),
    "half-width": Message("half-width of the 95 % interval"),
    "information-loss": Message("expected information loss"),
}


@dataclass(frozen=True)
class AttributePlan:
    """How many respondents one attribute needs; ``decisive`` is the estimate that needs most."""

    attribute: str
    respondents: float
    decisive: str
    sentence: str


@dataclass(frozen=True)
class Plan:
    """How many respondents a questionnaire needs: as many as its most demanding attribute."""

    measure: str
    target: float
    attributes: tuple[AttributePlan, ...]

    @property
    def decisive(self) -> AttributePlan:
        return max(self.attributes, key=lambda one: one.respondents)

    @property
    def respondents(self) -> float:
        """The number of people to ask; infinite when no number is enough."""
        return self.decisive.respondents

    def to_json(self) -> dict[str, Any]:
        """The plan as plain JSON values, infinity as the text "inf"."""
        return {
            "respondents": _plain(self.respondents),
            "measure": self.measure,
            "target_error": self.target,
            "decisive": self.decisive.attribute,
            "attributes": {
                one.attribute: {
                    "respondents": _plain(one.respondents),
                    "decisive": one.decisive,
                    "sentence": one.sentence,
                }
                for one in self.attributes
            },
        }


def _plain(number: float) -> float | str:
    return "inf" if math.isinf(number) else number


def plan_attribute(  # noqa: PLR0913 (settings by keyword)
    attribute: Attribute,
    perturbation: Perturbation,
    prior: Prior | None,
    target: float,
    measure: str = "standard-error",
    value: str | None = None,
    *,
    noncompliance: NonCompliance | None = None,
    effect: float = 1.0,
) -> AttributePlan:
    """The smallest number of respondents for one attribute.

    Of an attribute of values the error is that of the share of ``value``, or of the worst value. Of
    a number it is that of the mean, as a share of the domain's width; with ``value``, a number or
    an interval, that of the share of the interval it lies in. The information loss is that of all
    shares together. Both are biased where some ignore the device. ``effect`` is the design effect
    of the sample.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Related
    >>> asked = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> plan_attribute(asked, Related(theta=0.7), None, 0.02).respondents
    3907
    """
    position: int | None = 0
    decisive = "mean"
    noncompliance = known_noncompliance(perturbation, noncompliance)
    channel, estimator = estimated_shares(attribute, perturbation, prior)
    of_mean = attribute.kind.is_numeric and value is None and measure != "information-loss"
    if of_mean:
        whole = Prior.uniform(attribute) if prior is None else prior
        mean = mean_variance(attribute, perturbation, whole, (channel, estimator), noncompliance)
        width = attribute.width if attribute.width > 0 else 1.0
        variances, bias = np.array([mean.distorted / width**2]), np.array([mean.bias / width])
    else:
        if noncompliance is not None:
            noncompliance = fitting_noncompliance(noncompliance, attribute)
        variances, bias = share_errors(attribute, channel, estimator, noncompliance)
    if not of_mean:
        position = _position(attribute, channel, value)
        errors = variances + bias**2
        decisive = channel.labels[int(np.argmax(errors)) if position is None else position]
    n = times_effect(needed_respondents(variances, target, measure, position, bias), effect)
    what = _WORDS[measure]
    if measure == "information-loss":
        decisive = Message("all values")
    elif of_mean:
        what = Message("{what} of the mean (as a share of the domain)", what=what)
    else:
        what = Message("{what} of the share of {decisive!r}", what=what, decisive=decisive)
    return AttributePlan(attribute.name, n, decisive, respondents_sentence(n, what, target))


def _position(attribute: Attribute, channel: ShareChannel, value: str | None) -> int | None:
    if value is None:
        return None
    if value in channel.labels:
        return channel.labels.index(value)
    edges = channel.edges
    if edges is not None:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if edges[0] <= number <= edges[-1]:
            cell = int(np.searchsorted(edges, number, side="right")) - 1
            return min(cell, len(edges) - 2)
    raise ParameterError.saying(
        "Attribute {attribute!r} has no value {value!r}; it has {known!r}.",
        value=value,
        known=tuple(channel.labels[:8]),
        attribute=attribute.name,
        field="value",
    )


def plan(  # noqa: PLR0913 (settings by keyword)
    design: Design,
    priors: Mapping[str, Prior] | None,
    target: float,
    measure: str = "standard-error",
    attribute: str | None = None,
    value: str | None = None,
    *,
    noncompliance: NonCompliance | None = None,
    effect: float = 1.0,
) -> Plan:
    """The smallest number of respondents for a questionnaire, or for one attribute of it."""
    if value is not None and attribute is None:
        raise ParameterError.saying(
            "The value {value!r} needs the attribute it belongs to.", value=value, field="attribute"
        )
    # An unknown measure or an impossible target is told before any attribute is looked at.
    needed_respondents(np.zeros(1), target, measure)
    error_at(np.zeros(1), 1, measure)
    chosen = design.attributes if attribute is None else (design[attribute],)
    if not chosen:
        raise DesignError("The design has no attributes to plan a survey for.", field="attributes")
    if noncompliance is not None:
        check_safe_answer(noncompliance, [one.attribute for one in chosen])
    priors = {} if priors is None else priors
    return Plan(
        measure,
        target,
        tuple(
            plan_attribute(
                one.attribute,
                design.perturbation(one.name),
                priors.get(one.name),
                target,
                measure,
                value,
                noncompliance=noncompliance,
                # Where each person is asked some of the questions, more people are needed.
                effect=effect / share_asked(design, (one.name,)),
            )
            for one in chosen
        ),
    )
