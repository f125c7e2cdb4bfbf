"""The Survey page as a tour shows it: questions, regressions, lists and compliance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppworkbench.analyses.compliance.model_choices import first_compliance
from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.questions import COMPLIANCE, LIST, REGRESSION, Question
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, Forced, Identity, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design import DesignedAttribute
from ppworkbench.core.models import parse_formula
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.gui.pages.survey import SurveyPage
from ppworkbench.gui.tour.design_stops import open_list
from ppworkbench.gui.tour.studies import Arrange, open_sample, page_named, with_study
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.study import Study


def survey_of(statistic: str, condition: str, **more: object) -> Arrange:
    """Ask the sample a question."""

    def arrange(window: MainWindow) -> None:
        window.show_page("survey")
        window.store.set_perturbations(
            {"fare_evasion": Uniform(keep=0.8), "district": Uniform(keep=0.7)}
        )
        _ask(window, statistic, condition, **more)

    return with_study(arrange)


def _ask(window: MainWindow, statistic: str, condition: str, **more: object) -> None:
    asked = Question(statistic, parse_condition(condition))
    page_named(window, SurveyPage).bring_back(asked.with_(**more))


def sampled_survey(statistic: str, condition: str, **more: object) -> Arrange:
    """Ask a question of people who were drawn with weights."""

    def arrange(window: MainWindow) -> None:
        open_sample(window, "survey")
        _ask(window, statistic, condition, **more)

    return arrange


_EXPLAINED = "fare_evasion=yes ~ age + sex + home + drug_use"


def _asked_model(formula: str) -> Question:
    return Question(REGRESSION, model=Regress(formula=parse_formula(formula)))


def show_regression(window: MainWindow) -> None:
    """Whom an answer goes together with; one predictor is randomised as well."""
    part = load_sample("city-survey")
    plain = dict.fromkeys(part.names, Identity())
    randomised = {"fare_evasion": Uniform(keep=0.8), "drug_use": Uniform(keep=0.8)}
    study = Study.of_table(part, "city-survey, explained")
    window.store.open(study.with_perturbations({**plain, **randomised}))
    window.show_page("survey")
    page_named(window, SurveyPage).bring_back(_asked_model(_EXPLAINED))


def show_list_answer(window: MainWindow) -> None:
    """Ask about a list."""
    open_list(window)
    window.show_page("survey")
    inquiry = ListItem(attribute="drug_use", predictors=("age", "sex"))
    page_named(window, SurveyPage).bring_back(Question(LIST, inquiry=inquiry))


def show_sampled_regression(window: MainWindow) -> None:
    """Ask a regression of people who were drawn with weights."""
    open_sample(window, "survey")
    page_named(window, SurveyPage).bring_back(_asked_model("fare_evasion=yes ~ education"))


_YES = {"A": 476, "B": 906}
"""Reports of "yes" by 2,500 people in each of two arms."""
_FORCED = {"A": (0.25 / 0.3, 0.05 / 0.3), "B": (0.05 / 0.3, 0.25 / 0.3)}


def _open_arms(window: MainWindow, arms: Sequence[str]) -> None:
    """Answers that came distorted, by people who were told to say yes more or less often."""
    rode = Attribute(
        "fare_evasion", Kind.BINARY, ("no", "yes"), title="Rode without a ticket",
        sensitive=("yes",),
    )  # fmt: skip
    devices = [(name, Forced(0.7, _FORCED[name])) for name in arms]
    members = tuple(
        DesignArm(name, 1 / len(arms), (("fare_evasion", device),)) for name, device in devices
    )
    design = Design((DesignedAttribute(rode, devices[0][1]),), arms=Arms("version", members))
    version = Attribute("version", Kind.NOMINAL, tuple(arms))
    codes = np.repeat(np.arange(len(arms)), 2_500)
    reports = np.concatenate([np.arange(2_500) < _YES[name] for name in arms]).astype(np.int64)
    table = Table((Column(rode, reports), Column(version, codes)))
    window.store.open(Study.of_distorted(table, design, "City survey"))
    window.show_page("survey")


def compliance_by(*arms: str) -> Arrange:
    """Ask who followed in a study with these arms."""

    def arrange(window: MainWindow) -> None:
        _open_arms(window, arms)
        page = page_named(window, SurveyPage)
        page.bring_back(Question(COMPLIANCE, compliance=first_compliance(window.store.study)))

    return arrange
