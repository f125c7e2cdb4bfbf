"""What the window says of every statistic: its question, its rows in the history, its files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.history import PastQuestion, Texts
from ppworkbench.analyses.survey.questions import (
    COMPARE,
    COMPLIANCE,
    COUNT,
    CROSSTAB,
    DISTRIBUTION,
    LIST,
    MEAN,
    QUANTILE,
    RATIO,
    REGRESSION,
    Question,
)
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS
from ppworkbench.core.message import titled
from ppworkbench.core.models.formula import Variable
from ppworkbench.core.reconstruct.agreement import MEAN as MEAN_OF_ARMS
from ppworkbench.core.sampling.results import describe_roles
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import THIN
from ppworkbench.gui.pages.survey.texts import (
    EstimateFormat,
    Naming,
    compared_words,
    condition_words,
    fit_method_word,
    list_method_word,
    method_name,
    outcome_phrase,
    quantile_word,
    target_word,
)


class LeadField(Enum):
    """A field among the words before a condition."""

    OF = auto()
    BY = auto()
    AT = auto()
    VALUE = auto()
    REFERENCE = auto()


@dataclass(frozen=True)
class Notice:
    """What stands in the place of an answer that is not there; no button if that is empty."""

    heading: str
    advice: str
    button: str = ""


def _condition_whom(asked: Question, shown: Naming) -> str:
    return condition_words(asked.condition, shown)


def _survey_method(asked: Question) -> str:
    return method_name(asked.method)


@dataclass(frozen=True)
class StatisticWords:
    """The words of one statistic, made in the language of now.

    Parameters
    ----------
    lead
        Words and fields before the condition; told whether the attribute has values.
    asked
        What was asked, for the history.
    whom, how
        Of whom, and by which method, for the history.
    found
        Estimate, interval, face value and truth of a row of the history.
    files
        The kinds of files that an answer is written to.
    notice
        What to say while there is no answer; told whether one is on its way. None where
        a condition is to be added first.
    """

    lead: Callable[[bool], tuple[str | LeadField, ...]]
    asked: Callable[[Question, Naming], str]
    found: Callable[[PastQuestion], Texts]
    whom: Callable[[Question, Naming], str] = _condition_whom
    how: Callable[[Question], str] = _survey_method
    files: Callable[[], str] = lambda: tr("CSV (*.csv)")
    notice: Callable[[bool], Notice] | None = None


def words_of(statistic: str) -> StatisticWords:
    return _WORDS[statistic]


# Before the condition


def _compare_lead(has_values: bool) -> tuple[str | LeadField, ...]:
    """An answer is chosen where there are values."""
    compared: tuple[str | LeadField, ...] = (tr("Compare the mean of"), LeadField.OF)
    if has_values:
        compared = (
            tr("Compare the share with"), LeadField.OF, tr("is", "before an answer"),
            LeadField.VALUE,
        )  # fmt: skip
    return (*compared, tr("by"), LeadField.BY, LeadField.REFERENCE, tr("where"))


# Rows of the history


def _shown(row: PastQuestion) -> list[str]:
    return [EstimateFormat(row.decimals).text(one) for one in row.numbers]


def _estimate_texts(row: PastQuestion) -> Texts:
    estimate, low, high, naive, true = _shown(row)
    has_interval = None not in row.numbers[1:3]
    return estimate, tr("%s to %s") % (low, high) if has_interval else "–", naive, true


def _list_texts(row: PastQuestion) -> Texts:
    estimate, interval, _, _ = _estimate_texts(row)
    return f"{estimate}{THIN}%", interval, "", ""


def _compliance_texts(row: PastQuestion) -> Texts:
    share, low, high = (EstimateFormat(0, True).text(one) for one in row.numbers)
    if None in row.numbers[1:]:
        return share, "–", "", ""
    return tr("%s followed") % share, tr("%s to %s") % (low, high), "", ""


def _sized(words: str, row: PastQuestion) -> Texts:
    """Only the size of a large answer is told."""
    return words % tuple(_shown(row)), "", "", ""


def _regression_whom(asked: Question, shown: Naming) -> str:
    """What is explained by what; that has no room in the other column."""
    if asked.model is None:
        return _condition_whom(asked, shown)
    formula = asked.model.formula
    said = "".join(words for words, _ in outcome_phrase(formula, shown))
    names = {str(Variable(name)): shown(name) for name in formula.predictors}
    terms = [names.get(str(term), str(term)) for term in formula.terms]
    if terms:
        said = tr("%s explained by %s") % (said, ", ".join(terms))
    if not asked.condition.tests:
        return said
    return tr("%s, where %s") % (said, _condition_whom(asked, shown))


def _regression_how(asked: Question) -> str:
    model = asked.model
    return _survey_method(asked) if model is None else fit_method_word(model.options.method)


def _list_whom(asked: Question, shown: Naming) -> str:
    """The item, and what it may go together with."""
    if asked.inquiry is None:
        return _condition_whom(asked, shown)
    item, predictors = shown(asked.inquiry.attribute), map(shown, asked.inquiry.predictors)
    listed = ", ".join(predictors)
    return tr("%s explained by %s") % (item, listed) if listed else item


def _list_how(asked: Question) -> str:
    inquiry = asked.inquiry
    return _survey_method(asked) if inquiry is None else list_method_word(inquiry.method)


def _compliance_whom(asked: Question, shown: Naming) -> str:
    checked = asked.compliance
    return _condition_whom(asked, shown) if checked is None else shown(checked.attribute)


def _compliance_how(asked: Question) -> str:
    return _survey_method(asked) if asked.compliance is None else ""


# While there is no answer


def _regression_notice(is_coming: bool) -> Notice:
    """Coefficients are promised only while they are on their way."""
    said = tr("The model has not been fitted.")
    if is_coming:
        said = tr("The coefficients appear as soon as the model is fitted.")
    return Notice(tr("No regression yet"), said, tr("Fit the model"))


def _list_notice(is_coming: bool) -> Notice:
    """A list has no conditions that could be added."""
    said = tr("The list has not been estimated.")
    if is_coming:
        said = tr("It appears as soon as the list is estimated.")
    return Notice(tr("No estimate yet"), said, tr("Estimate the list"))


def _compliance_notice(_is_coming: bool) -> Notice:
    advice = tr("It appears as soon as the question is asked.")
    return Notice(tr("No estimate of compliance yet"), advice)


_WORDS: Mapping[str, StatisticWords] = {
    COUNT: StatisticWords(
        lead=lambda _: (tr("Share with"),),
        asked=lambda *_: tr("count"),
        found=_estimate_texts,
    ),
    MEAN: StatisticWords(
        lead=lambda _: (tr("Mean of"), LeadField.OF, tr("where")),
        asked=lambda asked, shown: tr("mean of %s") % shown(asked.of),
        found=_estimate_texts,
    ),
    RATIO: StatisticWords(
        lead=lambda _: (
            tr("Ratio of"), LeadField.OF, tr("to", "after a number"), LeadField.BY, tr("where"),
        ),
        asked=lambda asked, shown: tr("ratio of %s to %s") % (shown(asked.of), shown(asked.by)),
        found=_estimate_texts,
    ),
    QUANTILE: StatisticWords(
        lead=lambda _: (
            tr("Quantiles of"), LeadField.OF, tr("at", "before percentages"), LeadField.AT,
            tr("% where"),
        ),
        asked=lambda asked, shown: quantile_word(asked.at[len(asked.at) // 2], shown(asked.of)),
        found=_estimate_texts,
    ),
    DISTRIBUTION: StatisticWords(
        lead=lambda _: (tr("Distribution of"), LeadField.OF, tr("where")),
        asked=lambda asked, shown: tr("distribution of %s") % shown(asked.of),
        found=lambda row: _sized(tr("%s values"), row),
    ),
    CROSSTAB: StatisticWords(
        lead=lambda _: (tr("Table of"), LeadField.OF, tr("by"), LeadField.BY, tr("where")),
        asked=lambda asked, shown: tr("%s by %s") % (shown(asked.of), shown(asked.by)),
        found=lambda row: _sized(tr("%s × %s cells"), row),
    ),
    COMPARE: StatisticWords(
        lead=_compare_lead,
        asked=lambda asked, shown: (
            tr("%s by %s") % (compared_words(asked, shown), shown(asked.by))
        ),
        found=lambda row: _sized(tr("%s groups"), row),
    ),
    REGRESSION: StatisticWords(
        lead=lambda _: (tr("where", "a condition follows"),),
        asked=lambda *_: tr("regression"),
        found=lambda row: _sized(tr("%s coefficients"), row),
        whom=_regression_whom,
        how=_regression_how,
        files=lambda: tr("CSV (*.csv);;LaTeX (*.tex);;Tab-separated (*.tsv)"),
        notice=_regression_notice,
    ),
    COMPLIANCE: StatisticWords(
        lead=lambda _: (),
        asked=lambda *_: tr("compliance"),
        found=_compliance_texts,
        whom=_compliance_whom,
        how=_compliance_how,
        files=lambda: tr("CSV (*.csv);;Tab-separated (*.tsv)"),
        notice=_compliance_notice,
    ),
    LIST: StatisticWords(
        lead=lambda _: (),
        asked=lambda *_: tr("list", "of items"),
        found=_list_texts,
        whom=_list_whom,
        how=_list_how,
        notice=_list_notice,
    ),
}  # fmt: skip


# What was asked so far


def past_question(answer: SurveyResult) -> PastQuestion:
    """The row of an answer for the list of what was asked."""
    row = PastQuestion.of_answer(answer)
    return dataclasses.replace(row, texts=words_of(row.question.statistic).found(row))


def past_cells(row: PastQuestion, shown: Naming = str) -> tuple[str, ...]:
    """A row of what was asked in the language of now."""
    asked = row.question
    words = words_of(asked.statistic)
    what = words.asked(asked, shown)
    if asked.by_arm:
        what = tr("%s, by arm") % what
    if asked.pooling == MEAN_OF_ARMS:
        what = tr("%s, mean of arms") % what
    # Where the sampling was taken into account, whom it is about says more than the method.
    is_sampled = row.sampling is not None or asked.target == RESPONDENTS
    how = target_word(asked.target) if is_sampled else words.how(asked)
    return (
        words.whom(asked, shown), what, *(words.found(row) if row.has_numbers else row.texts), how,
    )  # fmt: skip


def past_details(row: PastQuestion, shown: Naming = str) -> tuple[str, ...]:
    """Whom an earlier estimate was about, and what its interval included."""
    told = []
    if row.sampling is not None and row.question.target == POPULATION:
        told.append(
            ", ".join(translate(titled(one, shown)) for one in describe_roles(row.sampling))
        )
    if row.question.arms:
        told.append(tr("only the arms %s") % ", ".join(row.question.arms))
    contents = row.interval_contents
    return (*told, *([] if contents is None else [translate(contents)]))
