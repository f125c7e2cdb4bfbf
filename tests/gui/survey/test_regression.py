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

from ppworkbench.analyses.regression.answers import first_model, judge_fit
from ppworkbench.analyses.regression.questions import ModelQuestion
from ppworkbench.analyses.regression.tables import term_rows
from ppworkbench.analyses.survey.questions import REGRESSION
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Identity, Uniform
from ppworkbench.core.models import RegressionOptions, parse_formula, regress
from ppworkbench.core.sampling import Sampling
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.survey.regression.cards import ModelState
from ppworkbench.gui.pages.survey.regression.texts import check_rows
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
    assert not any(has_mask(chip, workbench) for chip in page.card.model_bar.terms)
    assert page.results.regression.isVisible()
    assert page.results.regression.forest.heading.words() == "Odds ratios for “no”"
    # What is randomised is no condition of a regression; it comes back with other statistics.
    assert page.model.question.condition.tests == ()
    press_segment(qtbot, page.card.statistic, "count")
    assert str(page.model.question.condition) == "vote = no"


def test_that_table_and_forest_show_the_numbers_of_the_core(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town + age")
    found, card = told(page), page.results.regression.forest
    slopes = [one for one in found.terms if one.term != "(intercept)"]
    rows = card.model.rows
    assert [row.title for row in rows] == ["town: Beech", "town: Cedar", "town: Old Oak", "age"]
    assert rows[0].caption == f"against Ash, n = {slopes[0].people}"
    # Rounded as in the report, with the minus of the window.
    written = [one for one in term_rows(found, page.store.study) if not one.is_constant]
    assert [row.cells for row in rows] == [
        tuple(
            str(cell).replace("-", "\u2212")
            for cell in (
                one.odds_ratio, one.odds_interval, one.uncorrected_odds, one.estimate,
                one.standard_error, one.p,
            )
        )
        for one in written
    ]  # fmt: skip
    mark = next(mark for mark in rows[0].marks if mark.look == "reconstructed")
    assert mark.low == pytest.approx(slopes[0].odds_ratio.low)
    naive = next(mark for mark in rows[0].marks if mark.look == "distorted")
    assert naive.value == pytest.approx(np.exp(slopes[0].naive))
    assert {mark.look for mark in rows[0].marks} >= {"original"}
    heads = [column.title for column in card.model.columns[2:]]
    assert heads == ["Odds ratio", "95\u202f% interval", "Uncorrected", "B", "SE", "p"]
    assert card.constant.words().startswith("Constant ")
    assert "crosses 1" in card.hint.text()
    tests = page.results.regression.tests.texts
    assert next(what for what, _ in tests) == "All predictors, likelihood ratio"
    assert any(what == "town, Wald" for what, _ in tests)
    line = page.findChild(QLabel, "intervalContents")
    assert line.isVisible()
    assert line.words().startswith("The interval includes: the randomness of the device")


@pytest.mark.slow
def test_that_predictions_follow_the_chosen_predictor(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town + age")
    card = page.results.regression.prediction
    assert card.heading.words() == "Predicted share of “yes”"
    assert [row.name for row in card.points.shown] == ["Ash", "Beech", "Cedar", "Old Oak"]
    before = page.answer
    choose(page.findChild(QComboBox, "predictionBy"), "by age")
    settle(qtbot, page)
    assert page.answer is before
    assert card.plot.isVisible()
    line = card.plot.picture.marks[0]
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
    chip = bar.terms[0]
    qtbot.mouseClick(
        chip, Qt.MouseButton.LeftButton, pos=QPoint(chip.width() - 14, chip.height() // 2)
    )
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ age"
    qtbot.mouseClick(bar.add_button, Qt.MouseButton.LeftButton)
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
    assert bar.terms[0].hasFocus()
    qtbot.keyClick(bar.terms[0], Qt.Key.Key_Delete)
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ mood"
    assert bar.terms[0].hasFocus()
    qtbot.keyClick(bar.terms[0], Qt.Key.Key_Delete)
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ 1"
    assert page.results.regression.tests.texts == []
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
    assert page.results.regression.forest.heading.words() == "Odds ratios for “yes”"


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_a_click_that_also_activates_adds_one_predictor(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    bar = page.card.model_bar
    qtbot.mouseClick(bar.add_button, Qt.MouseButton.LeftButton)
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
    qtbot.keyClick(page.card.model_bar.terms[0], Qt.Key.Key_Delete)
    settle(qtbot, page)
    assert field.text() == "vote=yes ~ town[ref=Cedar] + mood:pay"
    rows = page.results.regression.forest.model.rows
    assert rows[0].caption == "against Cedar, n = 178"


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
    card = page.results.regression.forest
    assert page.card.model_options.model.keys == ["linear", "poisson"]
    assert page.card.model_options.model.current == "linear"
    assert page.answer.result.model == "linear"
    assert card.heading.words() == "Effects on age"
    assert next(column.title for column in card.model.columns[2:]) == "B"
    assert "crosses 0" in card.hint.text()
    assert page.results.regression.prediction.heading.words() == "Predicted mean of age"
    button = page.findChild(QPushButton, "testFit")
    assert not button.isEnabled()
    assert "outcomes with values only" in button.toolTip()


def test_that_several_answers_are_predicted_one_at_a_time(qtbot, page):
    explain(qtbot, page, "mood ~ age")
    assert page.answer.result.model == "ordinal"
    assert page.results.regression.forest.constant.words().startswith("Thresholds: ")
    box = page.findChild(QComboBox, "predictionOutcome")
    assert [box.itemText(i) for i in range(box.count())] == ["bad", "fair", "good"]
    card = page.results.regression.prediction
    assert card.heading.words() == "Predicted share of “good”"
    choose(box, "bad")
    assert card.heading.words() == "Predicted share of “bad”"
    press_segment(qtbot, page.card.model_options.model, "multinomial")
    settle(qtbot, page)
    rows = page.results.regression.forest.model.rows
    assert [row.title for row in rows] == ["fair: age", "good: age"]
    heading = page.results.regression.forest.heading.words()
    assert heading == "Odds ratios for mood, against “bad”"


@pytest.mark.slow
def test_that_a_randomised_predictor_has_its_mask(qtbot, workbench):
    page = make_page(qtbot, workbench, plain_study(mood=Uniform(keep=0.8)))
    explain(qtbot, page, "vote=yes ~ mood + age")
    assert [has_mask(chip, workbench) for chip in page.card.model_bar.terms] == [True, False]
    rows = page.results.regression.forest.model.rows
    assert [row.is_randomised for row in rows] == [True, True, False]
    assert rows[0].caption == "against bad, n = 132, randomised too"
    words = page.findChild(QLabel, "errorWords").text()
    assert "the outcome and of predictors" in words
    method = page.findChild(QComboBox, "regressionMethod")
    choose(method, "inverse weights")
    settle(qtbot, page)
    assert page.answer.result.method == "inverse"
    assert page.answer.result.variance == "robust"


@pytest.mark.slow
def test_that_standard_errors_are_chosen_in_their_card(qtbot, page):
    explain(qtbot, page, "vote=yes ~ age")
    segments = page.results.regression.errors.variance
    assert segments.current == "model"
    press_segment(qtbot, segments, "robust")
    settle(qtbot, page)
    assert page.answer.result.variance == "robust"
    assert "Sandwich" in page.findChild(QLabel, "errorWords").text()
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
    row = page.results.regression.forest.model.rows[0]
    slope = next(one for one in found.terms if one.term == "stratum")
    (written,) = [one for one in term_rows(found, study) if one.coefficient is slope]
    assert row.cells[0] == written.estimate.replace("-", "\u2212")
    assert "From the sampling" in page.findChild(QLabel, "errorWords").text()
    segments = page.results.regression.errors.variance
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
    line = view.prediction.plot.picture.marks[0]
    assert np.isinf(line.high).all()
    assert view.prediction.plot.isVisible()
    low, high = view.prediction.plot.viewRange()[1]
    assert low < line.y.min() < line.y.max() < high
    assert view.prediction.plot.rows()[1][2:] == ["", ""]
    words = page.findChild(QLabel, "errorWords").text()
    assert "Too few clusters for standard errors." in words
    assert "degrees of freedom" not in words
    assert {said for _, said in view.tests.texts} == {"too few clusters for standard errors"}
    assert view.tests.note.text() == "Without standard errors nothing can be tested."
    for row in view.forest.model.rows:
        estimate, *others = row.cells
        assert estimate != "–"
        assert [others[0], *others[2:]] == ["–", "–", "–"]
    assert "SE" not in view.forest.constant.words()


@pytest.mark.slow
def test_that_effects_on_numbers_have_a_unit(qtbot, workbench):
    study = plain_study()
    table = study.original
    pay = table["pay"]
    titled = Column(pay.attribute.with_(unit="euros"), pay.data)
    study = classic_study(table.replace(titled), "paid").with_perturbations(
        dict.fromkeys(table.names, Identity())
    )
    page = make_page(qtbot, workbench, study)
    heading = page.results.regression.forest.heading
    explain(qtbot, page, "pay ~ town", model="linear")
    assert heading.words() == "Effects on pay, in euros"
    explain(qtbot, page, "age ~ town", model="linear")
    assert heading.words() == "Effects on age"
    explain(qtbot, page, "age ~ town", model="poisson")
    assert heading.words() == "Effects on the logarithm of the mean of age"


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
    other = ModelQuestion(parse_formula("vote=yes ~ town"), RegressionOptions())
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
    assert page.results.regression.forest.stale_badge.isVisible()
    assert formula(page) == "vote=yes ~ town + age + mood"


def test_that_a_cancelled_first_fit_can_be_asked_for_again(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study())
    notice, button = page.results.waiting, page.findChild(QPushButton, "fitModel")
    asked = ModelQuestion(parse_formula("vote=yes ~ town"), RegressionOptions())
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
    assert [row.name for row in card.points.shown] == ["Ash", "Beech", "Cedar", "Old Oak"]
    # A card that is not seen yet knows that numbers are on their way, or were given up.
    page.hide()
    card.show_state(page.answer, page.answer.result, ModelState("age"))
    assert "Cancelled" in page.findChild(QLabel, "predictionAbsent").text()
    card.show_state(page.answer, page.answer.result, ModelState("age", None, is_predicting=True))
    assert page.findChild(QLabel, "predictionAbsent").text() == "Computing…"


def test_that_one_attribute_alone_has_a_constant_only(qtbot, workbench):
    answers = np.array([0, 1] * 40)
    table = Table((Column(Attribute("vote", Kind.BINARY, ("no", "yes")), answers),))
    study = classic_study(table, "one").with_perturbations({"vote": Uniform(keep=0.9)})
    page = make_page(qtbot, workbench, study)
    press_segment(qtbot, page.card.statistic, REGRESSION)
    settle(qtbot, page)
    assert formula(page) == "vote=yes ~ 1"
    assert page.results.regression.forest.constant.words().startswith("Constant ")
    assert page.results.regression.forest.model.rows == ()


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
    (row,) = view.forest.model.rows
    assert row.cells[1] == row.cells[-1] == row.cells[-2] == "–"
    assert row.caption == "against North, n = 30"
    checks = check_rows(page.answer, page.answer.result, None)
    assert [is_fine for is_fine, words in checks if "converged" in words] == [False]
    assert any("Separated: town[South]" in words for is_fine, words in checks if not is_fine)
    assert not any("no separation" in words for _, words in checks)


def test_that_remarks_have_their_place_among_the_checks(qtbot, page):
    explain(qtbot, page, "vote=yes ~ town")
    texts = page.results.regression.checks.texts
    assert any("converged" in words for words in texts)
    assert any("smallest group town: Old Oak" in words for words in texts)
    assert [translate(one) for one in page.answer.remarks] == texts[3:]
    assert page.findChild(QLabel, "regressionLeftOut").text() == "No respondent is left out."
