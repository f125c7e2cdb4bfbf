"""What the window says of every statistic: its question, its rows in the history, its files."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.history import PastQuestion, Texts
from ppworkbench.analyses.survey.questions import Question, statistics
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
from ppworkbench.gui.widgets.card import EmptyReason

# Before the condition


def lead_of(statistic: str, *, has_values: bool) -> tuple[str, ...]:
    """Words before the condition, and fields among them: ``{of}``, ``{by}``, …

    ``has_values`` tells whether the attribute has values, whose shares are compared.
    """
    leads: Mapping[str, Callable[[], str]] = {
        "count": lambda: tr("Share with"),
        "mean": lambda: tr("Mean of {of} where"),
        "ratio": lambda: tr("Ratio of {of} to {by} where"),
        "quantile": lambda: tr("Quantiles of {of} at {at} % where"),
        "distribution": lambda: tr("Distribution of {of} where"),
        "crosstab": lambda: tr("Table of {of} by {by} where"),
        "compare": lambda: (
            tr("Compare the share with {of} is {value} by {by} {reference} where")
            if has_values
            else tr("Compare the mean of {of} by {by} {reference} where")
        ),
        "regression": lambda: tr("where", "a condition follows"),
        "compliance": str,
        "list": str,
    }
    if statistic in leads:
        lead = leads[statistic]()
    else:
        kind = statistics[statistic]
        fields = [f"{{{one}}}" for one in _FIELDS if one in kind.takes]
        lead = " ".join([translate(kind.short), *fields, tr("where")])
    return tuple(part.strip() for part in re.split(r"(\{\w+\})", lead) if part.strip())


_FIELDS = ("of", "by", "at", "value", "reference")


# Rows of the history


def _asked(asked: Question, shown: Naming) -> str:
    """What was asked, in the words of the list."""
    of, by = shown(asked.of), shown(asked.by)
    words = {
        "count": lambda: tr("count"),
        "mean": lambda: tr("mean of %s") % of,
        "ratio": lambda: tr("ratio of %s to %s") % (of, by),
        "quantile": lambda: quantile_word(asked.at[len(asked.at) // 2], of),
        "distribution": lambda: tr("distribution of %s") % of,
        "crosstab": lambda: tr("%s by %s") % (of, by),
        "compare": lambda: tr("%s by %s") % (compared_words(asked, shown), by),
        "regression": lambda: tr("regression"),
        "compliance": lambda: tr("compliance"),
        "list": lambda: tr("list", "of items"),
    }
    return words.get(asked.statistic, lambda: translate(asked.kind.short))()


def _found(row: PastQuestion) -> Texts:
    """Estimate, interval, face value and truth; only the size of a large answer is told."""
    told = {"list": _list_texts, "compliance": _compliance_texts}
    sizes = {
        "distribution": lambda: tr("%s values"),
        "crosstab": lambda: tr("%s × %s cells"),
        "compare": lambda: tr("%s groups"),
        "regression": lambda: tr("%s coefficients"),
    }
    name = row.question.statistic
    if name in sizes:
        return sizes[name]() % tuple(_shown(row)), "", "", ""
    return told.get(name, _estimate_texts)(row)


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


def _whom(asked: Question, shown: Naming) -> str:
    """Of whom, or what is explained by what; that has no room in the other column."""
    condition = condition_words(asked.condition, shown)
    if asked.compliance is not None:
        return shown(asked.compliance.attribute)
    if asked.inquiry is not None:
        said, terms = shown(asked.inquiry.attribute), [*map(shown, asked.inquiry.predictors)]
    elif asked.model is not None:
        formula = asked.model.formula
        said = "".join(words for words, _ in outcome_phrase(formula, shown))
        names = {str(Variable(name)): shown(name) for name in formula.predictors}
        terms = [names.get(str(term), str(term)) for term in formula.terms]
    else:
        return condition
    if terms:
        said = tr("%s explained by %s") % (said, ", ".join(terms))
    return tr("%s, where %s") % (said, condition) if asked.condition.tests else said


def _how(asked: Question) -> str:
    if asked.model is not None:
        return fit_method_word(asked.model.options.method)
    if asked.inquiry is not None:
        return list_method_word(asked.inquiry.way)
    return "" if asked.compliance is not None else method_name(asked.method)


# While there is no answer


def notice_of(asked: Question, is_coming: bool) -> EmptyReason | None:
    """What to say meanwhile; None where a condition is to be added first.

    Answers are promised only while they are on their way.
    """
    notices = {
        "model": lambda: EmptyReason(
            tr("No regression yet"),
            tr("The coefficients appear as soon as the model is fitted.")
            if is_coming
            else tr("The model has not been fitted."),
            tr("Fit the model"),
        ),
        "inquiry": lambda: EmptyReason(
            tr("No estimate yet"),
            tr("It appears as soon as the list is estimated.")
            if is_coming
            else tr("The list has not been estimated."),
            tr("Estimate the list"),
        ),
        "compliance": lambda: EmptyReason(
            tr("No estimate of compliance yet"),
            tr("It appears as soon as the question is asked."),
        ),
    }
    make = notices.get(asked.kind.own_question)
    return None if make is None else make()


# What was asked so far


def past_question(answer: SurveyResult) -> PastQuestion:
    row = PastQuestion.of_answer(answer)
    return dataclasses.replace(row, texts=_found(row))


def past_cells(row: PastQuestion, shown: Naming = str) -> tuple[str, ...]:
    asked = row.question
    what = _asked(asked, shown)
    if asked.by_arm:
        what = tr("%s, by arm") % what
    if asked.pooling == MEAN_OF_ARMS:
        what = tr("%s, mean of arms") % what
    # Where the sampling was taken into account, whom it is about says more than the method.
    is_sampled = row.sampling is not None or asked.target == RESPONDENTS
    how = target_word(asked.target) if is_sampled else _how(asked)
    return (
        _whom(asked, shown), what, *(_found(row) if row.has_numbers else row.texts), how,
    )  # fmt: skip


def past_details(row: PastQuestion, shown: Naming = str) -> tuple[str, ...]:
    told = []
    if row.sampling is not None and row.question.target == POPULATION:
        told.append(
            ", ".join(translate(titled(one, shown)) for one in describe_roles(row.sampling))
        )
    if row.question.arms:
        told.append(tr("only the arms %s") % ", ".join(row.question.arms))
    contents = row.interval_contents
    return (*told, *([] if contents is None else [translate(contents)]))
