"""Regressions in the words and numbers of the window."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ppworkbench.core.data.sampling_roles import BOOTSTRAP
from ppworkbench.core.message import Message
from ppworkbench.core.models import Coefficient, Regression
from ppworkbench.core.models.coding import INTERCEPT
from ppworkbench.core.models.families import LINEAR, LOGISTIC, MULTINOMIAL, POISSON
from ppworkbench.core.models.formula import Formula, Term, Variable
from ppworkbench.core.models.regress import MODEL, ROBUST, SEPARATED
from ppworkbench.core.models.results import LIKELIHOOD_RATIO, Test
from ppworkbench.core.survey.answers import LEFT_OUT
from ppworkbench.gui.charts.intervals import Mark
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, significant
from ppworkbench.gui.pages.survey.interval_cards import p_text
from ppworkbench.study.analyses.regression_answers import JudgedFit, randomised
from ppworkbench.study.analyses.survey import SurveyResult
from ppworkbench.study.study import Study

THRESHOLD = "threshold"
_DOUBT = 0.05
_LARGE, _HUGE = 100.0, 1000.0


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
    if found.model in (LOGISTIC, MULTINOMIAL):
        return tr("less likely"), tr("more likely")
    return tr("lower"), tr("higher")


def heading_words(answer: SurveyResult, found: Regression) -> str:
    """What the coefficients are about."""
    formula = found.formula
    if found.model == LOGISTIC:
        return tr("Odds ratios for “%s”") % outcome_value(answer.study, formula)
    shown = answer.study.shown(formula.outcome)
    if found.model == MULTINOMIAL:
        base = answer.study.design[formula.outcome].attribute.values[0]
        return tr("Odds ratios for %s, against “%s”") % (shown, base)
    return (tr("Odds ratios for %s") if has_odds(found) else tr("Effects on %s")) % shown


def outcome_value(study: Study, formula: Formula) -> str:
    """The answer whose share is explained."""
    values = study.design[formula.outcome].attribute.values
    return formula.value or next(iter(values[1:2]), "")


def respondents_words(found: Regression) -> str:
    """How many respondents were used."""
    if not found.left_out:
        return tr("%s respondents") % number(found.n)
    return tr("%s of %s respondents") % (number(found.n), number(found.n + found.left_out))


def coefficient_rows(answer: SurveyResult, found: Regression) -> tuple[CoefficientRow, ...]:
    """All coefficients but constants and thresholds."""
    return tuple(_row(one, answer, found) for one in found.terms if _is_slope(one))


def _is_slope(one: Coefficient) -> bool:
    return one.term not in (INTERCEPT, THRESHOLD)


def _row(one: Coefficient, answer: SurveyResult, found: Regression) -> CoefficientRow:
    study, formula = answer.study, found.formula
    term = next((t for t in formula.terms if t.label == one.term), None)
    names = () if term is None else tuple(variable.name for variable in term.variables)
    hidden = bool(randomised(names, study.design))
    title = _title(one, term, study)
    notes = [_compared(one, term, formula, study)]
    if hidden:
        notes.append(tr("randomised too"))
    caption = ", ".join(note for note in notes if note)
    short = title, caption
    if one.level and title.endswith(f": {one.level}"):
        short = one.level, ", ".join((title[: -len(one.level) - 2], caption))
    if one.outcome:
        # Each answer but the first has its own coefficients.
        title, short = f"{one.outcome}: {title}", (f"{one.outcome}: {short[0]}", short[1])
    write = ratio_text if one.odds_ratio is not None else effect_text
    cells = [write(_middle(one)), _interval(one), write(_naive(one))]
    if one.odds_ratio is not None:
        cells.append(effect_text(one.estimate))
    cells += [effect_text(one.standard_error), p_text(one.p)]
    return CoefficientRow(
        title, caption, short, hidden, _marks(one), tuple(cells), _tip(title, caption, one, write)
    )


def _title(one: Coefficient, term: Term | None, study: Study) -> str:
    if term is None or len(term.variables) != 1:
        return f"{one.term} [{one.level}]" if one.level else one.term
    (variable,) = term.variables
    plain = variable.function == "" and variable.power == 1
    name = study.shown(variable.name) if plain else one.term
    return f"{name}: {one.level}" if one.level else name


def _compared(one: Coefficient, term: Term | None, formula: Formula, study: Study) -> str:
    """What a coefficient compares."""
    if term is None or len(term.variables) != 1:
        return ""
    (variable,) = term.variables
    attribute = study.design[variable.name].attribute
    if one.level:
        if not formula.intercept:
            return ""
        return tr("against %s") % (variable.reference or attribute.values[0])
    if variable.function or variable.power != 1:
        return ""
    unit = study.unit(variable.name)
    return tr("per unit, in %s") % unit if unit else tr("per unit")


def _middle(one: Coefficient) -> float:
    return one.estimate if one.odds_ratio is None else one.odds_ratio.estimate


def _naive(one: Coefficient) -> float | None:
    return _as_told(one, one.naive)


def _as_told(one: Coefficient, value: float | None) -> float | None:
    """Another coefficient on the scale of this one."""
    if value is None or one.odds_ratio is None:
        return value
    return math.exp(value) if value < 700 else math.inf


def _ends(one: Coefficient) -> tuple[float, float]:
    return (one.low, one.high) if one.odds_ratio is None else (
        one.odds_ratio.low, one.odds_ratio.high,
    )  # fmt: skip


def _interval(one: Coefficient) -> str:
    low, high = _ends(one)
    if not (math.isfinite(low) and math.isfinite(high)):
        return "–"
    write = ratio_text if one.odds_ratio is not None else effect_text
    return tr("%s to %s") % (write(low), write(high))


def _marks(one: Coefficient) -> tuple[Mark, ...]:
    marks = [Mark("reconstructed", tr("estimate"), _middle(one), *_ends(one))]
    naive, true = _naive(one), _as_told(one, one.true)
    if naive is not None:
        marks.insert(0, Mark("distorted", tr("uncorrected"), naive))
    if true is not None:
        marks.append(Mark("original", tr("true"), true))
    return tuple(marks)


def _tip(title: str, caption: str, one: Coefficient, write: Callable[[float | None], str]) -> str:
    said = [f"{title} ({caption})" if caption else title]
    said.append(tr("Estimate %s, %s") % (write(_middle(one)), _interval(one)))
    naive, true = _naive(one), _as_told(one, one.true)
    if naive is not None:
        said.append(tr("Uncorrected %s") % write(naive))
    if true is not None:
        said.append(tr("True %s") % write(true))
    return "\n".join(said)


def ratio_text(value: float | None) -> str:
    """An odds ratio."""
    if value is None or not math.isfinite(value):
        return "–"
    if value >= _HUGE:
        return f"> {number(_HUGE)}"
    if 0 < value < 1 / _HUGE:
        return f"< {number(1 / _HUGE, 3)}"
    if value >= _LARGE or 0 < value < 0.01:
        return significant(value, 2)
    return number(value, 2)


def effect_text(value: float | None) -> str:
    """A coefficient or its error."""
    if value is None or not math.isfinite(value):
        return "–"
    if value and (abs(value) < 0.1 or abs(value) >= _LARGE):
        return significant(value, 2 if abs(value) < 0.1 else 4)
    return number(value, 2)


def constant_words(found: Regression) -> str:
    """What is estimated where all predictors are at their reference."""
    constants = [one for one in found.terms if one.term == INTERCEPT]
    thresholds = [one for one in found.terms if one.term == THRESHOLD]
    if len(constants) == 1:
        (one,) = constants
        said = effect_text(one.estimate), effect_text(one.standard_error)
        return tr("Constant %s, SE %s") % said
    if constants:
        told = (f"{one.outcome} {effect_text(one.estimate)}" for one in constants)
        return tr("Constants: %s") % "; ".join(told)
    told = (f"{one.level} {effect_text(one.estimate)}" for one in thresholds)
    return tr("Thresholds: %s") % "; ".join(told) if thresholds else tr("No constant")


def no_difference_words(found: Regression) -> str:
    """How to read an interval."""
    if has_odds(found):
        return tr("an interval that crosses 1 shows no difference")
    return tr("an interval that crosses 0 shows no difference")


# Predictions


def prediction_title(answer: SurveyResult, found: Regression, outcome: str) -> str:
    """What is predicted."""
    if found.model in (LINEAR, POISSON):
        return tr("Predicted mean of %s") % answer.study.shown(found.formula.outcome)
    return tr("Predicted share of “%s”") % (outcome or outcome_value(answer.study, found.formula))


# Tests


def test_rows(answer: SurveyResult, found: Regression) -> tuple[tuple[str, str], ...]:
    """What is tested, and what came of it."""
    every = {one.term for one in found.terms if _is_slope(one)}
    rows = [
        (_tested(one, every, answer, found.formula), _tested_words(one))
        for one in reversed(found.tests)
    ]
    if not rows:
        for one, row in zip(filter(_is_slope, found.terms), coefficient_rows(answer, found),
                            strict=True):  # fmt: skip
            letter = "z" if math.isinf(one.degrees_of_freedom) else "t"
            said = f"{letter} = {number(one.statistic, 2)}, {_p_words(one.p)}"
            if one.degrees_of_freedom <= 0:
                said = tr("too few clusters for standard errors")
            rows.append((row.title, said))
    device = found.device
    if device is not None:
        # That a parameter is 1 is what the device assumes otherwise.
        what = tr("%s, estimated “%s”") % (answer.study.shown(device.attribute), device.parameter)
        ends = effect_text(device.estimate), effect_text(device.low), effect_text(device.high)
        rows.append((what, f"{tr('%s (%s to %s)') % ends}, {_p_words(device.p)}"))
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
    if not any(map(_is_slope, found.terms)):
        return tr("Without predictors there is only a constant.")
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
    rows: list[Check] = [(True, solved)]
    codes = {Message.of(remark).code for remark in answer.remarks}
    if SEPARATED not in codes and has_odds(found):
        rows.append((True, tr("no separation")))
    if found.smallest is not None:
        name, value, count = found.smallest
        where = f"{answer.study.shown(name)}: {value}"
        rows.append((count >= 10, tr("smallest group %s, %s respondents") % (where, number(count))))
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
    """Who is not in the regression."""
    if not found.left_out:
        return tr("No respondent is left out.")
    return tr("Left out for want of an answer: %s respondents.") % number(found.left_out)
