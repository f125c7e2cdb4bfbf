"""Studies that regressions explain, and asking for one on the Survey page."""

from __future__ import annotations

from asking import settle, small_table
from designs import classic_study

from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.questions import REGRESSION, Question
from ppworkbench.core.design import Identity, Uniform
from ppworkbench.core.models import RegressionOptions, parse_formula
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.study.study import Study


def plain_study(**randomised) -> Study:
    """The small table, of which only some columns are randomised."""
    table = small_table()
    study = classic_study(table, "plain")
    plain = dict.fromkeys(table.names, Identity())
    return study.with_perturbations({**plain, "vote": Uniform(keep=0.9), **randomised})


def explain(qtbot, page, formula, condition="", **options):
    """Ask for a regression and wait for it."""
    model = Regress(formula=parse_formula(formula), options=RegressionOptions(**options))
    page.model.set(Question(REGRESSION, parse_condition(condition), model=model))
    settle(qtbot, page)


def chips(page):
    return [chip.words for chip in page.card.model_bar.chips.terms]


def formula(page):
    return str(page.model.question.model.formula)
