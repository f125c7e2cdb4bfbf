"""All utility readouts of one attribute from one factorisation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.matrices import NEARLY_SINGULAR
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import Reading, percent
from ppworkbench.core.privacy.utility.channel import Vector, estimated_shares
from ppworkbench.core.privacy.utility.mean_error import MeanVariance, mean_sentence, mean_variance
from ppworkbench.core.privacy.utility.noncompliance import (
    NonCompliance,
    coverage,
    known_noncompliance,
    share_errors,
    used_estimator,
)
from ppworkbench.core.privacy.utility.planning import (
    check_target,
    needed_respondents,
    respondents_sentence,
)
from ppworkbench.core.privacy.utility.standard_errors import (
    checked_n,
    condition_sentence,
    design_effect_sentence,
    design_effects,
    error_sentence,
    errors_of,
    half_widths,
    loss_of,
    loss_sentence,
    overall_design_effect,
)

TARGET_HALF_WIDTH = 0.05
"""The usual demand on a survey: every share known to five points either way."""

_UNBIASED = 1e-9
"""A bias that is rounding error."""

_ASSUMES_NOTHING = (
    "This estimate makes no assumptions, and the noise is wider than the bins: EM, which "
    "smooths, has a smaller error but may be biased; the mean stays reliable."
)


@dataclass(frozen=True, eq=False)
class UtilityReport:
    """What n respondents tell about one attribute under its perturbation.

    ``labels``, ``shares``, ``variances`` (for one respondent), ``standard_error``, ``half_width``
    (95 %) and ``design_effect`` go value by value, or interval by interval of a number; ``edges``
    are the borders of those intervals. ``mean`` is there for numbers only.
    """

    attribute: str
    n: int
    labels: tuple[str, ...]
    shares: Vector
    edges: Vector | None
    variances: Vector
    target_half_width: float
    condition: float
    mean: MeanVariance | None
    width: float
    bias: Vector
    """How far every estimated share is off on average, because some ignore the device."""

    @cached_property
    def standard_error(self) -> Vector:
        return errors_of(self.variances, self.n)

    @property
    def half_width(self) -> Vector:
        return half_widths(self.standard_error)

    @cached_property
    def information_loss(self) -> float:
        return loss_of(self.standard_error, self.bias)

    @cached_property
    def needed_respondents(self) -> float:
        target = self.target_half_width
        return needed_respondents(self.variances, target, "half-width", bias=self.bias)

    @property
    def design_effect(self) -> Vector:
        return design_effects(self.variances, self.shares)

    @property
    def overall_design_effect(self) -> float:
        return overall_design_effect(self.variances, self.shares)

    @property
    def rmse(self) -> Vector:
        return np.asarray(np.hypot(self.standard_error, self.bias))

    @property
    def coverage(self) -> Vector:
        """The chance that the 95 % interval of a share holds the true one."""
        return coverage(self.bias, self.standard_error)

    @property
    def mean_bias(self) -> float:
        """How far the estimated mean of a number is off on average."""
        return 0.0 if self.mean is None else self.mean.bias

    @property
    def mean_coverage(self) -> float:
        """The chance that the 95 % interval of the mean of a number holds the true one."""
        error = np.array([self.mean_standard_error or 0.0])
        return float(coverage(np.array([self.mean_bias]), error)[0])

    @property
    def most_biased(self) -> int | None:
        """The position of the value that is off most; None where none is off at all."""
        worst = int(np.argmax(np.abs(self.bias)))
        return worst if abs(self.bias[worst]) > _UNBIASED else None

    @property
    def is_ill_conditioned(self) -> bool:
        return self.condition > NEARLY_SINGULAR

    @property
    def mean_standard_error(self) -> float | None:
        return None if self.mean is None else math.sqrt(self.mean.distorted / self.n)

    @property
    def worst(self) -> int:
        """The position of the value with the largest standard error.

        Of two answers both are estimated equally well but for the last digits: the first is meant.
        """
        errors = np.nan_to_num(self.standard_error, nan=-1.0)
        return int(np.argmax(errors >= errors.max() * (1 - 1e-9)))

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        worst = self.worst
        error = float(self.standard_error[worst])
        said = [
            Reading(
                "information_loss", "Information loss", self.information_loss, self._loss(), "share"
            ),
            Reading(
                "standard_error",
                "Standard error",
                error,
                error_sentence(self.labels[worst], float(self.shares[worst]), error, self.n),
            ),
            Reading(
                "needed_respondents",
                "Respondents needed",
                self.needed_respondents,
                respondents_sentence(
                    self.needed_respondents,
                    Message("half-width of each share's 95 % interval"),
                    self.target_half_width,
                ),
            ),
            Reading(
                "overall_design_effect",
                "Design effect",
                self.overall_design_effect,
                design_effect_sentence(self.overall_design_effect),
            ),
            Reading(
                "condition", "Condition number", self.condition, condition_sentence(self.condition)
            ),
        ]
        mean = self.mean_standard_error
        if mean is not None:
            sentence = mean_sentence(mean, self.n, self.width)
            said.append(Reading("mean_standard_error", "Error of the mean", mean, sentence))
        biased = self.most_biased
        return tuple(said) if biased is None else (*said, *self._bias_readings(biased))

    def _bias_readings(self, place: int) -> tuple[Reading, ...]:
        """What non-compliance does to the estimate that it moves most."""
        off, label = float(self.bias[place]), self.labels[place]
        points = abs(100 * off)
        told = Message(
            "The share of {label!r} is estimated {points:.2g} points too low on average.",
            label=label,
            points=points,
        )
        if off > 0:
            told = Message(
                "The share of {label!r} is estimated {points:.2g} points too high on average.",
                label=label,
                points=points,
            )
        rmse, held = float(self.rmse[place]), float(self.coverage[place])
        return (
            Reading("bias", "Bias of the estimate", off, told),
            Reading(
                "rmse",
                "Root mean square error",
                rmse,
                Message(
                    "With {n:,} respondents the share of {label!r} is off by {points:.2g} points, "
                    "bias and chance together.",
                    n=self.n,
                    label=label,
                    points=100 * rmse,
                ),
            ),
            Reading(
                "coverage",
                "Coverage of the interval",
                held,
                Message(
                    "The 95 % interval of the share of {label!r} contains the true share {held} "
                    "of the time.",
                    label=label,
                    held=percent(held),
                ),
                "share",
            ),
        )

    def _loss(self) -> str:
        sentence = loss_sentence(self.information_loss, self.n)
        if self.mean is None or not NEARLY_SINGULAR < self.condition < math.inf:
            return sentence
        return Message.joined((sentence, _ASSUMES_NOTHING))

    @property
    def sentences(self) -> dict[str, str]:
        """The plain words of every readout, by its name in JSON."""
        return {reading.name: reading.sentence for reading in self.readings}

    def to_json(self) -> dict[str, Any]:
        """The readouts as plain JSON values, infinity as the text "inf"."""
        result: dict[str, Any] = {
            "information_loss": _plain(self.information_loss),
            "standard_error": [_plain(error) for error in self.standard_error.tolist()],
            "half_width": [_plain(width) for width in self.half_width.tolist()],
            "needed_respondents": _plain(self.needed_respondents),
            "design_effect": [_plain(effect) for effect in self.design_effect.tolist()],
            "overall_design_effect": _plain(self.overall_design_effect),
            "condition": _plain(self.condition),
            "ill_conditioned": self.is_ill_conditioned,
        }
        if self.edges is not None:
            result["intervals"] = self.edges.tolist()
        if self.mean_standard_error is not None:
            result["mean_standard_error"] = _plain(self.mean_standard_error)
        return result


def _plain(number: float) -> float | str:
    return "inf" if math.isinf(number) else number


def assess_utility(
    attribute: Attribute,
    perturbation: Perturbation,
    prior: Prior | None = None,
    n: int = 1000,
    target_half_width: float = TARGET_HALF_WIDTH,
    noncompliance: NonCompliance | None = None,
) -> UtilityReport:
    """All utility readouts of one attribute for n respondents.

    Parameters
    ----------
    prior
        The expected distribution of true answers; uniform if not given.
    target_half_width
        The half-width of the worst value's 95 % interval for which respondents are counted.
    noncompliance
        How many ignore the device, and whether estimates are corrected for it; nobody if not
        given.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Uniform
    >>> asked = Attribute("colour", Kind.NOMINAL, ("red", "green", "blue"))
    >>> report = assess_utility(asked, Uniform(keep=0.6), n=1000)
    >>> report.standard_error.round(4).tolist()
    [0.0373, 0.0373, 0.0373]
    >>> report.needed_respondents
    2135
    """
    n = checked_n(n)
    check_target(target_half_width)
    noncompliance = known_noncompliance(perturbation, noncompliance)
    channel, estimator = estimated_shares(attribute, perturbation, prior)
    variances, bias = share_errors(attribute, channel, estimator, noncompliance)
    mean = None
    if attribute.kind.is_numeric:
        whole = Prior.uniform(attribute) if prior is None else prior
        mean = mean_variance(attribute, perturbation, whole, (channel, estimator), noncompliance)
    return UtilityReport(
        attribute.name, n, channel.labels, channel.shares, channel.edges, variances,
        target_half_width, used_estimator(attribute, channel, estimator, noncompliance).condition,
        mean, attribute.width, bias,
    )  # fmt: skip
