"""Questions and their answers in the words and numbers of the window."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ppworkbench.analyses.estimates.result import SurveyResult as ToldResult
from ppworkbench.analyses.estimates.result import number_decimals
from ppworkbench.analyses.regression.tables import p_value
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.questions import Question, uses_sampling
from ppworkbench.core.compliance.classes import Estimate as ClassEstimate
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS
from ppworkbench.core.models import Formula
from ppworkbench.core.sampling.results import describe_roles
from ppworkbench.core.survey.conditions.condition import (
    Comparison,
    Condition,
    Membership,
    Operator,
    Test,
    is_number,
)
from ppworkbench.core.survey.estimates import JOINT, Estimate
from ppworkbench.gui.language import own_words, tr, translate
from ppworkbench.gui.numbers import THIN, in_unit, number, percent, plain, with_mark
from ppworkbench.study.study import Study

Phrase = tuple[tuple[str, bool], ...]
"""Words, and whether they are emphasised."""
Naming = Callable[[str], str]
"""What people call the attribute of that name."""
AnyEstimate = Estimate | ClassEstimate

_LISTED = 3
"""Values that a phrase names before it says how many more there are."""


def phrase(test: Test, shown: Naming = str) -> Phrase:
    """A test as a person would say it.

    >>> "".join(words for words, _ in phrase(Comparison("age", Operator.BELOW, "30")))
    'age below 30'
    """
    name = (shown(test.attribute), False)
    if isinstance(test, Membership):
        word = tr("is not") if test.negated else tr("is")
        return (name, (f" {word} ", False), *_values(test.values))
    if isinstance(test, Comparison):
        return (name, (f" {_COMPARED[test.operator]()} ", False), (limit_words(test.value), True))
    if test.low_included and test.high_included:
        start, end = tr("from"), tr("to")
    elif test.low_included:
        start, end = tr("from"), tr("to below")
    elif test.high_included:
        start, end = tr("above"), tr("up to")
    else:
        start, end = tr("above"), tr("and below")
    low, high = (limit_words(test.low), True), (limit_words(test.high), True)
    return (name, (f" {start} ", False), low, (f" {end} ", False), high)


def limit_words(words: str) -> str:
    """A number with the decimal mark of the locale; a value as it is."""
    return with_mark(words) if is_number(words) else words


_COMPARED = {
    Operator.EQUAL: lambda: tr("is"),
    Operator.UNEQUAL: lambda: tr("is not"),
    Operator.BELOW: lambda: tr("below"),
    Operator.AT_MOST: lambda: tr("at most"),
    Operator.ABOVE: lambda: tr("above"),
    Operator.AT_LEAST: lambda: tr("at least"),
}


def _values(values: tuple[str, ...]) -> Phrase:
    shown, more = values[:_LISTED], len(values) - _LISTED
    if more == 1:
        shown, more = values, 0
    parts: list[tuple[str, bool]] = []
    for place, value in enumerate(shown):
        if place:
            last = place == len(shown) - 1 and more <= 0
            parts.append((f" {tr('or')} " if last else ", ", False))
        parts.append((value, True))
    if more > 0:
        parts.append((" " + tr("or %s more") % more, False))
    return tuple(parts)


def label_words(labels: tuple[str, ...], attribute: Attribute) -> tuple[str, ...]:
    """The values of an attribute as their owner wrote them, the bins of a number translated."""
    return tuple(translate(label) for label in labels) if attribute.kind.is_numeric else labels


def phrase_words(test: Test, shown: Naming = str) -> str:
    return "".join(words for words, _ in phrase(test, shown))


def condition_words(condition: Condition, shown: Naming = str) -> str:
    said = (phrase_words(test, shown) for test in condition.tests)
    return ", ".join(said) or tr("All respondents")


@dataclass(frozen=True)
class EstimateFormat:
    """Counts, shares or numbers of an attribute: scale, decimals and unit."""

    decimals: int = 0
    is_share: bool = False
    unit: str = ""

    @classmethod
    def of_number(cls, attribute: Attribute) -> EstimateFormat:
        return cls(number_decimals(attribute), unit=own_words(attribute.unit))

    @classmethod
    def of_told(cls, told: ToldResult) -> EstimateFormat:
        return (
            cls.of_share() if told.is_share else cls(told.decimals(), unit=own_words(told.unit_of))
        )

    @classmethod
    def of_share(cls) -> EstimateFormat:
        return cls(1, True)

    def text(self, value: float | None) -> str:
        if value is None or not math.isfinite(value):
            return "–"
        if self.is_share:
            return f"{self.bare(value)}{THIN}%"
        return self.bare(value)

    def reach(self, value: Estimate) -> str:
        """Half of an interval with its unit: "± 60 euros"; empty where there is none."""
        half = (value.high - value.low) / 2
        return f"± {self.bare(half)}{self._tail}" if math.isfinite(half) else ""

    @property
    def _tail(self) -> str:
        return f"{THIN}%" if self.is_share else in_unit("", self.unit)

    def bare(self, value: float) -> str:
        scaled = 100 * value if self.is_share else value
        rounded = round(scaled, self.decimals) + 0.0
        return number(rounded, self.decimals)

    def interval(self, value: AnyEstimate) -> str:
        """The two ends of an interval; a dash where a single record gives none."""
        if not has_interval(value):
            return "–"
        return tr("%s to %s") % (self.bare(value.low), in_unit(self.bare(value.high), self.unit))

    def with_reach(self, value: Estimate) -> str:
        """An estimate with half its interval: "45 ± 9 %"."""
        coarse = EstimateFormat(0, True) if self.is_share else self
        if has_interval(value) and not value.low <= value.estimate <= value.high:
            # What lies outside of its interval has no distance to both of its ends.
            ends = tr("%s to %s") % (coarse.bare(value.low), coarse.text(value.high))
            return f"{coarse.bare(value.estimate)} ({ends})"
        reach = coarse.reach(value)
        return f"{coarse.bare(value.estimate)} {reach}" if reach else self.text(value.estimate)


def has_interval(value: AnyEstimate) -> bool:
    """Whether an estimate has an interval: a single record or cluster gives none."""
    return all(map(math.isfinite, (value.standard_error, value.low, value.high)))


def outcome_phrase(formula: Formula, shown: Naming = str) -> Phrase:
    if not formula.value:
        return ((shown(formula.outcome), False),)
    return ((f"{shown(formula.outcome)} {tr('is')} ", False), (formula.value, True))


def model_word(model: str) -> str:
    return {
        "logistic": lambda: tr("logistic"),
        "multinomial": lambda: tr("multinomial"),
        "ordinal": lambda: tr("ordinal", "regression"),
        "linear": lambda: tr("linear"),
        "poisson": lambda: tr("count", "regression of counts"),
    }[model]()


def fit_method_word(method: str) -> str:
    return {
        "ml": lambda: tr("likelihood", "a method to fit"),
        "inverse": lambda: tr("inverse weights"),
        "corrected": lambda: tr("noise correction"),
    }[method]()


def list_method_word(method: str) -> str:
    return {
        "ml": lambda: tr("likelihood", "a method to fit"),
        "nls": lambda: tr("least squares"),
        "difference": lambda: tr("difference", "of means"),
    }[method]()


def variance_word(variance: str) -> str:
    return {
        "model": lambda: tr("model", "standard errors"),
        "robust": lambda: tr("robust", "standard errors"),
        "sampling": lambda: tr("sampling", "standard errors"),
        "bootstrap": lambda: tr("bootstrap", "standard errors"),
    }[variance]()


def quantile_word(at: float, of: str) -> str:
    return tr("median of %s") % of if at == 0.5 else tr("%s quantile of %s") % (below_word(at), of)


def below_word(at: float) -> str:
    """The share of people below a quantile, with the decimals that were asked for."""
    return f"{plain(100 * at)}{THIN}%"


def compared_words(asked: Question, shown: Naming = str) -> str:
    if asked.value:
        return tr("%s is %s") % (shown(asked.of), asked.value)
    return tr("mean of %s") % shown(asked.of)


def method_hint(method: str) -> str:
    if method == JOINT:
        return tr("Joint: corrects all attributes at once; unbiased, valid interval.")
    return tr("Sequential: corrects one attribute after another; loses their association.")


def method_name(method: str) -> str:
    return tr("joint") if method == JOINT else tr("sequential")


def reach_words(value: AnyEstimate, *, valid: bool) -> str:
    """Half of the interval of a share in points; empty where there is no interval."""
    if not valid or not has_interval(value):
        return ""
    if not value.low <= value.estimate <= value.high:
        return EstimateFormat.of_share().interval(value)
    return tr("± %s points") % number(50 * (value.high - value.low), 1)


def interval_line(
    value: Estimate, figures: EstimateFormat, confidence: float, *, valid: bool
) -> str:
    if not has_interval(value):
        return tr("no interval from 1 record") if value.details is None else tr("no interval")
    level = percent(confidence)
    if not valid:
        return tr("no valid interval")
    return tr("%s interval %s") % (level, figures.interval(value))


def steps_line(value: Estimate, figures: EstimateFormat) -> str:
    """What the interval of a sequential estimate would be if nothing else were wrong with it."""
    return tr("sequential alone: %s") % figures.interval(value)


def target_word(target: str) -> str:
    return tr("the population") if target == POPULATION else tr("these respondents")


def sample_badges(question: Question, study: Study, answer: SurveyResult | None) -> list[str]:
    """What is known of the sampling of an answer, each in a few words; nothing without roles.

    ``answer`` is that to the question, once it is there.
    """
    if not uses_sampling(question, study):
        return []
    told = [target_word(question.target)]
    if question.target == RESPONDENTS:
        return [*told, tr("everybody counts the same")]
    told += [translate(study.titled(role)) for role in describe_roles(study.sampling)]
    effect = None if answer is None else answer.sampling_effect
    if effect is not None:
        told.append(tr("sampling effect %s") % number(effect[0], 2))
        told.append(tr("effective n %s") % number(round(effect[1])))
    return told


def badge(question: Question) -> str:
    return tr("joint, unbiased") if question.method == JOINT else tr("sequential, as published")


def p_text(p: float) -> str:
    return translate(p_value(p))
