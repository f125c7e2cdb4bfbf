"""What happens when some respondents ignore the device.

A share c answers in its own way instead: truly, always with the safe answer, or at random. The
channel is then ``P_c = (1 - c) P + c M``. Who does not know of it estimates with P⁻¹ and is wrong
by ``P⁻¹ P_c x - x`` on average; who knows c estimates with P_c⁻¹ and is right again, at a price.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from scipy import special

from ppworkbench.core.arrays import Matrix, Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Perturbation, Retention
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Params, Read, Within
from ppworkbench.core.privacy.utility.channel import Estimator, ShareChannel, Vector, factor
from ppworkbench.core.privacy.utility.standard_errors import Z95

BEHAVIOURS = ("truth", "safe", "random")
NOT_OF_SETS = Message(
    "Non-compliance is not included here: reports are sets, and what people would report instead "
    "of a set is not known."
)
_ROUNDING = 1e-14
"""Differences of probabilities below this are none."""


def _pairs(given: Sequence[str | Sequence[str]]) -> tuple[tuple[str, str], ...]:
    """Names and answers; an answer without a name is that of all attributes."""
    pairs = [(*one.split("=", 1),) if isinstance(one, str) else one for one in given]
    return tuple((str(one[0]) if len(one) > 1 else "", str(one[-1])) for one in pairs)


@dataclass(frozen=True)
class NonCompliance(Params):
    """How many ignore the device, and what they say instead."""

    share: Annotated[
        float,
        Within(0, 1),
        Option("non-compliance"),
        Info("Share", "Share of respondents not following the instructions"),
    ] = 0.1
    behaviour: Annotated[
        str,
        OneOf(BEHAVIOURS),
        Info("Behaviour", "Answer truthfully, always give the safe answer, or answer at random"),
    ] = "safe"
    safe: Annotated[
        str | None,
        Option(on_command_line=False),
        Info("Safe answer", "The harmless answer; the first that is not sensitive if not set"),
    ] = None
    corrected: Annotated[
        bool, Info("Corrected", "Whether estimates take the share into account")
    ] = False
    own_safe: Annotated[
        tuple[tuple[str, str], ...],
        Read(_pairs, lambda pairs: [list(one) for one in pairs], annotation="Sequence[str]"),
        Option("safe", "[NAME=]VALUE", is_repeated=True),
        Info(
            "Safe answers",
            "The safe answer, of all attributes or as NAME=VALUE of one; the first that is not "
            "sensitive if not set",
        ),
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        own = dict(self.own_safe)
        if "" in own:
            object.__setattr__(self, "safe", own.pop(""))
            object.__setattr__(self, "own_safe", tuple(own.items()))

    def safe_of(self, attribute: Attribute) -> str | None:
        """The safe answer of an attribute; None for the usual one, see :func:`usual_safe`."""
        return dict(self.own_safe).get(attribute.name, self.safe)


def usual_safe(attribute: Attribute) -> str:
    """The safe answer where none is chosen: the first that is not sensitive, or the lowest number.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> usual_safe(Attribute("voted", Kind.BINARY, ("no", "yes"), sensitive=("no",)))
    'yes'
    """
    if attribute.kind.is_numeric:
        return f"{(attribute.domain or (0.0, 0.0))[0]:.15g}"
    harmless = (value for value in attribute.values if value not in attribute.sensitive)
    return next(harmless, attribute.values[0])


def is_answer(attribute: Attribute, answer: str) -> bool:
    """Whether people can give this answer: one of the values, or a number of the domain."""
    if attribute.kind.is_categorical:
        return answer in attribute.values
    low, high = attribute.domain or (0.0, 0.0)
    try:
        return low <= float(answer) <= high
    except ValueError:
        return False


def known_noncompliance(
    perturbation: Perturbation, noncompliance: NonCompliance | None
) -> NonCompliance | None:
    """Those who ignore the device; None where it reports sets: what they would say is unknown."""
    return None if perturbation.reports_sets else noncompliance


def check_share(share: float) -> None:
    if not 0 <= share < 1:
        raise ParameterError.saying(
            "The share of non-compliance is {share:g}; it must be at least 0 and below 1.",
            share=share,
            field="non_compliance",
        )


def number_epsilon(
    attribute: Attribute, perturbation: Perturbation, ignoring: NonCompliance | None
) -> float:
    """The epsilon of a number when some ignore the device.

    Safe and random answers are the same whatever is true, so they never raise it. True answers do:
    of a real number without any bound, of a whole one by what they add to the report that is true.
    The true numbers that make such a report least likely are the ends of the domain.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design.noises import Laplace
    >>> age = Attribute("age", Kind.INTEGER, domain=(18, 90))
    >>> round(number_epsilon(age, Laplace(epsilon=0.9), NonCompliance(0.2, "truth")), 3)
    4.614
    """
    alone = perturbation.epsilon_of(attribute)
    if ignoring is None or ignoring.behaviour != "truth" or not ignoring.share:
        return alone
    if attribute.kind is not Kind.INTEGER or not math.isfinite(alone) or ignoring.share == 1:
        return math.inf
    low, high = attribute.domain or (0.0, 0.0)
    reports = np.arange(low, high + 1)

    def chances(truths: Numbers) -> Numbers:
        below = (
            perturbation.numbers.conditional_cdf(z, truths, attribute)
            for z in (reports, reports - 1)
        )
        return np.asarray(np.subtract(*below))

    least = np.full(len(reports), math.inf)
    for end in (low, high):
        others = np.where(reports == end, math.inf, chances(np.full(len(reports), end)))
        least = np.minimum(least, others)
    true = chances(reports) + ignoring.share / (1 - ignoring.share)
    if least.min() <= _ROUNDING:
        return math.inf
    return max(alone, float(np.log(true / least).max()))


def share_errors(
    attribute: Attribute,
    channel: ShareChannel,
    estimator: Estimator,
    noncompliance: NonCompliance | None = None,
) -> tuple[Vector, Vector]:
    """The variance for one respondent and the bias of every estimated share.

    Estimates that assume full compliance use P⁻¹, corrected ones P_c⁻¹, which has no bias.
    """
    shares = channel.shares
    if noncompliance is None or noncompliance.share == 0:
        return estimator.variances(shares), np.zeros(len(shares))
    if noncompliance.corrected:
        used = used_estimator(attribute, channel, estimator, noncompliance)
        return used.variances(shares), np.zeros(len(shares))
    z = mixed_matrix(attribute, channel, noncompliance) @ shares
    expected = shares if estimator.left_inverse is None else estimator.left_inverse @ z
    return estimator.variances(shares, z), np.asarray(expected - shares)


def fitting_noncompliance(noncompliance: NonCompliance, attribute: Attribute) -> NonCompliance:
    """The same people asked about this attribute.

    Where it has no such safe answer, they give its own first harmless one.
    """
    safe = noncompliance.safe
    is_other = safe is not None and attribute.kind.is_categorical and safe not in attribute.values
    return replace(noncompliance, safe=None) if is_other else noncompliance


def check_safe_answer(noncompliance: NonCompliance, attributes: Sequence[Attribute]) -> None:
    safe = noncompliance.safe
    listed = [one for one in attributes if one.kind.is_categorical]
    if safe is None or not listed or any(safe in one.values for one in listed):
        return
    known = listed[0].values
    raise _unknown(listed[0], safe, Message("it is one of {known!r}", known=known))


def sum_errors(
    attribute: Attribute,
    channel: ShareChannel,
    estimator: Estimator,
    places: Sequence[int],
    noncompliance: NonCompliance | None = None,
) -> tuple[float, float]:
    """The variance for one respondent and the bias of the estimated sum of some shares."""
    used = used_estimator(attribute, channel, estimator, noncompliance)
    z = answering_matrix(attribute, channel, noncompliance) @ channel.shares
    variance = used.variance_of_sum(places, z)
    if used is estimator and used.left_inverse is not None and noncompliance is not None:
        chosen = list(places)
        estimated = float((used.left_inverse[chosen] @ z).sum())
        return variance, estimated - float(channel.shares[chosen].sum())
    return variance, 0.0


def used_estimator(
    attribute: Attribute,
    channel: ShareChannel,
    estimator: Estimator,
    noncompliance: NonCompliance | None = None,
) -> Estimator:
    """What an analyst estimates with: P⁻¹, or P_c⁻¹ where estimates are corrected."""
    if noncompliance is None or noncompliance.share == 0 or not noncompliance.corrected:
        return estimator
    return factor(mixed_matrix(attribute, channel, noncompliance), channel.shares)


def answering_matrix(
    attribute: Attribute, channel: ShareChannel, noncompliance: NonCompliance | None = None
) -> Matrix:
    """How true answers become reports: P_c, or P where everybody follows the device."""
    if noncompliance is None or noncompliance.share == 0:
        return channel.matrix
    return mixed_matrix(attribute, channel, noncompliance)


def mixed_matrix(
    attribute: Attribute, channel: ShareChannel, noncompliance: NonCompliance
) -> Matrix:
    """``(1 - c) P + c M``: the channel of all respondents together."""
    c = noncompliance.share
    return np.asarray(
        (1 - c) * channel.matrix + c * ignoring_matrix(attribute, channel, noncompliance)
    )


def ignoring_matrix(
    attribute: Attribute, channel: ShareChannel, noncompliance: NonCompliance
) -> Matrix:
    """M: how the true answers of those who ignore the device become reports."""
    outcomes, k = channel.matrix.shape
    edges, published = channel.edges, channel.distorted_edges
    if noncompliance.behaviour == "safe":
        other = np.zeros((outcomes, k))
        other[_safe_outcome(attribute, channel, noncompliance.safe_of(attribute))] = 1.0
        return other
    if edges is None or published is None or outcomes == k:
        is_true = noncompliance.behaviour == "truth"
        return np.eye(k) if is_true else np.full((k, k), 1 / k)
    return ignoring_numbers(attribute, edges, published, noncompliance)


def ignoring_numbers(
    attribute: Attribute, edges: Vector, published: Vector, noncompliance: NonCompliance
) -> Matrix:
    """M between cells of a number and cells of its reports; a safe number outside is moved in."""
    if noncompliance.behaviour == "safe":
        answer = safe_number(attribute, noncompliance.safe_of(attribute))
        cell = int(np.searchsorted(published, answer, side="right")) - 1
        other = np.zeros((len(published) - 1, len(edges) - 1))
        other[min(max(cell, 0), len(other) - 1)] = 1.0
        return other
    # A number that is always kept, or always replaced by any number of the domain.
    behaving = Retention(keep=1.0 if noncompliance.behaviour == "truth" else 0.0)
    return behaving.channel(edges, published, attribute)


Mix = Callable[[Matrix, Vector, Vector, Attribute], Matrix]
"""Makes P_c of a channel between cells of a number and cells of its reports."""


def mix_numbers(noncompliance: NonCompliance | None) -> Mix | None:
    """What turns the channel of a number into that of all respondents; None if all follow it."""
    if noncompliance is None or noncompliance.share == 0:
        return None
    ignoring, c = noncompliance, noncompliance.share

    def mix(matrix: Matrix, edges: Vector, published: Vector, attribute: Attribute) -> Matrix:
        other = ignoring_numbers(attribute, edges, published, ignoring)
        return np.asarray((1 - c) * matrix + c * other)

    return mix


def _safe_outcome(attribute: Attribute, channel: ShareChannel, safe: str | None) -> int:
    edges = channel.distorted_edges
    if edges is None:
        if safe is None:
            usual = usual_safe(attribute)
            return channel.labels.index(usual) if usual in channel.labels else 0
        if safe in channel.labels:
            return channel.labels.index(safe)
        known = tuple(channel.labels)
        raise _unknown(attribute, safe, Message("it is one of {known!r}", known=known))
    number = safe_number(attribute, safe)
    cell = int(np.searchsorted(edges, number, side="right")) - 1
    if number < edges[0] or number > edges[-1]:
        raise _unknown(
            attribute,
            str(safe),
            Message("it lies between {low:g} and {high:g}", low=edges[0], high=edges[-1]),
        )
    return min(cell, len(edges) - 2)


def safe_number(attribute: Attribute, safe: str | None) -> float:
    """The safe answer to the question for a number; that of the usual one if none is given."""
    if safe is None:
        return (attribute.domain or (0.0, 0.0))[0]
    try:
        number = float(safe)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise _unknown(attribute, safe, Message("it must be a number"))
    return number


def _unknown(attribute: Attribute, safe: str, demand: str) -> ParameterError:
    return ParameterError.saying(
        "Attribute {attribute!r} has no answer {safe!r}; {demand}.",
        safe=safe,
        demand=demand,
        attribute=attribute.name,
        field="safe",
    )


def coverage(bias: Vector, errors: Vector) -> Vector:
    """The chance that the 95 % interval of an estimate with this bias holds the truth."""
    sure = (errors == 0) | np.isinf(errors)
    shift = bias / np.where(sure, 1.0, errors)
    covered = special.ndtr(Z95 - shift) - special.ndtr(-Z95 - shift)
    exact = np.where(np.isinf(errors) | (np.abs(bias) < 1e-12), 1.0, 0.0)
    return np.where(sure, exact, covered)
