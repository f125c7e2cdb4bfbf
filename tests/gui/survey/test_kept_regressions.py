"""Regressions on the Survey page: fitted again, kept, brought back and written."""

from __future__ import annotations

import json

import pytest
from asking import ask, asked_questions, make_page, past_rows, settle
from explaining import chips, explain, formula, plain_study
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton
from window_hands import press_segment

from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.questions import REGRESSION, Question
from ppworkbench.core.design import Uniform
from ppworkbench.core.models import parse_formula
from ppworkbench.study.files.study_file import open_study, save_study


@pytest.fixture
def page(qtbot, workbench):
    return make_page(qtbot, workbench, plain_study())


@pytest.mark.slow
def test_that_undo_of_the_design_is_fitted_again(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    before = page.results.regression.coefficients.table.texts()[1]
    page.store.set_perturbation(["vote"], Uniform(keep=0.7))
    settle(qtbot, page)
    assert page.results.regression.coefficients.table.texts()[1] != before
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert page.results.regression.coefficients.table.texts()[1] == before


@pytest.mark.slow
def test_that_a_study_keeps_its_regressions(qtbot, workbench, page, tmp_path):
    explain(qtbot, page, "vote=yes ~ town + log(age)", "pay > 20", variance="robust")
    asked = page.answer.question
    path = tmp_path / "kept.ppw"
    save_study(page.store.study, path)
    page.store.open(open_study(path))
    settle(qtbot, page)
    assert asked in asked_questions(page)
    assert past_rows(page)[0][:3] == [
        "vote is yes explained by town, log(age), where pay above 20", "regression",
        "5 coefficients",
    ]  # fmt: skip
    page.bring_back(asked)
    settle(qtbot, page)
    assert chips(page) == ["town", "log(age)"]
    assert page.answer.result.variance == "robust"
    json.dumps(page.store.study.results["survey"])


def test_that_a_kept_regression_names_the_attribute_that_is_gone(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    gone = Regress(formula=parse_formula("vote=yes ~ village"))
    page.bring_back(page.answer.question.with_(model=gone))
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ village"
    said = page.findChild(QLabel, "conditionProblem")
    assert said.isVisible()
    assert "village" in said.text()


@pytest.mark.slow
def test_that_conditions_set_aside_stay_with_their_question(qtbot, page):
    ask(qtbot, page, "vote = yes")
    press_segment(qtbot, page.card.statistic, REGRESSION)
    settle(qtbot, page)
    other = Question(REGRESSION, model=page.model.question.model)
    page.bring_back(other)
    press_segment(qtbot, page.card.statistic, "count")
    assert page.model.question.condition.tests == ()
    ask(qtbot, page, "vote = yes")
    press_segment(qtbot, page.card.statistic, REGRESSION)
    page.store.open(plain_study(vote=Uniform(keep=0.8)))
    page.model.set(other)
    press_segment(qtbot, page.card.statistic, "count")
    assert page.model.question.condition.tests == ()
    settle(qtbot, page)


@pytest.mark.slow
def test_that_the_history_folds_to_its_heading_and_back(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    assert not page.asked.table.isVisible()
    button = page.findChild(QPushButton, "foldHistory")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert page.asked.table.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not page.asked.table.isVisible()
    press_segment(qtbot, page.card.statistic, "mean")
    settle(qtbot, page)
    assert page.asked.table.isVisible()
    assert not button.isVisible()
    assert page.findChild(QLineEdit, "conditionText").isVisible()
    assert not page.card.model_bar.isVisible()


def test_that_the_result_is_copied_and_written(qtbot, page, dialogs, tmp_path):
    explain(qtbot, page, "vote=yes ~ town", "pay > 20")
    page.copy()
    copied = QApplication.clipboard().text()
    assert "odds ratio" in copied
    assert "Beech" in copied
    assert page.command_action.isVisible()
    page.copy_command()
    command = QApplication.clipboard().text()
    assert command.startswith("ppworkbench regress ")
    assert "--formula 'vote=yes ~ town'" in command
    assert "--where 'pay > 20'" in command
    page.copy_methods()
    assert "logistic" in QApplication.clipboard().text()
    for name, words in (("t.csv", "odds_ratio"), ("t.tex", r"\begin{tabular}")):
        page.export_action.trigger()
        dialogs.choose(tmp_path / name)
        settle(qtbot, page)
        assert words in (tmp_path / name).read_text(encoding="utf-8")
