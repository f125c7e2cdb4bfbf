"""Questions and their answers in the words and numbers of the window."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.history import (
    count_decimals,
    number_decimals,
    ratio_decimals,
)
from ppworkbench.analyses.survey.questions import (
    Question,
    uses_sampling,
)
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
from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.estimates import JOINT, Estimate
from ppworkbench.core.survey.means import Mean
from ppworkbench.gui.language import own_words, tr, translate
from ppworkbench.gui.numbers import THIN, in_unit, number, percent, plain, with_mark
from ppworkbench.study.study import Study

Phrase = tuple[tuple[str, bool], ...]
"""Words, and whether they are emphasised."""
Naming = Callable[[str], str]
"""What people call the attribute of that name."""

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
    """The phrase without emphasis."""
    return "".join(words for words, _ in phrase(test, shown))


def condition_words(condition: Condition, shown: Naming = str) -> str:
    """A whole condition for a table or a title."""
    said = (phrase_words(test, shown) for test in condition.tests)
    return ", ".join(said) or tr("All respondents")


@dataclass(frozen=True)
class EstimateFormat:
    """Counts, shares or numbers of an attribute: scale, decimals and unit."""

    decimals: int = 0
    is_share: bool = False
    unit: str = ""

    @classmethod
    def of_count(cls, respondents: int) -> EstimateFormat:
        """Whole people, unless there are very few."""
        return cls(count_decimals(respondents))

    @classmethod
    def of_number(cls, attribute: Attribute) -> EstimateFormat:
        """Three digits of the range of an attribute count."""
        return cls(number_decimals(attribute), unit=own_words(attribute.unit))

    @classmethod
    def of_ratio(cls, value: float) -> EstimateFormat:
        """Four digits, without a unit."""
        return cls(ratio_decimals(value))

    @classmethod
    def of_share(cls) -> EstimateFormat:
        """Percentages."""
        return cls(1, True)

    def text(self, value: float | None) -> str:
        """One number; a dash where there is none."""
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
        """The number without its unit."""
        scaled = 100 * value if self.is_share else value
        rounded = round(scaled, self.decimals) + 0.0
        return number(rounded, self.decimals)

    def interval(self, value: Estimate) -> str:
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


def has_interval(value: Estimate) -> bool:
    """Whether an estimate has an interval: a single record or cluster gives none."""
    return all(map(math.isfinite, (value.standard_error, value.low, value.high)))


def outcome_phrase(formula: Formula, shown: Naming = str) -> Phrase:
    """What a regression explains, as a person would say it."""
    if not formula.value:
        return ((shown(formula.outcome), False),)
    return ((f"{shown(formula.outcome)} {tr('is')} ", False), (formula.value, True))


def model_word(model: str) -> str:
    """What a kind of regression is called."""
    return {
        "logistic": lambda: tr("logistic"),
        "multinomial": lambda: tr("multinomial"),
        "ordinal": lambda: tr("ordinal", "regression"),
        "linear": lambda: tr("linear"),
        "poisson": lambda: tr("count", "regression of counts"),
    }[model]()


def fit_method_word(method: str) -> str:
    """What a way to fit a regression is called."""
    return {
        "ml": lambda: tr("likelihood", "a method to fit"),
        "inverse": lambda: tr("inverse weights"),
        "corrected": lambda: tr("noise correction"),
    }[method]()


def list_method_word(method: str) -> str:
    """What a way to estimate the item of a list is called."""
    return {
        "ml": lambda: tr("likelihood", "a method to fit"),
        "nls": lambda: tr("least squares"),
        "difference": lambda: tr("difference", "of means"),
    }[method]()


def variance_word(variance: str) -> str:
    """Where standard errors come from, in one word."""
    return {
        "model": lambda: tr("model", "standard errors"),
        "robust": lambda: tr("robust", "standard errors"),
        "sampling": lambda: tr("sampling", "standard errors"),
        "bootstrap": lambda: tr("bootstrap", "standard errors"),
    }[variance]()


def quantile_word(at: float, of: str) -> str:
    """What people call a quantile of a number."""
    return tr("median of %s") % of if at == 0.5 else tr("%s quantile of %s") % (below_word(at), of)


def below_word(at: float) -> str:
    """The share of people below a quantile, with the decimals that were asked for."""
    return f"{plain(100 * at)}{THIN}%"


def compared_words(asked: Question, shown: Naming = str) -> str:
    """What is compared between groups: an answer's share or a mean."""
    if asked.value:
        return tr("%s is %s") % (shown(asked.of), asked.value)
    return tr("mean of %s") % shown(asked.of)


_SAME = 0.05
"""Differences up to this share of the estimate are called none."""
_TWICE = 2.0


def method_hint(method: str) -> str:
    """What a method does, for the line beside the chips."""
    if method == JOINT:
        return tr("Joint: corrects all attributes at once; unbiased, valid interval.")
    return tr("Sequential: corrects one attribute after another; loses their association.")


def method_name(method: str) -> str:
    """What a method is called."""
    return tr("joint") if method == JOINT else tr("sequential")


def clipped(value: float, low: float, high: float) -> float:
    """An estimate as it is shown: never outside of what is possible."""
    return min(max(value, low), high)


