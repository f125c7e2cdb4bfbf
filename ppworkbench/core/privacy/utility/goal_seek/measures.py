"""Every measure that can be aimed at, by name: one number of an attribute and its perturbation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.privacy.conditional import conditional_privacy, from_information
from ppworkbench.core.privacy.entropy import entropy_privacy, noise_entropy_privacy
from ppworkbench.core.privacy.epsilon import epsilon
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.number_view import NumberView, number_view
from ppworkbench.core.privacy.posterior import worst_posterior
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.range_privacy import range_privacy
from ppworkbench.core.privacy.utility.assess import assess_utility
from ppworkbench.core.privacy.utility.channel import share_channel
from ppworkbench.core.privacy.utility.estimator import Vector, factor
from ppworkbench.core.privacy.utility.expected_loss import loss_of
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance, share_errors
from ppworkbench.core.privacy.utility.standard_errors import errors_of


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
    that can be aimed at there; one without a place is for commands and scripts.
    """

    label: str
    of: Callable[[Question, Perturbation], float | None]
    short: str = ""
    rank: int | None = None

    @property
    def title(self) -> str:
        """What it is called where there is little room."""
        return self.short or self.label

    @property
    def is_in_window(self) -> bool:
        """Whether lists of the window know it."""
        return bool(self.short) or self.rank is not None


def _joint(question: Question, perturbation: Perturbation) -> Joint | None:
    attribute = question.attribute
    if not attribute.kind.is_categorical:
        return None
    channel = share_channel(attribute, perturbation, question.prior)
    return Joint.of(channel.matrix, channel.shares)


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


def _view(question: Question, perturbation: Perturbation) -> NumberView:
    attribute = question.attribute
    return number_view(attribute, perturbation, question.prior or Prior.uniform(attribute))


def _worst_posterior(question: Question, perturbation: Perturbation) -> float | None:
    seen = _joint(question, perturbation)
    return None if seen is None else worst_posterior(seen).after


def _epsilon(question: Question, perturbation: Perturbation) -> float | None:
    attribute = question.attribute
    if attribute.kind.is_categorical and not perturbation.is_identity:
        return epsilon(perturbation.matrix(attribute.k))
    return perturbation.epsilon(attribute)


def _entropy(question: Question, perturbation: Perturbation) -> float | None:
    seen = _joint(question, perturbation)
    if seen is None:
        return noise_entropy_privacy(perturbation, question.attribute)
    return entropy_privacy(seen)


def _range_privacy(question: Question, perturbation: Perturbation) -> float | None:
    noise = noise_entropy_privacy(perturbation, question.attribute)
    return None if noise is None else range_privacy(noise, question.attribute)


def _errors(question: Question, perturbation: Perturbation) -> tuple[Vector, Vector]:
    """The variance for one respondent and the bias of every estimated share."""
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
    return float(_errors(question, perturbation)[0].max()) / question.error**2


def _mean_error(question: Question, perturbation: Perturbation) -> float | None:
    if question.attribute.kind.is_categorical:
        return None
    report = assess_utility(question.attribute, perturbation, question.prior, question.n)
    return report.mean_standard_error


MEASURES: dict[str, Measure] = {
    "epsilon": Measure("epsilon", _epsilon, rank=2),
    "range_privacy": Measure("range privacy", _range_privacy, "range privacy %", rank=5),
    "entropy": Measure("entropy privacy", _entropy),
    "conditional": Measure("conditional privacy", _conditional),
    "worst_posterior": Measure("worst posterior", _worst_posterior, "strongest suspicion"),
    "attack_success": Measure("attack success", _attack_success, "attacker's best guess", rank=3),
    "information_loss": Measure(
        "expected information loss", _information_loss, "information loss", rank=1
    ),
    "standard_error": Measure(
        "standard error of the worst value", _standard_error, "standard error", rank=4
    ),
    "mean_standard_error": Measure("standard error of the mean", _mean_error),
    "respondents": Measure("number of needed respondents", _respondents),
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
    if name not in MEASURES:
        raise ParameterError(
            Message(
                "There is no measure {name!r}; known are {measures}.",
                name=name,
                measures=", ".join(MEASURES),
            ),
            field="measure",
        )
    value = MEASURES[name].of(question, perturbation)
    if value is None:
        attribute = question.attribute
        raise ParameterError(
            Message(
                "Attribute {attribute!r}: the {label} is not defined for the "
                "perturbation {type_name!r}.",
                attribute=attribute.name,
                label=Message(MEASURES[name].label),
                type_name=perturbation.type_name,
            ),
            attribute=attribute.name,
            field="measure",
        )
    return value
