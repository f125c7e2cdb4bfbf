"""Regressions in the words and numbers of the window."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ppworkbench.analyses.regression.answers import JudgedFit, randomised
from ppworkbench.analyses.regression.tables import (
    TermRow,
    device_numbers,
    explained_value,
    term_rows,
)
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.core.data.sampling_roles import BOOTSTRAP
from ppworkbench.core.message import Message
from ppworkbench.core.models import Coefficient, Regression
from ppworkbench.core.models.attention import ATTENTIVE
from ppworkbench.core.models.coding import THRESHOLD
from ppworkbench.core.models.formula import Formula, Term, Variable
from ppworkbench.core.models.regress import MODEL, ROBUST, SEPARATED
from ppworkbench.core.models.results import LIKELIHOOD_RATIO, Test, exponential
from ppworkbench.core.survey.answers import LEFT_OUT
from ppworkbench.core.survey.estimates import ROUGHLY_TESTED
from ppworkbench.gui.charts.intervals import Mark
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import MINUS, number, percent
from ppworkbench.gui.pages.survey.interval_cards import p_text
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.study.study import Study

_DOUBT = 0.05


@dataclass(frozen=True)
class CoefficientRow:
    """One line of the table and of the picture."""

    title: str
    caption: str
    short: tuple[str, str]
    """The same two where there is little room: the value above, its attribute below."""
    is_randomised: bool
    marks: tuple[Mark, ...]
    cells: tuple[str, ...]
    tip: str


def has_odds(found: Regression) -> bool:
    """Whether coefficients are told as odds ratios."""
    return any(one.odds_ratio is not None for one in found.terms)


def head_words(found: Regression) -> tuple[str, ...]:
    """What stands above the numbers."""
    interval = tr("%s interval") % percent(found.confidence)
    last = (tr("SE", "standard error"), tr("p", "probability"))
    if has_odds(found):
        return (tr("Odds ratio"), interval, tr("Uncorrected"), tr("B", "coefficient"), *last)
    return (tr("B", "coefficient"), interval, tr("Uncorrected"), *last)


def side_words(found: Regression) -> tuple[str, str]:
    """What the two sides of the picture mean."""
    if found.family.gives_shares and not found.family.has_thresholds:
        return tr("less likely"), tr("more likely")
    return tr("lower"), tr("higher")


def heading_words(answer: SurveyResult, found: Regression) -> str:
    """What the coefficients are about, and their unit where they have one."""
    study, name, family = answer.study, found.formula.outcome, found.family
    shown = study.shown(name)
    if family.gives_shares and not family.has_thresholds:
        if value := explained_value(found, study):
            return tr("Odds ratios for “%s”") % value
        base = study.design[name].attribute.values[0]
        return tr("Odds ratios for %s, against “%s”") % (shown, base)
    if family.takes_odds:
        return tr("Odds ratios for %s") % shown
    if family.takes_ratios:
        return tr("Effects on the logarithm of the mean of %s") % shown
    if unit := study.unit(name):
        return tr("Effects on %s, in %s") % (shown, unit)
    return tr("Effects on %s") % shown


def respondents_words(found: Regression) -> str:
    """How many respondents were used."""
    if found.left_out:
        return tr("%s of %s respondents") % (number(found.n), number(found.n + found.left_out))
    return tr("1 respondent") if found.n == 1 else tr("%s respondents") % number(found.n)


def coefficient_rows(answer: SurveyResult, found: Regression) -> tuple[CoefficientRow, ...]:
    """All coefficients but constants and thresholds."""
    return tuple(_row(one, answer, found) for one in _slopes(answer, found))


def _slopes(answer: SurveyResult, found: Regression) -> list[TermRow]:
    return [one for one in term_rows(found, answer.study) if not one.is_constant]


def _row(one: TermRow, answer: SurveyResult, found: Regression) -> CoefficientRow:
    study = answer.study
    term = next((term for term in found.formula.terms if term.label == one.column), None)
    names = () if term is None else tuple(variable.name for variable in term.variables)
    hidden = bool(randomised(names, study.design))
    name = translate(one.label)
    notes = [_compared(one, term, study)]
    if one.coefficient.people is not None:
        notes.append(tr("n = %s") % number(one.coefficient.people))
    if hidden:
        notes.append(tr("randomised too"))
    caption = ", ".join(note for note in notes if note)
    title, short = name, (name, caption)
    if one.level:
        title = f"{name}: {one.level}"
        short = one.level, ", ".join(words for words in (name, caption) if words)
    if one.outcome:
        # Each answer but the first has its own coefficients.
        title, short = f"{one.outcome}: {title}", (f"{one.outcome}: {short[0]}", short[1])
    cells = [one.estimate, one.interval, one.uncorrected, one.standard_error, one.p]
    if one.coefficient.odds_ratio is not None:
        cells[:3] = [one.odds_ratio, one.odds_interval, one.uncorrected_odds, one.estimate]
    return CoefficientRow(
        title, caption, short, hidden, _marks(one.coefficient), tuple(map(_told, cells)),
        _tip(title, caption, one),
    )  # fmt: skip


def _told(rounded: Message) -> str:
    """A rounded number in the language of the window, with a true minus sign."""
    return translate(rounded).replace("-", MINUS)


def _compared(one: TermRow, term: Term | None, study: Study) -> str:
    """What a coefficient compares."""
    if one.reference:
        return tr("against %s") % one.reference
    if one.level or term is None or len(term.variables) != 1:
        return ""
    (variable,) = term.variables
    if variable.function or variable.power != 1:
        return ""
    unit = study.unit(variable.name)
    return tr("per unit, in %s") % unit if unit else tr("per unit")


def _as_told(one: Coefficient, value: float | None) -> float | None:
    """Another coefficient on the scale of this one."""
    return value if value is None or one.odds_ratio is None else exponential(value)


def _marks(one: Coefficient) -> tuple[Mark, ...]:
    drawn = one if one.odds_ratio is None else one.odds_ratio
    marks = [Mark("reconstructed", tr("estimate"), drawn.estimate, drawn.low, drawn.high)]
    naive, true = _as_told(one, one.naive), _as_told(one, one.true)
    if naive is not None:
        marks.insert(0, Mark("distorted", tr("uncorrected"), naive))
    if true is not None:
        marks.append(Mark("original", marked_invented(tr("true")), true))
    return tuple(marks)


def _tip(title: str, caption: str, one: TermRow) -> str:
    estimate, interval, naive, true = one.estimate, one.interval, one.uncorrected, one.true
    if one.coefficient.odds_ratio is not None:
        estimate, interval = one.odds_ratio, one.odds_interval
        naive, true = one.uncorrected_odds, one.true_odds
    said = [f"{title} ({caption})" if caption else title]
    said.append(tr("Estimate %s, %s") % (_told(estimate), _told(interval)))
    if one.coefficient.naive is not None:
        said.append(tr("Uncorrected %s") % _told(naive))
    if one.coefficient.true is not None:
        said.append(tr("True %s") % _told(true))
    return "\n".join(said)


def constant_words(answer: SurveyResult, found: Regression) -> str:
    """What is estimated where all predictors are at their reference."""
    rows = [one for one in term_rows(found, answer.study) if one.is_constant]
    thresholds = [one for one in rows if one.column == THRESHOLD]
    if thresholds:
        told = (f"{one.level} {_told(one.estimate)}" for one in thresholds)
        return tr("Thresholds: %s") % "; ".join(told)
    if len(rows) > 1:
        told = (f"{one.outcome} {_told(one.estimate)}" for one in rows)
        return tr("Constants: %s") % "; ".join(told)
    if not rows:
        return tr("No constant")
    (one,) = rows
    if not one.has_error:
        return tr("Constant %s") % _told(one.estimate)
    return tr("Constant %s, SE %s") % (_told(one.estimate), _told(one.standard_error))


def no_difference_words(found: Regression) -> str:
    """How to read an interval."""
    if has_odds(found):
        return tr("an interval that crosses 1 shows no difference")
    return tr("an interval that crosses 0 shows no difference")


# Predictions


def prediction_title(answer: SurveyResult, found: Regression, outcome: str) -> str:
    if not found.family.gives_shares:
        return tr("Predicted mean of %s") % answer.study.shown(found.formula.outcome)
    return tr("Predicted share of “%s”") % (outcome or explained_value(found, answer.study))


# Tests


def test_rows(answer: SurveyResult, found: Regression) -> tuple[tuple[str, str], ...]:
    """What is tested, and what came of it."""
    slopes = _slopes(answer, found)
    every = {one.column for one in slopes}
    rows = [
        (_tested(one, every, answer, found.formula), _tested_words(one))
        for one in reversed(found.tests)
    ]
    if not rows:
        for slope, row in zip(slopes, coefficient_rows(answer, found), strict=True):
            one = slope.coefficient
            letter = "z" if math.isinf(one.degrees_of_freedom) else "t"
            said = f"{letter} = {number(one.statistic, 2)}, {_p_words(one.p)}"
            if not slope.has_error:
                said = tr("too few clusters for standard errors")
            rows.append((row.title, said))
    device = found.device
    if device is not None:
        # That a parameter is 1 is what the device assumes otherwise.
        shown = answer.study.shown(device.attribute)
        what = tr("%s, estimated “%s”") % (shown, device.parameter)
        if device.parameter == ATTENTIVE:
            what = tr("%s, share of attentive people") % shown
        told = tuple(map(_told, device_numbers(device)))
        rows.append((what, f"{tr('%s (%s)') % told}, {_p_words(device.p)}"))
    return tuple(rows)


def _tested(one: Test, every: set[str], answer: SurveyResult, formula: Formula) -> str:
    what = tr("All predictors")
    if set(one.terms) != every or len(every) == 1:
        shown = answer.study.shown
        names = {str(Variable(name)): shown(name) for name in formula.predictors}
        what = " + ".join(names.get(term, term) for term in one.terms)
    if one.kind == LIKELIHOOD_RATIO:
        return tr("%s, likelihood ratio") % what
    return tr("%s, Wald") % what


def _tested_words(one: Test) -> str:
    if one.denominator <= 0:
        return tr("too few clusters for standard errors")
    if math.isinf(one.denominator):
        said = tr("χ² = %s on %s") % (number(one.statistic, 1), number(one.df))
    else:
        said = tr("F = %s on %s and %s") % (
            number(one.statistic, 2), number(one.df), number(one.denominator),
        )  # fmt: skip
    return f"{said}, {_p_words(one.p)}"


def _p_words(p: float) -> str:
    said = p_text(p)
    return f"p {said}" if said.startswith("<") else f"p = {said}"


def tests_note(found: Regression) -> str:
    """What the tests are good for."""
    if not found.formula.terms:
        return tr("Without predictors there is only a constant.")
    if any(one.degrees_of_freedom <= 0 for one in found.terms):
        return tr("Without standard errors nothing can be tested.")
    if any(one.kind == LIKELIHOOD_RATIO for one in found.tests):
        return tr("A small p is evidence against a model without these predictors.")
    if any(not math.isinf(one.denominator) for one in found.tests):
        return tr("The tests take the sampling into account.")
    return tr("A small p is evidence of an effect.")


# Standard errors


def error_words(answer: SurveyResult, found: Regression) -> str:
    """Where the standard errors come from, and what they include."""
    degrees = next((one.degrees_of_freedom for one in found.terms), math.inf)
    if found.variance == MODEL:
        first = tr("From the curvature of the likelihood: right if the model is right.")
    elif found.variance == ROBUST:
        first = tr("Sandwich errors: they hold also where the model is only roughly right.")
    elif found.variance == BOOTSTRAP:
        first = tr("From samples drawn again from the respondents.")
    else:
        first = tr("From the sampling: weights, strata and clusters count.")
        if math.isfinite(degrees) and degrees > 0:
            first = f"{first} {tr('t with %s degrees of freedom.') % number(degrees)}"
    if degrees <= 0:
        return f"{first} {tr('Too few clusters for standard errors.')}"
    return f"{first} {_included(answer, found)}".strip()


def _included(answer: SurveyResult, found: Regression) -> str:
    formula, design = found.formula, answer.study.design
    outcome = bool(randomised((formula.outcome,), design))
    predictors = len(randomised(formula.predictors, design))
    if outcome and predictors:
        return tr("They include the randomising of the outcome and of predictors.")
    if outcome:
        return tr("They include the randomising of the outcome.")
    if predictors:
        return tr("They include the randomising of predictors.")
    return tr("Nothing here is randomised.")


# Checks

Check = tuple[bool, str]
"""Whether it is in order, and what was found."""


def check_rows(
    answer: SurveyResult, found: Regression, judged: JudgedFit | None
) -> tuple[Check, ...]:
    """What was checked, the doubts last."""
    solved = tr("solved without iterations")
    if found.iterations:
        solved = tr("%s iterations, converged") % number(found.iterations)
    is_separated = any(Message.of(remark).code == SEPARATED for remark in answer.remarks)
    rows: list[Check] = [(not is_separated, solved)]
    if not is_separated and has_odds(found):
        rows.append((True, tr("no separation")))
    if found.smallest is not None:
        name, value, count = found.smallest
        where = f"{answer.study.shown(name)}: {value}"
        said = tr("smallest group %s, %s respondents") % (where, number(count))
        if count == 1:
            said = tr("smallest group %s, 1 respondent") % where
        rows.append((count >= ROUGHLY_TESTED, said))
    if judged is not None and judged.test is not None:
        p = judged.test.p
        rows.append((p >= _DOUBT, tr("fit by tenths of predicted share: %s") % _p_words(p)))
    if judged is not None and judged.refusal:
        rows.append((False, translate(judged.refusal)))
    # Who is left out is told below.
    doubts = [one for one in answer.remarks if Message.of(one).code != LEFT_OUT]
    rows += [(False, translate(remark)) for remark in doubts]
    return tuple(rows)


def left_out_words(found: Regression) -> str:
    if not found.left_out:
        return tr("No respondent is left out.")
    if found.left_out == 1:
        return tr("Left out for want of an answer: 1 respondent.")
    return tr("Left out for want of an answer: %s respondents.") % number(found.left_out)