def count_reading(found: Count, *, valid: bool = True) -> tuple[str, str]:
    """The estimate as people in a hundred, and what face value would say."""
    value = found.share
    face_value = _face_value(value, EstimateFormat.of_share(), is_count=True)
    if found.sample is not None:
        return _in_hundred_people(value), f"{translate(found.sample.sentence)} {face_value}"
    if not valid:
        share = number(round(100 * clipped(value.estimate, 0.0, 1.0)))
        return tr("About %s in 100 respondents.") % share, face_value
    return _in_hundred(value), face_value


def _in_hundred_people(value: Estimate) -> str:
    """The same about people whom a sample stands for."""
    if not has_interval(value):
        return tr("No interval can be given.")
    low, high = (round(100 * clipped(end, 0.0, 1.0)) for end in (value.low, value.high))
    if (low, high) == (0, 100):
        return tr("Not informative: 0 to 100\u202f%.")
    if low == high:
        return tr("About %s in 100 people.") % number(low)
    return tr("Between %s and %s in 100 people.") % (number(low), number(high))


def _in_hundred(value: Estimate) -> str:
    if not has_interval(value):
        return tr("1 record gives no interval.")
    low, high = (round(100 * clipped(end, 0.0, 1.0)) for end in (value.low, value.high))
    if (low, high) == (0, 100):
        return tr("Not informative: 0 to 100\u202f%.")
    if low == high == 0:
        return tr("Fewer than 1 in 100 respondents.")
    if low == high:
        return tr("About %s in 100 respondents.") % number(low)
    return tr("Between %s and %s in 100 respondents.") % (number(low), number(high))


def mean_reading(found: Mean, figures: EstimateFormat, of: str) -> tuple[str, str]:
    """Who the mean is about, and what face value would say."""
    face_value = _face_value(found.value, figures, is_count=False)
    if found.sample is not None:
        told = f"{translate(found.sample.sentence)} {face_value}"
        if not has_interval(found.value):
            return tr("No interval can be given."), told
        if found.condition.tests:
            return tr("The mean of “%s” among those who meet the condition.") % of, told
        return tr("The mean of “%s”.") % of, told
    if not has_interval(found.value):
        first = tr("1 record gives no interval.")
    elif found.condition.tests:
        first = tr("The mean of “%s” among those who meet the condition.") % of
    else:
        first = tr("The mean of “%s” among all respondents.") % of
    return first, face_value


def _face_value(value: Estimate, figures: EstimateFormat, *, is_count: bool) -> str:
    if value.naive is None:
        return tr("Uncorrected count: 0.")
    shown = figures.text(value.naive)
    base, naive = value.estimate, value.naive
    if base <= 0 or abs(naive - base) <= _SAME * abs(base):
        return tr("Without correction: %s.") % shown
    change = percent(abs(naive / base - 1))
    if is_count:
        return _moved(shown, change, naive / base)
    if naive > base:
        return tr("Without correction: %s, %s more.") % (shown, change)
    return tr("Without correction: %s, %s less.") % (shown, change)


def _moved(shown: str, change: str, ratio: float) -> str:
    """Why the reports give another number of people."""
    if ratio >= _TWICE:
        words = tr(
            "Without correction: %s, more than twice as many, because the mechanism adds "
            "more respondents to the group than it removes."
        )
        return words % shown
    if ratio > 1:
        words = tr(
            "Without correction: %s, %s more, because the mechanism adds more "
            "respondents to the group than it removes."
        )
    else:
        words = tr(
            "Without correction: %s, %s fewer, because the mechanism removes more "
            "respondents from the group than it adds."
        )
    return words % (shown, change)


def reach_words(value: Estimate, *, valid: bool) -> str:
    """Half of the interval of a share in points; empty where there is no interval."""
    if not valid or not has_interval(value):
        return ""
    if not value.low <= value.estimate <= value.high:
        return EstimateFormat.of_share().interval(value)
    return tr("± %s points") % number(50 * (value.high - value.low), 1)


def people_line(found: Count) -> str:
    """The number of people behind a share."""
    most = _everybody(found)
    figures = EstimateFormat.of_count(round(most))
    estimate = figures.text(clipped(found.value.estimate, 0.0, most))
    return tr("About %s of %s people") % (estimate, figures.text(most))


def _everybody(found: Count) -> float:
    """How many people the share is one of."""
    return float(found.respondents if found.sample is None else found.sample.weighted_n)


def people_range(found: Count, *, valid: bool) -> str:
    """The interval of the number of people; empty where there is none."""
    if not valid or not has_interval(found.value):
        return ""
    most = _everybody(found)
    figures = EstimateFormat.of_count(round(most))
    low, high = (
        figures.text(clipped(end, 0.0, most)) for end in (found.value.low, found.value.high)
    )
    return tr("Between %s and %s people") % (low, high)


def interval_line(
    value: Estimate, figures: EstimateFormat, confidence: float, *, valid: bool
) -> str:
    """The interval under the large number."""
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
    """Whom an estimate is about."""
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
    roles = () if study.sampling is None else describe_roles(study.sampling)
    told += [translate(study.titled(role)) for role in roles]
    effect = None if answer is None else answer.sampling_effect
    if effect is not None:
        told.append(tr("sampling effect %s") % number(effect[0], 2))
        told.append(tr("effective n %s") % number(round(effect[1])))
    return told


def badge(question: Question) -> str:
    """What a method is, in two words."""
    return tr("joint, unbiased") if question.method == JOINT else tr("sequential, as published")
