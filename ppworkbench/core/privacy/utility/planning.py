"""How many people to ask: the smallest survey that reaches a target error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, Perturbation
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.spending import share_asked
from ppworkbench.core.privacy.utility.channel import ShareChannel, share_channel
from ppworkbench.core.privacy.utility.estimator import factor
from ppworkbench.core.privacy.utility.mean_error import mean_variance
from ppworkbench.core.privacy.utility.noncompliance import (
    NonCompliance,
    check_safe_answer,
    fitting_noncompliance,
    share_errors,
)
from ppworkbench.core.privacy.utility.respondents import (
    error_at,
    needed_respondents,
    respondents_sentence,
    times_effect,
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
        """The attribute that needs most."""
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
    if perturbation.reports_sets:
        return _plan_sets(attribute, perturbation, prior, target, measure, value, effect)
    channel = share_channel(attribute, perturbation, prior)
    estimator = factor(channel.matrix, channel.shares)
    position: int | None = 0
    bias = None
    of_mean = attribute.kind.is_numeric and value is None and measure != "information-loss"
    if of_mean:
        whole = Prior.uniform(attribute) if prior is None else prior
        mean = mean_variance(attribute, perturbation, whole, (channel, estimator), noncompliance)
        width = attribute.width if attribute.width > 0 else 1.0
        variances, bias = np.array([mean.distorted / width**2]), np.array([mean.bias / width])
        decisive = "mean"
    else:
        if noncompliance is not None:
            noncompliance = fitting_noncompliance(noncompliance, attribute)
        variances, bias = share_errors(attribute, channel, estimator, noncompliance)
        position = _position(attribute, channel, value)
        chosen = int(np.argmax(variances + bias**2)) if position is None else position
        decisive = channel.labels[chosen]
    n = times_effect(needed_respondents(variances, target, measure, position, bias), effect)
    what = _WORDS[measure]
    if measure == "information-loss":
        decisive = Message("all values")
    elif of_mean:
        what = Message("{what} of the mean (as a share of the domain)", what=what)
    else:
        what = Message("{what} of the share of {decisive!r}", what=what, decisive=decisive)
    return AttributePlan(attribute.name, n, decisive, respondents_sentence(n, what, target))


def _plan_sets(
    attribute: Attribute,
    perturbation: Perturbation,
    prior: Prior | None,
    target: float,
    measure: str,
    value: str | None,
    effect: float,
) -> AttributePlan:
    """The same for reports that are sets, whose variances have a closed form."""
    shares = (Prior.uniform(attribute) if prior is None else prior).probabilities
    variances = perturbation.sets.naming(attribute.k).variance(shares)
    # Only the labels of this channel are looked at.
    position = _position(attribute, ShareChannel(attribute.values, shares, np.eye(1)), value)
    chosen = int(np.argmax(variances)) if position is None else position
    n = times_effect(needed_respondents(variances, target, measure, position), effect)
    what, decisive = _WORDS[measure], attribute.values[chosen]
    if measure == "information-loss":
        decisive = Message("all values")
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
