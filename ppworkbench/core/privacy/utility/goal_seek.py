"""Seeks the value of a free parameter at which a measure reaches its aim.

The parameters of a perturbation that can be left free, and the ranges in which they make sense.

Every range goes from the truthful end (the answer is published as it is) to the private end (the
published answer tells as little as possible). A probability of the truth below that of a fair
draw is left out: it lies there with the opposite sign, as private but harder to explain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy import optimize

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.perturbation import FreeParameter, Perturbation
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Params, Within
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.privacy.belief import meant_places, sensitive_belief
from ppworkbench.core.privacy.conditional import conditional_privacy, from_information
from ppworkbench.core.privacy.entropy import entropy_privacy, noise_entropy_privacy, range_privacy
from ppworkbench.core.privacy.epsilon import epsilon
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.number_view import NumericPosterior, number_view
from ppworkbench.core.privacy.posterior import worst_posterior
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.assess import assess_utility
from ppworkbench.core.privacy.utility.channel import Vector, factor, share_channel
from ppworkbench.core.privacy.utility.noncompliance import (
    NonCompliance,
    answering_matrix,
    mix_numbers,
    share_errors,
    sum_errors,
)
from ppworkbench.core.privacy.utility.standard_errors import Z95, errors_of, loss_of
from ppworkbench.core.progress import Progress, silent


def free_parameters(perturbation: Perturbation, attribute: Attribute) -> tuple[FreeParameter, ...]:
    """All parameters of a perturbation that can be left free.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Binary
    >>> asked = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> [free.name for free in free_parameters(Binary(), asked)]
    ['keep_one', 'keep_zero']
    """
    return perturbation.free_parameters(attribute)


def free_parameter(perturbation: Perturbation, attribute: Attribute, name: str) -> FreeParameter:
    """The free parameter of that name; an error that lists the others if there is none."""
    known = {free.name: free for free in free_parameters(perturbation, attribute)}
    if name in known:
        return known[name]
    listed = (
        Message("the free parameters are {known}", known=", ".join(known))
        if known
        else Message("it has no free parameter")
    )
    raise ParameterError.saying(
        "Attribute {attribute!r}: the mechanism {type_name!r} has no free parameter "
        "{name!r}; {listed}.",
        type_name=perturbation.type_name,
        name=name,
        listed=listed,
        attribute=attribute.name,
        field="parameter",
    )


@dataclass(frozen=True)
class Question:
    """One attribute with the prior and the number of respondents it is judged for.

    ``error`` is the standard error for which respondents are counted.
    """

    attribute: Attribute
    prior: Prior | None = None
    n: int = 1000
    error: float = 0.02
    noncompliance: NonCompliance | None = None


@dataclass(frozen=True)
class Measure:
    """How a measure is called and computed; None where it does not apply.

    ``short`` is what it is called in lists of the window, ``rank`` its place among the measures
    that can be aimed at there; one without a place is for commands and scripts. ``only`` tells
    that it is defined for attributes with "values" or for "numbers" alone.
    """

    label: str
    of: Callable[[Question, Perturbation], float | None]
    short: str = ""
    rank: int | None = None
    only: str = ""
    of_shares: bool = False

    def applies_to(self, attribute: Attribute, perturbation: Perturbation) -> bool:
        """Whether an attribute of this kind can have the measure, and have it finite.

        Reports that tell the mean alone say nothing of shares, so that these are never known.
        """
        if self.of_shares and perturbation.numbers.why_only_mean(attribute):
            return False
        return self.only in ("", "numbers" if attribute.kind.is_numeric else "values")

    @property
    def title(self) -> str:
        return self.short or self.label

    @property
    def is_in_window(self) -> bool:
        return bool(self.short) or self.rank is not None


def _joint(question: Question, perturbation: Perturbation) -> Joint | None:
    attribute = question.attribute
    if not attribute.kind.is_categorical:
        return None
    channel = share_channel(attribute, perturbation, question.prior)
    reported = answering_matrix(attribute, channel, question.noncompliance)
    return Joint.of(reported, channel.shares)


def _attack_success(question: Question, perturbation: Perturbation) -> float:
    seen = _joint(question, perturbation)
    if seen is None:
        seen = _view(question, perturbation).seen
    return attack_success(seen).success


def _conditional(question: Question, perturbation: Perturbation) -> float:
    seen = _joint(question, perturbation)
    if seen is not None:
        return conditional_privacy(seen).after
    view = _view(question, perturbation)
    return from_information(view.prior_bits, view.information).after


def _view(question: Question, perturbation: Perturbation) -> NumericPosterior:
    attribute = question.attribute
    prior = question.prior or Prior.uniform(attribute)
    return number_view(attribute, perturbation, prior, mix_numbers(question.noncompliance))


def _belief(question: Question, perturbation: Perturbation) -> float | None:
    seen = _joint(question, perturbation)
    return None if seen is None else sensitive_belief(seen, question.attribute).after


def _half_width(question: Question, perturbation: Perturbation) -> float | None:
    """Half of the 95 % interval of the share of the sensitive answers.

    Where the estimate is biased, the root mean square error takes the place of the standard error.
    """
    attribute = question.attribute
    if not attribute.kind.is_categorical:
        return None
    channel = share_channel(attribute, perturbation, question.prior)
    estimator = factor(channel.matrix, channel.shares)
    places = meant_places(attribute, channel.shares)
    variance, bias = sum_errors(attribute, channel, estimator, places, question.noncompliance)
    return Z95 * math.sqrt(variance / question.n + bias**2)


def _worst_posterior(question: Question, perturbation: Perturbation) -> float | None:
    seen = _joint(question, perturbation)
    return None if seen is None else worst_posterior(seen).after


def _epsilon(question: Question, perturbation: Perturbation) -> float | None:
    attribute = question.attribute
    is_open = perturbation.is_identity and question.noncompliance is None
    seen = None if is_open else _joint(question, perturbation)
    return perturbation.epsilon_of(attribute) if seen is None else epsilon(seen.matrix)


def _entropy(question: Question, perturbation: Perturbation) -> float | None:
    seen = _joint(question, perturbation)
    if seen is None:
        return noise_entropy_privacy(perturbation, question.attribute, question.prior)
    return entropy_privacy(seen)


def _range_privacy(question: Question, perturbation: Perturbation) -> float | None:
    noise = noise_entropy_privacy(perturbation, question.attribute, question.prior)
    return None if noise is None else range_privacy(noise, question.attribute)


def _errors(question: Question, perturbation: Perturbation) -> tuple[Vector, Vector]:
    attribute = question.attribute
    channel = share_channel(attribute, perturbation, question.prior)
    estimator = factor(channel.matrix, channel.shares)
    return share_errors(attribute, channel, estimator, question.noncompliance)


def _information_loss(question: Question, perturbation: Perturbation) -> float:
    variances, bias = _errors(question, perturbation)
    return loss_of(errors_of(variances, question.n), bias)


def _standard_error(question: Question, perturbation: Perturbation) -> float:
    return float(errors_of(_errors(question, perturbation)[0], question.n).max())


def _respondents(question: Question, perturbation: Perturbation) -> float:
    # Before it is rounded up to whole people, so that a parameter can be found for any number.
    variances, bias = _errors(question, perturbation)
    room = question.error**2 - bias**2
    if (room <= 0).any():
        return math.inf
    return float((variances / room).max())


def _mean_error(question: Question, perturbation: Perturbation) -> float | None:
    if question.attribute.kind.is_categorical:
        return None
    report = assess_utility(
        question.attribute, perturbation, question.prior, question.n,
        noncompliance=question.noncompliance,
    )  # fmt: skip
    return report.mean_standard_error


MEASURES: dict[str, Measure] = {
    "belief": Measure("belief in the sensitive answer", _belief, "belief", rank=6, only="values"),
    "half_width": Measure("95 % half-width", _half_width, "± points", rank=7, only="values"),
    "epsilon": Measure("epsilon", _epsilon, rank=2),
    "range_privacy": Measure(
        "range privacy", _range_privacy, "range privacy %", rank=5, only="numbers"
    ),
    "entropy": Measure("entropy privacy", _entropy),
    "conditional": Measure("conditional privacy", _conditional),
    "worst_posterior": Measure("highest posterior", _worst_posterior, "highest posterior"),
    "attack_success": Measure("attack success", _attack_success, "attack success", rank=3),
    "information_loss": Measure(
        "expected information loss", _information_loss, "information loss", rank=1, of_shares=True
    ),
    "standard_error": Measure(
        "largest standard error of a share",
        _standard_error,
        "standard error",
        rank=4,
        of_shares=True,
    ),
    "mean_standard_error": Measure("standard error of the mean", _mean_error),
    "respondents": Measure("respondents needed", _respondents),
}


def aimed_at() -> tuple[tuple[str, Measure], ...]:
    """The measures that can be aimed at in the window, in the order of its list.

    >>> [name for name, _ in aimed_at()][:2]
    ['information_loss', 'epsilon']
    """
    ranked = [(one.rank, name, one) for name, one in MEASURES.items() if one.rank is not None]
    return tuple((name, one) for _, name, one in sorted(ranked, key=lambda found: found[0]))


def measured(name: str, question: Question, perturbation: Perturbation) -> float:
    """The value of a measure; an error where there is none of that name or it does not apply.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Uniform
    >>> asked = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> round(measured("epsilon", Question(asked), Uniform(keep=0.75)), 4)
    1.0986
    """
    ParameterError.unless_known(
        "There is no measure {name!r}; known are {known}.", name, MEASURES, field="measure"
    )
    value = MEASURES[name].of(question, perturbation)
    if value is None:
        attribute = question.attribute
        raise ParameterError.saying(
            "Attribute {attribute!r}: the {label} is not defined for the mechanism {type_name!r}.",
            label=Message(MEASURES[name].label),
            type_name=perturbation.type_name,
            attribute=attribute.name,
            field="measure",
        )
    return value


_SAMPLES = 97
_CLOSE = 1e-9
_FAR = 800.0
"""Stands for the logarithm of infinity, beyond that of any double."""


@dataclass(frozen=True)
class Target(Params):
    """The value that a measure shall have.

    ``error`` is the standard error for which ``respondents`` are counted.
    """

    measure: Annotated[str, OneOf(tuple(MEASURES)), Info("Measure", "Target measure")]
    value: Annotated[float, Within(0), Info("Value", "Target value")]
    error: Annotated[
        float,
        Within(0, open_low=True),
        Info("Error", "Standard error for the number of respondents"),
    ] = 0.02


def seek(  # noqa: PLR0913 (settings by keyword)
    attribute: Attribute,
    perturbation: Perturbation,
    parameter: str,
    target: Target,
    prior: Prior | None = None,
    n: int = 1000,
    progress: Progress = silent,
    *,
    noncompliance: NonCompliance | None = None,
) -> Perturbation:
    """The perturbation with one parameter changed so that the measure has the target's value.

    The parameter's range is walked from the truthful end; the first place where the measure
    passes the target is refined by Brent's method. Of several solutions this is the one that keeps
    the truth most often. Where a parameter takes whole numbers only, the nearest value is taken.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Uniform
    >>> asked = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> found = seek(asked, Uniform(), "keep", Target("epsilon", math.log(3)))
    >>> round(found.keep, 6)
    0.75

    Raises
    ------
    ParameterError
        When the target cannot be reached; the sentence states the reachable range.
    """
    free = free_parameter(perturbation, attribute, parameter)
    aim = _Aim(free, target, Question(attribute, prior, n, target.error, noncompliance))
    positions = np.linspace(free.position(free.truthful), free.position(free.private), _SAMPLES)
    if free.whole:
        positions = _whole_positions(free, positions)
    before: float | None = None
    for i, position in enumerate(positions.tolist()):
        progress(i / len(positions), Message("trying {parameter}", parameter=parameter))
        gap = aim.gap(position)
        if gap is not None and abs(gap) < _CLOSE:
            return free.put(free.value(position))
        if _passes(before, gap):
            return _refined(aim, float(positions[i - 1]), position)
        before = gap
    raise _unreachable(aim, positions)


def _whole_positions(free: FreeParameter, positions: Vector) -> Vector:
    values = dict.fromkeys(free.value(position) for position in positions.tolist())
    return np.array([free.position(value) for value in values])


@dataclass(frozen=True)
class _Aim:
    """A target seen from a place on the scale of a free parameter."""

    free: FreeParameter
    target: Target
    question: Question

    def measure(self, position: float) -> float | None:
        try:
            changed = self.free.put(self.free.value(position))
            changed.check(self.question.attribute)
        except (DesignError, ParameterError):
            return None  # For example a level of range privacy that no noise reaches.
        return measured(self.target.measure, self.question, changed)

    def gap(self, position: float) -> float | None:
        """How far the measure is above the target, on a log scale where there is one."""
        value = self.measure(position)
        if value is None:
            return None
        if self.target.value == 0:
            return min(value, _FAR)
        return _log(value) - _log(self.target.value)


def _log(value: float) -> float:
    if value <= 0:
        return -_FAR
    return _FAR if math.isinf(value) else math.log(value)


def _passes(before: float | None, after: float | None) -> bool:
    return before is not None and after is not None and before * after <= 0


def _refined(aim: _Aim, truthful: float, private: float) -> Perturbation:
    free = aim.free
    if not free.whole:
        found = optimize.brentq(
            lambda position: aim.gap(position) or 0.0, truthful, private, xtol=1e-15, rtol=1e-15
        )
        gap = aim.gap(found)
        if gap is not None and abs(gap) < 1e-7:
            return free.put(free.value(found))
    # The measure jumps over the target: close in on the jump and take the nearer side.
    start = aim.gap(truthful)
    for _ in range(200):
        middle = (truthful + private) / 2
        if free.value(middle) in (free.value(truthful), free.value(private)):
            break
        if _passes(start, aim.gap(middle)):
            private = middle
        else:
            truthful = middle
    return free.put(free.value(min((truthful, private), key=lambda at: abs(aim.gap(at) or 0.0))))


def _unreachable(aim: _Aim, positions: Vector) -> ParameterError:
    free, name = aim.free, aim.question.attribute.name
    label = Message(MEASURES[aim.target.measure].label)
    values = [v for v in map(aim.measure, positions.tolist()) if v is not None]
    low, high = sorted((free.truthful, free.private))
    if not values:
        reach = Message("no value in that range fits the attribute")
    elif min(values) == max(values):
        reach = Message("it is {value} for every {name}", value=_shown(values[0]), name=free.name)
    else:
        reach = Message(
            "it can be from {low} to {high}", low=_shown(min(values)), high=_shown(max(values))
        )
    return ParameterError.saying(
        "Attribute {attribute!r}: no {name} between {low:.4g} and {high:.4g} gives "
        "{label} {value}; {reach}.",
        name=free.name,
        low=low,
        high=high,
        label=label,
        value=_shown(aim.target.value),
        reach=reach,
        attribute=name,
        field=free.name,
    )


def _shown(value: float) -> Message:
    return Message("infinity") if math.isinf(value) else Message("{value:.4g}", value=value)
