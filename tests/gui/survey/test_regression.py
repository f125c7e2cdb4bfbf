"""Regressions on the Survey page: asked, changed, shown and kept."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from asking import PEOPLE, make_page, settle, small_study, small_table
from designs import classic_study
from explaining import chips, explain, formula, plain_study
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QListView, QPushButton
from sampled_answers import twelve_answers
from window_hands import has_ink, press_segment, waiting_jobs

from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.questions import REGRESSION
from ppworkbench.analyses.survey.regressions import first_model, judge_fit
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Identity, Uniform
from ppworkbench.core.models import parse_formula, regress
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.survey.answer_cards import SurveyView
from ppworkbench.gui.pages.survey.beside import Beside
from ppworkbench.results.picture import Role
from ppworkbench.study.study import Study


@pytest.fixture
def page(qtbot, workbench):
    return make_page(qtbot, workbench, plain_study())


def choose(box, words):
    """Take an entry of a list with the keyboard."""
    place = box.findText(words)
    assert place >= 0, [box.itemText(i) for i in range(box.count())]
    box.showPopup()
    view = box.view()
    QTest.keyClick(view, Qt.Key.Key_Home)
    for _ in range(box.count()):
        if view.currentIndex().row() != place:
            QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Return)


def has_mask(chip, workbench):
    """Whether a chip has the mask of randomised answers."""
    return has_ink(chip, workbench.themes.theme.colour("warningText"))


def told(page, study=None):
    """The same regression without the page."""
    study, model = study or page.store.study, page.model.question.model
    return regress(
        page.workbench.answers.of(study).distorted, study.design, model.formula, model.options,
        sampling=study.sampling,
    )  # fmt: skip


def type_formula(qtbot, page, words):
    bar = page.card.model_bar
    if not bar.is_formula:
        qtbot.mouseClick(bar.switch, Qt.MouseButton.LeftButton)
    field = page.findChild(QLineEdit, "modelFormula")
    assert field.isVisible()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, words)
    return field


@pytest.mark.slow
def test_that_the_segment_asks_for_the_marked_answer(qtbot, workbench):
    table = small_table()
    marked = tuple(
        Column(column.attribute.with_(sensitive=("no",)), column.data)
        if column.attribute.name == "vote"
        else column
        for column in table.columns
    )
    study = classic_study(Table(marked), "marked")
    study = study.with_perturbations(dict.fromkeys(("town", "mood", "age", "pay"), Identity()))
    page = make_page(qtbot, workbench, study)
    press_segment(qtbot, page.card.statistic, REGRESSION)
    settle(qtbot, page)
    assert page.card.model_bar.outcome.words == "vote is no"
    assert has_mask(page.card.model_bar.outcome, workbench)
    assert chips(page) == ["town", "mood", "age"]
    assert not any(has_mask(chip, workbench) for chip in page.card.model_bar.chips.terms)
    assert page.results.regression.isVisible()
    assert page.results.regression.forest.title_label.words() == (
        "Odds ratios of vote=no ~ town + mood + age"
    )
    # What is randomised is no condition of a regression; it comes back with other statistics.
    assert page.model.question.condition.tests == ()
    press_segment(qtbot, page.card.statistic, "count")
    assert str(page.model.question.condition) == "vote = no"


def test_that_table_and_forest_show_the_numbers_of_the_core(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town + age")
    found, view = told(page), page.results.regression
    sheet = view.coefficients.table.sheet
    assert sheet["label"].values == [one.label for one in found.terms]
    assert sheet["estimate"].values == [one.estimate for one in found.terms]
    assert sheet["people"].values == [one.people for one in found.terms]
    heads, _, beech, *_ = view.coefficients.table.texts()
    assert heads == [
        "term", "reference", "estimate", "standard error", "p", "uncorrected", "people",
        "odds ratio", "true",
    ]  # fmt: skip
    assert beech[:2] == ["town[Beech]", "Ash"]
    picture = view.forest.chart.picture
    assert picture.y.labels[0] == "town: Beech (reference: Ash)"
    marks = {mark.role: mark for mark in picture.marks}
    slopes = [one for one in found.terms if one.term != "(intercept)"]
    assert marks[Role.ESTIMATE].low[0] == pytest.approx(slopes[0].odds_ratio.low)
    assert marks[Role.REPORTED].x[0] == pytest.approx(np.exp(slopes[0].naive))
    assert Role.TRUE in marks
    tests = [row[:2] for row in view.tests.table.texts()[1:]]
    assert tests == [["town", "wald"], ["town + age", "wald"], ["town + age", "lr"]]
    line = page.findChild(QLabel, "intervalContents")
    assert line.isVisible()
    assert line.words().startswith("The interval includes: the randomness of the device")


@pytest.mark.slow
def test_that_predictions_follow_the_chosen_predictor(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town + age")
    card = page.results.regression.prediction
    assert card.chart.picture.y.labels == ("Ash", "Beech", "Cedar", "Old Oak")
    before = page.answer
    choose(page.findChild(QComboBox, "predictionBy"), "by age")
    settle(qtbot, page)
    assert page.answer is before
    assert card.chart.isVisible()
    line = card.chart.picture.marks[0]
    assert (line.x[0], line.x[-1]) == (18, 60)
    study, model = page.store.study, page.model.question.model
    found = regress(
        page.workbench.answers.of(study).distorted, study.design, model.formula,
        predict=[{"age": "18"}, {"age": "60"}],
    )  # fmt: skip
    assert line.y[0] == pytest.approx(found.predictions[0].estimate)
    assert line.high[-1] == pytest.approx(found.predictions[1].high)
    # The choice stays while the formula has the predictor.
    explain(qtbot, page, "vote=yes ~ age + mood")
    assert card.by.currentText() == "by age"
    assert page.findChild(QComboBox, "predictionBy").count() == 2


@pytest.mark.slow
def test_that_chips_are_removed_and_added_by_mouse_and_keyboard(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town + age")
    bar = page.card.model_bar
    chip = bar.chips.terms[0]
    qtbot.mouseClick(
        chip, Qt.MouseButton.LeftButton, pos=QPoint(chip.width() - 14, chip.height() // 2)
    )
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ age"
    qtbot.mouseClick(bar.chips.add_button, Qt.MouseButton.LeftButton)
    picker = bar.findChild(object, "predictorPicker")
    assert picker.isVisible()
    field = picker.findChild(QLineEdit, "predictorFilter")
    qtbot.keyClicks(field, "moo")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ age + mood"
    assert not picker.isVisible()
    page.activateWindow()
    bar.outcome.setFocus()
    qtbot.waitUntil(bar.outcome.hasFocus)
    qtbot.keyClick(bar.outcome, Qt.Key.Key_Right)
    assert bar.chips.terms[0].hasFocus()
    qtbot.keyClick(bar.chips.terms[0], Qt.Key.Key_Delete)
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ mood"
    assert bar.chips.terms[0].hasFocus()
    qtbot.keyClick(bar.chips.terms[0], Qt.Key.Key_Delete)
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ 1"
    assert page.results.regression.tests.isHidden()
    assert "Add a predictor" in page.findChild(QLabel, "predictionAbsent").text()


@pytest.mark.slow
def test_that_the_outcome_is_chosen_in_its_chip(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town + age")
    bar = page.card.model_bar
    qtbot.mouseClick(bar.outcome, Qt.MouseButton.LeftButton)
    editor = bar.findChild(object, "outcomeEditor")
    choose(editor.findChild(QComboBox, "outcomeAttribute"), "town")
    settle(qtbot, page)
    # An attribute cannot explain itself.
    assert formula(page) == "town ~ age"
    assert page.card.model_options.model.keys == ["multinomial"]
    choose(editor.findChild(QComboBox, "outcomeValue"), "is Cedar")
    settle(qtbot, page)
    editor.close()
    assert formula(page) == "town=Cedar ~ age"
    assert page.card.model_options.model.keys == ["logistic"]
    assert page.answer.result.model == "logistic"


def test_that_of_two_answers_the_second_is_shown_as_explained(qtbot, page):
    explain(qtbot, page, "vote ~ age")
    bar = page.card.model_bar
    qtbot.mouseClick(bar.outcome, Qt.MouseButton.LeftButton)
    editor = bar.findChild(object, "outcomeEditor")
    assert editor.findChild(QComboBox, "outcomeValue").currentText() == "is yes"
    editor.close()
    assert page.results.regression.forest.title_label.words() == "Odds ratios of vote ~ age"


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_a_click_that_also_activates_adds_one_predictor(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    bar = page.card.model_bar
    qtbot.mouseClick(bar.chips.add_button, Qt.MouseButton.LeftButton)
    picker = bar.findChild(object, "predictorPicker")
    listed = picker.findChild(QListView, "predictorList")
    # As on desktops where one click opens files.
    listed.setStyleSheet("activate-on-singleclick: 1")
    taken = []
    picker.chosen.connect(taken.append)
    spot = listed.visualRect(listed.model().index(0, 0)).center()
    qtbot.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    settle(qtbot, page)
    assert len(taken) == 1
    assert formula(page) == f"vote=yes ~ town + {taken[0]}"


@pytest.mark.slow
def test_that_chips_and_formula_say_the_same(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    field = type_formula(qtbot, page, "vote=yes ~ center(age) + town[ref=Cedar] + mood:pay")
    settle(qtbot, page)
    assert page.answer.question.model.formula == page.model.question.model.formula
    qtbot.mouseClick(page.card.model_bar.switch, Qt.MouseButton.LeftButton)
    assert chips(page) == ["center(age)", "town[ref=Cedar]", "mood:pay"]
    qtbot.keyClick(page.card.model_bar.outcome, Qt.Key.Key_Right)
    qtbot.keyClick(page.card.model_bar.chips.terms[0], Qt.Key.Key_Delete)
    settle(qtbot, page)
    assert field.text() == "vote=yes ~ town[ref=Cedar] + mood:pay"
    rows = page.results.regression.coefficients.table.texts()
    assert {row[1] for row in rows if row[0].startswith("town")} == {"Cedar"}


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_a_wrong_formula_is_told_and_the_last_good_one_stays(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    before = page.answer
    field = type_formula(qtbot, page, "vote=yes ~ town + log(")
    settle(qtbot, page)
    said = page.findChild(QLabel, "formulaProblem")
    assert said.isVisible()
    assert "cannot be read at position" in said.text()
    assert field.text() == "vote=yes ~ town + log("
    assert page.answer is before
    assert chips(page) == ["town"]
    field = type_formula(qtbot, page, "vote=yes ~ tow")
    assert "There is no attribute “tow”." in said.text()
    qtbot.keyClicks(field, "n")
    settle(qtbot, page)
    assert not said.isVisible()
    assert page.answer is before


@pytest.mark.slow
def test_that_what_cannot_be_fitted_is_told_in_the_card(qtbot, page):
    explain(qtbot, page, "vote=yes ~ age", "vote = yes")
    refusal = page.findChild(QLabel, "refusal")
    assert refusal.isVisible()
    assert "is randomised, so it cannot say who is in the regression" in refusal.text()
    assert formula(page) == "vote=yes ~ age"
    explain(qtbot, page, "vote=yes ~ age", "town = Ash")
    assert page.answer.result.n < PEOPLE
    assert page.answer.result.condition.attributes == ("town",)


def test_that_a_number_has_a_linear_axis(qtbot, page):
    explain(qtbot, page, "age ~ town + pay")
    view = page.results.regression
    assert page.card.model_options.model.keys == ["linear", "poisson"]
    assert page.card.model_options.model.current == "linear"
    assert page.answer.result.model == "linear"
    assert view.forest.title_label.words() == "Coefficients of age ~ town + pay"
    assert not view.forest.chart.picture.x.is_log
    assert "odds ratio" not in view.coefficients.table.texts()[0]
    button = page.findChild(QPushButton, "testFit")
    assert not button.isEnabled()
    assert "outcomes with values only" in button.toolTip()


def test_that_several_answers_are_predicted_one_at_a_time(qtbot, page):
    explain(qtbot, page, "mood ~ age")
    assert page.answer.result.model == "ordinal"
    terms = page.results.regression.coefficients.table.sheet["term"].values
    assert "threshold" in terms
    box = page.findChild(QComboBox, "predictionOutcome")
    assert [box.itemText(i) for i in range(box.count())] == ["bad", "fair", "good"]
    card = page.results.regression.prediction
    assert card.chart.picture.name == "predictions good"
    choose(box, "bad")
    assert card.chart.picture.name == "predictions bad"
    press_segment(qtbot, page.card.model_options.model, "multinomial")
    settle(qtbot, page)
    labels = page.results.regression.forest.chart.picture.y.labels
    assert labels == ("fair – age", "good – age")


@pytest.mark.slow
def test_that_a_randomised_predictor_has_its_mask(qtbot, workbench):
    page = make_page(qtbot, workbench, plain_study(mood=Uniform(keep=0.8)))
    explain(qtbot, page, "vote=yes ~ mood + age")
    assert [has_mask(chip, workbench) for chip in page.card.model_bar.chips.terms] == [True, False]
    table = page.results.regression.coefficients.table
    signs = [table.looks.sign(place)[0] for place in range(table.sheet.rows)]
    assert signs == ["", "mask", "mask", ""]
    method = page.findChild(QComboBox, "regressionMethod")
    choose(method, "inverse weights")
    settle(qtbot, page)
    assert page.answer.result.method == "inverse"
    assert page.answer.result.variance == "robust"


@pytest.mark.slow
def test_that_standard_errors_are_chosen_in_their_card(qtbot, page):
    explain(qtbot, page, "vote=yes ~ age")
    segments = page.results.regression.checks.variance
    assert segments.current == "model"
    press_segment(qtbot, segments, "robust")
    settle(qtbot, page)
    assert page.answer.result.variance == "robust"
    assert "sandwich" in page.findChild(QLabel, "errorWords").text()
    segments.choose("sampling")
    assert segments.current == "robust"
    press_segment(qtbot, segments, "bootstrap")
    settle(qtbot, page)
    assert page.answer.result.variance == "bootstrap"


def test_that_the_sampling_gives_the_errors(qtbot, workbench):
    table, design = twelve_answers()
    roles = Sampling("weight", ("stratum",), "cluster")
    study = Study.of_distorted(table, design, "twelve").with_sampling(roles)
    page = make_page(qtbot, workbench, study)
    explain(qtbot, page, "y ~ stratum", model="linear")
    found = told(page)
    assert page.answer.result.variance == "sampling"
    sheet = page.results.regression.coefficients.table.sheet
    assert sheet["standard_error"].values == [one.standard_error for one in found.terms]
    assert "from the sampling" in page.findChild(QLabel, "errorWords").text()
    segments = page.results.regression.checks.variance
    segments.choose("model")
    assert segments.current == "sampling"
    # Columns of the sampling are not proposed.
    proposed = first_model(study).formula
    assert not {"weight", "stratum", "cluster"} & set(proposed.attributes)


def test_that_too_few_clusters_give_no_intervals(qtbot, workbench):
    study = plain_study(vote=Identity()).with_sampling(Sampling(cluster="town"))
    page = make_page(qtbot, workbench, study)
    explain(qtbot, page, "age ~ pay + mood + vote", model="linear")
    view = page.results.regression
    line = view.prediction.chart.picture.marks[0]
    assert np.isinf(line.high).all()
    assert view.prediction.chart.isVisible()
    low, high = view.prediction.chart.viewRange()[1]
    assert low < line.y.min() < line.y.max() < high
    assert view.prediction.chart.rows()[1][2:] == ["", ""]
    words = page.findChild(QLabel, "errorWords").text()
    assert "Too few clusters for standard errors." in words
    assert "degrees of freedom" not in words


def test_that_a_refusal_names_methods_as_the_page_does(qtbot, workbench):
    page = make_page(qtbot, workbench, plain_study(mood=Uniform(keep=0.8)))
    explain(qtbot, page, "vote=yes ~ mood", method="corrected")
    said = page.results.refused.advice.text()
    method = page.findChild(QComboBox, "regressionMethod")
    names = [method.itemText(place) for place in range(2)]
    assert all(name in said for name in names), said


def test_that_errors_which_no_longer_exist_give_way(qtbot, page):
    explain(qtbot, page, "vote=yes ~ age", variance="robust")
    assert page.answer.result.variance == "robust"
    press_segment(qtbot, page.card.target, "respondents")
    settle(qtbot, page)
    assert page.model.question.model.options.variance == ""
    assert page.answer.question == page.model.question.essence
    assert page.answer.result.variance == "sampling"


@pytest.mark.slow
def test_that_the_fit_is_tested_as_a_job(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    button = page.findChild(QPushButton, "testFit")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.isEnabled()
    settle(qtbot, page)
    said = [words for words in page.results.regression.checks.texts if "tenths" in words]
    assert len(said) == 1
    assert "p = " in said[0]
    assert button.isEnabled()
    explain(qtbot, page, "vote=yes ~ age")
    assert not any("tenths" in words for words in page.results.regression.checks.texts)


@pytest.mark.slow
def test_that_the_fit_needs_no_bootstrap(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town", variance="bootstrap")
    told_steps = []
    by_bootstrap = judge_fit(
        page.answer, page.workbench.answers, lambda done, words="": told_steps.append(words)
    )
    explain(qtbot, page, "vote=yes ~ town", variance="model")
    by_model = judge_fit(page.answer, page.workbench.answers)
    assert by_bootstrap.test == by_model.test
    assert told_steps
    assert not any("drawing again" in str(words) for words in told_steps)


def start_slow(qtbot, page):
    """Ask for a regression on hidden numbers, which takes seconds."""
    model = page.model.question.model
    slow = parse_formula("vote=yes ~ town + age + mood")
    page.model.change(model=dataclasses.replace(model, formula=slow))
    qtbot.waitUntil(page.cancel_action.isVisible)


@pytest.mark.slow
def test_that_a_change_takes_the_place_of_a_job(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study())
    explain(qtbot, page, "vote=yes ~ mood")
    start_slow(qtbot, page)
    other = Regress(formula=parse_formula("vote=yes ~ town"))
    page.model.change(model=other)
    settle(qtbot, page)
    assert str(page.answer.question.model.formula) == "vote=yes ~ town"
    assert not page.cancel_action.isVisible()


@pytest.mark.slow
def test_that_a_cancelled_fit_keeps_the_last_result(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study())
    explain(qtbot, page, "vote=yes ~ mood")
    before = page.answer
    start_slow(qtbot, page)
    page.cancel_action.trigger()
    settle(qtbot, page)
    assert page.answer is before
    assert page.results.regression.words.stale_badge.isVisible()
    assert formula(page) == "vote=yes ~ town + age + mood"


def test_that_a_cancelled_first_fit_can_be_asked_for_again(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study())
    notice, button = page.results.waiting, page.findChild(QPushButton, "fitModel")
    asked = Regress(formula=parse_formula("vote=yes ~ town"))
    with waiting_jobs(page.workbench.jobs):
        press_segment(qtbot, page.card.statistic, REGRESSION)
        page.model.change(model=asked)
        assert "appear as soon as" in notice.advice.text()
        assert not button.isVisible()
        qtbot.waitUntil(lambda: not page.is_about_to_ask)
        page.cancel_action.trigger()
    settle(qtbot, page)
    assert page.answer is None
    assert "has not been fitted" in notice.advice.text()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.isVisible()
    assert "appear as soon as" in notice.advice.text()
    settle(qtbot, page)
    assert str(page.answer.question.model.formula) == "vote=yes ~ town"


@pytest.mark.slow
def test_that_other_predictions_can_be_cancelled(qtbot, workbench):
    page = make_page(qtbot, workbench, plain_study(mood=Uniform(keep=0.8)))
    explain(qtbot, page, "vote=yes ~ town + mood + age", variance="bootstrap")
    box, card = page.findChild(QComboBox, "predictionBy"), page.results.regression.prediction
    choose(box, "by age")
    assert [job.name for job in workbench.jobs.running] == ["Predicting by age"]
    page.cancel_action.trigger()
    settle(qtbot, page)
    assert box.currentText() == "by town"
    assert card.chart.picture.y.labels == ("Ash", "Beech", "Cedar", "Old Oak")
    # A card that is not seen yet knows that numbers are on their way, or were given up.
    page.hide()
    view = SurveyView(answer=page.answer, beside=Beside(predicted_by="age"))
    card.show_beside(page.answer, view)
    assert "Cancelled" in page.findChild(QLabel, "predictionAbsent").text()
    view = dataclasses.replace(view, beside=dataclasses.replace(view.beside, is_predicting=True))
    card.show_beside(page.answer, view)
    assert page.findChild(QLabel, "predictionAbsent").text() == "Computing…"


def test_that_one_attribute_alone_has_a_constant_only(qtbot, workbench):
    answers = np.array([0, 1] * 40)
    table = Table((Column(Attribute("vote", Kind.BINARY, ("no", "yes")), answers),))
    study = classic_study(table, "one").with_perturbations({"vote": Uniform(keep=0.9)})
    page = make_page(qtbot, workbench, study)
    press_segment(qtbot, page.card.statistic, REGRESSION)
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ 1"
    (_, row) = page.results.regression.coefficients.table.texts()
    assert row[0] == "(intercept)"


def test_that_an_empty_table_is_told(qtbot, workbench):
    study = small_study()
    page = make_page(qtbot, workbench, study.with_(original=study.original.take(slice(0, 0))))
    explain(qtbot, page, "vote=yes ~ town")
    assert page.answer is None
    assert page.findChild(QLabel, "refusal").isVisible()


def test_that_a_separated_group_has_no_tick_no_interval_and_no_p(qtbot, workbench):
    town = Attribute("town", Kind.NOMINAL, ("North", "South"))
    vote = Attribute("vote", Kind.BINARY, ("no", "yes"))
    answers = np.r_[np.resize([0, 1], 60), np.zeros(30, np.int32)]
    table = Table((Column(town, np.repeat([0, 1], [60, 30])), Column(vote, answers)))
    study = classic_study(table, "apart").with_perturbations(
        {"vote": Identity(), "town": Identity()}
    )
    page = make_page(qtbot, workbench, study)
    explain(qtbot, page, "vote=yes ~ town")
    view = page.results.regression
    place = view.coefficients.table.sheet["label"].values.index("town[South]")
    row = view.coefficients.table.texts()[1 + place]
    assert row[1] == "North"
    assert row[3] == row[4] == "–"
    assert any("Separated: town[South]" in words for words in view.checks.texts)


def test_that_remarks_have_their_place_among_the_checks(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    texts = page.results.regression.checks.texts
    assert "smallest group town: Old Oak" in texts[0]
    assert [translate(one) for one in page.answer.remarks] == texts[1:]
